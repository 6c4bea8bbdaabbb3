// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/plain_text.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace tapir {

static void vappend(std::string &out, const char *fmt, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(nullptr, 0, fmt, arguments);
    if (length > 0) {
        size_t old = out.size();
        out.resize(old + static_cast<size_t>(length) + 1);
        vsnprintf(out.data() + old, static_cast<size_t>(length) + 1, fmt, again);
        out.pop_back();
    }
    va_end(again);
}

void append(std::string &out, const char *fmt, ...) {
    va_list arguments;
    va_start(arguments, fmt);
    vappend(out, fmt, arguments);
    va_end(arguments);
}

std::string format(const char *fmt, ...) {
    std::string out;
    va_list arguments;
    va_start(arguments, fmt);
    vappend(out, fmt, arguments);
    va_end(arguments);
    return out;
}

static bool starts_number(const std::string &text, bool sign_allowed) {
    size_t at = sign_allowed && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

bool parse_long(std::string_view text, int64_t &value) {
    std::string copy(text);
    if (copy.empty() || !starts_number(copy, true)) return false;
    char *end = nullptr;
    errno = 0;
    value = strtoll(copy.c_str(), &end, 0);
    return errno == 0 && end == copy.c_str() + copy.size();
}

bool parse_unsigned(std::string_view text, uint64_t &value) {
    std::string copy(text);
    if (copy.empty() || !starts_number(copy, false)) return false;
    char *end = nullptr;
    errno = 0;
    value = strtoull(copy.c_str(), &end, 0);
    return errno == 0 && end == copy.c_str() + copy.size();
}

}  // namespace tapir
