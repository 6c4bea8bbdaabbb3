// SPDX-License-Identifier: GPL-2.0-or-later
#include "emit/c/c_text.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <limits>

namespace tapir::emit {

std::string c_string(std::string_view bytes) {
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

namespace {
// Stands for the directive that goes back to the emitted file.
constexpr std::string_view kOwnLine = "#line 0";
}  // namespace

std::string placed_code(const SourceRef &at, std::string_view code, uint32_t skip) {
    if (!at) return std::string(code);
    std::string out = "\n#line " + std::to_string(at.line) + " " + c_string(at.file->name()) + "\n";
    out.append(at.column - 1 + skip, ' ').append(code).append("\n").append(kOwnLine).append("\n");
    return out;
}

std::string with_own_lines(const std::string &text) {
    std::string out;
    size_t number = 1;
    for (size_t at = 0; at < text.size(); ++number) {
        size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = std::string_view(text).substr(at, end - at);
        if (line == kOwnLine)
            out.append("#line " + std::to_string(number + 1) + " \"script.c\"");
        else
            out.append(line);
        if (end < text.size()) out += '\n';
        at = end + 1;
    }
    return out;
}

}  // namespace tapir::emit
