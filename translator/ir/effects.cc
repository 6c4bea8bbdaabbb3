// SPDX-License-Identifier: GPL-2.0-or-later
#include "ir/effects.h"

#include <algorithm>

#include "ast/walk.h"
#include "ir/call_order.h"

namespace tapir::ir {

const ast::Variable *base_variable(const ast::Expr &expr) {
    switch (expr.kind) {
        case ast::ExprKind::VarRef:
            return static_cast<const ast::VarRef &>(expr).variable;
        case ast::ExprKind::Index:
            return base_variable(*static_cast<const ast::Index &>(expr).base);
        case ast::ExprKind::Hist:
            return base_variable(*static_cast<const ast::Hist &>(expr).stat);
        default:
            return nullptr;
    }
}

static bool is_empty(const ast::Stmt *s) {
    if (!s || s->kind == ast::StmtKind::Null) return true;
    if (s->kind != ast::StmtKind::Block) return false;
    const auto &body = static_cast<const ast::Block &>(*s).body;
    return std::all_of(body.begin(), body.end(), [](const ast::StmtPtr &child) { return is_empty(child.get()); });
}

int statement_cost(const ast::Stmt &s) {
    switch (s.kind) {
        case ast::StmtKind::Null:
        case ast::StmtKind::Block:
        case ast::StmtKind::Try:
            return 0;
        case ast::StmtKind::If: {
            auto &branch = static_cast<const ast::If &>(s);
            return is_empty(branch.then_stmt.get()) && is_empty(branch.else_stmt.get()) ? 0 : 1;
        }
        case ast::StmtKind::For:
            return static_cast<const ast::For &>(s).init ? 2 : 1;
        default:
            return 1;
    }
}

namespace {

bool is_global(const ast::Variable *v) {
    return v && v->scope == ast::Variable::Scope::Global;
}

// Output functions in C are called tapir_print..., STAP_PRINTF, _stp_print...
bool may_print(const std::string &code) {
    return code.find("print") != std::string::npos || code.find("PRINT") != std::string::npos;
}

// Sums up one body. Calls are merged from the callee's facts so far.
// Events go into rings.
bool is_output(const ast::Print &print) {
    return !print.to_string && !print.is_recall();
}

class Summarizer {
  public:
    using Lookup = const FunctionFacts *(*)(const void *, const ast::Function *);
    // `recursive`: the body is of a recursive function, which counts one call of itself only.
    Summarizer(const void *owner, Lookup lookup, bool recursive = false)
        : owner_(owner), lookup_(lookup), recursive_(recursive) {}

    void stmt(const ast::Stmt &s);
    void expr(const ast::Expr &e, bool used);
    Effects take() { return std::move(effects_); }

  private:
    void touch(const ast::Variable *v, uint32_t how, int operations = 1) {
        if (!v) return;
        if (!is_global(v)) {
            if (how & kTouchWrites) effects_.locals_written.insert(v);
            return;
        }
        Touched &t = effects_.globals[v];
        t.how |= how;
        t.operations = std::min(2, t.operations + operations);
    }
    void cost(int64_t statements, int64_t units) {
        effects_.cost.statements = std::min(effects_.cost.statements + statements, kMostStatements);
        effects_.cost.units = std::min(effects_.cost.units + units, kMostStatements);
    }
    void alternatives(const ast::Stmt *a, const ast::Stmt *b);
    void repeated(const ast::Stmt &body, const ast::Expr *cond, const ast::Expr *step);
    void lvalue_keys(const ast::Expr &target) {
        if (target.kind == ast::ExprKind::Index)
            for (const ast::ExprPtr &key : static_cast<const ast::Index &>(target).keys)
                if (key) expr(*key, true);
    }
    void assign(const ast::Assign &e, bool used);
    void call(const ast::Call &e);
    void children(const ast::Expr &e) {
        ast::each_child(e, [&](const ast::Expr &child) { expr(child, true); });
    }
    // Statements and expressions of C, as often as they like.
    template <class Embedded>
    void embedded(const Embedded &c) {
        effects_.prints |= may_print(c.code);
        for (const ast::Variable *v : c.reads) {
            touch(v, TouchLoad, 2);
            effects_.globals[v].in_function = true;
        }
        for (const ast::Variable *v : c.writes) {
            touch(v, TouchStore | TouchModify | TouchLoad, 2);
            effects_.globals[v].in_function = true;
        }
    }
    void loop_effects(Effects inner);

    const void *owner_;
    Lookup lookup_;
    bool recursive_;
    Effects effects_;
};

void merge_touches(Touches &into, const Touches &from, bool alternative) {
    for (const auto &[v, t] : from) {
        Touched &o = into[v];
        o.how |= t.how;
        o.operations = std::min(2, alternative ? std::max(o.operations, t.operations) : o.operations + t.operations);
        o.in_function |= t.in_function;
    }
}

void merge_rest(Effects &into, const Effects &from) {
    into.locals_written.insert(from.locals_written.begin(), from.locals_written.end());
    into.callees.insert(from.callees.begin(), from.callees.end());
    into.cost.unbounded |= from.cost.unbounded;
    into.cost.loops |= from.cost.loops;
    into.cost.spare |= from.cost.spare;
    into.prints |= from.prints;
    into.clock |= from.clock;
}

uint32_t compound_touch(ast::AssignOp op, bool used) {
    uint32_t how;
    switch (op) {
        case ast::AssignOp::Set:
            return TouchStore;
        case ast::AssignOp::Sample:
            return TouchSample;
        case ast::AssignOp::Add:
        case ast::AssignOp::Sub:
            how = TouchAdd;
            break;
        case ast::AssignOp::Or:
            how = TouchOr;
            break;
        case ast::AssignOp::And:
            how = TouchAnd;
            break;
        case ast::AssignOp::Xor:
            how = TouchXor;
            break;
        default:
            return TouchModify | TouchLoad;
    }
    return used ? TouchAtomic | TouchLoad : how;
}

void Summarizer::assign(const ast::Assign &e, bool used) {
    lvalue_keys(*e.target);
    expr(*e.value, true);
    uint32_t how = compound_touch(e.op, used);
    bool element = e.target->kind == ast::ExprKind::Index;
    if (element && how == TouchStore) how = TouchElement;
    // Only sums have an operation of their own on elements.
    bool sum = e.op == ast::AssignOp::Add || e.op == ast::AssignOp::Sub;
    if (element && (how & (kTouchCommutative | TouchAtomic)) && !sum) how = TouchModify | TouchLoad;
    touch(base_variable(*e.target), how, how & TouchModify ? 2 : 1);
}

void Summarizer::call(const ast::Call &e) {
    for (const ast::ExprPtr &arg : e.args)
        if (arg) expr(*arg, true);
    for (const ast::Function *f : e.candidates) {
        effects_.callees.insert(f);
        const FunctionFacts *facts = lookup_(owner_, f);
        if (!facts) continue;
        Touches touches = facts->effects.globals;
        for (auto &entry : touches)
            entry.second.in_function = true;
        merge_touches(effects_.globals, touches, false);
        if (!recursive_ || !facts->recursive) cost(facts->effects.cost.statements, facts->effects.cost.units);
        effects_.cost.unbounded |= facts->effects.cost.unbounded;
        effects_.cost.loops |= facts->effects.cost.loops;
        effects_.cost.spare |= facts->effects.cost.spare;
        effects_.prints |= facts->effects.prints;
        effects_.clock |= facts->effects.clock;
    }
}

void Summarizer::expr(const ast::Expr &e, bool used) {
    switch (e.kind) {
        case ast::ExprKind::VarRef:
            touch(static_cast<const ast::VarRef &>(e).variable, TouchLoad);
            break;
        case ast::ExprKind::Index: {
            auto &index = static_cast<const ast::Index &>(e);
            lvalue_keys(e);
            if (index.base->kind == ast::ExprKind::Hist)
                expr(*index.base, true);
            else
                touch(base_variable(e), TouchLoad);
            break;
        }
        case ast::ExprKind::In: {
            auto &in = static_cast<const ast::In &>(e);
            for (const ast::ExprPtr &key : in.keys)
                if (key) expr(*key, true);
            touch(base_variable(*in.array), in.array->kind == ast::ExprKind::Hist ? TouchStat : TouchMember);
            break;
        }
        case ast::ExprKind::IncDec: {
            auto &inc = static_cast<const ast::IncDec &>(e);
            lvalue_keys(*inc.target);
            touch(base_variable(*inc.target), used ? TouchAtomic | TouchLoad : TouchAdd);
            break;
        }
        case ast::ExprKind::Assign:
            assign(static_cast<const ast::Assign &>(e), used);
            break;
        case ast::ExprKind::StatOp: {
            auto &op = static_cast<const ast::StatOp &>(e);
            lvalue_keys(*op.stat);
            for (const ast::ExprPtr *number : {&op.part, &op.whole})
                if (*number) expr(**number, true);
            touch(base_variable(*op.stat), TouchStat);
            break;
        }
        case ast::ExprKind::Hist:
            lvalue_keys(*static_cast<const ast::Hist &>(e).stat);
            touch(base_variable(e), TouchStat);
            break;
        case ast::ExprKind::Call:
            call(static_cast<const ast::Call &>(e));
            break;
        case ast::ExprKind::EmbeddedC:
            embedded(static_cast<const ast::EmbeddedCExpr &>(e));
            break;
        case ast::ExprKind::Print:
            effects_.prints |= is_output(static_cast<const ast::Print &>(e));
            children(e);
            break;
        default:
            children(e);
    }
}

void Summarizer::alternatives(const ast::Stmt *a, const ast::Stmt *b) {
    Effects before = std::move(effects_);
    effects_ = {};
    if (a) stmt(*a);
    Effects first = std::move(effects_);
    effects_ = {};
    if (b) stmt(*b);
    Effects second = std::move(effects_);
    merge_touches(first.globals, second.globals, true);
    first.cost.statements = std::max(first.cost.statements, second.cost.statements);
    first.cost.units = std::max(first.cost.units, second.cost.units);
    merge_rest(first, second);
    effects_ = std::move(before);
    merge_touches(effects_.globals, first.globals, false);
    cost(first.cost.statements, first.cost.units);
    merge_rest(effects_, first);
}

void Summarizer::repeated(const ast::Stmt &body, const ast::Expr *cond, const ast::Expr *step) {
    Effects before = std::move(effects_);
    effects_ = {};
    if (cond) expr(*cond, true);
    stmt(body);
    if (step) expr(*step, false);
    Effects inner = std::move(effects_);
    for (auto &entry : inner.globals)
        entry.second.operations = 2;
    effects_ = std::move(before);
    merge_touches(effects_.globals, inner.globals, false);
    cost(inner.cost.statements, inner.cost.units);
    merge_rest(effects_, inner);
    effects_.cost.unbounded = effects_.cost.loops = true;
}

void Summarizer::stmt(const ast::Stmt &s) {
    cost(statement_cost(s), statement_cost(s));
    switch (s.kind) {
        case ast::StmtKind::EmbeddedC:
            embedded(static_cast<const ast::EmbeddedCStmt &>(s));
            break;
        case ast::StmtKind::Null:
        case ast::StmtKind::Next:
        case ast::StmtKind::Break:
        case ast::StmtKind::Continue:
            break;
        case ast::StmtKind::Block:
            ast::each_child(
                s, [](const ast::Expr &) {}, [&](const ast::Stmt &child) { stmt(child); });
            break;
        case ast::StmtKind::Expr:
            expr(*static_cast<const ast::ExprStmt &>(s).expr, false);
            break;
        case ast::StmtKind::If: {
            auto &branch = static_cast<const ast::If &>(s);
            expr(*branch.cond, true);
            alternatives(branch.then_stmt.get(), branch.else_stmt.get());
            break;
        }
        case ast::StmtKind::For: {
            auto &loop = static_cast<const ast::For &>(s);
            if (loop.init) expr(*loop.init, false);
            repeated(*loop.body, loop.cond.get(), loop.step.get());
            break;
        }
        case ast::StmtKind::While:
            repeated(*static_cast<const ast::While &>(s).body, static_cast<const ast::While &>(s).cond.get(), nullptr);
            break;
        case ast::StmtKind::Foreach: {
            auto &loop = static_cast<const ast::Foreach &>(s);
            for (const ast::ExprPtr &key : loop.slice)
                if (key) expr(*key, true);
            if (loop.limit) expr(*loop.limit, true);
            bool hist = loop.array->kind == ast::ExprKind::Hist;
            bool sorted = loop.sort != ast::Foreach::Sort::None;
            touch(base_variable(*loop.array),
                  hist     ? uint32_t{TouchStat}
                  : sorted ? TouchIterate | TouchSort
                           : uint32_t{TouchIterate},
                  2);
            for (const auto &key : loop.keys)
                touch(key->variable, TouchStore, 2);
            if (loop.value) touch(loop.value->variable, TouchStore, 2);
            repeated(*loop.body, nullptr, nullptr);
            break;
        }
        case ast::StmtKind::Return: {
            const int64_t units = effects_.cost.units;
            if (static_cast<const ast::Return &>(s).value) expr(*static_cast<const ast::Return &>(s).value, true);
            effects_.cost.spare |= effects_.cost.units != units;
            effects_.cost.units = units;
            break;
        }
        case ast::StmtKind::Delete: {
            auto &target = *static_cast<const ast::Delete &>(s).target;
            lvalue_keys(target);
            const ast::Variable *v = base_variable(target);
            bool scalar = v && v->key_types.empty() && v->type != ast::Type::Stat;
            touch(v, scalar ? TouchStore : TouchDelete);
            break;
        }
        case ast::StmtKind::Try: {
            auto &t = static_cast<const ast::Try &>(s);
            stmt(*t.body);
            if (t.error) touch(t.error->variable, TouchStore);
            stmt(*t.handler);
            break;
        }
    }
}

// Does the C text contain `word` as a whole identifier?
bool names(const std::string &text, std::string_view word) {
    auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        bool left = at == 0 || !part(text[at - 1]);
        bool right = at + word.size() >= text.size() || !part(text[at + word.size()]);
        if (left && right) return true;
    }
    return false;
}

FunctionFacts embedded_facts(const ast::Function &f, const resolve::Program &program) {
    FunctionFacts facts;
    const std::string &text = *f.embedded_c;
    // A user's own C may have words of its own for these.
    const Origin origin = f.at.file->origin();
    facts.can_fail = origin == Origin::UserScript || origin == Origin::CommandLine;
    for (const char *word : {"STAP_ERROR",
                             "CONTEXT",
                             "c",
                             "kread",
                             "uread",
                             "kwrite",
                             "uwrite",
                             "kderef",
                             "uderef",
                             "deref",
                             "store_kderef",
                             "store_uderef",
                             "store_deref",
                             "kderef_buffer",
                             "uderef_buffer",
                             "kderef_string",
                             "uderef_string",
                             "deref_string",
                             "store_kderef_string",
                             "store_uderef_string",
                             "store_deref_string"})
        facts.can_fail |= names(text, word);
    facts.has_next = names(text, "STAP_NEXT");
    facts.output = !f.pragmas.pure;
    facts.effects.prints = facts.output && may_print(text);
    facts.effects.clock = text.find("tapir_port_gettimeofday") != std::string::npos;
    facts.effects.cost.statements = 0;
    auto touch = [&](const std::string &name, uint32_t how) {
        for (const ast::Variable *v : program.globals)
            if (v->name == name) {
                Touched &t = facts.effects.globals[v];
                t.how |= how;
                t.operations = 2;
                t.in_function = true;
            }
    };
    for (const std::string &name : f.pragmas.reads)
        touch(name, TouchLoad);
    for (const std::string &name : f.pragmas.writes)
        touch(name, TouchStore | TouchModify | TouchLoad);
    return facts;
}

}  // namespace

namespace {
const FunctionFacts *look_up(const void *map, const ast::Function *f) {
    auto &functions = *static_cast<const std::map<const ast::Function *, FunctionFacts> *>(map);
    auto found = functions.find(f);
    return found == functions.end() ? nullptr : &found->second;
}
}  // namespace

ProgramEffects::ProgramEffects(const resolve::Program &program, bool long_strings) : long_strings_(long_strings) {
    for (const ast::Function *f : program.functions) {
        if (f->embedded_c) {
            functions_[f] = embedded_facts(*f, program);
            continue;
        }
        FunctionFacts &facts = functions_[f];
        ast::each_stmt(static_cast<const ast::Stmt &>(*f->body), [&](const ast::Stmt &s) {
            facts.has_next |= s.kind == ast::StmtKind::Next;
            facts.output |= s.kind == ast::StmtKind::EmbeddedC;
        });
        ast::each_expr(static_cast<const ast::Stmt &>(*f->body), [&](const ast::Expr &e) {
            facts.output |= e.kind == ast::ExprKind::EmbeddedC ||
                            (e.kind == ast::ExprKind::Print && is_output(static_cast<const ast::Print &>(e)));
        });
    }
    // Direct calls first: recursion is a cycle among them.
    std::map<const ast::Function *, size_t> numbers;
    for (const ast::Function *f : program.functions)
        numbers.emplace(f, numbers.size());
    std::vector<std::vector<size_t>> calls(program.functions.size());
    for (size_t i = 0; i < calls.size(); i++) {
        const ast::Function *f = program.functions[i];
        if (f->embedded_c) continue;
        for (const ast::Function *callee : of(*f->body).callees)
            calls[i].push_back(numbers.at(callee));
    }
    for (const std::vector<size_t> &group : call_order(calls)) {
        const size_t first = group[0];
        const bool cycle = group.size() > 1 || std::count(calls[first].begin(), calls[first].end(), first);
        recursive_ |= cycle;
        for (size_t i : group)
            functions_[program.functions[i]].recursive = cycle;
        // Repeats until the effects no longer change. Costs in cycles would grow for ever, so one call is counted
        // there.
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t i : group)
                if (!program.functions[i]->embedded_c) changed |= sum_up(*program.functions[i]);
            changed &= cycle;
        }
    }
}

bool ProgramEffects::sum_up(const ast::Function &f) {
    FunctionFacts &facts = functions_[&f];
    Summarizer body(&functions_, look_up, facts.recursive);
    body.stmt(*f.body);
    Effects now = body.take();
    if (facts.recursive) {
        now.cost.unbounded = now.cost.spare = true;
        for (auto &entry : now.globals)
            entry.second.operations = 2;
    }
    int depth = 1;
    const bool fails = facts.can_fail || facts.recursive || can_fail(*f.body);
    bool output = facts.output;
    for (const ast::Function *callee : now.callees) {
        const FunctionFacts &other = functions_.at(callee);
        output |= other.output;
        if (!facts.recursive || !other.recursive) depth = std::max(depth, other.depth + 1);
    }
    bool changed = fails != facts.can_fail || output != facts.output || depth != facts.depth ||
                   now.cost.statements != facts.effects.cost.statements ||
                   now.cost.unbounded != facts.effects.cost.unbounded || now.cost.units != facts.effects.cost.units ||
                   now.cost.loops != facts.effects.cost.loops || now.cost.spare != facts.effects.cost.spare ||
                   now.prints != facts.effects.prints || now.clock != facts.effects.clock ||
                   now.globals.size() != facts.effects.globals.size();
    for (const auto &[v, t] : now.globals) {
        auto old = facts.effects.globals.find(v);
        changed |=
            old == facts.effects.globals.end() || old->second.how != t.how || old->second.operations != t.operations;
    }
    facts.effects = std::move(now);
    facts.can_fail = fails;
    facts.output = output;
    facts.depth = depth;
    return changed;
}

Effects ProgramEffects::of(const ast::Stmt &stmt) const {
    Summarizer s(&functions_, look_up);
    s.stmt(stmt);
    return s.take();
}

Effects ProgramEffects::of(const ast::Expr &expr, bool result_used) const {
    Summarizer s(&functions_, look_up);
    s.expr(expr, result_used);
    return s.take();
}

bool ProgramEffects::writes(const ast::Expr &expr, const ast::Variable *v) const {
    Effects e = of(expr, true);
    if (!is_global(v)) return e.locals_written.count(v) != 0;
    auto found = e.globals.find(v);
    return found != e.globals.end() && (found->second.how & kTouchWrites);
}

bool ProgramEffects::mentions(const ast::Expr &expr, const ast::Variable *v) const {
    bool found = false;
    ast::each_expr(expr, [&](const ast::Expr &e) {
        if (e.kind == ast::ExprKind::VarRef) found |= static_cast<const ast::VarRef &>(e).variable == v;
        if (e.kind == ast::ExprKind::Call && is_global(v))
            for (const ast::Function *f : static_cast<const ast::Call &>(e).candidates)
                found |= functions_.at(f).effects.globals.count(v) != 0;
    });
    return found;
}

}  // namespace tapir::ir
