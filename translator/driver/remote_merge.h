// SPDX-License-Identifier: GPL-2.0-or-later
// --merge: one report of all hosts of --remote.
#pragma once

#include "merge/host_merge.h"
#include "options/options.h"
#include "remote/fleet.h"

namespace tapir::driver {

class RemoteMerge {
  public:
    explicit RemoteMerge(const Options &options);
    RemoteMerge(const RemoteMerge &) = delete;
    RemoteMerge &operator=(const RemoteMerge &) = delete;

    // The hosts' records come here. `fleet` must not outlive this object.
    void attach(remote::FleetOptions &fleet);
    // Writes the report, and the capture and the picture that the user wants. The exit status.
    int finish(const remote::FleetResult &result);

  private:
    void take_event(uint32_t host, std::string_view line, const nlohmann::json &record);
    int write_report(int status);
    int keep_samples();
    void tell_cost() const;

    const Options &options_;
    std::string events_;  // of the line that is being taken, as they will appear
    merge::Merge merge_;
};

}  // namespace tapir::driver
