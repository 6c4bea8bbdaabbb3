// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/process.h"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "common/files.h"

extern char **environ;

namespace tapir::build {
namespace {

// Space before and after each name.
constexpr std::string_view kDroppedVariables =
    " MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES MAKEFILES GNUMAKEFLAGS ARCH SRCARCH CROSS_COMPILE KCFLAGS KAFLAGS "
    "KCPPFLAGS "
    "KBUILD_OUTPUT KBUILD_EXTMOD KBUILD_VERBOSE V O M CC LD CFLAGS CPATH C_INCLUDE_PATH GCC_EXEC_PREFIX COMPILER_PATH "
    "DEPENDENCIES_OUTPUT LLVM LC_ALL LC_CTYPE LC_MESSAGES LANG LANGUAGE ";

// The search path among the files of another system: this user's own folders are not made for it.
constexpr std::string_view kSystemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

std::string_view name_of(std::string_view variable) {
    return variable.substr(0, variable.find('='));
}

std::vector<char *> environment_of(const Command &command) {
    std::vector<char *> variables;
    for (char **at = environ; *at; at++) {
        std::string_view name = name_of(*at);
        bool dropped = kDroppedVariables.find(" " + std::string(name) + " ") != std::string_view::npos ||
                       (name == "PATH" && !command.system.empty());
        for (const std::string &own : command.environment)
            dropped |= name == name_of(own);
        if (!dropped) variables.push_back(*at);
    }
    // Compiler messages are parsed and shown; they come in one language. (Kbuild takes LC_ALL away.)
    static char locale[] = "LC_ALL=C", language[] = "LANG=C";
    variables.insert(variables.end(), {locale, language});
    static std::string path = "PATH=" + std::string(kSystemPath);
    if (!command.system.empty()) variables.push_back(path.data());
    for (const std::string &own : command.environment)
        variables.push_back(const_cast<char *>(own.c_str()));
    variables.push_back(nullptr);
    return variables;
}

std::string read_all(int fd) {
    std::string text;
    char buffer[16384];
    for (;;) {
        ssize_t n = read(fd, buffer, sizeof buffer);
        if (n > 0)
            text.append(buffer, static_cast<size_t>(n));
        else if (n == 0 || errno != EINTR)
            return text;
    }
}

constexpr std::array<const char *, 8> kOfTheSystem = {"usr", "etc", "bin", "sbin", "lib", "lib32", "lib64", "libx32"};

// `path` in the system below `root`, its last link followed there.
std::string within(const std::string &root, const std::string &path) {
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(root + path, error);
    if (error) return root + path;
    return root + (target.is_absolute() ? target : std::filesystem::path(path).parent_path() / target).string();
}

struct Mount {
    std::string from, to;
};

// Folders of this machine that are links lead to where they are meant to by themselves.
std::vector<Mount> mounts_of(const std::string &system) {
    std::vector<Mount> mounts;
    for (const char *name : kOfTheSystem) {
        struct stat status {};
        const std::string here = std::string("/") + name, there = within(system, here);
        if (lstat(here.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && is_directory(there))
            mounts.push_back({there, here});
    }
    return mounts;
}

// Of a process that was forked from one that may have threads: these may only make system calls.
bool write_text(const char *path, const char *text, size_t length) {
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const bool written = write(fd, text, length) == static_cast<ssize_t>(length);
    close(fd);
    return written;
}

struct Child {
    std::vector<Mount> mounts;
    std::string user_map, group_map;  // "" for root, who needs no user namespace
    const char *cwd, *program;
    char *const *argv;
    char *const *variables;
    int output;
};

// Does not return. What fails is told on the output.
[[noreturn]] void become(const Child &child) {
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0);
    dup2(child.output, 1);
    dup2(child.output, 2);
    const bool own_user = !child.user_map.empty();
    const char *failed = nullptr;
    if (unshare(CLONE_NEWNS | (own_user ? CLONE_NEWUSER : 0)) != 0)
        failed = "a mount namespace";
    else if (own_user && !(write_text("/proc/self/setgroups", "deny", 4) &&
                           write_text("/proc/self/uid_map", child.user_map.data(), child.user_map.size()) &&
                           write_text("/proc/self/gid_map", child.group_map.data(), child.group_map.size())))
        failed = "a user namespace";
    else if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        failed = "private mounts";
    for (const Mount &one : child.mounts)
        if (!failed && mount(one.from.c_str(), one.to.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0)
            failed = one.from.c_str();
    if (!failed && *child.cwd && chdir(child.cwd) != 0) failed = child.cwd;
    if (!failed) {
        execve(child.program, child.argv, child.variables);
        failed = child.program;
    }
    const char *reason = strerrordesc_np(errno);
    for (const char *part : {failed, ": ", reason ? reason : "failed", "\n"})
        if (write(1, part, std::strlen(part)) < 0) break;
    _exit(127);
}

// Starts the command among the files of its `system`. An errno, or 0.
int start_in_system(const Command &command, char *const *argv, char *const *variables, int output, pid_t &process) {
    std::string program = command.argv[0];
    if (program.find('/') == std::string::npos)
        if (std::string found = find_program(program, command.system); !found.empty())
            program = found.substr(command.system.size());
    Child child{mounts_of(command.system), "", "", command.cwd.c_str(), program.c_str(), argv, variables, output};
    if (geteuid() != 0) {
        child.user_map = std::to_string(geteuid()) + " " + std::to_string(geteuid()) + " 1";
        child.group_map = std::to_string(getegid()) + " " + std::to_string(getegid()) + " 1";
    }
    process = fork();
    if (process == 0) become(child);
    return process < 0 ? errno : 0;
}

int start(const Command &command, char *const *argv, char *const *variables, int output, pid_t &process) {
    if (!command.system.empty()) return start_in_system(command, argv, variables, output, process);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (!command.cwd.empty()) posix_spawn_file_actions_addchdir_np(&actions, command.cwd.c_str());
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, output, 2);
    const int error = posix_spawnp(&process, argv[0], &actions, nullptr, argv, variables);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

}  // namespace

bool hidden_by_system(const std::string &path) {
    std::error_code error;
    const std::string whole = std::filesystem::weakly_canonical(path, error).string();
    for (const char *name : kOfTheSystem)
        if (whole.starts_with(std::string("/") + name + "/")) return true;
    return false;
}

std::string find_program(const std::string &name, const std::string &system) {
    // A link's target is not looked at in another system: there it leads elsewhere.
    auto runnable = [&](const std::string &file) {
        return system.empty() ? access(file.c_str(), X_OK) == 0
                              : faccessat(AT_FDCWD, file.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    };
    if (name.find('/') != std::string::npos) return runnable(name) ? name : "";
    const char *path = std::getenv("PATH");
    std::string_view rest = path && system.empty() ? path : kSystemPath;
    for (;;) {
        size_t colon = rest.find(':');
        std::string file = system + std::string(rest.substr(0, colon)) + "/" + name;
        if (runnable(file)) return file;
        if (colon == std::string_view::npos) return "";
        rest.remove_prefix(colon + 1);
    }
}

Result run(const Command &command) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return {127, std::string("pipe: ") + std::strerror(errno) + "\n"};
    std::vector<char *> argv;
    for (const std::string &word : command.argv)
        argv.push_back(const_cast<char *>(word.c_str()));
    argv.push_back(nullptr);
    std::vector<char *> variables = environment_of(command);

    pid_t child = 0;
    const int error = start(command, argv.data(), variables.data(), ends[1], child);
    close(ends[1]);
    if (error) {
        close(ends[0]);
        return {127, command.argv[0] + ": " + std::strerror(error) + "\n"};
    }
    Result result;
    result.output = read_all(ends[0]);
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    result.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return result;
}

}  // namespace tapir::build
