// SPDX-License-Identifier: GPL-2.0-or-later
// How often the instructions of a body run at one hit.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "cost/assumptions.h"
#include "ir/ir.h"

namespace tapir::cost {

// The value of a scalar global that no code writes, so that the session's start decides; nothing for others.
struct Constant {
    std::optional<int64_t> number;
    std::optional<std::string> text;
};
using Constants = std::function<const Constant *(int global)>;

// The rules:
//   a branch whose condition is known   one way
//   a loop                              its number of turns, if constants tell it; else as assumed
//   a branch that ends the handler      one hit in twenty takes it
//   another branch                      each way as often as the other
//   errors, and skipped hits            never
class Flow {
  public:
    Flow(const ir::Module &module, const ir::Body &body, const Constants &constants);

    // The sum of what the instructions cost: mean over the ways through the body, of the cheapest way, or of the
    // dearest.
    double sum(Level level, const Sizes &sizes, const std::function<double(const ir::Inst &)> &cost) const;

  private:
    struct Loop {
        size_t head, end;             // the label, and the jump back to it
        std::optional<double> turns;  // known ones
        int global = -1;              // the array that it goes through
        int64_t limit = 0;            // of its elements; 0: there is none
        std::optional<size_t> test;   // its first branch out; later ones end it early
    };

    void find_loops(const Constants &constants);
    void find_turns(Loop &loop) const;
    void fold(const Constants &constants);
    std::optional<int64_t> known(const ir::Value &value) const;
    std::optional<int64_t> known_result(const ir::Inst &inst, const Constants &constants) const;
    std::optional<std::string> known_text(const ir::Value &value, const Constants &constants) const;
    bool ends_soon(size_t at) const;
    double turns_of(const Loop &loop, const Sizes &sizes) const;
    // The probability that a branch jumps.
    double jumps(size_t at, const Sizes &sizes) const;
    double mean(const Sizes &sizes, const std::function<double(const ir::Inst &)> &cost) const;

    const ir::Module &module_;
    const std::vector<ir::Inst> &code_;
    std::vector<size_t> labels_;  // where they are
    std::vector<std::optional<int64_t>> registers_;
    std::vector<Loop> loops_;                   // outer ones first
    std::vector<std::vector<size_t>> in_;       // the loops that each instruction is in
    std::vector<std::optional<size_t>> tests_;  // the loop of which a branch is the test
};

}  // namespace tapir::cost
