// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/autocast.h"

#include <set>

#include "ast/walk.h"
#include "resolve/cause.h"
#include "resolve/fold.h"
#include "resolve/pragmas.h"

namespace tapir::resolve {

namespace {

using ast::ExprKind;
using ast::ExprPtr;

class Autocasts {
  public:
    Autocasts(const AutocastBodies &bodies, const ContextOptions &options,
              const std::function<void(ast::Expr &)> &settle, Diagnostics &diagnostics)
        : bodies_(bodies),
          flow_(bodies.functions, bodies.handlers, *options.place.types),
          place_(options.place),
          guru_(options.place.guru),
          skip_bad_(options.skip_bad),
          settle_(settle),
          diagnostics_(diagnostics) {}

    void run() {
        if (!round(Goal::Count)) return;
        do {
            // A member may give the next value its type, and @defined leave the branch that gives another one its.
            do {
                declare_results();
                flow_.run();
            } while (round(Goal::Resolve));
        } while (round(Goal::Deny));
        round(Goal::Report);
        check_used();
        if (decided_) forget_locals();
    }

  private:
    // What functions of C say that they give.
    void declare_results() {
        for (; declared_ < bodies_.functions.size(); ++declared_) {
            ast::Function &function = *bodies_.functions[declared_];
            const std::string name = pragma_result(function);
            if (name.empty() || !place_.debug) continue;
            if (!kernel_) kernel_ = place_.debug->whole_scope();
            const std::optional<ctypes::Type> type = kernel_ ? kernel_->find_type(name) : std::nullopt;
            if (type) flow_.declare(function, place_.types->of(*type, true, false));
        }
    }

    // What a value's type rests on.
    using Slots = std::vector<const ast::TargetType *const *>;
    static void add_slots(const ast::Expr &value, Slots &slots) {
        switch (value.kind) {
            case ExprKind::VarRef:
                slots.push_back(&static_cast<const ast::VarRef &>(value).variable->target_type);
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
        used_.push_back({untyped.at, {}});
        add_slots(*static_cast<const ast::Cast &>(untyped).operand, used_.back().slots);
    }

    // Members that were resolved before it was known that their values have other types, too.
    void check_used() {
        for (const Use &use : used_) {
            for (const ast::TargetType *const *slot : use.slots) {
                const auto *type = static_cast<const ScriptType *>(*slot);
                if (!type || type->several.empty()) continue;
                const AccessProblem problem = several_types(*type, use.at);
                Diagnostic &report = diagnostics_.report(Tag::TargetVariable, problem.at, problem.message);
                for (const auto &[message, place] : problem.causes)
                    add_cause(report, message, place);
                break;
            }
        }
    }

    // Count; replace what is typed by now; answer one @defined that no type will come to; report what is left.
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

    // Variables that only branches had that are gone.
    void forget_locals() {
        for (ast::Function *function : bodies_.functions)
            if (function->body) forget_locals(*function->body, function->locals);
        for (const auto &handler : bodies_.handlers)
            forget_locals(*handler->body, handler->locals);
    }

    static void forget_locals(const ast::Stmt &body, std::vector<std::unique_ptr<ast::Variable>> &locals) {
        std::set<const ast::Variable *> left;
        ast::each_expr(body, [&](const ast::Expr &e) {
            if (e.kind == ExprKind::VarRef) left.insert(static_cast<const ast::VarRef &>(e).variable);
        });
        std::erase_if(locals, [&](const auto &local) {
            return local->scope == ast::Variable::Scope::Local && !left.count(local.get());
        });
    }

    void stmt(ast::StmtPtr &slot) {
        if (slot->kind == ast::StmtKind::If && asks(*static_cast<ast::If &>(*slot).cond)) {
            auto &branch = static_cast<ast::If &>(*slot);
            expr(branch.cond);
            if (take_branch(slot)) return stmt(slot);
            if (asks(*branch.cond) && goal_ != Goal::Count)
                return;  // the branches are not looked at before it is clear
            if (branch.then_stmt) stmt(branch.then_stmt);
            if (branch.else_stmt) stmt(branch.else_stmt);
            return;
        }
        parts(*slot);
    }

    void parts(ast::Stmt &node) {
        ast::each_slot(
            node, [&](ExprPtr &e) { expr(e); }, [&](ast::StmtPtr &s) { stmt(s); }, [](ast::VarRef &) {});
    }

    void expr(ExprPtr &slot) {
        if (slot->kind == ExprKind::Assign && is_untyped(*static_cast<ast::Assign &>(*slot).target)) {
            auto &assign = static_cast<ast::Assign &>(*slot);
            ast::each_slot(*assign.target, [&](ExprPtr &e) { expr(e); });
            expr(assign.value);
            return assignment(slot);
        }
        if (slot->kind == ExprKind::Defined) return defined(slot);
        if (choice(slot)) return;
        ast::each_slot(*slot, [&](ExprPtr &e) { expr(e); });
        if (!is_untyped(*slot) || !is_due(*slot)) return;
        if (goal_ == Goal::Resolve) note_use(*slot);
        TargetResolver resolver(place_);
        ExprPtr value = resolver.read(*slot);
        replace(slot, std::move(value), resolver.problem());
    }

    // Is there a @defined that has no answer yet?
    static bool asks(const ast::Expr &e) {
        bool found = false;
        ast::each_expr(e, [&](const ast::Expr &part) { found |= part.kind == ExprKind::Defined; });
        return found;
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
        if (take_branch(slot)) {
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
        decided_ = true;
        slot = std::make_unique<ast::Number>(slot->at, fine && !later ? 1 : 0);
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
            return replace(slot, nullptr, {"target variables are assigned with plain = only", assign.at});
        ExprPtr value = resolver.write(*assign.target, std::move(assign.value));
        replace(slot, std::move(value), resolver.problem());
    }

    // Is it known what the value of a member points to?
    static bool has_type(const ast::Expr &untyped) {
        const auto *type =
            static_cast<const ScriptType *>(static_cast<const ast::Cast &>(untyped).operand->target_type);
        return type && type->several.empty();
    }

    // Is it the time for this one?
    bool is_due(const ast::Expr &untyped) {
        if (goal_ == Goal::Count) ++done_;
        if (goal_ == Goal::Resolve) return has_type(untyped);
        return goal_ == Goal::Report;
    }

    void replace(ExprPtr &slot, ExprPtr by, const AccessProblem &problem) {
        ++done_;
        if (!by) by = instead_of(*slot, problem, skip_bad_, diagnostics_);
        slot = std::move(by);
        settle_(*slot);
    }

    struct Use {
        SourceRef at;
        Slots slots;
    };

    const AutocastBodies &bodies_;
    TypeFlow flow_;
    std::unique_ptr<target::Scope> kernel_;
    size_t declared_ = 0;  // functions whose pragmas were looked at
    std::vector<Use> used_;
    TargetPlace place_;
    bool guru_, skip_bad_;
    const std::function<void(ast::Expr &)> &settle_;
    Diagnostics &diagnostics_;
    Goal goal_ = Goal::Count;
    size_t done_ = 0;
    bool decided_ = false;  // a @defined, perhaps against a branch
};

}  // namespace

void resolve_autocasts(const AutocastBodies &bodies, const ContextOptions &options,
                       const std::function<void(ast::Expr &)> &settle, Diagnostics &diagnostics) {
    Autocasts(bodies, options, settle, diagnostics).run();
}

}  // namespace tapir::resolve
