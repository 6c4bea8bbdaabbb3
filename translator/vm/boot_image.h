// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel that QEMU boots.
//
// A distribution's vmlinuz unpacks itself, which takes an emulated processor more than three seconds. The same kernel
// unpacked on the host and entered at its PVH entry point starts at once, so it is unpacked once and kept in the cache.
#pragma once

#include <string>
#include <string_view>

namespace tapir::vm {

// True for a 64-bit ELF file with the note that makes QEMU enter it directly.
bool has_pvh_entry(std::string_view elf);

// Path of what to boot for the bzImage `vmlinuz`: its unpacked kernel below `cache`, made on first use, or `vmlinuz`
// itself where that cannot be had (that boots too, only slower).
std::string boot_image(const std::string &vmlinuz, const std::string &release, const std::string &cache);

}  // namespace tapir::vm
