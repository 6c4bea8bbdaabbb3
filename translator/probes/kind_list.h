// SPDX-License-Identifier: GPL-2.0-or-later
// The facts of each probe kind, from the list tapir/kinds.def, for code that must treat kinds differently without being
// one of them.
#pragma once

#include <cstdint>
#include <string_view>

namespace tapir::probes {

// One enumerator per probe kind. The same names are used for the kind's kernel file (kmod/kind_<name>.c), its tests and
// its documentation page.
enum class Kind : uint8_t {
#define TAPIR_KIND(Name, name, leaf, registers, flags) Name,
#include <tapir/kinds.def>
};

// How a handler that needs no context is called: a member of union tapir_leaf.
enum class LeafForm : uint8_t { PLAIN, REGISTERS, ARGUMENTS };

// The registers of the hit that such a handler can read.
enum class LeafRegisters : uint8_t { NONE, ARGUMENTS, RESULT, ALL };

struct KindFacts {
    std::string_view name;  // of the kind's files: "process_syscall"
    LeafForm leaf = LeafForm::PLAIN;
    LeafRegisters registers = LeafRegisters::NONE;
    // The flags; tapir/kinds.def explains them.
    bool alone = false;
    bool unattached = false;
    bool nests = false;
    bool in_program = false;
    bool at_return = false;
    bool attempts = false;
    bool needs_tracer = false;
    bool still = false;
    bool steady = false;
};

const KindFacts &facts(Kind kind);

}  // namespace tapir::probes
