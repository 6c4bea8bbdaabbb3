// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/sandbox.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include "common/descriptor.h"

namespace tapir::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kWork[] = "/tmp/work";

struct Pipe {
    Descriptor read, write;
    bool open() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) return false;
        // Away from the numbers that the child gives to others.
        read = kept_duplicate(ends[0]);
        write = kept_duplicate(ends[1]);
        close(ends[0]);
        close(ends[1]);
        return read.get() >= 0 && write.get() >= 0;
    }
};

// A stream of the child's that is collected up to a limit.
struct Stream {
    int fd = -1;
    std::string *text = nullptr;
    uint64_t limit = 0;
    bool over = false;

    bool open() const { return fd >= 0; }
    // What is ready now.
    void take() {
        char buffer[65536];
        const ssize_t got = read(fd, buffer, sizeof buffer);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
        if (got <= 0) {
            fd = -1;
            return;
        }
        over = over || text->size() + static_cast<size_t>(got) > limit;
        if (!over) text->append(buffer, static_cast<size_t>(got));
    }
};

struct Start {
    const std::vector<char *> &argv;
    const std::vector<int> &descriptors;  // that are handed on
    const Limits &limits;
    int streams[4];
    int entrance;  // of the control group; -1: none
};

// What the server has open, its connections above all, is not for the sandbox: whoever opened it may have forgotten to
// say so. Without memory of its own, as become() is.
void close_on_exec_from(unsigned first) {
    if (syscall(SYS_close_range, first, ~0u, CLOSE_RANGE_CLOEXEC) == 0) return;
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

// Shares the server's memory: nothing but calls, and none that leaves something there.
int become(void *given) {
    const Start &start = *static_cast<const Start *>(given);
    const Limits &limits = start.limits;
    if (start.entrance >= 0 && write(start.entrance, "0", 1) != 1) _exit(127);
    close_on_exec_from(4);
    for (const int fd : start.descriptors)
        fcntl(fd, F_SETFD, 0);
    for (int i = 0; i < 4; ++i)
        if (dup2(start.streams[i], i) < 0) _exit(127);
    setsid();
    const auto limit = [](__rlimit_resource_t resource, uint64_t value) {
        const rlimit both = {value, value};
        setrlimit(resource, &both);
    };
    limit(RLIMIT_CPU, limits.cpu_s);
    limit(RLIMIT_AS, limits.address_bytes);
    limit(RLIMIT_FSIZE, limits.file_bytes);
    limit(RLIMIT_CORE, 0);
    // The server's handlers are not for this process.
    for (const int number : {SIGPIPE, SIGTERM, SIGINT, SIGHUP})
        signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    // bwrap is process 1 of the sandbox, whose environment everybody in there can read.
    char *const no_environment[] = {nullptr};
    execve(start.argv[0], start.argv.data(), no_environment);
    _exit(127);
}

// As fork() does, but without a copy of the server's page tables, which takes longer than all else here. -1: it cannot.
pid_t launch(Start &start) {
    std::vector<char> stack(256 * 1024);
    char *top = stack.data() + stack.size();
    top -= reinterpret_cast<uintptr_t>(top) % 16;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t child = clone(become, top, CLONE_VM | CLONE_VFORK | SIGCHLD, &start);
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return child;
}

// Collects one job's streams until it is over or must be.
class Watch {
  public:
    Watch(const SandboxJob &job, SandboxOutcome &outcome, pid_t child) : job_(job), outcome_(outcome), child_(child) {}

    void follow(int out, int err, int result) {
        streams_[0] = {out, &outcome_.output, job_.limits.message_bytes};
        streams_[1] = {err, &outcome_.messages, job_.limits.message_bytes};
        streams_[2] = {result, &outcome_.result, job_.limits.result_bytes};
        const Clock::time_point end = Clock::now() + std::chrono::seconds(job_.limits.wall_s);
        while (streams_[0].open() || streams_[1].open() || streams_[2].open()) {
            wait_for_some();
            if (!outcome_.completed) continue;
            if (Clock::now() >= end)
                give_up(FaultTag::TimeLimit, "it took longer than " + std::to_string(job_.limits.wall_s) + " s");
            else if (streams_[2].over)
                give_up(FaultTag::SizeLimit,
                        "what was made has more than " + std::to_string(job_.limits.result_bytes) + " bytes");
            else if (streams_[0].over || streams_[1].over)
                give_up(FaultTag::OutputLimit,
                        "there are more than " + std::to_string(job_.limits.message_bytes) + " bytes of messages");
            else if (job_.cancelled && job_.cancelled())
                give_up(FaultTag::Cancelled, "the server is about to end");
        }
    }

  private:
    void wait_for_some() {
        pollfd ready[3];
        for (int i = 0; i < 3; ++i)
            ready[i] = {streams_[i].fd, POLLIN, 0};
        if (poll(ready, 3, 200) <= 0) return;
        for (int i = 0; i < 3; ++i)
            if (ready[i].revents != 0) streams_[i].take();
        tell();
    }

    void give_up(FaultTag tag, std::string text) {
        outcome_.completed = Fault{tag, std::move(text)};
        // The first process of the sandbox's own namespace goes with it, and with that one all others.
        kill(child_, SIGKILL);
    }

    void tell() {
        if (!job_.on_message) return;
        for (size_t end; (end = outcome_.messages.find('\n', told_)) != std::string::npos; told_ = end + 1)
            job_.on_message(std::string_view(outcome_.messages).substr(told_, end - told_));
    }

    const SandboxJob &job_;
    SandboxOutcome &outcome_;
    pid_t child_;
    Stream streams_[3];
    size_t told_ = 0;
};

// bin, lib and the like are links into usr, or directories of their own.
void add_system(std::vector<std::string> &arguments) {
    namespace fs = std::filesystem;
    for (const char *name : {"/usr", "/etc/alternatives", "/etc/ld.so.cache"})
        arguments.insert(arguments.end(), {"--ro-bind-try", name, name});
    for (const char *name : {"/bin", "/sbin", "/lib", "/lib64"}) {
        std::error_code error;
        if (fs::is_symlink(name, error))
            arguments.insert(arguments.end(), {"--symlink", fs::read_symlink(name, error), name});
        else
            arguments.insert(arguments.end(), {"--ro-bind-try", name, name});
    }
}

std::string failed(const char *what) {
    return std::string(what) + ": " + std::strerror(errno);
}

}  // namespace

std::vector<std::string> sandbox_arguments(const SandboxJob &job, const std::vector<int> &descriptors) {
    std::vector<std::string> arguments = {"/usr/bin/bwrap",
                                          "--unshare-all",
                                          "--unshare-user",
                                          "--disable-userns",
                                          "--die-with-parent",
                                          "--new-session",
                                          "--clearenv",
                                          "--cap-drop",
                                          "ALL",
                                          "--hostname",
                                          "sandbox"};
    for (const char *variable : {"PATH=/usr/bin:/bin", "HOME=/tmp", "LC_ALL=C.UTF-8"}) {
        const std::string text = variable;
        arguments.insert(arguments.end(),
                         {"--setenv", text.substr(0, text.find('=')), text.substr(text.find('=') + 1)});
    }
    for (const std::string &variable : job.environment)
        arguments.insert(arguments.end(),
                         {"--setenv", variable.substr(0, variable.find('=')), variable.substr(variable.find('=') + 1)});
    add_system(arguments);
    arguments.insert(arguments.end(), {"--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev", "--perms", "0700",
                                       "--size", std::to_string(job.limits.temporary_bytes), "--tmpfs", "/tmp"});
    for (const SandboxBind &bind : job.binds) {
        if (bind.from.empty()) {
            arguments.insert(arguments.end(), {"--tmpfs", bind.to, "--remount-ro", bind.to});
            continue;
        }
        const std::string kind = std::string(bind.writable ? "--bind" : "--ro-bind") + (bind.optional ? "-try" : "");
        arguments.insert(arguments.end(), {kind, bind.from, bind.to.empty() ? bind.from : bind.to});
    }
    arguments.insert(arguments.end(), {"--dir", kWork});
    for (size_t i = 0; i < job.files.size(); ++i)
        arguments.insert(arguments.end(),
                         {"--file", std::to_string(descriptors[i]), kWork + ("/" + job.files[i].name)});
    const std::string processes = std::to_string(job.limits.processes);
    // Counted in the sandbox's own user namespace, that is, without other jobs and the server itself.
    arguments.insert(arguments.end(), {"--chdir", kWork, "--remount-ro", "/", "--", "/usr/bin/prlimit",
                                       "--nproc=" + processes + ":" + processes, "--"});
    if (!job.result.empty())
        arguments.insert(arguments.end(), {"/bin/sh", "-c", "\"$@\" 3>&- && exec cat -- \"$0\" >&3", job.result});
    arguments.insert(arguments.end(), job.command.begin(), job.command.end());
    return arguments;
}

SandboxOutcome run_in_sandbox(const SandboxJob &job) {
    SandboxOutcome outcome;
    const auto cannot = [&outcome](const std::string &why) {
        outcome.completed = Fault{FaultTag::SandboxFailed, "the sandbox could not be started: " + why};
        return outcome;
    };
    if (geteuid() == 0) return cannot("root is not held to the limit of processes; become another user");
    std::vector<Descriptor> files;
    std::vector<int> descriptors;
    for (const TextFile &file : job.files) {
        files.push_back(memory_file("input", file.text));
        if (files.back().get() < 0) return cannot(failed("memory for a file"));
        descriptors.push_back(files.back().get());
    }
    Pipe out, err, result;
    const Descriptor opened(open("/dev/null", O_RDONLY | O_CLOEXEC));
    const Descriptor null = kept_duplicate(opened.get());
    if (!out.open() || !err.open() || !result.open() || null.get() < 0) return cannot(failed("pipes"));
    std::vector<std::string> words = sandbox_arguments(job, descriptors);
    std::vector<char *> argv;
    for (std::string &word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);

    std::unique_ptr<MemoryGroup> group;
    if (job.groups && !job.groups->path().empty()) {
        Outcome<std::unique_ptr<MemoryGroup>> made = job.groups->make(job.limits.memory_bytes);
        if (!made) return cannot("no control group: " + made.fault().text);
        group = std::move(*made);
    }
    Start start = {argv,
                   descriptors,
                   job.limits,
                   {null.get(), out.write.get(), err.write.get(), result.write.get()},
                   group ? group->entrance() : -1};
    const pid_t child = launch(start);
    if (child < 0) return cannot(failed("a process"));
    out.write.reset();
    err.write.reset();
    result.write.reset();
    files.clear();
    Watch(job, outcome, child).follow(out.read.get(), err.read.get(), result.read.get());
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (group && outcome.completed && group->exceeded())
        outcome.completed =
            Fault{FaultTag::MemoryLimit,
                  "it needed more than " + std::to_string(job.limits.memory_bytes >> 20) + " MB of memory"};
    return outcome;
}

Outcome<void> try_sandbox() {
    SandboxJob job;
    job.command = {"/bin/cat", "probe"};
    job.files = {{"probe", "works"}};
    const SandboxOutcome outcome = run_in_sandbox(job);
    if (outcome.ok() && outcome.output == "works") return {};
    const std::string why = outcome.completed ? outcome.messages : outcome.completed.fault().text;
    return Fault{
        FaultTag::SandboxFailed, "sandboxes do not work here (" + why + ")",
        "bubblewrap has to be installed (/usr/bin/bwrap) and allowed to make user namespaces "
        "(user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns)"};
}

}  // namespace tapir::server
