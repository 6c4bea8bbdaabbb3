// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/color.h"

#include <algorithm>
#include <string_view>

namespace tapir::driver {
namespace {

constexpr struct {
    std::string_view label;
    const char *color;  // null: its place is colored, not itself
} kLabels[] = {{"parse error:", "error"},
               {"semantic error:", "error"},
               {"translation error:", "error"},
               {"ERROR:", "error"},
               {"WARNING:", "warning"},
               {"saw:", nullptr},
               {"at:", nullptr},
               {"in expansion of macro:", nullptr}};

// Colors a text that ends in "identifier 'x' at file:1:2".
std::string with_place(std::string_view text, const Colors &colors) {
    const size_t at = text.rfind("' at "), digits = text.find_last_not_of("0123456789");
    if (at == std::string_view::npos || digits == text.size() - 1 || text[digits] != ':') return std::string(text);
    // The token, whose text may have quotes in it, follows the last word before them.
    size_t quote = text.rfind(" '", at - 1);
    quote = quote == std::string_view::npos ? at : quote + 2;
    constexpr size_t kAt = 5;
    return std::string(text.substr(0, quote)) + colors.paint("token", text.substr(quote, at - quote)) +
           std::string(text.substr(at, kAt)) + colors.paint("source", text.substr(at + kAt));
}

std::string colored_line(std::string_view line, const Colors &colors) {
    if (line.ends_with("^") && line.find_first_not_of(" \t") == line.size() - 1)
        return std::string(line.substr(0, line.size() - 1)) + colors.paint("caret", "^");
    const std::string_view words = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    for (const auto &[label, color] : kLabels) {
        if (!words.starts_with(label) || (color && words.size() != line.size())) continue;
        std::string text(line.substr(0, line.size() - words.size()));
        text += color ? colors.paint(color, label) : std::string(label);
        return text + with_place(words.substr(label.size()), colors);
    }
    return std::string(line);
}

}  // namespace

std::string colored(const std::string &text, const Colors &colors) {
    if (!colors) return text;
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        out += colored_line(std::string_view(text).substr(at, end - at), colors);
        if (end < text.size()) out += '\n';
        at = end + 1;
    }
    return out;
}

}  // namespace tapir::driver
