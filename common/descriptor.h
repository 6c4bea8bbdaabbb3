// SPDX-License-Identifier: GPL-2.0-or-later
// File descriptors that are closed when their owner goes.
#pragma once

#include <string_view>
#include <utility>

namespace tapir {

// Descriptors that a child gets under other numbers have at least this one in the parent, so that none is overwritten
// while they are put in place.
inline constexpr int kLowestKeptDescriptor = 10;

class Descriptor {
  public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    Descriptor(Descriptor &&other) noexcept : fd_(other.release()) {}
    Descriptor &operator=(Descriptor &&other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor() { reset(); }
    // Returns -1 if it is empty.
    int get() const { return fd_; }
    // The caller closes it from now on.
    int release() { return std::exchange(fd_, -1); }
    // Closes it; errno stays as it is.
    void reset();

  private:
    int fd_;
};

// A duplicate, closed on exec, that is kLowestKeptDescriptor or more; none, with errno, if there cannot be one.
Descriptor kept_duplicate(int fd);

// Both ends of a pipe, closed on exec and kLowestKeptDescriptor or more. False, with errno, if there cannot be one.
bool make_pipe(Descriptor &read, Descriptor &write);

// A file in memory (memfd_create(2)) with `text` in it, to be read from the beginning; closed on exec and
// kLowestKeptDescriptor or more. None, with errno, if it cannot be made.
Descriptor memory_file(const char *name, std::string_view text);

}  // namespace tapir
