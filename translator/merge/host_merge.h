// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The records of many hosts (docs/output.md), as one report. Records are taken as they arrive and not kept: counters,
 * statistics, histograms, tables and stacks of all hosts add up, and for each host there is one number of each. So the
 * memory is that of one host's report and of the differences, within the limits of Room.
 */
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "merge/hosts.h"
#include "merge/merged_tables.h"
#include "merge/samples.h"

namespace tapir::merge {

// The most lines that are no records, or contradict others, until a host is given up.
constexpr uint64_t kMostBad = 1000;

class Merge {
  public:
    // `events` gets triggers and what is recalled, which cannot be added up, as they come.
    using Events = std::function<void(uint32_t host, std::string_view line, const nlohmann::json &record)>;
    Merge(std::vector<std::string> hosts, Events events, const Limits &limits = {});

    // The host's script is started. Times are ns of our calendar clock.
    void launched(uint32_t host, int64_t now) { hosts_[host].launched = now; }
    // Takes a line of a host. The result is why nothing more is to be taken from it; "" usually.
    std::string record(uint32_t host, std::string_view line, int64_t now);
    // The host has ended: with a problem, or with a note.
    void ended(uint32_t host, const std::string &problem, const std::string &note);

    const Hosts &hosts() const { return hosts_; }
    const Tables &tables() const { return tables_; }
    const Samples &samples() const { return samples_; }
    const std::string &tapir() const { return tapir_; }  // of the first "meta"
    uint64_t records() const { return records_; }
    uint64_t bytes() const { return bytes_; }

    struct Outlier {
        const Spread *figure = nullptr;
        Spread::Far far;
    };
    // Hosts far from others, the farthest first.
    std::vector<Outlier> outliers() const;

  private:
    std::string take(uint32_t host, const std::string &type, const nlohmann::json &record, std::string_view line,
                     int64_t now);
    std::string complain(uint32_t host, const std::string &why);

    Events events_;
    Room room_;
    Hosts hosts_;
    Tables tables_;
    Samples samples_;
    std::string tapir_;
    uint64_t records_ = 0, bytes_ = 0;
};

// The report for people, as wide as the screen of `fd`.
std::string render_text(const Merge &merge, int fd);
// The report as records (docs/fleets.md), with the exit status at their end. Each goes to `write`.
void write_records(const Merge &merge, int status, const std::function<void(const std::string &line)> &write);

}  // namespace tapir::merge
