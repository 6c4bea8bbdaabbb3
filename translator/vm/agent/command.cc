// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/agent/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace tapir::vm::agent {
namespace {

// The command's ends.
struct Ends {
    int in = -1, out = -1, err = -1;
};

void close_if_open(int fd) {
    if (fd >= 0) close(fd);
}

bool open_terminal(const RunHeader &header, Started &ours, Ends &theirs) {
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) return false;
    char name[64];
    if (ptsname_r(master, name, sizeof name) != 0) return false;
    int slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0) return false;
    winsize size{header.rows, header.columns, 0, 0};
    ioctl(master, TIOCSWINSZ, &size);
    ours.in = master;
    ours.out = fcntl(master, F_DUPFD_CLOEXEC, 3);
    theirs.in = theirs.out = theirs.err = slave;
    return true;
}

bool open_pipes(const RunHeader &header, Started &ours, Ends &theirs) {
    int pair[2];
    if (header.flags & run_no_stdin) {
        theirs.in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    } else {
        if (pipe2(pair, O_CLOEXEC) != 0) return false;
        theirs.in = pair[0];
        ours.in = pair[1];
        fcntl(ours.in, F_SETFL, O_NONBLOCK);
    }
    if (pipe2(pair, O_CLOEXEC) != 0) return false;
    ours.out = pair[0];
    theirs.out = pair[1];
    if (pipe2(pair, O_CLOEXEC) != 0) return false;
    ours.err = pair[0];
    theirs.err = pair[1];
    fcntl(ours.out, F_SETFL, O_NONBLOCK);
    fcntl(ours.err, F_SETFL, O_NONBLOCK);
    return true;
}

std::vector<char *> pointers(const std::vector<std::string> &strings) {
    std::vector<char *> result;
    for (const std::string &string : strings)
        result.push_back(const_cast<char *>(string.c_str()));
    result.push_back(nullptr);
    return result;
}

[[noreturn]] void become(const Command &command, const Ends &ends) {
    setsid();
    if (command.header.flags & run_terminal) ioctl(ends.in, TIOCSCTTY, 0);
    dup2(ends.in, 0);
    dup2(ends.out, 1);
    dup2(ends.err, 2);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    signal(SIGPIPE, SIG_DFL);
    std::vector<char *> arguments = pointers(command.arguments), environment = pointers(command.environment);
    environ = environment.data();
    if (chdir(command.directory.c_str()) != 0) {
        dprintf(2, "stap-vm: cannot change to %s in the guest: %s\n", command.directory.c_str(), strerror(errno));
        _exit(126);
    }
    execvp(arguments[0], arguments.data());
    int reason = errno;
    dprintf(2, "stap-vm: cannot run %s in the guest: %s\n", arguments[0], strerror(reason));
    _exit(reason == ENOENT ? 127 : 126);
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

bool start(const Command &command, Started &started, std::string &error) {
    Ends ends;
    bool terminal = command.header.flags & run_terminal;
    bool opened = terminal ? open_terminal(command.header, started, ends) : open_pipes(command.header, started, ends);
    if (opened) started.pid = fork();
    if (started.pid == 0) become(command, ends);
    if (started.pid < 0)
        error = std::string(opened ? "fork" : "opening the command's streams") + ": " + strerror(errno);
    close_if_open(ends.in);
    if (!terminal) {
        close_if_open(ends.out);
        close_if_open(ends.err);
    }
    if (started.pid >= 0) return true;
    close_if_open(started.in);
    close_if_open(started.out);
    close_if_open(started.err);
    return false;
}

}  // namespace tapir::vm::agent
