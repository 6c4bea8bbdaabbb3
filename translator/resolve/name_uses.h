// SPDX-License-Identifier: GPL-2.0-or-later
// The names that the bodies of a script read and assign, as written. Without a declaration that makes a name
// global, each body has a variable of its own, and what another assigns does not get there.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "ast/ast.h"
#include "resolve/declarations.h"
#include "resolve/points.h"

namespace tapir::resolve {

// The uses of a scalar of one name in one body.
struct NameUse {
    SourceRef early_read;       // the first read that no assignment of the body can come before; empty: none
    SourceRef early_sum;        // the first x++, x += or x <<< likewise, whose own value is not used; empty: none
    SourceRef written;          // the first assignment of any kind; empty: none
    bool is_read = false;       // anywhere
    bool always_early = false;  // one early read is below no condition
};

using NameUses = std::map<std::string, NameUse, std::less<>>;

// Collects the uses in a body as parsed. Context expressions' own names, arrays, and the operands of @defined and
// @entry do not count.
NameUses name_uses(const ast::Stmt &body);

// The bodies of the script's own files.
class ScriptBodies {
  public:
    explicit ScriptBodies(const std::vector<ast::File *> &user);

    enum class Told : uint8_t { Nothing, Warning, Error };
    // Reports a local variable of the handler or function at `body` if it looks as if it should share its value with
    // another body's variable of the same name. Returns the kind of report, from now or before: each pair of body and
    // name is reported once.
    Told report_unshared(const SourceRef &body, ast::Variable &local, Declarations &declarations,
                         Diagnostics &diagnostics);

    // Reports names that a probe's body reads and that the aliases of some of its places set, and those of others do
    // not: an error, or a warning if the body reads it only on a condition.
    void report_lacking(const ast::Probe &probe, const std::vector<Located> &places, Declarations &declarations,
                        Diagnostics &diagnostics);

  private:
    using Key = std::tuple<const SourceFile *, uint32_t, uint32_t>;
    enum class Kind : uint8_t { Handler, Function, Alias };
    struct Body {
        Kind kind;
        std::string name;  // of a function
        const ast::File *file;
        NameUses uses;
    };

    static Key key(const SourceRef &at) { return {at.file, at.line, at.column}; }
    void add(Kind kind, std::string name, const SourceRef &at, const ast::File &file, const ast::StmtPtr &body,
             const std::vector<ast::Param> &params);
    const Body *writer(const Body &except, const std::string &name, bool unread, Declarations &declarations) const;
    const std::set<std::string> &set_by(const ast::Alias &alias);

    std::vector<Body> bodies_;
    std::map<Key, size_t> by_place_;
    std::set<std::string, std::less<>> read_by_aliases_;
    std::map<const ast::Alias *, std::set<std::string>> set_by_;
    std::map<std::pair<const Body *, std::string>, Told> reported_;
};

}  // namespace tapir::resolve
