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
class Remains;
}

namespace tapir::target {

class CorePrograms {
  public:
    // Of a core file, with the options --sysroot and --exec, both "" where they are not given. Faults: those of
    // core::Remains::open().
    static Outcome<std::unique_ptr<CorePrograms>> open(const std::string &core, const std::string &sysroot,
                                                       const std::string &program);
    // Of a process that lives. Faults: those of core::Remains::of_process().
    static Outcome<std::unique_ptr<CorePrograms>> of_process(int64_t pid, const std::string &program);
    ~CorePrograms();

    // Is it a process that lives, not a core file?
    bool lives() const;

    int64_t pid() const;
    // The path here of the program that the process ran; "", and why, when it is not here.
    std::string program(std::string &why) const;
    // The paths here of the mapped files that a name means: a path, a pattern, a name without directories, a build-id,
    // or a file here that is a copy of one. Sorted, each once; none of those that are not here.
    std::vector<std::string> find(const std::string &name) const;
    // Where the frames of all threads stand in a file here, by offsets in it: of a return address the last byte of the
    // call; and which return addresses in the file their callers' frames have.
    std::map<uint64_t, std::set<uint64_t>> frames(const std::string &path, const std::string &build_id) const;
    // Changes with what frames() gives of any file.
    std::string frames_stamp() const;
    // Why find() finds none.
    std::string why_none(const std::string &name) const;

  private:
    using Place = std::pair<uint32_t, uint64_t>;  // a file that was mapped, and an offset in it
    using AllFrames = std::map<Place, std::set<Place>>;
    const AllFrames &all_frames() const;
    explicit CorePrograms(std::unique_ptr<core::Remains> remains, std::string sysroot);
    std::vector<uint32_t> mapped(const std::string &name) const;

    std::unique_ptr<core::Remains> remains_;
    std::string sysroot_;
    mutable std::optional<AllFrames> frames_;
};

}  // namespace tapir::target
