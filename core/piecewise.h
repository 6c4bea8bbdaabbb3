// SPDX-License-Identifier: GPL-2.0-or-later
// Reads of any length over memory that is there in pieces.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tapir::core {

// `read_some(to, address, length)` copies as much as one piece has of the `length` bytes, and returns how many bytes
// that was; 0 where nothing is. False if not all bytes are there; then `dst` is zeroed.
template <typename ReadSome>
bool read_pieces(const ReadSome &read_some, void *dst, uint64_t address, uint32_t length) {
    auto *to = static_cast<char *>(dst);
    for (uint32_t done = 0; done < length;) {
        const uint32_t part = read_some(to + done, address + done, length - done);
        if (part == 0) {
            std::memset(dst, 0, length);
            return false;
        }
        done += part;
    }
    return true;
}

// The text at an address, cut to cap - 1 bytes, in steps of at most `most` bytes. Returns its length, or -1 if it is
// not there as far as needed; then `dst` is "".
template <typename ReadSome>
int read_string_pieces(const ReadSome &read_some, char *dst, uint64_t address, uint32_t cap, uint32_t most) {
    for (uint32_t done = 0; done + 1 < cap;) {
        const uint32_t part = read_some(dst + done, address + done, std::min(cap - 1 - done, most));
        if (part == 0) {
            dst[0] = 0;
            return -1;
        }
        if (const void *end = std::memchr(dst + done, 0, part))
            return static_cast<int>(static_cast<const char *>(end) - dst);
        done += part;
    }
    if (cap == 0) return 0;
    dst[cap - 1] = 0;
    return static_cast<int>(cap - 1);
}

}  // namespace tapir::core
