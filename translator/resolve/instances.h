// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of scripts that name types or variables without saying of what: @cast(p, "t") is of the program or kernel
// module whose probe calls the function. Such a function is resolved once for each.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "ast/ast.h"
#include "resolve/declarations.h"

namespace tapir::resolve {

class FunctionInstances {
  public:
    // New functions go into `made`, which outlives this.
    FunctionInstances(Declarations &declarations, ast::File &made) : declarations_(declarations), made_(made) {}

    // What a call from a probe of `module` (target::Scope::module()) means; the function itself where it makes no
    // difference.
    ast::Function &of(ast::Function &function, const std::string &module);
    // Before a function is resolved.
    void keep(const ast::Function &function);
    // Does the meaning of a body that sees the names of `file` depend on the module?
    bool matters(const ast::Stmt &body, const ast::File &file);
    // Of what of() has made: the module; "" of others.
    std::string module_of(const ast::Function &function) const;
    // Have calls of it become calls of what of() has made?
    bool is_replaced(const ast::Function &function) const { return replaced_.contains(&function); }

  private:
    using Seen = std::set<const ast::Function *>;
    bool matters(const ast::Function &function, Seen &seen);
    bool matters(const ast::Stmt &body, const ast::File &file, Seen &seen, bool own);

    Declarations &declarations_;
    ast::File &made_;
    std::map<const ast::Function *, bool> known_;
    std::map<const ast::Function *, ast::StmtPtr> written_;  // bodies as they were
    std::map<std::pair<const ast::Function *, std::string>, ast::Function *> instances_;
    std::map<const ast::Function *, std::string> modules_;
    Seen replaced_;
};

}  // namespace tapir::resolve
