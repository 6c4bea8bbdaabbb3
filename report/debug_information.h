// SPDX-License-Identifier: GPL-2.0-or-later
// One file with symbols or debug information, for the names of places.
#pragma once

#include <elfutils/libdw.h>
#include <libelf.h>

#include <cstdint>
#include <string>
#include <vector>

#include "capture/capture_reader.h"
#include "common/descriptor.h"

namespace tapir::report {

class DebugInformation {
  public:
    DebugInformation() = default;
    ~DebugInformation();
    DebugInformation(const DebugInformation &) = delete;
    DebugInformation &operator=(const DebugInformation &) = delete;

    // False: it is not there, or of another build. Once only.
    bool open(const std::string &path, const std::string &build_id);
    // The same of a file that is open, of any build. It is mapped as a whole, so that reading it takes no system calls.
    bool open(const Descriptor &file);
    const std::string &build_id() const { return build_id_; }
    bool has_lines() const { return dwarf_ != nullptr; }
    // The functions at an address of the ELF file, innermost first.
    std::vector<capture::Function> functions(uint64_t address);
    // The function's name in the symbols; "" if there is none.
    std::string symbol(uint64_t address);

  private:
    bool take(Elf *elf);
    void read_symbols();
    void read_units();
    bool find_unit(uint64_t address, Dwarf_Die &unit);

    struct Symbol {
        uint64_t start, end;
        const char *name;
    };
    std::vector<Symbol> symbols_;  // ascending
    bool symbols_read_ = false;
    struct Unit {
        uint64_t start, end;
        Dwarf_Off offset;
    };
    std::vector<Unit> units_;  // ascending; a unit for each of its ranges
    bool units_read_ = false;
    std::string build_id_;
    Descriptor file_;
    void *mapped_ = nullptr;
    size_t mapped_bytes_ = 0;
    Elf *elf_ = nullptr;
    Dwarf *dwarf_ = nullptr;
};

}  // namespace tapir::report
