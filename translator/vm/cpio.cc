// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/cpio.h"

#include <cstdio>

namespace tapir::vm {

void CpioArchive::pad() {
    bytes_.append((4 - bytes_.size() % 4) % 4, '\0');
}

void CpioArchive::add(std::string_view name, uint32_t mode, std::string_view bytes) {
    auto field = [this](uint64_t value) {
        char digits[9];
        snprintf(digits, sizeof digits, "%08X", static_cast<uint32_t>(value));
        bytes_ += digits;
    };
    bytes_ += "070701";
    field(next_inode_++);
    field(mode);
    field(0);  // uid
    field(0);  // gid
    field((mode & 0170000) == 0040000 ? 2 : 1);
    field(0);  // time
    field(bytes.size());
    for (int device = 0; device < 4; ++device)
        field(0);
    field(name.size() + 1);
    field(0);  // checksum, unused in this format
    bytes_ += name;
    bytes_ += '\0';
    pad();
    bytes_ += bytes;
    pad();
}

std::string CpioArchive::finish() {
    next_inode_ = 0;
    add("TRAILER!!!", 0, "");
    return std::move(bytes_);
}

}  // namespace tapir::vm
