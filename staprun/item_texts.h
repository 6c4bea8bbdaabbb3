// SPDX-License-Identifier: GPL-2.0-or-later
// Makes the text of records whose handlers left that to staprun (TAPIR_REC_PRINT).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

extern "C" {
#include <tapir/items.h>
}

#include "module_control.h"

namespace tapir::staprun {

class ItemTexts {
  public:
    explicit ItemTexts(Control &control) : control_(control) {}
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

    Control &control_;
    std::vector<tapir_item_format> formats_;  // by number; `pieces` is null while it is unknown
    std::vector<std::string> descriptions_;   // which these point into
    std::string text_;
    uint64_t bytes_damaged_ = 0;
};

}  // namespace tapir::staprun
