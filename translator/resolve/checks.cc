// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/checks.h"

#include <map>
#include <set>

#include "ast/walk.h"
#include "base/help.h"
#include "regex/match_table.h"
#include "resolve/cause.h"

namespace tapir::resolve {

namespace {

using ast::ExprKind;
using ast::StmtKind;

// The global that an assignment, delete or sorted foreach changes; null when it is something else.
const ast::Variable *named_global(const ast::Expr *target) {
    if (target && target->kind == ExprKind::Index) target = static_cast<const ast::Index *>(target)->base.get();
    if (!target || target->kind != ExprKind::VarRef) return nullptr;
    const ast::Variable *variable = static_cast<const ast::VarRef *>(target)->variable;
    return variable && variable->scope == ast::Variable::Scope::Global ? variable : nullptr;
}

// fn(variable, place) for each change of a global directly in `body`, and call_fn(call) for each call.
template <class Fn, class CallFn>
void each_change(const ast::Stmt &body, Fn &&fn, CallFn &&call_fn) {
    auto change = [&](const ast::Expr *target) {
        if (const ast::Variable *variable = named_global(target)) fn(*variable, target->at);
    };
    ast::each_expr(body, [&](const ast::Expr &e) {
        if (e.kind == ExprKind::Assign) change(static_cast<const ast::Assign &>(e).target.get());
        if (e.kind == ExprKind::IncDec) change(static_cast<const ast::IncDec &>(e).target.get());
        if (e.kind == ExprKind::Call) call_fn(static_cast<const ast::Call &>(e));
    });
    ast::each_stmt(body, [&](const ast::Stmt &s) {
        if (s.kind == StmtKind::Delete) change(static_cast<const ast::Delete &>(s).target.get());
        if (s.kind == StmtKind::Try) change(static_cast<const ast::Try &>(s).error.get());
        if (s.kind != StmtKind::Foreach) return;
        const auto &loop = static_cast<const ast::Foreach &>(s);
        for (const auto &key : loop.keys)
            change(key.get());
        change(loop.value.get());
        if (loop.sort != ast::Foreach::Sort::None) change(loop.array.get());
    });
}

class Checker {
  public:
    Checker(const Program &program, Diagnostics &diagnostics) : diagnostics_(diagnostics) {
        for (const ast::Function *function : program.functions)
            collect(*function);
        close(program);
    }

    void body(const ast::Stmt &stmt, int loops) {
        switch (stmt.kind) {
            case StmtKind::Break:
            case StmtKind::Continue:
                if (loops == 0) {
                    bool is_break = stmt.kind == StmtKind::Break;
                    Diagnostic &diagnostic = diagnostics_.report(
                        Tag::OutsideLoop, stmt.at,
                        is_break ? "cannot 'break' outside loop" : "cannot 'continue' outside loop");
                    add_help(diagnostic, "'next' ends a handler, 'return' a function");
                }
                return;
            case StmtKind::Foreach:
                foreach_loop(static_cast<const ast::Foreach &>(stmt));
                [[fallthrough]];
            case StmtKind::For:
            case StmtKind::While:
                ++loops;
                break;
            default:
                break;
        }
        ast::each_slot(
            const_cast<ast::Stmt &>(stmt), [](ast::ExprPtr &) {}, [&](ast::StmtPtr &s) { body(*s, loops); },
            [](ast::VarRef &) {});
    }

  private:
    void collect(const ast::Function &function) {
        std::set<const ast::Variable *> &changed = changes_[&function];
        if (!function.body) return;
        each_change(
            *function.body, [&](const ast::Variable &variable, const SourceRef &) { changed.insert(&variable); },
            [&](const ast::Call &call) { calls_[&function].insert(call.candidates.begin(), call.candidates.end()); });
    }

    // Adds to every function the changes of its callees, until nothing is new.
    void close(const Program &program) {
        for (bool grown = true; grown;) {
            grown = false;
            for (const ast::Function *function : program.functions) {
                std::set<const ast::Variable *> &changed = changes_[function];
                size_t before = changed.size();
                for (const ast::Function *callee : calls_[function])
                    changed.insert(changes_[callee].begin(), changes_[callee].end());
                grown |= changed.size() != before;
            }
        }
    }

    void foreach_loop(const ast::Foreach &loop) {
        const ast::Variable *array = named_global(loop.array.get());
        if (!array || !loop.body) return;
        each_change(
            *loop.body,
            [&](const ast::Variable &variable, const SourceRef &at) {
                if (&variable == array)
                    report(loop, at, "variable '" + array->name + "' modified during 'foreach' iteration");
            },
            [&](const ast::Call &call) {
                for (const ast::Function *function : call.candidates) {
                    if (!changes_[function].count(array)) continue;
                    report(loop, call.at, "function call modifies '" + array->name + "' during 'foreach' iteration");
                    return;
                }
            });
    }

    void report(const ast::Foreach &loop, const SourceRef &at, std::string message) {
        Diagnostic &diagnostic = diagnostics_.report(Tag::ForeachModifies, at, std::move(message));
        add_help(diagnostic, "change it after the loop; 'delete ARRAY' there removes all elements");
        add_cause(diagnostic, "iterated here", loop.array->at);
    }

    Diagnostics &diagnostics_;
    std::map<const ast::Function *, std::set<const ast::Variable *>> changes_;
    std::map<const ast::Function *, std::set<const ast::Function *>> calls_;
};

void check_regexes(const ast::Stmt &body, Diagnostics &diagnostics) {
    ast::each_expr(body, [&](const ast::Expr &e) {
        if (e.kind != ExprKind::Regex) return;
        const auto &match = static_cast<const ast::Regex &>(e);
        regex::Table table;
        regex::Error error;
        if (regex::compile_table(match.pattern, false, table, error)) return;
        diagnostics.report(
            Tag::BadRegex, match.pattern_at,
            "regular expression: " + error.message + " at character " + std::to_string(error.offset + 1));
    });
}

}  // namespace

void check_rules(const Program &program, Diagnostics &diagnostics) {
    Checker checker(program, diagnostics);
    for (const auto &handler : program.handlers) {
        checker.body(*handler->body, 0);
        check_regexes(*handler->body, diagnostics);
    }
    for (const ast::Function *function : program.functions) {
        if (!function->body) continue;
        checker.body(*function->body, 0);
        check_regexes(*function->body, diagnostics);
    }
}

}  // namespace tapir::resolve
