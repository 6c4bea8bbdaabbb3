// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/still_checks.h"

#include <cctype>
#include <map>
#include <set>

#include "ast/walk.h"
#include "base/help.h"
#include "resolve/port_calls.h"

namespace tapir::resolve {

namespace {

using ast::ExprKind;

// Whether what stands still has none of what a call needs.
bool lacks(target::StillKind kind, PortNeed need) {
    if (need == PortNeed::Kernel) return true;
    return need == (kind == target::StillKind::Kernel ? PortNeed::Process : PortNeed::Dump);
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Finds out, function by function, what needs the kernel.
class StillNeeds {
  public:
    explicit StillNeeds(target::StillKind kind) : kind_(kind) {}

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
                    reasons.push_back(
                        {e.at, kind_ == target::StillKind::Kernel ? "the memory of a kernel can only be read"
                               : kind_ == target::StillKind::Process
                                   ? "a snapshot only reads the process; without --snapshot, stap -g changes it"
                                   : "the memory of a dead process cannot be changed"});
                }
            }
            const bool reads = e.kind == ExprKind::Deref && !changed.contains(&e);
            if (reads && static_cast<const ast::Deref &>(e).user == (kind_ == target::StillKind::Kernel))
                reasons.push_back({e.at, "this reads the memory of " + asked() + ", and " + none() + " of it"});
            if (e.kind != ExprKind::Call) return;
            for (const ast::Function *function : static_cast<const ast::Call &>(e).candidates)
                if (needs(*function)) {
                    reasons.push_back({e.at, function->name + "() asks " + asked() + ", and " + none()});
                    return;
                }
        });
        return reasons;
    }

  private:
    std::string asked() const {
        return kind_ == target::StillKind::Kernel ? "a process or the running kernel" : "the running kernel";
    }
    std::string none() const {
        return kind_ == target::StillKind::Kernel    ? "the memory of a kernel has none"
               : kind_ == target::StillKind::Process ? "a snapshot has none"
                                                     : "a core has none";
    }
    bool needs(const ast::Function &function) {
        const auto [known, fresh] = known_.try_emplace(&function, false);
        if (!fresh) return known->second;
        const bool result = function.embedded_c ? !refused_call_in(*function.embedded_c, kind_).empty()
                                                : function.body && !of(*function.body).empty();
        return known_[&function] = result;
    }

    target::StillKind kind_;
    std::map<const ast::Function *, bool> known_;  // false, too, of one that is being looked at
};

}  // namespace

std::string_view refused_call_in(std::string_view c_text, target::StillKind kind) {
    for (size_t at = 0; at < c_text.size();) {
        size_t end = at;
        while (end < c_text.size() && is_word(c_text[end]))
            ++end;
        const PortCall *call = find_port_call(c_text.substr(at, end - at));
        if (call && lacks(kind, call->need)) return call->name;
        at = end + 1;
    }
    return {};
}

std::string_view nothing_runs(target::StillKind kind) {
    if (kind == target::StillKind::Kernel) return "nothing runs in the memory of a kernel";
    return kind == target::StillKind::Process ? "nothing of the process runs while a snapshot is looked at"
                                              : "nothing runs in a core";
}

bool report_only_unhit(const Program &program, target::StillKind kind, Diagnostics &diagnostics) {
    if (diagnostics.has_errors()) return false;
    // There, begin is what looks.
    if (kind == target::StillKind::Kernel && !program.handlers.empty()) return false;
    for (const auto &handler : program.handlers)
        for (const probes::Attach &attach : handler->attaches)
            if (attach.kind != probes::Kind::Begin) return false;
    diagnostics.report(Tag::NothingHit,
                       "nothing of the script looks at the process: " + std::string(nothing_runs(kind)) +
                           (kind == target::StillKind::Kernel ? "; begin looks at it as it stands"
                                                              : "; process.snapshot looks at it as it stands"));
    return true;
}

void check_still(const Program &program, target::StillKind kind, Diagnostics &diagnostics) {
    StillNeeds needs(kind);
    for (const auto &handler : program.handlers)
        for (const StillNeeds::Reason &reason : needs.of(*handler->body))
            add_help(diagnostics.report(Tag::NotInRemains, reason.at, reason.text),
                     "for scripts that run on both: %( runtime == \"process\" %? ... %: ... %)");
}

}  // namespace tapir::resolve
