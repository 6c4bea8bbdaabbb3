// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/owners.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "report/origin.h"

namespace tapir::report {

namespace {

// Start functions of libc and of languages' runtimes. The program owns the functions that they call.
constexpr std::array<std::string_view, 26> kStarts = {
    "_start",
    "__libc_start_main",
    "__libc_start_call_main",
    "clone",
    "__clone",
    "clone3",
    "__clone3",
    "start_thread",
    "thread_start",
    "_dl_start",
    "_dl_start_user",
    "__libc_start_main_impl",
    "__libc_start_main_stage2",
    "_start_c",
    "execute_native_thread_routine",
    "runtime.rt0_go",
    "runtime.main",
    "runtime.goexit",
    "runtime.mstart",
    "runtime.mstart0",
    "runtime.mstart1",
    "std::rt::lang_start",
    "std::rt::lang_start_internal",
    "std::sys::backtrace::__rust_begin_short_backtrace",
    "std::sys_common::backtrace::__rust_begin_short_backtrace",
    "std::sys::pal::unix::thread::Thread::new::thread_start",
};

// Where the kernel is entered, and what begins its threads: what follows says why.
constexpr std::array<std::string_view, 12> kEntries = {"entry_SYSCALL_64_after_hwframe",
                                                       "do_syscall_64",
                                                       "el0t_64_sync",
                                                       "el0t_64_sync_handler",
                                                       "el0_svc",
                                                       "do_el0_svc",
                                                       "invoke_syscall",
                                                       "el0_svc_common",
                                                       "ret_from_fork",
                                                       "ret_from_fork_asm",
                                                       "kthread",
                                                       "x64_sys_call"};

// Programs that run those of other languages, by the beginning of their names: "python3.11", "php-fpm8.2".
constexpr std::array<std::string_view, 15> kInterpreters = {"python", "pypy",   "perl", "php",  "ruby",
                                                            "irb",    "lua",    "node", "deno", "bun",
                                                            "java",   "dotnet", "mono", "erl",  "beam"};

// Parts of paths below which a language keeps what programs share.
constexpr std::array<std::string_view, 13> kScriptLibraries = {
    "/lib/python", "/lib64/python", "/site-packages/", "/dist-packages/", "/lib/ruby/", "/share/ruby/",  "/gems/",
    "/share/perl", "/perl-base/",   "/lib/perl",       "/share/php/",     "/share/lua", "/node_modules/"};

// "name.constprop.0", "name@@GLIBC_2.34", "name(int)"
std::string_view undecorated(std::string_view name) {
    return name.substr(0, name.find_first_of("(@<", 1));
}

bool is_shared(std::string_view object) {
    const size_t at = object.rfind(".so");
    return at != std::string_view::npos && (at + 3 == object.size() || object[at + 3] == '.');
}

// A file that is run, as far as its name tells.
bool is_program(std::string_view object) {
    return !object.empty() && object[0] == '/' && !is_shared(object);
}

bool is_interpreter(const std::string &object) {
    const std::string name = base_name(object);
    return std::any_of(kInterpreters.begin(), kInterpreters.end(), [&](std::string_view known) {
        if (!name.starts_with(known)) return false;
        // Not "javac" or "nodetool": a version or a variant follows.
        const std::string_view rest = std::string_view(name).substr(known.size());
        return rest.empty() || rest == "jit" || rest[0] == '-' || rest[0] == '.' || (rest[0] >= '0' && rest[0] <= '9');
    });
}

bool is_script_library(std::string_view file) {
    if (file.starts_with("<frozen ") || file.starts_with("node:")) return true;
    return std::any_of(kScriptLibraries.begin(), kScriptLibraries.end(),
                       [&](std::string_view part) { return file.find(part) != std::string_view::npos; });
}

class Rules {
  public:
    explicit Rules(const Picture &picture) : own_(picture.profile.own), frames_(picture.frames) {
        add_program(picture.profile);
        if (picture.before) add_program(*picture.before);
        for (uint32_t i = 0; i < frames_.size(); i++) {
            const FrameText &frame = frames_[i];
            scripts_ |= is_script(frame);
            native_ |= programs_.contains(frame.object) && !is_interpreter(frame.object);
        }
    }

    Owner owner(const FrameText &frame) const {
        switch (frame.origin) {
            case Origin::Mark:
                return Owner::Fact;
            case Origin::Kernel:
                return Owner::Kernel;
            case Origin::Script:
                return owner_of_script(frame);
            case Origin::Program:
                break;
        }
        if (matches(frame.object)) return Owner::Own;
        if (only_starts(frame)) return Owner::Library;
        // Code in no file, which something has made.
        if (frame.object.empty()) return owner_of_script(frame);
        return is_own(frame.object) ? Owner::Own : Owner::Library;
    }

  private:
    void add_program(const Profile &profile) {
        if (profile.meta.program.empty()) return;
        const std::string program = clean(profile.meta.program);
        programs_.insert(program);
        // "/srv/app/"; not a directory of the system, in which everything is.
        std::string directory = program.substr(0, program.rfind('/') + 1);
        if (std::count(directory.begin(), directory.end(), '/') > 2 && directory != "/usr/bin/" &&
            directory != "/usr/sbin/" && directory != "/usr/lib/" && directory != "/usr/libexec/")
            directories_.insert(std::move(directory));
    }
    // Frames of a language, and not functions in C that it calls: these are in a file of the interpreter.
    static bool is_script(const FrameText &frame) { return frame.origin == Origin::Script && frame.object.empty(); }

    bool matches(const std::string &file) const {
        if (file.empty()) return false;
        return std::any_of(own_.begin(), own_.end(), [&](const std::string &pattern) {
            const bool whole = pattern.find('/') != std::string::npos;
            return fnmatch(pattern.c_str(), (whole ? file : base_name(file)).c_str(), 0) == 0;
        });
    }
    Owner owner_of_script(const FrameText &frame) const {
        if (matches(frame.file)) return Owner::Own;
        if (!frame.object.empty() || is_script_library(frame.file)) return Owner::Library;
        return native_ ? Owner::Script : Owner::Own;
    }
    bool is_own(const std::string &object) const {
        // An interpreter is a library of the scripts that it runs.
        if (scripts_ && is_interpreter(object)) return false;
        if (programs_.contains(object)) return true;
        // The target may be a shell's command, or start what the samples are of. Without one, programs are looked at.
        return is_program(object) ||
               std::any_of(directories_.begin(), directories_.end(),
                           [&](const std::string &directory) { return object.starts_with(directory); });
    }

    const std::vector<std::string> &own_;
    const FrameTable &frames_;
    std::set<std::string> programs_, directories_;
    bool scripts_ = false;  // the picture has frames of scripts
    bool native_ = false;   // the target is in it, and is no interpreter
};

}  // namespace

const char *owner_word(Owner owner) {
    static constexpr const char *kWords[kOwners] = {"own", "library", "kernel", "script", "fact"};
    return kWords[static_cast<size_t>(owner)];
}

std::string owner_text(Owner owner, const std::string &program) {
    static constexpr const char *kTexts[kOwners] = {"", "libraries", "kernel", "scripts", "no code"};
    if (owner != Owner::Own) return kTexts[static_cast<size_t>(owner)];
    return program.empty() || program == "whole machine" ? "programs" : program;
}

std::vector<Owner> owners_of(const Picture &picture) {
    const Rules rules(picture);
    std::vector<Owner> out;
    out.reserve(picture.frames.size());
    for (uint32_t i = 0; i < picture.frames.size(); i++)
        out.push_back(rules.owner(picture.frames[i]));
    return out;
}

bool only_starts(const FrameText &frame) {
    return frame.origin == Origin::Program && frame.resolved &&
           std::find(kStarts.begin(), kStarts.end(), undecorated(frame.name)) != kStarts.end();
}

bool only_enters(const FrameText &frame) {
    return frame.origin == Origin::Kernel &&
           std::find(kEntries.begin(), kEntries.end(), undecorated(frame.name)) != kEntries.end();
}

}  // namespace tapir::report
