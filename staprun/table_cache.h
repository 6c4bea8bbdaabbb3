// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unwind tables of files, kept from earlier sessions, so that stacks are complete from the start. The key of a table is
 * the file itself: device, inode, size, time of change and path. No other user can make a file that matches such a key,
 * with any build-id.
 */
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tapir::staprun {

class TableCache {
  public:
    // Keeps tables in this directory, which is created if need be; it must be the caller's alone. "": keeps none.
    // `flavour` distinguishes tables that are made of the same file in other ways.
    TableCache(std::string directory, std::string flavour)
        : directory_(std::move(directory)), flavour_(std::move(flavour)) {}

    // Loads the table of an open file, known by this path. False if no valid table is kept.
    bool load(int descriptor, const std::string &path, std::string &block) const;
    // Stores a table. On failure the next session makes it again.
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
