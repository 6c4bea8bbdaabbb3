// SPDX-License-Identifier: GPL-2.0-or-later
// The module as a whole: tables, limits, call graph, which bodies count actions.
#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <limits>
#include <set>

#include "ast/walk.h"
#include "base/limits.h"
#include "ir/leaves.h"
#include "ir/lowerer.h"
#include "ir/reports.h"
#include "ir/thinning.h"
#include "ir/touches.h"
#include "ir/verifier.h"
#include "resolve/pragmas.h"

namespace tapir::ir {

bool Value::is_string() const {
    return kind == ValueKind::Literal || kind == ValueKind::Buffer || kind == ValueKind::Pointer ||
           kind == ValueKind::Global || kind == ValueKind::Result;
}

int ModuleLowering::intern(std::map<std::string, int> &index, std::vector<std::string> &table,
                           const std::string &text) {
    auto [at, added] = index.try_emplace(text, static_cast<int>(table.size()));
    if (added) table.push_back(text);
    return at->second;
}

Value ModuleLowering::bytes(const std::string &text) {
    return {ValueKind::Literal, intern(literal_index_, module.literals, text)};
}

Value ModuleLowering::literal(const std::string &text) {
    return bytes(text.substr(0, std::min<size_t>(text.find('\0'), module.limits.string_capacity - 1)));
}

int ModuleLowering::site(const SourceRef &at) {
    return intern(site_index_, module.sites, at ? at.describe() : "synthetic code");
}

// Tells formats apart.
static std::string key_of(const Format &format) {
    std::string key;
    const auto number = [&key](std::optional<uint32_t> n) { key += n ? std::to_string(*n) + "," : "-,"; };
    for (const FormatPiece &piece : format) {
        number(static_cast<uint32_t>(piece.conv));
        number(static_cast<uint32_t>(piece.flag));
        number(piece.width_from_arg);
        number(piece.precision_from_arg);
        number(piece.width);
        number(piece.precision);
        number(static_cast<uint32_t>(piece.literal.size()));
        key += piece.literal;
    }
    return key;
}

// Each global that is displayed at the end has one of its own: there may be many.
int ModuleLowering::format(const Format &format) {
    const auto [known, fresh] = format_index_.try_emplace(key_of(format), static_cast<int>(module.formats.size()));
    if (fresh) module.formats.push_back(format);
    return known->second;
}

// Files do not know each other's rings.
uint8_t ModuleLowering::ring(const Ring &ring, const ast::Expr &user) {
    constexpr size_t kMost = 32;
    const auto same = std::ranges::find_if(
        module.rings, [&](const Ring &r) { return r.name == ring.name && r.of_cpu == ring.of_cpu; });
    if (same != module.rings.end()) {
        same->events = std::max(same->events, ring.events);
        return static_cast<uint8_t>(same - module.rings.begin());
    }
    if (module.rings.size() == kMost) {
        diagnostics.report(Tag::RecallRings, user.at, "a script has 32 rings at most");
        return 0;
    }
    module.rings.push_back(ring);
    return static_cast<uint8_t>(module.rings.size() - 1);
}

int ModuleLowering::add(Snippet snippet) {
    module.snippets.push_back(std::move(snippet));
    return static_cast<int>(module.snippets.size()) - 1;
}

// Equal expressions share a table.
int ModuleLowering::regex(const ast::Regex &expr) {
    auto [known, fresh] = regex_index_.try_emplace(expr.pattern, static_cast<int>(module.regexes.size()));
    if (!fresh) return known->second;
    Regex regex{expr.pattern, {}};
    regex::Error error;
    // Malformed ones were reported by pass 2; groups can still make a table too large.
    if (!regex::compile_table(expr.pattern, module.regex_groups, regex.table, error))
        diagnostics.report(Tag::RegexTooLarge, expr.pattern_at, "regular expression: " + error.message);
    module.regexes.push_back(std::move(regex));
    return known->second;
}

bool ModuleLowering::may_fail(const ast::Function *f) const {
    bool counts_levels = !f->embedded_c && module.limits.values.count("MAXNESTING");
    return effects.function(f).can_fail || budgeted.count(f) || counts_levels;
}

void ModuleLowering::unsupported(const ast::Expr &expr, const char *what) {
    diagnostics.report(Tag::LowerUnsupported, expr.at, std::string(what) + " cannot be translated yet");
}

namespace {

bool users_own(const SourceRef &at) {
    return at.file && (at.file->origin() == Origin::UserScript || at.file->origin() == Origin::CommandLine);
}

// A function that never returns has no place to attach to.
bool never_returns(const probes::Attach &a) {
    return a.kind == probes::Kind::Uretprobe && !a.sites.empty() && a.sites.front().exits.empty() &&
           a.sites.front().by_kernel.empty();
}

bool attached(const probes::Attach &a) {
    return !a.facts().unattached && !never_returns(a);
}

constexpr uint64_t kDefaultActions = 1000, kInterruptible = 10;
constexpr uint32_t kRecursionLevels = 10;
constexpr int64_t kUncounted = 8;  // code that costs less than this part of the budget need not be counted

class ModuleBuilder {
  public:
    ModuleBuilder(const resolve::Program &program, const LowerOptions &options, Diagnostics &diagnostics)
        : m_(program, options, diagnostics), program_(program), options_(options) {}

    Module build() {
        m_.module.objects = program_.objects;
        m_.module.programs = program_.programs;
        m_.module.interpreters = program_.interpreters;
        m_.module.systemtap_v = options_.systemtap_v;
        m_.module.switches = program_.is_monitored;
        limits();
        for (const ast::Function *f : program_.functions)
            for (const std::string &pragma : f->pragmas.other)
                m_.module.regex_groups |= pragma == "pragma:tagged_dfa";
        globals();
        for (size_t i = 0; i < program_.functions.size(); i++)
            m_.function_index[program_.functions[i]] = static_cast<int>(i);
        budgets();
        functions();
        conditions();
        for (const auto &handler : program_.handlers)
            lower_handler(*handler);
        link_entries();
        if (options_.weighted) find_weights(m_.module);
        if (options_.weighted) find_pairs(m_.module);
        find_leaves(m_.module, options_.arch);
        find_reports(m_.module);
        array_uses();
        syscalls();
        embedded();
        return std::move(m_.module);
    }

  private:
    void limits();
    void action_limits(bool interruptible);
    void globals();
    void budgets();
    void functions();
    void conditions();
    probes::Attach with_capacity(probes::Attach attach) const;
    void lower_handler(const resolve::Handler &handler);
    void link_entries();
    void syscalls();
    void embedded();
    // Code in the session's thread always counts, so that it can be interrupted.
    bool counts_actions(const resolve::Handler &handler, const Cost &cost) const {
        if (options_.suppress_time_limits) return cost.unbounded && runs_in_thread(handler);
        return cost.unbounded || cost.statements >= max_actions_ / kUncounted;
    }
    bool runs_in_thread(const resolve::Handler &handler) const {
        return m_.locking.handlers.at(&handler).session ||
               std::any_of(handler.attaches.begin(), handler.attaches.end(), probes::may_be_late);
    }
    void array_uses();

    ModuleLowering m_;
    const resolve::Program &program_;
    const LowerOptions &options_;
    int64_t max_actions_ = kDefaultActions * kInterruptible;
    uint32_t procfs_capacity_ = 0;  // bytes of a file's text and its NUL unless its probes say it; 0: as of strings
    std::map<std::string, int> handler_texts_;
    std::map<const resolve::Handler *, int> handler_index_;
};

void ModuleBuilder::limits() {
    Limits &limits = m_.module.limits;
    bool interruptible = true;
    for (const auto &[name, text] : options_.defines) {
        int64_t n = text.empty() ? 1 : std::strtoll(text.c_str(), nullptr, 0);
        const Limit *limit = find_limit(name);
        if (name == "MAXSTRINGLEN")
            limits.string_capacity = static_cast<uint32_t>((std::clamp(n, limit->least, limit->most) + 7) / 8 * 8);
        else if (name == "HIST_ELISION")
            limits.hist_elision = static_cast<int32_t>(n);
        else if (name == "HIST_WIDTH")
            limits.hist_width = static_cast<uint32_t>(n);
        else if (name == "STP_PROCFS_BUFSIZE")
            procfs_capacity_ = static_cast<uint32_t>(n);
        else if (name == "HIST_UNITS")
            limits.hist_units = n != 0;
        else if (name == "INTERRUPTIBLE")
            interruptible = n != 0;
        else if (limit && limit->load_time)
            limits.values[name] = static_cast<uint64_t>(n);
        else
            m_.module.c_defines.emplace_back(name, text);
    }
    if (options_.suppress_time_limits)
        limits.values["MAXACTION"] = limits.values["MAXACTION_INTERRUPTIBLE"] = limits.values["MAXTIME"] =
            std::numeric_limits<int64_t>::max();
    action_limits(interruptible);
    auto nesting = limits.values.find("MAXNESTING");
    if (nesting != limits.values.end()) {
        limits.max_nesting = static_cast<uint32_t>(nesting->second);
        return;
    }
    int depth = 1;
    for (const ast::Function *f : program_.functions)
        depth = std::max(depth, m_.effects.function(f).depth);
    limits.max_nesting = static_cast<uint32_t>(depth) + (m_.effects.recursive() ? kRecursionLevels : 0);
}

// MAXACTION_INTERRUPTIBLE is what counts, for every handler; MAXACTION only with INTERRUPTIBLE=0.
void ModuleBuilder::action_limits(bool interruptible) {
    std::map<std::string, uint64_t> &values = m_.module.limits.values;
    auto given = values.find("MAXACTION");
    const uint64_t actions = given == values.end() ? kDefaultActions : given->second;
    const uint64_t most = std::numeric_limits<int64_t>::max();
    if (!interruptible)
        values["MAXACTION_INTERRUPTIBLE"] = actions;
    else if (given != values.end())
        values.try_emplace("MAXACTION_INTERRUPTIBLE",
                           actions > most / kInterruptible ? most : actions * kInterruptible);
    auto limit = values.find("MAXACTION_INTERRUPTIBLE");
    if (limit != values.end()) max_actions_ = static_cast<int64_t>(limit->second);
}

void ModuleBuilder::globals() {
    std::set<const ast::Variable *> shrinking;
    auto look = [&](const Effects &effects) {
        for (const auto &[v, t] : effects.globals)
            if (t.how & TouchDelete) shrinking.insert(v);
    };
    for (const auto &handler : program_.handlers)
        look(m_.effects.of(*handler->body));
    for (const ast::Variable *v : program_.globals) {
        m_.global_index[v] = static_cast<int>(m_.module.globals.size());
        Global g;
        g.name = v->name;
        g.type = v->type;
        g.key_types = v->key_types;
        g.wrap = v->wrap;
        g.max_entries = v->max_entries;
        g.age = v->age;
        g.size_option = v->size_option;
        g.stat = v->stat;
        g.live = v->live;
        g.monitored = v->is_monitored;
        g.settable = !v->is_private || users_own(v->at);
        auto access = m_.locking.scalars.find(v);
        if (access != m_.locking.scalars.end()) g.access = access->second;
        g.stable = !v->wrap && !v->age && !shrinking.count(v);
        if (v->init && v->init->kind == ast::ExprKind::Number)
            g.initial = {ValueKind::Int, static_cast<const ast::Number &>(*v->init).value};
        else if (v->init && v->init->kind == ast::ExprKind::String)
            g.initial = m_.literal(static_cast<const ast::String &>(*v->init).value);
        m_.module.globals.push_back(std::move(g));
    }
}

// A function counts actions if it loops or has statements that are not units, and some handler that must count can
// reach it. Calls of other functions cost their callers the functions' statements.
void ModuleBuilder::budgets() {
    std::vector<const ast::Function *> todo;
    std::set<const ast::Function *> reached;
    auto reach = [&](const Effects &effects) {
        for (const ast::Function *f : effects.callees) {
            if (f->embedded_c || !reached.insert(f).second) continue;
            todo.push_back(f);
            const Cost &cost = m_.effects.function(f).effects.cost;
            if (cost.unbounded || cost.spare) m_.budgeted.insert(f);
        }
    };
    for (const auto &handler : program_.handlers) {
        Effects effects = m_.effects.of(*handler->body);
        if (counts_actions(*handler, effects.cost)) reach(effects);
    }
    while (!todo.empty()) {
        const ast::Function *f = todo.back();
        todo.pop_back();
        reach(m_.effects.function(f).effects);
    }
}

void ModuleBuilder::functions() {
    bool explicit_nesting = m_.module.limits.values.count("MAXNESTING") != 0;
    for (const ast::Function *f : program_.functions) {
        const FunctionFacts &facts = m_.effects.function(f);
        Function out;
        out.name = f->unique_name.empty() ? f->name : f->unique_name;
        out.result = f->type;
        out.has_next = facts.has_next;
        out.can_fail = m_.may_fail(f);
        out.recursive = facts.recursive;
        if (f->embedded_c) {
            out.embedded = f->embedded_c;
            out.embedded_at = f->embedded_at;
            out.writes_args = !f->pragmas.unmodified_fnargs;
            out.pure = f->pragmas.pure;
            out.syscall_here = resolve::has_pragma(*f, resolve::kSyscallHere);
            out.borrowed = f->pragmas.borrowed;
            // The pragmas of a script's own C are unchecked, so they do not count.
            out.untraced = resolve::has_pragma(*f, resolve::kUntraced) && !users_own(f->at);
            out.anywhere = resolve::has_pragma(*f, resolve::kAnywhere) && !users_own(f->at);
            int numbers = 0, strings = 0;
            for (const ast::Param &p : f->params) {
                bool string = p.variable->type == ast::Type::String;
                out.params.push_back(
                    {p.name, {string ? ValueKind::Pointer : ValueKind::Reg, string ? strings++ : numbers++}});
            }
            for (const auto &entry : facts.effects.globals)
                out.accessed_globals.push_back(m_.global(entry.first));
            std::sort(out.accessed_globals.begin(), out.accessed_globals.end());
            if (users_own(f->at)) m_.module.user_c = true;
        } else {
            BodyLowerer lowerer(m_, out.body, BodyLowerer::Kind::Function);
            lowerer.function(*f, out, m_.budgeted.count(f) != 0);
            out.callees.assign(lowerer.callees().begin(), lowerer.callees().end());
            out.pushes = !out.body.frame.empty() || facts.recursive || explicit_nesting;
        }
        m_.module.functions.push_back(std::move(out));
    }
}

// Before the handlers, which end with a look at the conditions they may have changed. Equal conditions are one.
void ModuleBuilder::conditions() {
    std::map<std::string, int> texts;
    for (const auto &handler : program_.handlers) {
        if (!handler->condition || std::none_of(handler->attaches.begin(), handler->attaches.end(), attached)) continue;
        Condition condition;
        BodyLowerer lowerer(m_, condition.body, BodyLowerer::Kind::Condition);
        condition.result = lowerer.condition(*handler->condition);
        bool fails = std::any_of(condition.body.code.begin(), condition.body.code.end(),
                                 [](const Inst &inst) { return inst.on_error >= 0 || inst.op == Op::Call; });
        if (fails || !condition.body.frame.empty())
            m_.diagnostics.report(Tag::LowerCondition, handler->condition->at,
                                  "a probe's condition must do without functions, statistics and new strings");
        std::string text = std::to_string(static_cast<int>(condition.result.kind)) + " " +
                           std::to_string(condition.result.n) + "\n" + print(m_.module, condition.body);
        auto [known, fresh] = texts.try_emplace(text, static_cast<int>(m_.module.conditions.size()));
        if (fresh) m_.module.conditions.push_back(std::move(condition));
        m_.conditions[handler.get()] = known->second;
        for (const auto &entry : m_.effects.of(*handler->condition, true).globals)
            m_.condition_on[entry.first].insert(known->second);
    }
}

probes::Attach ModuleBuilder::with_capacity(probes::Attach attach) const {
    auto *file = std::get_if<probes::ProcfsFile>(&attach.arg);
    if (file && file->max_size == 0)
        file->max_size = procfs_capacity_ ? procfs_capacity_ : m_.module.limits.string_capacity;
    return attach;
}

void ModuleBuilder::lower_handler(const resolve::Handler &handler) {
    if (std::none_of(handler.attaches.begin(), handler.attaches.end(), attached)) return;
    Handler out;
    out.where = handler.origin ? handler.origin->at.where() : handler.user_point;
    out.point = handler.user_point;
    out.synthetic = handler.synthetic;
    for (const probes::Attach &a : handler.attaches)
        if (attached(a)) out.attaches.push_back(with_capacity(a));
    const HandlerLocking &locking = m_.locking.handlers.at(&handler);
    out.session = locking.session;
    for (const ast::Variable *v : locking.locked)
        out.locks.push_back(m_.global(v));
    std::sort(out.locks.begin(), out.locks.end());
    BodyLowerer lowerer(m_, out.body, BodyLowerer::Kind::Handler);
    const Effects effects = m_.effects.of(*handler.body);
    const Cost &cost = effects.cost;
    out.prints = effects.prints && !out.session;
    lowerer.handler(handler, counts_actions(handler, cost));
    out.loops = cost.unbounded;
    out.callees.assign(lowerer.callees().begin(), lowerer.callees().end());
    if (auto condition = m_.conditions.find(&handler); condition != m_.conditions.end())
        out.condition = condition->second;
    if (handler.saved) {
        for (const auto &variable : *handler.saved)
            out.saved.push_back(variable->type);
    }
    out.is_entry = handler.is_entry;
    if (handler.attaches.front().facts().in_program) out.touches = find_touches(*handler.body, m_.module.programs);
    std::string text = print(m_.module, out.body);
    for (ast::Type type : out.saved)
        text += ast::type_name(type);
    for (int lock : out.locks)
        text += " " + std::to_string(lock);
    int number = static_cast<int>(m_.module.handlers.size());
    auto [first, added] = handler_texts_.try_emplace(text, number);
    if (!added) out.same_as = first->second;
    handler_index_[&handler] = number;
    m_.module.handlers.push_back(std::move(out));
}

void ModuleBuilder::link_entries() {
    for (const auto &handler : program_.handlers) {
        const auto own = handler_index_.find(handler.get()), entry = handler_index_.find(handler->entry);
        if (own != handler_index_.end() && entry != handler_index_.end())
            m_.module.handlers[static_cast<size_t>(own->second)].entry = entry->second;
    }
}

// Those that probes are at, or all, if some function goes by their names.
void ModuleBuilder::syscalls() {
    Syscalls &out = m_.module.syscalls;
    out.calls = program_.calls;
    if (!out.calls) return;
    bool all = false;
    for (const ast::Function *f : program_.functions) {
        all |= resolve::has_pragma(*f, resolve::kSyscallNames);
        out.texts |= resolve::has_pragma(*f, resolve::kSyscallTexts);
    }
    std::set<size_t> used;
    for (const Handler &handler : m_.module.handlers)
        for (const probes::Attach &a : handler.attaches)
            if (const auto *places = std::get_if<probes::SyscallPlaces>(&a.arg))
                used.insert(places->entries.begin(), places->entries.end());
    for (size_t i = 0; all && i < out.calls->entries().size(); ++i)
        used.insert(i);
    out.entries.assign(used.begin(), used.end());
}

// Determines the memory that arrays need.
void ModuleBuilder::array_uses() {
    std::vector<Global> &globals = m_.module.globals;
    for (const Handler &handler : m_.module.handlers) {
        for (const Inst &inst : handler.body.code) {
            if (inst.op != Op::SnapshotsTake) continue;
            for (const Snapshot &snapshot : m_.module.snapshots[static_cast<size_t>(inst.index)]) {
                Global &array = globals[static_cast<size_t>(snapshot.global)];
                array.cut |= snapshot.cut && handler.report;
                // Only reports merge statistics beside others.
                array.copied |= handler.report ? !snapshot.cut : array.type != ast::Type::Stat;
            }
        }
        if (!handler.attempt) continue;
        for (const Inst &inst : handler.attempt->code)
            if (inst.op == Op::MapSample || inst.op == Op::MapUpdate)
                globals[static_cast<size_t>(inst.global)].known = true;
    }
}

void ModuleBuilder::embedded() {
    for (const ast::EmbeddedCode *code : program_.embedded) {
        m_.module.embedded.push_back({code->code, ast::Type::Void, code->at, false, {}});
        if (users_own(code->at)) m_.module.user_c = true;
    }
    auto look = [&](const ast::Stmt &root) {
        ast::each_expr(root, [&](const ast::Expr &e) {
            bool c = e.kind == ast::ExprKind::EmbeddedC || e.kind == ast::ExprKind::Const;
            if (c && users_own(e.at)) m_.module.user_c = true;
        });
        ast::each_stmt(root, [&](const ast::Stmt &s) {
            if (s.kind == ast::StmtKind::EmbeddedC && users_own(s.at)) m_.module.user_c = true;
        });
    };
    for (const ast::Function *f : program_.functions)
        if (f->body) look(*f->body);
    for (const auto &handler : program_.handlers)
        look(*handler->body);
}

}  // namespace

Module lower(const resolve::Program &program, const LowerOptions &options, Diagnostics &diagnostics) {
    Module module = ModuleBuilder(program, options, diagnostics).build();
    assert(diagnostics.has_errors() || verify(module).empty());
    return module;
}

}  // namespace tapir::ir
