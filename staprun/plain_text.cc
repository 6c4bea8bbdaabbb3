// SPDX-License-Identifier: GPL-2.0-or-later
#include "plain_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace tapir::staprun {

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

std::string expand_time(const std::string &pattern, int64_t seconds) {
    if (pattern.find('%') == std::string::npos) return pattern;
    time_t when = static_cast<time_t>(seconds);
    struct tm local = {};
    localtime_r(&when, &local);
    // A trailing mark tells an empty expansion from a buffer that is too small.
    std::string marked = pattern + "x";
    std::string out(pattern.size() + 256, '\0');
    for (;;) {
        size_t length = strftime(out.data(), out.size(), marked.c_str(), &local);
        if (length > 0) {
            out.resize(length - 1);
            return out;
        }
        out.resize(out.size() * 2);
    }
}

int32_t seconds_west_of_utc(int64_t seconds) {
    time_t when = static_cast<time_t>(seconds);
    struct tm local = {};
    return localtime_r(&when, &local) ? static_cast<int32_t>(-local.tm_gmtoff) : 0;
}

std::string zone_name(int64_t seconds) {
    time_t when = static_cast<time_t>(seconds);
    struct tm local = {};
    return localtime_r(&when, &local) && local.tm_zone ? local.tm_zone : "";
}

std::string json_string(std::string_view text) {
    std::string out = "\"";
    for (unsigned char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += static_cast<char>(c);
        } else if (c < 0x20 || c >= 0x7f) {
            append(out, "\\u%04x", c);
        } else {
            out += static_cast<char>(c);
        }
    }
    out += '"';
    return out;
}

int read_descriptor(int fd, size_t limit, std::string &content) {
    content.clear();
    char chunk[65536];
    for (;;) {
        ssize_t got = read(fd, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) return 0;
        if (content.size() + static_cast<size_t>(got) > limit) return EFBIG;
        content.append(chunk, static_cast<size_t>(got));
    }
}

int read_file(const char *path, size_t limit, std::string &content) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno;
    int error = read_descriptor(fd, limit, content);
    close(fd);
    return error;
}

}  // namespace tapir::staprun
