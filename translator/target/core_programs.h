// SPDX-License-Identifier: GPL-2.0-or-later
// The programs of a process that stands still, as its core file has them, or as it has them while it lives.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/outcome.h"
#include "target/script_subject.h"

namespace tapir::core {
class KernelDump;
class Remains;
}  // namespace tapir::core

namespace tapir::target {

enum class StillKind : uint8_t {
    Core,     // a process's core file
    Process,  // a process that lives
    Kernel,   // the memory of a kernel, without processes: /proc/kcore, or a dump
};

class CorePrograms : public Subject {
  public:
    // Opens a core file, or a kernel's dump, with the options --sysroot and --exec, both "" if not given. Faults: those
    // of core::Remains::open() and core::KernelDump::open().
    static Outcome<std::unique_ptr<CorePrograms>> open(const std::string &core, const std::string &sysroot,
                                                       const std::string &program);
    // Opens a live process. `no_frames` is the reason why its frames may not be read, or "". Faults: those of
    // core::Remains::of_process().
    static Outcome<std::unique_ptr<CorePrograms>> of_process(int64_t pid, const std::string &program,
                                                             std::string no_frames = {});
    // For any process that a program will look at later: the files of this machine.
    static std::unique_ptr<CorePrograms> anywhere();
    // For any memory of a kernel that it will look at later.
    static std::unique_ptr<CorePrograms> any_kernel();
    ~CorePrograms() override;

    // Core, too, of those of anywhere().
    StillKind kind() const;
    // The release of the kernel; "" for a process, and for any_kernel().
    std::string release() const;

    int64_t pid() const;
    ProgramTarget target() const override;
    bool stands_still() const override { return true; }
    bool has_kernel() const override { return of_kernel_; }
    std::string program_of(int64_t pid) const override;
    std::string why_no_program(int64_t pid) const override;
    std::string program(std::string &why) const override;
    // Among the mapped files; a name may also be a file here that is a copy of one.
    std::vector<std::string> find(const std::string &name) const override;
    NotFound why_none(const std::string &name) const override;
    // Returns why the places of threads are unknown: for a kernel, for anywhere(), and the reason given to
    // of_process(); else "".
    std::string why_no_frames() const override;
    // From now on threads stand where frames() says: a process that lives stands still until let_go() or the end of
    // this program. The thread that calls this one also calls let_go(). Faults: of core::Remains::of_process().
    Outcome<void> stand_still() const override;
    // True if it stands still, and lives.
    bool is_held() const;
    // For a program that looks at it meanwhile: the content of the file for core::LiveMode::Held.
    std::string held_threads() const;
    // Lets it continue. Returns the nanoseconds that it stood still, 0 if it did not.
    uint64_t let_go();
    std::map<uint64_t, std::set<uint64_t>> frames(const std::string &path, const std::string &build_id) const override;
    std::string why_no_frame() const override;
    std::string frames_stamp() const override;
    // Returns the process's files that are missing here, or lack debug information: lines "KIND BUILD-ID PATH" with the
    // kinds "executable" and "debuginfo" of debuginfod-find(1); "-" for an unknown build-id. Nothing for a kernel.
    std::vector<std::string> missing() const;

  private:
    using Place = std::pair<uint32_t, uint64_t>;  // a file that was mapped, and an offset in it
    using AllFrames = std::map<Place, std::set<Place>>;
    const AllFrames &all_frames() const;
    CorePrograms();
    explicit CorePrograms(std::unique_ptr<core::Remains> remains, std::string sysroot);
    explicit CorePrograms(std::unique_ptr<core::KernelDump> kernel);
    std::vector<uint32_t> mapped(const std::string &name) const;

    mutable std::unique_ptr<core::Remains>
        remains_;                               // null: of a kernel, or of anywhere(); stand_still() makes it anew
    std::unique_ptr<core::KernelDump> kernel_;  // likewise, of a process
    bool of_kernel_ = false;                    // also without kernel_: of any_kernel()
    std::string sysroot_, program_, no_frames_;
    mutable std::optional<AllFrames> frames_;
    mutable std::vector<int64_t> cut_off_;  // threads that have more frames than those
};

}  // namespace tapir::target
