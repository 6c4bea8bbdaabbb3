// SPDX-License-Identifier: GPL-2.0-or-later
// The subject of a script, for pass 2: the processes and files that the names in its probe points mean.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/outcome.h"

namespace tapir::target {

// The process that a run is about.
struct ProgramTarget {
    std::string program;  // path of its file; "" if it has none
    std::string missing;  // why `program` is ""
    int64_t pid = 0;      // of a process that runs already
};

// Why a name means no file, and advice, or "".
struct NotFound {
    std::string why, help;
};

class Subject {
  public:
    virtual ~Subject() = default;

    // The process that `process` alone means. Asked when a script names it.
    virtual ProgramTarget target() const = 0;
    // True if its processes do not run while the script looks at them. All files that they have mapped are known then.
    virtual bool stands_still() const = 0;
    // True if a kernel is looked at, and not a process alone.
    virtual bool has_kernel() const = 0;

    // The paths here of the programs that a name means: a path, a pattern, a name without directories or a build-id.
    // Sorted, each once.
    virtual std::vector<std::string> find(const std::string &name) const = 0;
    // Returns why find() finds none.
    virtual NotFound why_none(const std::string &name) const = 0;
    // The program of a process; "" if it is not known here.
    virtual std::string program_of(int64_t pid) const = 0;
    // Returns why program_of() finds none.
    virtual std::string why_no_program(int64_t pid) const = 0;
    // The path here of the program of the only process; "", and why, when it is not here. "" without a reason where
    // there are many.
    virtual std::string program(std::string &why) const = 0;

    // Returns why the places of threads are unknown, or "".
    virtual std::string why_no_frames() const = 0;
    // From now on threads stand where frames() says, until this program lets them go or ends. Only if why_no_frames()
    // is "". Faults: the process cannot be stopped.
    virtual Outcome<void> stand_still() const = 0;
    // After stand_still(): where the frames of all threads stand in a file here, by offsets in it: of a return address
    // the last byte of the call; and which return addresses in the file their callers' frames have.
    virtual std::map<uint64_t, std::set<uint64_t>> frames(const std::string &path,
                                                          const std::string &build_id) const = 0;
    // After stand_still(): why frames() has no frame of a function, with the threads whose stacks may have one.
    virtual std::string why_no_frame() const = 0;
    // Changes with what frames() gives of any file. As stand_still() does, it stops a process; "" where it cannot.
    virtual std::string frames_stamp() const = 0;
};

}  // namespace tapir::target
