// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the declaration that a name means, seen from the file that uses it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "library/library.h"

namespace tapir::resolve {

// Rules: private names of the same file come first. A script sees the public names of all its files, then the
// library's. A library file sees the public names of the library, and of the script only functions (which may
// override).
class Declarations {
  public:
    Declarations(std::vector<ast::File *> user, library::Library &library, Diagnostics &diagnostics);

    // Null if no file has one.
    ast::Variable *global(std::string_view name, const ast::File &from);
    // All functions a call from `from` may mean, any arity: the script's in declaration order, then the library's.
    std::vector<ast::Function *> functions(std::string_view name, const ast::File &from);
    // Names for "similar:" lists.
    std::vector<std::string> function_names() const;
    std::vector<std::string> global_names() const;

    // Notes that something of a library file is used, which makes its probes part of the program.
    void use(const ast::File &file);
    bool is_user(const ast::File &file) const { return user_set_.count(&file) != 0; }
    const std::vector<ast::File *> &user() const { return user_; }
    // Library files that the script uses, in the order of first use. Grows while names are resolved.
    const std::vector<const ast::File *> &used_library() const { return used_library_; }

    // A name for `variable` (or a function) that no other global or function of the program has.
    std::string unique_name(const std::string &name, bool is_private, const ast::File &file);

  private:
    struct Scope {
        std::map<std::string, ast::Variable *, std::less<>> globals;
        std::multimap<std::string, ast::Function *, std::less<>> functions;
    };
    Scope &scope(const ast::File &file);
    void check_duplicates();

    std::vector<ast::File *> user_;
    std::set<const ast::File *> user_set_;
    library::Library &library_;
    Diagnostics &diagnostics_;
    std::map<const ast::File *, Scope> scopes_;
    std::vector<const ast::File *> used_library_;
    std::set<std::string, std::less<>> taken_;
};

}  // namespace tapir::resolve
