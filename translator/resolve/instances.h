// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of scripts whose meaning depends on the probe that calls them are resolved more than once: those that name
// types or variables without saying of what, for each program or kernel module (@cast(p, "t") is of the one that is
// probed); those that use $variables, for each place.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "ast/ast.h"
#include "resolve/call_needs.h"

namespace tapir::resolve {

// A function of the same name, parameters and pragmas, that sees the same names and has no body yet.
std::unique_ptr<ast::Function> another(const ast::Function &function);

class FunctionInstances {
  public:
    // New functions go into `made`, which outlives this.
    FunctionInstances(CallNeeds &needs, ast::File &made) : needs_(needs), made_(made) {}

    // Returns the instance for calls from a probe of `module` (target::Scope::module()), if the function needs no more
    // than the module.
    ast::Function &of(ast::Function &function, const std::string &module);
    // Takes over another() of `written` whose body is resolved for a place in `module`.
    ast::Function &add(const ast::Function &written, std::unique_ptr<ast::Function> instance,
                       const std::string &module);
    // True for one of those whose body no longer depends on the place.
    bool is_placed(const ast::Function &function) const { return placed_.contains(&function); }
    // Returns the module of an instance from of() or add(); "" for other functions.
    std::string module_of(const ast::Function &function) const;
    // Have calls of it become calls of one of those?
    bool is_replaced(const ast::Function &function) const { return replaced_.contains(&function); }

  private:
    CallNeeds &needs_;
    ast::File &made_;
    std::map<std::pair<const ast::Function *, std::string>, ast::Function *> instances_;
    std::map<const ast::Function *, std::string> modules_;
    std::set<const ast::Function *> replaced_, placed_;
};

}  // namespace tapir::resolve
