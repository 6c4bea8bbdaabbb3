// SPDX-License-Identifier: GPL-2.0-or-later
// The list of probe kinds as a table of facts.
#include "probes/kind_list.h"

#include <cstddef>

namespace tapir::probes {

namespace {

enum KindFlag : unsigned {
    ALONE = 1,
    UNATTACHED = 2,
    NESTS = 4,
    PROGRAM = 8,
    AT_RETURN = 16,
    ATTEMPTS = 32,
    TRACER = 64,
    STILL = 128,
    STEADY = 256,
};

constexpr KindFacts make_facts(std::string_view name, LeafForm leaf, LeafRegisters registers, unsigned flags) {
    return {
        .name = name,
        .leaf = leaf,
        .registers = registers,
        .alone = (flags & ALONE) != 0,
        .unattached = (flags & UNATTACHED) != 0,
        .nests = (flags & NESTS) != 0,
        .in_program = (flags & PROGRAM) != 0,
        .at_return = (flags & AT_RETURN) != 0,
        .attempts = (flags & ATTEMPTS) != 0,
        .needs_tracer = (flags & TRACER) != 0,
        .still = (flags & STILL) != 0,
        .steady = (flags & STEADY) != 0,
    };
}

}  // namespace

const KindFacts &facts(Kind kind) {
    static constexpr KindFacts kFacts[] = {
#define TAPIR_KIND(Name, name, leaf, registers, flags) \
    make_facts(#name, LeafForm::leaf, LeafRegisters::registers, flags),
#include <tapir/kinds.def>
    };
    return kFacts[static_cast<size_t>(kind)];
}

}  // namespace tapir::probes
