// SPDX-License-Identifier: GPL-2.0-or-later
// From a probe point as written to the places it means, through aliases and wildcards.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "library/library.h"
#include "probes/kinds.h"
#include "resolve/reach.h"

namespace tapir::resolve {

struct Condition {
    const ast::Expr *expr;
    const ast::File *file;  // whose names it sees
};

// Places with the same way through aliases, so with the same handler.
struct Located {
    std::vector<const ast::Alias *> aliases;  // outermost (named by the script) first
    std::vector<std::string> points;          // as written at each step, the script's first
    std::string matched;                      // the outermost alias's name with the suffix it was used with
    std::vector<Condition> conditions;
    std::vector<probes::Attach> attaches;
};

class PointResolver {
  public:
    PointResolver(std::vector<ast::File *> user, library::Library &library, probes::ResolveContext context,
                  const Reach &reach, bool guru, bool listing, Diagnostics &diagnostics);

    // Everything a list of points means, in order. Failures are reported unless the point is optional; too many aliases
    // within each other, or too many points, always.
    // With `any_event` the handler takes_any_event(): where no event occurs, points of the
    // process's program are a look at it.
    std::vector<Located> resolve(const ast::ProbePoints &points, const ast::File &file, bool any_event = false);
    // How many points of the script were left out because the back end does not hit them.
    size_t unhit() const { return unhit_; }

  private:
    struct Match {
        const ast::Alias *alias;
        size_t name;   // which of the alias's names
        size_t used;   // components of the point that the alias's name takes up
        size_t level;  // where it is from: 0 the script, 1 the first directory of tapsets ...
    };
    // How a point came about.
    struct Path {
        std::vector<const ast::Alias *> aliases;
        std::vector<std::string> points;
        std::string matched;
        std::vector<Condition> conditions;
        bool optional = false;
        bool tentative = false;   // a trial whether a pattern means an alias: its errors are not shown
        bool privileged = false;  // with -g, or in a tapset that may do everything
    };

    void list(const ast::ProbePoints &points, const std::vector<ast::PointComponent> &suffix, const ast::File &file,
              const Path &path, std::vector<Located> &out);
    void point(const ast::ProbePoint &point, const Path &path, std::vector<Located> &out);
    bool look_once(const ast::ProbePoint &target, const Path &path, std::vector<ast::ProbePoint> &points);
    bool drop_unhit(std::vector<ast::ProbePoint> &points, const ast::ProbePoint &target, const Path &path);
    void report_unhit(const ast::ProbePoint &target, const Path &path, const std::string &why);
    probes::Attach never_hit(const ast::ProbePoint &target, size_t mark);
    std::vector<Diagnostic> take_errors(size_t mark);
    void builtin(const ast::ProbePoint &point, const Path &path, std::vector<Located> &out);
    std::vector<Match> find_aliases(const ast::ProbePoint &point, const Path &path);
    void drop_hidden(std::vector<Match> &matches, const Path &path) const;
    size_t level(const ast::File &file) const;
    void refuse_since(size_t mark);
    void warn_of(const ast::ProbePoint &point, const std::vector<std::string> &failed, const Diagnostic &why);
    std::string why_no_calls(const ast::ProbePoint &target) const;
    void mismatch(const ast::ProbePoint &point, bool unseen);
    std::vector<Diagnostic> take_refusals(size_t mark);
    std::vector<std::string> following(const ast::ProbePoint &point, size_t depth);
    void prepare(ast::File &file);
    void index_user_aliases();
    bool within_limits(const Path &path);

    std::vector<ast::File *> user_;
    library::Library &library_;
    Diagnostics &diagnostics_;
    probes::ResolveContext context_;
    const Reach &reach_;
    bool guru_;
    bool listing_;  // names that do not exist are not listed
    std::set<const ast::File *> prepared_;
    std::map<std::string, std::vector<const ast::Alias *>, std::less<>>
        user_aliases_;                  // by the beginning of their names
    bool any_event_ = false;            // of the probe whose points are resolved
    size_t unhit_ = 0, dropped_ = 0;    // points of the script, and of tapsets, too, that are never hit
    size_t steps_ = 0;                  // points looked at for one list of points
    std::string over_limit_;            // why no more are
    std::vector<Diagnostic> refusals_;  // why optional points of the aliases that are being followed were left out
};

}  // namespace tapir::resolve
