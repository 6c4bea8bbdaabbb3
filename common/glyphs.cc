// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/glyphs.h"

#include <locale.h>
#include <wchar.h>

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "common/quoting.h"

namespace tapir {

namespace {

constexpr size_t kTabStop = 8;

// Ranges of characters that are not seen, or whose width depends on what is beside them and on the terminal.
constexpr struct {
    wchar_t first, last;
} kDisputed[] = {
    {0xad, 0xad},        // soft hyphen
    {0x115f, 0x11ff},    // vowels and finals of Hangul, which join the consonant before them
    {0x200b, 0x200f},    // joiners, marks of direction
    {0x2060, 0x206f},    // invisible operators
    {0x302e, 0x302f},    // tone marks of Hangul
    {0x3164, 0x3164},    // fillers
    {0xfe00, 0xfe0f},    // selectors of variants: they make a narrow emoji wide
    {0xfeff, 0xfeff},    // byte order mark
    {0xffa0, 0xffa0},    // filler
    {0xfff9, 0xfffb},    // annotations
    {0x1f1e6, 0x1f1ff},  // letters of flags
    {0x1f3fb, 0x1f3ff},  // tones of skin, which join the emoji before them
    {0xe0000, 0xe0fff},  // tags and selectors
};

// Returns the C library's table, which terminals share, independent of the user's locale; null if it has none.
locale_t unicode_locale() {
    static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return locale;
}

// Returns the columns of a character; -1 if it must not be shown.
int width_of(wchar_t character) {
    if (character < 0x7f) return 1;
    for (const auto &range : kDisputed)
        if (character >= range.first && character <= range.last) return -1;
    if (!unicode_locale()) return -1;
    const locale_t before = uselocale(unicode_locale());
    const int width = wcwidth(character);
    uselocale(before);
    return width;
}

// Returns the character of `bytes`, which printable_length() accepted.
wchar_t decoded(std::string_view bytes) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
    if (bytes.size() == 1) return byte(0);
    unsigned value = byte(0) & (0xffU >> (bytes.size() + 1));
    for (size_t i = 1; i < bytes.size(); ++i)
        value = value << 6 | (byte(i) & 0x3fU);
    return static_cast<wchar_t>(value);
}

void add_escaped(std::vector<Glyph> &out, std::string_view bytes, size_t offset) {
    Glyph glyph{"", 4 * bytes.size(), offset};
    for (const char byte : bytes) {
        char text[5];
        std::snprintf(text, sizeof text, "\\x%02x", static_cast<unsigned char>(byte));
        glyph.text += text;
    }
    out.push_back(std::move(glyph));
}

std::string joined(const std::vector<Glyph> &all, size_t from, size_t to) {
    std::string text;
    for (size_t i = from; i < to; ++i)
        text += all[i].text;
    return text;
}

// A word and the blanks before it. Commands are one, as in "'stap -l X'" and "[man error::pass1]".
struct Word {
    size_t blanks;
    std::string text;
    bool copied;  // people copy it
};

// Is it a quoted command of several words? Scripts, which messages quote too, have quotation marks of their own.
bool is_command(std::string_view text) {
    const size_t begin = text.find('\'') + 1;
    const std::string_view inner = text.substr(begin, text.rfind('\'') - begin);
    const auto fits = [](unsigned char c) {
        return std::isalnum(c) ||
               std::string_view(" _-./=:,+@%*~").find(static_cast<char>(c)) != std::string_view::npos;
    };
    return inner.find(' ') != std::string_view::npos && inner.find("  ") == std::string_view::npos &&
           std::isalnum(static_cast<unsigned char>(inner.front())) && std::all_of(inner.begin(), inner.end(), fits);
}

// Behind the quotation mark that ends what `line` begins with; 0: it begins with none, or that has no end.
size_t end_of_quotation(std::string_view line) {
    const size_t begin = line.starts_with('(') ? 1 : 0;
    if (line.substr(begin, 1) != "'") return 0;
    for (size_t at = line.find('\'', begin + 1); at != std::string_view::npos; at = line.find('\'', at + 1))
        if (at + 1 == line.size() || std::string_view(" ,.;:)]").find(line[at + 1]) != std::string_view::npos)
            return at + 1;
    return 0;
}

std::vector<Word> words_of(std::string_view line) {
    std::vector<Word> words;
    while (!line.empty()) {
        const size_t blanks = std::min(line.find_first_not_of(' '), line.size());
        line.remove_prefix(blanks);
        const size_t quoted = end_of_quotation(line);
        const bool command = is_command(line.substr(0, quoted));
        const size_t end = std::min(line.find(' ', command ? quoted : 0), line.size());
        const std::string_view text = line.substr(0, end);
        if (!words.empty() &&
            (words.back().text == "man" || words.back().text == "[man" || words.back().text == "(man")) {
            words.back().text += std::string(blanks, ' ') + std::string(text);
            words.back().copied = true;
        } else if (end) {
            words.push_back({blanks, std::string(text), command || text.find('/') != std::string_view::npos});
        }
        line.remove_prefix(end);
    }
    return words;
}

void wrap_line(std::string_view line, const Wrapping &how, size_t begin, std::vector<std::string> &out) {
    out.emplace_back();
    size_t column = begin;
    bool empty = true;
    for (Word &word : words_of(line)) {
        size_t width = columns(word.text);
        if (!empty && column + word.blanks + width > how.width) {
            out.emplace_back();
            column = how.hang;
            empty = true;
        }
        if (how.long_word == LongWord::Shorten && !word.copied && column + width > how.width) {
            word.text = shortened(word.text, how.width > column ? how.width - column : 1, how.gap);
            width = columns(word.text);
        }
        if (!empty) {
            out.back().append(word.blanks, ' ');
            column += word.blanks;
        }
        const std::vector<Glyph> shown = glyphs(word.text);
        out.back() += joined(shown, 0, shown.size());
        column += width;
        empty = false;
    }
}

}  // namespace

std::vector<Glyph> glyphs(std::string_view line) {
    std::vector<Glyph> out;
    size_t column = 0;
    for (size_t at = 0; at < line.size();) {
        const std::string_view rest = line.substr(at);
        const size_t length = printable_length(rest);
        if (rest[0] == '\t') {
            const size_t width = kTabStop - column % kTabStop;
            out.push_back({std::string(width, ' '), width, at});
        } else if (const int width = length ? width_of(decoded(rest.substr(0, length))) : -1; width >= 0) {
            out.push_back({std::string(rest.substr(0, length)), static_cast<size_t>(width), at});
        } else {
            add_escaped(out, rest.substr(0, std::max<size_t>(length, 1)), at);
        }
        column += out.back().width;
        at += std::max<size_t>(length, 1);
    }
    return out;
}

size_t columns(std::string_view line) {
    size_t width = 0;
    for (const Glyph &glyph : glyphs(line))
        width += glyph.width;
    return width;
}

std::string shortened(std::string_view name, size_t width, std::string_view gap) {
    const std::vector<Glyph> all = glyphs(name);
    size_t total = 0;
    for (const Glyph &glyph : all)
        total += glyph.width;
    if (total <= width) return joined(all, 0, all.size());
    const size_t gap_width = columns(gap);
    if (width < gap_width + 2) {
        size_t end = 0;
        for (size_t used = 0; end < all.size() && used + all[end].width <= width; ++end)
            used += all[end].width;
        return joined(all, 0, end);
    }
    // The end of a name tells more: of what is odd it gets the larger half.
    size_t head = (width - gap_width) / 2, tail = width - gap_width - head, from = 0, to = all.size();
    for (; all[from].width <= head; ++from)
        head -= all[from].width;
    for (; all[to - 1].width <= tail; --to)
        tail -= all[to - 1].width;
    // A mark does not begin the tail: what it combines with is gone.
    while (to < all.size() && all[to].width == 0)
        ++to;
    return joined(all, 0, from) + std::string(gap) + joined(all, to, all.size());
}

std::vector<std::string> wrapped(std::string_view text, const Wrapping &how) {
    std::vector<std::string> out;
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        const size_t begin = at ? how.hang : how.begin;
        if (at && line.starts_with(' ')) {
            // Columns of further lines belong together, as in what a compiler says: they stay, and are cut at the
            // right.
            const std::vector<Glyph> all = glyphs(line);
            size_t shown = 0;
            for (size_t column = begin; shown < all.size() && column + all[shown].width <= how.width; ++shown)
                column += all[shown].width;
            out.push_back(joined(all, 0, shown));
        } else {
            wrap_line(line, how, begin, out);
        }
        at = end + 1;
    }
    while (out.size() > 1 && out.back().empty())
        out.pop_back();
    return out;
}

}  // namespace tapir
