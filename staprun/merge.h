// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Merges the records of all streams in the order of time.
 *
 * A round takes a snapshot at time T, which makes every record with time <= T readable, and delivers exactly those,
 * smallest time first. It reads a stream in pieces, the next one only when the last one is used up. So memory is
 * bounded by one piece per stream, independent of the kernel's buffers. Records beyond the snapshot that a piece
 * contains stay for the next round.
 */
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "module_control.h"
#include "records.h"

namespace tapir::staprun {

class Merger {
  public:
    // False: stop delivering (somebody asked to leave at once).
    using Sink = std::function<bool(const Record &)>;

    Merger(Control &control, unsigned cpus);

    struct Round {
        int error = 0;           // errno of the module, 0 = fine
        uint64_t delivered = 0;  // records handed to the sink
        uint32_t state = 0;      // enum tapir_state at the snapshot
        uint64_t time = 0;       // of the snapshot
        bool abandoned = false;  // the sink said stop
        bool complete = false;   // everything that was readable is delivered
    };
    // Delivers all due records; in state DONE these are all that are left. With `waits`, the module makes its control
    // file readable for the next record. If the round then delivers nothing and is complete, the caller need not look
    // before.
    Round round(const Sink &sink, bool waits = false);

    // All bytes of records read so far, which the module counts as delivered.
    uint64_t bytes_read() const { return bytes_read_; }
    // Bytes that were not records and were thrown away.
    uint64_t bytes_damaged() const { return bytes_damaged_; }

  private:
    struct Stream {
        uint32_t stream = 0;
        uint32_t cpu = 0;
        std::string buffer;     // allocated when the stream has its first record
        std::string_view rest;  // unread part of buffer
        uint64_t last_time = 0;
        Record head;
        bool has_head = false;
        bool drained = false;  // nothing more up to this round's snapshot
    };

    int advance(Stream &stream);  // makes `head` the next record if there is one
    int refill(Stream &stream);
    bool later(uint32_t a, uint32_t b) const;
    int gather(std::vector<uint32_t> &heap);

    Control &control_;
    std::vector<Stream> streams_;
    std::string scratch_;
    uint64_t bytes_read_ = 0;
    uint64_t bytes_damaged_ = 0;
};

}  // namespace tapir::staprun
