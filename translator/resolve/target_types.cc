// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/target_types.h"

#include <algorithm>

#include "ast/walk.h"
#include "resolve/fold.h"

namespace tapir::resolve {

using ast::ExprKind;
using ast::TargetType;
using ctypes::Type;
using ctypes::TypeKind;

namespace {

const ScriptType *script_type(const TargetType *type) {
    return static_cast<const ScriptType *>(type);
}

// True for a type that its name does not identify.
bool is_nameless(const std::string &name) {
    return name.find("{...}") != std::string::npos;
}

bool is_structure(const ctypes::TypeInfo &info) {
    return info.kind == TypeKind::Struct || info.kind == TypeKind::Union;
}

// True if objects of two types look the same. The types of their members are compared by name, where these have one.
bool same_layout(const Type &first, const Type &second, int depth = 8) {
    const Type a = first.stripped().completed(), b = second.stripped().completed();
    const ctypes::TypeInfo x = a.info(), y = b.info();
    if (x.kind != y.kind || depth == 0) return false;
    if (x.kind == TypeKind::Pointer || x.kind == TypeKind::Array)
        return x.count == y.count && same_layout(a.with(x.target), b.with(y.target), depth - 1);
    if (!is_structure(x) || x.declaration || y.declaration) return x.declaration || y.declaration || x.size == y.size;
    const std::vector<ctypes::Member> of_a = a.source->members(a.id), of_b = b.source->members(b.id);
    return x.size == y.size &&
           std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                      [&](const ctypes::Member &m, const ctypes::Member &n) {
                          const std::string type = ctypes::type_name(a.with(m.type));
                          return m.name == n.name && m.bit_offset == n.bit_offset && m.bit_size == n.bit_size &&
                                 m.is_computed == n.is_computed && type == ctypes::type_name(b.with(n.type)) &&
                                 (!is_nameless(type) || same_layout(a.with(m.type), b.with(n.type), depth - 1));
                      });
}

// Returns how much a type reveals of the memory at an address: nothing, a name, all.
int substance(const ScriptType &type) {
    ctypes::Type pointee = type.type.stripped();
    if (!type.is_address) pointee = pointee.with(pointee.info().target).stripped();
    const ctypes::TypeInfo info = pointee.completed().info();
    return info.kind == TypeKind::Void ? 0 : info.declaration ? 1 : 2;
}

}  // namespace

const ScriptType *ScriptTypes::of(const Type &type, bool is_address, bool user) {
    const Type plain = type.stripped();
    if (!is_address && plain.info().kind != TypeKind::Pointer) return nullptr;
    std::string key = ctypes::type_name(plain) + (is_address ? "&" : "") + (user ? " user" : "");
    // Types without a name are distinguished only by their identity; others are the same in every unit of an object.
    if (is_nameless(key)) key += " " + std::to_string(plain.id);
    key += " " + std::to_string(reinterpret_cast<uintptr_t>(plain.source));
    std::unique_ptr<ScriptType> &made = types_[key];
    if (!made) {
        made = std::make_unique<ScriptType>();
        made->name = ctypes::type_name(plain) + (is_address ? "*" : "");
        made->type = plain;
        made->is_address = is_address;
        made->user = user;
    }
    return made.get();
}

bool ScriptTypes::alike(const ScriptType &a, const ScriptType &b) {
    if (a.user != b.user || a.name != b.name || is_nameless(a.name)) return false;
    const auto [known, is_new] = alike_.try_emplace({&a, &b}, false);
    if (is_new) {
        const auto pointee = [](const ScriptType &type) {
            return type.is_address ? type.type : type.type.with(type.type.info().target);
        };
        known->second = same_layout(pointee(a), pointee(b));
    }
    return known->second;
}

namespace {

std::tuple<const void *, uint32_t, uint32_t> place(const SourceRef &at) {
    return {at.file, at.line, at.column};
}

}  // namespace

const ScriptType *ScriptTypes::both(const ScriptType::Given &first, const ScriptType::Given &second) {
    const ScriptType *a = first.type, *b = second.type;
    if (a == b || !a->several.empty()) return a;
    if (!b->several.empty()) return b;
    const int of_a = substance(*a), of_b = substance(*b);
    if ((of_a && of_b) ? alike(*a, *b) : a->user == b->user) return of_b > of_a ? b : a;
    std::unique_ptr<ScriptType> &made = several_[{a, b, place(first.at), place(second.at)}];
    if (!made) {
        made = std::make_unique<ScriptType>();
        made->several = {first, second};
    }
    return made.get();
}

// Walks the program until nothing changes. A slot goes from nothing to a type, perhaps to a more precise one, and at
// last to several: it ends. Callers stand before callees: parameters go forwards, results backwards.
void TypeFlow::run() {
    bool backwards = false;
    do {
        changed_ = false;
        for (size_t i = 0; i < functions_.size(); ++i) {
            function_ = functions_[backwards ? functions_.size() - 1 - i : i];
            if (function_->body) stmt(*function_->body);
        }
        function_ = nullptr;
        backwards = !backwards;
        for (const auto &handler : handlers_) {
            if (handler->body) stmt(*handler->body);
        }
    } while (changed_);
}

void TypeFlow::declare(ast::Function &function, const ScriptType *type) {
    merge(function.target_type, type, function.at);
}

void TypeFlow::merge(Slot &slot, const TargetType *type, const SourceRef &at) {
    if (!type || slot == type) return;
    const TargetType *now =
        slot ? types_.both({script_type(slot), given_at_[&slot]}, {script_type(type), at}) : script_type(type);
    if (now == slot) return;
    slot = now;
    given_at_[&slot] = at;
    changed_ = true;
}

const TargetType *TypeFlow::join(const ast::Expr &a, const ast::Expr &b) {
    if (!a.target_type || !b.target_type) return a.target_type ? a.target_type : b.target_type;
    return types_.both({script_type(a.target_type), a.at}, {script_type(b.target_type), b.at});
}

std::vector<TypeFlow::Slot> &TypeFlow::keys(const ast::Variable &array, size_t count) {
    std::vector<Slot> &slots = keys_[&array];
    if (slots.empty()) slots.resize(count);
    return slots;
}

void TypeFlow::stmt(ast::Stmt &node) {
    if (node.kind == ast::StmtKind::Return) {
        auto &value = static_cast<ast::Return &>(node).value;
        if (value && function_) merge(function_->target_type, expr(*value), value->at);
        return;
    }
    if (node.kind == ast::StmtKind::Foreach) foreach_stmt(static_cast<ast::Foreach &>(node));
    // Code guarded by a @defined without an answer may go.
    if (const ast::ExprPtr *cond = condition_of(node); cond && *cond && asks(**cond)) {
        expr(**cond);
        return;
    }
    ast::each_slot(
        node, [&](ast::ExprPtr &e) { expr(*e); }, [&](ast::StmtPtr &s) { stmt(*s); }, [](ast::VarRef &) {});
}

void TypeFlow::foreach_stmt(ast::Foreach &loop) {
    if (loop.array->kind != ExprKind::VarRef) return;
    const ast::Variable *array = static_cast<const ast::VarRef &>(*loop.array).variable;
    if (!array) return;
    const std::vector<Slot> &types = keys(*array, loop.keys.size());
    for (size_t i = 0; i < loop.keys.size() && i < types.size(); ++i)
        if (loop.keys[i]->variable) merge(loop.keys[i]->variable->target_type, types[i], loop.keys[i]->at);
    if (loop.value && loop.value->variable)
        merge(loop.value->variable->target_type, array->target_type, loop.value->at);
}

const TargetType *TypeFlow::expr(ast::Expr &e) {
    switch (e.kind) {
        case ExprKind::VarRef: {
            const ast::Variable *variable = static_cast<ast::VarRef &>(e).variable;
            return e.target_type = variable ? variable->target_type : nullptr;
        }
        case ExprKind::Index:
            return e.target_type = element(static_cast<ast::Index &>(e), false);
        case ExprKind::IncDec: {
            ast::Expr &target = *static_cast<ast::IncDec &>(e).target;
            if (target.kind == ExprKind::Index)
                element(static_cast<ast::Index &>(target), true);
            else
                expr(target);
            return nullptr;
        }
        case ExprKind::Assign:
            return e.target_type = assign(static_cast<ast::Assign &>(e));
        case ExprKind::Ternary: {
            auto &ternary = static_cast<ast::Ternary &>(e);
            if (asks(*ternary.cond)) {
                expr(*ternary.cond);
                return nullptr;
            }
            ast::each_slot(e, [&](ast::ExprPtr &child) { expr(*child); });
            return e.target_type = join(*ternary.then_expr, *ternary.else_expr);
        }
        case ExprKind::Call:
            return e.target_type = call(static_cast<ast::Call &>(e));
        default:
            ast::each_slot(e, [&](ast::ExprPtr &child) { expr(*child); });
            return e.target_type;
    }
}

// Returns the type of an array's element; an element that is written gives its keys' types to the array.
const TargetType *TypeFlow::element(ast::Index &index, bool creates) {
    for (const ast::ExprPtr &key : index.keys)
        if (key) expr(*key);
    if (index.base->kind != ExprKind::VarRef) {
        expr(*index.base);
        return nullptr;
    }
    const ast::Variable *array = static_cast<const ast::VarRef &>(*index.base).variable;
    if (!array) return nullptr;
    std::vector<Slot> &slots = keys(*array, index.keys.size());
    for (size_t i = 0; creates && i < index.keys.size() && i < slots.size(); ++i)
        if (index.keys[i]) merge(slots[i], index.keys[i]->target_type, index.keys[i]->at);
    return array->target_type;
}

const TargetType *TypeFlow::assign(ast::Assign &assign) {
    const TargetType *type = expr(*assign.value);
    ast::Expr &target = *assign.target;
    const bool is_element = target.kind == ExprKind::Index;
    if (is_element)
        element(static_cast<ast::Index &>(target), true);
    else
        expr(target);
    if (assign.op != ast::AssignOp::Set) return nullptr;
    const ast::Expr &named = is_element ? *static_cast<ast::Index &>(target).base : target;
    if (named.kind == ExprKind::VarRef)
        if (ast::Variable *variable = static_cast<const ast::VarRef &>(named).variable)
            merge(variable->target_type, type, assign.value->at);
    return type;
}

const TargetType *TypeFlow::call(ast::Call &call) {
    for (ast::ExprPtr &arg : call.args)
        expr(*arg);
    const TargetType *type = nullptr;
    SourceRef from;  // the first function with a type
    for (const ast::Function *function : call.candidates) {
        for (size_t i = 0; i < function->params.size() && i < call.args.size(); ++i)
            if (ast::Variable *variable = function->params[i].variable)
                merge(variable->target_type, call.args[i]->target_type, call.args[i]->at);
        if (!function->target_type) continue;
        type = type ? types_.both({script_type(type), from}, {script_type(function->target_type), function->at})
                    : function->target_type;
        if (!from) from = function->at;
    }
    return type;
}

}  // namespace tapir::resolve
