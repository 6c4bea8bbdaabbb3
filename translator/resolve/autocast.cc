// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/autocast.h"

#include <set>
#include <tuple>
#include <utility>

#include "ast/walk.h"
#include "resolve/fold.h"
#include "resolve/pragmas.h"

namespace tapir::resolve {

namespace {

using ast::ExprKind;
using ast::ExprPtr;

class Autocasts {
  public:
    Autocasts(const AutocastBodies &bodies, const ContextOptions &options, const AutocastNames &names,
              Diagnostics &diagnostics)
        : bodies_(bodies),
          flow_(bodies.functions, bodies.handlers, *options.place.types),
          options_(options),
          place_(options.place),
          guru_(options.place.guru),
          names_(names),
          diagnostics_(diagnostics) {}

    std::vector<SeveralTypes> run() {
        if (!round(Goal::Count)) return {};
        do {
            // A member may give the next value its type, and @defined leave the branch that gives another one its.
            do {
                declare_results();
                flow_.run();
            } while (round(Goal::Resolve));
        } while (round(Goal::Deny));
        round(Goal::Report);
        return check_used();
    }

  private:
    // Takes the result types that C functions declare.
    void declare_results() {
        for (; declared_ < bodies_.functions.size(); ++declared_) {
            ast::Function &function = *bodies_.functions[declared_];
            const std::string name = pragma_result(function);
            if (name.empty() || !place_.debug) continue;
            if (!kernel_) kernel_ = place_.debug->whole_scope("kernel");
            const std::optional<ctypes::Type> type = kernel_ ? kernel_->find_type(name) : std::nullopt;
            if (type) flow_.declare(function, place_.types->of(*type, true, false));
        }
    }

    // The variables and functions that a value's type depends on.
    using Slots = std::vector<const ast::TargetType *const *>;
    static void add_slots(const ast::Expr &value, Slots &slots) {
        switch (value.kind) {
            case ExprKind::VarRef:
                if (const ast::Variable *variable = static_cast<const ast::VarRef &>(value).variable)
                    slots.push_back(&variable->target_type);
                break;
            case ExprKind::Index:
                return add_slots(*static_cast<const ast::Index &>(value).base, slots);
            case ExprKind::Assign:
                return add_slots(*static_cast<const ast::Assign &>(value).value, slots);
            case ExprKind::Ternary:
                add_slots(*static_cast<const ast::Ternary &>(value).then_expr, slots);
                return add_slots(*static_cast<const ast::Ternary &>(value).else_expr, slots);
            case ExprKind::Call:
                for (const ast::Function *function : static_cast<const ast::Call &>(value).candidates)
                    slots.push_back(&function->target_type);
                break;
            default:
                break;
        }
    }

    void note_use(const ast::Expr &untyped) {
        const ast::Expr &value = *static_cast<const ast::Cast &>(untyped).operand;
        used_.push_back({untyped.at, value.at, {}});
        add_slots(value, used_.back().slots);
    }

    // Members that were resolved before it was known that their values have other types, too.
    std::vector<SeveralTypes> check_used() {
        std::vector<SeveralTypes> found;
        for (const Use &use : used_) {
            for (const ast::TargetType *const *slot : use.slots) {
                const auto *type = static_cast<const ScriptType *>(*slot);
                if (!type || type->several.empty()) continue;
                found.push_back({several_types(*type, use.at), use.value});
                break;
            }
        }
        return found;
    }

    // Count; replace those typed by now; answer one @defined that no type will come to; report the rest.
    enum class Goal { Count, Resolve, Deny, Report };

    // How many were found (Count), or replaced.
    size_t round(Goal goal) {
        goal_ = goal;
        done_ = 0;
        for (size_t i = 0; i < bodies_.functions.size(); ++i) {
            ast::Function &function = *bodies_.functions[i];
            place_.guru = guru_ || function.seen_from()->privileged;
            if (function.body) stmt(function.body);
        }
        for (size_t i = 0; i < bodies_.handlers.size(); ++i) {
            place_.guru = guru_;
            parts(*bodies_.handlers[i]->body);
        }
        return done_;
    }

    void stmt(ast::StmtPtr &slot) {
        if (goal_ != Goal::Count) names_.resume_stmt(*slot);
        ExprPtr *cond = condition_of(*slot);
        if (!cond || !*cond || !asks(**cond)) return parts(*slot);
        expr(*cond);
        if (ast::StmtPtr gone = take_branch(slot)) {
            gone_.push_back(std::move(gone));
            return stmt(slot);
        }
        if (asks(**cond) && goal_ != Goal::Count) return;  // the guarded code waits until the answer is clear
        parts(*slot, cond);
    }

    // `done` is left out.
    void parts(ast::Stmt &node, const ExprPtr *done = nullptr) {
        ast::each_slot(
            node,
            [&](ExprPtr &e) {
                if (&e != done) expr(e);
            },
            [&](ast::StmtPtr &s) { stmt(s); }, [](ast::VarRef &) {});
    }

    void expr(ExprPtr &slot) {
        if (goal_ != Goal::Count) names_.resume_expr(*slot);
        if (slot->kind == ExprKind::Assign && is_untyped(*static_cast<ast::Assign &>(*slot).target)) {
            auto &assign = static_cast<ast::Assign &>(*slot);
            ast::each_slot(*assign.target, [&](ExprPtr &e) { expr(e); });
            expr(assign.value);
            return assignment(slot);
        }
        if (slot->kind == ExprKind::Defined) return defined(slot);
        if (choice(slot)) return;
        ast::each_slot(*slot, [&](ExprPtr &e) { expr(e); });
        if (!is_untyped(*slot)) return;
        if (!is_unclear(*slot) && raise_missing(slot)) return;
        if (!is_due(*slot)) return;
        if (goal_ == Goal::Resolve) note_use(*slot);
        const bool acts = has_effect(*slot);
        TargetResolver resolver(place_);
        ExprPtr value = resolver.read(*slot);
        Effects effects;
        if (acts && !value) take_effects(slot, effects);
        effects.acts |= acts && effects.parts.empty();
        replace(slot, std::move(value), resolver.problem(), std::move(effects));
    }

    void keep(ExprPtr gone) {
        const SourceRef at = gone->at;
        gone_.push_back(std::make_unique<ast::ExprStmt>(at, std::move(gone)));
    }

    // "?:", "&&" and "||" whose first operand asks; false for others.
    bool choice(ExprPtr &slot) {
        ExprPtr *first = slot->kind == ExprKind::Ternary   ? &static_cast<ast::Ternary &>(*slot).cond
                         : slot->kind == ExprKind::Logical ? &static_cast<ast::Logical &>(*slot).left
                                                           : nullptr;
        if (!first || !asks(**first)) return false;
        const bool is_choice = slot->kind == ExprKind::Ternary;
        expr(*first);
        const bool unclear = asks(**first);
        if (ExprPtr gone = take_branch(slot)) {
            keep(std::move(gone));
            if (is_choice) expr(slot);
        } else if (!unclear || goal_ == Goal::Count) {
            bool is_first = true;
            ast::each_slot(*slot, [&](ExprPtr &e) {
                if (!is_first) expr(e);
                is_first = false;
            });
        }
        return true;
    }

    void defined(ExprPtr &slot) {
        if (goal_ == Goal::Count) ++done_;
        if (goal_ == Goal::Count || (goal_ == Goal::Deny && done_)) return;
        bool later = false;
        ExprPtr copy = ast::clone(*static_cast<ast::Defined &>(*slot).operand);
        const bool fine = can_be_had(copy, later);
        if (fine && later && goal_ == Goal::Resolve) return;
        ++done_;
        keep(std::exchange(slot, std::make_unique<ast::Number>(slot->at, fine && !later ? 1 : 0)));
    }

    // Can all members in `slot`, a copy, be had? `later` is set if not all types are known.
    bool can_be_had(ExprPtr &slot, bool &later) {
        bool fine = true;
        ast::each_slot(*slot, [&](ExprPtr &e) { fine = fine && can_be_had(e, later); });
        if (!fine || later || !is_untyped(*slot)) return fine;
        later = !has_type(*slot);
        if (later) return true;
        ExprPtr value = TargetResolver(place_).read(*slot);
        if (!value) return false;
        slot = std::move(value);
        return true;
    }

    void assignment(ExprPtr &slot) {
        auto &assign = static_cast<ast::Assign &>(*slot);
        if (!is_due(*assign.target)) return;
        if (goal_ == Goal::Resolve) note_use(*assign.target);
        TargetResolver resolver(place_);
        if (assign.op != ast::AssignOp::Set)
            return replace(slot, nullptr, {"target variables are assigned with plain = only", assign.at}, {true, {}});
        ExprPtr value = resolver.write(*assign.target, std::move(assign.value));
        replace(slot, std::move(value), resolver.problem(), {true, {}});
    }

    // True if the type of a member's pointee is known.
    static bool has_type(const ast::Expr &untyped) {
        const auto *type =
            static_cast<const ScriptType *>(static_cast<const ast::Cast &>(untyped).operand->target_type);
        return type && type->several.empty();
    }

    // True if the value of a member depends on an answer.
    static bool is_unclear(const ast::Expr &untyped) { return asks(*static_cast<const ast::Cast &>(untyped).operand); }

    // Is it the time for this one?
    bool is_due(const ast::Expr &untyped) {
        if (goal_ == Goal::Count) ++done_;
        if (goal_ == Goal::Resolve) return has_type(untyped) && !is_unclear(untyped);
        return goal_ == Goal::Report;
    }

    void replace(ExprPtr &slot, ExprPtr by, const AccessProblem &problem, Effects effects) {
        ++done_;
        if (!by) by = instead_of(*slot, problem, std::move(effects), options_, diagnostics_);
        slot = std::move(by);
        names_.settle(*slot);
    }

    struct Use {
        SourceRef at, value;
        Slots slots;
    };

    const AutocastBodies &bodies_;
    TypeFlow flow_;
    std::unique_ptr<target::Scope> kernel_;
    size_t declared_ = 0;  // functions whose pragmas were looked at
    std::vector<Use> used_;
    const ContextOptions &options_;
    TargetPlace place_;
    bool guru_;
    const AutocastNames &names_;
    Diagnostics &diagnostics_;
    Goal goal_ = Goal::Count;
    size_t done_ = 0;
    std::vector<ast::StmtPtr> gone_;  // names_ knows parts of it by their addresses, which must not be used again
};

}  // namespace

std::vector<SeveralTypes> resolve_autocasts(const AutocastBodies &bodies, const ContextOptions &options,
                                            const AutocastNames &names, Diagnostics &diagnostics) {
    return Autocasts(bodies, options, names, diagnostics).run();
}

void report_several(const std::vector<SeveralTypes> &several, const AutocastBodies &bodies, Diagnostics &diagnostics) {
    if (several.empty()) return;
    using At = std::tuple<const SourceFile *, size_t, size_t>;
    const auto place = [](const SourceRef &at) { return At(at.file, at.line, at.column); };
    std::set<At> left;
    const auto note = [&](const ast::Expr &e) { left.insert(place(e.at)); };
    for (const ast::Function *function : bodies.functions)
        if (function->body) ast::each_expr(static_cast<const ast::Stmt &>(*function->body), note);
    for (const auto &handler : bodies.handlers)
        ast::each_expr(static_cast<const ast::Stmt &>(*handler->body), note);
    for (const SeveralTypes &one : several)
        if (left.contains(place(one.problem.at)) || left.contains(place(one.value)))
            report_problem(one.problem, diagnostics);
}

}  // namespace tapir::resolve
