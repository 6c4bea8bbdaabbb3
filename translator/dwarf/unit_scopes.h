// SPDX-License-Identifier: GPL-2.0-or-later
// The scopes that DIEs are in: namespaces, classes, functions.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "dwarf/object.h"

namespace tapir::dwarf {

// Scopes within each other are entered no deeper.
constexpr int kMaxScopeDepth = 32;
// Blocks and inlined calls within each other are entered no deeper.
constexpr int kMaxNesting = 256;

// Do sources of this language (DW_LANG_*) have functions and types within others? C has not.
bool has_scopes(uint64_t language);
// DW_AT_language of a unit; 0: unknown.
uint64_t language_of(Dwarf_Die *unit);
// Returns the name of a namespace, class or function as a scope; scopes without a name get one, too.
const char *scope_name(Dwarf_Die *die);

// The scopes of one unit; walks its DIEs once.
class UnitScopes {
  public:
    explicit UnitScopes(Dwarf_Die unit);
    // The names of the scopes that a DIE of the unit is in, outermost first.
    std::vector<std::string_view> of(Dwarf_Off die) const;

  private:
    struct Scope {
        uint32_t parent;
        const char *name;
    };
    uint32_t enter(uint32_t parent, Dwarf_Die *die);
    uint32_t declared_scope(Dwarf_Die *die, uint32_t scope) const;
    void walk(Dwarf_Die *parent, uint32_t scope, int depth);

    std::vector<Scope> scopes_ = {{0, ""}};
    std::unordered_map<Dwarf_Off, uint32_t> scope_of_;  // those in scopes only
};

}  // namespace tapir::dwarf
