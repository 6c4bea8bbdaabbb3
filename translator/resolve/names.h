// SPDX-License-Identifier: GPL-2.0-or-later
// Connects the names in one body with their declarations.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "resolve/declarations.h"
#include "resolve/instances.h"
#include "resolve/name_uses.h"

namespace tapir::resolve {

class BodyResolver;

// State that all bodies of a program share.
struct NameContext {
    Declarations &declarations;
    Diagnostics &diagnostics;
    bool guru = false;
    // Functions and globals met, in order of first use; functions are resolved when their turn comes.
    std::vector<ast::Function *> functions;
    std::vector<ast::Variable *> globals;
    std::set<const void *> seen;
    // Where a variable's number of keys was first fixed.
    std::map<const ast::Variable *, SourceRef> arity_at;
    FunctionInstances *instances = nullptr;
    ScriptBodies *bodies = nullptr;  // null: no reports about sharing
    // Code guarded by a @defined without an answer yet: its names are looked up only after the answer.
    struct PutOff {
        BodyResolver *resolver;  // outlives this
        const ast::File *file;   // from which it is seen
        bool own;                // set_own()
    };
    std::map<const void *, PutOff> put_off = {};  // by statement or expression
    std::set<std::string> missing_arrays = {};    // names that were reported as arrays without a declaration
    std::set<const ast::Variable *> asked = {};   // variables that @defined asks about, or about their members

    void need(ast::Function &function);
    void need(ast::Variable &global);
    // The globals that embedded C at `at` names by pragma; others are reported.
    std::vector<ast::Variable *> pragma_globals(const std::vector<std::string> &names, bool write,
                                                const ast::File &from, const SourceRef &at);
    void touch(const std::vector<ast::Variable *> &variables, bool write);
    // Looks up the names in a part that was put off. False if it was not.
    bool resume(ast::Stmt &stmt);
    bool resume(ast::Expr &expr);

  private:
    BodyResolver *take_put_off(const void *node);
};

// Resolves bodies that share one set of local variables: a function's, or the parts of a handler (alias prologues, the
// probe's body, epilogues), each seen from the file it was written in.
class BodyResolver {
  public:
    BodyResolver(NameContext &context, std::vector<std::unique_ptr<ast::Variable>> &locals);

    void set_file(const ast::File &file) { file_ = &file; }
    // Sets the module of the calling probe: target::Scope::module().
    void set_module(std::string module) { module_ = std::move(module); }
    // Where the script has the handler or function, and a handler's point as written there.
    void set_place(const SourceRef &at, std::string point = {}) { place_ = at, point_ = std::move(point); }
    // False while parts of a handler follow that aliases have added.
    void set_own(bool own) { own_ = own; }
    void add_parameters(std::vector<ast::Param> &params);
    void body(ast::Stmt &stmt) { this->stmt(stmt); }
    // True if the names in some parts are looked up later, by NameContext::resume(). finish() has to wait for that.
    bool has_put_off() const { return has_put_off_; }
    // "if" of a probe point: only globals, nothing that acts.
    void condition(ast::Expr &expr);
    // Reports locals that are read but never assigned, and those that another body has assigned in vain.
    void finish();
    std::string advice_for_result(const std::string &name) const;
    // Returns advice for a local variable that nothing assigns, or "".
    std::string advice_for_unassigned(const ast::Variable &local) const;

  private:
    // How the value of an expression is used.
    enum class Use { Read, Discard };

    friend struct NameContext;
    // Looks up names, or puts that off if `cond` has no answer yet.
    void guarded(ast::StmtPtr &slot, const ast::Expr &cond);
    void guarded(ast::Expr &expr, const ast::Expr &cond, Use use = Use::Read);
    void stmt(ast::Stmt &stmt);
    void part(ast::StmtPtr &slot);
    void foreach_stmt(ast::Foreach &loop);
    void expr(ast::Expr &expr, Use use = Use::Read);
    void call(ast::Call &call);
    void need_guru(const SourceRef &at);
    void embedded(const std::string &code, const SourceRef &at, std::vector<ast::Variable *> &reads,
                  std::vector<ast::Variable *> &writes);
    void index(ast::Index &index, bool read, bool write);
    void assigned(ast::Expr &target, bool read);
    // An operand that names a scalar or an array as a whole. `arity` -1: either.
    void whole(ast::Expr &target, int arity, bool read, bool write);
    void scalar(ast::VarRef &ref, bool read, bool write);
    ast::Variable *lookup(ast::VarRef &ref, bool may_create);
    void set_arity(ast::Variable &variable, int arity, const SourceRef &at);
    void keys(std::vector<ast::ExprPtr> &list);

    NameContext &context_;
    std::vector<std::unique_ptr<ast::Variable>> &locals_;
    std::map<std::string, ast::Variable *, std::less<>> by_name_;
    const ast::File *file_ = nullptr;
    std::string module_;
    SourceRef place_;
    std::string point_;
    bool own_ = true;
    std::set<const ast::Variable *> set_by_aliases_;
    bool has_put_off_ = false;
};

}  // namespace tapir::resolve
