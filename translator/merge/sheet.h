// SPDX-License-Identifier: GPL-2.0-or-later
// A table for people, as text.
#pragma once

#include <string>
#include <string_view>

#include "merge/figures.h"

extern "C" {
#include "items/table.h"
}

namespace tapir::merge {

class Sheet {
  public:
    explicit Sheet(const tapir_screen &screen) : screen_(screen) {}
    ~Sheet() { tapir_table_free(&table_); }
    Sheet(const Sheet &) = delete;
    Sheet &operator=(const Sheet &) = delete;

    // Heads are shown in capitals.
    void column(tapir_column kind, std::string_view head);
    void cell(std::string_view text);
    // A number without a unit has all digits, others three digits and the unit.
    void number(Wide number, const std::string &unit);
    std::string text() const;

  private:
    const tapir_screen &screen_;
    tapir_table table_ = {};
};

std::string number_text(const tapir_screen &screen, Wide number, const std::string &unit);

}  // namespace tapir::merge
