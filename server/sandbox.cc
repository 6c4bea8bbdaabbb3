// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/sandbox.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include "common/descriptor.h"
#include "common/run_program.h"

namespace tapir::server {
namespace {

constexpr char kWork[] = "/tmp/work";
constexpr int kResult = 3;  // the descriptor for a job's result

Program program_of(const SandboxJob &job, const std::vector<Descriptor> &files) {
    std::vector<int> descriptors;
    for (const Descriptor &file : files)
        descriptors.push_back(file.get());
    Program program{sandbox_arguments(job, descriptors)};
    // bwrap is process 1 of the sandbox, whose environment everybody in there can read.
    program.environment.emplace();
    for (const int fd : descriptors)
        program.further.emplace_back(fd, Stream::descriptor(fd));
    // The first process of the sandbox's own namespace goes with it, and with that one all others.
    program.group = ProcessGroup::Session;
    const auto limit = [&program](int resource, uint64_t value) {
        program.limits.push_back({resource, {value, value}});
    };
    limit(RLIMIT_CPU, job.limits.cpu_s);
    limit(RLIMIT_AS, job.limits.address_bytes);
    limit(RLIMIT_FSIZE, job.limits.file_bytes);
    limit(RLIMIT_CORE, 0);
    program.default_signals = {SIGTERM, SIGINT, SIGHUP};
    return program;
}

// Passes the lines of stderr on to the job's callback.
class Messages {
  public:
    Messages(const SandboxJob &job, const std::string &text) : job_(job), text_(text) {}

    void tell() {
        if (!job_.on_message) return;
        for (size_t end; (end = text_.find('\n', told_)) != std::string::npos; told_ = end + 1)
            job_.on_message(std::string_view(text_).substr(told_, end - told_));
    }

  private:
    const SandboxJob &job_;
    const std::string &text_;
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

// In words about the job, not about the program that makes the sandbox.
Fault fault_of(const Fault &fault, const Limits &limits, bool result_over) {
    switch (fault.tag) {
        case FaultTag::ProgramTimeLimit:
            return {FaultTag::TimeLimit, "it took longer than " + std::to_string(limits.wall_s) + " s"};
        case FaultTag::ProgramOutputLimit:
            if (result_over)
                return {FaultTag::SizeLimit,
                        "what was made has more than " + std::to_string(limits.result_bytes) + " bytes"};
            return {FaultTag::OutputLimit,
                    "there are more than " + std::to_string(limits.message_bytes) + " bytes of messages"};
        case FaultTag::ProgramGivenUp:
            return {FaultTag::Cancelled, "the server is about to end"};
        default:
            return {FaultTag::SandboxFailed, "the sandbox could not be started: " + fault.message()};
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
    for (const TextFile &file : job.files) {
        files.push_back(memory_file("input", file.text));
        if (files.back().get() < 0) return cannot(failed("memory for a file"));
    }
    std::unique_ptr<MemoryGroup> group;
    if (job.groups && !job.groups->path().empty()) {
        Outcome<std::unique_ptr<MemoryGroup>> made = job.groups->make(job.limits.memory_bytes);
        if (!made) return cannot("no control group: " + made.fault().text);
        group = std::move(*made);
    }
    Collected output{job.limits.message_bytes}, messages{job.limits.message_bytes}, result{job.limits.result_bytes};
    Program program = program_of(job, files);
    program.output = Stream::collected(output);
    program.errors = Stream::collected(messages);
    program.further.emplace_back(kResult, Stream::collected(result));
    program.in_child = [entrance = group ? group->entrance() : -1]() -> const char * {
        return entrance >= 0 && write(entrance, "0", 1) != 1 ? "the control group" : nullptr;
    };
    Messages lines(job, messages.text);
    RunLimits limits{std::chrono::seconds(job.limits.wall_s)};
    limits.give_up = [&] {
        lines.tell();
        return job.cancelled && job.cancelled();
    };
    const Outcome<tapir::Ending> ended = run_program(program, limits);
    lines.tell();
    if (ended) {
        outcome.status = ended->code();
        if (group && group->exceeded())
            outcome.completed =
                Fault{FaultTag::MemoryLimit,
                      "it needed more than " + std::to_string(job.limits.memory_bytes >> 20) + " MB of memory"};
    } else {
        outcome.completed = fault_of(ended.fault(), job.limits, result.over);
    }
    outcome.output = std::move(output.text);
    outcome.messages = std::move(messages.text);
    outcome.result = std::move(result.text);
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
