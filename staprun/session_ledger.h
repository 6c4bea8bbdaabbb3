// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The accounting of a session. Equations, per probe, per stream and for all calls:
 *     hits     = handled + skipped for each reason          (missed: what the kernel never delivered, not in hits)
 *     produced = delivered + dropped + left                 (left: still in the buffer when staprun went away early)
 *     followed = returned + left + inside + missed          (calls in programs whose entry left something for the
 * return) and, over all streams, delivered = what staprun read (when it was the only reader).
 */
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "module_control.h"

namespace tapir::staprun {

struct OutputTotals {
    uint64_t bytes_written = 0;  // of script output, without record headers
    uint64_t bytes_lost = 0;     // could not be written
    uint64_t bytes_read = 0;     // of records, headers and padding included
    uint64_t bytes_damaged = 0;
    uint64_t running_ns = 0;  // how long probes were armed; 0: not known
    bool from_start = true;   // false after attaching: earlier readers took part of the records
};

// The figures that a program needs before it relies on the figures of a session.
struct SessionQuality {
    bool complete = false;  // nothing was lost, no error was met, and every walk and text is whole
    uint64_t hits = 0, lost_hits = 0, errors = 0;
    uint64_t lost_records = 0;  // of output and messages
    uint64_t cut_texts = 0;
    uint64_t lost_events = 0;                // of @recall
    uint64_t walks = 0, complete_walks = 0;  // of user stacks
    uint64_t refused_stacks = 0;
    uint64_t lost_samples = 0;  // for which their array had no room
    uint64_t left_out = 0;      // hits, by the budget
    uint64_t stretched = 0;     // hits at a longer period, because of the budget
    bool estimated = false;     // samples count for what was left out, too
};

// The time that the hits of a probe took of all processors: the handlers, by those that were measured, and the
// estimated way to them.
struct Overhead {
    uint64_t way_ns = 0, handlers_ns = 0;
    uint64_t ns() const { return way_ns + handlers_ns; }
    Overhead &operator+=(const Overhead &other) {
        way_ns += other.way_ns;
        handlers_ns += other.handlers_ns;
        return *this;
    }
};
Overhead overhead_of(const tapir_ioc_probe &probe);
// A probe's part of the accounting, as an object of JSON.
std::string probe_json(const tapir_ioc_probe &probe);

class Ledger {
  public:
    // Asks the module. Returns 0 or errno.
    int collect(Control &control, const tapir_ioc_hello &hello);
    void set_output(const OutputTotals &totals) { output_ = totals; }

    uint64_t errors() const { return status_.errors; }
    bool fatal() const { return status_.fatal != 0; }
    uint64_t control_records_lost() const;
    // Hits in which no handler ran though the session was running: re-entry, locks, stack, missed.
    uint64_t skipped() const;
    uint64_t records_dropped() const;
    // Output that was produced and did not reach its end.
    bool output_lost() const;
    // That, or skipped hits.
    bool anything_lost() const { return output_lost() || skipped(); }
    // The equations hold.
    bool balanced() const;

    // Text for stderr: a line per row that lost something, and the sums.
    std::string text() const;
    // How many walks of user stacks were complete, and why others were not; "" if all were.
    std::string user_stacks() const;
    // How many texts were cut since a string has no room for more, and what helps; "" if none.
    std::string cut() const;
    // Likewise of events of @recall that are lost.
    std::string recalls() const;
    // How many walks found no room to keep their stack, and what helps; "" if none.
    std::string stacks_refused() const;
    uint64_t refused_stacks() const { return stacks_.refused; }
    // How many samples found no room in their array, and what helps; "" if none.
    std::string samples_lost() const;
    uint64_t lost_samples() const { return cut_.samples; }
    // A line for each probe of which the budget left out hits, the most first, and one for further ones after five.
    std::vector<std::string> left_out() const;
    // "1,989 hits = 1,989 handled + 0 skipped; 14.2 KiB written, 0 lost": one line.
    std::string summary() const;
    // "overhead: 3.2 % of one processor: ...", while probes were armed. "" if there is none, or that time is not known.
    std::string overhead() const;
    // "Skipped due to ..." of -t, one line each.
    std::vector<std::string> skip_reasons() const;
    std::string json() const;
    SessionQuality quality() const;

    const std::vector<tapir_ioc_probe> &probes() const { return probes_; }

  private:
    std::string module_;
    std::vector<tapir_ioc_probe> probes_;
    std::vector<tapir_ioc_stream> streams_;
    tapir_ioc_status status_ = {};
    OutputTotals output_;
    bool has_user_stacks_ = false;
    tapir_ioc_unwind_count user_stacks_ = {};
    bool has_calls_ = false;
    tapir_ioc_calls calls_ = {};
    tapir_ioc_cut cut_ = {};
    bool has_stacks_ = false;
    tapir_ioc_stacks stacks_ = {};
};

}  // namespace tapir::staprun
