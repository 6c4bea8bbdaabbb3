// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/name_uses.h"

#include <algorithm>

#include "ast/walk.h"
#include "base/help.h"
#include "resolve/cause.h"

namespace tapir::resolve {

using ast::ExprKind;
using ast::StmtKind;

namespace {

// Walks a body in the order of its execution with the names that may have been assigned so far.
class Walker {
  public:
    NameUses uses;

    void stmt(const ast::Stmt &s) {
        switch (s.kind) {
            case StmtKind::Expr:
                return expr(*static_cast<const ast::ExprStmt &>(s).expr, true);
            case StmtKind::If:
                return branch(static_cast<const ast::If &>(s));
            case StmtKind::For: {
                const auto &loop = static_cast<const ast::For &>(s);
                if (loop.init) expr(*loop.init, true);
                return turns(loop.cond.get(), loop.step.get(), loop.body.get());
            }
            case StmtKind::While: {
                const auto &loop = static_cast<const ast::While &>(s);
                return turns(loop.cond.get(), nullptr, loop.body.get());
            }
            case StmtKind::Foreach:
                return foreach_stmt(static_cast<const ast::Foreach &>(s));
            case StmtKind::Delete:
                return assign(*static_cast<const ast::Delete &>(s).target);
            case StmtKind::Try: {
                const auto &attempt = static_cast<const ast::Try &>(s);
                below(attempt.body.get());
                if (attempt.error) write(*attempt.error);
                return below(attempt.handler.get());
            }
            default:
                ast::each_child(
                    s, [&](const ast::Expr &e) { expr(e); }, [&](const ast::Stmt &child) { stmt(child); });
        }
    }

  private:
    void expr(const ast::Expr &e, bool unused = false) {
        switch (e.kind) {
            case ExprKind::VarRef:
                return read(static_cast<const ast::VarRef &>(e));
            case ExprKind::Index:
                return index(static_cast<const ast::Index &>(e));
            case ExprKind::In:
                for (const ast::ExprPtr &k : static_cast<const ast::In &>(e).keys)
                    if (k) expr(*k);
                return;
            case ExprKind::IncDec:
                return change(*static_cast<const ast::IncDec &>(e).target, unused);
            case ExprKind::Assign: {
                const auto &a = static_cast<const ast::Assign &>(e);
                expr(*a.value);
                return a.op == ast::AssignOp::Set ? assign(*a.target) : change(*a.target, unused);
            }
            case ExprKind::Ternary: {
                const auto &choice = static_cast<const ast::Ternary &>(e);
                expr(*choice.cond);
                ++depth_;
                expr(*choice.then_expr), expr(*choice.else_expr);
                --depth_;
                return;
            }
            case ExprKind::Logical: {
                const auto &both = static_cast<const ast::Logical &>(e);
                expr(*both.left);
                ++depth_;
                expr(*both.right);
                --depth_;
                return;
            }
            case ExprKind::Defined:
            case ExprKind::Entry:
                return;
            default:
                ast::each_child(e, [&](const ast::Expr &child) { expr(child); });
        }
    }

    void index(const ast::Index &e) {
        if (e.base->kind == ExprKind::Hist) expr(*e.base);
        for (const ast::ExprPtr &k : e.keys)
            if (k) expr(*k);
    }

    void read(const ast::VarRef &ref) {
        NameUse &use = uses[ref.name];
        use.is_read = true;
        if (assigned_.contains(ref.name)) return;
        if (!use.early_read) use.early_read = ref.at;
        use.always_early |= depth_ == 0;
    }

    void write(const ast::VarRef &ref) {
        NameUse &use = uses[ref.name];
        if (!use.written) use.written = ref.at;
        assigned_.insert(ref.name);
    }

    void assign(const ast::Expr &target) {
        if (target.kind == ExprKind::VarRef) return write(static_cast<const ast::VarRef &>(target));
        expr(target);
    }

    void change(const ast::Expr &target, bool unused) {
        if (target.kind != ExprKind::VarRef) return expr(target);
        const auto &ref = static_cast<const ast::VarRef &>(target);
        if (!unused) read(ref);
        NameUse &use = uses[ref.name];
        if (!assigned_.contains(ref.name) && !use.early_sum) use.early_sum = ref.at;
        write(ref);
    }

    void below(const ast::Stmt *s) {
        if (!s) return;
        ++depth_;
        stmt(*s);
        --depth_;
    }

    void branch(const ast::If &s) {
        expr(*s.cond);
        const std::set<std::string> before = assigned_;
        below(s.then_stmt.get());
        std::set<std::string> then = before;
        std::swap(then, assigned_);
        below(s.else_stmt.get());
        assigned_.merge(then);
    }

    // A turn of a loop may read the assignments of the one before.
    void turns(const ast::Expr *cond, const ast::Expr *step, const ast::Stmt *body) {
        if (cond) note_targets(*cond);
        if (step) note_targets(*step);
        if (body) {
            ast::each_expr(*body, [&](const ast::Expr &e) { note_target(e); });
            ast::each_stmt(*body, [&](const ast::Stmt &s) { note_bound(s); });
        }
        if (cond) expr(*cond);
        below(body);
        ++depth_;
        if (step) expr(*step, true);
        --depth_;
    }

    void note(const ast::Expr *target) {
        if (target && target->kind == ExprKind::VarRef)
            assigned_.insert(static_cast<const ast::VarRef &>(*target).name);
    }
    void note_target(const ast::Expr &e) {
        if (e.kind == ExprKind::Assign) note(static_cast<const ast::Assign &>(e).target.get());
        if (e.kind == ExprKind::IncDec) note(static_cast<const ast::IncDec &>(e).target.get());
    }
    void note_targets(const ast::Expr &root) {
        ast::each_expr(root, [&](const ast::Expr &e) { note_target(e); });
    }
    void note_bound(const ast::Stmt &s) {
        if (s.kind == StmtKind::Try) note(static_cast<const ast::Try &>(s).error.get());
        if (s.kind == StmtKind::Delete) note(static_cast<const ast::Delete &>(s).target.get());
        if (s.kind != StmtKind::Foreach) return;
        note(static_cast<const ast::Foreach &>(s).value.get());
        for (const auto &k : static_cast<const ast::Foreach &>(s).keys)
            note(k.get());
    }

    void foreach_stmt(const ast::Foreach &s) {
        if (s.array->kind != ExprKind::VarRef) expr(*s.array);
        for (const ast::ExprPtr &e : s.slice)
            if (e) expr(*e);
        if (s.limit) expr(*s.limit);
        if (s.value) write(*s.value);
        for (const auto &k : s.keys)
            write(*k);
        turns(nullptr, nullptr, s.body.get());
    }

    std::set<std::string> assigned_;
    int depth_ = 0;  // conditions around
};

// "a, b, c and 4 more"
std::string some(const std::vector<std::string> &names) {
    constexpr size_t kShown = 4;
    std::string text;
    for (size_t i = 0; i < std::min(names.size(), kShown); ++i)
        text += (i ? ", " : "") + names[i];
    return names.size() <= kShown ? text : text + " and " + std::to_string(names.size() - kShown) + " more";
}

void add_once(std::vector<std::string> &names, const Located &place) {
    const std::string &name = place.matched.empty() ? place.points.front() : place.matched;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

}  // namespace

NameUses name_uses(const ast::Stmt &body) {
    Walker walker;
    walker.stmt(body);
    return std::move(walker.uses);
}

ScriptBodies::ScriptBodies(const std::vector<ast::File *> &user) {
    for (const ast::File *file : user) {
        for (const auto &probe : file->probes)
            add(Kind::Handler, "", probe->at, *file, probe->body, {});
        for (const auto &function : file->functions)
            add(Kind::Function, function->name, function->at, *file, function->body, function->params);
        for (const auto &alias : file->aliases) {
            add(Kind::Alias, "", alias->at, *file, alias->body, {});
            if (alias->epilogue_body)
                for (const auto &[name, use] : name_uses(*alias->epilogue_body))
                    if (use.is_read) read_by_aliases_.insert(name);
        }
    }
}

void ScriptBodies::add(Kind kind, std::string name, const SourceRef &at, const ast::File &file,
                       const ast::StmtPtr &body, const std::vector<ast::Param> &params) {
    if (!body) return;
    Body added{kind, std::move(name), &file, name_uses(*body)};
    for (const ast::Param &param : params)
        added.uses.erase(param.name);
    if (kind == Kind::Alias)
        for (const auto &[used, use] : added.uses)
            if (use.is_read) read_by_aliases_.insert(used);
    by_place_[key(at)] = bodies_.size();
    bodies_.push_back(std::move(added));
}

// Another body that assigns a variable of its own of this name. With `unread` only one where nothing reads it.
const ScriptBodies::Body *ScriptBodies::writer(const Body &except, const std::string &name, bool unread,
                                               Declarations &declarations) const {
    for (const Body &body : bodies_) {
        const auto use = body.uses.find(name);
        if (&body == &except || use == body.uses.end() || !use->second.written) continue;
        if (unread && (body.kind == Kind::Alias || use->second.is_read || read_by_aliases_.contains(name))) continue;
        if (!declarations.global(name, *body.file)) return &body;
    }
    return nullptr;
}

ScriptBodies::Told ScriptBodies::report_unshared(const SourceRef &place, ast::Variable &local,
                                                 Declarations &declarations, Diagnostics &diagnostics) {
    const auto at = by_place_.find(key(place));
    if (at == by_place_.end()) return Told::Nothing;
    const Body &body = bodies_[at->second];
    const auto known = reported_.find({&body, local.name});
    if (known != reported_.end()) return known->second;
    const auto found = body.uses.find(local.name);
    if (found == body.uses.end()) return Told::Nothing;
    const NameUse &use = found->second;
    const SourceRef &from = use.early_read ? use.early_read : use.is_read ? use.early_sum : SourceRef{};
    if (!from) return Told::Nothing;
    const Body *other = writer(body, local.name, use.written.file, declarations);
    if (!other) return Told::Nothing;
    const bool in_function = body.kind == Kind::Function;
    const std::string whose = other->kind == Kind::Function ? "function " + other->name
                              : other->kind == Kind::Alias  ? "an alias"
                              : in_function                 ? "a handler"
                                                            : "another handler";
    Diagnostic &diagnostic =
        diagnostics.report(Tag::UnsharedLocal, from,
                           "variable '" + local.name + "' is not shared: " + whose + " assigns it, and this " +
                               (in_function ? "function" : "handler") + " has a variable of its own, " +
                               (use.written ? "which begins without a value" : "which nothing assigns"));
    add_cause(diagnostic, "assigned here", other->uses.find(local.name)->second.written);
    add_help(diagnostic, "declare it outside of handlers, which makes it one variable: global " + local.name +
                             (in_function && !use.written ? "; or give it to the function as an argument" : ""));
    return reported_[{&body, local.name}] = Told::Error;
}

const std::set<std::string> &ScriptBodies::set_by(const ast::Alias &alias) {
    const auto [at, is_new] = set_by_.try_emplace(&alias);
    if (is_new && alias.body && !alias.epilogue) {
        for (const auto &[name, use] : name_uses(*alias.body))
            if (use.written) at->second.insert(name);
    }
    return at->second;
}

void ScriptBodies::report_lacking(const ast::Probe &probe, const std::vector<Located> &places,
                                  Declarations &declarations, Diagnostics &diagnostics) {
    const auto at = by_place_.find(key(probe.at));
    if (places.size() < 2 || at == by_place_.end()) return;
    const Body &body = bodies_[at->second];
    for (const auto &[name, use] : body.uses) {
        if (!use.early_read || use.written || declarations.global(name, *body.file)) continue;
        std::vector<std::string> with, without;
        for (const Located &place : places) {
            const bool sets =
                std::any_of(place.aliases.begin(), place.aliases.end(),
                            [&, &named = name](const ast::Alias *alias) { return set_by(*alias).contains(named); });
            add_once(sets ? with : without, place);
        }
        if (with.empty() || without.empty()) continue;
        reported_[{&body, name}] = use.always_early ? Told::Error : Told::Warning;
        Diagnostic &diagnostic =
            diagnostics.report(use.always_early ? Tag::LackingVariable : Tag::NeverAssignedLocal, use.early_read,
                               (use.always_early ? "variable '" : "never-assigned local variable '") + name +
                                   "' does not exist at " + some(without) + ", of the points of this probe");
        add_help(diagnostic, "name the points that have it, " + some(with) +
                                 ", or write a probe of their own for the others; 'stap -L POINT' lists variables");
    }
}

}  // namespace tapir::resolve
