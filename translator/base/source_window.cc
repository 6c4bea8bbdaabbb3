// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/source_window.h"

#include <algorithm>

#include "common/quoting.h"

namespace tapir {

namespace {

// Bytes on either side of the token that are looked at: more than any screen shows.
constexpr size_t kReach = 4096;

bool continues(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

bool in_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Bytes of the token at the start of `rest`, within its line. Its text may be another: pasted, or joined of literals.
size_t token_length(std::string_view rest, std::string_view text) {
    text = text.substr(0, text.find('\n'));
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (!text.empty() && rest.starts_with(text)) return text.size();
    if (rest.empty()) return 0;
    if (rest.starts_with("%{")) return std::min(rest.find("%}"), rest.size() - 2) + 2;
    if (rest[0] == '"') {
        size_t end = 1;
        while (end < rest.size() && rest[end] != '"')
            end += rest[end] == '\\' ? 2 : 1;
        return std::min(end + 1, rest.size());
    }
    // Two characters begin a variable of stap++: $^exec_path, $*node.
    size_t end = rest.starts_with("$^") || rest.starts_with("$*") ? 2 : rest[0] == '$' || rest[0] == '@';
    while (end < rest.size() && in_name(rest[end]))
        ++end;
    return std::max<size_t>(end, std::max<size_t>(printable_length(rest), 1));
}

// The glyphs of a line around a token, by their columns.
class Strip {
  public:
    Strip(std::string_view line, size_t column, size_t length) {
        size_t from = column > kReach ? column - kReach : 0, to = std::min(line.size(), column + kReach);
        for (int steps = 0; steps < 3 && from > 0 && continues(line[from]); ++steps)
            --from;
        for (int steps = 0; steps < 3 && to < line.size() && continues(line[to]); ++steps)
            ++to;
        cut_left_ = from > 0;
        cut_right_ = to < line.size();
        all_ = glyphs(line.substr(from, to - from));
        columns_.push_back(0);
        for (const Glyph &glyph : all_)
            columns_.push_back(columns_.back() + glyph.width);
        const auto index = [&](size_t offset) {
            size_t i = 0;
            while (i < all_.size() && all_[i].offset < offset)
                ++i;
            return i;
        };
        first_ = index(column - from);
        // Within a glyph: the one that it is in.
        if (first_ && (first_ == all_.size() ? column < line.size() : all_[first_].offset > column - from)) --first_;
        begin_ = columns_[first_];
        end_ = std::max(columns_[index(column - from + length)], begin_ + 1);
    }

    // Returns the part that fits into `width` columns, and its carets; `gap` stands where text is cut off.
    std::pair<std::string, std::string> show(size_t width, std::string_view gap) const {
        const size_t gap_width = tapir::columns(gap);
        size_t from = start(width, gap_width);
        while (from && from < all_.size() && all_[from].width == 0 && from < first_)
            ++from;
        const bool left = from > 0 || cut_left_;
        const size_t room = width - (left ? gap_width : 0);
        const auto fits = [&](size_t to, size_t limit) { return columns_[to] - columns_[from] <= limit; };
        size_t to = all_.size();
        if (cut_right_ || !fits(to, room))
            for (to = from; to < all_.size() && fits(to + 1, room - gap_width);)
                ++to;
        const bool right = to < all_.size() || cut_right_;
        std::string text(left ? gap : ""), carets(left ? gap_width : 0, ' ');
        for (size_t i = from; i < to; ++i)
            text += all_[i].text;
        if (right) text += gap;
        const size_t marked = std::max(std::min(end_, columns_[to]), begin_ + 1) - begin_;
        carets.append(begin_ - columns_[from], ' ').append(marked, '^');
        return {text, carets};
    }

  private:
    // The first glyph that is shown.
    size_t start(size_t width, size_t gap) const {
        const size_t total = std::max(columns_.back(), end_);
        if (!cut_left_ && (end_ + gap <= width || (total <= width && !cut_right_))) return 0;
        size_t column = (begin_ + end_) / 2;
        column = column > width / 2 ? column - width / 2 : 0;
        // No emptiness at the right while something is cut off at the left.
        if (!cut_right_) column = std::min(column, total > width - gap ? total - (width - gap) : 0);
        column = std::min(column, begin_ > gap ? begin_ - gap : 0);
        size_t from = 0;
        while (from < first_ && columns_[from] < column)
            ++from;
        return from;
    }

    std::vector<Glyph> all_;
    std::vector<size_t> columns_;  // before each glyph, and behind the last
    bool cut_left_ = false, cut_right_ = false;
    size_t first_ = 0;            // of the token
    size_t begin_ = 0, end_ = 0;  // columns of the token
};

std::string place_line(const SourceRef &place, size_t digits, std::string_view why, const Screen &screen) {
    const std::string position =
        place.line ? ":" + std::to_string(place.line) + ":" + std::to_string(place.column) : std::string(" (empty)");
    const std::string arrow = std::string(digits + 1, ' ') + "--> ";
    const size_t fixed = arrow.size() + position.size();
    const size_t room = screen.width > fixed ? screen.width - fixed : 1;
    const std::string where = shortened(place.file->name(), room, screen.gap()) + position;
    std::string out = screen.colors.paint("source", arrow) + where;
    const size_t used = arrow.size() + columns(where);
    if (why.empty()) return out + "\n";
    const Wrapping behind{screen.width, used + 2, arrow.size(), LongWord::Shorten, screen.gap()};
    const std::vector<std::string> lines = wrapped(why, behind);
    const bool fits = lines.size() == 1 && used + 2 + columns(lines.front()) <= screen.width;
    if (fits) return out + "  " + lines.front() + "\n";
    out += "\n";
    for (const std::string &line :
         wrapped(why, {screen.width, arrow.size(), arrow.size(), LongWord::Shorten, screen.gap()}))
        out += std::string(arrow.size(), ' ') + line + "\n";
    return out;
}

}  // namespace

SourceRef shown_place(const SourceRef &at) {
    SourceRef place = at;
    if (at.kind != TokenKind::EndOfFile) return place;
    const std::string_view text = at.file->text();
    const size_t last = text.find_last_not_of(" \t\r\n\v\f");
    place.text = {};
    place.line = place.column = 0;
    if (last != std::string_view::npos) at.file->locate(last + 1, place.line, place.column);
    return place;
}

std::string source_window(const SourceRef &place, size_t digits, std::string_view why, const Screen &screen) {
    std::string out = place_line(place, digits, why, screen);
    const std::string_view line = place.file->line(place.line);
    if (line.empty()) return out;
    const size_t column = std::min<size_t>(place.column ? place.column - 1 : 0, line.size());
    const size_t gutter = digits + 4;
    const size_t length = place.kind == TokenKind::EndOfFile ? 0 : token_length(line.substr(column), place.text);
    // Blanks at the end of a line would only be cut off, with a sign that something is.
    const size_t end = std::max(line.find_last_not_of(" \t") + 1, column + length);
    const Strip strip(line.substr(0, end), column, length);
    const auto [text, carets] = strip.show(screen.width > gutter + 8 ? screen.width - gutter : 8, screen.gap());
    const std::string number = std::to_string(place.line);
    const auto bar = [&](std::string_view shown) {
        return screen.colors.paint("source", " " + std::string(digits - shown.size(), ' ') + std::string(shown) + " |");
    };
    out += bar("") + "\n" + bar(number) + " " + text + "\n";
    const size_t first = carets.find('^');
    return out + bar("") + " " + carets.substr(0, first) + screen.colors.paint("caret", carets.substr(first)) + "\n";
}

}  // namespace tapir
