// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/autocast.h"

#include "ast/walk.h"

namespace tapir::resolve {

namespace {

using ast::ExprKind;
using ast::ExprPtr;

class Autocasts {
  public:
    Autocasts(const AutocastBodies &bodies, const TargetPlace &place, const std::function<void(ast::Expr &)> &settle,
              Diagnostics &diagnostics)
        : bodies_(bodies), place_(place), guru_(place.guru), settle_(settle), diagnostics_(diagnostics) {}

    void run() {
        if (!round(Goal::Count)) return;
        // A member may give the next value its type.
        do {
            carry_target_types(bodies_.functions, bodies_.handlers);
        } while (round(Goal::Resolve));
        round(Goal::Report);
    }

  private:
    enum class Goal { Count, Resolve, Report };

    // How many were found (Count), or replaced.
    size_t round(Goal goal) {
        goal_ = goal;
        done_ = 0;
        for (size_t i = 0; i < bodies_.functions.size(); ++i) {
            ast::Function &function = *bodies_.functions[i];
            place_.guru = guru_ || function.file->privileged;
            if (function.body) stmt(*function.body);
        }
        for (size_t i = 0; i < bodies_.handlers.size(); ++i) {
            place_.guru = guru_;
            stmt(*bodies_.handlers[i]->body);
        }
        return done_;
    }

    void stmt(ast::Stmt &node) {
        ast::each_slot(
            node, [&](ExprPtr &e) { expr(e); }, [&](ast::StmtPtr &s) { stmt(*s); }, [](ast::VarRef &) {});
    }

    void expr(ExprPtr &slot) {
        if (slot->kind == ExprKind::Assign && is_untyped(*static_cast<ast::Assign &>(*slot).target)) {
            auto &assign = static_cast<ast::Assign &>(*slot);
            ast::each_slot(*assign.target, [&](ExprPtr &e) { expr(e); });
            expr(assign.value);
            return assignment(slot);
        }
        ast::each_slot(*slot, [&](ExprPtr &e) { expr(e); });
        if (!is_untyped(*slot) || !is_due(*slot)) return;
        TargetResolver resolver(place_);
        ExprPtr value = resolver.read(*slot);
        replace(slot, std::move(value), resolver.problem());
    }

    void assignment(ExprPtr &slot) {
        auto &assign = static_cast<ast::Assign &>(*slot);
        if (!is_due(*assign.target)) return;
        TargetResolver resolver(place_);
        if (assign.op != ast::AssignOp::Set)
            return replace(slot, nullptr, {"target variables are assigned with plain = only", assign.at});
        ExprPtr value = resolver.write(*assign.target, std::move(assign.value));
        replace(slot, std::move(value), resolver.problem());
    }

    // Is it the time for this one?
    bool is_due(const ast::Expr &untyped) {
        if (goal_ == Goal::Count) ++done_;
        if (goal_ == Goal::Resolve) return static_cast<const ast::Cast &>(untyped).operand->target_type != nullptr;
        return goal_ == Goal::Report;
    }

    void replace(ExprPtr &slot, ExprPtr by, const AccessProblem &problem) {
        ++done_;
        if (!by) {
            diagnostics_.report(Tag::TargetVariable, problem.at ? problem.at : slot->at, problem.message);
            by = std::make_unique<ast::Number>(slot->at, 0);
        }
        slot = std::move(by);
        settle_(*slot);
    }

    const AutocastBodies &bodies_;
    TargetPlace place_;
    bool guru_;
    const std::function<void(ast::Expr &)> &settle_;
    Diagnostics &diagnostics_;
    Goal goal_ = Goal::Count;
    size_t done_ = 0;
};

}  // namespace

void resolve_autocasts(const AutocastBodies &bodies, const TargetPlace &place,
                       const std::function<void(ast::Expr &)> &settle, Diagnostics &diagnostics) {
    Autocasts(bodies, place, settle, diagnostics).run();
}

}  // namespace tapir::resolve
