// SPDX-License-Identifier: GPL-2.0-or-later
// Addresses of kernel symbols, from one pass over /proc/kallsyms.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/outcome.h"
#include "module_control.h"

namespace tapir::staprun {

// Collects addresses of wanted names from text in the format of /proc/kallsyms, fed in pieces.
class SymbolScan {
  public:
    explicit SymbolScan(const std::vector<std::string> &names);
    void feed(std::string_view piece);
    // Returns the address for the i-th name: of the first function of that name, or the first variable if no function
    // has it. The kernel's own symbols come before those of modules. 0 if the name is unknown.
    uint64_t address(size_t i) const { return found_[slot_[i]]; }
    // Every line had address 0: the kernel hides them (kptr_restrict).
    bool addresses_hidden() const { return lines_ > 0 && !any_address_; }

  private:
    void take_line(std::string_view line);
    void take(size_t i, uint64_t address, int rank);

    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    std::unordered_map<std::string, size_t, Hash, std::equal_to<>> wanted_;
    std::vector<size_t> slot_;  // name i shares the slot of its first occurrence
    std::vector<uint64_t> found_;
    std::vector<int> rank_;  // the quality of the found address
    std::string partial_;
    uint64_t lines_ = 0;
    bool any_address_ = false;
};

// Tells the module the addresses of its `count` symbols, but for those of modules ("module:symbol"). Else SymbolsHidden
// or ControlFailed. `kallsyms` is where the kernel lists its symbols.
Outcome<void> resolve_symbols(Control &control, uint32_t count, const char *kallsyms = "/proc/kallsyms");

}  // namespace tapir::staprun
