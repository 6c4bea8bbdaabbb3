// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/program_start.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "common/find_program.h"

extern char **environ;

namespace tapir {
namespace {

constexpr int kFirstFurther = STDERR_FILENO + 1;

std::vector<char *> pointers(const std::vector<std::string> &texts) {
    std::vector<char *> all;
    for (const std::string &text : texts)
        all.push_back(const_cast<char *>(text.c_str()));
    all.push_back(nullptr);
    return all;
}

std::string_view name_of(std::string_view variable) {
    return variable.substr(0, variable.find('='));
}

// Values by name.
std::map<std::string, std::string, std::less<>> hidden_variables;
std::mutex hidden_mutex;

bool hides_variables() {
    const std::lock_guard lock(hidden_mutex);
    return !hidden_variables.empty();
}

// Some descriptors were opened without O_CLOEXEC. Programs that start must not inherit them.
void close_on_exec_from(unsigned first) {
    // CLOSE_RANGE_CLOEXEC, which older headers lack.
    constexpr unsigned kCloseOnExec = 1u << 2;
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, ~0u, kCloseOnExec) == 0) return;
#endif
    // Kernels before 5.11.
    const int directory = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    alignas(long) char buffer[4096];
    for (long size; directory >= 0 && (size = syscall(SYS_getdents64, directory, buffer, sizeof buffer)) > 0;) {
        for (long at = 0; at < size;) {
            // struct linux_dirent64: inode, offset, the entry's size, its type, its name.
            uint16_t length = 0;
            std::memcpy(&length, buffer + at + 16, sizeof length);
            unsigned fd = 0;
            const char *digit = buffer + at + 19;
            for (; *digit >= '0' && *digit <= '9'; ++digit)
                fd = 10 * fd + static_cast<unsigned>(*digit - '0');
            if (fd >= first) fcntl(static_cast<int>(fd), F_SETFD, FD_CLOEXEC);
            at += length;
        }
    }
}

// No script, though the kernel does not know it: of another architecture, say.
bool is_object(const char *file) {
    char start[4] = {};
    const int fd = open(file, O_RDONLY | O_CLOEXEC);
    const bool elf = read(fd, start, sizeof start) == sizeof start && std::memcmp(start, "\177ELF", sizeof start) == 0;
    close(fd);
    return elf;
}

// Restores default handlers, so that this process's do not run in the program's first moments. Also restores SIGPIPE if
// it is ignored here: a program whose reader has gone should not go on.
void reset_signals(const std::vector<int> &also) {
    struct sigaction usual = {};
    usual.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction now = {};
        if (sigaction(number, nullptr, &now) != 0 || now.sa_handler == SIG_DFL) continue;
        const bool wanted =
            number == SIGPIPE || number == SIGCHLD || std::find(also.begin(), also.end(), number) != also.end();
        if (now.sa_handler != SIG_IGN || wanted) sigaction(number, &usual, nullptr);
    }
}

}  // namespace

std::vector<std::string> environment_with(const std::vector<std::string> &changes,
                                          const std::function<bool(std::string_view name)> &drop) {
    std::vector<std::string> variables;
    const auto add = [&](std::string variable) {
        const std::string_view name = name_of(variable);
        const bool changed = std::any_of(changes.begin(), changes.end(),
                                         [&](const std::string &change) { return name_of(change) == name; });
        if (!changed && !(drop && drop(name))) variables.push_back(std::move(variable));
    };
    for (char **at = environ; at && *at; ++at)
        add(*at);
    const std::lock_guard lock(hidden_mutex);
    for (const auto &[name, value] : hidden_variables)
        if (!std::getenv(name.c_str())) add(name + "=" + value);
    variables.insert(variables.end(), changes.begin(), changes.end());
    return variables;
}

void hide_variable(const char *name) {
    const std::lock_guard lock(hidden_mutex);
    const char *value = std::getenv(name);
    if (!value) return;
    hidden_variables.insert_or_assign(name, value);
    unsetenv(name);
}

std::string own_variable(const char *name) {
    const std::lock_guard lock(hidden_mutex);
    if (const char *value = std::getenv(name)) return value;
    const auto hidden = hidden_variables.find(name);
    return hidden == hidden_variables.end() ? "" : hidden->second;
}

Fault ProgramStart::failed(const char *what) const {
    const int error = errno;
    FaultTag tag = FaultTag::ProgramNotStarted;
    const bool file = what == file_.c_str();
    if (file && error == ENOENT) tag = FaultTag::ProgramMissing;
    if (file && (error == EACCES || error == EPERM || error == ENOEXEC)) tag = FaultTag::ProgramRefused;
    std::string text = "cannot start '" + program_->argv[0] + "': " + (file ? "" : std::string(what) + ": ");
    text += std::strerror(error);
    errno = error;
    return {tag, std::move(text)};
}

Outcome<void> ProgramStart::find() {
    const std::string &name = program_->argv[0];
    file_ = program_->file;
    // A path relative to the directory of the program is resolved only when it starts.
    if (file_.empty() && !program_->directory.empty() && name.find('/') != std::string::npos) file_ = name;
    if (!file_.empty()) return {};
    Outcome<std::string> found = find_program(name);
    if (!found) return found.fault();
    file_ = std::move(*found);
    return {};
}

Outcome<void> ProgramStart::place_file(int number, const Stream &stream) {
    const int flags = number == STDIN_FILENO ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC;
    const bool named = stream.kind == Stream::Kind::File;
    const std::string path = named ? stream.text : "/dev/null";
    const Descriptor file(open(path.c_str(), (named ? flags : O_RDWR) | O_CLOEXEC, 0644));
    if (file.get() < 0) return failed(path.c_str());
    Descriptor kept = kept_duplicate(file.get());
    if (kept.get() < 0) return failed(path.c_str());
    placed_.push_back({number, kept.get(), -1});
    opened_.push_back(std::move(kept));
    return {};
}

Outcome<void> ProgramStart::place(int number, const Stream &stream) {
    first_kept_ = std::max(first_kept_, number + 1);
    switch (stream.kind) {
        case Stream::Kind::Inherited:
            if (number >= kFirstFurther) placed_.push_back({number, number, -1});
            return {};
        case Stream::Kind::Descriptor:
            placed_.push_back({number, stream.fd, -1});
            return {};
        case Stream::Kind::Nothing:
        case Stream::Kind::File:
            return place_file(number, stream);
        case Stream::Kind::Text: {
            Descriptor text = memory_file("input", stream.text);
            if (text.get() < 0) return failed("its input");
            placed_.push_back({number, text.get(), -1});
            opened_.push_back(std::move(text));
            return {};
        }
        case Stream::Kind::Output: {
            const auto output = std::find_if(placed_.begin(), placed_.end(),
                                             [](const Placed &one) { return one.number == STDOUT_FILENO; });
            placed_.push_back({number, output == placed_.end() ? STDOUT_FILENO : output->source, -1});
            return {};
        }
        case Stream::Kind::Pipe:
        case Stream::Kind::Collected:
            break;
    }
    Descriptor read, write;
    if (!make_pipe(read, write)) return failed("a pipe");
    Descriptor &ours = number == STDIN_FILENO ? write : read, &theirs = number == STDIN_FILENO ? read : write;
    if (fcntl(ours.get(), F_SETFL, O_NONBLOCK) != 0) return failed("a pipe");
    placed_.push_back({number, theirs.get(), -1});
    opened_.push_back(std::move(theirs));
    pipes_.push_back({number, std::move(ours), stream.into});
    return {};
}

Outcome<void> ProgramStart::prepare(const Program &program) {
    assert(!program.argv.empty());
    program_ = &program;
    if (Outcome<void> found = find(); !found) return found;
    argv_ = pointers(program.argv);
    static char shell[] = "/bin/sh";
    script_argv_ = {shell, file_.data()};
    script_argv_.insert(script_argv_.end(), argv_.begin() + 1, argv_.end());
    if (program.environment) environment_ = pointers(*program.environment);
    if (!program.environment && hides_variables()) {
        whole_environment_ = environment_with({});
        environment_ = pointers(whole_environment_);
    }
    std::vector<std::pair<int, const Stream *>> streams = {
        {STDIN_FILENO, &program.input}, {STDOUT_FILENO, &program.output}, {STDERR_FILENO, &program.errors}};
    for (const auto &[number, stream] : program.further)
        streams.emplace_back(number, &stream);
    for (const auto &[number, stream] : streams)
        if (Outcome<void> placed = place(number, *stream); !placed) return placed;
    return {};
}

// All are moved out of the way first, so that none is overwritten while they are put in place.
bool ProgramStart::set_streams() {
    for (Placed &one : placed_)
        if ((one.kept = fcntl(one.source, F_DUPFD_CLOEXEC, first_kept_)) < 0) return false;
    if (!program_->inherits_descriptors) close_on_exec_from(kFirstFurther);
    return std::all_of(placed_.begin(), placed_.end(),
                       [](const Placed &one) { return dup2(one.kept, one.number) >= 0; });
}

const char *ProgramStart::become() {
    reset_signals(program_->default_signals);
    if (program_->group == ProcessGroup::Own) setpgid(0, 0);
    if (program_->group == ProcessGroup::Session) setsid();
    if (program_->in_child)
        if (const char *what = program_->in_child()) return what;
    if (!set_streams()) return "its streams";
    if (!program_->directory.empty() && chdir(program_->directory.c_str()) != 0) return program_->directory.c_str();
    for (const ResourceLimit &limit : program_->limits)
        if (setrlimit(static_cast<__rlimit_resource_t>(limit.resource), &limit.value) != 0) return "its limits";
    if (program_->death_signal != 0) {
        if (prctl(PR_SET_PDEATHSIG, program_->death_signal) != 0) return "its end with this process";
        errno = ESRCH;
        if (getppid() != parent_) return "this process has ended";
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    char *const *environment = environment_.empty() ? environ : environment_.data();
    execve(file_.c_str(), argv_.data(), environment);
    if (errno != ENOEXEC) return file_.c_str();
    // A script that does not say what interprets it is one for the shell, as execvp(3) has it.
    if (!is_object(file_.c_str())) execve(script_argv_[0], script_argv_.data(), environment);
    errno = ENOEXEC;
    return file_.c_str();
}

Outcome<pid_t> ProgramStart::launch() {
    struct Step {
        ProgramStart *start;
        const char *failed = nullptr;
        int error = 0;
    } step{this};
    const auto run = [](void *given) {
        Step &mine = *static_cast<Step *>(given);
        mine.failed = mine.start->become();
        mine.error = errno;
        return 127;
    };
    // As fork() does, but without a copy of this process's page tables, which takes longer than all else. This thread
    // stands still until the new process is the program.
    constexpr size_t kStack = 128 * 1024;
    const std::unique_ptr<char[]> stack(new char[kStack]);
    char *top = stack.get() + kStack;
    top -= reinterpret_cast<uintptr_t>(top) % 16;
    parent_ = getpid();
    // A handler must not run in the new process, in memory that is this one's.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t child = clone(run, top, CLONE_VM | CLONE_VFORK | SIGCHLD, &step);
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    opened_.clear();
    errno = error;
    if (child < 0) return failed("a process");
    if (!step.failed) return child;
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    errno = step.error;
    return failed(step.failed);
}

}  // namespace tapir
