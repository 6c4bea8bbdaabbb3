// SPDX-License-Identifier: GPL-2.0-or-later
// Expressions of debug information, by libdw. libdw takes blocks for expressions up to DWARF 3 only; the Go compiler
// writes blocks in DWARF 4, too.
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tapir::dwarf {

// As dwarf_getlocation(): the expression of an attribute that has one, not a list. 0, or -1.
int expression_of(const Dwarf_Attribute &attribute, Dwarf_Op *&ops, size_t &count);

// As dwarf_getlocation_addr(): finds the expression for an address. Returns 1, 0 if the attribute has none, or -1.
int expression_at(const Dwarf_Attribute &attribute, Dwarf_Addr pc, Dwarf_Op *&ops, size_t &count);

// The number of the operation that a jump, number `jump`, goes to. Only forward, so that evaluation ends.
std::optional<size_t> jump_target(const Dwarf_Op *ops, size_t count, size_t jump);

}  // namespace tapir::dwarf
