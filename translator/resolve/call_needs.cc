// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/call_needs.h"

#include <algorithm>

#include "ast/walk.h"

namespace tapir::resolve {

using ast::ExprKind;

namespace {

// Returns the needs of one expression by itself.
Needs needs_of(const ast::Expr &expr) {
    const auto module_unless = [](bool said) { return said ? Needs::Nothing : Needs::Module; };
    switch (expr.kind) {
        case ExprKind::Target:
        case ExprKind::Entry:
            return Needs::Place;
        case ExprKind::Cast: {
            const auto &cast = static_cast<const ast::Cast &>(expr);
            return module_unless(!cast.module.empty() || cast.type_name.empty());
        }
        case ExprKind::AtVar:
            return module_unless(!static_cast<const ast::AtVar &>(expr).module.empty());
        case ExprKind::Enum:
            return module_unless(!static_cast<const ast::Enum &>(expr).module.empty());
        default:
            return Needs::Nothing;
    }
}

}  // namespace

void CallNeeds::add_calls(const ast::Function &caller, std::vector<const ast::Function *> &found) {
    Needs own = Needs::Nothing;
    ast::each_expr(static_cast<const ast::Stmt &>(*caller.body), [&](const ast::Expr &e) {
        own = std::max(own, needs_of(e));
        if (e.kind != ExprKind::Call) return;
        for (const ast::Function *callee :
             declarations_.functions(static_cast<const ast::Call &>(e).name, *caller.seen_from())) {
            const auto [node, is_new] = nodes_.try_emplace(callee);
            node->second.callers.push_back(&caller);
            own = std::max(own, node->second.needs);
            if (is_new) found.push_back(callee);
        }
    });
    nodes_[&caller].needs = std::max(nodes_[&caller].needs, own);
}

// Callers inherit the needs of callees.
void CallNeeds::hand_on(std::vector<const ast::Function *> from) {
    while (!from.empty()) {
        const Node &callee = nodes_[from.back()];
        from.pop_back();
        if (callee.needs == Needs::Nothing) continue;
        for (const ast::Function *function : callee.callers) {
            Needs &needs = nodes_[function].needs;
            if (needs >= callee.needs) continue;
            needs = callee.needs;
            from.push_back(function);
        }
    }
}

void CallNeeds::explore(const ast::Function &root) {
    if (!nodes_.try_emplace(&root).second) return;
    std::vector<const ast::Function *> found = {&root};
    for (size_t i = 0; i < found.size(); ++i)
        if (found[i]->body) add_calls(*found[i], found);
    hand_on(found);
    for (const ast::Function *function : found) {
        Node &node = nodes_[function];
        if (node.needs != Needs::Nothing && function->body) node.written = ast::clone(*function->body);
    }
}

Needs CallNeeds::of(const ast::Function &function) {
    explore(function);
    return nodes_[&function].needs;
}

Needs CallNeeds::of(const ast::Stmt &body, const ast::File &file) {
    Needs most = Needs::Nothing;
    ast::each_expr(body, [&](const ast::Expr &e) {
        if (e.kind != ExprKind::Call || most == Needs::Place) return;
        for (const ast::Function *callee : declarations_.functions(static_cast<const ast::Call &>(e).name, file))
            most = std::max(most, of(*callee));
    });
    return most;
}

const ast::Stmt *CallNeeds::written(const ast::Function &function) {
    explore(function);
    return nodes_[&function].written.get();
}

}  // namespace tapir::resolve
