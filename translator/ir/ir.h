// SPDX-License-Identifier: GPL-2.0-or-later
// The intermediate representation: the script's actions, step by step, with every error edge, lock, frame slot and
// action count explicit. It knows nothing of C; emit/ prints it as C.
//
// A body is a list of instructions with labels. Values are 64-bit registers, string places and constants. Strings live
// in buffers of the frame. A pointer register borrows a string that something else keeps alive: a parameter, a key of
// the element a foreach is at, one arm of a ternary, a function's result that is marked as lent.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ast/ast.h"
#include "ir/ops.h"
#include "probes/attach.h"
#include "regex/match_table.h"
#include "syscalls/calls.h"

namespace tapir::ir {

enum class ValueKind : uint8_t {
    None,
    Int,      // constant
    Reg,      // 64-bit register
    Literal,  // string constant: index into Module::literals
    Buffer,   // string buffer of the frame
    Pointer,  // borrowed string
    Global,   // a global string itself
    Result,   // the caller's buffer for a function's string result
    Sum,      // merged statistic in the frame
};

struct Value {
    ValueKind kind = ValueKind::None;
    int64_t n = 0;  // constant, or number within its kind

    explicit operator bool() const { return kind != ValueKind::None; }
    friend bool operator==(const Value &, const Value &) = default;
    bool is_string() const;
};

// How Load, Store, Update and the map operations reach their global.
enum class Access : uint8_t {
    Plain,   // the handler holds the lock, or none is needed
    Atomic,  // one atomic instruction
    Locked,  // the operation takes the lock for itself
};

struct Sort {
    int8_t direction = 0;  // -1 descending, 0 none, 1 ascending
    int column = 0;        // 0 value, 1.. key
    ast::StatOpKind stat = ast::StatOpKind::Count;
    friend bool operator==(const Sort &, const Sort &) = default;
};

// The elements of an array that a handler copies, to go through them without locks. `cut`: it deletes the array before
// it drops them.
struct Snapshot {
    int global = -1;
    Sort sort;
    uint32_t limit = 0;  // 0: all elements may be needed
    bool cut = false;
    friend bool operator==(const Snapshot &, const Snapshot &) = default;
};

struct Inst {
    Op op;
    Access access = Access::Plain;
    uint8_t detail = 0;
    bool old = false;
    bool weighted = false;  // under a budget: counts for the hits that were left out, too
    Value dst, a, b;
    std::vector<Value> args;
    int target = -1;    // label to go to
    int on_error = -1;  // label the error edge leads to; -1: cannot fail
    int global = -1;    // index into Module::globals
    int index = -1;     // what ops.def says: an entry of a list of the module, an iterator, a register
    int site = -1;      // index into Module::sites: place of errors
    Value next;         // Call
    Sort sort;          // IterBegin
};

// Memory in the context's frame.
struct Frame {
    int buffers = 0;
    int sums = 0;
    int iterators = 0;
    std::map<int, uint32_t> buckets;  // of the histograms that are merged into a sum: the most of them
    bool empty() const { return buffers + sums + iterators == 0; }
};

struct Body {
    std::vector<Inst> code;
    int registers = 0;
    int pointers = 0;
    int labels = 0;
    Frame frame;
    std::map<int, std::string> register_names;  // script variables, for the dump
    std::map<int, std::string> buffer_names;
    std::vector<int> initial_registers;  // script variables that start as 0
};

struct Param {
    std::string name;
    Value value;  // Reg or Pointer
};

struct Function {
    std::string name;  // unique
    ast::Type result = ast::Type::Void;
    std::vector<Param> params;
    Body body;
    Value result_register;  // long functions
    bool has_next = false;  // may ask for the next overload
    bool can_fail = false;
    bool recursive = false;
    bool pushes = false;  // takes its frame, and counts as a nesting level
    bool leaf = false;    // needs no context
    // Calls nothing that a probe could be at, so that no hit nests in another one of it.
    bool untraced = false;
    bool anywhere = false;  // embedded C that reports may call
    std::vector<int> callees;
    // Embedded C: the text, and whether it may write to its string arguments.
    std::optional<std::string> embedded;
    SourceRef embedded_at;
    bool writes_args = false;
    bool pure = false;
    bool syscall_here = false;          // wants the system call that was hit
    bool borrowed = false;              // gives a pointer to a string that stays, instead of filling a buffer
    std::vector<int> accessed_globals;  // by pragma
};

constexpr int kLeafArguments = 5;  // of a tracepoint, that a handler without a context can have

// A step of the program that brings in the user memory that a handler reads: see tapir/touch.h.
enum class TouchOp : uint8_t {
#define TAPIR_TOUCH_OP(Name, NAME) Name,
#include "ir/touch_ops.def"
};

struct TouchStep {
    TouchOp op = TouchOp::End;
    uint8_t detail = 0;
    int64_t value = 0;
    friend bool operator==(const TouchStep &, const TouchStep &) = default;
};

struct Handler {
    std::string where;  // file:line:column
    std::string point;  // as the user wrote it
    Body body;
    std::vector<int> locks;  // globals, ascending
    bool leaf = false;       // needs no context, nor anything that notices nested hits
    // The code to try first, without a context: the whole handler, up to one operation on an array that may turn out to
    // need one. Nothing before that has visible effects, so the handler can start over.
    std::optional<Body> attempt;
    bool session = false;      // begin, end, error only
    bool loops = false;        // how long it runs is not known beforehand
    bool prints = false;       // where it is hit: not in the session's thread
    bool report = false;       // timers that may be late run it in the session's thread
    int pair = 0;              // not 0: the probes that hand elements of arrays to each other, by the thread
    bool follows = false;      // it finds there what others left
    int same_as = -1;          // an earlier handler with the same body
    std::vector<int> callees;  // functions called directly
    int condition = -1;        // index into Module::conditions
    bool synthetic = false;    // made by the translator
    // A return probe's handler at the entry of the same call: index into Module::handlers. It is attached with this one
    // only.
    int entry = -1;
    bool is_entry = false;
    // Values that both share: one slot each, of MAXSTRINGLEN bytes if any is a string, else of 8.
    std::vector<ast::Type> saved;
    std::vector<probes::Attach> attaches;
    std::vector<TouchStep> touches;  // of probes in programs
};

// probe if (...): computes `result` from globals, without context; what would be an error is 0.
struct Condition {
    Body body;
    Value result;
};

struct Global {
    std::string name;
    ast::Type type = ast::Type::Unknown;  // of an array: of its values
    std::vector<ast::Type> key_types;     // of an array; empty for scalars
    bool wrap = false;                    // old elements make room for new ones
    std::optional<int64_t> max_entries;   // as written
    int64_t age = 0;                      // ns; 0: elements do not leave by themselves
    std::string size_option;              // the global that has it when the session starts, or ""
    ast::StatUse stat;                    // of statistics: what is read of them
    Access access = Access::Plain;        // long scalars: Plain or Atomic
    std::optional<ast::LiveRange> live;
    bool settable = true;    // by name when the module is started, if it is a scalar; not a private one of a tapset
    bool monitored = false;  // --monitor shows it
    // Arrays:
    bool stable = false;  // elements never go away
    bool copied = false;  // some handler copies elements for a snapshot
    bool cut = false;     // some report takes them out of the array for one
    bool known = false;   // some handler that is tried without a context finds elements
    Value initial;        // Int, Literal or None
};

struct FormatPiece {
    ast::FormatPiece::Conv conv = ast::FormatPiece::Conv::Literal;
    ast::FormatPiece::Flag flag = ast::FormatPiece::Flag::None;
    bool width_from_arg = false, precision_from_arg = false;
    std::optional<uint32_t> width, precision;
    std::string literal;
    friend bool operator==(const FormatPiece &, const FormatPiece &) = default;
};
using Format = std::vector<FormatPiece>;

// A piece of embedded C. Its text follows the two bytes "%{" at `at`.
struct Snippet {
    std::string code;
    ast::Type type = ast::Type::Void;  // Void: statement
    SourceRef at;
    bool constant = false;  // @const: an expression without side effects, "%{" does not stand before it
    std::vector<int> accessed_globals = {};  // that its pragmas name
};

struct Limits {
    uint32_t string_capacity = 512;
    uint32_t max_nesting = 0;                // always known: as set, or from the call graph
    std::map<std::string, uint64_t> values;  // set with -D: "MAXACTION", ...; others have the runtime's default
    int32_t hist_elision = 2;
    uint32_t hist_width = 50;
    bool hist_units = false;
};

struct Regex {
    std::string pattern;
    regex::Table table;
};

// A symbol whose address is found when the module is loaded.
struct Address {
    std::string module, symbol;  // "" is the kernel itself
    friend bool operator==(const Address &, const Address &) = default;
};

// A ring of events (@recall).
struct Ring {
    std::string name;
    uint32_t events = 0;
    bool of_cpu = false;
};

// The system calls that the module's table has.
struct Syscalls {
    const syscalls::Calls *calls = nullptr;  // null: none
    std::vector<size_t> entries;             // positions in its entries(), ascending
    bool texts = false;                      // with how their arguments are shown
};

struct Module {
    Syscalls syscalls;
    std::vector<Global> globals;
    std::vector<Function> functions;
    std::vector<Handler> handlers;
    std::vector<Condition> conditions;
    std::vector<std::string> literals;
    std::vector<std::string> sites;
    std::vector<Format> formats;
    std::vector<Ring> rings;
    std::vector<Snippet> snippets;
    std::vector<Regex> regexes;
    std::vector<std::vector<Snapshot>> snapshots;
    std::vector<Address> addresses;
    std::vector<target::BuiltObject> objects;  // that must be the very same at run time
    std::vector<target::BuiltProgram> programs;
    std::vector<const ast::Interpreter *> interpreters;
    bool weighted = false;      // there may be a budget: see find_weights()
    bool regex_groups = false;  // some code asks for the last match, so it is kept at the start of the context's frame
    std::vector<Snippet> embedded;                               // top-level C, in order
    std::vector<std::pair<std::string, std::string>> c_defines;  // -D names that are no limits, for embedded C
    Limits limits;
    bool switches = false;    // probes of the script can be switched off and on while the session runs
    bool user_c = false;      // the user's own C: needs the kernel's headers, and the names of <tapir/embed_compat.h>
    std::string systemtap_v;  // the language level, which that C may ask for: "5.6"
};

// A stable, readable dump.
std::string print(const Module &module);
std::string print(const Module &module, const Body &body);

}  // namespace tapir::ir
