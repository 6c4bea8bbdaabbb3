// SPDX-License-Identifier: GPL-2.0-or-later
// Reads a capture whole. It trusts no input: the result of any bytes is consistent and bounded.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/capture_records.h"
#include "common/outcome.h"

namespace tapir::capture {

// The place in a file that frames with equal names share.
struct FrameKey {
    FrameKind kind = FrameKind::File;
    bool called = false;
    uint32_t object = 0;
    uint64_t place = 0;
    auto operator<=>(const FrameKey &) const = default;
};

FrameKey key_of(const Frame &frame);

struct Capture {
    Meta meta;
    std::map<uint32_t, Object> objects;
    std::map<uint32_t, Interpreter> interpreters;
    std::vector<Stack> stacks;
    std::unordered_map<uint64_t, size_t> stack_by_id;  // its index in `stacks`
    std::map<FrameKey, std::vector<Function>> names;
    std::map<FrameKey, std::string> builtins;  // how programs of an interpreted language call what is there
    // All their stacks are in `stacks`; for those that are not known there are kNoStack and kMissingStack.
    std::vector<Sample> samples;
    std::vector<Text> texts;
    std::vector<Table> tables;
    std::vector<ProbeLedger> probes;
    uint64_t losses[static_cast<size_t>(Loss::Count)] = {};
    std::vector<Message> messages;
    uint64_t unknown = 0;  // records of types that this program does not know
    std::string how;       // the session ended; "": the capture is not sealed
    std::string damage;    // what is wrong with it: it is cut off, or bytes are wrong; "": nothing
};

// The most memory that reading a capture of so many bytes may take: 200 times as much and 64 MiB, but 4 GiB at most.
// Captures of sessions take about a half of that at most.
inline uint64_t memory_limit(uint64_t bytes) {
    constexpr uint64_t kLeast = uint64_t{64} << 20, kMost = uint64_t{4} << 30, kTimes = 200;
    return bytes > (kMost - kLeast) / kTimes ? kMost : kLeast + kTimes * bytes;
}

// Reads to the end of the descriptor. When the capture takes more memory than memory_limit() of what was read so far,
// what follows is left out and that is `damage`.
// CaptureUnusable: it is no capture, or a newer one. FileUnreadable.
Outcome<Capture> read_capture(int fd);
// The same of bytes in memory.
Outcome<Capture> parse_capture(std::string_view bytes);

}  // namespace tapir::capture
