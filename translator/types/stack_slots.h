// SPDX-License-Identifier: GPL-2.0-or-later
// The places of a program that hold strings, and which of them may hold numbers of stacks instead.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "ast/ast.h"

namespace tapir::types {

// A variable or the elements of an array (key -1), a key of an array, or the result of a function (variable null).
struct Slot {
    const ast::Variable *variable = nullptr;
    const ast::Function *function = nullptr;
    int key = -1;
    friend auto operator<=>(const Slot &, const Slot &) = default;
};

class StackSlots {
  public:
    // Facts about the program: values of `from` get into `to`, both ways; a stack is made into it, or a text.
    void flows(const Slot &from, const Slot &to) { edges_.insert({number(from), number(to)}); }
    void same(const Slot &one, const Slot &other);
    void made(const Slot &slot) { stack_.insert(number(slot)); }
    void text(const Slot &slot) { text_.insert(number(slot)); }
    // The slot outlives its handler.
    void lasts(const Slot &slot) { lasts_.insert(number(slot)); }
    // Its value's names are printed.
    void named(const Slot &slot) { named_.insert(number(slot)); }

    void decide();
    bool is_stack(const Slot &slot) const;
    bool any() const { return !decided_.empty(); }
    std::vector<Slot> decided() const;

  private:
    size_t number(const Slot &slot);
    // Adds to `from` the slots that can be reached from it, by edges from first to second or backwards.
    void close(std::set<size_t> &from, bool backwards) const;

    std::map<Slot, size_t> numbers_;
    std::set<std::pair<size_t, size_t>> edges_;
    std::set<size_t> stack_, text_, lasts_, named_, decided_;
};

}  // namespace tapir::types
