// SPDX-License-Identifier: GPL-2.0-or-later
// The needs that functions of scripts have of the probe that calls them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ast/ast.h"
#include "resolve/declarations.h"

namespace tapir::resolve {

enum class Needs : uint8_t {
    Nothing,
    Module,  // the program or kernel module that is probed, to which @cast(p, "t") looks for its type
    Place,   // where the hit is: $variables
};

// Answers for a function cover its callees, however far away. All of a program is looked at once: time is linear in its
// size.
class CallNeeds {
  public:
    explicit CallNeeds(Declarations &declarations) : declarations_(declarations) {}

    // Returns the needs of a function as it was written: ask before its body is resolved.
    Needs of(const ast::Function &function);
    // Returns the needs of the functions that a body calls; it sees the names of `file`.
    Needs of(const ast::Stmt &body, const ast::File &file);
    // The body of a function that needs something, as it was written. Null for others, and for embedded C.
    const ast::Stmt *written(const ast::Function &function);

  private:
    struct Node {
        Needs needs = Needs::Nothing;
        std::vector<const ast::Function *> callers;
        ast::StmtPtr written;
    };
    void explore(const ast::Function &root);
    void add_calls(const ast::Function &caller, std::vector<const ast::Function *> &found);
    void hand_on(std::vector<const ast::Function *> from);

    Declarations &declarations_;
    std::unordered_map<const ast::Function *, Node> nodes_;
};

}  // namespace tapir::resolve
