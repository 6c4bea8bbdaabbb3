// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/monitor_view.h"

#include <algorithm>

#include "common/glyphs.h"
#include "live/measure.h"
#include "live/monitor_tables.h"

namespace tapir::live {

bool is_on_page(Table::Source source, Page page) {
    const bool is_overview = source == Table::Source::Probes || source == Table::Source::Globals;
    // The globals have these, too.
    const bool is_told = source == Table::Source::Scalars;
    return page == Page::Overview ? is_overview : page == Page::Tables && !is_overview && !is_told;
}

Page page_by_key(int key, Page page) {
    constexpr int kPages = 3;
    if (key >= '1' && key < '1' + kPages) return static_cast<Page>(key - '1');
    return key == 'v' ? static_cast<Page>((static_cast<int>(page) + 1) % kPages) : page;
}

std::string command_by_key(int key, const Table &table, const Row *row, const Table &probes) {
    const bool is_switch = key == 't' || key == '\n' || key == '\r';
    if (is_switch && row && table.source == Table::Source::Probes)
        return "probe " + std::to_string((*row)[kProbeIndex].number) + ((*row)[kProbeOn].text == "on" ? " off" : " on");
    if (key == 'T' && !probes.rows.empty())
        return std::any_of(probes.rows.begin(), probes.rows.end(),
                           [](const Row &probe) { return probe[kProbeOn].text != "on"; })
                   ? "probes on"
                   : "probes off";
    if (key == 'r' && row && table.source == Table::Source::Globals) return "reset " + (*row)[kGlobalName].text;
    return key == 'R' ? "reset" : "";
}

Line session_line(const Model &model, const Frame &frame) {
    const auto bytes = [&frame](uint64_t count) {
        return cell_text({"", ColumnKind::Number, "bytes"}, {false, static_cast<int64_t>(count), {}}, frame.utf8);
    };
    std::vector<std::string> parts = {"kernel " + model.kernel()};
    if (model.staprun()) parts.push_back("staprun " + std::to_string(model.staprun()));
    if (model.module_bytes()) parts.push_back("module " + bytes(model.module_bytes()));
    if (model.array_bytes()) parts.push_back("arrays " + bytes(model.array_bytes()));
    std::string text;
    for (const std::string &part : parts)
        if (text.empty() || columns(text) + 2 + columns(part) <= frame.width) text += (text.empty() ? "" : "  ") + part;
    return {fitted(text, frame.width, frame), Style::Dim};
}

std::vector<std::string> monitor_keys(bool paused) {
    return {"q leave",   "t switch", "r reset",  "v view",
            "Tab table", "s sort",   "/ filter", paused ? "p go on" : "p pause",
            "? keys"};
}

std::vector<std::string> monitor_sheet() {
    return {
        "t, Enter   switch the probe off, or on",
        "T          switch all probes off, or on if any is off",
        "r, R       reset the global, or all of them",
        "v          the next view; 1 probes and globals, 2 tables, 3 output",
        "arrows     choose a probe or a global",
    };
}

std::vector<Line> output_lines(const Model &model, size_t rows, size_t &back, const Frame &frame) {
    const auto &printed = model.lines();
    back = std::min(back, printed.size() - std::min(printed.size(), rows));
    const size_t end = printed.size() - back, first = end - std::min(end, rows);
    std::vector<Line> lines;
    for (size_t i = first; i < end; i++)
        lines.push_back({fitted(printed[i], frame.width, frame), Style::Plain});
    return lines;
}

size_t Choice::place(const Table &table, const std::vector<size_t> &order) {
    for (size_t i = 0; i < order.size(); i++)
        if (key_of(table, table.rows[order[i]]) == key_) return i;
    return 0;
}

void Choice::move(const Table &table, const std::vector<size_t> &order, int64_t by) {
    if (order.empty()) return;
    const auto last = static_cast<int64_t>(order.size()) - 1;
    const int64_t to = std::clamp(static_cast<int64_t>(place(table, order)) + by, int64_t{0}, last);
    key_ = key_of(table, table.rows[order[static_cast<size_t>(to)]]);
}

}  // namespace tapir::live
