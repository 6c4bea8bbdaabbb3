// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/core_programs.h"

#include <tapir/unwind.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/name_patterns.h"
#include "common/build_id.h"
#include "common/descriptor.h"
#include "common/hash.h"
#include "common/regular_file.h"
#include "core/held_threads.h"
#include "core/kernel_dump.h"
#include "core/remains.h"
#include "core/thread_frames.h"
#include "target/debug_list.h"
#include "target/process_root.h"
#include "target/program_files.h"
#include "target/running_files.h"
#include "unwind/debug_file.h"

namespace tapir::target {

namespace {

namespace fs = std::filesystem;

std::string last_component(const std::string &path) {
    return path.substr(path.rfind('/') + 1);
}

constexpr const char *kNoProcesses = "the memory of a kernel is looked at, and its processes are not";
constexpr const char *kFramesUnknown =
    "where threads stand is not known before the script runs; --core=FILE names a core file, -x PID --snapshot a "
    "process";

// False for a file that only its name could make a program: one of the kernel's own, or data.
bool is_code(const core::Notes &notes, uint32_t file, const std::optional<uint32_t> &program) {
    return file == program || notes.files[file].find(".so") != std::string::npos;
}

// Does it, or a separate file of the machine, have debug information?
bool has_debug_information(const std::string &path) {
    unwind::FileImage image;
    unwind::ElfFile file;
    if (image.open(path) != 0 || !file.parse(image).empty() || file.section(".debug_info")) return true;
    const char *places = std::getenv("SYSTEMTAP_DEBUGINFO_PATH");
    for (const std::string &directory : debug_directories(places ? places : "/usr/lib/debug")) {
        unwind::DebugFile separate(file, path, directory);
        const unwind::ElfFile *debug = separate.get();
        if (debug && debug->section(".debug_info")) return true;
    }
    return false;
}

// Returns the build-id of a file of the analysing machine, which a user named.
std::string build_id_of(const std::string &path) {
    const Descriptor file(open_regular(path.c_str()));
    return file.get() < 0 ? "" : build_id_of_file(file.get());
}

}  // namespace

CorePrograms::CorePrograms(std::unique_ptr<core::Remains> remains, std::string sysroot)
    : remains_(std::move(remains)), sysroot_(std::move(sysroot)) {}

CorePrograms::CorePrograms(std::unique_ptr<core::KernelDump> kernel) : kernel_(std::move(kernel)), of_kernel_(true) {}

CorePrograms::CorePrograms() = default;
CorePrograms::~CorePrograms() = default;

std::unique_ptr<CorePrograms> CorePrograms::anywhere() {
    return std::unique_ptr<CorePrograms>(new CorePrograms());
}

std::unique_ptr<CorePrograms> CorePrograms::any_kernel() {
    std::unique_ptr<CorePrograms> made(new CorePrograms());
    made->of_kernel_ = true;
    return made;
}

Outcome<std::unique_ptr<CorePrograms>> CorePrograms::open(const std::string &core, const std::string &sysroot,
                                                          const std::string &program) {
    if (core::KernelDump::is_one(core)) {
        Outcome<std::unique_ptr<core::KernelDump>> kernel = core::KernelDump::open(core);
        if (!kernel) return kernel.fault();
        return std::unique_ptr<CorePrograms>(new CorePrograms(std::move(*kernel)));
    }
    core::RemainsOptions options;
    options.sysroot = sysroot;
    options.program = program;
    Outcome<std::unique_ptr<core::Remains>> remains = core::Remains::open(core, options);
    if (!remains) return remains.fault();
    return std::unique_ptr<CorePrograms>(new CorePrograms(std::move(*remains), sysroot));
}

Outcome<std::unique_ptr<CorePrograms>> CorePrograms::of_process(int64_t pid, const std::string &program,
                                                                std::string no_frames) {
    core::RemainsOptions options;
    options.program = program;
    Outcome<std::unique_ptr<core::Remains>> remains =
        core::Remains::of_process(pid, core::LiveMode::Look, std::move(options));
    if (!remains) return remains.fault();
    std::string root = (*remains)->sysroot();
    std::unique_ptr<CorePrograms> made(new CorePrograms(std::move(*remains), std::move(root)));
    made->program_ = program;
    made->no_frames_ = std::move(no_frames);
    return made;
}

std::string CorePrograms::why_no_frames() const {
    if (of_kernel_) return kNoProcesses;
    return remains_ ? no_frames_ : kFramesUnknown;
}

bool CorePrograms::is_held() const {
    return kind() == StillKind::Process && !remains_->notes().threads.empty();
}

Outcome<void> CorePrograms::stand_still() const {
    if (kind() != StillKind::Process || is_held()) return {};
    core::RemainsOptions options;
    options.program = program_;
    // It may have mapped other files since it was looked at.
    Outcome<std::unique_ptr<core::Remains>> stopped =
        core::Remains::of_process(pid(), core::LiveMode::Stop, std::move(options));
    if (!stopped) return stopped.fault();
    remains_ = std::move(*stopped);
    return {};
}

std::string CorePrograms::held_threads() const {
    return core::write_held_threads(remains_->notes().threads);
}

uint64_t CorePrograms::let_go() {
    return is_held() ? remains_->live()->release() : 0;
}

StillKind CorePrograms::kind() const {
    return of_kernel_ ? StillKind::Kernel : remains_ && remains_->live() ? StillKind::Process : StillKind::Core;
}

std::string CorePrograms::release() const {
    return kernel_ ? kernel_->release() : "";
}

int64_t CorePrograms::pid() const {
    return remains_ ? remains_->notes().pid : 0;
}

std::string CorePrograms::program(std::string &why) const {
    if (of_kernel_) {
        why = kNoProcesses;
        return {};
    }
    if (!remains_) {
        why =
            "a program for any process has to be told whose variables it names: process(\"PATH\"), or "
            "@var(\"NAME\", \"PATH\")";
        return {};
    }
    const std::optional<uint32_t> file = remains_->program();
    if (!file) {
        why = remains_->live() ? "it is not known which program the process runs; process(\"PATH\") names it"
                               : "the core does not tell which program its process ran; --exec=FILE names it, or "
                                 "process(\"PATH\")";
        return {};
    }
    const Outcome<std::string> path = remains_->local_path(*file);
    if (path) return *path;
    why = path.fault().message();
    return {};
}

ProgramTarget CorePrograms::target() const {
    ProgramTarget target;
    target.program = program(target.missing);
    return target;
}

std::string CorePrograms::program_of(int64_t process) const {
    std::string why;
    return process == pid() ? program(why) : "";
}

std::string CorePrograms::why_no_program(int64_t process) const {
    if (pid() != 0 && process != pid())
        return (kind() == StillKind::Process ? "the snapshot is of process " : "the core is of process ") +
               std::to_string(pid()) + ", not of " + std::to_string(process);
    std::string why;
    program(why);
    return why;
}

// The mapped files that a name means, whether they are here or not.
std::vector<uint32_t> CorePrograms::mapped(const std::string &name) const {
    if (!remains_) return {};
    const std::vector<std::string> &files = remains_->notes().files;
    const bool whole = name.find('/') != std::string::npos, pattern = has_wildcard(name);
    std::error_code error;
    // As the user sees it here, and below the sysroot.
    const std::string here = whole && !pattern ? fs::canonical(name, error).string() : "";
    const std::string below = whole && !pattern ? canonical_file(sysroot_, name) : "";
    std::vector<uint32_t> found;
    for (uint32_t i = 0; i < files.size(); ++i) {
        const std::string compared = whole ? files[i] : last_component(files[i]);
        const bool same = pattern ? glob_match(name, compared) : name == compared || (whole && here == files[i]);
        if (same || (!below.empty() && below == sysroot_ + files[i])) found.push_back(i);
    }
    if (!found.empty() || pattern) return found;
    const std::string id = is_build_id(name) ? name : build_id_of(name);
    for (uint32_t i = 0; i < files.size() && !id.empty(); ++i)
        if (remains_->build_id_in_memory(i) == id) found.push_back(i);
    return found;
}

std::vector<std::string> CorePrograms::find(const std::string &name) const {
    if (!remains_ && !of_kernel_) return find_programs(name);
    std::vector<std::string> paths;
    std::error_code error;
    for (uint32_t file : mapped(name)) {
        const Outcome<std::string> path = remains_->local_path(file);
        if (path) {
            paths.push_back(*path);
        } else if (const std::string &id = remains_->build_id_in_memory(file);
                   !id.empty() && name.find('/') != std::string::npos && build_id_of(name) == id) {
            // The user has it elsewhere.
            paths.push_back(fs::canonical(name, error).string());
        }
    }
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    return paths;
}

NotFound CorePrograms::why_none(const std::string &name) const {
    if (of_kernel_) return {kNoProcesses, ""};
    if (!remains_) return {"there is no such file, or no such program in the directories of PATH", ""};
    for (uint32_t file : mapped(name))
        if (const Outcome<std::string> path = remains_->local_path(file); !path) return {path.fault().message(), ""};
    if (has_wildcard(name)) return {"the process had mapped no file that matches", ""};
    std::vector<std::string> known;
    const bool whole = name.find('/') != std::string::npos;
    for (const std::string &file : remains_->notes().files)
        known.push_back(whole ? file : last_component(file));
    return {"the process had mapped no such file" + similar_text(similar_names(name, known), "similar files"), ""};
}

const CorePrograms::AllFrames &CorePrograms::all_frames() const {
    if (frames_) return *frames_;
    frames_.emplace();
    if (!remains_) return *frames_;
    const auto place_of = [&](uint64_t address) -> std::optional<Place> {
        const core::Mapping *mapping = remains_->mapping_of(address);
        if (!mapping) return std::nullopt;
        return Place{mapping->file, address - mapping->start + mapping->place};
    };
    for (const core::Thread &thread : remains_->notes().threads) {
        std::set<Place> *inner = nullptr;  // the callers of the frame before
        const auto note = [&](const core::Frame &frame) {
            const auto code = place_of(frame.code()), returns = place_of(frame.place);
            if (inner && frame.called && returns) inner->insert(*returns);
            inner = code ? &(*frames_)[*code] : nullptr;
        };
        const uint8_t end = core::each_frame(*remains_, thread, note);
        // Registers that are not known are 0, which looks like the end of a stack.
        if (end != TAPIR_UNWIND_COMPLETE || thread.known != core::Thread::Known::All) cut_off_.push_back(thread.id);
    }
    return *frames_;
}

std::string CorePrograms::why_no_frame() const {
    all_frames();
    std::string why = "no thread of the process stands in it";
    if (cut_off_.empty()) return why;
    const bool one = cut_off_.size() == 1;
    return why + ", as far as is known: the stack" + (one ? " of thread " : "s of threads ") +
           core::list_of_threads(cut_off_) + (one ? " ends" : " end") + " too early";
}

std::map<uint64_t, std::set<uint64_t>> CorePrograms::frames(const std::string &path,
                                                            const std::string &build_id) const {
    std::map<uint32_t, bool> known;
    const auto is_it = [&](uint32_t file) {
        const auto [at, is_new] = known.try_emplace(file, false);
        if (is_new) at->second = remains_->is_file(file, build_id, path);
        return at->second;
    };
    std::map<uint64_t, std::set<uint64_t>> places;
    for (const auto &[code, callers] : all_frames()) {
        if (!is_it(code.first)) continue;
        std::set<uint64_t> &returns = places[code.second];
        for (const Place &caller : callers)
            if (is_it(caller.first)) returns.insert(caller.second);
    }
    return places;
}

std::string CorePrograms::frames_stamp() const {
    if (!why_no_frames().empty() || !stand_still()) return {};
    Hasher hash;
    const auto add = [&](const Place &place) {
        hash.add(remains_->notes().files[place.first]).add(std::to_string(place.second));
    };
    for (const auto &[code, callers] : all_frames()) {
        add(code);
        for (const Place &caller : callers)
            add(caller);
        hash.add("");
    }
    return hash.hex();
}

std::vector<std::string> CorePrograms::missing() const {
    std::vector<std::string> lines;
    if (!remains_) return lines;
    const std::vector<std::string> &files = remains_->notes().files;
    for (uint32_t i = 0; i < files.size(); ++i) {
        const std::string &id = remains_->build_id_in_memory(i);
        const std::string which = (id.empty() ? "-" : id) + " " + files[i];
        const Outcome<std::string> path = remains_->local_path(i);
        if (!path && (!id.empty() || is_code(remains_->notes(), i, remains_->program())))
            lines.push_back("executable " + which);
        if (path && !id.empty() && !has_debug_information(*path)) lines.push_back("debuginfo " + which);
    }
    return lines;
}

}  // namespace tapir::target
