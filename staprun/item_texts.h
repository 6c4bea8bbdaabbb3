// SPDX-License-Identifier: GPL-2.0-or-later
// Makes the text of records whose handlers left that to staprun (TAPIR_REC_PRINT).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" {
#include <tapir/items.h>
}

#include "module_control.h"

namespace tapir::staprun {

class ItemTexts {
  public:
    // `make_tables` makes the unwind tables that are wanted; false: none was.
    explicit ItemTexts(Control &control, std::function<bool()> make_tables)
        : control_(control), make_tables_(std::move(make_tables)) {}
    ~ItemTexts();
    ItemTexts(const ItemTexts &) = delete;
    ItemTexts &operator=(const ItemTexts &) = delete;

    // The text of a record's payload, valid until the next call. What is behind an item that is damaged, or whose
    // format the module does not have, is left out and counted.
    std::string_view text(std::string_view payload);

    // Bytes of payloads that no text could be made of.
    uint64_t bytes_damaged() const { return bytes_damaged_; }

  private:
    bool learn(unsigned number);
    void make_room(size_t used, size_t more);
    bool add_lines(const tapir_item_frames &frames, size_t &used);

    Control &control_;
    std::function<bool()> make_tables_;
    std::vector<tapir_item_format> formats_;  // by number; `pieces` is null while it is unknown
    std::vector<std::string> descriptions_;   // which these point into
    std::string text_;
    uint64_t bytes_damaged_ = 0;
};

}  // namespace tapir::staprun
