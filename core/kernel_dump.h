// SPDX-License-Identifier: GPL-2.0-or-later
// The memory of a kernel: /proc/kcore of the running one, or a dump of another in the formats ELF (the kernel's
// Documentation/admin-guide/kdump) and kdump. Its contents are not trusted.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/descriptor.h"
#include "common/outcome.h"
#include "core/kdump_reader.h"

namespace tapir::core {

class KernelDump {
  public:
    // Is this a kernel's memory, not a process's? False, too, if it cannot be read.
    static bool is_one(const std::string &path);
    // Faults: CoreUnreadable, CoreNotOne, CoreForeign, CoreDamaged, CoreEmpty.
    static Outcome<std::unique_ptr<KernelDump>> open(const std::string &path);

    const std::string &release() const { return release_; }
    // Lower-case hexadecimal; "" if the kernel does not have it (before 5.9).
    const std::string &build_id() const { return build_id_; }
    // Returns the address of a symbol of the kernel itself; nothing if the dump does not have it.
    std::optional<uint64_t> symbol(const std::string &name) const;

    // Copies the kernel's memory. False where it is not known; then `dst` is zeroed.
    bool read(void *dst, uint64_t address, uint32_t length);
    // Up to cap - 1 bytes to the first NUL; always terminates. Its length; -1, and "", where it cannot be read.
    int read_string(char *dst, uint64_t address, uint32_t cap);

  private:
    struct Range {
        uint64_t start, end, place;  // addresses, and where `start` is in the file
    };
    struct Block {
        uint64_t page = 0;  // its address + 1; 0: nothing
        char content[4096];
    };

    Outcome<void> read_headers();
    Outcome<void> read_parts(const Elf64_Ehdr &header);
    Outcome<void> read_kdump();
    void read_notes(std::string_view notes);
    void read_facts(std::string_view text);
    std::optional<uint64_t> number(const std::string &key, int base) const;
    bool read_at(void *to, uint64_t place, uint64_t length) const;
    bool read_physical(void *to, uint64_t address, uint32_t length) const;
    std::optional<uint64_t> physical_of(uint64_t address) const;
    const char *block(uint64_t page);
    uint32_t read_some(void *to, uint64_t address, uint32_t length);

    Descriptor file_;
    std::unique_ptr<KdumpReader> kdump_;        // has the physical memory of such a dump; else null
    std::vector<Range> virtual_, physical_;     // ascending by start
    std::map<std::string, std::string> facts_;  // VMCOREINFO
    std::string release_, build_id_;
    uint64_t tables_ = 0;        // physical address of the kernel's page tables; 0: not known
    uint64_t address_bits_ = 0;  // of an entry of a page table: without the one that says that memory is encrypted
    bool five_levels_ = false;
    std::unique_ptr<Block[], void (*)(void *)> blocks_{nullptr, std::free};  // all zero at first
};

}  // namespace tapir::core
