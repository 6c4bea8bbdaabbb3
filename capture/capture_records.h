// SPDX-License-Identifier: GPL-2.0-or-later
// The records of captures. docs/captures.md describes how they are stored.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::capture {

// The session. A capture may tell these several times; the last one that is neither "" nor 0 holds.
struct Meta {
    std::string script;     // its name, or its text with -e
    std::string arguments;  // of the script
    std::string version;    // of Tapir
    std::string kernel;     // its release
    std::string host;
    std::string machine;    // "x86_64"
    std::string title;      // "off-CPU"
    std::string unit;       // of Sample::sum: "microseconds", "bytes", ...; "": only counts matter
    std::string clock;      // what sampled: "soft", "pmu", "probe"
    uint64_t started = 0;   // nanoseconds since the epoch
    uint64_t duration = 0;  // nanoseconds
    uint64_t hz = 0;        // samples wanted per second and CPU; 0: no clock
    uint64_t cpus = 0;      // that were sampled
    // Captures of older programs have none of these.
    std::string command =
        {};  // that made the capture, as one would type it: "stap -o run.html -c './orders 60' offcpu.stp"
    std::string target = {};   // that of -c or of the process of -x, likewise: "./orders 60"; "": the whole machine
    std::string program = {};  // its file, by the name that the user typed: "/usr/bin/redis-server"; "": not known
    uint64_t pid = 0;          // of -x
    int64_t zone = 0;          // seconds that the clock on the wall was ahead of UTC when it began
};

// A file that is mapped into processes.
struct Object {
    uint32_t id = 0;
    std::string path;
    std::string build_id;  // lower-case hexadecimal, or ""
    uint64_t bias = 0;     // added to a place of code, it gives the address that the ELF file has for it
    // The link by which a user started it, /usr/bin/redis-server; "": it was started by `path`, or that is not known.
    std::string started = {};
    uint32_t interpreter = 0;  // the number of the interpreter that it is, or starts; 0: it is none
};

// A program that runs programs of another language.
struct Interpreter {
    uint32_t number = 0;  // from 1 on
    std::string name;     // of the language
    std::string loop;     // the function whose call runs frames of the language; "": calls cannot be told apart
};

enum class FrameKind : uint8_t {
    File,    // object and place, an offset in that file
    Kernel,  // place is an address, of the kernel or a module; or a number, for who may not know addresses
    Memory,  // place is an address that no file is mapped to; object is the process
    Text,    // of an interpreter, or made up: the text is all that is known
};

// The place is a return address: the code that called is before it.
inline constexpr uint8_t kFrameCalled = 1;
// The frame of a signal handler's return.
inline constexpr uint8_t kFrameSignal = 2;

struct Frame {
    FrameKind kind = FrameKind::File;
    uint8_t flags = 0;
    uint32_t object = 0;
    uint64_t place = 0;
    std::string text;  // of FrameKind::Text
};

// Why a part of a stack ends where it ends. The values up to Machine are those of enum tapir_unwind_end.
enum class End : uint8_t {
    None,  // there is no such part
    Complete,
    Cut,
    NoObject,
    NoTable,
    NoRow,
    Expression,
    Fault,
    Loop,
    Busy,
    Foreign,
    Return,
    NoCode,
    Exec,
    Machine,
    Limit,
    TableFull = 32,  // the module had no room for the stack
    Missing,         // a sample has a stack that the capture has not
    Count,
};

// "cut at the limit of frames"
std::string_view end_text(End end);
// "" for Complete and None; else what the user can do about it.
std::string_view end_hint(End end);

// A sample of this stack has none: the script sampled something else, or what has no such part.
inline constexpr uint64_t kNoStack = 0;
// Readers give it to samples whose stack the capture has not.
inline constexpr uint64_t kMissingStack = UINT64_MAX;

// Frames are innermost first; those of the kernel come before those of the program.
struct Stack {
    uint64_t id = 0;
    End kernel = End::None;
    End user = End::None;
    std::vector<Frame> frames;
};

// One function at a place. A place with inlined calls has several, the innermost first.
struct Function {
    std::string name;    // as the object has it: not demangled
    std::string file;    // of the source; "": not known
    uint32_t line = 0;   // 0: not known
    uint64_t start = 0;  // where the function begins: a place or an address; 0: not known
};

// Labels tell sums apart: "pid", "tid", "cpu", "comm" and those that a script adds. That of @sample_label has the
// key "label" and becomes the outermost frame in pictures.
struct Label {
    std::string key;
    std::string text;  // "": it is a number
    int64_t number = 0;
};

struct Sample {
    uint64_t stack = 0;
    uint64_t waker = 0;  // a second stack, of who ended the wait; its frames follow upside down; 0: none
    uint64_t count = 0;
    int64_t sum = 0;
    uint64_t time = 0;  // nanoseconds since the session's start, of a single sample; 0: not kept
    std::vector<Label> labels;
};

// Texts that the script printed.
struct Text {
    uint64_t time = 0;  // nanoseconds since the session's start; 0: not kept
    std::string bytes;
};

// The hits and skips of one probe.
struct ProbeLedger {
    std::string probe;
    uint64_t hits = 0;
    struct Skipped {
        std::string reason;
        uint64_t count = 0;
    };
    std::vector<Skipped> skipped;
};

// Kinds of losses other than hits.
enum class Loss : uint8_t {
    Output,      // records that did not get out of the kernel, or out of staprun
    StackTable,  // stacks for which there was no room
    Array,       // elements for which there was no room
    TextCut,     // texts that were too long
    Overflow,    // samples of sums that did not fit into 64 bits
    Count,
};

struct LossCount {
    Loss what = Loss::Output;
    uint64_t count = 0;
};

std::string_view loss_text(Loss loss);
// Advice to the user.
std::string_view loss_hint(Loss loss);

enum class Severity : uint8_t { Warning, Error };

struct Message {
    Severity severity = Severity::Warning;
    std::string text;
};

struct Column {
    std::string name;
    std::string unit, subject;  // "": not given
    bool is_text = true;        // else cells are signed numbers of 64 bits
};

// A row of a table, as one run of a handler prints it.
struct TableRow {
    std::vector<std::string> cells;  // one for each column
    uint64_t time = 0;               // CLOCK_MONOTONIC, ns
    int32_t cpu = -1;                // -1: not known
    bool begins_block = false;       // rows of one block are aligned together
    bool after_other = false;        // the script printed something else since the last row
    uint64_t number = 0;             // readers count the rows of all tables
};

// A table that a script declares (@table).
struct Table {
    std::string name;
    std::vector<Column> columns;
    std::vector<TableRow> rows;
};

}  // namespace tapir::capture
