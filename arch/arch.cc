// SPDX-License-Identifier: GPL-2.0-or-later
// The list of architectures.
#include "arch/arch.h"

#include <algorithm>

namespace tapir::arch {

namespace {

constexpr std::array<const Arch *, 2> kAll = {&kX86_64, &kAarch64};

#if defined(__x86_64__)
constexpr const Arch &kHost = kX86_64;
#elif defined(__aarch64__)
constexpr const Arch &kHost = kAarch64;
#else
#error "No description of this architecture: arch/arch.h says what one has"
#endif

}  // namespace

std::span<const Arch *const> all() {
    return kAll;
}

const Arch *find(std::string_view name) {
    const auto found = std::find_if(kAll.begin(), kAll.end(), [&](const Arch *arch) { return arch->name == name; });
    return found == kAll.end() ? nullptr : *found;
}

const Arch *of_machine(unsigned elf_machine) {
    const auto found =
        std::find_if(kAll.begin(), kAll.end(), [&](const Arch *arch) { return arch->elf_machine == elf_machine; });
    return found == kAll.end() ? nullptr : *found;
}

const LinkageTable *linkage_table(unsigned elf_machine) {
    for (const Arch *arch : kAll)
        for (const LinkageTable &table : arch->tables)
            if (table.elf_machine == elf_machine) return &table;
    return nullptr;
}

const Arch &host() {
    return kHost;
}

}  // namespace tapir::arch
