// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/context_exprs.h"

#include <utility>

#include "ast/walk.h"
#include "base/help.h"
#include "resolve/cause.h"
#include "resolve/fold.h"
#include "resolve/missing.h"

namespace tapir::resolve {

namespace {

using ast::ExprKind;

// True for expressions that need knowledge of the probed program.
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

// The effects of a copy. Where names are looked up already, calls count as effects.
Effects effects_of(const ast::Expr &expr) {
    Effects effects;
    if (!has_effect(expr)) return effects;
    ast::each_expr(expr, [&](const ast::Expr &e) {
        effects.acts |= e.kind == ExprKind::Call && !static_cast<const ast::Call &>(e).candidates.empty();
    });
    if (effects.acts) return effects;
    ast::ExprPtr copy = ast::clone(expr);
    take_effects(copy, effects);
    return effects;
}

class Folder {
  public:
    Folder(const ContextOptions &options, Diagnostics &diagnostics)
        : options_(options), diagnostics_(diagnostics), targets_(options.place) {}

    void stmt(ast::StmtPtr &slot) {
        ast::ExprPtr *cond = condition_of(*slot);
        if (cond && *cond && expr(*cond) && take_branch(slot)) return stmt(slot);
        children(*slot, cond);
    }

    // `done` is left out.
    void children(ast::Stmt &node, const ast::ExprPtr *done = nullptr) {
        ast::each_slot(
            node,
            [&](ast::ExprPtr &e) {
                if (&e != done) expr(e);
            },
            [&](ast::StmtPtr &s) { stmt(s); }, [](ast::VarRef &) {});
    }

  private:
    // Folds below a slot; true when it asked @defined or @probewrite, which alone may make code unreachable here.
    bool expr(ast::ExprPtr &slot) {
        failed_ = false;
        switch (slot->kind) {
            case ExprKind::Defined:
                return defined(slot);
            case ExprKind::ProbeWrite:
                answer(slot, options_.own && writes(*options_.own, static_cast<ast::ProbeWrite &>(*slot).name));
                return true;
            case ExprKind::Enum:
                if (static_cast<ast::Enum &>(*slot).wants_name && static_cast<ast::Enum &>(*slot).name.empty())
                    return name_of_value(slot);
                break;
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
                if (is_context(*static_cast<ast::IncDec &>(*slot).target)) return refuse_update(slot);
                break;
            default:
                break;
        }
        const bool entry = slot->kind == ExprKind::Entry, before = entry && targets_.at_entry(true);
        bool asked = false, below_failed = false;
        ast::each_slot(*slot, [&](ast::ExprPtr &e) {
            asked |= expr(e);
            below_failed |= failed_;
        });
        failed_ = below_failed;
        if (entry) targets_.at_entry(before);
        if (trying_ && slot->kind == ExprKind::Call && options_.is_callable &&
            !options_.is_callable(static_cast<ast::Call &>(*slot)))
            report(slot->at, "there is no such function");
        if (failed_ && is_context(*slot)) raise_missing(slot);
        if (failed_ || !is_context(*slot)) return asked;
        if (is_untyped(*slot)) {
            later_ = true;
            return asked;
        }
        Effects effects = effects_of(*slot);
        replace(slot, targets_.read(*slot), std::move(effects));
        return false;
    }

    // `effects`: of what `slot` stood for.
    void replace(ast::ExprPtr &slot, ast::ExprPtr by, Effects effects) {
        if (by) {
            slot = std::move(by);
            return;
        }
        const size_t errors = diagnostics_.error_count();
        AccessProblem problem = targets_.problem();
        if (trying_) problem.near = nullptr;  // a trial shows no messages
        slot = instead_of(*slot, problem, std::move(effects), options_, diagnostics_);
        failed_ |= as_missing(*slot) || diagnostics_.error_count() != errors;
    }

    // @enumname($x): by the type of $x, which is not part of its value. @enumname($x): replaces it by the name for $x,
    // whose value alone does not have its type.
    bool name_of_value(ast::ExprPtr &slot) {
        auto &name = static_cast<ast::Enum &>(*slot);
        ast::ExprPtr copy = ast::clone(*name.value);
        ast::each_slot(*copy, [&](ast::ExprPtr &e) { expr(e); });
        const bool knows = is_context(*copy) && !is_untyped(*copy);
        const std::optional<ctypes::Type> type = knows ? targets_.type_of(*copy) : std::nullopt;
        const bool asked = expr(name.value);
        if (failed_) raise_missing(slot);
        if (failed_) return asked;
        Effects effects = effects_of(*slot);
        if (type) {
            replace(slot, targets_.name_of_value(name, *type), std::move(effects));
        } else {
            const AccessProblem problem{
                "cannot tell which enumeration this value belongs to; use @enumname(\"type\", value)", slot->at};
            slot = instead_of(*slot, problem, std::move(effects), options_, diagnostics_);
            failed_ = true;
        }
        return asked;
    }

    // $x = v, for -g.
    bool assign(ast::ExprPtr &slot) {
        auto &assign = static_cast<ast::Assign &>(*slot);
        const bool append = assign.op == ast::AssignOp::Concat;
        if (assign.op != ast::AssignOp::Set && !append) return refuse_update(slot);
        bool lacks = false;
        ast::each_slot(*assign.target, [&](ast::ExprPtr &e) {
            expr(e);
            lacks |= failed_;
        });
        expr(assign.value);
        lacks |= failed_;
        failed_ = lacks;
        if (failed_) raise_missing(slot);
        if (failed_) return false;
        replace(slot,
                append ? targets_.append(*assign.target, std::move(assign.value))
                       : targets_.write(*assign.target, std::move(assign.value)),
                {true, {}});
        return false;
    }

    bool refuse_update(ast::ExprPtr &slot) {
        const AccessProblem problem{"target variables are assigned with plain = only", slot->at, {}, {}, {}};
        slot = instead_of(*slot, problem, {true, {}}, options_, diagnostics_);
        failed_ = true;
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

    // Tries an expression and drops all side effects of that.
    Trial attempt(const ast::Expr &operand) {
        EntrySaves scratch;
        ContextOptions options = options_;
        if (options.place.saves) options.place.saves = &scratch;
        options.skip_bad = options.put_off = false;
        const size_t mark = diagnostics_.mark(), errors = diagnostics_.error_count();
        ast::ExprPtr copy = ast::clone(operand);
        Folder trial(options, diagnostics_);
        trial.trying_ = true;
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
        asked |= expr(choice.else_expr);
        if (asks(*choice.cond)) failed_ = false;  // the branch may go
        return asked;
    }

    bool logical(ast::ExprPtr &slot) {
        auto &both = static_cast<ast::Logical &>(*slot);
        const bool asked = expr(both.left);
        if (asked && take_branch(slot)) return true;
        const bool below = expr(both.right);
        if (asks(*both.left)) failed_ = false;
        return below || asked;
    }

    const ContextOptions &options_;
    Diagnostics &diagnostics_;
    TargetResolver targets_;
    bool failed_ = false;
    bool later_ = false;   // something waits for a type
    bool trying_ = false;  // for @defined
};

}  // namespace

bool has_context(const ast::Stmt &body) {
    bool found = false;
    ast::each_expr(body, [&](const ast::Expr &e) {
        found |= is_context(e) || e.kind == ExprKind::Defined || e.kind == ExprKind::ProbeWrite;
    });
    return found;
}

namespace {

void report_as(Tag tag, const AccessProblem &problem, Diagnostics &diagnostics) {
    Diagnostic &report = diagnostics.report(tag, problem.at, problem.message + (problem.near ? problem.near() : ""));
    for (const auto &[cause, place] : problem.causes)
        add_cause(report, cause, place);
    add_help(report, problem.help);
}

}  // namespace

void report_problem(const AccessProblem &problem, Diagnostics &diagnostics) {
    report_as(Tag::TargetVariable, problem, diagnostics);
}

ast::ExprPtr instead_of(const ast::Expr &expr, const AccessProblem &problem, Effects effects,
                        const ContextOptions &options, Diagnostics &diagnostics) {
    AccessProblem found = problem;
    if (!found.at) found.at = expr.at;
    const bool updates = expr.kind == ExprKind::Assign || expr.kind == ExprKind::IncDec;
    const bool text = is_text(expr), skip = options.skip_bad && !updates && !found.certain;
    if (options.put_off && !skip && !found.certain)
        return std::make_unique<Missing>(expr.at, std::move(found), std::move(effects));
    if (skip) {
        found.help.clear();
        if (found.near) found.message += std::exchange(found.near, nullptr)();
        found.message += std::string("; it reads as ") + (text ? "\"\"" : "0");
        report_as(Tag::TargetVariableSkipped, found, diagnostics);
    } else {
        report_problem(found, diagnostics);
    }
    if (text) return std::make_unique<ast::String>(expr.at, "");
    return std::make_unique<ast::Number>(expr.at, 0);
}

void take_effects(ast::ExprPtr &slot, Effects &effects) {
    const Missing *missing = as_missing(*slot);
    effects.acts |= missing && missing->acts;
    effects.whole |= slot->kind == ExprKind::Entry || (missing && missing->whole);
    if (is_effect(*slot))
        effects.parts.push_back(std::move(slot));
    else
        ast::each_slot(*slot, [&](ast::ExprPtr &e) { take_effects(e, effects); });
}

bool raise_missing(ast::ExprPtr &slot) {
    const Missing *found = nullptr;
    ast::each_expr(static_cast<const ast::Expr &>(*slot), [&](const ast::Expr &e) {
        if (!found) found = as_missing(e);
    });
    if (!found) return false;
    const SourceRef at = found->at;
    AccessProblem problem = found->problem;
    Effects effects;
    take_effects(slot, effects);
    slot = std::make_unique<Missing>(at, std::move(problem), std::move(effects));
    return true;
}

void report_missing(const ast::Stmt &body, ReportedPlaces &reported, Diagnostics &diagnostics) {
    ast::each_expr(body, [&](const ast::Expr &e) {
        const Missing *missing = as_missing(e);
        if (!missing) return;
        const SourceRef &at = missing->problem.at;
        if (reported.insert({at.file, at.line, at.column}).second) report_problem(missing->problem, diagnostics);
    });
}

void resolve_context(ast::StmtPtr &body, const ContextOptions &options, Diagnostics &diagnostics) {
    Folder(options, diagnostics).stmt(body);
}

void resolve_context(ast::Stmt &body, const ContextOptions &options, Diagnostics &diagnostics) {
    Folder(options, diagnostics).children(body);
}

}  // namespace tapir::resolve
