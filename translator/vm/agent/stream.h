// SPDX-License-Identifier: GPL-2.0-or-later
// One direction of one stream: what was read and not written yet, and how much has passed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tapir::vm::agent {

// Never reads before all it has read is written, so a slow end slows the other and memory stays bounded.
class Stream {
  public:
    int from = -1, to = -1;  // non-blocking; -1 = closed

    bool empty() const { return begin_ == end_; }
    bool wants_input() const { return from >= 0 && empty(); }
    bool wants_output() const { return to >= 0 && !empty(); }
    // Reads once, at most `limit` bytes. False when the source has ended.
    bool fill(uint64_t limit = UINT64_MAX);
    // Writes what it can. False when the sink is gone; what was buffered is dropped then.
    bool drain();
    // Bytes read from `from` and bytes written to `to`, over the life of this object.
    uint64_t bytes_in() const { return bytes_in_; }
    uint64_t bytes_out() const { return bytes_out_; }
    void clear() { begin_ = end_ = 0; }

  private:
    char buffer_[32768];
    size_t begin_ = 0, end_ = 0;
    uint64_t bytes_in_ = 0, bytes_out_ = 0;
};

}  // namespace tapir::vm::agent
