// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/boot_payload.h"

#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <memory>

namespace tapir::target {
namespace {

// Offsets of the x86 boot protocol's header.
constexpr size_t setup_sectors_at = 0x1f1, magic_at = 0x202, version_at = 0x206, payload_at = 0x248;

constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd";
constexpr size_t kMostBytes = size_t{1} << 30;

template <typename T>
std::optional<T> at(std::string_view bytes, size_t offset) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

}  // namespace

std::optional<Payload> find_payload(std::string_view image) {
    auto version = at<uint16_t>(image, version_at);
    if (!version || *version < 0x208 || image.substr(magic_at, 4) != "HdrS") return std::nullopt;
    size_t sectors = *at<uint8_t>(image, setup_sectors_at);
    auto offset = at<uint32_t>(image, payload_at), length = at<uint32_t>(image, payload_at + 4);
    if (!offset || !length) return std::nullopt;
    size_t start = ((sectors ? sectors : 4) + 1) * 512 + *offset;
    if (start > image.size() || *length > image.size() - start || *length < 16) return std::nullopt;
    std::string_view bytes = image.substr(start, *length);
    if (bytes.starts_with("\x1f\x8b")) return Payload{"gzip", bytes};
    // The build appends the unpacked size to formats that do not end with it themselves.
    bytes.remove_suffix(4);
    if (bytes.starts_with(std::string_view("\xfd"
                                           "7zXZ\0",
                                           6)))
        return Payload{"xz", bytes};
    if (bytes.starts_with(kZstd)) return Payload{"zstd", bytes};
    return std::nullopt;
}

std::optional<std::string> unpack_zstd(std::string_view bytes) {
    if (!bytes.starts_with(kZstd)) return std::nullopt;
    const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream *)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
    if (!stream) return std::nullopt;
    std::string text;
    std::string piece(ZSTD_DStreamOutSize(), '\0');
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (size_t left = 1; left != 0;) {
        ZSTD_outBuffer out{piece.data(), piece.size(), 0};
        left = ZSTD_decompressStream(stream.get(), &out, &in);
        const bool stuck = in.pos == in.size && out.pos < out.size && left != 0;
        if (ZSTD_isError(left) || stuck || text.size() + out.pos > kMostBytes) return std::nullopt;
        text.append(piece, 0, out.pos);
    }
    return text;
}

}  // namespace tapir::target
