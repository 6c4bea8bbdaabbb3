// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel inside a bzImage: Documentation/arch/x86/boot.rst of the kernel's sources.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tapir::target {

// The kernel's ELF file inside a bzImage, still compressed: what compresses it ("xz", "zstd", "gzip") and the bytes.
struct Payload {
    std::string tool;
    std::string_view bytes;
};

// Nothing if `image` is not a bzImage, or needs another tool than these to decompress.
std::optional<Payload> find_payload(std::string_view image);

// Decompresses bytes in the format of RFC 8878: a bzImage's payload, or a module's file. Nothing if they are damaged,
// or would become more than a gigabyte.
std::optional<std::string> unpack_zstd(std::string_view bytes);

}  // namespace tapir::target
