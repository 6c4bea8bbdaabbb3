// SPDX-License-Identifier: GPL-2.0-or-later
// Types of the probed program on their way through a script: what lets `p = $file; p->f_pos` know what p points to.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ctypes/type.h"
#include "resolve/program.h"

namespace tapir::resolve {

// What a number of the script is: an object of a C type, or the address of one. Every ast::TargetType of a program is
// one of these.
struct ScriptType : ast::TargetType {
    ctypes::Type type;
    bool is_address = false;  // of such an object
    bool user = false;        // in the memory of the current task
};

// The types that values of one program have; the same type is the same object.
class ScriptTypes {
  public:
    // Null for plain numbers, which need no type.
    const ScriptType *of(const ctypes::Type &type, bool is_address, bool user);

  private:
    std::map<std::string, std::unique_ptr<ScriptType>> types_;
};

// Sets Expr::target_type, Variable::target_type and Function::target_type from the expressions that have one already
// (made from $variables, @cast, @var). A type goes through assignments to local variables, through both arms of "?:"
// and through returns; not through parameters, global variables, arithmetic, or "+=" and the like. Numbers without a
// type do not disturb one (p = 0; p = $file); two different types leave none. Never fails; call it again after giving
// further expressions a type.
void carry_target_types(const std::vector<ast::Function *> &functions,
                        const std::vector<std::unique_ptr<Handler>> &handlers);

}  // namespace tapir::resolve
