// SPDX-License-Identifier: GPL-2.0-or-later
// The lines of a live view, and how keys change them. Knows nothing of terminals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "live/layout.h"
#include "live/model.h"
#include "live/monitor_view.h"
#include "live/row_places.h"

namespace tapir::live {

// Keys that are no characters.
enum Key : int {
    kKeyUp = 0x110000,
    kKeyDown,
    kKeyPageUp,
    kKeyPageDown,
    kKeyHome,
    kKeyEnd,
    kKeyBackTab,
    kKeyBackspace,
};

struct DisplaySettings {
    std::string title;         // what is watched; "": the records say
    uint64_t interval_ms = 0;  // 0: not known
    size_t top = 0;            // rows of each table; 0: all
};

class Display {
  public:
    explicit Display(DisplaySettings settings) : settings_(std::move(settings)) {}

    // Exactly `rows` lines.
    std::vector<Line> screen(const Model &model, size_t rows, const Frame &frame);
    // All tables, or their first `top` rows, a line each.
    std::string tables_text(const Model &model, const Frame &frame);
    // Those that changed since the last call, below a line that says when; "" if none did.
    std::string changes_text(const Model &model, const Frame &frame);

    // False: the view is to be left.
    bool press(int key);
    // Returns a line for the session, which asks for something; "": nothing is asked.
    std::string take_command() { return std::exchange(command_, {}); }
    // Something that standard error said. It stays in sight until a key is pressed.
    void say(const std::string &message) { messages_.push_back(message); }
    const std::vector<std::string> &messages() const { return messages_; }
    void leaving() { is_leaving_ = true; }

  private:
    struct Shown {
        Table table;
        Places places;
        TableLayout layout;
        Sort sort;
        bool is_sorted = false;  // the user chose a sort
        size_t first = 0;        // row at the top
        Choice choice;           // of probes and globals: the row that keys mean
        uint64_t told = 0;       // block that changes_text() wrote
        size_t told_rows = 0;    // of a log
    };
    using Id = std::pair<std::string, Table::Source>;

    void take(const Model &model);
    Shown *selected();
    std::string note();
    bool press_monitor(int key);
    Sort sort_of(const Shown &shown) const;
    Line head(const Model &model, const Frame &frame) const;
    Line foot(const Frame &frame) const;
    std::vector<Line> page(const Model &model, size_t room, const Frame &frame);
    std::vector<Line> tables(size_t rows, const Frame &frame);
    std::vector<Line> table(Shown &shown, size_t rows, bool titled, const Frame &frame);
    void scroll(int64_t by);
    void next_sort(int by);
    void edit(int key);
    std::string losses(const Model &model) const;

    DisplaySettings settings_;
    std::map<Id, Shown> known_;
    std::vector<Id> order_, shown_;     // all tables, and those of the page
    Page page_shown_ = Page::Overview;  // with --monitor
    size_t back_ = 0;                   // lines of output below the screen
    bool monitors_ = false;
    std::string filter_, typed_, command_;
    std::vector<std::string> messages_;
    size_t selected_ = 0, messages_read_ = 0, page_ = 10;
    bool paused_ = false, is_typing_ = false, is_setting_ = false, has_sheet_ = false, is_leaving_ = false;
};

}  // namespace tapir::live
