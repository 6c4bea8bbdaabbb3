// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/reach.h"

#include <algorithm>
#include <map>
#include <set>

#include "ast/walk.h"
#include "base/help.h"
#include "resolve/pragmas.h"

namespace tapir::resolve {

namespace {

using ast::ExprKind;

bool lacks(const Reach &reach, PortNeed need) {
    return std::ranges::find(reach.lacks, need) != reach.lacks.end();
}

// Finds out, function by function, what needs more than the back end has.
class UnmetNeeds {
  public:
    explicit UnmetNeeds(const Reach &reach) : reach_(reach) {}

    // The reason why a body cannot run: its place and text. Covers only calls of this body.
    struct Reason {
        SourceRef at;
        std::string text;
    };

    std::vector<Reason> of(const ast::Stmt &body) {
        std::vector<Reason> reasons;
        std::set<const ast::Expr *> changed;
        ast::each_expr(body, [&](const ast::Expr &e) {
            if (e.kind == ExprKind::Assign) {
                const ast::Expr *target = static_cast<const ast::Assign &>(e).target.get();
                if (target && target->kind == ExprKind::Deref) {
                    changed.insert(target);
                    if (!reach_.why_unwritable.empty()) reasons.push_back({e.at, std::string(reach_.why_unwritable)});
                }
            }
            const bool reads = e.kind == ExprKind::Deref && !changed.contains(&e);
            if (reads && !(static_cast<const ast::Deref &>(e).user ? reach_.reads_user : reach_.reads_kernel))
                reasons.push_back({e.at, "this reads the memory of " + lacking() + " of it"});
            if (e.kind != ExprKind::Call) return;
            for (const ast::Function *function : static_cast<const ast::Call &>(e).candidates)
                if (needs(*function)) {
                    add_call(reasons, e.at, function->name);
                    return;
                }
        });
        return reasons;
    }

  private:
    // An operator calls functions that the script does not name, several at one place.
    void add_call(std::vector<Reason> &reasons, const SourceRef &at, const std::string &function) const {
        const bool is_operator = at.text.starts_with('@');
        if (is_operator && !reasons.empty() && reasons.back().at.text.data() == at.text.data()) return;
        reasons.push_back({at, (is_operator ? std::string(at.text) : function + "()") + " asks " + lacking()});
    }
    std::string lacking() const { return std::string(reach_.asked) + ", and " + std::string(reach_.none); }
    // A function's declaration decides, and the names in its text only where it declares nothing.
    bool asks_too_much(const ast::Function &function) const {
        const std::vector<PortNeed> declared = declared_needs(function);
        if (declared.empty()) return !refused_call_in(*function.embedded_c, reach_).empty();
        return std::ranges::any_of(declared, [this](PortNeed need) { return lacks(reach_, need); });
    }
    bool needs(const ast::Function &function) {
        const auto [known, fresh] = known_.try_emplace(&function, false);
        if (!fresh) return known->second;
        const bool result =
            function.embedded_c ? asks_too_much(function) : function.body && !of(*function.body).empty();
        return known_[&function] = result;
    }

    const Reach &reach_;
    std::map<const ast::Function *, bool> known_;  // false, too, of one that is being looked at
};

}  // namespace

std::string_view refused_call_in(std::string_view c_text, const Reach &reach) {
    const PortCall *call = find_call_in(c_text, [&](const PortCall &one) { return lacks(reach, one.need); });
    return call ? call->name : "";
}

bool report_only_unhit(const Program &program, const Reach &reach, Diagnostics &diagnostics) {
    if (diagnostics.has_errors()) return false;
    if (reach.looks_by == "begin" && !program.handlers.empty()) return false;
    for (const auto &handler : program.handlers)
        for (const probes::Attach &attach : handler->attaches)
            if (attach.kind != probes::Kind::Begin) return false;
    const std::string why(reach.nothing_runs), by(reach.looks_by);
    diagnostics.report(Tag::NothingHit, by.empty() ? "no probe of the script is ever hit: " + why
                                                   : "nothing of the script looks at the process: " + why + "; " + by +
                                                         " looks at it as it stands");
    return true;
}

void check_reach(const Program &program, const Reach &reach, Diagnostics &diagnostics) {
    if (!reach.is_limited()) return;
    UnmetNeeds needs(reach);
    for (const auto &handler : program.handlers)
        for (const UnmetNeeds::Reason &reason : needs.of(*handler->body))
            add_help(
                diagnostics.report(Tag::NotInRemains, reason.at, reason.text),
                "for scripts that run on both: %( runtime == \"" + std::string(reach.runtime) + "\" %? ... %: ... %)");
}

}  // namespace tapir::resolve
