// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unwind tables of files that were made before, so that stacks of the next session are whole from the first one on. A
 * table is found by the file itself: device, inode, size, time of change and path. No other user can make a file that
 * is taken for one of these, whatever build-id it claims.
 */
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tapir::staprun {

class TableCache {
  public:
    // In this directory, which is made if need be; it must be the caller's alone. "": nothing is kept. `flavour` tells
    // tables apart that are made of the same file in other ways.
    TableCache(std::string directory, std::string flavour)
        : directory_(std::move(directory)), flavour_(std::move(flavour)) {}

    // The table of an open file, known by this path. False: there is none that still holds.
    bool load(int descriptor, const std::string &path, std::string &block) const;
    // What cannot be stored is made again the next time.
    void store(int descriptor, const std::string &path, std::string_view block);

    // Bytes of all tables above which the oldest are removed.
    static constexpr uint64_t kMost = 256u << 20;

  private:
    bool prepare();
    void make_room() const;

    std::string directory_, flavour_;
    bool prepared_ = false;
};

}  // namespace tapir::staprun
