// SPDX-License-Identifier: GPL-2.0-or-later
// The procedure linkage table of a program or library: the code that its calls of functions of other files go through,
// one entry for each function. An entry jumps to an address of the global offset table; the relocation of that address
// names the function.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dwarf/object.h"
#include "target/scope.h"

namespace tapir::target {

struct DebugObject;

struct PltEntry {
    uint64_t address = 0;  // as linked
    std::string name;
};

// In the order of their addresses; of files whose tables are known (arch/arch.h). Where a function has an entry that
// only binds it and one that is called (.plt and .plt.sec), the latter.
std::vector<PltEntry> read_plt(const dwarf::Object &program);
// Returns why the program has no entries at all, to follow "has no PLT entries: ".
std::string why_no_plt(const dwarf::Object &program);
// Does the program name the function as one of another file?
bool is_imported(const dwarf::Object &program, std::string_view function);

// Returns the scope of an entry: $$name, at its return $return, a 64-bit number; types of the program. `object` must
// outlive it.
std::unique_ptr<Scope> make_plt_scope(const DebugObject &object, const PltEntry &entry);

}  // namespace tapir::target
