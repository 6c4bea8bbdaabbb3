// SPDX-License-Identifier: GPL-2.0-or-later
// An ELF core file (System V ABI, generic part; core(5)): the memory and the notes that it has. Nothing in it is
// trusted: it may have been made to be read here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/outcome.h"

namespace tapir::core {

// A range of the process's addresses.
struct Segment {
    uint64_t start = 0, end = 0;
    std::string_view content;  // from `start` on, as far as the file has it; at most end - start bytes
    uint64_t dumped = 0;       // bytes that were written; the rest was as in the mapped file
    bool executable = false, writable = false;
};

class CoreFile {
  public:
    CoreFile() = default;
    CoreFile(CoreFile &&other) noexcept;
    CoreFile &operator=(CoreFile &&other) noexcept;
    ~CoreFile();

    // Maps a file. Reading a segment raises SIGBUS if the file was cut off meanwhile.
    // Faults: CoreUnreadable, CoreNotOne, CoreForeign, CoreDamaged.
    static Outcome<CoreFile> open(const std::string &path);
    // The same of bytes in memory, which must outlive the result.
    static Outcome<CoreFile> parse(std::string_view bytes);

    // Ascending, not overlapping.
    const std::vector<Segment> &segments() const { return segments_; }
    // The contents of the PT_NOTE segments, as far as the file has them.
    const std::vector<std::string_view> &notes() const { return notes_; }
    // How many bytes are beyond the end of the file that its headers speak of; 0: it is whole.
    uint64_t missing_bytes() const { return missing_bytes_; }

  private:
    Outcome<void> read();

    std::string_view bytes_;
    void *mapped_ = nullptr;
    std::vector<Segment> segments_;
    std::vector<std::string_view> notes_;
    uint64_t missing_bytes_ = 0;
};

}  // namespace tapir::core
