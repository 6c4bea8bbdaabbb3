// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/targets.h"

#include <algorithm>

#include "base/names.h"

namespace tapir::resolve {

using ast::ExprKind;
using ast::ExprPtr;
using ctypes::Type;
using ctypes::TypeKind;

namespace {

// Where the integer result of a function is at its return: register 0 in the DWARF numbering of x86-64 (rax) and of
// AArch64 (x0).
constexpr int64_t kResultRegister = 0;

bool has_pretty(const std::vector<ast::Component> &components) {
    return !components.empty() && components.back().kind == ast::Component::Kind::Pretty;
}

std::vector<ast::Component> *components_of(ast::Expr &expr) {
    switch (expr.kind) {
        case ExprKind::Target:
            return &static_cast<ast::Target &>(expr).components;
        case ExprKind::Cast:
            return &static_cast<ast::Cast &>(expr).components;
        case ExprKind::AtVar:
            return &static_cast<ast::AtVar &>(expr).components;
        default:
            return nullptr;
    }
}

bool is_address_of(const ast::Expr &expr) {
    switch (expr.kind) {
        case ExprKind::Target:
            return static_cast<const ast::Target &>(expr).address_of;
        case ExprKind::Cast:
            return static_cast<const ast::Cast &>(expr).address_of;
        case ExprKind::AtVar:
            return static_cast<const ast::AtVar &>(expr).address_of;
        default:
            return false;
    }
}

ast::FormatPiece literal(std::string text) {
    ast::FormatPiece piece;
    piece.literal = std::move(text);
    return piece;
}

ast::FormatPiece hexadecimal() {
    ast::FormatPiece piece;
    piece.conv = ast::FormatPiece::Conv::HexLower;
    piece.flag = ast::FormatPiece::Flag::Alternate;
    return piece;
}

std::unique_ptr<ast::Print> formatted(const SourceRef &at) {
    auto print = std::make_unique<ast::Print>(at);
    print->to_string = true;
    print->formatted = true;
    print->name = "sprintf";
    return print;
}

}  // namespace

std::nullptr_t TargetResolver::fail(const SourceRef &at, std::string message) {
    problem_ = {std::move(message), at};
    return nullptr;
}

std::string TargetResolver::no_scope(const std::string &name) const {
    if (place_.in_function)
        return "target variables exist in probes only; pass " + name + " to the function as an argument";
    if (!place_.is_code) return "there are no target variables at this kind of probe";
    return "what is at this place is not known: " +
           (place_.debug ? place_.debug->missing() : "there is no debug information");
}

bool TargetResolver::is_return_value(const ast::Expr &expr) const {
    return expr.kind == ExprKind::Target && static_cast<const ast::Target &>(expr).name == "$return";
}

std::vector<const target::Scope *> TargetResolver::scopes(const std::string &modules) {
    std::vector<const target::Scope *> found;
    if (modules.empty()) {
        if (place_.scope) found.push_back(place_.scope);
        if (auto kernel = place_.debug ? place_.debug->whole_scope() : nullptr) {
            owned_.push_back(std::move(kernel));
            found.push_back(owned_.back().get());
        }
        return found;
    }
    for (size_t at = 0; at <= modules.size();) {
        const size_t end = std::min(modules.find(':', at), modules.size());
        const std::string name = modules.substr(at, end - at);
        at = end + 1;
        auto whole = place_.debug ? place_.debug->whole_scope(name == "kernel" ? "" : name) : nullptr;
        if (!whole) continue;
        owned_.push_back(std::move(whole));
        found.push_back(owned_.back().get());
    }
    return found;
}

std::optional<Reached> TargetResolver::reach_variable(ast::Target &expr, std::unique_ptr<Accessor> &accessor) {
    const target::Scope *scope = place_.scope;
    const std::string name = expr.name.substr(1);
    if (!scope) {
        fail(expr.at, no_scope(expr.name));
        return std::nullopt;
    }
    accessor = std::make_unique<Accessor>(scope, scope->user(), expr.at);
    if (name == "return" && place_.at_return) {
        const std::optional<Type> type = scope->result();
        if (!type || type->stripped().info().kind == TypeKind::Void) {
            fail(expr.at, type ? "the function returns nothing, there is no $return"
                               : "what the function returns is not known here");
            return std::nullopt;
        }
        const ctypes::TypeInfo info = type->stripped().info();
        const bool number =
            info.kind == TypeKind::Integer || info.kind == TypeKind::Pointer || info.kind == TypeKind::Enum;
        if (!number && (info.size == 0 || info.size > 8)) {
            fail(expr.at, "a result of type '" + ctypes::type_name(*type) + "' is not returned in a register");
            return std::nullopt;
        }
        Reached result;
        result.type = *type;
        result.in_register = kResultRegister;
        result.value = std::make_unique<ast::Register>(expr.at, scope->user(),
                                                       std::make_unique<ast::Number>(expr.at, kResultRegister));
        return result;
    }
    if (name == "return") {
        fail(expr.at, "$return is there at the return of functions only (.return)");
        return std::nullopt;
    }
    const auto variable = scope->find(name);
    if (!variable) {
        std::string text = "unable to find local '" + name + "'";
        std::vector<std::string> names;
        for (const target::Variable &other : scope->variables())
            if (!other.name.empty()) names.push_back("$" + other.name);
        if (!names.empty()) {
            text += " (alternatives: ";
            for (size_t i = 0; i < names.size(); ++i)
                text += (i ? ", " : "") + names[i];
            text += ")";
        }
        if (!scope->missing().empty()) text += "; " + scope->missing();
        fail(expr.at, text);
        return std::nullopt;
    }
    auto object = accessor->start(variable->type, variable->place, name);
    if (!object) problem_ = accessor->problem();
    return object;
}

std::optional<Reached> TargetResolver::reach_cast(ast::Cast &expr, std::unique_ptr<Accessor> &accessor) {
    std::string name = expr.type_name;
    for (const target::Scope *scope : scopes(expr.module)) {
        std::optional<Type> type = scope->find_type(name);
        // "T*" is accepted for what it points to: the operand is a pointer in any case.
        while (!type && !name.empty() && (name.back() == '*' || name.back() == ' ')) {
            name.pop_back();
            type = scope->find_type(name);
        }
        if (!type) {
            name = expr.type_name;
            continue;
        }
        accessor = std::make_unique<Accessor>(scope, scope->user(), expr.at);
        return accessor->at_pointer(*type, std::move(expr.operand));
    }
    const bool none = scopes(expr.module).empty() && place_.debug;
    std::string module = expr.module == "kernel" ? "" : expr.module.substr(0, expr.module.find(':'));
    fail(expr.at, "type '" + expr.type_name + "' not found" + (expr.module.empty() ? "" : " in '" + expr.module + "'") +
                      (none ? ": " + place_.debug->missing(module) : ""));
    return std::nullopt;
}

std::optional<Reached> TargetResolver::reach_global(ast::AtVar &expr, std::unique_ptr<Accessor> &accessor) {
    for (const target::Scope *scope : scopes(expr.module)) {
        const auto variable = scope->find(expr.name);
        if (!variable) continue;
        accessor = std::make_unique<Accessor>(scope, scope->user(), expr.at);
        auto object = accessor->start(variable->type, variable->place, expr.name);
        if (!object) problem_ = accessor->problem();
        return object;
    }
    const bool none = scopes(expr.module).empty() && place_.debug;
    std::string module = expr.module == "kernel" ? "" : expr.module.substr(0, expr.module.find(':'));
    fail(expr.at, "unable to find global '" + expr.name + "'" +
                      (expr.module.empty() ? "" : " in '" + expr.module + "'") +
                      (none ? ": " + place_.debug->missing(module) : ""));
    return std::nullopt;
}

std::optional<Reached> TargetResolver::reach(ast::Expr &expr, std::unique_ptr<Accessor> &accessor) {
    switch (expr.kind) {
        case ExprKind::Target:
            return reach_variable(static_cast<ast::Target &>(expr), accessor);
        case ExprKind::Cast:
            return reach_cast(static_cast<ast::Cast &>(expr), accessor);
        default:
            return reach_global(static_cast<ast::AtVar &>(expr), accessor);
    }
}

bool TargetResolver::walk(std::vector<ast::Component> &components, Reached &object, Accessor &accessor) {
    for (ast::Component &component : components) {
        if (accessor.step(object, component)) continue;
        problem_ = accessor.problem();
        return false;
    }
    return true;
}

ExprPtr TargetResolver::finish(ast::Expr &expr, std::vector<ast::Component> &components, bool address_of,
                               Reached object, Accessor &accessor) {
    if (!walk(components, object, accessor)) return nullptr;
    // @cast(p, "t") alone is p itself with a type; a structure in memory stands for its address, as in C's arrays.
    const TypeKind kind = object.type.stripped().info().kind;
    const bool whole_cast = expr.kind == ExprKind::Cast && components.empty();
    const bool in_place =
        (kind == TypeKind::Struct || kind == TypeKind::Union) && object.address && expr.kind != ExprKind::Target;
    ExprPtr value = whole_cast && object.address                   ? std::move(object.address)
                    : address_of || (in_place && !object.bit_size) ? accessor.address(std::move(object))
                                                                   : accessor.value(std::move(object));
    if (!value) problem_ = accessor.problem();
    return value;
}

// Keeps a value of the entry for the return: the same value is kept once.
ExprPtr TargetResolver::save(const SourceRef &at, ExprPtr value) {
    EntrySaves &saves = *place_.saves;
    const std::string text = ast::print(*value);
    const auto known = std::find(saves.texts.begin(), saves.texts.end(), text);
    ast::Variable *variable = nullptr;
    if (known != saves.texts.end()) {
        variable = saves.saves[static_cast<size_t>(known - saves.texts.begin())].variable;
    } else {
        auto fresh = std::make_unique<ast::Variable>();
        fresh->name = fresh->unique_name = "@entry" + std::to_string(saves.saves.size());
        fresh->at = at;
        fresh->scope = ast::Variable::Scope::Saved;
        fresh->arity = 0;
        fresh->is_read = fresh->is_written = true;
        variable = fresh.get();
        saves.variables->push_back(std::move(fresh));
        saves.saves.push_back({variable, std::move(value)});
        saves.texts.push_back(text);
    }
    auto ref = std::make_unique<ast::VarRef>(at, variable->name);
    ref->variable = variable;
    return ref;
}

// "a=0x1 b=?"
ExprPtr TargetResolver::list(const ast::Target &expr) {
    const target::Scope *scope = place_.scope;
    if (!scope) return fail(expr.at, no_scope(expr.name));
    auto print = formatted(expr.at);
    const auto add = [&](const std::string &name, ExprPtr value) {
        const std::string lead = (print->pieces.empty() ? "" : " ") + name + "=";
        print->pieces.push_back(literal(value ? lead : lead + "?"));
        if (!value) return;
        print->pieces.push_back(hexadecimal());
        print->args.push_back(std::move(value));
    };
    const auto by_name = [&](const std::string &name) {
        ast::Target variable(expr.at, "$" + name);
        const AccessProblem before = problem_;
        ExprPtr value = read(variable);
        problem_ = before;
        return value;
    };
    if (expr.name == "$$return") {
        if (!place_.at_return) return fail(expr.at, "$$return is there at the return of functions only (.return)");
        const auto type = scope->result();
        if (type && type->stripped().info().kind != TypeKind::Void) add("return", by_name("return"));
    } else {
        const bool parameters = expr.name != "$$locals", locals = expr.name != "$$parms";
        for (const target::Variable &variable : scope->variables()) {
            if (variable.name.empty() || !(variable.parameter ? parameters : locals && !place_.at_return)) continue;
            add(variable.name, by_name(variable.name));
        }
    }
    if (print->args.empty()) {
        std::string text;
        for (const ast::FormatPiece &piece : print->pieces)
            text += piece.literal;
        return std::make_unique<ast::String>(expr.at, text);
    }
    return print;
}

ExprPtr TargetResolver::enumerator(ast::Enum &expr) {
    for (const target::Scope *scope : scopes(expr.module)) {
        if (expr.wants_name) {
            const auto type = scope->find_type(expr.name.rfind("enum ", 0) == 0 ? expr.name : "enum " + expr.name);
            if (!type) continue;
            // value == A ? "A" : value == B ? "B" : ... : decimal
            const auto all = type->source->enumerators(type->stripped().id);
            auto number = formatted(expr.at);
            ast::FormatPiece decimal;
            decimal.conv = ast::FormatPiece::Conv::Decimal;
            number->pieces.push_back(decimal);
            number->args.push_back(ast::clone(*expr.value));
            ExprPtr chain = std::move(number);
            for (auto at = all.rbegin(); at != all.rend(); ++at) {
                auto same = std::make_unique<ast::Compare>(expr.at, ast::CompareOp::Eq, ast::clone(*expr.value),
                                                           std::make_unique<ast::Number>(expr.at, at->value));
                chain = std::make_unique<ast::Ternary>(
                    expr.at, std::move(same), std::make_unique<ast::String>(expr.at, at->name), std::move(chain));
            }
            return chain;
        }
        if (const auto value = scope->find_enumerator(expr.name)) return std::make_unique<ast::Number>(expr.at, *value);
    }
    return fail(expr.at,
                std::string(expr.wants_name ? "enumeration" : "enumerator") + " '" + expr.name + "' not found");
}

ExprPtr TargetResolver::read(ast::Expr &expr) {
    switch (expr.kind) {
        case ExprKind::Entry:
            if (!place_.saves) return fail(expr.at, "@entry is there at the return of functions only (.return)");
            return save(expr.at, std::move(static_cast<ast::Entry &>(expr).operand));
        case ExprKind::Enum:
            return enumerator(static_cast<ast::Enum &>(expr));
        case ExprKind::Register:
        case ExprKind::Deref: {
            const bool user = expr.kind == ExprKind::Register ? static_cast<ast::Register &>(expr).user
                                                              : static_cast<ast::Deref &>(expr).user;
            if (!user && !place_.guru)
                return fail(expr.at, "this reads any memory or register of the kernel, and so needs stap -g");
            return ast::clone(expr);
        }
        case ExprKind::Perf:
            return fail(expr.at, "@perf is not supported yet");
        default:
            break;
    }
    if (expr.kind == ExprKind::Target) {
        auto &target = static_cast<ast::Target &>(expr);
        if (target.name == "$$vars" || target.name == "$$parms" || target.name == "$$locals" ||
            target.name == "$$return")
            return list(target);
        // A parameter at a return is what it was at the entry, and so is all that is reached through it.
        if (place_.at_return && !entering_ && !is_return_value(expr) && place_.saves) {
            entering_ = true;
            ExprPtr value = read(expr);
            entering_ = false;
            return value ? save(expr.at, std::move(value)) : nullptr;
        }
    }
    std::vector<ast::Component> &components = *components_of(expr);
    if (has_pretty(components)) return fail(expr.at, "pretty printing is not supported yet");
    std::unique_ptr<Accessor> accessor;
    std::optional<Reached> object = reach(expr, accessor);
    if (!object) return nullptr;
    return finish(expr, components, is_address_of(expr), std::move(*object), *accessor);
}

ExprPtr TargetResolver::write(ast::Expr &target, ExprPtr value) {
    if (!place_.guru) return fail(target.at, "write to target variable not permitted; need stap -g");
    if (target.kind == ExprKind::Deref || target.kind == ExprKind::Register)
        return std::make_unique<ast::Assign>(target.at, ast::AssignOp::Set, ast::clone(target), std::move(value));
    if (place_.at_return && target.kind == ExprKind::Target && !is_return_value(target))
        return fail(target.at, "a variable of the function cannot be written at its return");
    std::vector<ast::Component> *components = components_of(target);
    if (!components || is_address_of(target) || has_pretty(*components))
        return fail(target.at, "this cannot be assigned");
    std::unique_ptr<Accessor> accessor;
    std::optional<Reached> object = reach(target, accessor);
    if (!object || !walk(*components, *object, *accessor)) return nullptr;
    ExprPtr assignment = accessor->assign(std::move(*object), std::move(value));
    if (!assignment) problem_ = accessor->problem();
    return assignment;
}

}  // namespace tapir::resolve
