// SPDX-License-Identifier: GPL-2.0-or-later
// The list of operations as a table of facts.
#include "ir/ops.h"

#include <cstddef>

namespace tapir::ir {

namespace {

enum OpFlag : unsigned {
    DST = 1,
    MAY_DST = 2,
    GOES = 4,
    LEAVES = 8,
    NUMBERS = 16,
    SHARED = 32,
    LOOKS = 64,
    HIT = 128,
    HERE = 256
};

constexpr OpFacts make_facts(std::string_view name, std::string_view form, unsigned flags) {
    return {
        .name = name,
        .form = form,
        .has_dst = (flags & DST) != 0,
        .may_have_dst = (flags & MAY_DST) != 0,
        .goes = (flags & GOES) != 0,
        .leaves = (flags & LEAVES) != 0,
        .numbers = (flags & NUMBERS) != 0,
        .shared = (flags & SHARED) != 0,
        .looks = (flags & LOOKS) != 0,
        .reads_hit = (flags & HIT) != 0,
        .here = (flags & HERE) != 0,
    };
}

constexpr OpFacts kFacts[] = {
#define TAPIR_OP(Name, form, flags) make_facts(#Name, form, flags),
#include "ir/ops.def"
};

}  // namespace

const OpFacts &facts(Op op) {
    return kFacts[static_cast<size_t>(op)];
}

}  // namespace tapir::ir
