// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/build_command.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string_view>

#include "common/files.h"

namespace tapir::build {
namespace {

// Space before and after each name.
constexpr std::string_view kDroppedVariables =
    " MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES MAKEFILES GNUMAKEFLAGS ARCH SRCARCH CROSS_COMPILE KCFLAGS KAFLAGS "
    "KCPPFLAGS "
    "KBUILD_OUTPUT KBUILD_EXTMOD KBUILD_VERBOSE V O M CC LD CFLAGS CPATH C_INCLUDE_PATH GCC_EXEC_PREFIX COMPILER_PATH "
    "DEPENDENCIES_OUTPUT LLVM LC_ALL LC_CTYPE LC_MESSAGES LANG LANGUAGE ";

// The search path among the files of another system: this user's own directories are not made for it.
constexpr std::string_view kSystemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

std::vector<std::string> environment_of(const Command &command) {
    // Compiler messages are parsed and shown; they come in one language. (Kbuild takes LC_ALL away.)
    std::vector<std::string> changes = {"LC_ALL=C", "LANG=C"};
    if (!command.system.empty()) changes.push_back("PATH=" + std::string(kSystemPath));
    changes.insert(changes.end(), command.environment.begin(), command.environment.end());
    return environment_with(changes, [](std::string_view name) {
        return kDroppedVariables.find(" " + std::string(name) + " ") != std::string_view::npos;
    });
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

// Directories of this machine that are links lead to where they are meant to by themselves.
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

bool write_text(const char *path, std::string_view text) {
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    close(fd);
    return written;
}

// Gives a process the files of another system.
class OtherSystem {
  public:
    explicit OtherSystem(const std::string &root) : mounts_(mounts_of(root)) {
        if (geteuid() == 0) return;
        user_map_ = std::to_string(geteuid()) + " " + std::to_string(geteuid()) + " 1";
        group_map_ = std::to_string(getegid()) + " " + std::to_string(getegid()) + " 1";
    }

    // See ProgramStart::become().
    const char *enter() const {
        const bool own_user = !user_map_.empty();
        if (unshare(CLONE_NEWNS | (own_user ? CLONE_NEWUSER : 0)) != 0) return "a mount namespace";
        if (own_user && !(write_text("/proc/self/setgroups", "deny") && write_text("/proc/self/uid_map", user_map_) &&
                          write_text("/proc/self/gid_map", group_map_)))
            return "a user namespace";
        if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "private mounts";
        for (const Mount &one : mounts_)
            if (mount(one.from.c_str(), one.to.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0)
                return one.from.c_str();
        return nullptr;
    }

  private:
    std::vector<Mount> mounts_;
    std::string user_map_, group_map_;  // "" for root, who needs no user namespace
};

}  // namespace

std::string Result::text() const {
    std::string text = output;
    while (text.ends_with('\n'))
        text.pop_back();
    return text;
}

bool hidden_by_system(const std::string &path) {
    std::error_code error;
    const std::string whole = std::filesystem::weakly_canonical(path, error).string();
    for (const char *name : kOfTheSystem)
        if (whole.starts_with(std::string("/") + name + "/")) return true;
    return false;
}

Outcome<std::string> find_tool(const std::string &name, const std::string &system) {
    return find_program(name, {system.empty() ? search_path() : std::string(kSystemPath), system});
}

Outcome<Result> run(const Command &command) {
    Program program{command.argv};
    program.directory = command.cwd;
    program.environment = environment_of(command);
    Collected output;
    program.output = Stream::collected(output);
    program.errors = Stream::with_output();
    std::optional<OtherSystem> system;
    if (!command.system.empty()) {
        program.file = command.argv[0];
        if (program.file.find('/') == std::string::npos) {
            const Outcome<std::string> found = find_tool(program.file, command.system);
            if (!found) return found.fault();
            program.file = found->substr(command.system.size());
        }
        system.emplace(command.system);
        program.in_child = [&system] { return system->enter(); };
    }
    const Outcome<Ending> ended = run_program(program);
    if (!ended) return ended.fault();
    return Result{*ended, std::move(output.text)};
}

}  // namespace tapir::build
