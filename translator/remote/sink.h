// SPDX-License-Identifier: GPL-2.0-or-later
// Where the output of many hosts goes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tapir::remote {

// A descriptor that is written to as fast as it takes, without ever waiting for it.
class Sink {
  public:
    explicit Sink(int fd) : fd_(fd) {}

    void add(std::string_view text);
    // Writes what goes at the moment; to be called when the descriptor is writable.
    void write();
    // Throws away what has yet to be written.
    void drop() { queue_.clear(); }
    // Call this when the reader has gone.
    void set_broken(int error);

    int descriptor() const { return fd_; }
    bool empty() const { return queue_.empty(); }
    // So much waits that no more should be read.
    bool full() const { return queue_.size() >= kFull; }
    // errno of the write that failed, after which everything is thrown away; 0.
    int error() const { return error_; }

  private:
    static constexpr size_t kFull = 1 << 20;

    int fd_;
    int error_ = 0;
    std::string queue_;
};

}  // namespace tapir::remote
