// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/overloads.h"

#include <algorithm>

#include "ast/walk.h"
#include "resolve/pragmas.h"

namespace tapir::resolve {

bool may_fall_through(const ast::Function &function) {
    if (function.embedded_c) return embedded_may_fall_through(*function.embedded_c);
    bool found = false;
    ast::each_stmt(static_cast<const ast::Stmt &>(*function.body), [&](const ast::Stmt &s) {
        found |= s.kind == ast::StmtKind::Next;
        if (s.kind == ast::StmtKind::EmbeddedC)
            found |= embedded_may_fall_through(static_cast<const ast::EmbeddedCStmt &>(s).code);
    });
    return found;
}

namespace {

std::vector<ast::Function *> by_priority(const std::vector<ast::Function *> &named, size_t arguments,
                                         const Declarations &declarations) {
    std::vector<ast::Function *> result;
    for (ast::Function *function : named) {
        if (function->params.size() == arguments) result.push_back(function);
    }
    auto priority = [&](const ast::Function *function) -> int64_t {
        return function->priority.value_or(declarations.is_user(*function->file) ? 0 : 1);
    };
    std::stable_sort(result.begin(), result.end(),
                     [&](const ast::Function *a, const ast::Function *b) { return priority(a) < priority(b); });
    return result;
}

}  // namespace

std::vector<ast::Function *> overloads(const std::vector<ast::Function *> &named, size_t arguments,
                                       const Declarations &declarations) {
    std::vector<ast::Function *> result = by_priority(named, arguments, declarations);
    auto last =
        std::find_if(result.begin(), result.end(), [](const ast::Function *f) { return !may_fall_through(*f); });
    if (last != result.end()) result.erase(last + 1, result.end());
    return result;
}

bool is_callable(const ast::Call &call, const ast::File &file, Declarations &declarations) {
    return !overloads(declarations.functions(call.name, file), call.args.size(), declarations).empty();
}

const ast::Function *hidden_by(const ast::Function &function, Declarations &declarations) {
    std::vector<ast::Function *> named = declarations.functions(function.name, *function.file);
    std::vector<ast::Function *> chain = overloads(named, function.params.size(), declarations);
    if (chain.empty() || std::find(chain.begin(), chain.end(), &function) != chain.end()) return nullptr;
    return chain.back()->is_private == function.is_private ? chain.back() : nullptr;
}

}  // namespace tapir::resolve
