// SPDX-License-Identifier: GPL-2.0-or-later
#include "remote/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tapir::remote {
namespace {

constexpr size_t kChunk = 65536;

void close_one(int &fd) {
    if (fd >= 0) close(fd);
    fd = -1;
}

// The ends of pipes that the process gets, closed in this one when it has been started.
struct Ends {
    int input = -1, output = -1, errors = -1;
    ~Ends() {
        close_one(input);
        close_one(output);
        close_one(errors);
    }
};

// `ours` does not block.
bool make_pipe(int &ours, int &theirs, bool to_process) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    ours = ends[to_process ? 1 : 0];
    theirs = ends[to_process ? 0 : 1];
    return fcntl(ours, F_SETFL, O_NONBLOCK) == 0;
}

// What the process becomes, told by the caller before it is made.
struct Start {
    char *const *words;
    int input, output, errors;  // input: -1 = /dev/null
    bool group;
    pid_t parent;
    int report;  // gets errno if the program cannot be started, and is closed if it can
};

// In the new process. It ends with the caller, however that ends: a connection to a host is not to outlive who asked
// for it.
[[noreturn]] void become(const Start &start) {
    constexpr int kFirst = 3;  // the ends may be among the standard descriptors themselves
    const int input =
        start.input >= 0 ? fcntl(start.input, F_DUPFD_CLOEXEC, kFirst) : open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int output = fcntl(start.output, F_DUPFD_CLOEXEC, kFirst);
    const int errors = fcntl(start.errors, F_DUPFD_CLOEXEC, kFirst);
    const int report = fcntl(start.report, F_DUPFD_CLOEXEC, kFirst);
    if (start.group) setpgid(0, 0);
    struct sigaction usual = {};
    usual.sa_handler = SIG_DFL;
    for (int number : {SIGTERM, SIGCHLD, SIGPIPE})
        sigaction(number, &usual, nullptr);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const bool good = prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && input >= 0 && report >= 0 &&
                      dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
                      dup2(errors, STDERR_FILENO) >= 0;
    if (input == STDIN_FILENO) fcntl(input, F_SETFD, 0);
    if (getppid() != start.parent) _exit(128 + SIGTERM);  // it was gone before it could be watched
    if (good) execvp(start.words[0], start.words);
    const int error = errno;
    while (::write(report, &error, sizeof error) < 0 && errno == EINTR) {
    }
    _exit(127);
}

}  // namespace

Child::~Child() {
    kill();
    close_all();
}

void Child::close_all() {
    close_one(input_);
    close_one(output_);
    close_one(errors_);
}

std::string Child::start(const std::vector<std::string> &argv, const Setting &setting) {
    Ends ends;
    const bool piped = (!setting.input || make_pipe(input_, ends.input, true)) &&
                       make_pipe(output_, ends.output, false) && make_pipe(errors_, ends.errors, false);
    if (!piped) {
        const int error = errno;
        close_all();
        return std::string("cannot make a pipe: ") + std::strerror(error);
    }
    std::vector<char *> words;
    for (const std::string &word : argv)
        words.push_back(const_cast<char *>(word.c_str()));
    words.push_back(nullptr);

    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) {
        const int error = errno;
        close_all();
        return std::string("cannot make a pipe: ") + std::strerror(error);
    }
    const Start start = {
        words.data(), setting.input ? ends.input : setting.input_fd, ends.output, ends.errors, setting.group, getpid(),
        report[1]};
    pid_ = fork();
    if (pid_ == 0) become(start);
    int error = pid_ < 0 ? errno : 0;
    close(report[1]);
    if (pid_ > 0) {
        ssize_t got;
        while ((got = ::read(report[0], &error, sizeof error)) < 0 && errno == EINTR) {
        }
        if (got == sizeof error)
            while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
            }
        else
            error = 0;
    }
    close(report[0]);
    group_ = setting.group;
    if (!error) return {};
    pid_ = 0;
    close_all();
    return "cannot start " + argv[0] + ": " + std::strerror(error);
}

void Child::send(std::string bytes) {
    own_ = std::string(pending_.substr(sent_)) + bytes;
    pending_ = own_;
    sent_ = 0;
}

void Child::send_view(std::string_view bytes) {
    pending_ = bytes;
    sent_ = 0;
}

void Child::end_input() {
    close_input_ = true;
    if (sent_ == pending_.size()) close_one(input_);
}

size_t Child::write() {
    const size_t before = sent_;
    while (input_ >= 0 && sent_ < pending_.size()) {
        const ssize_t done = ::write(input_, pending_.data() + sent_, pending_.size() - sent_);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0 && errno == EAGAIN) return sent_ - before;
        if (done < 0) {  // nobody reads: its end will say more
            close_one(input_);
            sent_ = pending_.size();
            return 0;
        }
        sent_ += static_cast<size_t>(done);
    }
    if (close_input_) close_one(input_);
    return sent_ - before;
}

bool Child::read(int &fd, std::string &text) {
    if (fd < 0) return false;
    char bytes[kChunk];
    const ssize_t got = ::read(fd, bytes, sizeof bytes);
    if (got > 0) text.append(bytes, static_cast<size_t>(got));
    if (got > 0) return true;
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) close_one(fd);
    return false;
}

bool Child::reap() {
    if (!alive()) return false;
    int status = 0;
    const pid_t got = waitpid(pid_, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR)) return false;
    ended_ = true;
    status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    close_one(input_);
    return true;
}

void Child::signal(int number) {
    if (alive()) ::kill(group_ ? -pid_ : pid_, number);
}

void Child::forget() {
    close_all();
    pid_ = 0;
    ended_ = close_input_ = false;
    pending_ = {};
    sent_ = 0;
}

void Child::kill() {
    if (!alive()) return;
    signal(SIGKILL);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    ended_ = true;
    status_ = 128 + SIGKILL;
}

}  // namespace tapir::remote
