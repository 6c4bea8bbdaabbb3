// SPDX-License-Identifier: GPL-2.0-or-later
#include "emit/c_text.h"

#include <cctype>
#include <cstdio>
#include <limits>

namespace tapir::emit {

std::string quoted(std::string_view bytes) {
    std::string out = "\"";
    for (char c : bytes) {
        auto byte = static_cast<unsigned char>(c);
        if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (c == '"' || c == '\\' || c == '?') {
            out += '\\';
            out += c;
        } else if (byte < 32 || byte > 126) {
            char octal[8];
            std::snprintf(octal, sizeof octal, "\\%03o", byte);
            out += octal;
        } else {
            out += c;
        }
    }
    return out + "\"";
}

std::string constant(int64_t n) {
    if (n == std::numeric_limits<int64_t>::min()) return "(-9223372036854775807LL - 1)";
    std::string out = std::to_string(n) + "LL";
    return n < 0 ? "(" + out + ")" : out;
}

std::string identifier(std::string_view name) {
    std::string out;
    for (char c : name)
        out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return out;
}

}  // namespace tapir::emit
