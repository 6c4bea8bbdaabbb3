// SPDX-License-Identifier: GPL-2.0-or-later
#include "types/finish.h"

#include <algorithm>
#include <map>
#include <set>

#include "ast/walk.h"
#include "resolve/cause.h"
#include "types/inference.h"

namespace tapir::types {

using ast::ExprKind;
using ast::Type;

namespace {

void settle_variable(ast::Variable &variable, Diagnostics &diagnostics) {
    if (variable.arity < 0 && !variable.is_read && !variable.is_written && variable.type == Type::Unknown) {
        // Kept by -u only.
        variable.arity = 0;
        variable.type = Type::Long;
        return;
    }
    bool unknown = variable.type == Type::Unknown;
    for (Type key : variable.key_types)
        unknown |= key == Type::Unknown;
    if (!unknown || variable.is_reported) return;
    std::string message = "unresolved type of '" + variable.name + "'";
    if (variable.scope == ast::Variable::Scope::Local && !variable.is_written) message += ", which nothing assigns";
    diagnostics.report(Tag::UnresolvedType, variable.at, std::move(message));
}

// fn(root) for each handler body, condition and function body.
template <class StmtFn, class ExprFn>
void each_body(resolve::Program &program, StmtFn &&stmt_fn, ExprFn &&expr_fn) {
    for (auto &handler : program.handlers) {
        if (handler->condition) expr_fn(*handler->condition);
        stmt_fn(*handler->body);
    }
    for (ast::Function *function : program.functions) {
        if (function->body) stmt_fn(*function->body);
    }
}

ast::Variable *variable_of(const ast::Expr &e) {
    const ast::Expr *named = &e;
    if (named->kind == ExprKind::Index) named = static_cast<const ast::Index *>(named)->base.get();
    return named->kind == ExprKind::VarRef ? static_cast<const ast::VarRef *>(named)->variable : nullptr;
}

class StatCollector {
  public:
    explicit StatCollector(Diagnostics &diagnostics) : diagnostics_(diagnostics) {}

    void expr(const ast::Expr &e) {
        if (e.kind == ExprKind::StatOp) {
            const auto &op = static_cast<const ast::StatOp &>(e);
            if (ast::Variable *variable = variable_of(*op.stat)) use(*variable, op);
        } else if (e.kind == ExprKind::Hist) {
            const auto &hist = static_cast<const ast::Hist &>(e);
            if (ast::Variable *variable = variable_of(*hist.stat)) histogram(*variable, hist);
        }
    }

    void stmt(const ast::Stmt &s) {
        if (s.kind != ast::StmtKind::Foreach) return;
        const auto &loop = static_cast<const ast::Foreach &>(s);
        ast::Variable *variable = variable_of(*loop.array);
        if (variable && variable->type == Type::Stat && loop.sort != ast::Foreach::Sort::None &&
            loop.sort_column == 0) {
            note(variable->stat, loop.sort_stat.value_or(ast::StatOpKind::Count));
        }
    }

  private:
    static void note(ast::StatUse &use, ast::StatOpKind op) {
        switch (op) {
            case ast::StatOpKind::Count:
                use.count = true;
                break;
            case ast::StatOpKind::Sum:
                use.sum = true;
                break;
            case ast::StatOpKind::Avg:
                use.count = use.sum = true;
                break;
            case ast::StatOpKind::Min:
            case ast::StatOpKind::Max:
                use.min_max = true;
                break;
            case ast::StatOpKind::Variance:
                use.variance = true;
                break;
            case ast::StatOpKind::Percentile:
            case ast::StatOpKind::Median:
                use.sketch = true;
                break;
        }
    }

    void use(ast::Variable &variable, const ast::StatOp &op) {
        note(variable.stat, op.op);
        if (op.op != ast::StatOpKind::Variance) return;
        auto [it, first] = variance_.try_emplace(&variable, &op);
        if (!first && it->second->shift != op.shift)
            resolve::add_cause(diagnostics_.report(Tag::VarianceShift, op.at,
                                                   "multiple bit shifts of @variance used on '" + variable.name + "'"),
                               "first used here", it->second->at);
    }

    static void histogram(ast::Variable &variable, const ast::Hist &hist) {
        std::vector<ast::HistShape> &hists = variable.stat.hists;
        if (std::find(hists.begin(), hists.end(), hist.shape) == hists.end()) hists.push_back(hist.shape);
        if (hist.unit) variable.stat.count = variable.stat.sum = variable.stat.min_max = true;  // the picture has them
    }

    Diagnostics &diagnostics_;
    std::map<const ast::Variable *, const ast::StatOp *> variance_;
};

}  // namespace

void settle_types(resolve::Program &program, Diagnostics &diagnostics) {
    for (ast::Variable *global : program.globals)
        settle_variable(*global, diagnostics);
    for (auto &handler : program.handlers) {
        for (auto &local : handler->locals)
            settle_variable(*local, diagnostics);
        if (!handler->is_entry || !handler->saved) continue;
        for (auto &variable : *handler->saved)
            settle_variable(*variable, diagnostics);
    }
    for (ast::Function *function : program.functions) {
        // Only the C text uses such a parameter, so its type is unknown here.
        for (auto &local : function->locals)
            settle_variable(*local, diagnostics);
        if (function->type != Type::Unknown) continue;
        if (has_value(*function) && !function->embedded_c) {
            diagnostics.report(Tag::UnresolvedType, function->at,
                               "unresolved type of function '" + function->name + "'");
        }
        function->type = Type::Void;
    }
}

void collect_statistics(resolve::Program &program, Diagnostics &diagnostics) {
    // The loader reads counts and sums of samples (@sample).
    for (ast::Variable *global : program.globals)
        if (global->type == Type::Stat && global->name.starts_with("__samples"))
            global->stat.count = global->stat.sum = true;
    StatCollector collector(diagnostics);
    auto expr = [&](const ast::Expr &e) { collector.expr(e); };
    each_body(
        program,
        [&](const ast::Stmt &body) {
            ast::each_expr(body, expr);
            ast::each_stmt(body, [&](const ast::Stmt &s) { collector.stmt(s); });
        },
        [&](const ast::Expr &condition) { ast::each_expr(condition, expr); });
}

}  // namespace tapir::types
