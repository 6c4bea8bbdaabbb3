// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call frame information: .eh_frame (Linux Standard Base, Core, generic part, 10.6) and .debug_frame (DWARF 5,
 * section 6.4), which differ in how entries refer to each other and how addresses are written.
 */
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "unwind/pointer.h"
#include "unwind/row_state.h"

namespace tapir::unwind {

// A common information entry, with the result of its instructions.
struct Cie {
    uint64_t code_factor = 1;
    int64_t data_factor = 1;
    uint64_t return_register = 0;
    uint8_t pointer_encoding = 0;
    uint8_t handlers_encoding = kPointerOmitted;  // of the addresses of tables of exception handlers
    bool has_augmentation_data = false;
    bool signal_frame = false;
    bool usable = false;
    RowState initial;
};

// A frame description entry.
struct Fde {
    uint64_t start = 0, end = 0;  // addresses, end exclusive
    const Cie *cie = nullptr;
    std::string_view program;
    uint64_t program_address = 0;  // of the program in memory, for pointers relative to it
    uint64_t handlers = 0;         // address of the table of exception handlers (unwind/landing_pads.h); 0 without one
};

class CfiSection {
  public:
    // `address` of the section in memory. `machine` is that of the ELF header.
    CfiSection(std::string_view content, uint64_t address, bool is_eh_frame, uint16_t machine)
        : content_(content), address_(address), eh_(is_eh_frame), machine_(machine) {}

    // In the order of the section; entries that make no sense are left out and counted.
    std::vector<Fde> read();
    unsigned damaged() const { return damaged_; }

  private:
    struct Entry {
        uint64_t at = 0;     // of the length field
        uint64_t id_at = 0;  // of the field that distinguishes CIE from FDE
        uint64_t id = 0;
        std::string_view content;  // behind that field
        uint64_t next = 0;
        bool wide = false;  // 64-bit DWARF
    };
    bool read_entry(uint64_t at, Entry &entry) const;
    bool is_cie(const Entry &entry) const;
    const Cie &cie_at(uint64_t at);
    Cie read_cie(const Entry &entry) const;
    uint64_t read_handlers(std::string_view data, const Cie &cie, uint64_t function) const;
    bool read_fde(const Entry &entry, Fde &fde);
    bool read_augmentation(Bytes &in, std::string_view text, Cie &cie) const;
    uint64_t address_of(std::string_view part) const {
        return address_ + static_cast<uint64_t>(part.data() - content_.data());
    }

    std::string_view content_;
    uint64_t address_;
    bool eh_;
    uint16_t machine_;
    unsigned damaged_ = 0;
    std::unordered_map<uint64_t, std::unique_ptr<Cie>> cies_;
};

}  // namespace tapir::unwind
