// SPDX-License-Identifier: GPL-2.0-or-later
// The lowering of one body; private to ir/. Split over lower_expr.cc (numbers), lower_string.cc, lower_assign.cc,
// lower_print.cc, lower_stat.cc, lower_stmt.cc and lower_foreach.cc; lower_module.cc drives it.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ir/effects.h"
#include "ir/ir.h"
#include "ir/locking.h"
#include "ir/lower.h"

namespace tapir::ir {

// State that all bodies share: the module being made and the numbering of its tables.
struct ModuleLowering {
    ModuleLowering(const resolve::Program &p, const LowerOptions &o, Diagnostics &d)
        : program(p),
          options(o),
          diagnostics(d),
          effects(p, has_long_strings(o)),
          locking(plan_locking(p, effects, o.concurrent)) {}

    Value literal(const std::string &text);  // cut as any string is
    Value bytes(const std::string &text);    // whole
    int site(const SourceRef &at);
    int format(const Format &format);
    uint8_t ring(const Ring &ring, const ast::Expr &user);
    // An index into the module's snippets, of a statement or an expression of C.
    template <class Embedded>
    int snippet(const Embedded &c, ast::Type type) {
        std::set<int> globals;
        for (const auto *named : {&c.reads, &c.writes})
            for (const ast::Variable *v : *named)
                globals.insert(global(v));
        return add({c.code, type, c.at, false, {globals.begin(), globals.end()}});
    }
    int add(Snippet snippet);
    int regex(const ast::Regex &expr);
    int address(const ast::SymbolAddress &expr);
    // They are longer than what is reckoned for strings in general.
    static bool has_long_strings(const LowerOptions &o);
    int program_index(const std::string &path);
    int global(const ast::Variable *v) const { return global_index.at(v); }
    int function(const ast::Function *f) const { return function_index.at(f); }
    // True if the called function's C can raise an error of its own, or exceed a limit.
    bool may_fail(const ast::Function *f) const;
    void unsupported(const ast::Expr &expr, const char *what);

    const resolve::Program &program;
    const LowerOptions &options;
    Diagnostics &diagnostics;
    ProgramEffects effects;
    Locking locking;
    Module module;
    std::map<const ast::Variable *, int> global_index;
    std::map<const ast::Function *, int> function_index;
    std::set<const ast::Function *> budgeted;  // functions that count actions
    // True if all loops use the array in one order. Then no code can tell whether a loop has sorted it.
    bool has_one_order(const ast::Variable *v);
    int snapshots(const std::vector<Snapshot> &set);
    std::map<const resolve::Handler *, int> conditions;  // of probes that have one: index into Module::conditions
    std::map<const ast::Variable *, std::set<int>> condition_on;  // conditions that read a global

  private:
    int intern(std::map<std::string, int> &index, std::vector<std::string> &table, const std::string &text);
    std::map<std::string, int> literal_index_, site_index_, regex_index_, format_index_;
    std::map<const ast::Variable *, std::set<std::array<int, 3>>> orders_;  // how its loops sort
    bool orders_known_ = false;
};

// A value with what it depends on until it is used: temporaries to give back, and variables it still refers to.
struct Operand {
    Value value;
    std::vector<Value> owned;
    std::vector<const ast::Variable *> refs;
};

class BodyLowerer {
  public:
    enum class Kind { Handler, Function, Condition };
    BodyLowerer(ModuleLowering &module, Body &body, Kind kind) : m_(module), body_(body), kind_(kind) {
        exit_ = new_label();
    }

    void handler(const resolve::Handler &handler, bool budgeted);
    void function(const ast::Function &function, Function &out, bool budgeted);
    Value condition(const ast::Expr &expr);

    const std::set<int> &callees() const { return callees_; }

  private:
    // --- instructions
    Inst &emit(Op op);
    Inst &emit(Op op, Value dst, Value a = {}, Value b = {});
    Inst &failing(Inst &inst, const SourceRef &at);  // gives it its site and error edge
    void label(int n);
    void jump(int n);
    int new_label() { return body_.labels++; }
    Value new_register() { return {ValueKind::Reg, body_.registers++}; }
    Value new_pointer() { return {ValueKind::Pointer, body_.pointers++}; }
    Value number(int64_t n) const { return {ValueKind::Int, n}; }
    void move(Value dst, Value src);
    int error_target() const;
    int exit_target();

    // --- temporaries of the frame
    Value take_buffer();
    Value take_sum();
    void release(const Operand &o);
    void release(const std::vector<Operand> &list);
    static void absorb(Operand &into, const Operand &from);

    // --- operands
    Operand lower(const ast::Expr &e);  // by its type
    void effect(const ast::Expr &e);    // result unused
    // Makes `o` immune to what the expressions evaluated after it do.
    void protect(Operand &o, const std::vector<const ast::Expr *> &later);
    std::vector<Operand> lower_all(const std::vector<const ast::Expr *> &list,
                                   const std::vector<const ast::Expr *> &later = {});
    static std::vector<const ast::Expr *> pointers(const std::vector<ast::ExprPtr> &list);
    static std::vector<Value> values(const std::vector<Operand> &list);

    // --- numbers
    Operand lower_long(const ast::Expr &e);
    Operand lower_number(const ast::Expr &e);
    Operand read_element(const ast::Index &e);
    Operand value_at(int iterator, const ast::Variable &array);
    Value evaluate(const ast::Expr &e);  // a number, to be used before the next evaluation
    void branch_false(const ast::Expr &e, int target);
    void branch_true(const ast::Expr &e, int target);
    Operand lower_binary(const ast::Binary &e);
    void check_divisor(Value divisor, const SourceRef &at);  // not a constant other than 0
    Value binary(ast::BinaryOp op, Value a, Value b, const SourceRef &at);
    Operand lower_logical(const ast::Expr &e);
    Operand lower_compare(const ast::Compare &e);
    Operand lower_regex(const ast::Regex &e);
    Operand lower_ternary(const ast::Ternary &e);
    Operand lower_membership(const ast::In &e);
    Operand variable_value(const ast::Variable &v);
    Operand call(const ast::Call &e, Value want);

    // --- what was hit, and memory: lower_hit.cc
    Operand lower_register(const ast::Register &e);
    Operand lower_deref(const ast::Deref &e);
    Operand lower_symbol(const ast::SymbolAddress &e);
    Operand lower_program_address(const ast::ProgramAddress &e);
    Operand read_saved(const ast::Variable &v);
    void write_saved(const ast::Variable &v, const Operand &value);
    // Assigns to a register or to memory.
    Operand assign_hit(const ast::Assign &e);

    // --- strings
    Operand lower_string(const ast::Expr &e, Value want = {});
    Operand lower_text(const ast::Expr &e, Value want);
    Operand concat(const ast::Expr &e, Value want);
    Operand string_ternary(const ast::Ternary &e, Value want);
    void copy_string(Value dst, Value src);
    void lower_string_into(const ast::Expr &e, Value dst);

    // --- assignment
    Operand assign(const ast::Assign &e, bool used);
    Operand assign_string(const ast::Assign &e, bool used);
    Operand assign_element(const ast::Assign &e, const ast::Index &target, bool used);
    Operand increment(const ast::IncDec &e, bool used);
    Operand update(const ast::Expr &target, ast::BinaryOp op, Operand value, std::vector<Operand> keys, bool old,
                   bool used, const SourceRef &at);
    void sample(const ast::Assign &e);
    Access access_of(const ast::Variable *v) const;
    void store_number(const ast::Variable &v, Value value);
    void store_string(const ast::Variable &v, Value value);
    void erase(const ast::Expr &target);
    bool may_write_directly(const ast::Expr &value, const ast::Variable &v) const;

    // --- statistics
    Operand lower_stat(const ast::StatOp &e);
    Operand lower_percentile(const ast::StatOp &e);
    Operand lower_bucket(const ast::Index &e);
    Operand read_stat(const ast::Expr &stat, const ast::HistShape *shape = nullptr);
    Value merged_before(int global, int iterator, const std::vector<Value> &keys, int histogram) const;

    // --- printing
    void print(const ast::Print &e);
    void event(const ast::Print &e);
    Operand sprint(const ast::Print &e, Value want);
    Operand sprint_histogram(const ast::Print &e, Value want);
    void print_histogram(const ast::Hist &hist, Value sum, bool is_row);
    Format print_format(const ast::Print &e, std::vector<const ast::Expr *> &args);

    // --- statements
    void stmt(const ast::Stmt &s);
    void stmt_itself(const ast::Stmt &s);
    void sequence(const std::vector<ast::StmtPtr> &list, bool tail);
    void locked_stmt(const ast::Stmt &s, bool tail);
    std::pair<size_t, size_t> locked_part(const std::vector<ast::StmtPtr> &list) const;
    bool touches_locked(const ast::Stmt &s) const;
    bool touches_locked(const ast::Expr &e) const;
    bool report_loop(const ast::Foreach &s, const std::set<const ast::Variable *> &gone);
    bool looks_at_own_element_only(const ast::Foreach &s) const;
    int own_element(const ast::Index &e) const;
    bool is_report(const std::vector<const ast::Stmt *> &list);
    void report(const std::vector<const ast::Stmt *> &list);
    void check_conditions(const resolve::Handler &handler);
    void take_locks();
    void drop_locks();
    void if_stmt(const ast::If &s, const std::function<void(const ast::Stmt &)> &branch);
    void loop(const ast::Stmt *body, const ast::Expr *init, const ast::Expr *cond, const ast::Expr *step,
              const SourceRef &at);
    void try_stmt(const ast::Try &s);
    void return_stmt(const ast::Return &s);
    void branch_body(const ast::Stmt &s);
    void declare(const ast::Variable &v);
    void find_borrowed();
    static bool lends(const ast::Call &e);
    static bool stays(const ast::Expr &e);
    void find_lent();
    void finish();

    // --- the action budget: lower_charge.cc
    void charge(int64_t units, const SourceRef &at);
    int64_t call_cost(const ast::Expr *e) const;
    int64_t call_cost(const ast::Stmt &s) const;
    int64_t own_cost(const ast::Stmt &s) const;
    bool may_leave(const ast::Stmt &s) const;
    bool add_lead(const ast::Stmt &s, int64_t &units) const;
    void charge_lead(const ast::Stmt &s);
    void note_rest(const std::vector<ast::StmtPtr> &list);
    void charge_rest(const ast::Stmt &s);
    void expr_stmt(const ast::ExprStmt &s);
    void spare(int64_t statements, const SourceRef &at);

    // --- what takes long: lower_work.cc
    void work(int64_t ns, const SourceRef &at);
    void work_begins(int64_t ns, int64_t allowed);
    void work_begins(const ast::Stmt &s);
    void worked(const ast::Expr &e);
    void work_ends();
    void look(const SourceRef &at);
    void look_at_strings(const ast::Stmt &s);

    // --- foreach
    void foreach (const ast::Foreach &s);
    void foreach_bucket(const ast::Foreach &s);
    void bind(const ast::VarRef &v, Op op, int iterator, int key, const ast::Foreach &loop);
    bool borrowable(const ast::Variable &v, const ast::Foreach &loop) const;
    void loop_body(const ast::Stmt &body, int next, int end);

    struct Loop {
        int next, end;
    };
    // A stretch of the handler that goes through snapshots, or holds the locks.
    struct Report {
        Value flag;  // has snapshots
        int set = -1;
        int exit = -1;   // label for leaving it early; -1: not used yet
        int early = -1;  // likewise before the locks are dropped
        std::set<const ast::Variable *> arrays;
    };

    ModuleLowering &m_;
    Body &body_;
    Kind kind_;
    const ast::Stmt *root_ = nullptr;
    std::map<const ast::Variable *, int> saved_;  // slots
    const HandlerLocking *locking_ = nullptr;     // handlers that do not run alone
    bool budgeted_ = false;                       // counts its statements
    bool sparing_ = false;                        // counts statements that are no units
    bool long_work_ = false;                      // of this statement, parts look at the clock as they are done
    int64_t work_ = 0;                            // of it, what was done since the last look
    SourceRef work_at_;
    struct Rest {
        int64_t units = 0;
        SourceRef at;
    };
    std::map<const ast::Stmt *, Rest> rests_;  // what is charged after a statement that may leave its list
    std::map<const ast::Variable *, Value> places_;
    std::set<const ast::Variable *> borrowed_;  // key variables that point at the key
    std::set<const ast::Variable *> lent_;      // local variables that only ever point at texts that stay
    std::vector<bool> buffer_busy_, sum_busy_;
    std::vector<Loop> loops_;
    std::vector<int> catches_;
    std::set<int> callees_;
    int exit_;
    int locked_exit_ = -1;
    std::vector<Report> reports_;
    std::vector<std::pair<const ast::Foreach *, int>>
        walks_;               // through its arrays, with their iterators: innermost last
    bool reporting_ = false;  // in the last of them
    bool snapping_ = false;   // in the last of them, with snapshots and locks
    bool locked_ = false;
    int first_temp_ = 0;  // registers below are script variables
    Value result_;        // functions: where the result goes
    ast::Type result_type_ = ast::Type::Void;
};

}  // namespace tapir::ir
