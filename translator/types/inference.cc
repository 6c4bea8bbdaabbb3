// SPDX-License-Identifier: GPL-2.0-or-later
#include "types/inference.h"

#include "ast/walk.h"
#include "base/help.h"
#include "resolve/cause.h"
#include "resolve/pragmas.h"
#include "types/type_advice.h"

namespace tapir::types {

using ast::Expr;
using ast::ExprKind;
using ast::StmtKind;
using ast::Type;
using resolve::add_cause;

std::string type_word(Type type) {
    switch (type) {
        case Type::Long:
            return "long";
        case Type::String:
            return "string";
        case Type::Stat:
            return "stats";
        default:
            return "unknown";
    }
}

bool has_value(const ast::Function &function) {
    if (function.declared != Type::Unknown) return true;
    if (function.embedded_c) return resolve::embedded_returns(*function.embedded_c);
    bool found = false;
    ast::each_stmt(static_cast<const ast::Stmt &>(*function.body), [&](const ast::Stmt &s) {
        found |= s.kind == StmtKind::Return && static_cast<const ast::Return &>(s).value;
    });
    return found;
}

void Inference::run() {
    seed();
    collect_uses();
    for (size_t i = 0; i < program_.handlers.size() + program_.functions.size(); ++i)
        due_.insert(i);
    for (size_t from = 0; !due_.empty();) {
        const auto next = due_.lower_bound(from);
        if (next == due_.end()) {
            from = 0;
            continue;
        }
        const size_t number = *next;
        due_.erase(next);
        body(number);
        from = number + 1;
    }
    report_valueless();
}

void Inference::changed(const void *of) {
    const auto users = uses_.find(of);
    if (users != uses_.end()) due_.insert(users->second.begin(), users->second.end());
}

void Inference::collect_uses() {
    size_t number = 0;
    const auto add = [&](const void *what) {
        std::vector<size_t> &users = uses_[what];
        if (users.empty() || users.back() != number) users.push_back(number);
    };
    const auto expr = [&](const Expr &e) {
        if (e.kind == ExprKind::VarRef) add(static_cast<const ast::VarRef &>(e).variable);
        if (e.kind != ExprKind::Call) return;
        for (const ast::Function *function : static_cast<const ast::Call &>(e).candidates) {
            add(function);
            for (const ast::Param &param : function->params)
                add(param.variable);
        }
    };
    for (const auto &handler : program_.handlers) {
        if (handler->condition) ast::each_expr(static_cast<const Expr &>(*handler->condition), expr);
        ast::each_expr(static_cast<const ast::Stmt &>(*handler->body), expr);
        ++number;
    }
    for (const ast::Function *function : program_.functions) {
        add(function);
        if (function->body) ast::each_expr(static_cast<const ast::Stmt &>(*function->body), expr);
        ++number;
    }
}

// Takes the types that declarations give.
void Inference::seed() {
    for (ast::Variable *global : program_.globals) {
        if (global->arity > 0) {
            global->key_types.resize(static_cast<size_t>(global->arity), Type::Unknown);
            global->key_types_from.resize(static_cast<size_t>(global->arity));
        }
        if (!global->init) continue;
        global->type = global->init->type = global->init->kind == ExprKind::String ? Type::String : Type::Long;
        global->type_from = global->init->at;
    }
    for (ast::Function *function : program_.functions) {
        if (function->declared == Type::Unknown) continue;
        function->type = function->declared;
        function->type_from = function->at;
    }
}

void Inference::body(size_t number) {
    if (number < program_.handlers.size()) {
        resolve::Handler &handler = *program_.handlers[number];
        if (handler.condition) expr(*handler.condition, {Type::Long, {}});
        return stmt(*handler.body);
    }
    function_ = program_.functions[number - program_.handlers.size()];
    if (function_->body) stmt(*function_->body);
    function_ = nullptr;
}

Diagnostic *Inference::report(const void *node, Tag tag, const SourceRef &at, std::string message) {
    if (!reported_.insert({node, tag}).second) return nullptr;
    return &diagnostics_.report(tag, at, std::move(message));
}

void Inference::learn(ast::Variable &variable, Type type, const SourceRef &at) {
    if (variable.type != Type::Unknown || type == Type::Unknown || type == Type::Void) return;
    variable.type = type;
    variable.type_from = at;
    changed(&variable);
}

void Inference::learn(ast::Function &function, Type type, const SourceRef &at) {
    if (function.type != Type::Unknown || type == Type::Unknown || type == Type::Void) return;
    function.type = type;
    function.type_from = at;
    changed(&function);
}

// ---------------------------------------------------------------- conflicts

namespace {

bool from_script(const ast::Call &call) {
    return !call.candidates.empty() && call.candidates.front()->file &&
           call.candidates.front()->file->source->origin() != Origin::Tapset;
}

// Returns where the type of the named variable or function was fixed; empty if the expression names nothing.
SourceRef origin(const Expr &e) {
    const Expr *named = &e;
    if (named->kind == ExprKind::Index) named = static_cast<const ast::Index *>(named)->base.get();
    if (named->kind == ExprKind::VarRef) {
        const ast::Variable *variable = static_cast<const ast::VarRef *>(named)->variable;
        if (variable) return variable->type_from;
    }
    if (named->kind == ExprKind::Call) {
        const auto &candidates = static_cast<const ast::Call *>(named)->candidates;
        if (!candidates.empty()) return candidates.front()->type_from;
    }
    return {};
}

constexpr const char *kCondition = "a string is not a condition: compare it, as in s != \"\"";
constexpr const char *kArithmetic = "strings are joined with '.'; strtol(s, 10) makes a number of one";

// Advice about the likely mistake if an operand of '.' is not a string.
const char *concat_help(const ast::Concat &concat) {
    if (concat.left->kind == ExprKind::Number && concat.right->kind == ExprKind::Number)
        return "numbers are whole: there are no fractions";
    if (concat.right->kind == ExprKind::VarRef) {
        const auto &right = static_cast<const ast::VarRef &>(*concat.right);
        if (right.variable && right.variable->scope == ast::Variable::Scope::Local && !right.variable->is_written)
            return kMemberAdvice;
    }
    return "'.' joins strings; sprint(n) makes a string of a number";
}

bool same_place(const SourceRef &a, const SourceRef &b) {
    return a.file == b.file && a.line == b.line && a.column == b.column;
}

}  // namespace

void Inference::mismatch(Expr &e, Type has, const Want &want) {
    Diagnostic *diagnostic = report(&e, Tag::TypeMismatch, e.at,
                                    "type mismatch: expected " + type_word(want.type) + " but found " + type_word(has));
    if (!diagnostic) return;
    add_help(*diagnostic, conversion_advice(e, has, want.type, want.help));
    SourceRef found = origin(e);
    if (found && !same_place(found, e.at))
        add_cause(*diagnostic, "type was first inferred here (" + type_word(has) + ")", found);
    if (want.why && !same_place(want.why, e.at)) {
        add_cause(*diagnostic, "type was first inferred here (" + type_word(want.type) + ")", want.why);
    }
}

// The type of an expression that by itself has type `has`, at a place that wants `want`.
Type Inference::known(Expr &e, Type has, const Want &want) {
    if (has == Type::Unknown) has = want.type;
    if (want.type != Type::Unknown && has != want.type) mismatch(e, has, want);
    return e.type = has;
}

// ---------------------------------------------------------------- variables

ast::Variable *Inference::place(Expr &target) {
    if (target.kind == ExprKind::VarRef) return static_cast<ast::VarRef &>(target).variable;
    if (target.kind != ExprKind::Index) return nullptr;
    auto &index = static_cast<ast::Index &>(target);
    if (index.base->kind != ExprKind::VarRef) return nullptr;
    ast::Variable *variable = static_cast<ast::VarRef &>(*index.base).variable;
    if (variable) keys(*variable, index.keys);
    return variable;
}

void Inference::keys(ast::Variable &array, std::vector<ast::ExprPtr> &list) {
    for (size_t i = 0; i < list.size(); ++i) {
        if (!list[i]) continue;
        if (i < array.key_types.size()) {
            key(array, i, *list[i]);
        } else {
            expr(*list[i], {});
        }
    }
}

void Inference::key(ast::Variable &array, size_t number, Expr &key) {
    Type wanted = array.key_types[number];
    Type has = expr(key, {});
    if (has == Type::Unknown && wanted != Type::Unknown) has = expr(key, {wanted, array.key_types_from[number]});
    if (has == Type::Unknown) return;
    if (wanted == Type::Unknown) {
        array.key_types[number] = has;
        array.key_types_from[number] = key.at;
        changed(&array);
    } else if (has != wanted) {
        const std::string index = "index " + std::to_string(number);
        Diagnostic *diagnostic =
            report(&key, Tag::IndexTypeMismatch, key.at, index + " type mismatch (" + type_word(has) + ")");
        if (!diagnostic) return;
        add_help(*diagnostic, conversion_advice(key, has, wanted));
        add_cause(*diagnostic, "type of " + index + " was first inferred here (" + type_word(wanted) + ")",
                  array.key_types_from[number]);
    }
}

// A variable or element read for its value.
Type Inference::value_of(Expr &e, ast::Variable *variable, const Want &want) {
    if (!variable) return e.type = want.type;
    if (variable->type == Type::Unknown) learn(*variable, want.type, e.at);
    if (variable->type == Type::Stat) {
        if (want.value && want.type != Type::Stat) {
            report(&e, Tag::StatisticAsValue, e.at,
                   "a statistic has no value of its own; read it with @count, @sum, @min, @max, @avg or @variance");
        }
        e.type = Type::Stat;
        return Type::Unknown;
    }
    return known(e, variable->type, want);
}

// The operand of "<<<", @count and the like.
void Inference::operands(ast::StatOp &op) {
    statistic(*op.stat);
    for (const ast::ExprPtr *number : {&op.part, &op.whole})
        if (*number) expr(**number, {Type::Long, {}});
}

void Inference::statistic(Expr &operand) {
    ast::Variable *variable = place(operand);
    if (!variable) return;
    if (variable->scope != ast::Variable::Scope::Global) {
        if (Diagnostic *diagnostic = report(&operand, Tag::StatisticNotGlobal, operand.at,
                                            "statistics must be global variables, missing global declaration?"))
            add_help(*diagnostic, "declare it outside of handlers: global " + variable->name);
        return;
    }
    learn(*variable, Type::Stat, operand.at);
    known(operand, variable->type, {Type::Stat, {}});
}

// ---------------------------------------------------------------- expressions

Type Inference::expr(Expr &e, const Want &want) {
    Type type = kind(e, want);
    if (type != Type::Void || !want.value) return type;
    if (e.kind != ExprKind::Call) {
        report(&e, Tag::NoValue, e.at, "this has no value");
        return type;
    }
    // The use of its value may determine the type later.
    auto &call = static_cast<ast::Call &>(e);
    if (std::find(valueless_.begin(), valueless_.end(), &call) == valueless_.end()) valueless_.push_back(&call);
    return Type::Unknown;
}

// A function without "return VALUE" has the value 0 or "", if one of its uses shows which.
void Inference::report_valueless() {
    for (const ast::Call *call : valueless_) {
        if (call->candidates.front()->type != Type::Unknown) continue;
        Diagnostic *diagnostic = report(call, Tag::NoValue, call->at, "function " + call->name + " returns no value");
        if (diagnostic && from_script(*call)) add_help(*diagnostic, "a function gets a value with 'return VALUE'");
    }
}

void Inference::numbers(Expr &left, Expr &right) {
    expr(left, {Type::Long, {}, true, kArithmetic});
    expr(right, {Type::Long, {}, true, kArithmetic});
}

void Inference::strings(ast::Concat &concat) {
    const char *help = concat_help(concat);
    expr(*concat.left, {Type::String, {}, true, help});
    expr(*concat.right, {Type::String, {}, true, help});
}

// Two operands that have one type, which they may learn from each other.
Type Inference::same(Expr &left, Expr &right, const Want &want) {
    Type has = expr(left, want);
    Type other = expr(right, {has, has == Type::Unknown ? SourceRef{} : left.at});
    if (has == Type::Unknown && other != Type::Unknown) has = expr(left, {other, right.at});
    return has;
}

void Inference::bucket_keys(std::vector<ast::ExprPtr> &keys) {
    for (ast::ExprPtr &key : keys)
        if (key) expr(*key, {Type::Long, {}});
}

Type Inference::kind(Expr &e, const Want &want) {
    switch (e.kind) {
        case ExprKind::Number:
        case ExprKind::Const:
            return known(e, Type::Long, want);
        case ExprKind::String:
            return known(e, Type::String, want);
        case ExprKind::EmbeddedC: {
            bool is_string = static_cast<ast::EmbeddedCExpr &>(e).code.find("/* string */") != std::string::npos;
            return known(e, is_string ? Type::String : Type::Long, want);
        }
        case ExprKind::VarRef:
            return value_of(e, static_cast<ast::VarRef &>(e).variable, want);
        case ExprKind::Index: {
            auto &index = static_cast<ast::Index &>(e);
            if (index.base->kind != ExprKind::Hist) return value_of(e, place(e), want);
            expr(*index.base, {});
            bucket_keys(index.keys);
            return known(e, Type::Long, want);
        }
        case ExprKind::In: {
            auto &in = static_cast<ast::In &>(e);
            if (in.array->kind == ExprKind::Hist) {
                expr(*in.array, {});
                bucket_keys(in.keys);
            } else if (ast::Variable *array = static_cast<ast::VarRef &>(*in.array).variable) {
                keys(*array, in.keys);
            }
            return known(e, Type::Long, want);
        }
        case ExprKind::Unary:
            expr(*static_cast<ast::Unary &>(e).operand, {Type::Long, {}});
            return known(e, Type::Long, want);
        case ExprKind::IncDec: {
            Expr &target = *static_cast<ast::IncDec &>(e).target;
            value_of(target, place(target), {Type::Long, {}});
            return known(e, Type::Long, want);
        }
        case ExprKind::Binary:
            numbers(*static_cast<ast::Binary &>(e).left, *static_cast<ast::Binary &>(e).right);
            return known(e, Type::Long, want);
        case ExprKind::Logical:
            numbers(*static_cast<ast::Logical &>(e).left, *static_cast<ast::Logical &>(e).right);
            return known(e, Type::Long, want);
        case ExprKind::Compare:
            same(*static_cast<ast::Compare &>(e).left, *static_cast<ast::Compare &>(e).right, {});
            return known(e, Type::Long, want);
        case ExprKind::Regex:
            expr(*static_cast<ast::Regex &>(e).left, {Type::String, {}});
            return known(e, Type::Long, want);
        case ExprKind::Concat:
            strings(static_cast<ast::Concat &>(e));
            return known(e, Type::String, want);
        case ExprKind::Ternary: {
            auto &choice = static_cast<ast::Ternary &>(e);
            expr(*choice.cond, {Type::Long, {}, true, kCondition});
            return e.type = same(*choice.then_expr, *choice.else_expr, want);
        }
        case ExprKind::Assign:
            return assign(static_cast<ast::Assign &>(e), want);
        case ExprKind::Call:
            return call(static_cast<ast::Call &>(e), want);
        case ExprKind::Print: {
            auto &output = static_cast<ast::Print &>(e);
            print(output);
            return output.to_string ? known(e, Type::String, want) : e.type = Type::Void;
        }
        case ExprKind::StatOp:
            operands(static_cast<ast::StatOp &>(e));
            return known(e, Type::Long, want);
        case ExprKind::Hist:
            statistic(*static_cast<ast::Hist &>(e).stat);
            return e.type = Type::Stat;
        default:
            ast::each_slot(e, [&](ast::ExprPtr &child) { expr(*child, {Type::Long, {}}); });
            return known(e, Type::Long, want);
    }
}

Type Inference::assign(ast::Assign &assign, const Want &want) {
    Expr &target = *assign.target;
    if (assign.op == ast::AssignOp::Sample) {
        statistic(target);
        expr(*assign.value, {Type::Long, {}});
        return assign.type = Type::Void;
    }
    if (target.kind == ExprKind::Deref || target.kind == ExprKind::Register) {
        expr(target, {Type::Long, {}});
        expr(*assign.value, {Type::Long, {}});
        return known(assign, Type::Long, want);
    }
    Type type = Type::Unknown;
    if (assign.op == ast::AssignOp::Concat) type = Type::String;
    if (assign.op != ast::AssignOp::Set && assign.op != ast::AssignOp::Concat) type = Type::Long;
    ast::Variable *variable = place(target);
    if (!variable) return assign.type = expr(*assign.value, {type, {}});
    if (type != Type::Unknown) {
        value_of(target, variable, {type, {}});
        expr(*assign.value, {type, {}});
        return known(assign, type, want);
    }
    if (variable->type == Type::Unknown) learn(*variable, want.type, assign.at);
    if (variable->type == Type::Stat) {
        report(&assign, Tag::StatisticAsValue, assign.at, "a statistic cannot be assigned to; add samples with <<<");
        return Type::Unknown;
    }
    Type has = expr(*assign.value, {variable->type, variable->type_from});
    if (variable->type == Type::Unknown) learn(*variable, has, target.at);
    target.type = variable->type;
    return known(assign, variable->type, want);
}

Type Inference::call(ast::Call &call, const Want &want) {
    for (size_t i = 0; i < call.args.size(); ++i) {
        Want argument;
        for (ast::Function *function : call.candidates) {
            ast::Variable *param = function->params[i].variable;
            if (argument.type == Type::Unknown && param->type != Type::Unknown)
                argument = {param->type, param->type_from};
        }
        Type has = expr(*call.args[i], argument);
        for (ast::Function *function : call.candidates)
            learn(*function->params[i].variable, has, call.args[i]->at);
    }
    if (call.candidates.empty()) return known(call, want.type, want);
    const auto returns = std::find_if(call.candidates.begin(), call.candidates.end(),
                                      [](const ast::Function *function) { return has_value(*function); });
    const bool is_valueless = returns == call.candidates.end();
    ast::Function &function = is_valueless ? *call.candidates.front() : **returns;
    if (!is_valueless) learn(function, want.type, call.at);
    if (is_valueless && want.value)
        for (ast::Function *one : call.candidates)
            if (!one->embedded_c) learn(*one, want.type, call.at);
    if (is_valueless && function.type == Type::Unknown) return call.type = Type::Void;
    return known(call, function.type, want);
}

void Inference::print(ast::Print &print) {
    if (print.event == ast::Print::Event::Recalled) {
        for (ast::ExprPtr &arg : print.args)
            expr(*arg, {Type::Long, {}});
        return;
    }
    if (print.formatted) return formatted(print);
    for (ast::ExprPtr &arg : print.args) {
        if (arg->kind == ExprKind::Hist) {
            expr(*arg, {Type::Stat, {}});
        } else {
            expr(*arg, {print.as_char ? Type::Long : Type::Unknown, {}});
        }
    }
}

void Inference::formatted(ast::Print &print) {
    using Conv = ast::FormatPiece::Conv;
    size_t next = 0;
    const bool is_row = !print.row_of.empty();
    auto take = [&](Type type) {
        const char *help = is_row && type == Type::String ? "this column has texts: its unit is \"name\" or \"text\""
                           : is_row ? "this column has numbers; with the unit \"name\" or \"text\" it has texts"
                           : type == Type::String ? "%s prints strings; %d, %u and %x print numbers"
                                                  : "%d, %u, %x and the like print numbers; %s prints strings";
        if (next < print.args.size()) expr(*print.args[next], {type, {}, true, help});
        ++next;
    };
    for (const ast::FormatPiece &piece : print.pieces) {
        if (piece.conv == Conv::Literal) continue;
        if (piece.width_from_arg) take(Type::Long);
        if (piece.precision_from_arg) take(Type::Long);
        take(piece.conv == Conv::String ? Type::String : Type::Long);
    }
    if (next == print.args.size() || (is_row && print.pieces.empty())) return;
    Diagnostic *diagnostic = report(&print, Tag::FormatArguments, print.at,
                                    "Wrong number of args to formatted print operator: the format takes " +
                                        std::to_string(next) + ", given " + std::to_string(print.args.size()));
    if (diagnostic)
        add_help(*diagnostic, next < print.args.size() ? "add a conversion to the format for each value: %d, %x, %s"
                                                       : "each conversion takes a value; %% prints a '%'");
    for (; next < print.args.size(); ++next)
        expr(*print.args[next], {});
}

// ---------------------------------------------------------------- statements

void Inference::stmt(ast::Stmt &node) {
    switch (node.kind) {
        case StmtKind::Expr: {
            Want nothing;
            nothing.value = false;
            expr(*static_cast<ast::ExprStmt &>(node).expr, nothing);
            return;
        }
        case StmtKind::For: {
            auto &loop = static_cast<ast::For &>(node);
            Want nothing;
            nothing.value = false;
            if (loop.init) expr(*loop.init, nothing);
            if (loop.cond) expr(*loop.cond, {Type::Long, {}, true, kCondition});
            if (loop.step) expr(*loop.step, nothing);
            stmt(*loop.body);
            return;
        }
        case StmtKind::Foreach:
            return foreach_stmt(static_cast<ast::Foreach &>(node));
        case StmtKind::Delete:
            place(*static_cast<ast::Delete &>(node).target);
            return;
        case StmtKind::Return: {
            auto &answer = static_cast<ast::Return &>(node);
            if (!answer.value || !function_) return;
            Type has = expr(*answer.value, {function_->type, function_->type_from});
            learn(*function_, has, answer.value->at);
            return;
        }
        case StmtKind::Try: {
            auto &attempt = static_cast<ast::Try &>(node);
            stmt(*attempt.body);
            if (attempt.error) value_of(*attempt.error, attempt.error->variable, {Type::String, {}});
            if (attempt.handler) stmt(*attempt.handler);
            return;
        }
        default:
            ast::each_slot(
                node,
                [&](ast::ExprPtr &e) {
                    expr(*e, {Type::Long, {}, true, kCondition});
                },
                [&](ast::StmtPtr &s) { stmt(*s); }, [](ast::VarRef &) {});
    }
}

void Inference::foreach_stmt(ast::Foreach &loop) {
    if (loop.array->kind == ExprKind::Hist) {
        expr(*loop.array, {});
        for (auto &key : loop.keys)
            value_of(*key, key->variable, {Type::Long, {}});
        if (loop.value) value_of(*loop.value, loop.value->variable, {Type::Long, {}});
        if (loop.sort != ast::Foreach::Sort::None) {
            report(&loop, Tag::SortOperator, loop.sort_at ? loop.sort_at : loop.array->at,
                   "the buckets of a histogram come in their own order and cannot be sorted");
        }
    } else if (ast::Variable *array = place(*loop.array)) {
        for (size_t i = 0; i < loop.keys.size() && i < array->key_types.size(); ++i)
            key(*array, i, *loop.keys[i]);
        keys(*array, loop.slice);
        if (loop.sort_stat) learn(*array, Type::Stat, loop.sort_at ? loop.sort_at : loop.array->at);
        if (loop.sort_stat && array->type != Type::Stat) {
            report(&loop, Tag::SortOperator, loop.sort_at ? loop.sort_at : loop.at,
                   "only arrays of statistics are sorted by an operator such as @count");
        }
        if (loop.value && array->type == Type::Stat) {
            report(loop.value.get(), Tag::StatisticAsValue, loop.value->at,
                   "a statistic has no value of its own; read the array's element with @count, @sum and the like");
        } else if (loop.value) {
            Type has = value_of(*loop.value, loop.value->variable, {array->type, array->type_from});
            learn(*array, has, loop.value->at);
        }
        loop.array->type = array->type;
    }
    if (loop.limit) expr(*loop.limit, {Type::Long, {}});
    if (loop.body) stmt(*loop.body);
}

}  // namespace tapir::types
