// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/markup.h"

namespace tapir::report {

std::string markup(std::string_view text) {
    std::string out;
    for (const char byte : text) {
        switch (byte) {
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '&':
                out += "&amp;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += byte;
        }
    }
    return out;
}

std::string fitted(std::string_view text, size_t columns) {
    if (columns < 3) return "";
    const auto is_start = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; };
    size_t characters = 0, cut = 0;
    for (size_t i = 0; i < text.size(); i++) {
        if (!is_start(text[i])) continue;
        if (characters == columns - 1) cut = i;
        if (characters++ == columns) return std::string(text.substr(0, cut)) + "…";
    }
    return std::string(text);
}

}  // namespace tapir::report
