// SPDX-License-Identifier: GPL-2.0-or-later
// A process that stands still: pass 4 makes a program of this machine, pass 5 runs it on the core file or the process.
#include <cstdio>
#include <filesystem>

#include "driver/clock.h"
#include "driver/color.h"
#include "driver/launch.h"
#include "driver/program_run.h"
#include "driver/result_key.h"
#include "target/cache_dir.h"

namespace tapir::driver {

bool ProgramRun::open_core() {
    if (!options().looks_at_still()) return true;
    Outcome<std::unique_ptr<target::CorePrograms>> core =
        options().core.empty() ? target::CorePrograms::of_process(options().target_pid, options().program)
                               : target::CorePrograms::open(options().core, options().sysroot, options().program);
    if (!core) {
        diagnostics().report(Tag::CoreUnusable, core.fault().message());
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
    // Which files the process's programs are is asked again: another core may be of another build.
    const std::optional<build::NativeProgram> found =
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
    const std::string output = options().module_name.empty() ? "" : "./" + options().module_name;
    const std::optional<build::NativeProgram> program = native_->build(state_.c_text, output);
    if (!program) return false;
    state_.module_path = program->path;
    if (diagnostics().all().empty() && output.empty()) {
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
    return run_on_still(options(), state_.module_path);
}

}  // namespace tapir::driver
