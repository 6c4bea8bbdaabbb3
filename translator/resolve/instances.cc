// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/instances.h"

#include <memory>

#include "ast/walk.h"

namespace tapir::resolve {

using ast::ExprKind;

namespace {

// Does an expression leave it to its place where it looks?
bool asks_place(const ast::Expr &expr) {
    switch (expr.kind) {
        case ExprKind::Cast:
            return static_cast<const ast::Cast &>(expr).module.empty() &&
                   !static_cast<const ast::Cast &>(expr).type_name.empty();
        case ExprKind::AtVar:
            return static_cast<const ast::AtVar &>(expr).module.empty();
        case ExprKind::Enum:
            return static_cast<const ast::Enum &>(expr).module.empty();
        default:
            return false;
    }
}

}  // namespace

bool FunctionInstances::matters(const ast::Stmt &body, const ast::File &file, Seen &seen, bool own) {
    bool found = false;
    ast::each_expr(body, [&](const ast::Expr &e) {
        if (found) return;
        found = own && asks_place(e);
        if (found || e.kind != ExprKind::Call) return;
        const auto &call = static_cast<const ast::Call &>(e);
        for (const ast::Function *callee : declarations_.functions(call.name, file))
            found = found || matters(*callee, seen);
    });
    return found;
}

bool FunctionInstances::matters(const ast::Function &function, Seen &seen) {
    const auto known = known_.find(&function);
    if (known != known_.end()) return known->second;
    return function.body && seen.insert(&function).second && matters(*function.body, *function.file, seen, true);
}

bool FunctionInstances::matters(const ast::Stmt &body, const ast::File &file) {
    Seen seen;
    return matters(body, file, seen, false);
}

void FunctionInstances::keep(const ast::Function &function) {
    if (known_.contains(&function)) return;
    Seen seen;
    if ((known_[&function] = matters(function, seen))) written_[&function] = ast::clone(*function.body);
}

ast::Function &FunctionInstances::of(ast::Function &function, const std::string &module) {
    if (module.empty() || modules_.contains(&function)) return function;
    keep(function);
    const auto written = written_.find(&function);
    if (written == written_.end()) return function;
    ast::Function *&made = instances_[{&function, module}];
    if (made) return *made;
    replaced_.insert(&function);
    auto copy = std::make_unique<ast::Function>();
    copy->name = function.name;
    copy->at = function.at;
    copy->declared = function.declared;
    copy->params = function.params;
    for (ast::Param &parameter : copy->params)
        parameter.variable = nullptr;
    copy->priority = function.priority;
    copy->body = ast::clone(*written->second);
    copy->pragmas = function.pragmas;
    copy->file = &made_;
    copy->names_from = function.file;
    made = copy.get();
    modules_[made] = module;
    made_.functions.push_back(std::move(copy));
    return *made;
}

std::string FunctionInstances::module_of(const ast::Function &function) const {
    const auto found = modules_.find(&function);
    return found == modules_.end() ? "" : found->second;
}

}  // namespace tapir::resolve
