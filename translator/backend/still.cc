// SPDX-License-Identifier: GPL-2.0-or-later
// A program of this machine for what stands still: pass 5 runs it on the core file or the process.
#include <fcntl.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "backend/backend.h"
#include "backend/launch.h"
#include "base/limits.h"
#include "build/native.h"
#include "common/descriptor.h"
#include "options/tell.h"
#include "resolve/still_reach.h"
#include "target/core_programs.h"
#include "target/unpacked_core.h"

namespace tapir::driver {

namespace {

class StillBackend : public Backend {
  public:
    StillBackend(const Options &options, Diagnostics &diagnostics) : Backend(options, diagnostics) {}

    bool is_for_kernel() const override { return false; }
    resolve::Reach reach() const override { return resolve::still_reach(programs_->kind()); }
    const target::Subject &subject() const override { return *programs_; }
    // The program has one thread.
    void set_lowering(ir::LowerOptions &lowering) const override { lowering.concurrent = false; }
    bool open(int last_pass) override;
    std::string release() const override { return programs_->release(); }
    std::vector<std::string> missing() const override { return programs_->missing(); }
    bool make_builder(const target::Kernel &kernel, const BuildPlaces &places) override;
    build::Builder &builder() override { return *builder_; }
    void add_key(Hasher &hash) const override;
    int run(const std::string &product) override;
    void finish() override;

  private:
    bool unpack();
    std::string as_named(std::string message) const;
    int run_with(const std::string &product, const std::string &held);

    target::UnpackedCore core_;  // of --core
    std::unique_ptr<target::CorePrograms> programs_;
    std::unique_ptr<build::NativeBuilder> builder_;
};

// Makes a core that can be mapped: compressed ones are unpacked. Returns false after a report.
bool StillBackend::unpack() {
    constexpr int64_t kDefaultGb = 256;
    const int64_t most = options_.max_core_gb ? options_.max_core_gb : kDefaultGb;
    Outcome<target::UnpackedCore> core = target::unpack_core(options_.core, static_cast<uint64_t>(most) << 30);
    if (!core) {
        diagnostics_.report(Tag::CoreUnusable, core.fault().message());
        return false;
    }
    core_ = std::move(*core);
    if (core_.file.get() >= 0) fcntl(core_.file.get(), F_SETFD, 0);
    if (!core_.warning.empty() && !options_.suppress_warnings) tell(options_, Voice::Notice, core_.warning);
    return true;
}

// Messages have the path of the unpacked file, which says nothing to users.
std::string StillBackend::as_named(std::string message) const {
    if (core_.path.empty() || core_.path == options_.core) return message;
    if (const size_t at = message.find(core_.path); at != std::string::npos)
        message.replace(at, core_.path.size(), options_.core == "-" ? "the core from standard input" : options_.core);
    return message;
}

// Returns why frames of the process of --snapshot are refused, or "".
std::string why_no_frames(const Options &options, int last_pass) {
    if (options.snapshot == "run")
        return "a process has to stand still for its frames, and this one runs on; use --snapshot=stop";
    if (last_pass == 4)
        return "what pass 4 leaves knows the frames of the run that stops the process alone; leave out -p4";
    return {};
}

bool StillBackend::open(int last_pass) {
    // A program for the running kernel of another machine, which may have no /proc/kcore here.
    if (options_.core == "/proc/kcore" && options_.last_pass == 4 && !options_.module_name.empty() &&
        !options_.release.empty()) {
        programs_ = target::CorePrograms::any_kernel();
        return true;
    }
    if (options_.core.empty() && options_.snapshot.empty()) {
        programs_ = target::CorePrograms::anywhere();
        return true;
    }
    if (!options_.core.empty() && !unpack()) return false;
    Outcome<std::unique_ptr<target::CorePrograms>> opened =
        options_.core.empty() ? target::CorePrograms::of_process(options_.target_pid, options_.program,
                                                                 why_no_frames(options_, last_pass))
                              : target::CorePrograms::open(core_.path, options_.sysroot, options_.program);
    if (!opened) {
        diagnostics_.report(Tag::CoreUnusable, as_named(opened.fault().message()));
        return false;
    }
    programs_ = std::move(*opened);
    return true;
}

bool StillBackend::make_builder(const target::Kernel &, const BuildPlaces &places) {
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    build::NativeOptions settings{builder_options(places), places.data + "/runtime/include",
                                  build::find_still_library(self.parent_path().string())};
    builder_ = std::make_unique<build::NativeBuilder>(std::move(settings), diagnostics_);
    return true;
}

void StillBackend::add_key(Hasher &hash) const {
    hash.add("still").add(std::to_string(static_cast<int>(programs_->kind())));
    hash.add(options_.sysroot).add(options_.program);
}

int StillBackend::run(const std::string &product) {
    if (!options_.output.empty() && !redirect_output(options_.output, diagnostics_)) return 1;
    if (!programs_->is_held()) return run_with(product, "");
    // Only the process that has stopped another can ask for its registers.
    const Descriptor held = memory_file("threads", programs_->held_threads());
    if (held.get() < 0 || fcntl(held.get(), F_SETFD, 0) != 0) {
        diagnostics_.report(Tag::OutputUnwritable, std::string("Cannot tell the script's program of the threads: ") +
                                                       std::strerror(errno) + ".");
        return 1;
    }
    return run_with(product, "/proc/self/fd/" + std::to_string(held.get()));
}

// Runs the product. `held` is a file with the threads of a process that this program has stopped; "": it has not.
int StillBackend::run_with(const std::string &product, const std::string &held) {
    Program program{{product}};
    std::vector<std::string> &words = program.argv;
    const auto flag = [&words](bool is_set, const char *option) {
        if (is_set) words.emplace_back(option);
    };
    const auto value = [&words](const char *option, const std::string &text) {
        if (!text.empty()) words.emplace_back(option).append(text);
    };
    if (options_.core.empty()) {
        value("-x", std::to_string(options_.target_pid));
        value("--snapshot=", options_.snapshot);
        value("--held=", held);
        // If stap is killed, nothing else would let the process go on.
        program.death_signal = SIGKILL;
    } else {
        value("--core=", core_.path);
    }
    value("--sysroot=", options_.sysroot);
    value("--exec=", options_.program);
    flag(options_.suppress_warnings, "-w");
    flag(options_.mangled, "--mangled");
    flag(!options_.compatible.empty(), "--compatible");
    flag(options_.suppress_handler_errors, "--suppress-handler-errors");
    value("--format=", options_.format);
    value("--duration=", options_.timeout);
    if (options_.stack_mb) value("--limit=STACK_BYTES=", std::to_string(uint64_t{options_.stack_mb} << 20));
    for (const NameValue &define : options_.defines)
        if (const Limit *limit = find_limit(define.name); limit && limit->load_time)
            value("--limit=", define.name + "=" + define.value);
    words.emplace_back("--");
    for (const NameValue &global : options_.globals)
        words.push_back(global.name + "=" + global.value);
    return run_to_end(options_, program);
}

// Lets a process go on that was stopped for its frames, and tells for how long it stood still.
void StillBackend::finish() {
    const uint64_t ns = programs_ ? programs_->let_go() : 0;
    if (ns == 0 || options_.suppress_warnings) return;
    std::fprintf(stderr, "process %lld stood still for %llu.%llu ms\n", static_cast<long long>(programs_->pid()),
                 static_cast<unsigned long long>(ns / 1000000), static_cast<unsigned long long>(ns / 100000 % 10));
}

}  // namespace

std::unique_ptr<Backend> make_still_backend(const Options &options, Diagnostics &diagnostics) {
    return std::make_unique<StillBackend>(options, diagnostics);
}

}  // namespace tapir::driver
