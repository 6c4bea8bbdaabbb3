// SPDX-License-Identifier: GPL-2.0-or-later
// The cost of one instruction of the intermediate representation: sums of weights.def.
#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "cost/assumptions.h"
#include "ir/ir.h"

namespace tapir::cost {

struct Range {
    double least = 0, typical = 0, most = 0;

    double at(Level level) const { return level == Level::Least ? least : level == Level::Most ? most : typical; }
    Range &operator+=(const Range &other);
    friend Range operator+(Range a, const Range &b) { return a += b; }
};

// Calls `each` with all bodies of the module.
template <class Each>
void each_body(const ir::Module &module, Each each) {
    for (const ir::Function &f : module.functions)
        each(f.body);
    for (const ir::Handler &h : module.handlers)
        each(h.body);
}

// Facts about a module on which the cost of single instructions depends.
struct ModuleFacts {
    explicit ModuleFacts(const ir::Module &module);

    std::set<int> deleted;                      // arrays of which elements are deleted
    double shown_texts = 0, shown_numbers = 0;  // arguments of its system calls, mean of a call
};

// The body that an instruction is in.
struct BodyFacts {
    size_t locks = 0;  // that the handler takes at once
    bool leaf = false;
};

class InstCost {
  public:
    // `functions`: what the module's cost, as far as the body calls them. All outlive it.
    InstCost(const ir::Module &module, const ModuleFacts &facts, const std::vector<Range> &functions, Level level,
             const Sizes &sizes, const BodyFacts &body)
        : module_(module), facts_(facts), functions_(functions), level_(level), sizes_(sizes), body_(body) {}

    double operator()(const ir::Inst &inst) const;
    // A piece of C of a tapset or a script, by the functions that it calls.
    double c_code(std::string_view code) const;

  private:
    double number(const ir::Inst &inst) const;
    double limits(const ir::Inst &inst) const;
    double hit(const ir::Inst &inst) const;
    double text(const ir::Inst &inst) const;
    double array(const ir::Inst &inst) const;
    double array_operation(const ir::Inst &inst) const;
    double scalar(const ir::Inst &inst) const;
    double statistic(const ir::Inst &inst) const;
    double loop(const ir::Inst &inst) const;
    double print(const ir::Inst &inst) const;
    double call(const ir::Inst &inst) const;
    double bytes(const ir::Value &value) const;

    const ir::Module &module_;
    const ModuleFacts &facts_;
    const std::vector<Range> &functions_;
    Level level_;
    Sizes sizes_;
    BodyFacts body_;
};

}  // namespace tapir::cost
