// SPDX-License-Identifier: GPL-2.0-or-later
// The memory of a process that lives, in blocks that are kept once they were read: a list does not cost a system call
// for each of its members.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/descriptor.h"
#include "core/core_file.h"

namespace tapir::core {

class LiveMemory {
  public:
    // How many pages of a process that runs on are kept beside the blocks: scripts see them unchanged.
    static constexpr uint64_t kKeptPages = uint64_t{1} << 18;  // 1 GB
    // `ranges` are the process's mappings, ascending; they must outlive this, and may change. `kept` is 0 for a process
    // that stands still.
    LiveMemory(pid_t pid, const std::vector<Segment> &ranges, uint64_t kept);
    ~LiveMemory();
    LiveMemory(const LiveMemory &) = delete;
    LiveMemory &operator=(const LiveMemory &) = delete;

    // The first bytes of a range, at least one and at most up to the next page: how many; 0: they cannot be read, and
    // error() says why.
    uint32_t read_some(void *to, uint64_t address, uint32_t length);
    // 0, or errno of the last read that gave nothing.
    int error() const { return error_; }
    // True if more pages were read than are kept: later reads of a page may then differ.
    bool has_lost() const { return has_lost_; }
    // Drops all pages, so that later reads fetch them again.
    void forget();

  private:
    bool is_here(uint64_t page) const;
    void put_away(uint64_t page);
    bool load(uint64_t page);
    bool take(uint64_t from, uint64_t to, uint64_t page);
    size_t fetch(uint64_t address, char *to, size_t length);

    pid_t pid_, holder_;  // a thread that has not ended
    const std::vector<Segment> &ranges_;
    char *blocks_ = nullptr;         // of page N at N % kPages
    std::vector<uint64_t> present_;  // page + 1 of each block; 0: empty
    // Pages that others have taken the place of.
    std::unordered_map<uint64_t, std::unique_ptr<char[]>> kept_;
    uint64_t most_kept_;
    bool has_lost_ = false;
    uint64_t last_ = 0;  // the page that was fetched last
    int error_ = 0;
    bool by_file_ = false;  // process_vm_readv(2) is not to be had
    Descriptor file_;       // /proc/PID/mem
};

}  // namespace tapir::core
