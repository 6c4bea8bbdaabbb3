// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of scripts that use $variables, as they are at the place of a probe that calls them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "resolve/context_exprs.h"
#include "resolve/instances.h"

namespace tapir::resolve {

// Those that one body leads to, itself or through each other, at one place.
struct PlaceFunctions {
    struct Call {
        ast::Call *call;
        std::vector<size_t> candidates;  // of `functions`, in the order they are tried
    };
    struct Function {
        const ast::Function *written;
        std::unique_ptr<ast::Function> resolved;
        std::vector<Call> calls;  // in its body, of functions of this set
        SourceRef called_at;      // where it was first met
        size_t caller;            // which of `functions` that is in; kByProbe: none
    };
    static constexpr size_t kByProbe = static_cast<size_t>(-1);

    std::vector<Function> functions;
    std::vector<Call> calls;  // in the body
    // Values that the entry of a call leaves for its return: a function gets all of them as further arguments.
    std::vector<ast::Variable *> saved;

    // Sets with the same text mean the same.
    std::string text() const;
};

// A part of a handler.
struct PlaceBody {
    ast::Stmt *stmt = nullptr;  // one of them
    ast::Expr *expr = nullptr;
    const ast::File *file = nullptr;  // whose names it sees
};

// State that all places share.
struct PlaceContext {
    Declarations &declarations;
    CallNeeds &needs;
    Diagnostics &diagnostics;
    bool guru = false;
    bool skip_bad = false, put_off = false;  // as in ContextOptions
};

// Finds the functions that need the place and that `bodies` call, directly or through others; the context expressions
// of `bodies` are resolved. Reports or puts off problems there, with the way from `probe` to them; `point` is the
// place's name in the script.
PlaceFunctions functions_at(const std::vector<PlaceBody> &bodies, const TargetPlace &place, const SourceRef &probe,
                            const std::string &point, const PlaceContext &context);

// Turns the calls of a set into calls of the functions made for it, or for another set that means the same.
class PlacedFunctions {
  public:
    explicit PlacedFunctions(FunctionInstances &instances) : instances_(instances) {}

    void bind(PlaceFunctions &set, const std::string &module);

  private:
    FunctionInstances &instances_;
    std::map<std::string, std::vector<ast::Function *>> known_;  // by text and module
};

}  // namespace tapir::resolve
