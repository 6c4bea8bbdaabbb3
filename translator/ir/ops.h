// SPDX-License-Identifier: GPL-2.0-or-later
// The operations of the intermediate representation, and what ops.def says of each.
#pragma once

#include <cstdint>
#include <string_view>

namespace tapir::ir {

enum class Op : uint8_t {
#define TAPIR_OP(Name, form, flags) Name,
#include "ir/ops.def"
};

constexpr int kOps = 0
#define TAPIR_OP(Name, form, flags) +1
#include "ir/ops.def"
    ;

// ops.def explains form and flags.
struct OpFacts {
    std::string_view name;
    std::string_view form;
    bool has_dst = false;
    bool may_have_dst = false;
    bool goes = false;
    bool leaves = false;
    bool numbers = false;
    bool shared = false;
    bool looks = false;
    bool reads_hit = false;
    bool here = false;
};

const OpFacts &facts(Op op);

}  // namespace tapir::ir
