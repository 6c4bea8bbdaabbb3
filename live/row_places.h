// SPDX-License-Identifier: GPL-2.0-or-later
// Which row of a table stands where. Rows do not jump: each keeps its place for two refreshes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "live/live_table.h"

namespace tapir::live {

struct Sort {
    int column = -1;  // -1: as the script printed them; a log has its last row first
    bool ascending = false;

    bool operator==(const Sort &) const = default;
};

class Places {
  public:
    // Indices of the table's rows that contain `filter`, in the order in which they stand. To be called for each block
    // that is looked at.
    const std::vector<size_t> &order(const Table &table, const Sort &sort, const std::string &filter);

  private:
    std::vector<std::string> keys_of_rows(const Table &table) const;

    std::vector<std::string> keys_;  // of the rows, from the top
    std::vector<size_t> order_;
    Sort sort_;
    std::string filter_;
    uint64_t block_ = 0;
    unsigned kept_ = 0;  // blocks since rows were sorted
};

}  // namespace tapir::live
