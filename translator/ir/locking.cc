// SPDX-License-Identifier: GPL-2.0-or-later
#include "ir/locking.h"

#include <algorithm>
#include <bit>

namespace tapir::ir {

namespace {

bool runs_alone(const resolve::Handler &handler) {
    return std::all_of(handler.attaches.begin(), handler.attaches.end(),
                       [](const probes::Attach &a) { return a.facts().alone || a.facts().unattached; });
}

bool is_array(const ast::Variable &v) {
    return !v.key_types.empty();
}
bool is_number(const ast::Variable &v) {
    return !is_array(v) && v.type == ast::Type::Long;
}

// The part of `how` that needs protection: samples of statistics do not, except where they recycle elements.
uint32_t guarded(const ast::Variable &v, uint32_t how) {
    bool recycles = is_array(v) && v.wrap;
    return v.type == ast::Type::Stat && !recycles ? how & ~uint32_t{TouchSample} : how;
}

// Rule 3.
bool only_accumulates(const ast::Variable &v, uint32_t how) {
    if (v.type != ast::Type::Long || v.wrap || v.age) return false;
    return std::has_single_bit(how) && (how & kTouchCommutative);
}

}  // namespace

Locking plan_locking(const resolve::Program &program, const ProgramEffects &effects, bool concurrent) {
    Locking plan;
    std::map<const resolve::Handler *, Touches> touches;
    std::map<const ast::Variable *, uint32_t> anywhere;
    std::set<const resolve::Handler *> printers;
    for (const auto &handler : program.handlers) {
        HandlerLocking &h = plan.handlers[handler.get()];
        h.session = runs_alone(*handler);
        if (h.session) continue;
        Effects all = effects.of(*handler->body);
        if (all.prints) printers.insert(handler.get());
        touches[handler.get()] = std::move(all.globals);
        for (const auto &[v, t] : touches[handler.get()])
            anywhere[v] |= t.how;
    }

    std::set<const ast::Variable *> contended, accumulated;
    for (const auto &[v, how] : anywhere) {
        if (!concurrent) break;
        if (!(how & kTouchWrites) && !(v->live && !is_number(*v)) && !v->age) continue;     // rule 1
        if (!guarded(*v, how)) continue;                                                    // rule 2
        if (v->type == ast::Type::Stat && !is_array(*v) && !(how & TouchDelete)) continue;  // merged without a lock
        (only_accumulates(*v, how) ? accumulated : contended).insert(v);
    }

    // How many operations that matter each handler does.
    std::map<const resolve::Handler *, int> operations;
    for (const auto &[handler, touched] : touches)
        for (const auto &[v, t] : touched)
            if (contended.count(v) && guarded(*v, t.how)) operations[handler] += t.operations;

    for (const ast::Variable *v : program.globals) {
        if (!is_number(*v)) continue;
        bool atomic = accumulated.count(v) != 0;
        if (contended.count(v)) {
            atomic = !(anywhere[v] & TouchModify);
            for (const auto &[handler, touched] : touches)
                if (touched.count(v)) atomic &= operations[handler] == 1;  // rule 4
        }
        atomic |= v->live && !contended.count(v);
        plan.scalars[v] = atomic ? Access::Atomic : Access::Plain;
    }

    std::set<const ast::Variable *> counters;
    for (const ast::Variable *v : accumulated) {
        if (!is_array(*v) || anywhere[v] != TouchAdd) continue;
        bool direct = true;  // functions serve session handlers too and have one form of access
        for (const auto &[handler, touched] : touches)
            if (auto t = touched.find(v); t != touched.end()) direct &= !t->second.in_function;
        if (direct) counters.insert(v);
    }

    for (const auto &[handler, touched] : touches) {
        HandlerLocking &h = plan.handlers[handler];
        h.ordered = printers.count(handler) != 0;
        std::set<const ast::Variable *> self;
        for (const auto &[v, t] : touched) {
            if (!guarded(*v, t.how) || !(contended.count(v) || accumulated.count(v))) continue;
            // The order of handlers cannot be seen in values that are only accumulated.
            const bool order_seen = h.ordered && contended.count(v) && (t.how & kTouchWrites);
            if (is_number(*v) && plan.scalars[v] == Access::Atomic) {
                if (order_seen) h.locked.insert(v);
                continue;
            }
            if (counters.count(v)) {
                h.counters.insert(v);
                continue;
            }
            constexpr uint32_t kLockedForms = TouchLoad | TouchElement | TouchAdd | TouchAtomic;
            bool has_form = is_array(*v) && v->type == ast::Type::Long && !(t.how & ~kLockedForms) && !t.in_function;
            bool alone = accumulated.count(v) || operations[handler] == 1;
            (has_form && alone && !order_seen ? self : h.locked).insert(v);  // rules 3 and 5; rule 6
        }
        // An operation's own lock inside a lock set would break the order.
        (h.locked.empty() ? h.self_locked : h.locked).insert(self.begin(), self.end());
        h.ordered &= !h.locked.empty();
    }
    return plan;
}

}  // namespace tapir::ir
