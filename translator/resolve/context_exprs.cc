// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/context_exprs.h"

#include "ast/walk.h"
#include "base/help.h"
#include "resolve/cause.h"
#include "resolve/fold.h"

namespace tapir::resolve {

namespace {

using ast::ExprKind;

// What needs knowledge of the probed program.
bool is_context(const ast::Expr &expr) {
    switch (expr.kind) {
        case ExprKind::Target:
        case ExprKind::Cast:
        case ExprKind::AtVar:
        case ExprKind::Entry:
        case ExprKind::Enum:
        case ExprKind::Perf:
        case ExprKind::Register:
        case ExprKind::Deref:
            return true;
        default:
            return false;
    }
}

bool writes(const ast::Stmt &body, const std::string &name) {
    bool found = false;
    ast::each_expr(body, [&](const ast::Expr &e) {
        const ast::Expr *target = nullptr;
        if (e.kind == ExprKind::Assign) target = static_cast<const ast::Assign &>(e).target.get();
        if (e.kind == ExprKind::IncDec) target = static_cast<const ast::IncDec &>(e).target.get();
        if (target && target->kind == ExprKind::VarRef) found |= static_cast<const ast::VarRef *>(target)->name == name;
        if (target && target->kind == ExprKind::Target) found |= static_cast<const ast::Target *>(target)->name == name;
    });
    return found;
}

// Is a context expression that cannot be had a string?
bool is_text(const ast::Expr &e) {
    const auto pretty = [](const std::vector<ast::Component> &components) {
        return !components.empty() && components.back().kind == ast::Component::Kind::Pretty;
    };
    switch (e.kind) {
        case ExprKind::Target: {
            const auto &target = static_cast<const ast::Target &>(e);
            return target.name.substr(0, 2) == "$$" || pretty(target.components);
        }
        case ExprKind::Cast:
            return pretty(static_cast<const ast::Cast &>(e).components);
        case ExprKind::AtVar:
            return pretty(static_cast<const ast::AtVar &>(e).components);
        case ExprKind::Enum:
            return static_cast<const ast::Enum &>(e).wants_name;
        case ExprKind::Entry:
            return is_text(*static_cast<const ast::Entry &>(e).operand);
        default:
            return false;
    }
}

class Folder {
  public:
    Folder(const ContextOptions &options, Diagnostics &diagnostics)
        : options_(options), diagnostics_(diagnostics), targets_(options.place) {}

    void stmt(ast::StmtPtr &slot) {
        if (slot->kind == ast::StmtKind::If) {
            auto &branch = static_cast<ast::If &>(*slot);
            if (whole(branch.cond) && take_branch(slot)) return stmt(slot);
            if (branch.then_stmt) stmt(branch.then_stmt);
            if (branch.else_stmt) stmt(branch.else_stmt);
            return;
        }
        children(*slot);
    }

    void children(ast::Stmt &node) {
        ast::each_slot(
            node, [&](ast::ExprPtr &e) { whole(e); }, [&](ast::StmtPtr &s) { stmt(s); }, [](ast::VarRef &) {});
    }

    // An expression that is part of no other.
    bool whole(ast::ExprPtr &slot) {
        failed_ = false;
        return expr(slot);
    }

  private:
    // Folds below a slot; true when it asked @defined or @probewrite, which alone may make code unreachable here.
    bool expr(ast::ExprPtr &slot) {
        switch (slot->kind) {
            case ExprKind::Defined:
                return defined(slot);
            case ExprKind::ProbeWrite:
                answer(slot, options_.own && writes(*options_.own, static_cast<ast::ProbeWrite &>(*slot).name));
                return true;
            case ExprKind::Ternary:
                return ternary(slot);
            case ExprKind::Logical:
                return logical(slot);
            case ExprKind::Assign:
                if (is_context(*static_cast<ast::Assign &>(*slot).target) &&
                    !is_untyped(*static_cast<ast::Assign &>(*slot).target))
                    return assign(slot);
                break;
            case ExprKind::IncDec:
                if (is_context(*static_cast<ast::IncDec &>(*slot).target)) return refuse_update(*slot);
                break;
            default:
                break;
        }
        const bool entry = slot->kind == ExprKind::Entry, before = entry && targets_.at_entry(true);
        bool asked = false, below_failed = false;
        ast::each_slot(*slot, [&](ast::ExprPtr &e) {
            asked |= whole(e);
            below_failed |= failed_;
        });
        failed_ = below_failed;
        if (entry) targets_.at_entry(before);
        if (failed_ || !is_context(*slot)) return asked;
        if (is_untyped(*slot)) {
            later_ = true;
            return asked;
        }
        replace(slot, targets_.read(*slot));
        return false;
    }

    void replace(ast::ExprPtr &slot, ast::ExprPtr by) {
        if (by) {
            slot = std::move(by);
            return;
        }
        const AccessProblem &problem = targets_.problem();
        const size_t errors = diagnostics_.error_count();
        slot = instead_of(*slot, problem, options_.skip_bad, diagnostics_);
        failed_ |= diagnostics_.error_count() != errors;
    }

    // $x = v, for -g.
    bool assign(ast::ExprPtr &slot) {
        auto &assign = static_cast<ast::Assign &>(*slot);
        const bool append = assign.op == ast::AssignOp::Concat;
        if (assign.op != ast::AssignOp::Set && !append) return refuse_update(*slot);
        ast::each_slot(*assign.target, [&](ast::ExprPtr &e) { expr(e); });
        expr(assign.value);
        if (failed_) return false;
        replace(slot, append ? targets_.append(*assign.target, std::move(assign.value))
                             : targets_.write(*assign.target, std::move(assign.value)));
        return false;
    }

    bool refuse_update(const ast::Expr &e) {
        report(e.at, "target variables are assigned with plain = only");
        return false;
    }

    // Nothing below a context expression that cannot be had is looked at again.
    void report(const SourceRef &at, const std::string &message) {
        diagnostics_.report(Tag::TargetVariable, at, message);
        failed_ = true;
    }

    // @defined: does it resolve here? Of a member of a value whose type is not known yet this is not known either.
    bool defined(ast::ExprPtr &slot) {
        ast::ExprPtr &operand = static_cast<ast::Defined &>(*slot).operand;
        const Trial trial = attempt(*operand);
        if (trial == Trial::Later)
            expr(operand);
        else
            answer(slot, trial == Trial::Fine);
        return true;
    }

    enum class Trial { Fine, Fails, Later };

    // What trying leaves behind is dropped.
    Trial attempt(const ast::Expr &operand) {
        EntrySaves scratch;
        ContextOptions options = options_;
        if (options.place.saves) options.place.saves = &scratch;
        options.skip_bad = false;
        const size_t mark = diagnostics_.mark(), errors = diagnostics_.error_count();
        ast::ExprPtr copy = ast::clone(operand);
        Folder trial(options, diagnostics_);
        trial.expr(copy);
        const bool fine = diagnostics_.error_count() == errors;
        diagnostics_.drop_since(mark);
        return !fine ? Trial::Fails : trial.later_ ? Trial::Later : Trial::Fine;
    }

    static void answer(ast::ExprPtr &slot, bool value) {
        slot = std::make_unique<ast::Number>(slot->at, value ? 1 : 0);
    }

    bool ternary(ast::ExprPtr &slot) {
        auto &choice = static_cast<ast::Ternary &>(*slot);
        bool asked = expr(choice.cond);
        if (asked && take_branch(slot)) return expr(slot) || asked;
        asked |= expr(choice.then_expr);
        return expr(choice.else_expr) || asked;
    }

    bool logical(ast::ExprPtr &slot) {
        auto &both = static_cast<ast::Logical &>(*slot);
        const bool asked = expr(both.left);
        if (asked && take_branch(slot)) return true;
        return expr(both.right) || asked;
    }

    const ContextOptions &options_;
    Diagnostics &diagnostics_;
    TargetResolver targets_;
    bool failed_ = false;
    bool later_ = false;  // something waits for a type
};

}  // namespace

bool has_context(const ast::Stmt &body) {
    bool found = false;
    ast::each_expr(body, [&](const ast::Expr &e) {
        found |= is_context(e) || e.kind == ExprKind::Defined || e.kind == ExprKind::ProbeWrite;
    });
    return found;
}

ast::ExprPtr instead_of(const ast::Expr &expr, const AccessProblem &problem, bool skip_bad, Diagnostics &diagnostics) {
    const SourceRef at = problem.at ? problem.at : expr.at;
    const bool text = is_text(expr);
    const std::string message = problem.message + (problem.near ? problem.near() : "");
    const bool skipped = skip_bad && expr.kind != ExprKind::Assign;
    Diagnostic &report =
        skipped ? diagnostics.report(Tag::TargetVariableSkipped, at, message + "; it reads as " + (text ? "\"\"" : "0"))
                : diagnostics.report(Tag::TargetVariable, at, message);
    for (const auto &[cause, place] : problem.causes)
        add_cause(report, cause, place);
    if (!skipped) add_help(report, problem.help);
    if (text) return std::make_unique<ast::String>(expr.at, "");
    return std::make_unique<ast::Number>(expr.at, 0);
}

void resolve_context(ast::StmtPtr &body, const ContextOptions &options, Diagnostics &diagnostics) {
    Folder(options, diagnostics).stmt(body);
}

void resolve_context(ast::Stmt &body, const ContextOptions &options, Diagnostics &diagnostics) {
    Folder(options, diagnostics).children(body);
}

}  // namespace tapir::resolve
