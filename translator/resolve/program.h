// SPDX-License-Identifier: GPL-2.0-or-later
// The elaborated program: the result of pass 2. Every name is resolved, only used declarations are listed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ast/ast.h"
#include "probes/attach.h"
#include "syscalls/calls.h"

namespace tapir::resolve {

// One handler with everything it is attached to. Alias prologues and epilogues are merged into `body`.
struct Handler {
    const ast::Probe *origin = nullptr;   // the probe it came from; its `at` is the handler's place
    std::string user_point;               // as written in the script
    std::vector<std::string> derivation;  // points on the way, innermost first; the last is user_point
    std::string matched;  // the match of a wildcard in user_point: the alias with its suffix; "" without one
    std::unique_ptr<ast::Block> body;
    std::vector<std::unique_ptr<ast::Variable>> locals;
    ast::ExprPtr condition;                // probe if (...): may be null; globals only
    std::vector<probes::Attach> attaches;  // at least one
    bool synthetic = false;                // made by the translator (autoprint, --monitor)
    // A handler at function returns may have another that runs at the entry of the same call and leaves values for it
    // in `saved`, which both share (variables of scope Saved). The entry handler has the same attaches, and is attached
    // with this one only.
    Handler *entry = nullptr;  // owned by Program::handlers
    bool is_entry = false;
    std::shared_ptr<std::vector<std::unique_ptr<ast::Variable>>> saved;
};

class ScriptTypes;

struct Program {
    std::vector<std::unique_ptr<ast::File>> files;  // owns the trees; user script first
    std::shared_ptr<ScriptTypes> target_types;      // owns the trees' target_type objects
    std::vector<ast::Variable *> globals;           // used ones, declaration order, user script first
    std::vector<ast::Function *> functions;         // used ones
    std::vector<const ast::EmbeddedCode *> embedded;
    std::vector<const ast::Interpreter *> interpreters;  // of the files that are used
    std::vector<std::unique_ptr<Handler>> handlers;      // script order
    const syscalls::Calls *calls = nullptr;              // that its attaches are among; null: none are
    std::vector<target::BuiltObject> objects;            // the objects that it was resolved by
    std::vector<target::BuiltProgram> programs;          // that it probes
    bool is_monitored = false;  // --monitor: probes can be switched off and on while the session runs
};

}  // namespace tapir::resolve
