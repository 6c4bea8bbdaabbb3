// SPDX-License-Identifier: GPL-2.0-or-later
// The instructions that a script's handlers take, from their intermediate representation and a table of what its parts
// cost. Kernel and processor do not matter: the figures are those of weights.def and call_costs.def, which were
// counted.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "cost/assumptions.h"
#include "cost/flow.h"
#include "cost/inst_cost.h"
#include "ir/ir.h"

namespace tapir::cost {

// Values of globals that the session's start sets, by name, as texts.
using Settings = std::map<std::string, std::string>;

class Estimator {
  public:
    // `module` outlives it.
    Estimator(const ir::Module &module, const Assumptions &assumptions, const Settings &settings = {},
              Walk walk = Walk::Plain);

    // The handler itself, without what is around it. `tried`: its attempt, where it has one.
    Range handler(const ir::Handler &handler, bool tried = false) const;
    Range function(size_t index) const;

  private:
    void find_constants(const Settings &settings);
    void sum_functions();
    Range body(const ir::Body &body, const BodyFacts &facts) const;
    InstCost costs(Level level, const BodyFacts &body) const;

    const ir::Module &module_;
    std::array<Sizes, kLevels> sizes_;
    std::map<int, Constant> constants_;
    ModuleFacts facts_;
    std::vector<Range> functions_;
};

}  // namespace tapir::cost
