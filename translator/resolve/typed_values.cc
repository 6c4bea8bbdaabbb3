// SPDX-License-Identifier: GPL-2.0-or-later
// Members of values that were given a type elsewhere.
#include "resolve/targets.h"

namespace tapir::resolve {

using ast::ExprKind;

bool is_untyped(const ast::Expr &expr) {
    return expr.kind == ExprKind::Cast && static_cast<const ast::Cast &>(expr).type_name.empty();
}

AccessProblem several_types(const ScriptType &type, const SourceRef &at) {
    const ScriptType::Given &first = type.several[0], &second = type.several[1];
    const auto text = [&](const ScriptType &given) {
        const bool in_program = first.type->name == second.type->name && first.type->user != second.type->user;
        return "'" + given.name + "'" + (!in_program ? "" : given.user ? " of a program" : " of the kernel");
    };
    AccessProblem problem{"this value has more than one type, " + text(*first.type) + " and " + text(*second.type) +
                              ": which one it is here is not known; use @cast",
                          at};
    problem.causes = {{text(*first.type) + " comes from here", first.at},
                      {text(*second.type) + " comes from here", second.at}};
    return problem;
}

namespace {

// Returns why a value has no type.
std::string why_untyped(const ast::Expr &value) {
    if (value.kind == ExprKind::Call)
        return "the function '" + static_cast<const ast::Call &>(value).name + "' returns a number without a type";
    if (value.kind == ExprKind::VarRef || value.kind == ExprKind::Index)
        return "nothing that has a type is assigned to it";
    return "it has no type";
}

}  // namespace

// Reaches p->member, where a value with a type was assigned to p.
std::optional<Reached> TargetResolver::reach_typed(ast::Cast &expr, std::unique_ptr<Accessor> &accessor) {
    if (expr.components.empty()) {
        fail(expr.at, "'&' needs a target variable, or a member or element of something");
        return std::nullopt;
    }
    const auto *type = static_cast<const ScriptType *>(expr.operand->target_type);
    if (!type) {
        fail(expr.at, "what this value points to is not known: " + why_untyped(*expr.operand) + "; use @cast");
        problem_.help = "name the type: @cast(VALUE, \"TYPE\")->MEMBER";
        return std::nullopt;
    }
    if (!type->several.empty()) {
        problem_ = several_types(*type, expr.at);
        return std::nullopt;
    }
    accessor = std::make_unique<Accessor>(nullptr, type->user, expr.at, problem_);
    if (type->is_address) return accessor->at_pointer(type->type, std::move(expr.operand));
    Reached object;
    object.type = type->type;
    object.value = std::move(expr.operand);
    return object;
}

}  // namespace tapir::resolve
