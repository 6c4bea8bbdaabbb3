// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/capture_reader.h"

#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>

#include "capture/capture_format.h"
#include "capture/record_parser.h"

namespace tapir::capture {

namespace {

// Puts up to `count` bytes to `to`. How many, less at the end only; -1 with errno.
using Read = std::function<ssize_t(char *to, size_t count)>;

uint32_t fixed(const char *from) {
    uint32_t value = 0;
    for (unsigned byte = 0; byte < 4; byte++)
        value |= static_cast<uint32_t>(static_cast<unsigned char>(from[byte])) << 8 * byte;
    return value;
}

constexpr char kCutOff[] = "it is cut off: the program that wrote it was killed, or is not done yet";
constexpr char kDamaged[] = "it is damaged";

Fault unreadable() {
    return {FaultTag::FileUnreadable, std::string("the capture cannot be read: ") + strerror(errno)};
}

Outcome<void> read_head(const Read &read) {
    char head[sizeof kMagic + 4];
    const ssize_t got = read(head, sizeof head);
    if (got < 0) return unreadable();
    if (got == 0) return Fault{FaultTag::CaptureUnusable, "this is empty, not a capture"};
    if (got != sizeof head || memcmp(head, kMagic, sizeof kMagic) != 0)
        return Fault{FaultTag::CaptureUnusable, "this is not a capture", "'stap --record=FILE SCRIPT' makes one"};
    const uint32_t version = fixed(head + sizeof kMagic);
    if (version != kVersion)
        return Fault{FaultTag::CaptureUnusable, "the capture has version " + std::to_string(version) +
                                                    ", this program reads " + std::to_string(kVersion)};
    return {};
}

// The blocks up to the first that is wrong; what is wrong with that one, or "".
Outcome<std::string> read_blocks(const Read &read, Parser &parser) {
    const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx *)> decompressor(ZSTD_createDCtx(), ZSTD_freeDCtx);
    if (!decompressor) return Fault{FaultTag::FileUnreadable, "no memory to decompress the capture"};
    std::string stored, block;
    uint64_t bytes = 0;
    for (;;) {
        char head[kBlockHead];
        ssize_t got = read(head, sizeof head);
        if (got < 0) return unreadable();
        if (got == 0) return std::string(parser.ended() ? "" : kCutOff);
        if (parser.ended()) return std::string("something follows its end");
        if (got != sizeof head) return std::string(kCutOff);
        const uint32_t stored_bytes = fixed(head), block_bytes = fixed(head + 4);
        if (!stored_bytes || stored_bytes > kStoredBytes || !block_bytes || block_bytes > kBlockBytes)
            return std::string(kDamaged);
        bytes += sizeof head + stored_bytes;
        if (parser.memory() + block_bytes > memory_limit(bytes))
            return std::string("it takes more memory than captures of its size do");
        stored.resize(stored_bytes);
        got = read(stored.data(), stored.size());
        if (got < 0) return unreadable();
        if (got != static_cast<ssize_t>(stored_bytes)) return std::string(kCutOff);
        block.resize(block_bytes);
        if (ZSTD_decompressDCtx(decompressor.get(), block.data(), block.size(), stored.data(), stored.size()) !=
            block_bytes)
            return std::string(kDamaged);
        if (!parser.block(block)) return parser.problem().empty() ? kDamaged : parser.problem();
    }
}

Outcome<Capture> read_from(const Read &read) {
    if (const Outcome<void> head = read_head(read); !head) return head.fault();
    Capture capture;
    Parser parser(capture);
    Outcome<std::string> damage = read_blocks(read, parser);
    if (!damage) return damage.fault();
    capture.damage = std::move(*damage);
    if (!capture.damage.empty()) capture.how.clear();
    parser.finish();
    return capture;
}

}  // namespace

FrameKey key_of(const Frame &frame) {
    return {frame.kind, (frame.flags & kFrameCalled) != 0, frame.object, frame.place};
}

Outcome<Capture> read_capture(int fd) {
    return read_from([fd](char *to, size_t count) -> ssize_t {
        size_t done = 0;
        while (done < count) {
            const ssize_t got = ::read(fd, to + done, count - done);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return -1;
            if (got == 0) break;
            done += static_cast<size_t>(got);
        }
        return static_cast<ssize_t>(done);
    });
}

Outcome<Capture> parse_capture(std::string_view bytes) {
    return read_from([bytes](char *to, size_t count) mutable -> ssize_t {
        const std::string_view part = bytes.substr(0, count);
        memcpy(to, part.data(), part.size());
        bytes.remove_prefix(part.size());
        return static_cast<ssize_t>(part.size());
    });
}

}  // namespace tapir::capture
