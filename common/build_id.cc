// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/build_id.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "common/hash.h"

namespace tapir {

std::string build_id_of_notes(std::string_view notes) {
    const auto padded = [](uint64_t size) { return (size + 3) & ~uint64_t{3}; };
    for (Elf64_Nhdr header; notes.size() >= sizeof header;) {
        std::memcpy(&header, notes.data(), sizeof header);
        notes.remove_prefix(sizeof header);
        const uint64_t content = padded(header.n_namesz);
        if (content > notes.size() || header.n_descsz > notes.size() - content) break;
        if (header.n_type == NT_GNU_BUILD_ID && notes.substr(0, header.n_namesz) == std::string_view("GNU\0", 4))
            return to_hex(reinterpret_cast<const unsigned char *>(notes.data()) + content, header.n_descsz);
        notes.remove_prefix(std::min<uint64_t>(content + padded(header.n_descsz), notes.size()));
    }
    return {};
}

}  // namespace tapir
