// SPDX-License-Identifier: GPL-2.0-or-later
// Reports: parts of a handler that go through locked arrays and otherwise only delete, or count and reset numbers and
// strings. They take snapshots of the arrays, do the rest at once, drop the locks, and go through the snapshots:
//
//   take locks; flag = take snapshots
//   if flag: delete, reset; drop locks; complete snapshots that are copies
//   foreach (over the snapshot if flag)
//   unless flag: delete, reset; drop locks
//
// In a loop through a snapshot, the current element of the array is the copy.
//
// To other handlers the whole part seems to have happened at the moment the locks were held. For that, no code between
// the loops and the rest may leave the handler (except when it runs out of actions, which is reported). Also, no code
// may depend on whether the loop has sorted the array itself.
#include <algorithm>

#include "ast/walk.h"
#include "ir/lowerer.h"

namespace tapir::ir {

bool ModuleLowering::has_one_order(const ast::Variable *v) {
    auto look = [&](const ast::Stmt &root) {
        ast::each_stmt(root, [&](const ast::Stmt &s) {
            if (s.kind != ast::StmtKind::Foreach) return;
            auto &loop = static_cast<const ast::Foreach &>(s);
            orders_[base_variable(*loop.array)].insert(
                {static_cast<int>(loop.sort), loop.sort_column,
                 static_cast<int>(loop.sort_stat.value_or(ast::StatOpKind::Count))});
        });
    };
    if (!orders_known_) {
        for (const ast::Function *f : program.functions)
            if (f->body) look(*f->body);
        for (const auto &handler : program.handlers)
            look(*handler->body);
        orders_known_ = true;
    }
    return orders_[v].size() <= 1 && !v->wrap;
}

int ModuleLowering::snapshots(const std::vector<Snapshot> &set) {
    auto known = std::find(module.snapshots.begin(), module.snapshots.end(), set);
    if (known == module.snapshots.end()) known = module.snapshots.insert(known, set);
    return static_cast<int>(known - module.snapshots.begin());
}

// a[k] in foreach (k in a).
static bool is_element_of(const ast::Index &e, const ast::Foreach &s) {
    if (e.base->kind != ast::ExprKind::VarRef || base_variable(e) != base_variable(*s.array) ||
        e.keys.size() != s.keys.size())
        return false;
    for (size_t i = 0; i < e.keys.size(); ++i) {
        const ast::Variable *key = s.keys[i]->variable;
        if (!e.keys[i] || e.keys[i]->kind != ast::ExprKind::VarRef || base_variable(*e.keys[i]) != key ||
            key->scope != ast::Variable::Scope::Local)
            return false;
    }
    return true;
}

// True if the loop reads only its own array's current element.
bool BodyLowerer::looks_at_own_element_only(const ast::Foreach &s) const {
    const Effects body = m_.effects.of(*s.body);
    const ast::Variable *array = base_variable(*s.array);
    const uint32_t looks_at_it = array->type == ast::Type::Stat ? TouchStat : TouchLoad;
    const auto touched = body.globals.find(array);
    if (touched != body.globals.end() && (touched->second.in_function || touched->second.how != looks_at_it))
        return false;
    for (const auto &key : s.keys)
        if (body.locals_written.count(key->variable)) return false;
    int looks = 0;
    ast::each_expr(*s.body, [&](const ast::Expr &e) {
        looks += e.kind == ast::ExprKind::VarRef && base_variable(e) == array;
        looks -= e.kind == ast::ExprKind::Index && is_element_of(static_cast<const ast::Index &>(e), s);
    });
    return looks == 0;
}

// The iterator of the loop through snapshots whose element that is, or -1.
int BodyLowerer::own_element(const ast::Index &e) const {
    for (auto walk = walks_.rbegin(); walk != walks_.rend(); ++walk)
        if (is_element_of(e, *walk->first)) return walk->second;
    return -1;
}

// Samples of guarded statistics go elsewhere; and where elements are recycled, adders and loops disturb each other.
static bool can_be_merged_later(const ast::Variable &v) {
    return !v.wrap && !v.stat.variance && !v.stat.sketch;
}

// A loop over an array that touches nothing else that is locked. `gone`: arrays that were gone through or deleted
// before.
bool BodyLowerer::report_loop(const ast::Foreach &s, const std::set<const ast::Variable *> &gone) {
    if (s.array->kind != ast::ExprKind::VarRef) return false;
    const ast::Variable *v = base_variable(*s.array);
    if (gone.count(v) || (v->type == ast::Type::Stat && !can_be_merged_later(*v))) return false;
    for (const auto &[touched, t] : m_.effects.of(s).globals) {
        if (!locking_->locked.count(touched)) continue;
        const uint32_t looks = t.how & ~uint32_t{TouchIterate | TouchSort};
        if (touched != v || (looks && ((looks != TouchLoad && looks != TouchStat) || !looks_at_own_element_only(s))))
            return false;
    }
    return true;
}

// Out of actions aside. `present`: as for can_fail().
static bool may_leave_handler(const ProgramEffects &effects, const ast::Stmt &root, const ast::Variable *present) {
    bool found = false;
    ast::each_stmt(root, [&](const ast::Stmt &s) {
        found |= s.kind == ast::StmtKind::Next || s.kind == ast::StmtKind::EmbeddedC;
        ast::each_child(
            s, [&](const ast::Expr &e) { found |= effects.can_fail(e, present); }, [](const ast::Stmt &) {});
    });
    return found;
}

static bool is_literal(const ast::Expr &e) {
    return e.kind == ast::ExprKind::Number || e.kind == ast::ExprKind::String;
}

// Returns the global that a statement resets, so that it can run before the loops: it deletes the global whole, counts
// it, or sets it to a constant.
static const ast::Variable *resets(const ast::Stmt &s) {
    const ast::Expr *target = nullptr;
    if (s.kind == ast::StmtKind::Delete) {
        target = static_cast<const ast::Delete &>(s).target.get();
    } else if (s.kind == ast::StmtKind::Expr) {
        const ast::Expr &e = *static_cast<const ast::ExprStmt &>(s).expr;
        if (e.kind == ast::ExprKind::IncDec) target = static_cast<const ast::IncDec &>(e).target.get();
        if (e.kind == ast::ExprKind::Assign && is_literal(*static_cast<const ast::Assign &>(e).value) &&
            static_cast<const ast::Assign &>(e).op == ast::AssignOp::Set)
            target = static_cast<const ast::Assign &>(e).target.get();
    }
    return target && target->kind == ast::ExprKind::VarRef ? base_variable(*target) : nullptr;
}

bool BodyLowerer::is_report(const std::vector<const ast::Stmt *> &list) {
    std::set<const ast::Variable *> gone;
    bool loops = false, may_leave = false;
    std::set<const ast::Variable *> sorted;
    for (const ast::Stmt *s : list) {
        if (const ast::Variable *v = resets(*s); v && touches_locked(*s)) {
            if (may_leave) return false;
            gone.insert(v);
            if (s->kind == ast::StmtKind::Delete)
                sorted.erase(v);  // the order of the deleted array does not matter
                                  // any more
            continue;
        }
        if (!touches_locked(*s)) {
            may_leave |= may_leave_handler(m_.effects, *s, nullptr);
            continue;
        }
        if (s->kind != ast::StmtKind::Foreach) return false;
        auto &loop = static_cast<const ast::Foreach &>(*s);
        if (!report_loop(loop, gone)) return false;
        may_leave |= may_leave_handler(m_.effects, *s, base_variable(*loop.array));
        gone.insert(base_variable(*loop.array));
        if (loop.sort != ast::Foreach::Sort::None) sorted.insert(base_variable(*loop.array));
        loops = true;
    }
    return loops &&
           std::all_of(sorted.begin(), sorted.end(), [this](const ast::Variable *v) { return m_.has_one_order(v); });
}

// Returns the most elements a loop needs, if that is known beforehand; else 0.
static uint32_t constant_limit(const ast::Foreach &loop) {
    if (!loop.limit || !loop.slice.empty() || loop.limit->kind != ast::ExprKind::Number) return 0;
    return static_cast<uint32_t>(
        std::clamp<int64_t>(static_cast<const ast::Number &>(*loop.limit).value, 0, INT32_MAX));
}

void BodyLowerer::report(const std::vector<const ast::Stmt *> &list) {
    Report r;
    std::vector<Snapshot> set;
    std::vector<const ast::Stmt *> early;
    std::set<int> deleted;  // globals
    bool copied = false;
    const SourceRef *loop_at = nullptr;  // the first of them
    for (const ast::Stmt *s : list) {
        if (!touches_locked(*s)) continue;
        if (resets(*s)) {
            early.push_back(s);
            if (s->kind == ast::StmtKind::Delete) deleted.insert(m_.global(resets(*s)));
            continue;
        }
        auto &loop = static_cast<const ast::Foreach &>(*s);
        if (!loop_at) loop_at = &loop.at;
        const ast::Variable *v = base_variable(*loop.array);
        Sort sort{static_cast<int8_t>(loop.sort), loop.sort_column, ast::StatOpKind::Count};
        set.push_back({m_.global(v), sort, constant_limit(loop), false});
        r.arrays.insert(v);
    }
    for (Snapshot &s : set) {
        s.cut = deleted.count(s.global) != 0;
        copied |= !s.cut;
    }
    r.set = m_.snapshots(set);
    r.flag = new_register();
    int live = new_label(), done = new_label();
    take_locks();
    Inst &take = emit(Op::SnapshotsTake, r.flag);
    take.index = r.set;
    failing(take, *loop_at);
    emit(Op::JumpUnless, {}, r.flag).target = live;
    reports_.push_back(r);
    snapping_ = true;
    for (const ast::Stmt *s : early)
        stmt(*s);
    snapping_ = false;
    emit(Op::LocksDrop);
    reporting_ = true;
    if (copied) {
        Inst &complete = emit(Op::SnapshotsComplete);
        complete.index = r.set;
        failing(complete, *loop_at);
    }
    label(live);
    for (const ast::Stmt *s : list) {
        if (std::find(early.begin(), early.end(), s) == early.end()) {
            stmt(*s);
            continue;
        }
        int skip = new_label();
        emit(Op::JumpIf, {}, r.flag).target = skip;
        stmt(*s);
        label(skip);
    }
    reporting_ = false;
    emit(Op::SnapshotsDrop, {}, r.flag).index = r.set;
    emit(Op::JumpIf, {}, r.flag).target = done;
    drop_locks();
    label(done);
}

}  // namespace tapir::ir
