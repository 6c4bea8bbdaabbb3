// SPDX-License-Identifier: GPL-2.0-or-later
// This machine as the subject of a script: its processes run on, and its files are looked for.
#pragma once

#include <functional>

#include "target/script_subject.h"

namespace tapir::target {

class RunningMachine : public Subject {
  public:
    // `find_target` finds the process that the run is about; empty: there is none. Paths of programs begin with `root`
    // (target/process_root.h).
    explicit RunningMachine(std::function<ProgramTarget()> find_target = {}, std::string root = {})
        : find_target_(std::move(find_target)), root_(std::move(root)) {}

    ProgramTarget target() const override { return find_target_ ? find_target_() : ProgramTarget(); }
    bool stands_still() const override { return false; }
    bool has_kernel() const override { return true; }
    std::vector<std::string> find(const std::string &name) const override;
    NotFound why_none(const std::string &name) const override;
    std::string program_of(int64_t pid) const override;
    std::string why_no_program(int64_t pid) const override;
    std::string program(std::string &why) const override;
    std::string why_no_frames() const override;
    Outcome<void> stand_still() const override { return {}; }
    std::map<uint64_t, std::set<uint64_t>> frames(const std::string &, const std::string &) const override {
        return {};
    }
    std::string why_no_frame() const override { return why_no_frames(); }
    std::string frames_stamp() const override { return {}; }

  private:
    std::function<ProgramTarget()> find_target_;
    std::string root_;
};

}  // namespace tapir::target
