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

class CorePrograms {
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
    ~CorePrograms();

    // Core, too, of those of anywhere().
    StillKind kind() const;
    // The release of the kernel; "" for a process, and for any_kernel().
    std::string release() const;

    int64_t pid() const;
    // The path here of the program that the process ran; "", and why, when it is not here.
    std::string program(std::string &why) const;
    // The paths here of the mapped files that a name means: a path, a pattern, a name without directories, a build-id,
    // or a file here that is a copy of one. Sorted, each once; none of those that are not here.
    std::vector<std::string> find(const std::string &name) const;
    // Returns why the places of threads are unknown: for a kernel, for anywhere(), and the reason given to
    // of_process(); else "".
    std::string why_no_frames() const;
    // From now on threads stand where frames() says: a process that lives stands still until let_go() or the end of
    // this program. The thread that calls this one also calls let_go(). Faults: of core::Remains::of_process().
    Outcome<void> stand_still() const;
    // True if it stands still, and lives.
    bool is_held() const;
    // For a program that looks at it meanwhile: the content of the file for core::LiveMode::Held.
    std::string held_threads() const;
    // Lets it continue. Returns the nanoseconds that it stood still, 0 if it did not.
    uint64_t let_go();
    // After stand_still(): where the frames of all threads stand in a file here, by offsets in it: of a return address
    // the last byte of the call; and which return addresses in the file their callers' frames have.
    std::map<uint64_t, std::set<uint64_t>> frames(const std::string &path, const std::string &build_id) const;
    // After stand_still(): why frames() has no frame of a function, with the threads whose stacks may have one.
    std::string why_no_frame() const;
    // Changes with what frames() gives of any file. As stand_still() does, it stops a process; "" where it cannot.
    std::string frames_stamp() const;
    // Returns why find() finds none.
    std::string why_none(const std::string &name) const;
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
