// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/fitted_text.h"

#include <algorithm>
#include <string_view>

#include "common/quoting.h"

namespace tapir::report {

namespace {

constexpr char kDots[] = "…";

// The beginning, or the end, of a text in so many columns, a byte at a time at the edges of characters.
std::string_view head_of(std::string_view text, size_t columns) {
    size_t at = 0;
    while (at < text.size() && columns) {
        at += std::max<size_t>(printable_length(text.substr(at)), 1);
        columns--;
    }
    return text.substr(0, at);
}

std::string_view tail_of(std::string_view text, size_t columns) {
    size_t at = text.size();
    while (at && columns) {
        do
            at--;
        while (at && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80);
        columns--;
    }
    return text.substr(at);
}

// The outermost brackets, without what is in them.
std::string without_middle(const std::string &text, char open, char close) {
    const size_t first = text.find(open), last = text.rfind(close);
    if (!first || first == std::string::npos || last == std::string::npos || last <= first + 2) return text;
    return text.substr(0, first + 1) + kDots + text.substr(last);
}

}  // namespace

std::string cut_in_middle(const std::string &text, size_t columns) {
    if (printable_width(text) <= columns) return text;
    if (columns < 2) return columns ? kDots : "";
    // Arguments first, then those of templates: they say least.
    std::string shorter = text;
    for (const auto &[open, close] : {std::pair('(', ')'), std::pair('<', '>')}) {
        shorter = without_middle(shorter, open, close);
        if (printable_width(shorter) <= columns) return shorter;
    }
    const size_t tail = (columns - 1) / 2;
    return std::string(head_of(shorter, columns - 1 - tail)) + kDots + std::string(tail_of(shorter, tail));
}

std::string wrapped(const std::string &text, size_t columns, size_t indent) {
    std::string out;
    size_t width = 0;
    for (size_t at = 0; at < text.size();) {
        // A word with the blanks before it.
        const size_t word = std::min(text.find_first_not_of(' ', at), text.size());
        const size_t end = std::min(text.find(' ', word), text.size());
        const size_t wide = printable_width(text.substr(at, end - at));
        if (width && width + wide > columns) {
            out += "\n" + std::string(indent, ' ') + text.substr(word, end - word);
            width = indent + printable_width(text.substr(word, end - word));
        } else {
            out += text.substr(at, end - at);
            width += wide;
        }
        at = end;
    }
    return out;
}

}  // namespace tapir::report
