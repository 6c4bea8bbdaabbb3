// SPDX-License-Identifier: GPL-2.0-or-later
// Target variables and their kin at one place: $var, $return, $$vars, @cast, @var, @enum, @entry, each turned into an
// expression that needs no debug information any more.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ast/ast.h"
#include "resolve/access.h"
#include "resolve/synthesis.h"
#include "resolve/target_types.h"
#include "target/debug_info.h"
#include "target/near_names.h"

namespace tapir::resolve {

// Values that the entry of a call leaves for its return.
struct EntrySaves {
    struct Save {
        ast::Variable *variable;
        ast::ExprPtr value;     // as seen at the entry, context expressions already resolved
        const ast::File *file;  // whose names it sees
    };
    std::vector<Save> saves;
    std::shared_ptr<std::vector<std::unique_ptr<ast::Variable>>> variables =
        std::make_shared<std::vector<std::unique_ptr<ast::Variable>>>();
    std::vector<std::string> texts;  // of the values and whose names they see, to save each once
};

// Is it the member of a value of the script ("p->f_pos") whose type is not known yet?
bool is_untyped(const ast::Expr &expr);

// The problem of a member of a value that was given several types (ScriptType::several) at `at`.
AccessProblem several_types(const ScriptType &type, const SourceRef &at);

// The events that a script's probes count under a name, for @perf.
struct Counted {
    bool by_cpus = false;
    bool by_threads = false;  // .process()
};

// The place where a body runs. Probes outside of code have no scope.
struct TargetPlace {
    const target::Scope *scope = nullptr;  // at a return: the function's entry
    bool at_return = false;
    bool saves_at_entry = false;  // also without at_return: @entry is there
    bool is_code = false;         // a place in code; without a scope, its variables are unknown
    bool in_program = false;      // the names mean a program's, not the kernel's
    bool guru = false;
    const target::DebugInfo *debug = nullptr;           // for @cast and @var with modules
    const ast::File *file = nullptr;                    // whose names the body sees; with `saves`
    EntrySaves *saves = nullptr;                        // at a return
    std::function<bool(const std::string &)> is_local;  // at a return: does a name mean a variable of the handler?
    const std::map<std::string, Counted> *counters = nullptr;  // what @perf may name
    // Never null.
    Synthesis *synthesis = nullptr;
    ScriptTypes *types = nullptr;
};

class TargetResolver {
  public:
    explicit TargetResolver(const TargetPlace &place) : place_(place) {}

    // The expression that stands for a context expression; null after a problem. Its operands (indexes, the
    // pointer of a @cast, the operand of @entry) are taken from `expr`, and must have been resolved before.
    ast::ExprPtr read(ast::Expr &expr);
    // Makes `target` = `value`, for -g. Parts taken from `target` must have been resolved, too.
    ast::ExprPtr write(ast::Expr &target, ast::ExprPtr value);
    // `target` .= `value`, of variables that functions write; null for others, which have no such update.
    ast::ExprPtr append(ast::Expr &target, ast::ExprPtr value);
    // The type of a variable, member or element, whose operands have been resolved and are taken; nothing after a
    // problem.
    std::optional<ctypes::Type> type_of(ast::Expr &expr);
    // The enumerator that the value of `expr`, of that type, has; null after a problem.
    ast::ExprPtr name_of_value(ast::Enum &expr, const ctypes::Type &type);
    const AccessProblem &problem() const { return problem_; }
    // Evaluates the following parts at the entry of a return probe's function, or at its return again. Returns the
    // previous state.
    bool at_entry(bool entering) { return std::exchange(entering_, entering); }

  private:
    std::nullptr_t fail(const SourceRef &at, std::string message);
    // Adds to the problem the names similar to `name` in these modules, each behind `prefix`: " (similar: a, b)".
    void suggest(target::NameKind kind, const std::string &name, const std::string &modules,
                 const std::string &prefix = "");
    std::optional<Reached> reach(ast::Expr &expr, std::unique_ptr<Accessor> &accessor);
    std::optional<Reached> reach_variable(ast::Target &expr, std::unique_ptr<Accessor> &accessor);
    std::optional<Reached> reach_cast(ast::Cast &expr, std::unique_ptr<Accessor> &accessor);
    std::optional<Reached> reach_global(ast::AtVar &expr, std::unique_ptr<Accessor> &accessor);
    std::optional<Reached> reach_typed(ast::Cast &expr, std::unique_ptr<Accessor> &accessor);
    std::optional<Reached> reach_result(const ast::Target &expr, Accessor &accessor);
    ast::ExprPtr list(ast::Target &expr);  // $$vars and the like
    ast::ExprPtr name_of(const ast::Target &expr);
    std::nullptr_t fail_unknown(const ast::Target &expr);
    ast::ExprPtr enumerator(ast::Enum &expr);
    ast::ExprPtr named_value(const ast::Expr &expr) const;
    ast::ExprPtr enumerator_name(ast::Enum &expr, const ctypes::Type &type);
    ast::ExprPtr counter(const ast::Perf &expr);
    ast::ExprPtr raw(ast::Expr &expr);  // @kregister, @kderef
    ast::ExprPtr save(const SourceRef &at, ast::ExprPtr value);
    ast::ExprPtr saved_variable(ast::Target &expr);
    ast::ExprPtr from_entry(ast::Target &expr, size_t count);
    const ast::VarRef *local_in(const ast::Expr &expr) const;
    ast::ExprPtr finish(ast::Expr &expr, std::vector<ast::Component> &components, bool address_of, Reached object,
                        Accessor &accessor);
    // The scopes that a module list "a:b" names, in order; the place's own for "".
    std::vector<const target::Scope *> scopes(const std::string &modules);
    std::string no_scope() const;
    bool is_in_program() const { return place_.in_program || (place_.scope && place_.scope->user()); }
    std::string why_no_default(const std::string &modules) const;
    std::string not_there(const std::string &modules, const std::function<bool(const target::Scope &)> &has);
    const target::FunctionVariable *by_function(const ast::Expr &expr) const;
    ast::ExprPtr call(const ast::Expr &target, const std::string &function, ast::ExprPtr value);
    ast::ExprPtr misuse(const ast::Expr &target, bool write);
    bool is_return_value(const ast::Expr &expr) const;

    const TargetPlace &place_;
    AccessProblem problem_;
    std::vector<std::unique_ptr<target::Scope>> owned_;
    bool entering_ = false;  // evaluating for the entry of a return probe's function
};

}  // namespace tapir::resolve
