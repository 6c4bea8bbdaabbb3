// SPDX-License-Identifier: GPL-2.0-or-later
// The ways by which hits come, and what they cost around the handler: tapir/hit_costs.def.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ir.h"

namespace tapir::cost {

enum class Way : uint8_t {
#define TAPIR_HIT_COST(Name, name, leaf, context) Name,
#include <tapir/hit_costs.def>
    None,  // no hit: begin, end, error, never
};

std::string_view name_of(Way way);
// Instructions around a handler that needs no context (`leaf`), or that takes one.
double around_hit(Way way, bool leaf);

// Which way the probes of a module take depends on each other.
class Ways {
  public:
    explicit Ways(const ir::Module &module);

    Way of(const ir::Handler &handler, const probes::Attach &attach) const;
    // The mean of its places.
    double around(const ir::Handler &handler, const probes::Attach &attach) const;

  private:
    double around_entry(const ir::Handler &handler, const probes::Attach &attach) const;

    bool own_ftrace_ = true;  // each handler has an ftrace_ops of its own
    std::set<const probes::Attach *> shared_tracepoints_;
    std::vector<std::string> returned_;  // functions whose returns are probed, sorted
};

}  // namespace tapir::cost
