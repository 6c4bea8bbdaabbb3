// SPDX-License-Identifier: GPL-2.0-or-later
// Small text helpers; iostreams would more than double the size of the static executable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::staprun {

// printf into a string.
std::string format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void append(std::string &out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// A whole number in C notation (decimal, 0x, 0), optional sign, nothing else. False: not one, or out of range.
bool parse_long(std::string_view text, int64_t &value);
bool parse_unsigned(std::string_view text, uint64_t &value);

// strftime() of `pattern` for the wall clock time `seconds`; a pattern without '%' is returned as it is.
std::string expand_time(const std::string &pattern, int64_t seconds);

// How far the local time zone is west of UTC at that time, in seconds; daylight saving time included.
int32_t seconds_west_of_utc(int64_t seconds);
// Name of the local time zone at that time, "CET"; "" if it has none.
std::string zone_name(int64_t seconds);

// A JSON string with its quotes; bytes that are not ASCII are escaped one by one as U+00xx.
std::string json_string(std::string_view text);

// The whole file, at most `limit` bytes of it. Returns 0 or errno (EFBIG beyond the limit).
int read_file(const char *path, size_t limit, std::string &content);
int read_descriptor(int fd, size_t limit, std::string &content);

}  // namespace tapir::staprun
