// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

namespace tapir::vm {
namespace {

[[noreturn]] void become(const std::string &program, const std::vector<std::string> &argv, const ToolOptions &options,
                         int out, int err) {
    int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    if (!options.stdout_path.empty()) out = open(options.stdout_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(out, 1);
    dup2(err, 2);
    setenv("LC_ALL", "C", 1);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (!options.directory.empty() && chdir(options.directory.c_str()) != 0) _exit(127);
    std::vector<char *> arguments;
    for (const std::string &argument : argv)
        arguments.push_back(const_cast<char *>(argument.c_str()));
    arguments.push_back(nullptr);
    execv(program.c_str(), arguments.data());
    _exit(127);
}

// Reads both ends until they close. False when the time ran out.
bool collect(int out, int err, const ToolOptions &options, ToolResult &result) {
    using clock = std::chrono::steady_clock;
    auto deadline = clock::now() + std::chrono::seconds(options.timeout_seconds);
    pollfd entries[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
    std::string *texts[2] = {&result.output, &result.errors};
    while (entries[0].fd >= 0 || entries[1].fd >= 0) {
        int wait_ms = -1;
        if (options.timeout_seconds > 0) {
            wait_ms = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now()).count();
            if (wait_ms <= 0) return false;
        }
        if (poll(entries, 2, wait_ms) <= 0) continue;
        for (int i = 0; i < 2; ++i) {
            if (entries[i].fd < 0 || !entries[i].revents) continue;
            char chunk[16384];
            ssize_t count = read(entries[i].fd, chunk, sizeof chunk);
            if (count > 0)
                texts[i]->append(chunk, count);
            else if (count == 0)
                entries[i].fd = -1;
        }
    }
    return true;
}

}  // namespace

std::string ToolResult::complaint() const {
    std::string text = errors;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
        text.pop_back();
    size_t line = text.rfind('\n');
    return line == std::string::npos ? text : text.substr(line + 1);
}

std::string find_program(const std::string &name) {
    if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
    const char *path = getenv("PATH");
    std::string directories = std::string(path ? path : "/usr/bin:/bin") + ":/usr/sbin:/sbin";
    for (size_t at = 0; at <= directories.size();) {
        size_t end = std::min(directories.find(':', at), directories.size());
        std::string candidate = directories.substr(at, end - at) + "/" + name;
        if (access(candidate.c_str(), X_OK) == 0) return candidate;
        at = end + 1;
    }
    return "";
}

ToolResult run_tool(const std::vector<std::string> &argv, const ToolOptions &options) {
    ToolResult result;
    std::string program = find_program(argv[0]);
    if (program.empty()) {
        result.status = 127;
        result.errors = argv[0] + ": not found";
        return result;
    }
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0) return result;
    if (pipe2(err, O_CLOEXEC) != 0) {
        close(out[0]);
        close(out[1]);
        return result;
    }
    pid_t pid = fork();
    if (pid == 0) become(program, argv, options, out[1], err[1]);
    close(out[1]);
    close(err[1]);
    bool in_time = true;
    if (pid > 0) {
        in_time = collect(out[0], err[0], options, result);
        if (!in_time) kill(pid, SIGKILL);
        int status = 0;
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
        result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (!in_time) result.status = 124;
    }
    close(out[0]);
    close(err[0]);
    return result;
}

}  // namespace tapir::vm
