// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/names.h"

#include <algorithm>
#include <cctype>

#include "ast/walk.h"
#include "base/help.h"
#include "base/name_patterns.h"
#include "base/other_languages.h"
#include "resolve/cause.h"
#include "resolve/fold.h"
#include "resolve/overloads.h"
#include "resolve/pragmas.h"

namespace tapir::resolve {

using ast::ExprKind;
using ast::StmtKind;

void NameContext::need(ast::Function &function) {
    if (!seen.insert(&function).second) return;
    functions.push_back(&function);
    declarations.use(*function.file);
    if (function.names_from) declarations.use(*function.names_from);
}

void NameContext::need(ast::Variable &global) {
    if (seen.insert(&global).second) globals.push_back(&global);
}

BodyResolver *NameContext::take_put_off(const void *node) {
    const auto it = put_off.find(node);
    if (it == put_off.end()) return nullptr;
    const PutOff what = it->second;
    put_off.erase(it);
    what.resolver->set_file(*what.file);
    what.resolver->set_own(what.own);
    return what.resolver;
}

bool NameContext::resume(ast::Stmt &stmt) {
    BodyResolver *resolver = take_put_off(&stmt);
    if (resolver) resolver->stmt(stmt);
    return resolver;
}

bool NameContext::resume(ast::Expr &expr) {
    BodyResolver *resolver = take_put_off(&expr);
    if (resolver) resolver->expr(expr);
    return resolver;
}

void NameContext::touch(const std::vector<ast::Variable *> &variables, bool write) {
    for (ast::Variable *global : variables) {
        need(*global);
        (write ? global->is_written : global->is_read) = true;
    }
}

std::vector<ast::Variable *> NameContext::pragma_globals(const std::vector<std::string> &names, bool write,
                                                         const ast::File &from, const SourceRef &at) {
    std::vector<ast::Variable *> found;
    for (const std::string &name : names) {
        ast::Variable *variable = declarations.global(name, from);
        if (!variable) {
            diagnostics.report(Tag::PragmaGlobal, at,
                               "embedded code names '" + name + "', which is not a global variable");
            continue;
        }
        found.push_back(variable);
    }
    touch(found, write);
    return found;
}

BodyResolver::BodyResolver(NameContext &context, std::vector<std::unique_ptr<ast::Variable>> &locals)
    : context_(context), locals_(locals) {}

void BodyResolver::add_parameters(std::vector<ast::Param> &params) {
    for (ast::Param &param : params) {
        auto same = by_name_.find(param.name);
        if (same != by_name_.end()) {
            add_cause(context_.diagnostics.report(Tag::DuplicateParameter, param.at,
                                                  "duplicate parameter name '" + param.name + "'"),
                      "first declared here", same->second->at);
        }
        auto variable = std::make_unique<ast::Variable>();
        variable->name = variable->unique_name = param.name;
        variable->at = param.at;
        variable->scope = ast::Variable::Scope::Param;
        variable->type = param.declared;
        if (param.declared != ast::Type::Unknown) variable->type_from = param.at;
        variable->arity = 0;
        variable->is_written = true;
        param.variable = variable.get();
        by_name_[param.name] = variable.get();
        locals_.push_back(std::move(variable));
    }
}

void BodyResolver::finish() {
    for (const auto &local : locals_) {
        if (local->scope != ast::Variable::Scope::Local || !local->is_read) continue;
        using Told = ScriptBodies::Told;
        const bool asks = context_.bodies && place_ && !set_by_aliases_.contains(local.get());
        const Told told =
            asks ? context_.bodies->report_unshared(place_, *local, context_.declarations, context_.diagnostics)
                 : Told::Nothing;
        local->is_reported = told == Told::Error;
        if (told != Told::Nothing) continue;
        if (local->is_written) continue;
        std::vector<std::string> names = context_.declarations.global_names();
        for (const auto &other : locals_) {
            if (other != local) names.push_back(other->name);
        }
        Diagnostic &diagnostic = context_.diagnostics.report(
            Tag::NeverAssignedLocal, local->at,
            "never-assigned local variable '" + local->name + "'" + similar_text(similar_names(local->name, names)));
        add_help(diagnostic, advice_for_unassigned(*local));
    }
}

namespace {

// True for a word that a script argument, $1, was replaced by.
bool is_pasted(const SourceRef &at) {
    const std::string_view line = at.file ? at.file->line(at.line) : std::string_view();
    return at.column > 0 && at.column < line.size() && line[at.column - 1] == '$' &&
           std::isdigit(static_cast<unsigned char>(line[at.column])) && !at.text.starts_with('$');
}

// True when the text has the line "#define NAME ...", which is a comment.
bool has_c_macro(std::string_view text, const std::string &name) {
    constexpr std::string_view kDefine = "#define ";
    for (size_t at = text.find(kDefine); at != std::string_view::npos; at = text.find(kDefine, at + 1)) {
        std::string_view rest = text.substr(at + kDefine.size());
        if (rest.starts_with(name) && rest.substr(name.size()).find_first_of(" \t\n(") == 0) return true;
    }
    return false;
}

}  // namespace

std::string BodyResolver::advice_for_unassigned(const ast::Variable &local) const {
    if (is_pasted(local.at)) return "$N is replaced by the text of the argument; @N is the argument as a string";
    if (local.at.file && has_c_macro(local.at.file->text(), local.name))
        return "'#' begins a comment; a macro is written @define " + local.name + " %( ... %) and used as @" +
               local.name;
    std::string advice = advice_for_result(local.name);
    if (advice.empty()) advice = advice_for_variable(local.name);
    if (advice.empty() && !context_.declarations.functions(local.name, *file_).empty())
        advice = "to call the function of this name, write " + local.name + "()";
    return advice;
}

// The result of a call is known only at its end.
std::string BodyResolver::advice_for_result(const std::string &name) const {
    if (name != "retval" && name != "retstr" && name != "ret") return {};
    const bool ends = point_.find(".return") != std::string::npos;
    if (point_.starts_with("syscall.") || point_.starts_with("nd_syscall.")) {
        if (ends) return {};
        return "the result is known when the call returns: probe " + point_ + ".return { ... }";
    }
    const bool code = point_.find("function(") != std::string::npos;
    if (!code) return {};
    return "the result is $return, or returnval() without debug information" +
           (ends ? "" : ": probe " + point_ + ".return { ... }");
}

// ---------------------------------------------------------------- variables

ast::Variable *BodyResolver::lookup(ast::VarRef &ref, bool may_create) {
    if (ref.variable) {  // made by the translator, or found before
        if (ref.variable->scope == ast::Variable::Scope::Global) context_.need(*ref.variable);
        return ref.variable;
    }
    auto local = by_name_.find(ref.name);
    if (local != by_name_.end() && local->second->scope == ast::Variable::Scope::Param)
        return ref.variable = local->second;
    if (ast::Variable *global = context_.declarations.global(ref.name, *file_)) {
        context_.need(*global);
        return ref.variable = global;
    }
    if (local != by_name_.end()) return ref.variable = local->second;
    if (!may_create) {
        if (context_.missing_arrays.insert(ref.name).second)
            add_help(context_.diagnostics.report(
                         Tag::ArrayNotGlobal, ref.at,
                         "array locals not supported, missing global declaration?" +
                             similar_text(similar_names(ref.name, context_.declarations.global_names()))),
                     "declare it outside of handlers: global " + ref.name);
        return nullptr;
    }
    auto variable = std::make_unique<ast::Variable>();
    variable->name = variable->unique_name = ref.name;
    variable->at = ref.at;
    variable->arity = 0;
    by_name_[ref.name] = ref.variable = variable.get();
    locals_.push_back(std::move(variable));
    return ref.variable;
}

void BodyResolver::set_arity(ast::Variable &variable, int arity, const SourceRef &at) {
    constexpr int kMaxKeys = 9;
    if (arity > kMaxKeys) {
        context_.diagnostics.report(Tag::TooManyKeys, at, "arrays have at most 9 keys");
        return;
    }
    if (variable.arity < 0) {
        variable.arity = arity;
        context_.arity_at[&variable] = at;
    }
    if (variable.arity == arity) return;
    auto &diagnostic = context_.diagnostics.report(
        Tag::InconsistentArity, at,
        "inconsistent arity (" + std::to_string(arity) + " vs " + std::to_string(variable.arity) + ")");
    if (arity == 0)
        add_help(diagnostic, "an array has no value as a whole: read an element, " + variable.name +
                                 "[KEY], or walk it, foreach (k in " + variable.name + ")");
    else if (variable.arity != 0)
        add_help(diagnostic, "all elements of an array have the same number of keys");
    else
        add_help(diagnostic, "a variable is used with keys everywhere or nowhere");
    auto first = context_.arity_at.find(&variable);
    add_cause(diagnostic, "arity " + std::to_string(variable.arity) + " first inferred here",
              first == context_.arity_at.end() ? variable.at : first->second);
}

void BodyResolver::scalar(ast::VarRef &ref, bool read, bool write) {
    ast::Variable *variable = lookup(ref, true);
    set_arity(*variable, 0, ref.at);
    variable->is_read |= read;
    variable->is_written |= write;
    if (write && !own_) set_by_aliases_.insert(variable);
}

void BodyResolver::keys(std::vector<ast::ExprPtr> &list) {
    for (ast::ExprPtr &key : list) {
        if (key) expr(*key);
    }
}

void BodyResolver::index(ast::Index &index, bool read, bool write) {
    keys(index.keys);
    if (index.base->kind == ExprKind::Hist) {
        expr(*index.base);
        return;
    }
    auto &base = static_cast<ast::VarRef &>(*index.base);
    ast::Variable *variable = lookup(base, false);
    if (!variable) return;
    set_arity(*variable, static_cast<int>(index.keys.size()), base.at);
    variable->is_read |= read;
    variable->is_written |= write;
}

void BodyResolver::whole(ast::Expr &target, int arity, bool read, bool write) {
    if (target.kind == ExprKind::Index) return index(static_cast<ast::Index &>(target), read, write);
    if (target.kind != ExprKind::VarRef) return expr(target);
    auto &ref = static_cast<ast::VarRef &>(target);
    ast::Variable *variable = lookup(ref, arity <= 0);
    if (!variable) return;
    if (arity >= 0) set_arity(*variable, arity, ref.at);
    variable->is_read |= read;
    variable->is_written |= write;
}

// The parser allows only these here, and context expressions, which have become registers and memory.
void BodyResolver::assigned(ast::Expr &target, bool read) {
    if (target.kind == ExprKind::VarRef) scalar(static_cast<ast::VarRef &>(target), read, true);
    if (target.kind == ExprKind::Index) index(static_cast<ast::Index &>(target), read, true);
    if (target.kind == ExprKind::Deref) expr(*static_cast<ast::Deref &>(target).address);
    if (target.kind == ExprKind::Cast) expr(target);  // the member of a value whose type is found later
}

// ---------------------------------------------------------------- expressions

void BodyResolver::expr(ast::Expr &expr, Use use) {
    switch (expr.kind) {
        case ExprKind::VarRef:
            return scalar(static_cast<ast::VarRef &>(expr), true, false);
        case ExprKind::Index:
            return index(static_cast<ast::Index &>(expr), true, false);
        case ExprKind::In: {
            auto &in = static_cast<ast::In &>(expr);
            keys(in.keys);
            return whole(*in.array, static_cast<int>(in.keys.size()), true, false);
        }
        case ExprKind::IncDec:
            return assigned(*static_cast<ast::IncDec &>(expr).target, use == Use::Read);
        case ExprKind::Assign: {
            auto &assign = static_cast<ast::Assign &>(expr);
            this->expr(*assign.value);
            bool compound = assign.op != ast::AssignOp::Set && assign.op != ast::AssignOp::Sample;
            return assigned(*assign.target, compound && use == Use::Read);
        }
        case ExprKind::StatOp: {
            auto &op = static_cast<ast::StatOp &>(expr);
            for (const ast::ExprPtr *number : {&op.part, &op.whole})
                if (*number) this->expr(**number);
            return whole(*op.stat, 0, true, false);
        }
        case ExprKind::Hist: {
            // With a unit it may be a whole array.
            auto &hist = static_cast<ast::Hist &>(expr);
            return whole(*hist.stat, hist.unit ? -1 : 0, true, false);
        }
        case ExprKind::Call:
            return call(static_cast<ast::Call &>(expr));
        case ExprKind::EmbeddedC: {
            auto &c = static_cast<ast::EmbeddedCExpr &>(expr);
            return embedded(c.code, c.at, c.reads, c.writes);
        }
        case ExprKind::Const:
            return need_guru(expr.at);
        case ExprKind::Defined: {
            ast::Expr &operand = *static_cast<ast::Defined &>(expr).operand;
            this->expr(operand);
            ast::each_expr(operand, [&](const ast::Expr &e) {
                if (e.kind == ExprKind::VarRef) context_.asked.insert(static_cast<const ast::VarRef &>(e).variable);
            });
            return;
        }
        case ExprKind::Ternary: {
            auto &choice = static_cast<ast::Ternary &>(expr);
            this->expr(*choice.cond);
            guarded(*choice.then_expr, *choice.cond);
            return guarded(*choice.else_expr, *choice.cond);
        }
        case ExprKind::Logical:
            this->expr(*static_cast<ast::Logical &>(expr).left);
            return guarded(*static_cast<ast::Logical &>(expr).right, *static_cast<ast::Logical &>(expr).left);
        default:
            ast::each_slot(expr, [&](ast::ExprPtr &e) { this->expr(*e); });
    }
}

void BodyResolver::guarded(ast::StmtPtr &slot, const ast::Expr &cond) {
    as_branch(slot);
    if (!asks(cond)) return stmt(*slot);
    context_.put_off[slot.get()] = {this, file_, own_};
    has_put_off_ = true;
}

void BodyResolver::guarded(ast::Expr &node, const ast::Expr &cond, Use use) {
    if (!asks(cond)) return expr(node, use);
    context_.put_off[&node] = {this, file_, own_};
    has_put_off_ = true;
}

void BodyResolver::need_guru(const SourceRef &at) {
    if (!context_.guru && !file_->privileged)
        context_.diagnostics.report(Tag::GuruNeeded, at, "embedded code in unprivileged script; need stap -g");
}

void BodyResolver::embedded(const std::string &code, const SourceRef &at, std::vector<ast::Variable *> &reads,
                            std::vector<ast::Variable *> &writes) {
    if (!file_) {  // the second time, after dropping code
        context_.touch(reads, false);
        return context_.touch(writes, true);
    }
    need_guru(at);
    const ast::Pragmas pragmas = read_pragmas(code);
    reads = context_.pragma_globals(pragmas.reads, false, *file_, at);
    writes = context_.pragma_globals(pragmas.writes, true, *file_, at);
}

namespace {

// "1 argument", "0 or 2 arguments"
std::string counts(const std::vector<ast::Function *> &functions) {
    std::set<size_t> numbers;
    for (const ast::Function *function : functions)
        numbers.insert(function->params.size());
    std::string text;
    for (size_t number : numbers)
        text += (text.empty() ? "" : " or ") + std::to_string(number);
    return text + (numbers.size() == 1 && *numbers.begin() == 1 ? " argument" : " arguments");
}

// Returns the names of functions, and of constructs that are called like one.
std::vector<std::string> callable_names(const Declarations &declarations) {
    std::vector<std::string> names = declarations.function_names();
    for (const char *name : {"print", "println", "printf", "printd", "printdln", "print_char", "sprint", "sprintln",
                             "sprintf", "sprintd", "sprintdln", "if", "for", "foreach", "while"})
        names.emplace_back(name);
    return names;
}

// Functions of the language that the library does not have, and why; "" for others.
std::string missing_function(const std::string &name) {
    static const char *const lines[] = {"symfile", "symline", "symfileline", "print_backtrace_fileline"};
    if (std::find(std::begin(lines), std::end(lines), name) != std::end(lines))
        return ": source lines of kernel addresses are not known at run time yet; symdata(), print_syms() and "
               "print_backtrace() name function and offset, from which addr2line or gdb finds the line";
    if (name == "task_backtrace")
        return ": stacks of other tasks are not walked; backtrace() in a probe that the task itself hits gives its "
               "stack";
    return "";
}

}  // namespace

void BodyResolver::call(ast::Call &call) {
    for (ast::ExprPtr &arg : call.args)
        expr(*arg);
    if (!call.candidates.empty()) {  // made by the translator
        for (ast::Function *function : call.candidates)
            context_.need(*function);
        return;
    }
    std::vector<ast::Function *> named = context_.declarations.functions(call.name, *file_);
    call.candidates = overloads(named, call.args.size(), context_.declarations);
    for (ast::Function *&function : call.candidates) {
        if (context_.instances) function = &context_.instances->of(*function, module_);
        if (function->pragmas.guru && !context_.guru && !file_->privileged) {
            context_.diagnostics.report(Tag::GuruNeeded, call.at, "function may not be used unless -g is specified");
        }
        context_.need(*function);
    }
    if (!call.candidates.empty()) return;
    if (named.empty()) {
        std::string why = missing_function(call.name);
        std::string advice = advice_for_function(call.name);
        if (why.empty() && advice.empty())
            why = similar_text(similar_names(call.name, callable_names(context_.declarations)));
        add_help(
            context_.diagnostics.report(Tag::UnresolvedFunction, call.at, "unresolved function " + call.name + why),
            std::move(advice));
        return;
    }
    auto &diagnostic = context_.diagnostics.report(
        Tag::WrongArgumentCount, call.at,
        "function " + call.name + " takes " + counts(named) + ", called with " + std::to_string(call.args.size()));
    for (const ast::Function *function : named)
        add_cause(diagnostic, "declared here", function->at);
}

void BodyResolver::condition(ast::Expr &root) {
    bool bad = false;
    auto refuse = [&](const ast::Expr &at, const char *message) {
        add_help(context_.diagnostics.report(Tag::BadCondition, at.at, message),
                 "test such things in the handler: { if (!(CONDITION)) next ... }");
        bad = true;
    };
    ast::each_expr(root, [&](ast::Expr &e) {
        if (e.kind == ExprKind::Call) refuse(e, "probe condition must not call functions");
        if (e.kind == ExprKind::Assign || e.kind == ExprKind::IncDec)
            refuse(e, "probe condition must not modify variables");
        if (e.kind == ExprKind::Print) refuse(e, "probe condition must not print");
        if (e.kind == ExprKind::EmbeddedC) refuse(e, "probe condition must not use embedded code");
        if (e.kind == ExprKind::VarRef && !context_.declarations.global(static_cast<ast::VarRef &>(e).name, *file_)) {
            refuse(e, "probe condition must only refer to global variables");
        }
    });
    if (!bad) expr(root);
}

// ---------------------------------------------------------------- statements

void BodyResolver::stmt(ast::Stmt &node) {
    switch (node.kind) {
        case StmtKind::Expr:
            return expr(*static_cast<ast::ExprStmt &>(node).expr, Use::Discard);
        case StmtKind::For: {
            auto &loop = static_cast<ast::For &>(node);
            if (loop.init) expr(*loop.init, Use::Discard);
            if (loop.cond) expr(*loop.cond);
            if (loop.step && loop.cond) guarded(*loop.step, *loop.cond, Use::Discard);
            if (loop.step && !loop.cond) expr(*loop.step, Use::Discard);
            return loop.cond ? guarded(loop.body, *loop.cond) : part(loop.body);
        }
        case StmtKind::While: {
            auto &loop = static_cast<ast::While &>(node);
            expr(*loop.cond);
            return guarded(loop.body, *loop.cond);
        }
        case StmtKind::If: {
            auto &branch = static_cast<ast::If &>(node);
            expr(*branch.cond);
            if (branch.then_stmt) guarded(branch.then_stmt, *branch.cond);
            if (branch.else_stmt) guarded(branch.else_stmt, *branch.cond);
            return;
        }
        case StmtKind::Foreach:
            return foreach_stmt(static_cast<ast::Foreach &>(node));
        case StmtKind::Delete:
            return whole(*static_cast<ast::Delete &>(node).target, -1, false, false);
        case StmtKind::EmbeddedC: {
            auto &c = static_cast<ast::EmbeddedCStmt &>(node);
            return embedded(c.code, c.at, c.reads, c.writes);
        }
        default:
            ast::each_slot(
                node, [&](ast::ExprPtr &e) { expr(*e); }, [&](ast::StmtPtr &s) { part(s); },
                [&](ast::VarRef &v) { scalar(v, false, true); });
    }
}

void BodyResolver::part(ast::StmtPtr &slot) {
    as_branch(slot);
    stmt(*slot);
}

void BodyResolver::foreach_stmt(ast::Foreach &loop) {
    for (auto &key : loop.keys)
        scalar(*key, false, true);
    if (loop.value) scalar(*loop.value, false, true);
    int arity = static_cast<int>(loop.keys.size());
    if (loop.array->kind == ExprKind::Hist) {
        expr(*loop.array);
        if (arity != 1) {
            context_.diagnostics.report(Tag::InconsistentArity, loop.array->at,
                                        "histogram buckets have one key, their number");
        }
    } else {
        whole(*loop.array, arity, true, false);
    }
    if (!loop.slice.empty() && static_cast<int>(loop.slice.size()) != arity) {
        context_.diagnostics.report(Tag::InconsistentArity, loop.array->at,
                                    "unmatched number of keys in the slice (" + std::to_string(loop.slice.size()) +
                                        " vs " + std::to_string(arity) + ")");
    }
    if (loop.sort != ast::Foreach::Sort::None && loop.sort_column > arity) {
        context_.diagnostics.report(Tag::InconsistentArity, loop.sort_at ? loop.sort_at : loop.at,
                                    "sort by a key the array does not have");
    }
    keys(loop.slice);
    if (loop.limit) expr(*loop.limit);
    if (loop.body) part(loop.body);
}

}  // namespace tapir::resolve
