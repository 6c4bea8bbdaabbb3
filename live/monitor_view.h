// SPDX-License-Identifier: GPL-2.0-or-later
// Pages, keys and lines of a live view of a session with --monitor, besides its tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "live/layout.h"
#include "live/live_table.h"
#include "live/model.h"

namespace tapir::live {

// Contents of the screen.
enum class Page : uint8_t {
    Overview,  // probes and globals, and the last lines of the output
    Tables,    // of the script, and arrays with an element in each row
    Output,
};

bool is_on_page(Table::Source source, Page page);
// The page that a key asks for; the same one if it asks for none.
Page page_by_key(int key, Page page);

// The command for the session that a key asks for with a row of a table chosen; "": for none. `probes`: the table of
// probes.
std::string command_by_key(int key, const Table &table, const Row *row, const Table &probes);

// "kernel 6.1.0  staprun 4711  module 253 kB  arrays 2.0 MB"
Line session_line(const Model &model, const Frame &frame);
// Explain keys: in the line at the bottom, and on the sheet.
std::vector<std::string> monitor_keys(bool paused);
std::vector<std::string> monitor_sheet();

// The last lines of the output, so many of them, `back` lines before the end.
std::vector<Line> output_lines(const Model &model, size_t rows, size_t &back, const Frame &frame);

// The row that keys mean. Other rows may come and go.
class Choice {
  public:
    // The place of the row among `order`; the first one if it is gone.
    size_t place(const Table &table, const std::vector<size_t> &order);
    void move(const Table &table, const std::vector<size_t> &order, int64_t by);

  private:
    std::string key_;
};

}  // namespace tapir::live
