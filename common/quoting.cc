// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/quoting.h"

#include <algorithm>
#include <cstdio>

namespace tapir {

std::string escape(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size());
    for (unsigned char c : bytes) {
        switch (c) {
            case '\a':
                out += "\\a";
                break;
            case '\b':
                out += "\\b";
                break;
            case '\t':
                out += "\\t";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\v':
                out += "\\v";
                break;
            case '\f':
                out += "\\f";
                break;
            case '\r':
                out += "\\r";
                break;
            case '"':
            case '\\':
                out += '\\';
                out += static_cast<char>(c);
                break;
            default:
                if (c >= 0x20 && c < 0x7f) {
                    out += static_cast<char>(c);
                } else {
                    char buffer[5];
                    snprintf(buffer, sizeof(buffer), "\\%03o", c);
                    out += buffer;
                }
        }
    }
    return out;
}

std::string quote(std::string_view bytes) {
    return '"' + escape(bytes) + '"';
}

std::string shell_quoted(std::string_view word, std::string_view newline) {
    std::string text = "'";
    for (const char c : word) {
        if (c == '\'')
            text += "'\\''";
        else if (c == '\n')
            text += newline;
        else
            text += c;
    }
    return text + "'";
}

std::string curl_quoted(std::string_view value) {
    std::string text = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\') text += '\\';
        if (c == '\n')
            text += "\\n";
        else
            text += c;
    }
    return text + "\"\n";
}

size_t printable_length(std::string_view s) {
    auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
    unsigned char c = byte(0);
    if ((c < 0x20 && c != '\t') || c == 0x7f) return 0;
    size_t length = c < 0x80                ? 1
                    : c >= 0xc2 && c < 0xe0 ? 2
                    : c >= 0xe0 && c < 0xf0 ? 3
                    : c >= 0xf0 && c < 0xf5 ? 4
                                            : 0;
    if (length == 0 || length > s.size()) return 0;
    for (size_t i = 1; i < length; i++)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    if (length == 2 && c == 0xc2 && byte(1) < 0xa0) return 0;
    if (c == 0xe0 && byte(1) < 0xa0) return 0;
    if (c == 0xed && byte(1) >= 0xa0) return 0;
    if (c == 0xf0 && byte(1) < 0x90) return 0;
    if (c == 0xf4 && byte(1) >= 0x90) return 0;
    // Line and paragraph separators, and marks that reorder the text after them.
    if (c == 0xe2 && byte(1) == 0x80 && byte(2) >= 0xa8 && byte(2) <= 0xae) return 0;
    if (c == 0xe2 && byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9) return 0;
    return length;
}

namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

char simple_escape(char c) {
    switch (c) {
        case 'a':
            return '\a';
        case 'b':
            return '\b';
        case 't':
            return '\t';
        case 'n':
            return '\n';
        case 'v':
            return '\v';
        case 'f':
            return '\f';
        case 'r':
            return '\r';
        default:
            return c;
    }
}

// Calls plain(bytes) for every character a terminal may get, odd(byte) for every other byte.
template <class Plain, class Odd>
void each_character(std::string_view bytes, Plain &&plain, Odd &&odd) {
    while (!bytes.empty()) {
        unsigned char c = static_cast<unsigned char>(bytes[0]);
        size_t length = printable_length(bytes);
        if (length) {
            plain(bytes.substr(0, length));
        } else {
            odd(c);
            length = 1;
        }
        bytes.remove_prefix(length);
    }
}

}  // namespace

std::string unescape(std::string_view literal) {
    std::string out;
    out.reserve(literal.size());
    size_t i = 0;
    while (i < literal.size()) {
        char c = literal[i++];
        if (c != '\\' || i == literal.size()) {
            out += c;
            continue;
        }
        c = literal[i++];
        if (c >= '0' && c <= '7') {
            unsigned value = static_cast<unsigned>(c - '0');
            for (int digits = 1; digits < 3 && i < literal.size() && literal[i] >= '0' && literal[i] <= '7'; digits++)
                value = value * 8 + static_cast<unsigned>(literal[i++] - '0');
            out += static_cast<char>(value);
        } else if (c == 'x' && i < literal.size() && hex_digit(literal[i]) >= 0) {
            unsigned value = 0;
            while (i < literal.size() && hex_digit(literal[i]) >= 0)
                value = (value * 16 + static_cast<unsigned>(hex_digit(literal[i++]))) & 0xff;
            out += static_cast<char>(value);
        } else {
            out += simple_escape(c);
        }
    }
    return out;
}

std::string printable(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size());
    each_character(
        bytes, [&](std::string_view plain) { out += plain; },
        [&](unsigned char odd) {
            char buffer[5];
            snprintf(buffer, sizeof(buffer), "\\x%02x", odd);
            out += buffer;
        });
    return out;
}

size_t printable_width(std::string_view bytes) {
    size_t width = 0;
    each_character(
        bytes, [&](std::string_view) { width++; }, [&](unsigned char) { width += 4; });
    return width;
}

std::string_view trim(std::string_view text, std::string_view blanks) {
    const size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string first_line(std::string_view text) {
    constexpr size_t limit = 80;
    size_t end = std::min(text.find('\n'), text.size());
    bool cut = end < text.size();
    if (end > limit) {
        end = limit;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
            end--;
        cut = true;
    }
    return std::string(text.substr(0, end)) + (cut ? "..." : "");
}

}  // namespace tapir
