// SPDX-License-Identifier: GPL-2.0-or-later
// Types of the probed program on their way through a script: what lets `p = $file; p->f_pos` know what p points to.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ctypes/type.h"
#include "resolve/program.h"

namespace tapir::resolve {

// The C type of a number of the script: it is an object of that type, or the address of one. Every ast::TargetType of a
// program is one of these.
struct ScriptType : ast::TargetType {
    ctypes::Type type;
    bool is_address = false;  // of such an object
    bool user = false;        // in the memory of the current task
    // For a variable with values of several types: two of them, and where. The other members then mean nothing.
    struct Given {
        const ScriptType *type;
        SourceRef at;
    };
    std::vector<Given> several;
};

// The types that values of one program have; the same type is the same object.
class ScriptTypes {
  public:
    // Null for plain numbers, which need no type.
    const ScriptType *of(const ctypes::Type &type, bool is_address, bool user);
    // Returns the common type of two, neither null. Types of the same name and layout, perhaps of two modules, are
    // equal; "void *" yields to others, and a declaration to the definition.
    const ScriptType *both(const ScriptType::Given &first, const ScriptType::Given &second);

  private:
    bool alike(const ScriptType &a, const ScriptType &b);

    std::map<std::string, std::unique_ptr<ScriptType>> types_;
    using Place = std::tuple<const void *, uint32_t, uint32_t>;  // of a SourceRef
    // Keyed by the two types and where each comes from.
    std::map<std::tuple<const ScriptType *, const ScriptType *, Place, Place>, std::unique_ptr<ScriptType>> several_;
    std::map<std::pair<const ScriptType *, const ScriptType *>, bool> alike_;
};

// Sets Expr::target_type, Variable::target_type and Function::target_type from the expressions that have one already
// (made from $variables, @cast, @var) and from functions that declare their own. A type follows a whole value: through
// assignments to variables and elements of arrays, "?:", arguments, results, and the keys and values of foreach. It
// does not follow arithmetic, or "+=" and the like. Numbers without a type do not disturb one (p = 0; p = $file).
class TypeFlow {
  public:
    // All must outlive it; the lists may grow between runs.
    TypeFlow(const std::vector<ast::Function *> &functions, const std::vector<std::unique_ptr<Handler>> &handlers,
             ScriptTypes &types)
        : functions_(functions), handlers_(handlers), types_(types) {}

    // Sets the result type of a function, beside the types from its body.
    void declare(ast::Function &function, const ScriptType *type);
    // Never fails; run it again after giving further expressions a type.
    void run();

  private:
    using Slot = const ast::TargetType *;  // the type of a variable, its keys, or a function

    void merge(Slot &slot, const ast::TargetType *type, const SourceRef &at);
    const ast::TargetType *join(const ast::Expr &a, const ast::Expr &b);
    void stmt(ast::Stmt &node);
    void foreach_stmt(ast::Foreach &loop);
    const ast::TargetType *expr(ast::Expr &e);
    const ast::TargetType *element(ast::Index &index, bool creates);
    const ast::TargetType *assign(ast::Assign &assign);
    const ast::TargetType *call(ast::Call &call);
    std::vector<Slot> &keys(const ast::Variable &array, size_t count);

    const std::vector<ast::Function *> &functions_;
    const std::vector<std::unique_ptr<Handler>> &handlers_;
    ScriptTypes &types_;
    ast::Function *function_ = nullptr;                        // whose body is walked
    std::map<const ast::Variable *, std::vector<Slot>> keys_;  // of arrays
    std::map<const Slot *, SourceRef> given_at_;               // where it got its type
    bool changed_ = false;
};

}  // namespace tapir::resolve
