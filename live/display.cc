// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/display.h"

#include <algorithm>

#include "common/glyphs.h"
#include "live/measure.h"

namespace tapir::live {

namespace {

constexpr size_t kTitleLeast = 12;

std::string interval_text(uint64_t ms) {
    return ms % 1000 ? std::to_string(ms) + " ms" : std::to_string(ms / 1000) + " s";
}

// Are the rows in descending order of one of the columns?
bool is_descending(const Table &table) {
    for (size_t column = 0; column < table.columns.size(); column++) {
        if (table.columns[column].kind != ColumnKind::Number) continue;
        const auto less = [&](const Row &a, const Row &b) { return a[column].number < b[column].number; };
        if (std::adjacent_find(table.rows.begin(), table.rows.end(), less) == table.rows.end()) return true;
    }
    return false;
}

// Joins what fits into a line, the last parts left out.
std::string joined(const std::vector<std::string> &parts, size_t width) {
    std::string text;
    for (const std::string &part : parts) {
        const std::string longer = text.empty() ? part : text + "  " + part;
        if (columns(longer) > width) break;
        text = longer;
    }
    return text;
}

// Shares `rows` among tables that could use `wanted` each, none more than it wants.
std::vector<size_t> shares(const std::vector<size_t> &wanted, size_t rows) {
    std::vector<size_t> given(wanted.size(), 0);
    for (bool any = true; any && rows;) {
        any = false;
        for (size_t i = 0; i < wanted.size() && rows; i++) {
            if (given[i] >= wanted[i]) continue;
            given[i]++;
            rows--;
            any = true;
        }
    }
    return given;
}

}  // namespace

// While it pauses, the tables stay as they are.
void Display::take(const Model &model) {
    if (paused_) return;
    for (const Table *table : model.tables()) {
        const Id id{table->name, table->source};
        const auto [known, is_new] = known_.try_emplace(id);
        if (is_new) order_.push_back(id);
        if (is_new || known->second.table.block != table->block || known->second.table.time != table->time)
            known->second.table = *table;
    }
}

// With --top the largest rows come first.
Sort Display::sort_of(const Shown &shown) const {
    const Table &table = shown.table;
    const bool may_choose = settings_.top && !shown.is_sorted && table.source == Table::Source::Script && !table.is_log;
    if (!may_choose || is_descending(table)) return shown.sort;
    Sort sort;
    for (size_t i = 0; i < table.columns.size() && sort.column < 0; i++)
        if (table.columns[i].kind == ColumnKind::Number) sort.column = static_cast<int>(i);
    return sort;
}

std::string Display::losses(const Model &model) const {
    std::vector<std::string> lost;
    const auto add = [&](uint64_t count, const char *what) {
        if (count) lost.push_back(whole(count) + " " + what);
    };
    add(model.lost_hits(), "hits lost");
    add(model.lost_records(), "records lost");
    add(model.errors(), "errors");
    if (lost.empty()) return model.hits() ? whole(model.hits()) + " hits, none lost" : "none lost";
    std::string text;
    for (const std::string &one : lost)
        text += (text.empty() ? "" : ", ") + one;
    return text;
}

Line Display::head(const Model &model, const Frame &frame) const {
    std::vector<std::string> parts;
    if (is_leaving_) parts.emplace_back("ENDING");
    if (paused_) parts.emplace_back("PAUSED");
    const bool lossy = model.lost_hits() || model.lost_records() || model.errors();
    parts.push_back(losses(model));
    if (!filter_.empty()) parts.push_back("with \"" + fitted(filter_, 20, frame) + "\"");
    parts.push_back(duration(model.elapsed_ns()));
    if (settings_.interval_ms) parts.push_back("every " + interval_text(settings_.interval_ms));
    const std::string state = joined(parts, frame.width - std::min(frame.width, kTitleLeast + 2));
    const std::string title = settings_.title.empty() ? model.command() : settings_.title;
    const size_t room = frame.width - std::min(frame.width, columns(state) + 2);
    return {fitted(padded(title, room, false, frame) + "  " + state, frame.width, frame),
            lossy ? Style::Bad : Style::Reverse};
}

Line Display::foot(const Frame &frame) const {
    if (is_typing_)
        return {fitted((is_setting_ ? "NAME=VALUE: " : "filter: ") + typed_ + "_   Enter take, Escape leave out",
                       frame.width, frame),
                Style::Bold};
    const std::vector<std::string> keys = {
        "q leave", paused_ ? "p go on" : "p pause", "s sort", "/ filter", "Tab table", "? keys"};
    return {joined(keys, frame.width), Style::Dim};
}

std::vector<Line> Display::sheet(const Frame &frame) const {
    static constexpr const char *kSheet[] = {
        "q          leave; the session ends",
        "p, blank   pause the view, or go on; the session runs",
        "s, S       sort by the next column, or the one before",
        "i          invert the order",
        "/          show rows with a text alone; Escape: all",
        "e          set an option of the script that may change (live): NAME=VALUE",
        "Tab        the next table",
        "arrows, Page Up, Page Down, Home, End   scroll it",
        "?          this sheet",
    };
    std::vector<Line> lines;
    for (const char *line : kSheet)
        lines.push_back({fitted(line, frame.width, frame), Style::Plain});
    return lines;
}

std::vector<Line> Display::table(Shown &shown, size_t rows, bool titled, const Frame &frame) {
    const Sort sort = sort_of(shown);
    const std::vector<size_t> &order = shown.places.order(shown.table, sort, filter_);
    std::vector<Line> lines;
    if (titled && rows > 2) {
        lines.push_back({fitted(shown.table.name, frame.width, frame), Style::Bold});
        rows--;
    }
    const size_t count = settings_.top ? std::min(order.size(), settings_.top) : order.size();
    const size_t room = rows ? rows - 1 : 0;
    shown.first = std::min(shown.first, count > room ? count - room : 0);
    const size_t most = std::min(room, count - shown.first);
    std::vector<Line> body = shown.layout.lines(shown.table, order, sort, shown.first, most, frame);
    lines.insert(lines.end(), body.begin(), body.end());
    return lines;
}

// All that fit, with the one that keys mean on the screen in any case.
std::vector<Line> Display::tables(size_t rows, const Frame &frame) {
    std::vector<size_t> wanted;
    for (const Id &id : order_) {
        Shown &shown = known_[id];
        const size_t all = shown.places.order(shown.table, sort_of(shown), filter_).size();
        wanted.push_back((settings_.top ? std::min(all, settings_.top) : all) + 1);
    }
    if (order_.empty()) return {};
    selected_ = std::min(selected_, order_.size() - 1);
    const bool titled = order_.size() > 1;
    for (size_t &want : wanted)
        want += titled ? 2 : 0;
    std::vector<size_t> given = shares(wanted, rows);
    std::vector<Line> lines;
    for (size_t i = 0; i < order_.size(); i++) {
        size_t room = given[i];
        if (titled && room > 3) room--;  // for the empty line
        if (room < 2) continue;
        Shown &shown = known_[order_[i]];
        std::vector<Line> some = table(shown, room, titled, frame);
        if (i == selected_) page_ = room > 2 ? room - 2 : 1;
        if (i == selected_ && titled && !some.empty()) some[0].style = Style::Reverse;
        if (!lines.empty() && given[i] > 3) lines.emplace_back();
        lines.insert(lines.end(), some.begin(), some.end());
    }
    return lines;
}

std::vector<Line> Display::screen(const Model &model, size_t rows, const Frame &frame) {
    take(model);
    std::vector<Line> lines;
    if (rows == 0) return lines;
    lines.push_back(head(model, frame));
    const bool has_message = messages_read_ < messages_.size();
    size_t below = rows > 2 ? 1 : 0;
    if (has_message && rows > 3) below++;
    const size_t room = rows - lines.size() - below;
    // The script's text has a part of the screen, and an empty line above it.
    const auto &printed = model.lines();
    const size_t least = order_.empty() ? room : room >= 10 ? room / 6 + 1 : 0;
    const size_t kept = has_sheet_ ? 0 : std::min(least, printed.empty() ? 0 : printed.size() + 1);
    std::vector<Line> body = has_sheet_ ? sheet(frame) : tables(room - kept, frame);
    if (kept > 1) {
        body.resize(room - kept + 1);
        for (size_t i = printed.size() - (kept - 1); i < printed.size(); i++)
            body.push_back({fitted(printed[i], frame.width, frame), Style::Plain});
    }
    if (!has_sheet_ && body.empty()) body.push_back({"Nothing to show yet.", Style::Dim});
    body.resize(room);
    lines.insert(lines.end(), body.begin(), body.end());
    if (below == 2) lines.push_back({fitted(messages_.back(), frame.width, frame), Style::Bad});
    if (below) lines.push_back(foot(frame));
    lines.resize(rows);
    return lines;
}

std::string Display::tables_text(const Model &model, const Frame &frame) {
    paused_ = false;
    take(model);
    std::string text;
    for (const Id &id : order_) {
        Shown &shown = known_[id];
        Sort sort = sort_of(shown);
        Places fresh;
        std::vector<size_t> order = fresh.order(shown.table, sort, "");
        // A log ends with its last row here.
        if (shown.table.is_log && sort.column < 0) std::reverse(order.begin(), order.end());
        const size_t most = settings_.top ? settings_.top : order.size();
        if (!text.empty()) text += '\n';
        if (order_.size() > 1 && shown.table.source == Table::Source::Script)
            text += fitted(shown.table.name, frame.width, frame) + "\n";
        for (const Line &line : TableLayout().lines(shown.table, order, {}, 0, most, frame))
            text += line.text + "\n";
        if (order.size() > most) text += whole(order.size() - most) + " more rows\n";
    }
    return text;
}

std::string Display::changes_text(const Model &model, const Frame &frame) {
    take(model);
    std::string text;
    for (const Id &id : order_) {
        Shown &shown = known_[id];
        if (shown.told == shown.table.block) continue;
        const uint64_t fresh = shown.table.block - shown.told;
        shown.told = shown.table.block;
        const Sort sort = sort_of(shown);
        std::vector<size_t> order = Places().order(shown.table, sort, "");
        if (shown.table.is_log) {
            // Each block is a row.
            order.resize(std::min<size_t>(order.size(), fresh));
            std::reverse(order.begin(), order.end());
        }
        text += '\n';
        if (order_.size() > 1 && shown.table.source == Table::Source::Script)
            text += fitted(shown.table.name, frame.width, frame) + "\n";
        const size_t most = settings_.top ? settings_.top : order.size();
        for (const Line &line : shown.layout.lines(shown.table, order, {}, 0, most, frame))
            text += line.text + "\n";
        if (order.size() > most) text += whole(order.size() - most) + " more rows\n";
    }
    if (text.empty()) return text;
    return "-- " + duration(model.elapsed_ns()) + ", " + losses(model) + "\n" + text.substr(1) + "\n";
}

void Display::scroll(int64_t by) {
    if (order_.empty()) return;
    size_t &first = known_[order_[std::min(selected_, order_.size() - 1)]].first;
    const auto back = static_cast<size_t>(by < 0 ? -by : 0);
    first = by < 0 ? first - std::min(first, back) : first + static_cast<size_t>(by);
}

void Display::next_sort(int by) {
    if (order_.empty()) return;
    Shown &shown = known_[order_[std::min(selected_, order_.size() - 1)]];
    const int count = static_cast<int>(shown.table.columns.size());
    shown.sort = sort_of(shown);
    shown.is_sorted = true;
    shown.sort.column = (shown.sort.column + 1 + by + count + 1) % (count + 1) - 1;
    const bool is_text = shown.sort.column >= 0 &&
                         shown.table.columns[static_cast<size_t>(shown.sort.column)].kind != ColumnKind::Number;
    shown.sort.ascending = is_text;
}

void Display::edit(int key) {
    constexpr size_t kLongest = 500;
    if (key == '\n' || key == '\r') {
        if (!is_setting_)
            filter_ = typed_;
        else if (!typed_.empty())
            command_ = "set " + typed_;
        is_typing_ = false;
    } else if (key == 27) {
        if (!is_setting_) filter_.clear();
        is_typing_ = false;
    } else if (key == kKeyBackspace || key == 127 || key == 8) {
        if (!typed_.empty()) typed_.pop_back();
    } else if (key >= ' ' && key < 0x100 && typed_.size() < kLongest) {
        typed_ += static_cast<char>(key);
    }
}

bool Display::press(int key) {
    messages_read_ = messages_.size();
    if (is_typing_) {
        edit(key);
        return true;
    }
    has_sheet_ = (key == '?' || key == 'h') && !has_sheet_;
    switch (key) {
        case 'q':
        case 'Q':
            return false;
        case 'p':
        case ' ':
            paused_ = !paused_;
            break;
        case 's':
            next_sort(1);
            break;
        case 'S':
            next_sort(-1);
            break;
        case 'i':
            if (!order_.empty()) {
                Shown &shown = known_[order_[selected_]];
                shown.sort = sort_of(shown);
                shown.is_sorted = true;
                shown.sort.ascending = !shown.sort.ascending;
            }
            break;
        case '/':
            typed_ = filter_;
            is_typing_ = true;
            is_setting_ = false;
            break;
        case 'e':
            typed_.clear();
            is_typing_ = is_setting_ = true;
            break;
        case 27:
            filter_.clear();
            break;
        case '\t':
            if (!order_.empty()) selected_ = (selected_ + 1) % order_.size();
            break;
        case kKeyBackTab:
            if (!order_.empty()) selected_ = (selected_ + order_.size() - 1) % order_.size();
            break;
        case kKeyUp:
        case 'k':
            scroll(-1);
            break;
        case kKeyDown:
        case 'j':
            scroll(1);
            break;
        case kKeyPageUp:
            scroll(-static_cast<int64_t>(page_));
            break;
        case kKeyPageDown:
            scroll(static_cast<int64_t>(page_));
            break;
        case kKeyHome:
            scroll(-static_cast<int64_t>(Model::kMostRows));
            break;
        case kKeyEnd:
            scroll(static_cast<int64_t>(Model::kMostRows));
            break;
        default:
            break;
    }
    return true;
}

}  // namespace tapir::live
