// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/agent/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "common/descriptor.h"
#include "common/files.h"
#include "common/find_program.h"
#include "common/program_start.h"

namespace tapir::vm::agent {
namespace {

// The command's ends.
struct Ends {
    Descriptor in, out, err;
};

bool open_terminal(const RunHeader &header, Started &ours, Ends &theirs) {
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (master < 0) return false;
    ours.in = master;
    char name[64];
    if (grantpt(master) != 0 || unlockpt(master) != 0 || ptsname_r(master, name, sizeof name) != 0) return false;
    const Descriptor slave(open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
    winsize size{header.rows, header.columns, 0, 0};
    ioctl(master, TIOCSWINSZ, &size);
    ours.out = kept_duplicate(master).release();
    for (Descriptor *end : {&theirs.in, &theirs.out, &theirs.err})
        *end = kept_duplicate(slave.get());
    return ours.out >= 0 && theirs.in.get() >= 0 && theirs.out.get() >= 0 && theirs.err.get() >= 0;
}

// A pipe with the agent's end as it is needed for events.
bool open_pipe(int &ours, Descriptor &theirs, bool to_command) {
    Descriptor read, write;
    if (!make_pipe(read, write)) return false;
    ours = (to_command ? write : read).release();
    theirs = std::move(to_command ? read : write);
    return fcntl(ours, F_SETFL, O_NONBLOCK) == 0;
}

bool open_pipes(const RunHeader &header, Started &ours, Ends &theirs) {
    const bool no_input = header.flags & run_no_stdin;
    if (no_input) theirs.in = Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
    return (no_input || open_pipe(ours.in, theirs.in, true)) && open_pipe(ours.out, theirs.out, false) &&
           open_pipe(ours.err, theirs.err, false);
}

// Its programs are where its own $PATH says.
std::string path_of(const Command &command) {
    constexpr std::string_view kName = "PATH=";
    for (const std::string &variable : command.environment)
        if (variable.starts_with(kName)) return variable.substr(kName.size());
    return "/usr/local/bin:/usr/bin:/bin";
}

Outcome<pid_t> launch(const Command &command, const Ends &ends) {
    Program program{command.arguments};
    program.directory = command.directory;
    program.environment = command.environment;
    program.input = Stream::descriptor(ends.in.get());
    program.output = Stream::descriptor(ends.out.get());
    program.errors = Stream::descriptor(ends.err.get());
    program.group = ProcessGroup::Session;
    const int terminal = command.header.flags & run_terminal ? ends.in.get() : -1;
    program.in_child = [terminal]() -> const char * {
        if (terminal >= 0) ioctl(terminal, TIOCSCTTY, 0);
        return nullptr;
    };
    if (command.arguments[0].find('/') == std::string::npos) {
        Outcome<std::string> file = find_program(command.arguments[0], {path_of(command)});
        if (!file) return file.fault();
        program.file = std::move(*file);
    }
    ProgramStart start;
    if (const Outcome<void> ready = start.prepare(program); !ready) return ready.fault();
    return start.launch();
}

// Writes an error message in place of the command, which has not started.
void report(const Command &command, const Fault &fault, int error, int fd) {
    std::string what = "run " + command.arguments[0];
    if (fault.tag == FaultTag::ProgramNotStarted && !is_directory(command.directory))
        what = "change to " + command.directory;
    dprintf(fd, "stap-vm: cannot %s in the guest: %s\n", what.c_str(), strerror(error));
}

void close_if_open(int fd) {
    if (fd >= 0) close(fd);
}

}  // namespace

bool parse_run(const std::string &payload, Command &command) {
    if (payload.size() < sizeof command.header) return false;
    memcpy(&command.header, payload.data(), sizeof command.header);
    std::vector<std::string> strings;
    for (size_t at = sizeof command.header; at < payload.size();) {
        size_t end = payload.find('\0', at);
        if (end == std::string::npos) return false;
        strings.push_back(payload.substr(at, end - at));
        at = end + 1;
    }
    size_t arguments = command.header.argument_count, environment = command.header.environment_count;
    if (arguments == 0 || strings.size() != 1 + arguments + environment) return false;
    command.directory = strings[0];
    command.arguments.assign(strings.begin() + 1, strings.begin() + 1 + arguments);
    command.environment.assign(strings.begin() + 1 + arguments, strings.end());
    return true;
}

Outcome<Started> start(const Command &command) {
    Started started;
    Ends ends;
    const bool terminal = command.header.flags & run_terminal;
    if (!(terminal ? open_terminal(command.header, started, ends) : open_pipes(command.header, started, ends))) {
        const int error = errno;
        for (const int fd : {started.in, started.out, started.err})
            close_if_open(fd);
        return Fault{FaultTag::ProgramNotStarted, std::string("opening the command's streams: ") + strerror(error)};
    }
    const Outcome<pid_t> pid = launch(command, ends);
    if (pid) {
        started.pid = *pid;
    } else {
        const int error = errno;
        started.status = pid.fault().tag == FaultTag::ProgramMissing ? 127 : 126;
        report(command, pid.fault(), error, ends.err.get());
    }
    return started;
}

}  // namespace tapir::vm::agent
