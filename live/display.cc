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

const std::string &title_of(const Table &table) {
    return table.title.empty() ? table.name : table.title;
}

// Blocks of text say what the table is; heads of others do so.
bool is_titled(const Table &table) {
    return table.source == Table::Source::Script || !table.title.empty();
}

std::vector<Line> sheet(bool monitors, const Frame &frame) {
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
    if (monitors)
        for (const std::string &line : monitor_sheet())
            lines.push_back({fitted(line, frame.width, frame), Style::Plain});
    return lines;
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
    monitors_ = model.monitors();
    for (const Table *table : paused_ ? std::vector<const Table *>() : model.tables()) {
        const Id id{table->name, table->source};
        const auto [known, is_new] = known_.try_emplace(id);
        if (is_new) order_.push_back(id);
        if (is_new || known->second.table.block != table->block || known->second.table.time != table->time)
            known->second.table = *table;
    }
    shown_.clear();
    for (const Id &id : order_)
        if (!monitors_ || is_on_page(id.second, page_shown_)) shown_.push_back(id);
    selected_ = std::min(selected_, shown_.size() - !shown_.empty());
}

// The table that keys are for; null: none is on the screen.
Display::Shown *Display::selected() {
    return selected_ < shown_.size() ? &known_[shown_[selected_]] : nullptr;
}

// More about the row that keys mean.
std::string Display::note() {
    Shown *shown = selected();
    if (!shown || shown->table.notes.empty()) return {};
    const std::vector<size_t> &order = shown->places.order(shown->table, sort_of(*shown), filter_);
    const size_t place = shown->choice.place(shown->table, order);
    return place < order.size() && order[place] < shown->table.notes.size() ? shown->table.notes[order[place]] : "";
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
    return {joined(monitors_ ? monitor_keys(paused_) : keys, frame.width), Style::Dim};
}

std::vector<Line> Display::table(Shown &shown, size_t rows, bool titled, const Frame &frame) {
    const Sort sort = sort_of(shown);
    const std::vector<size_t> &order = shown.places.order(shown.table, sort, filter_);
    std::vector<Line> lines;
    if (titled && rows > 2) {
        lines.push_back({fitted(title_of(shown.table), frame.width, frame), Style::Bold});
        rows--;
    }
    const size_t count = settings_.top ? std::min(order.size(), settings_.top) : order.size();
    const size_t room = rows ? rows - 1 : 0;
    const bool chooses = !shown.table.notes.empty();
    const size_t place = chooses ? shown.choice.place(shown.table, order) : 0;
    if (chooses && room) shown.first = std::clamp(shown.first, place >= room ? place - room + 1 : 0, place);
    shown.first = std::min(shown.first, count > room ? count - room : 0);
    const size_t most = std::min(room, count - shown.first);
    std::vector<Line> body = shown.layout.lines(shown.table, order, sort, shown.first, most, frame);
    if (chooses && &shown == selected() && place - shown.first + 1 < body.size())
        body[place - shown.first + 1].style = Style::Reverse;
    lines.insert(lines.end(), body.begin(), body.end());
    return lines;
}

// All that fit, with the one that keys mean on the screen in any case.
std::vector<Line> Display::tables(size_t rows, const Frame &frame) {
    std::vector<size_t> wanted;
    for (const Id &id : shown_) {
        Shown &shown = known_[id];
        const size_t all = shown.places.order(shown.table, sort_of(shown), filter_).size();
        wanted.push_back((settings_.top ? std::min(all, settings_.top) : all) + 1);
    }
    if (shown_.empty()) return {};
    const bool titled = shown_.size() > 1;
    for (size_t &want : wanted)
        want += titled ? 2 : 0;
    std::vector<size_t> given = shares(wanted, rows);
    std::vector<Line> lines;
    for (size_t i = 0; i < shown_.size(); i++) {
        size_t room = given[i];
        if (titled && room > 3) room--;  // for the empty line
        if (room < 2) continue;
        Shown &shown = known_[shown_[i]];
        std::vector<Line> some = table(shown, room, titled, frame);
        if (i == selected_) page_ = room > 2 ? room - 2 : 1;
        if (i == selected_ && titled && !some.empty()) some[0].style = Style::Reverse;
        if (!lines.empty() && given[i] > 3) lines.emplace_back();
        lines.insert(lines.end(), some.begin(), some.end());
    }
    return lines;
}

// Tables, and the last lines of the script's text, which has a part of the screen and an empty line above it.
std::vector<Line> Display::page(const Model &model, size_t room, const Frame &frame) {
    size_t none = 0;
    if (monitors_ && page_shown_ == Page::Output) return output_lines(model, room, back_, frame);
    const size_t least = shown_.empty() ? room : room >= 10 ? room / 6 + 1 : 0;
    const size_t kept = std::min(least, model.lines().empty() ? 0 : model.lines().size() + 1);
    std::vector<Line> body = tables(room - kept, frame);
    if (kept < 2) return body;
    body.resize(room - kept + 1);
    const std::vector<Line> printed = output_lines(model, kept - 1, none, frame);
    body.insert(body.end(), printed.begin(), printed.end());
    return body;
}

std::vector<Line> Display::screen(const Model &model, size_t rows, const Frame &frame) {
    take(model);
    std::vector<Line> lines;
    if (rows == 0) return lines;
    lines.push_back(head(model, frame));
    if (monitors_ && rows > 6) lines.push_back(session_line(model, frame));
    const bool has_message = messages_read_ < messages_.size();
    const std::string more = monitors_ && rows > 10 ? note() : "";
    size_t below = rows > 2 ? 1 : 0;
    if (has_message && rows > 3) below++;
    const size_t room = rows - lines.size() - below - !more.empty();
    std::vector<Line> body = has_sheet_ ? sheet(monitors_, frame) : page(model, room, frame);
    if (!has_sheet_ && body.empty()) body.push_back({"Nothing to show yet.", Style::Dim});
    body.resize(room);
    lines.insert(lines.end(), body.begin(), body.end());
    if (!more.empty()) lines.push_back({fitted(more, frame.width, frame), Style::Dim});
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
        if (monitors_ && id.second == Table::Source::Scalars) continue;  // the globals have these
        Shown &shown = known_[id];
        Sort sort = sort_of(shown);
        Places fresh;
        std::vector<size_t> order = fresh.order(shown.table, sort, "");
        // A log ends with its last row here.
        if (shown.table.is_log && sort.column < 0) std::reverse(order.begin(), order.end());
        const size_t most = settings_.top ? settings_.top : order.size();
        if (!text.empty()) text += '\n';
        if (order_.size() > 1 && is_titled(shown.table))
            text += fitted(title_of(shown.table), frame.width, frame) + "\n";
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
        if (monitors_ && id.second == Table::Source::Scalars) continue;  // the globals have these
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
        if (order_.size() > 1 && is_titled(shown.table))
            text += fitted(title_of(shown.table), frame.width, frame) + "\n";
        const size_t most = settings_.top ? settings_.top : order.size();
        for (const Line &line : shown.layout.lines(shown.table, order, {}, 0, most, frame))
            text += line.text + "\n";
        if (order.size() > most) text += whole(order.size() - most) + " more rows\n";
    }
    if (text.empty()) return text;
    return "-- " + duration(model.elapsed_ns()) + ", " + losses(model) + "\n" + text.substr(1) + "\n";
}

void Display::scroll(int64_t by) {
    const auto back = static_cast<size_t>(by < 0 ? -by : 0);
    if (monitors_ && page_shown_ == Page::Output)
        back_ = by < 0 ? back_ + back : back_ - std::min(back_, static_cast<size_t>(by));
    Shown *shown = selected();
    if (!shown) return;
    if (!shown->table.notes.empty()) {
        shown->choice.move(shown->table, shown->places.order(shown->table, sort_of(*shown), filter_), by);
        return;
    }
    size_t &first = shown->first;
    first = by < 0 ? first - std::min(first, back) : first + static_cast<size_t>(by);
}

void Display::next_sort(int by) {
    if (!selected()) return;
    Shown &shown = *selected();
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

bool Display::press_monitor(int key) {
    const Page before = std::exchange(page_shown_, page_by_key(key, page_shown_));
    if (page_shown_ != before) {
        selected_ = back_ = 0;
        return true;
    }
    Shown *shown = selected();
    const Row *row = nullptr;
    if (shown && !shown->table.notes.empty()) {
        const std::vector<size_t> &order = shown->places.order(shown->table, sort_of(*shown), filter_);
        if (!order.empty()) row = &shown->table.rows[order[shown->choice.place(shown->table, order)]];
    }
    static const Table kNone;
    const auto probes = known_.find({"probes", Table::Source::Probes});
    command_ =
        command_by_key(key, shown ? shown->table : kNone, row, probes == known_.end() ? kNone : probes->second.table);
    return !command_.empty();
}

bool Display::press(int key) {
    messages_read_ = messages_.size();
    if (is_typing_) {
        edit(key);
        return true;
    }
    has_sheet_ = (key == '?' || key == 'h') && !has_sheet_;
    if (monitors_ && press_monitor(key)) return true;
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
            if (Shown *shown = selected()) {
                shown->sort = sort_of(*shown);
                shown->is_sorted = true;
                shown->sort.ascending = !shown->sort.ascending;
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
            if (!shown_.empty()) selected_ = (selected_ + 1) % shown_.size();
            break;
        case kKeyBackTab:
            if (!shown_.empty()) selected_ = (selected_ + shown_.size() - 1) % shown_.size();
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
