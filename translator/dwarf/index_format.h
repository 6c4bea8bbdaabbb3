// SPDX-License-Identifier: GPL-2.0-or-later
// Layout of an index file; see index.h.
#pragma once

#include <cstdint>

#include "dwarf/index.h"

namespace tapir::dwarf {

enum class Section : uint32_t {
    Units,
    Scopes,
    Functions,
    Inlines,
    Types,
    Variables,
    Enumerators,
    Declaring,
    Files,
    ByAddress,
    Strings,
    Count
};
constexpr uint32_t kSections = static_cast<uint32_t>(Section::Count);

constexpr char kIndexMagic[8] = {'t', 'a', 'p', 'i', 'r', 'd', 'w', '1'};
constexpr uint32_t kIndexVersion = 11;

struct IndexHeader {
    char magic[8];
    uint32_t version;
    uint32_t root;          // StringRef of the source root
    uint64_t length;        // of the file
    uint64_t supplemented;  // 1: made with a supplement, which readers need too
    KernelLayout layout;
    char identity[128];  // NUL-terminated
    struct {
        uint64_t offset, bytes;
    } sections[kSections];
};

}  // namespace tapir::dwarf
