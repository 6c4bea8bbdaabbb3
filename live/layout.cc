// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/layout.h"

#include <algorithm>

#include "common/glyphs.h"
#include "live/measure.h"

namespace tapir::live {

namespace {

constexpr size_t kGap = 2, kNumberLeast = 5, kLongestCell = 4096;

bool is_right(const Column &column) {
    return column.kind != ColumnKind::Text;
}

// Returns what a terminal may get of a text. Without UTF-8 other characters than those of ASCII are question marks.
std::string harmless(std::string_view text, bool utf8) {
    std::string shown;
    for (const Glyph &glyph : glyphs(text.substr(0, kLongestCell))) {
        const bool ascii = std::all_of(glyph.text.begin(), glyph.text.end(),
                                       [](char c) { return static_cast<unsigned char>(c) < 0x80; });
        shown += utf8 || ascii ? glyph.text : std::string(glyph.width, '?');
    }
    return shown;
}

struct Cells {
    std::vector<std::string> heads;
    std::vector<std::vector<std::string>> rows;
};

std::string head_of(const Column &column, bool sorts, bool ascending, bool utf8) {
    std::string head = column.name;
    std::transform(head.begin(), head.end(), head.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    const char *mark = ascending ? (utf8 ? "↑" : "^") : (utf8 ? "↓" : "v");
    return sorts ? mark + head : head;
}

// Makes columns fit: returns their widths, 0 for one that is left out.
std::vector<size_t> fit(const Table &table, std::vector<size_t> widths, size_t width) {
    const auto all = [&] {
        size_t sum = 0, shown = 0;
        for (const size_t w : widths)
            if (w) sum += w + (shown++ ? kGap : 0);
        return sum;
    };
    while (all() > width) {
        size_t widest = widths.size(), last = widths.size(), first_to_go = widths.size();
        for (size_t i = 0; i < widths.size(); i++) {
            const Column &column = table.columns[i];
            const bool name = column.kind == ColumnKind::Text;
            if (column.goes_first && widths[i]) first_to_go = i;
            if (name && widths[i] > column.least && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
            if (i > 0 && widths[i]) last = i;
        }
        if (first_to_go < widths.size())
            widths[first_to_go] = 0;
        else if (widest < widths.size())
            widths[widest]--;
        else if (last < widths.size())
            widths[last] = 0;
        else
            break;
    }
    return widths;
}

// At most `width` columns of a list, from its beginning on.
std::string clipped(const std::string &text, size_t width, const Frame &frame) {
    if (columns(text) <= width) return text;
    const std::string gap = frame.utf8 ? "…" : "...";
    std::string kept;
    size_t used = columns(gap);
    if (used > width) return {};
    for (const Glyph &glyph : glyphs(text)) {
        if ((used += glyph.width) > width) break;
        kept += glyph.text;
    }
    return kept + gap;
}

}  // namespace

std::string fitted(std::string_view text, size_t width, const Frame &frame) {
    return shortened(harmless(text, frame.utf8), width, frame.utf8 ? "…" : "...");
}

std::string padded(std::string_view text, size_t width, bool right, const Frame &frame) {
    std::string shown = fitted(text, width, frame);
    const size_t taken = std::min(columns(shown), width);
    shown.insert(right ? 0 : shown.size(), width - taken, ' ');
    return shown;
}

std::vector<Line> TableLayout::lines(const Table &table, const std::vector<size_t> &order, const Sort &sort,
                                     size_t first, size_t most, const Frame &frame) {
    const size_t count = table.columns.size();
    Cells cells;
    std::vector<std::string> names;
    for (size_t i = 0; i < count; i++) {
        names.push_back(table.columns[i].name);
        cells.heads.push_back(
            head_of(table.columns[i], sort.column == static_cast<int>(i), sort.ascending, frame.utf8));
    }
    if (names != names_) widths_.assign(count, 0);
    names_ = std::move(names);
    for (size_t at = first; at < order.size() && at - first < most; at++) {
        std::vector<std::string> row;
        for (size_t i = 0; i < count; i++)
            row.push_back(harmless(i < table.rows[order[at]].size()
                                       ? cell_text(table.columns[i], table.rows[order[at]][i], frame.utf8)
                                       : "",
                                   frame.utf8));
        cells.rows.push_back(std::move(row));
    }
    for (size_t i = 0; i < count; i++) {
        const size_t least = is_right(table.columns[i]) ? kNumberLeast : 1;
        // A mark may come and go.
        widths_[i] = std::max({widths_[i], least, columns(table.columns[i].name) + 1});
        for (const auto &row : cells.rows)
            widths_[i] = std::max(widths_[i], columns(row[i]));
    }
    const std::vector<size_t> widths = fit(table, widths_, frame.width);
    const auto line = [&](const std::vector<std::string> &texts) {
        std::string text;
        bool any = false;
        for (size_t i = 0; i < count; i++) {
            if (!widths[i]) continue;
            if (any) text.append(kGap, ' ');
            any = true;
            const Column &column = table.columns[i];
            text += padded(column.is_list ? clipped(texts[i], widths[i], frame) : texts[i], widths[i], is_right(column),
                           frame);
        }
        text.resize(text.find_last_not_of(' ') + 1);
        return fitted(text, frame.width, frame);
    };
    std::vector<Line> lines = {{line(cells.heads), Style::Head}};
    for (const auto &row : cells.rows)
        lines.push_back({line(row), Style::Plain});
    return lines;
}

}  // namespace tapir::live
