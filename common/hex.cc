// SPDX-License-Identifier: GPL-2.0-or-later
// Apart from hash.cc, since not all programs that write hexadecimal digits have libcrypto.
#include "common/hash.h"

namespace tapir {

std::string to_hex(const unsigned char *bytes, size_t size) {
    std::string text;
    for (size_t i = 0; i < size; i++) {
        text += "0123456789abcdef"[bytes[i] >> 4];
        text += "0123456789abcdef"[bytes[i] & 15];
    }
    return text;
}

}  // namespace tapir
