// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/elaborate.h"
#include "resolve/any_event.h"

#include <algorithm>
#include <map>
#include <set>

#include "ast/walk.h"
#include "base/help.h"
#include "base/name_patterns.h"
#include "resolve/autocast.h"
#include "resolve/body_parts.h"
#include "resolve/cause.h"
#include "resolve/checks.h"
#include "resolve/context_exprs.h"
#include "resolve/declarations.h"
#include "resolve/embedded_names.h"
#include "resolve/instances.h"
#include "resolve/names.h"
#include "resolve/overloads.h"
#include "resolve/place_functions.h"
#include "resolve/points.h"
#include "resolve/pragmas.h"
#include "resolve/prune.h"
#include "resolve/scope_trace.h"
#include "resolve/used.h"
#include "syntax/embedded_pieces.h"

namespace tapir::resolve {

namespace {

class Elaborator {
  public:
    Elaborator(std::vector<std::unique_ptr<ast::File>> user, library::Library &library, const ElaborateOptions &options,
               Diagnostics &diagnostics)
        : options_(options),
          diagnostics_(diagnostics),
          program_(std::make_unique<Program>()),
          user_(own(std::move(user))),
          declarations_(user_, library, diagnostics),
          bodies_(user_),
          points_(user_, library,
                  {options.symbols ? *options.symbols : no_symbols_, diagnostics,
                   options.debug ? *options.debug : no_debug_, options.calls, options.option, options.prologue,
                   options.names_only},
                  options.reach, options.guru, options.listing, diagnostics),
          names_{declarations_, diagnostics, options.guru, {}, {}, {}, {}, nullptr, {}},
          synthesis_(add_file()),
          needs_(declarations_),
          instances_(needs_, add_file()),
          placed_(instances_) {
        names_.instances = &instances_;
        if (!options.listing) names_.bodies = &bodies_;
        program_->target_types = std::make_shared<ScriptTypes>();
        for (const ast::File *file : user_)
            collect_counters(*file);
    }

    std::unique_ptr<Program> run() {
        for (ast::File *file : user_)
            file_probes(*file);
        need_assigned(names_);
        settle();
        if (options_.keep_unused) {
            for (ast::File *file : user_)
                for (const auto &function : file->functions)
                    if (needs_.of(*function) != Needs::Place) names_.need(*function);
            settle();
        }
        const std::vector<SeveralTypes> several = autocasts();
        if (options_.drop_unused) drop_unused();
        report_several(several, {names_.functions, program_->handlers}, diagnostics_);
        report_all_missing();
        const bool only_unhit =
            points_.unhit() && !options_.listing && report_only_unhit(*program_, options_.reach, diagnostics_);
        if (!only_unhit && program_->handlers.empty() && !diagnostics_.has_errors() && !options_.listing) {
            add_help(diagnostics_.report(Tag::NoProbes, "no probes found"),
                     "a script needs one at least: probe begin { ... }");
        }
        used_.insert(names_.functions.begin(), names_.functions.end());
        used_.insert(names_.globals.begin(), names_.globals.end());
        warn_of_unused_functions();
        list_used({user_, declarations_, names_, options_, diagnostics_, assigned_}, used_, *program_);
        check_rules(*program_, diagnostics_);
        check_reach(*program_, options_.reach, diagnostics_);
        check_embedded_names(*program_, diagnostics_);
        if (needs_calls()) program_->calls = options_.calls ? options_.calls() : nullptr;
        if (options_.debug) program_->objects = options_.debug->used();
        if (options_.debug) program_->programs = options_.debug->used_programs();
        return std::move(program_);
    }

  private:
    // Do the program's probes or functions go by what system calls there are?
    bool needs_calls() const {
        const auto is_syscall = [](const probes::Attach &attach) {
            return std::holds_alternative<probes::SyscallPlaces>(attach.arg);
        };
        for (const auto &handler : program_->handlers)
            if (std::any_of(handler->attaches.begin(), handler->attaches.end(), is_syscall)) return true;
        return std::any_of(program_->functions.begin(), program_->functions.end(),
                           [](const ast::Function *f) { return has_pragma(*f, kSyscallNames); });
    }

    // Globals that -G sets are part of the program, even a tapset's variable without other uses.
    void need_assigned(NameContext &names) {
        std::vector<std::string> needed = options_.assigned_globals;
        needed.insert(needed.end(), options_.loaded_options.begin(), options_.loaded_options.end());
        for (const std::string &name : needed)
            if (ast::Variable *global = user_.empty() ? nullptr : declarations_.global(name, *user_.front());
                global && !global->is_private)
                names.need(*global);
    }

    std::vector<ast::File *> own(std::vector<std::unique_ptr<ast::File>> user) {
        std::vector<ast::File *> files;
        for (auto &file : user)
            files.push_back(file.get());
        program_->files = std::move(user);
        return files;
    }

    // The names that points of a file give to events, for @perf.
    void collect_counters(const ast::File &file) {
        const auto collect = [&](const std::vector<ast::ProbePoint> &points) {
            for (const ast::ProbePoint &point : points)
                collect_counter(point.components);
        };
        for (const auto &probe : file.probes)
            collect(probe->points);
        for (const auto &alias : file.aliases)
            collect(alias->points);
    }

    void collect_counter(const std::vector<ast::PointComponent> &components) {
        if (components.empty()) return;
        const ast::PointComponent &last = components.back();
        if (last.name != "counter" || !last.arg || last.arg->kind != ast::ExprKind::String) return;
        const bool of_threads = std::any_of(components.begin(), components.end(),
                                            [](const ast::PointComponent &c) { return c.name == "process"; });
        Counted &counted = counters_[static_cast<const ast::String &>(*last.arg).value];
        (of_threads ? counted.by_threads : counted.by_cpus) = true;
    }

    // For code that the translator writes itself.
    ast::File &add_file() {
        program_->files.push_back(std::make_unique<ast::File>());
        return *program_->files.back();
    }

    // Adds to a place the members that are the same for all bodies.
    TargetPlace complete(TargetPlace place) {
        place.guru = options_.guru;
        place.debug = options_.debug;
        place.counters = &counters_;
        place.synthesis = &synthesis_;
        place.types = program_->target_types.get();
        return place;
    }

    std::vector<SeveralTypes> autocasts() {
        const auto need = [&](ast::Expr &made) {
            ast::each_expr(made, [&](ast::Expr &e) {
                if (e.kind != ast::ExprKind::Call) return;
                for (ast::Function *function : static_cast<ast::Call &>(e).candidates)
                    names_.need(*function);
            });
            settle();
        };
        const AutocastNames names{need,
                                  [&](ast::Stmt &stmt) {
                                      if (names_.resume(stmt)) settle();
                                  },
                                  [&](ast::Expr &expr) {
                                      if (names_.resume(expr)) settle();
                                  }};
        const std::vector<SeveralTypes> several =
            resolve_autocasts({names_.functions, program_->handlers}, context(complete({})), names, diagnostics_);
        for (const auto &resolver : unfinished_)
            resolver->finish();
        for (ast::Function *function : names_.functions)
            if (function->body) forget_locals(*function->body, function->locals);
        for (const auto &handler : program_->handlers)
            forget_locals(*handler->body, handler->locals);
        return several;
    }

    // A missing name is reported at the end, if the script needs it then. Listings show only names that were found.
    ContextOptions context(TargetPlace place) const {
        ContextOptions context;
        context.place = std::move(place);
        context.skip_bad = options_.skip_badvars;
        context.put_off = !options_.listing;
        return context;
    }

    // Drops code without effect, and finds out again what the rest uses.
    void drop_unused() {
        const Purity purity(names_.functions);
        Pruner pruner(purity, diagnostics_, names_.asked);
        for (ast::Function *function : names_.functions)
            if (function->body) pruner.body(function->body);
        for (const auto &handler : program_->handlers)
            pruner.body(handler->body);
        if (diagnostics_.has_errors()) return forget_all_locals();
        for (ast::Variable *global : names_.globals) {
            if (global->is_written) assigned_.insert(global);
            global->is_read = global->is_written = false;
        }
        NameContext left{declarations_, diagnostics_, true, {}, {}, {}, names_.arity_at, nullptr, {}};
        for (const auto &handler : program_->handlers) {
            use_again(left, *handler->body, handler->locals);
            if (handler->condition) use_condition(left, *handler->condition);
        }
        need_assigned(left);
        for (size_t i = 0; i < left.functions.size(); ++i) {
            ast::Function &function = *left.functions[i];
            if (function.body) use_again(left, *function.body, function.locals);
            take_pragmas(function, left);
        }
        names_.functions = std::move(left.functions);
        names_.globals = std::move(left.globals);
    }

    // Types may be inferred all the same, but not from dropped code.
    void forget_all_locals() {
        for (ast::Function *function : names_.functions)
            if (function->body) forget_locals(*function->body, function->locals);
        for (const auto &handler : program_->handlers)
            forget_locals(*handler->body, handler->locals);
    }

    static void use_condition(NameContext &left, const ast::Expr &condition) {
        ast::each_expr(condition, [&](const ast::Expr &e) {
            if (e.kind != ast::ExprKind::VarRef) return;
            ast::Variable &global = *static_cast<const ast::VarRef &>(e).variable;
            left.need(global);
            global.is_read = true;
        });
    }

    void report_all_missing() {
        std::map<const ast::Probe *, ReportedPlaces> of_probes;
        ReportedPlaces of_functions;
        for (const auto &handler : program_->handlers)
            report_missing(*handler->body, of_probes[handler->origin], diagnostics_);
        for (const ast::Function *function : names_.functions)
            if (function->body) report_missing(*function->body, of_functions, diagnostics_);
    }

    std::function<bool(const ast::Call &)> is_callable_from(const ast::File &file) {
        return [this, &file](const ast::Call &call) { return is_callable(call, file, declarations_); };
    }

    // Counts the uses in a body whose names are known. All was allowed when they were looked up.
    static void use_again(NameContext &left, ast::Stmt &body, std::vector<std::unique_ptr<ast::Variable>> &locals) {
        for (const auto &local : locals)
            if (local->scope == ast::Variable::Scope::Local) local->is_read = local->is_written = false;
        BodyResolver(left, locals).body(body);
        forget_locals(body, locals);
    }

    void file_probes(const ast::File &file) {
        const bool looks = !options_.reach.has_events();
        for (const auto &probe : file.probes) {
            probe->file = &file;
            std::vector<Located> places =
                points_.resolve(probe->points, file, looks && takes_any_event(*probe->body, user_));
            if (!options_.listing) {
                bodies_.report_lacking(*probe, places, declarations_, diagnostics_);
                join_alike(*probe, places);
            }
            for (Located &located : places)
                handler(*probe, located);
        }
    }

    // The probe that led to a place: where it is, and the point as written.
    struct Source {
        SourceRef at;
        std::string point;
    };

    // Replaces what depends on the place; false after a report.
    bool settle_place(Variant &variant, TargetPlace place, const Source &source) {
        const size_t errors = diagnostics_.error_count();
        place = complete(std::move(place));
        if (place.at_return || place.saves_at_entry) place.saves = &variant.saves;
        const ast::Stmt *own = variant.parts.own < variant.parts.body->body.size()
                                   ? variant.parts.body->body[variant.parts.own].get()
                                   : nullptr;
        for (size_t i = 0; i < variant.parts.body->body.size(); ++i) {
            const ast::File &file = *variant.parts.seen_from[i];
            place.file = &file;
            place.guru = options_.guru || file.privileged;
            place.is_local = [&](const std::string &name) { return !declarations_.global(name, file); };
            ContextOptions there = context(place);
            there.own = own;
            there.is_callable = is_callable_from(file);
            resolve_context(variant.parts.body->body[i], there, diagnostics_);
        }
        settle_functions(variant, std::move(place), source);
        return diagnostics_.error_count() == errors;
    }

    // Settles the functions that the body calls, and then those that are called at the entry to save their results.
    void settle_functions(Variant &variant, TargetPlace place, const Source &source) {
        const PlaceContext shared{declarations_,         needs_,           diagnostics_, options_.guru,
                                  options_.skip_badvars, !options_.listing};
        std::vector<PlaceBody> bodies;
        for (size_t i = 0; i < variant.parts.body->body.size(); ++i)
            bodies.push_back({variant.parts.body->body[i].get(), nullptr, variant.parts.seen_from[i]});
        variant.functions = functions_at(bodies, place, source.at, source.point, shared);
        bodies.clear();
        for (const EntrySaves::Save &save : variant.saves.saves)
            bodies.push_back({nullptr, save.value.get(), save.file});
        place.at_return = place.saves_at_entry = false;
        place.saves = nullptr;
        variant.entry_functions = functions_at(bodies, place, source.at, source.point, shared);
    }

    void handler(const ast::Probe &probe, Located &located) {
        Parts parts = assemble(probe, located);
        if (assigning(located) && !options_.listing) leave_unread_out(parts);
        std::vector<Variant> variants;
        const Needs needs = functions_need(parts);
        if (!has_context(*parts.body) && needs == Needs::Nothing) {
            variants.push_back({std::move(parts), {}, std::move(located.attaches)});
        } else if (!split(parts, located, needs, variants)) {
            return;
        }
        for (Variant &variant : variants)
            if (!variant.attaches.empty()) finish_handler(probe, located, variant);
    }

    // Returns the needs of the functions that a body calls.
    Needs functions_need(const Parts &parts) {
        Needs most = Needs::Nothing;
        for (size_t i = 0; i < parts.body->body.size(); ++i)
            most = std::max(most, needs_.of(*parts.body->body[i], *parts.seen_from[i]));
        return most;
    }

    // Results of splitting a body so far.
    struct Meanings {
        Source source;
        std::map<std::string, size_t> known;  // by text
        std::map<std::pair<probes::Kind, std::string>, ScopeTraces> traces;
        std::vector<Variant> &variants;
        bool by_module;  // places of different modules have different meanings
    };

    // One variant for each different meaning that the body has at the places; false after a report.
    bool split(const Parts &parts, const Located &located, Needs needs, std::vector<Variant> &variants) {
        Meanings meanings{{parts.body->at, located.points.front()}, {}, {}, variants, needs != Needs::Nothing};
        for (const probes::Attach &attach : located.attaches) {
            probes::Attach moved = attach;
            moved.sites.clear();
            if (!split_attach(parts, attach, meanings, &moved)) return false;
            moved.place_behind_entries();
            if (!moved.sites.empty() && !split_attach(parts, moved, meanings, nullptr)) return false;
        }
        return true;
    }

    // Some values exist only behind the function's prologue. Places where the body uses these go to `moved`, and are
    // there.
    bool split_attach(const Parts &parts, const probes::Attach &attach, Meanings &meanings, probes::Attach *moved) {
        probes::Attach bare = attach;
        bare.sites.clear();
        std::map<size_t, size_t> positions;  // variant -> this attach among the variant's
        for (size_t i = 0; i < std::max<size_t>(attach.sites.size(), 1); ++i) {
            const target::Scope *scope = attach.sites.empty() ? attach.scope.get() : attach.sites[i].scope.get();
            const std::string module = scope && meanings.by_module ? scope->module() : "";
            ScopeTraces &traces = meanings.traces[{attach.kind, module}];
            std::optional<size_t> variant = scope ? traces.find(*scope) : std::nullopt;
            const size_t mark = diagnostics_.mark();
            std::optional<TracedScope> traced;
            if (!variant) {
                if (scope) traced.emplace(*scope);
                variant = meaning(parts, attach, traced ? &*traced : nullptr, module, meanings);
            }
            if (const auto by = scope && moved ? scope->behind_prologue() : std::nullopt) {
                diagnostics_.drop_since(mark);
                moved->sites.push_back(attach.sites[i]);
                moved->sites.back().move_behind_entry(*by);
                scope->move_behind_prologue();
                continue;
            }
            if (!variant) return false;
            if (traced) traces.add(traced->steps(), *variant);
            std::vector<probes::Attach> &attaches = meanings.variants[*variant].attaches;
            const auto [at, is_new] = positions.try_emplace(*variant, attaches.size());
            if (is_new) attaches.push_back(bare);
            if (!attach.sites.empty()) add_site(attaches[at->second], attach.sites[i]);
        }
        return true;
    }

    // The variant that the body is at a place of `attach`, which is in `module` if that matters; nothing after a
    // report.
    std::optional<size_t> meaning(const Parts &parts, const probes::Attach &attach, const target::Scope *scope,
                                  const std::string &module, Meanings &meanings) {
        Variant variant{parts.copy(), {}, {}, module};
        TargetPlace place;
        place.scope = scope;
        place.is_code = !attach.sites.empty();
        place.in_program = attach.in_program();
        place.at_return = attach.facts().at_return;
        place.saves_at_entry = attach.saves_at_entry();
        if (!settle_place(variant, place, meanings.source)) return std::nullopt;
        const auto [at, is_new] = meanings.known.try_emplace(text_of(variant) + module, meanings.variants.size());
        if (is_new) meanings.variants.push_back(std::move(variant));
        return at->second;
    }

    void finish_handler(const ast::Probe &probe, const Located &located, Variant &variant) {
        auto handler = std::make_unique<Handler>();
        handler->origin = &probe;
        handler->user_point = located.points.front();
        handler->derivation.assign(located.points.rbegin(), located.points.rend());
        handler->matched = located.matched;
        handler->attaches = options_.listing ? std::move(variant.attaches) : join_places(variant.attaches);
        handler->body = std::move(variant.parts.body);
        placed_.bind(variant.functions, variant.module);
        auto resolver = std::make_unique<BodyResolver>(names_, handler->locals);
        resolver->set_module(variant.module);
        resolver->set_place(probe.at, located.points.front());
        for (size_t i = 0; i < variant.parts.seen_from.size(); ++i) {
            resolver->set_own(i == variant.parts.own);
            resolver->set_file(*variant.parts.seen_from[i]);
            resolver->body(*handler->body->body[i]);
        }
        for (const Condition &condition : located.conditions) {
            resolver->set_file(*condition.file);
            add_condition(*handler, *resolver, *condition.expr);
        }
        finish(std::move(resolver));
        if (!variant.saves.saves.empty()) add_entry(*handler, variant);
        program_->handlers.push_back(std::move(handler));
    }

    // Adds the handler at the entry of the same call, which saves values for the return's handler.
    void add_entry(Handler &handler, Variant &variant) {
        EntrySaves &saves = variant.saves;
        placed_.bind(variant.entry_functions, variant.module);
        auto entry = std::make_unique<Handler>();
        entry->origin = handler.origin;
        entry->user_point = handler.user_point;
        entry->derivation = handler.derivation;
        entry->attaches = handler.attaches;
        entry->is_entry = true;
        entry->saved = handler.saved = saves.variables;
        entry->body = std::make_unique<ast::Block>(handler.body->at);
        for (EntrySaves::Save &save : saves.saves) {
            const SourceRef at = save.variable->at;
            auto target = std::make_unique<ast::VarRef>(at, save.variable->name);
            target->variable = save.variable;
            auto assign =
                std::make_unique<ast::Assign>(at, ast::AssignOp::Set, std::move(target), std::move(save.value));
            entry->body->body.push_back(std::make_unique<ast::ExprStmt>(at, std::move(assign)));
        }
        auto resolver = std::make_unique<BodyResolver>(names_, entry->locals);
        resolver->set_module(variant.module);
        for (size_t i = 0; i < saves.saves.size(); ++i) {
            resolver->set_file(*saves.saves[i].file);
            resolver->body(*entry->body->body[i]);
        }
        finish(std::move(resolver));
        handler.entry = entry.get();
        program_->handlers.push_back(std::move(entry));
    }

    void finish(std::unique_ptr<BodyResolver> resolver) {
        if (resolver->has_put_off())
            unfinished_.push_back(std::move(resolver));
        else
            resolver->finish();
    }

    void add_condition(Handler &handler, BodyResolver &resolver, const ast::Expr &expr) {
        ast::ExprPtr copy = ast::clone(expr);
        resolver.condition(*copy);
        if (!handler.condition) {
            handler.condition = std::move(copy);
        } else {
            SourceRef at = copy->at;
            handler.condition = std::make_unique<ast::Logical>(at, true, std::move(handler.condition), std::move(copy));
        }
    }

    // Resolves needed declarations until no new ones are needed.
    void settle() {
        for (bool more = true; more;) {
            more = false;
            while (resolved_ < names_.functions.size()) {
                function(*names_.functions[resolved_++]);
                more = true;
            }
            while (settled_probes_ < declarations_.used_library().size()) {
                file_probes(*declarations_.used_library()[settled_probes_++]);
                more = true;
            }
        }
    }

    void function(ast::Function &function) {
        const std::string module = instances_.module_of(function);
        auto resolver = std::make_unique<BodyResolver>(names_, function.locals);
        resolver->set_file(*function.seen_from());
        resolver->set_module(module);
        resolver->set_place(function.at);
        resolver->add_parameters(function.params);
        if (function.body) {
            TargetPlace place = complete({});
            std::unique_ptr<target::Scope> whole =
                module.empty() || !options_.debug ? nullptr : options_.debug->whole_scope(module);
            place.scope = whole.get();
            place.in_program = module.find('/') != std::string::npos;
            place.guru = options_.guru || function.seen_from()->privileged;
            ContextOptions there = context(place);
            there.is_callable = is_callable_from(*function.seen_from());
            // Parts that depend on the place are resolved by now.
            if (function.file != &synthesis_.file() && !instances_.is_placed(function))
                resolve_context(function.body, there, diagnostics_);
            resolver->body(*function.body);
        }
        check_pragmas(function, diagnostics_);
        take_pragmas(function, names_);
        finish(std::move(resolver));
    }

    // Embedded C names the globals it touches by pragma.
    static void take_pragmas(const ast::Function &function, NameContext &names) {
        names.pragma_globals(function.pragmas.reads, false, *function.file, function.at);
        names.pragma_globals(function.pragmas.writes, true, *function.file, function.at);
    }

    void warn_of_unused_functions() {
        if (diagnostics_.has_errors()) return;
        for (ast::File *file : user_)
            for (const auto &unused : file->functions) {
                // The warning about dropped calls of a function is enough.
                const bool told = names_.seen.count(unused.get()) || instances_.is_replaced(*unused) ||
                                  unused->name.starts_with(syntax::kPiece);
                if (!used_.count(unused.get()) && !told) warn_of_unused(*unused);
            }
    }

    void warn_of_unused(const ast::Function &function) {
        if (const ast::Function *hider = hidden_by(function, declarations_)) {
            add_cause(diagnostics_.report(
                          Tag::UnreachableOverload, function.at,
                          "function " + function.name + " is never reached: an overload before it has no 'next'"),
                      "this one always answers", hider->at);
        } else {
            diagnostics_.report(Tag::UnusedFunction, function.at, "Eliding unused function '" + function.name + "'");
        }
    }

    const target::Symbols no_symbols_;
    const target::DebugInfo no_debug_;
    const ElaborateOptions &options_;
    Diagnostics &diagnostics_;
    std::unique_ptr<Program> program_;
    std::vector<ast::File *> user_;
    Declarations declarations_;
    ScriptBodies bodies_;
    PointResolver points_;
    NameContext names_;
    std::set<const ast::Variable *> assigned_;  // before code without effect was dropped
    Synthesis synthesis_;
    CallNeeds needs_;
    FunctionInstances instances_;
    PlacedFunctions placed_;
    size_t resolved_ = 0;        // functions of names_ that are done
    size_t settled_probes_ = 0;  // used library files whose probes are done
    std::map<std::string, Counted> counters_;
    std::vector<std::unique_ptr<BodyResolver>> unfinished_;  // that wait for an answer to @defined
    std::set<const void *> used_;                            // functions and globals that a handler reaches
};

}  // namespace

std::unique_ptr<Program> elaborate(std::vector<std::unique_ptr<ast::File>> user, library::Library &library,
                                   const ElaborateOptions &options, Diagnostics &diagnostics) {
    return Elaborator(std::move(user), library, options, diagnostics).run();
}

}  // namespace tapir::resolve
