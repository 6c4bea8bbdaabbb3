// SPDX-License-Identifier: GPL-2.0-or-later
#include "target_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "common/command_words.h"
#include "common/find_program.h"
#include "common/plain_text.h"
#include "common/process.h"
#include "privileges.h"

namespace tapir::staprun {

namespace {

void pause_ms(long ms) {
    timespec wait = {0, ms * 1000000};
    nanosleep(&wait, nullptr);
}

Fault starting_failed(const std::string &text) {
    return {FaultTag::SetUpFailed, text};
}

// The file of a command, which is where a shell would find it.
Outcome<std::string> find_command(const std::string &name) {
    Outcome<std::string> file = find_program(name, {search_path()});
    if (file) return file;
    const bool unknown = errno == ENOENT && name.find('/') == std::string::npos;
    return starting_failed(
        format("Couldn't run '%s': %s", name.c_str(), unknown ? "command not found" : strerror(errno)));
}

// It has all that staprun's caller has.
Program command_program(std::vector<std::string> words, std::string file, const Stream &output) {
    Program program{std::move(words), std::move(file)};
    program.input = Stream::inherited();
    program.output = output;
    program.inherits_descriptors = true;
    restore_caller(program);
    return program;
}

// Commands to a child.
constexpr char kGo = 'g';
constexpr char kGoWithoutInput = 'n';

void close_input() {
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
}

[[noreturn]] void become(ProgramStart &start, const std::string &name, int gate, bool unprivileged) {
    // As long as it waits, it can be ended like any other.
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (unprivileged && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) _exit(127);
    char go = 0;
    ssize_t got;
    do {
        got = read(gate, &go, 1);
    } while (got < 0 && errno == EINTR);
    if (got != 1) _exit(0);  // staprun went away before its probes were armed
    if (go == kGoWithoutInput) close_input();
    start.become();
    std::string text = format("ERROR: Couldn't run '%s': %s\n", name.c_str(), strerror(errno));
    ssize_t ignored = write(STDERR_FILENO, text.data(), text.size());
    (void)ignored;
    _exit(127);
}

}  // namespace

Outcome<void> check_command(const std::string &command) {
    std::vector<std::string> words;
    if (!split_words(command, words)) return {};
    const Outcome<std::string> file = find_command(words[0]);
    return file ? Outcome<void>() : file.fault();
}

TargetCommand::~TargetCommand() {
    terminate();
}

Outcome<void> TargetCommand::prepare(const std::string &command, bool unprivileged) {
    std::vector<std::string> words;
    if (!split_words(command, words)) words = {"/bin/sh", "-c", command};
    Outcome<std::string> file = find_command(words[0]);
    if (!file) return file.fault();
    const Program program = command_program(words, std::move(*file), output_);
    ProgramStart start;
    if (Outcome<void> ready = start.prepare(program); !ready) return starting_failed(ready.fault().message());
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return starting_failed(format("Couldn't make a pipe: %s", strerror(errno)));
    pid_ = fork();
    if (pid_ == 0) {
        close(ends[1]);
        become(start, words[0], ends[0], unprivileged);
    }
    close(ends[0]);
    gate_ = ends[1];
    if (pid_ < 0) {
        pid_ = 0;
        return starting_failed(format("Couldn't start a process for '%s': %s", command.c_str(), strerror(errno)));
    }
    return {};
}

void TargetCommand::release(bool with_input) {
    if (gate_ < 0 || released_) return;
    ssize_t done = write(gate_, with_input ? &kGo : &kGoWithoutInput, 1);
    released_ = done == 1;
    close(gate_);
    gate_ = -1;
}

void TargetCommand::reap() {
    int status = 0;
    if (pid_ <= 0 || ended_ || waitpid(pid_, &status, WNOHANG) != pid_) return;
    ended_ = true;
    failure_ = ending_of(status).words();
}

void TargetCommand::terminate() {
    constexpr int kPatience = 100;  // times 10 ms
    if (gate_ >= 0) close(gate_);
    gate_ = -1;
    if (pid_ <= 0 || ended_) return;
    if (released_) kill(pid_, SIGTERM);
    for (int i = 0; i < kPatience && !ended_; i++) {
        reap();
        if (!ended_) pause_ms(10);
    }
    if (!ended_) {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
        ended_ = true;
    }
    failure_.clear();
}

void TargetCommand::forget() {
    pid_ = 0;
    if (gate_ >= 0) close(gate_);
    gate_ = -1;
}

Outcome<void> ShellCommands::run(const std::string &command, bool with_input) {
    Program program = command_program({"sh", "-c", command}, "/bin/sh", output_);
    if (!with_input) program.input = Stream::nothing();
    Process process;
    if (!process.start(program))
        return starting_failed(format("Couldn't run '%s' for system(): %s", command.c_str(), strerror(errno)));
    running_.push_back(process.release());
    return {};
}

void ShellCommands::reap() {
    auto gone = [](pid_t pid) {
        int status;
        pid_t result = waitpid(pid, &status, WNOHANG);
        return result == pid || (result < 0 && errno == ECHILD);
    };
    running_.erase(std::remove_if(running_.begin(), running_.end(), gone), running_.end());
}

}  // namespace tapir::staprun
