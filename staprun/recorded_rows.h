// SPDX-License-Identifier: GPL-2.0-or-later
// The rows of tables (@row) that a capture keeps, as the session prints them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "capture/capture_records.h"
#include "item_texts.h"
#include "recording.h"
#include "records.h"

namespace tapir::staprun {

class RecordedRows {
  public:
    explicit RecordedRows(Recording &recording) : recording_(recording) {}

    // The tables of the script, also those that will have no rows.
    void declare(const std::vector<const tapir_item_format *> &tables);
    // A record comes, and then its items.
    void begin(const Record &record);
    void take(const Item &item);
    // Once a second the capture gets what there is. When that is due; UINT64_MAX: there is nothing.
    void flush(uint64_t now);
    uint64_t due() const;
    uint64_t count() const { return count_; }

  private:
    // Null: the format is damaged.
    const capture::Table *head(const tapir_item_format &format);

    Recording &recording_;
    std::map<unsigned, capture::Table> heads_;  // by the numbers of formats
    capture::TableRow row_;
    uint64_t count_ = 0, flushed_count_ = 0, flushed_ = 0;
};

}  // namespace tapir::staprun
