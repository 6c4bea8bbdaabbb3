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

#include "items/globals_table.h"
#include "items/histogram_table.h"
#include "items/row_text.h"
}

#include "module_control.h"

namespace tapir::staprun {

// An item of a record's payload.
struct Item {
    u16 number = 0;
    const tapir_item_format *format = nullptr;  // if that is a format's
    std::string_view bytes;                     // all of it
};

class ItemTexts {
  public:
    // `make_tables` makes the unwind tables that are wanted; false: none was. `stdout_descriptor` tells where the text
    // goes, -1: to files. Pictures are as wide as a terminal there.
    explicit ItemTexts(Control &control, std::function<bool()> make_tables, std::function<int()> stdout_descriptor)
        : control_(control), make_tables_(std::move(make_tables)), stdout_descriptor_(std::move(stdout_descriptor)) {}
    ~ItemTexts();
    ItemTexts(const ItemTexts &) = delete;
    ItemTexts &operator=(const ItemTexts &) = delete;

    // The text of a record's payload, valid until the next call. The rest behind an item that is damaged, or whose
    // format the module does not have, is left out and counted.
    std::string_view text(std::string_view payload);

    // Takes the next item off a payload. False: that was all, or the rest is damaged, and is counted.
    bool next(std::string_view &payload, Item &item);
    // The text that printf makes of an item, or the lines of its stack; "" of a histogram. Valid until the next call.
    std::string_view plain(const Item &item);
    // The tables that scripts declare, each by the format of some row, of the first so many formats of the module.
    std::vector<const tapir_item_format *> tables(unsigned formats);
    // `watcher` gets each item that is taken off.
    void watch(std::function<void(const Item &)> watcher) { watcher_ = std::move(watcher); }

    // The waiting text: globals, before other output; with `all`, at the session's end, also tables of histograms whose
    // end did not come. Valid until the next call.
    std::string_view rest(bool all);
    // Tables of globals are lines as SystemTap has them, on a terminal, too.
    void print_plainly() { plain_ = true; }

    // Bytes of payloads that no text could be made of.
    uint64_t bytes_damaged() const { return bytes_damaged_; }
    void count_damaged(size_t bytes) { bytes_damaged_ += bytes; }

  private:
    bool learn(unsigned number);
    void make_room(size_t used, size_t more);
    bool add(const Item &item, size_t &used);
    void add_plain(const Item &item, size_t &used);
    void add_global(const Item &item, size_t &used);
    bool add_row(const Item &item, size_t &used);
    bool add_histogram(std::string_view item, size_t &used);
    bool draws_tables();
    void end_globals(size_t &used);
    void end_rows(size_t &used);
    bool add_picture(char *picture, size_t length, size_t &used);
    bool add_lines(const tapir_item_frames &frames, size_t &used);

    Control &control_;
    std::function<bool()> make_tables_;
    std::function<int()> stdout_descriptor_;
    std::function<void(const Item &)> watcher_;
    std::vector<tapir_item_format> formats_;  // by number; `pieces` is null while it is unknown
    std::vector<std::string> descriptions_;   // which these point into
    std::string text_;
    bool plain_ = false;
    tapir_globals_table globals_ = {};  // lines so far of a table
    tapir_histogram_rows rows_ = {};    // of tables that have not ended
    tapir_rows table_rows_ = {};        // of tables that scripts declare
    uint64_t bytes_damaged_ = 0;
};

}  // namespace tapir::staprun
