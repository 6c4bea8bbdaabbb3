// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::target {

// Where the parts of a checked blob are.
struct BtfLayout {
    std::vector<uint32_t> types;  // offsets in the blob, by id minus the first one's
    uint32_t first = 1;           // id of the first type: 1, or the one after the kernel's last
    uint32_t strings = 0;         // offset in the blob
    uint32_t first_string = 0;    // offset by which names call it: 0, or the one after the kernel's last
    uint32_t string_bytes = 0;

    uint32_t end() const { return first + static_cast<uint32_t>(types.size()); }
    uint32_t string_end() const { return first_string + string_bytes; }
};

// Checks every length, offset, name and reference of a BTF blob, so that reads need no further checks. `below` is that
// of the kernel, for a module's. Returns "" if all is well, else the problem.
std::string check_btf(std::string_view blob, const BtfLayout *below, BtfLayout &layout);

}  // namespace tapir::target
