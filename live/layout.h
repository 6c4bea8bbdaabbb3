// SPDX-License-Identifier: GPL-2.0-or-later
// Tables as lines that fit a screen.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "live/live_table.h"
#include "live/row_places.h"

namespace tapir::live {

enum class Style : uint8_t { Plain, Head, Bold, Dim, Bad, Reverse };

struct Line {
    std::string text;  // with nothing that a terminal would obey
    Style style = Style::Plain;
};

struct Frame {
    size_t width = 100;  // columns of the screen
    bool utf8 = true;
};

// Columns become wider and never narrower, so that they do not move either.
class TableLayout {
  public:
    // The head, and the rows from the `first` one on, `most` of them at most. Names are cut in their middle where there
    // is no room, then the last columns of numbers go. The head of the column that sorts has a mark.
    std::vector<Line> lines(const Table &table, const std::vector<size_t> &order, const Sort &sort, size_t first,
                            size_t most, const Frame &frame);

  private:
    std::vector<size_t> widths_;
    std::vector<std::string> names_;
};

// A text as a terminal may get it, at most `width` columns of it: the middle is cut out, control characters and bytes
// that are no characters are \xhh.
std::string fitted(std::string_view text, size_t width, const Frame &frame);
// The same, with blanks to exactly `width`, at the side that `right` says.
std::string padded(std::string_view text, size_t width, bool right, const Frame &frame);

}  // namespace tapir::live
