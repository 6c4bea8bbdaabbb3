// SPDX-License-Identifier: GPL-2.0-or-later
// Enumerators by name, and the names of values: @enum, @enumname and $RED.
#include <algorithm>

#include "resolve/targets.h"

namespace tapir::resolve {

using ast::ExprKind;
using ast::ExprPtr;
using ctypes::Type;
using ctypes::TypeKind;

// { if (value == 1) return "A"; ... return sprint(value) }
ExprPtr TargetResolver::enumerator_name(ast::Enum &expr, const Type &type) {
    auto body = std::make_unique<ast::Block>(expr.at);
    const auto value = [&] { return std::make_unique<ast::VarRef>(expr.at, "value"); };
    const auto give = [&](ExprPtr text) {
        auto result = std::make_unique<ast::Return>(expr.at);
        result->value = std::move(text);
        return result;
    };
    std::vector<int64_t> seen;
    for (const ctypes::Enumerator &enumerator : type.source->enumerators(type.id)) {
        if (std::find(seen.begin(), seen.end(), enumerator.value) != seen.end()) continue;
        seen.push_back(enumerator.value);
        auto branch = std::make_unique<ast::If>(expr.at);
        branch->cond = std::make_unique<ast::Compare>(expr.at, ast::CompareOp::Eq, value(),
                                                      std::make_unique<ast::Number>(expr.at, enumerator.value));
        branch->then_stmt = give(std::make_unique<ast::String>(expr.at, enumerator.name));
        body->body.push_back(std::move(branch));
    }
    FormatBuilder decimal(expr.at);
    decimal.value(ast::FormatPiece::Conv::Decimal, value());
    body->body.push_back(give(decimal.build()));
    std::vector<Synthesis::Argument> arguments;
    arguments.push_back({"value", std::move(expr.value)});
    return place_.synthesis->call(expr.at, "enumname", ast::Type::String, std::move(arguments), std::move(body));
}

ExprPtr TargetResolver::enumerator(ast::Enum &expr) {
    for (const target::Scope *scope : scopes(expr.module)) {
        if (!expr.wants_name) {
            const auto value = scope->find_enumerator(expr.name);
            if (value) return std::make_unique<ast::Number>(expr.at, *value);
            continue;
        }
        auto type = scope->find_type(expr.name.rfind("enum ", 0) == 0 ? expr.name : "enum " + expr.name);
        if (!type) type = scope->find_type(expr.name);  // of a typedef
        if (!type || type->stripped().info().kind != TypeKind::Enum) continue;
        return enumerator_name(expr, type->stripped().completed());
    }
    fail(expr.at, std::string(expr.wants_name ? "enumeration" : "enumerator") + " '" + expr.name + "' not found" +
                      (expr.module.empty() ? "" : " in '" + expr.module + "'"));
    suggest(expr.wants_name ? target::NameKind::Type : target::NameKind::Enumerator, expr.name, expr.module);
    return nullptr;
}

ExprPtr TargetResolver::name_of_value(ast::Enum &expr, const Type &type) {
    if (type.stripped().info().kind == TypeKind::Enum) return enumerator_name(expr, type.stripped().completed());
    return fail(expr.at, "this is of type '" + ctypes::type_name(type) +
                             "', which is not an enumeration; @enumname(\"type\", value) takes any number");
}

// The enumerator that a name means where no variable has it; null for others.
ExprPtr TargetResolver::named_value(const ast::Expr &expr) const {
    if (expr.kind != ExprKind::Target || !place_.scope) return nullptr;
    const auto &target = static_cast<const ast::Target &>(expr);
    if (!target.components.empty() || target.address_of || target.name == "$return") return nullptr;
    const std::string name = target.name.substr(1);
    const auto value = place_.scope->find(name) ? std::nullopt : place_.scope->find_enumerator(name);
    return value ? std::make_unique<ast::Number>(expr.at, *value) : nullptr;
}

}  // namespace tapir::resolve
