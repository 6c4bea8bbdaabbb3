// SPDX-License-Identifier: GPL-2.0-or-later
// Compressed sections: zlib (RFC 1950) around deflate (RFC 1951).
#pragma once

#include <string>
#include <string_view>

namespace tapir::unwind {

// Exactly `bytes` of content; "" if the data are damaged or are more or less than that. The checksum is not looked at:
// what comes out is not trusted either.
std::string inflate_zlib(std::string_view data, size_t bytes);

}  // namespace tapir::unwind
