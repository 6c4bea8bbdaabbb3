// SPDX-License-Identifier: GPL-2.0-or-later
// How captures are stored; docs/captures.md has the whole. For writer and reader only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tapir::capture {

inline constexpr char kMagic[8] = {'T', 'A', 'P', 'I', 'R', 'C', 'A', 'P'};
// Changes only if older readers would misread what is new. New types of records are skipped by older readers.
inline constexpr uint32_t kVersion = 1;

// Before each block, little-endian: its bytes as stored, its bytes when decompressed.
inline constexpr size_t kBlockHead = 8;
// A block holds at most so many bytes of records. Records are not split, and every limit below keeps one shorter.
inline constexpr size_t kBlockBytes = 4u << 20;
// A stored block is at most this large.
inline constexpr size_t kStoredBytes = kBlockBytes + (kBlockBytes >> 7) + 512;
// Strings that later records refer to by number.
inline constexpr size_t kInternedStrings = 1u << 16;
inline constexpr size_t kInternedBytes = 256;
// The most frames of a stack. Readers leave out the others, and mark the stack as cut.
inline constexpr size_t kFrames = 8192;
// Where there are more than these, nothing from there on is read.
inline constexpr size_t kLabels = 32;     // of a sample
inline constexpr size_t kFunctions = 64;  // that are one frame
inline constexpr size_t kReasons = 64;    // for which hits of a probe are skipped
inline constexpr size_t kCells = 32;      // in a row of a table
inline constexpr size_t kMostInterpreters = 256;

// Flags of a row.
inline constexpr uint8_t kRowBeginsBlock = 1;
inline constexpr uint8_t kRowAfterOther = 2;

enum class RecordType : uint8_t {
    Meta = 1,
    Object,
    Stack,
    Name,
    Sample,
    Text,
    Table,
    Row,
    Probe,
    Loss,
    Message,
    End,
    Interpreter,
};

}  // namespace tapir::capture
