// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

extern char **environ;

namespace tapir::build {
namespace {

// Space before and after each name.
constexpr std::string_view kDroppedVariables =
    " MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES MAKEFILES GNUMAKEFLAGS ARCH SRCARCH CROSS_COMPILE KCFLAGS KAFLAGS "
    "KCPPFLAGS "
    "KBUILD_OUTPUT KBUILD_EXTMOD KBUILD_VERBOSE V O M CC LD CFLAGS CPATH C_INCLUDE_PATH GCC_EXEC_PREFIX COMPILER_PATH "
    "DEPENDENCIES_OUTPUT LLVM LC_ALL LC_CTYPE LC_MESSAGES LANG LANGUAGE ";

std::string_view name_of(std::string_view variable) {
    return variable.substr(0, variable.find('='));
}

std::vector<char *> environment_of(const Command &command) {
    std::vector<char *> variables;
    for (char **at = environ; *at; at++) {
        std::string_view name = name_of(*at);
        bool dropped = kDroppedVariables.find(" " + std::string(name) + " ") != std::string_view::npos;
        for (const std::string &own : command.environment)
            dropped |= name == name_of(own);
        if (!dropped) variables.push_back(*at);
    }
    // Compiler messages are parsed and shown; they come in one language. (Kbuild takes LC_ALL away.)
    static char locale[] = "LC_ALL=C", language[] = "LANG=C";
    variables.insert(variables.end(), {locale, language});
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

}  // namespace

std::string find_program(const std::string &name) {
    if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
    const char *path = std::getenv("PATH");
    std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
    for (;;) {
        size_t colon = rest.find(':');
        std::string file = std::string(rest.substr(0, colon)) + "/" + name;
        if (access(file.c_str(), X_OK) == 0) return file;
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

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (!command.cwd.empty()) posix_spawn_file_actions_addchdir_np(&actions, command.cwd.c_str());
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    pid_t child = 0;
    int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), variables.data());
    posix_spawn_file_actions_destroy(&actions);
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
