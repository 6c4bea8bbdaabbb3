// SPDX-License-Identifier: GPL-2.0-or-later
// Statements, and where a handler holds its locks.
#include <algorithm>

#include "ast/walk.h"
#include "ir/cleanup.h"
#include "ir/lowerer.h"
#include "ir/reckon.h"

namespace tapir::ir {

// ---------------------------------------------------------------- instructions

Inst &BodyLowerer::emit(Op op) {
    body_.code.push_back({});
    body_.code.back().op = op;
    return body_.code.back();
}

Inst &BodyLowerer::emit(Op op, Value dst, Value a, Value b) {
    Inst &inst = emit(op);
    inst.dst = dst;
    inst.a = a;
    inst.b = b;
    return inst;
}

Inst &BodyLowerer::failing(Inst &inst, const SourceRef &at) {
    inst.site = m_.site(at);
    inst.on_error = error_target() >= 0 ? error_target() : exit_target();
    return inst;
}

void BodyLowerer::label(int n) {
    emit(Op::Label).target = n;
}
void BodyLowerer::jump(int n) {
    emit(Op::Jump).target = n;
}

// A fresh temporary that the last instruction just computed is computed in place instead of being moved.
void BodyLowerer::move(Value dst, Value src) {
    if (dst == src) return;
    if (src.kind == ValueKind::Reg && src.n >= first_temp_ && !body_.code.empty()) {
        Inst &last = body_.code.back();
        bool pure = last.op != Op::Label && last.op != Op::Call && last.on_error < 0;
        if (pure && last.dst == src) {
            last.dst = dst;
            return;
        }
    }
    emit(Op::Move, dst, src);
}

int BodyLowerer::error_target() const {
    return catches_.empty() ? -1 : catches_.back();
}

int BodyLowerer::exit_target() {
    if (reporting_) {
        if (reports_.back().exit < 0) reports_.back().exit = new_label();
        return reports_.back().exit;
    }
    if (snapping_) {
        if (reports_.back().early < 0) reports_.back().early = new_label();
        return reports_.back().early;
    }
    if (!locked_) return exit_;
    if (locked_exit_ < 0) locked_exit_ = new_label();
    return locked_exit_;
}

// ---------------------------------------------------------------- temporaries of the frame

static Value take(std::vector<bool> &busy, int &count, ValueKind kind) {
    auto free = std::find(busy.begin(), busy.end(), false);
    int64_t n = free - busy.begin();
    if (free == busy.end()) {
        busy.push_back(true);
        count++;
    } else {
        *free = true;
    }
    return {kind, n};
}

Value BodyLowerer::take_buffer() {
    return take(buffer_busy_, body_.frame.buffers, ValueKind::Buffer);
}
Value BodyLowerer::take_sum() {
    return take(sum_busy_, body_.frame.sums, ValueKind::Sum);
}

void BodyLowerer::release(const Operand &o) {
    for (Value v : o.owned)
        (v.kind == ValueKind::Sum ? sum_busy_ : buffer_busy_)[static_cast<size_t>(v.n)] = false;
}

void BodyLowerer::release(const std::vector<Operand> &list) {
    for (const Operand &o : list)
        release(o);
}

void BodyLowerer::absorb(Operand &into, const Operand &from) {
    into.owned.insert(into.owned.end(), from.owned.begin(), from.owned.end());
    into.refs.insert(into.refs.end(), from.refs.begin(), from.refs.end());
}

// Gives a local variable its place, empty.
void BodyLowerer::declare(const ast::Variable &v) {
    if (places_.count(&v) || borrowed_.count(&v)) return;
    if (lent_.count(&v)) {
        emit(Op::Point, places_[&v] = new_pointer(), m_.literal(""));
    } else if (v.type == ast::Type::String) {
        Value place = take_buffer();
        places_[&v] = place;
        body_.buffer_names[static_cast<int>(place.n)] = v.name;
        emit(Op::Copy, place, m_.literal(""));
    } else {
        Value place = new_register();
        places_[&v] = place;
        body_.register_names[static_cast<int>(place.n)] = v.name;
        body_.initial_registers.push_back(static_cast<int>(place.n));
    }
}

// ---------------------------------------------------------------- locks

bool BodyLowerer::touches_locked(const ast::Stmt &s) const {
    for (const auto &[v, t] : m_.effects.of(s).globals)
        if (locking_->locked.count(v)) return true;
    return false;
}

bool BodyLowerer::touches_locked(const ast::Expr &e) const {
    for (const auto &[v, t] : m_.effects.of(e, true).globals)
        if (locking_->locked.count(v)) return true;
    return false;
}

void BodyLowerer::take_locks() {
    emit(Op::LocksTake).target = exit_;
    locked_ = true;
}

void BodyLowerer::drop_locks() {
    if (locking_->ordered) emit(Op::Send);
    emit(Op::LocksDrop);
    locked_ = false;
}

// Returns the first and the last statement of a list that are under the locks; the first is behind the end if there are
// none.
std::pair<size_t, size_t> BodyLowerer::locked_part(const std::vector<ast::StmtPtr> &list) const {
    size_t first = list.size(), last = 0, clock = list.size();
    for (size_t i = 0; i < list.size(); i++) {
        if (!list[i]) continue;
        const Effects effects = m_.effects.of(*list[i]);
        const bool locked = touches_locked(*list[i]);
        if (effects.clock) clock = std::min(clock, i);
        if (locked) first = std::min(first, i);
        if (locked || (first < list.size() && effects.prints && locking_->ordered)) last = i;
    }
    if (first < list.size() && locking_->ordered) first = std::min(first, clock);
    return {first, last};
}

// Locks are held from the first statement of the list that needs them to the last. `tail`: nothing follows the list, so
// the end of the handler may drop them.
void BodyLowerer::sequence(const std::vector<ast::StmtPtr> &list, bool tail) {
    note_rest(list);
    const auto [first, last] = locked_part(list);
    std::vector<const ast::Stmt *> held;
    for (size_t i = first; i <= last && i < list.size(); i++)
        if (list[i]) held.push_back(list[i].get());
    bool reports = first < list.size() && is_report(held);
    for (size_t i = 0; i < list.size(); i++) {
        if (!list[i]) continue;
        if (reports && i >= first && i <= last) {
            if (i == first) report(held);
            continue;
        }
        bool end = tail && i + 1 == list.size();
        if (first == last && i == first) {
            locked_stmt(*list[i], end);
            continue;
        }
        if (i == first) take_locks();
        stmt(*list[i]);
        if (i == last && locked_ && !end) drop_locks();
    }
}

// The only statement of its list that needs the locks: looks for a smaller part that does.
void BodyLowerer::locked_stmt(const ast::Stmt &s, bool tail) {
    if (s.kind == ast::StmtKind::Block) {
        sequence(static_cast<const ast::Block &>(s).body, tail);
        charge_rest(s);
        return;
    }
    if (s.kind == ast::StmtKind::If) {
        auto &branch = static_cast<const ast::If &>(s);
        if (!touches_locked(*branch.cond)) {
            if_stmt(branch, [&](const ast::Stmt &part) {
                if (touches_locked(part))
                    locked_stmt(part, false);
                else
                    stmt(part);
            });
            charge_rest(s);
            return;
        }
    }
    if (is_report({&s})) return report({&s});
    take_locks();
    stmt(s);
    if (!tail) drop_locks();
}

// ---------------------------------------------------------------- statements

void BodyLowerer::branch_body(const ast::Stmt &s) {
    charge_lead(s);
    stmt(s);
}

void BodyLowerer::if_stmt(const ast::If &s, const std::function<void(const ast::Stmt &)> &branch) {
    int other = new_label();
    branch_false(*s.cond, other);
    charge_lead(*s.then_stmt);
    branch(*s.then_stmt);
    if (!s.else_stmt) {
        label(other);
        return;
    }
    int end = new_label();
    jump(end);
    label(other);
    charge_lead(*s.else_stmt);
    branch(*s.else_stmt);
    label(end);
}

void BodyLowerer::loop(const ast::Stmt *body, const ast::Expr *init, const ast::Expr *cond, const ast::Expr *step,
                       const SourceRef &at) {
    int top = new_label(), next = new_label(), end = new_label();
    if (init) effect(*init);
    work_ends();
    label(top);
    const int64_t turn = (cond ? work_of(*cond) : 0) + (step ? work_of(*step) : 0);
    work_begins(turn, kUnitWork);
    if (cond) branch_false(*cond, end);
    int64_t units = (step ? 1 : 0) + call_cost(cond) + call_cost(step);
    add_lead(*body, units);
    charge(std::max<int64_t>(1, units), at);
    loops_.push_back({next, end});
    stmt(*body);
    loops_.pop_back();
    label(next);
    long_work_ = turn > kLongWork;
    if (step) effect(*step);
    work_ends();
    long_work_ = false;
    jump(top);
    label(end);
}

void BodyLowerer::try_stmt(const ast::Try &s) {
    int caught = new_label(), end = new_label();
    catches_.push_back(caught);
    charge_lead(*s.body);
    stmt(*s.body);
    catches_.pop_back();
    jump(end);
    label(caught);
    const ast::Variable *v = s.error ? s.error->variable : nullptr;
    bool global = v && v->scope == ast::Variable::Scope::Global;
    Value message = global ? take_buffer() : v ? places_.at(v) : Value{};
    emit(Op::Catch, message).target = error_target() >= 0 ? error_target() : exit_target();
    if (global) {
        store_string(*v, message);
        release(Operand{message, {message}, {}});
    }
    branch_body(*s.handler);
    label(end);
}

void BodyLowerer::return_stmt(const ast::Return &s) {
    spare(call_cost(s.value.get()), s.at);
    if (s.value && result_type_ == ast::Type::Long)
        move(result_, evaluate(*s.value));
    else if (s.value && result_type_ == ast::Type::String)
        lower_string_into(*s.value, result_);
    else if (s.value)
        effect(*s.value);
    work_ends();
    jump(exit_target());
}

void BodyLowerer::stmt(const ast::Stmt &s) {
    work_begins(s);
    stmt_itself(s);
    work_ends();
    long_work_ = false;
    look_at_strings(s);
    charge_rest(s);
}

void BodyLowerer::stmt_itself(const ast::Stmt &s) {
    switch (s.kind) {
        case ast::StmtKind::Null:
            break;
        case ast::StmtKind::Block:
            note_rest(static_cast<const ast::Block &>(s).body);
            for (const ast::StmtPtr &child : static_cast<const ast::Block &>(s).body)
                if (child) stmt(*child);
            break;
        case ast::StmtKind::Expr:
            expr_stmt(static_cast<const ast::ExprStmt &>(s));
            break;
        case ast::StmtKind::EmbeddedC:
            emit(Op::EmbeddedStmt).index = m_.snippet(static_cast<const ast::EmbeddedCStmt &>(s), ast::Type::Void);
            failing(body_.code.back(), s.at);
            break;
        case ast::StmtKind::If:
            if_stmt(static_cast<const ast::If &>(s), [&](const ast::Stmt &part) { stmt(part); });
            break;
        case ast::StmtKind::For: {
            auto &f = static_cast<const ast::For &>(s);
            loop(f.body.get(), f.init.get(), f.cond.get(), f.step.get(), s.at);
            break;
        }
        case ast::StmtKind::While: {
            auto &w = static_cast<const ast::While &>(s);
            loop(w.body.get(), nullptr, w.cond.get(), nullptr, s.at);
            break;
        }
        case ast::StmtKind::Foreach:
            foreach (static_cast<const ast::Foreach &>(s))
                ;
            break;
        case ast::StmtKind::Return:
            return_stmt(static_cast<const ast::Return &>(s));
            break;
        case ast::StmtKind::Delete:
            erase(*static_cast<const ast::Delete &>(s).target);
            break;
        case ast::StmtKind::Next:
            if (kind_ == Kind::Function) emit(Op::SetNext);
            jump(exit_target());
            break;
        case ast::StmtKind::Break:
            jump(loops_.back().end);
            break;
        case ast::StmtKind::Continue:
            jump(loops_.back().next);
            break;
        case ast::StmtKind::Try:
            try_stmt(static_cast<const ast::Try &>(s));
            break;
    }
}

// ---------------------------------------------------------------- whole bodies

void BodyLowerer::finish() {
    if (locked_) exit_target();
    if (locked_exit_ >= 0) {
        if (!locked_) jump(exit_);
        label(locked_exit_);
        drop_locks();
    }
    for (const Report &r : reports_) {
        if (r.early >= 0) {
            jump(exit_);
            label(r.early);
            emit(Op::LocksDrop);
            emit(Op::SnapshotsDrop, {}, r.flag).index = r.set;
        }
        if (r.exit < 0) continue;
        jump(exit_);
        label(r.exit);
        emit(Op::SnapshotsDrop, {}, r.flag).index = r.set;
        emit(Op::JumpIf, {}, r.flag).target = exit_;
        emit(Op::LocksDrop);
    }
    label(exit_);
    clean_up(body_);
}

void BodyLowerer::handler(const resolve::Handler &handler, bool budgeted) {
    root_ = handler.body.get();
    budgeted_ = budgeted;
    const HandlerLocking &locking = m_.locking.handlers.at(&handler);
    if (!locking.session) locking_ = &locking;
    find_borrowed();
    find_lent();
    for (const auto &local : handler.locals)
        declare(*local);
    if (handler.saved) {
        for (const auto &variable : *handler.saved)
            saved_.emplace(variable.get(), static_cast<int>(saved_.size()));
    }
    first_temp_ = body_.registers;
    // Also for a handler that counts nothing itself, when it shares its functions with one that does.
    if (!m_.budgeted.empty() && m_.effects.of(*handler.body).cost.spare) emit(Op::SpareBegin);
    charge_lead(*handler.body);
    if (locking_ && !locking_->locked.empty())
        sequence(handler.body->body, true);
    else
        stmt(*handler.body);
    finish();
    if (locking_) check_conditions(handler);
}

// Comes last, however the handler ended.
void BodyLowerer::check_conditions(const resolve::Handler &handler) {
    std::set<int> affected;
    for (const auto &[v, t] : m_.effects.of(*handler.body).globals) {
        auto on = m_.condition_on.find(v);
        if ((t.how & kTouchWrites) && on != m_.condition_on.end())
            affected.insert(on->second.begin(), on->second.end());
    }
    for (int condition : affected)
        emit(Op::CheckCondition).index = condition;
}

void BodyLowerer::function(const ast::Function &function, Function &out, bool budgeted) {
    root_ = function.body.get();
    budgeted_ = budgeted;
    result_type_ = function.type;
    if (function.type == ast::Type::Long) {
        result_ = out.result_register = new_register();
        body_.initial_registers.push_back(static_cast<int>(result_.n));
    } else if (function.type == ast::Type::String) {
        result_ = {ValueKind::Result, 0};
    }
    Effects effects = m_.effects.of(*function.body);
    for (const ast::Param &param : function.params) {
        const ast::Variable &v = *param.variable;
        Value place = v.type == ast::Type::String ? new_pointer() : new_register();
        out.params.push_back({v.name, place});
        places_[&v] = place;
        if (v.type != ast::Type::String) {
            body_.register_names[static_cast<int>(place.n)] = v.name;
        } else if (effects.locals_written.count(&v)) {
            places_.erase(&v);
            declare(v);
            emit(Op::Copy, places_.at(&v), place);
        }
    }
    find_borrowed();
    find_lent();
    for (const auto &local : function.locals)
        declare(*local);
    first_temp_ = body_.registers;
    if (result_.kind == ValueKind::Result) emit(Op::Copy, result_, m_.literal(""));
    const FunctionFacts &facts = m_.effects.function(&function);
    sparing_ = budgeted;
    budgeted_ = budgeted && facts.effects.cost.loops;
    if (facts.recursive && !facts.effects.cost.loops) spare(facts.effects.cost.units, function.body->at);
    charge_lead(*function.body);
    stmt(*function.body);
    finish();
}

Value BodyLowerer::condition(const ast::Expr &expr) {
    Value r = evaluate(expr);
    label(exit_);
    clean_up(body_);
    return r;
}

}  // namespace tapir::ir
