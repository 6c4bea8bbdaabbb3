// SPDX-License-Identifier: GPL-2.0-or-later
// A process that stands still: pass 4 makes a program of this machine, pass 5 runs it on the core file or the process.
#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "backend/launch.h"
#include "common/standard_output.h"
#include "driver/clock.h"
#include "driver/program_run.h"
#include "driver/result_key.h"
#include "options/color.h"
#include "options/tell.h"
#include "target/cache_dir.h"

namespace tapir::driver {

// Opens a core that can be mapped: compressed ones are unpacked first. False after a report.
bool ProgramRun::unpack_core() {
    constexpr int64_t kDefaultGb = 256;
    const int64_t most = options().max_core_gb ? options().max_core_gb : kDefaultGb;
    Outcome<target::UnpackedCore> core = target::unpack_core(options().core, static_cast<uint64_t>(most) << 30);
    if (!core) {
        diagnostics().report(Tag::CoreUnusable, core.fault().message());
        return false;
    }
    core_ = std::move(*core);
    if (core_.file.get() >= 0) fcntl(core_.file.get(), F_SETFD, 0);
    if (!core_.warning.empty() && !options().suppress_warnings) tell(options(), Voice::Notice, core_.warning);
    return true;
}

// The path that messages have is that of the unpacked file, which says nothing to users.
std::string ProgramRun::as_named(std::string message) const {
    if (core_.path.empty() || core_.path == options().core) return message;
    if (const size_t at = message.find(core_.path); at != std::string::npos)
        message.replace(at, core_.path.size(), options().core == "-" ? "the core from standard input" : options().core);
    return message;
}

int ProgramRun::list_missing() {
    for (const std::string &line : state_.core->missing())
        print_output(line + "\n");
    return 0;
}

// Why frames of the process of --snapshot are refused; "" = they are not.
std::string ProgramRun::no_frames() const {
    if (options().snapshot == "run")
        return "a process has to stand still for its frames, and this one runs on; use --snapshot=stop";
    if (last_pass_ == 4)
        return "what pass 4 leaves knows the frames of the run that stops the process alone; leave out -p4";
    return {};
}

bool ProgramRun::open_core() {
    if (!options().looks_at_still()) return true;
    // A program for the running kernel of another machine, which may have no /proc/kcore here.
    if (options().core == "/proc/kcore" && options().last_pass == 4 && !options().module_name.empty() &&
        !options().release.empty()) {
        state_.core = target::CorePrograms::any_kernel();
        return true;
    }
    if (!options().core.empty() && !unpack_core()) {
        flush_messages();
        return false;
    }
    if (options().core.empty() && options().snapshot.empty()) {
        state_.core = target::CorePrograms::anywhere();
        return true;
    }
    Outcome<std::unique_ptr<target::CorePrograms>> core =
        options().core.empty() ? target::CorePrograms::of_process(options().target_pid, options().program, no_frames())
                               : target::CorePrograms::open(core_.path, options().sysroot, options().program);
    if (!core) {
        diagnostics().report(Tag::CoreUnusable, as_named(core.fault().message()));
        flush_messages();
        return false;
    }
    state_.core = std::move(*core);
    return true;
}

void ProgramRun::make_native_builder() {
    build::NativeOptions settings;
    settings.headers = data_root() + "/runtime/include";
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    settings.library = build::find_still_library(self.parent_path().string());
    settings.cache_root = target::cache_dir();
    settings.cache = options().cache == CacheMode::Disable  ? build::CacheMode::Disabled
                     : options().cache == CacheMode::Poison ? build::CacheMode::Poison
                                                            : build::CacheMode::Use;
    settings.version = TAPIR_VERSION;
    settings.work = kept_directory();
    settings.note = [verbosity = options().verbosity[4]](int level, const std::string &text) {
        if (verbosity >= level) std::fprintf(stderr, "%s\n", text.c_str());
    };
    native_ = std::make_unique<build::NativeBuilder>(std::move(settings), diagnostics());
}

bool ProgramRun::use_cached_program() {
    result_key_ = result_key(state_, native_->base_key());
    if (options().cache != CacheMode::Use || !options().module_name.empty() || options().keep_temporary ||
        !options().dump_after.empty())
        return false;
    // The files of the process's programs are looked up again: another core may be of another build.
    const std::optional<build::Product> found =
        native_->find_result(result_key_with(state_, result_key_, native_->find_note(result_key_)));
    if (!found) return false;
    state_.module_path = found->path;
    for (int pass : {3, 4})
        if (options().verbosity[pass] > 0)
            std::fprintf(stderr, "Pass %d: using cached %s\n", pass, found->path.c_str());
    return true;
}

bool ProgramRun::build_program() {
    PassClock clock;
    build::Script script;
    script.c_text = state_.c_text;
    script.name = options().module_name;
    const std::optional<build::Product> program = native_->build(script);
    if (!program) return false;
    state_.module_path = program->path;
    if (diagnostics().all().empty() && script.name.empty()) {
        const std::string lookups = state_.debug ? state_.debug->lookups() : "";
        if (!lookups.empty()) native_->store_note(result_key_, lookups);
        native_->store_result(result_key_with(state_, result_key_, lookups), *program);
    }
    if (options().verbosity[4] > 0)
        std::fprintf(stderr, program->cached ? "Pass 4: using cached %s\n" : "Pass 4: compiled C into \"%s\" in %s.\n",
                     program->path.c_str(), clock.times().c_str());
    return true;
}

int ProgramRun::run_program_on_still() {
    if (!options().output.empty() && !redirect_output(options().output, diagnostics())) return 1;
    if (!state_.core->is_held()) return run_on_still(options(), state_.module_path, core_.path, "");
    // Only who has stopped a process can ask for its registers.
    const Descriptor held = memory_file("threads", state_.core->held_threads());
    if (held.get() < 0 || fcntl(held.get(), F_SETFD, 0) != 0) {
        diagnostics().report(Tag::OutputUnwritable, std::string("Cannot tell the script's program of the threads: ") +
                                                        std::strerror(errno) + ".");
        return 1;
    }
    return run_on_still(options(), state_.module_path, core_.path, "/proc/self/fd/" + std::to_string(held.get()));
}

// Lets the process that was stopped for its frames go on, and tells the user how long it stood still.
void ProgramRun::let_go() {
    const uint64_t ns = state_.core ? state_.core->let_go() : 0;
    if (ns == 0 || options().suppress_warnings) return;
    std::fprintf(stderr, "process %lld stood still for %llu.%llu ms\n", static_cast<long long>(state_.core->pid()),
                 static_cast<unsigned long long>(ns / 1000000), static_cast<unsigned long long>(ns / 100000 % 10));
}

}  // namespace tapir::driver
