// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How a program is started: what it is to have, and the step from this process to that one. Process (process.h) starts
 * programs with pipes to them, run_program() (run_program.h) waits for their end, too. Nothing else in the product
 * makes a process that becomes another program, but for one: staprun's target command, which has to wait between the
 * two (staprun/target_command.h). That one uses ProgramStart, too.
 */
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/descriptor.h"
#include "common/outcome.h"

namespace tapir {

// Output of a program, up to a limit.
struct Collected {
    size_t limit = size_t{64} << 20;
    std::string text = {};
    bool over = false;  // there was more, which is lost
};

// One of a program's descriptors.
struct Stream {
    enum class Kind : uint8_t { Inherited, Nothing, Descriptor, File, Text, Pipe, Collected, Output };

    Kind kind = Kind::Nothing;
    int fd = -1;
    std::string text = {};
    tapir::Collected *into = nullptr;

    // This process's own, under the same number.
    static Stream inherited() { return {Kind::Inherited}; }
    // /dev/null
    static Stream nothing() { return {}; }
    // One of this process's, which it keeps.
    static Stream descriptor(int fd) { return {Kind::Descriptor, fd}; }
    // For standard input: an existing file. For others: creates the file, or empties it.
    static Stream file(std::string path) { return {Kind::File, -1, std::move(path)}; }
    // For descriptors that the program reads: this text, then the end.
    static Stream of_text(std::string_view text) { return {Kind::Text, -1, std::string(text)}; }
    // A pipe of the Process.
    static Stream pipe() { return {Kind::Pipe}; }
    // Goes there, as Process::collect() reads it. Not for standard input.
    static Stream collected(tapir::Collected &into) { return {Kind::Collected, -1, {}, &into}; }
    // Where the standard output goes, in the order in which both are written.
    static Stream with_output() { return {Kind::Output}; }
};

enum class ProcessGroup : uint8_t {
    Shared,   // this process's: signals of the terminal reach both
    Own,      // signals go to the program and its children
    Session,  // the same, without a terminal
};

struct ResourceLimit {
    int resource;  // RLIMIT_CPU, RLIMIT_AS, ...
    rlimit value;
};

struct Program {
    std::vector<std::string> argv;  // argv[0] is looked up by find_program()
    // The file to run where that is known, or is found in a place that only `in_child` makes; "" = look argv[0] up.
    std::string file = {};
    std::string directory = {};                                // where it works; "" = this process's
    std::optional<std::vector<std::string>> environment = {};  // all of it, NAME=VALUE; none: this process's

    Stream input = Stream::nothing(), output = Stream::inherited(), errors = Stream::inherited();
    std::vector<std::pair<int, Stream>> further = {};  // by number, from 3 on
    // True if it gets this process's other descriptors that are not closed on exec.
    bool inherits_descriptors = false;

    ProcessGroup group = ProcessGroup::Shared;
    int death_signal = 0;                         // that it gets when the calling thread ends, 0 = none
    std::vector<ResourceLimit> limits = {};       // of time, memory, files
    std::vector<int> default_signals = {};        // beside SIGPIPE and SIGCHLD; others that are ignored stay so
    std::function<const char *()> in_child = {};  // first of all after `group`; see ProgramStart::become()
};

// This process's environment with `changes`, NAME=VALUE, and without variables that `drop` (may be empty) picks by
// name.
std::vector<std::string> environment_with(const std::vector<std::string> &changes,
                                          const std::function<bool(std::string_view name)> &drop = {});

// Takes a variable out of this process's environment, where libraries would act on it. Programs that are started get it
// all the same. To be called where no other thread changes the environment.
void hide_variable(const char *name);
// A variable of this process, hidden or not; "" if there is none.
std::string own_variable(const char *name);

// One start of a program, which has to outlive it.
class ProgramStart {
  public:
    // An end of a pipe that this process has.
    struct PipeEnd {
        int number;  // the program's descriptor
        Descriptor ours;
        Collected *into;  // null: Stream::pipe()
    };

    // Finds the file and opens the streams. Else ProgramMissing, ProgramRefused, or ProgramNotStarted; errno says why.
    Outcome<void> prepare(const Program &program);

    // Makes the process, by way of a vfork(2): returns when it is the program. Faults as above. The caller has to wait
    // for it.
    Outcome<pid_t> launch();

    // In a process that was made for it: turns it into the program. Makes only system calls and touches no memory of
    // others, as does `in_child`: the process may share it with one that has other threads. Returns what could not be
    // done, for people, with errno; `in_child` does the same, or returns a null pointer.
    const char *become();

    // Ends of pipes, those that write do not block. To be taken after launch().
    std::vector<PipeEnd> take_pipes() { return std::move(pipes_); }

  private:
    struct Placed {
        int number, source, kept;
    };

    Outcome<void> find();
    Outcome<void> place(int number, const Stream &stream);
    Outcome<void> place_file(int number, const Stream &stream);
    Fault failed(const char *what) const;
    bool set_streams();

    const Program *program_ = nullptr;
    std::string file_;
    std::vector<std::string> whole_environment_;  // if variables are hidden from this process
    std::vector<char *> argv_, script_argv_, environment_;
    std::vector<Placed> placed_;
    std::vector<Descriptor> opened_;  // the program's ends
    std::vector<PipeEnd> pipes_;
    int first_kept_ = kLowestKeptDescriptor;
    pid_t parent_ = 0;
};

}  // namespace tapir
