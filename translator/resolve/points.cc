// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/points.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/help.h"
#include "base/name_patterns.h"
#include "library/match.h"
#include "resolve/cause.h"
#include "syscalls/aliases.h"

namespace tapir::resolve {

namespace {

std::vector<std::string_view> component_names(const ast::ProbePoint &point) {
    std::vector<std::string_view> names;
    for (const ast::PointComponent &component : point.components)
        names.push_back(component.name);
    return names;
}

bool same_argument(const ast::PointComponent &a, const ast::PointComponent &b) {
    if (!a.arg || !b.arg) return !a.arg && !b.arg;
    return ast::print(*a.arg) == ast::print(*b.arg);
}

// The arguments of an alias's name are part of it. Wildcards stand for components without arguments.
bool arguments_agree(const ast::ProbePoint &alias, const ast::ProbePoint &point) {
    if (library::has_wildcard_names(point)) {
        return std::none_of(alias.components.begin(), alias.components.end(),
                            [](const auto &c) { return c.arg != nullptr; });
    }
    for (size_t i = 0; i < alias.components.size(); ++i) {
        if (!same_argument(alias.components[i], point.components[i])) return false;
    }
    return true;
}

// The point without "?", "!" and condition: what a handler is attached to.
ast::ProbePoint bare(const ast::ProbePoint &point) {
    ast::ProbePoint copy = ast::clone(point);
    copy.optional = copy.sufficient = false;
    copy.condition = nullptr;
    return copy;
}

std::string component_text(const ast::PointComponent &component) {
    return component.arg ? component.name + "(" + ast::print(*component.arg) + ")" : component.name;
}

// The component as lists of what may be written show it: "ms(number)".
std::string form_text(const ast::PointComponent &component) {
    if (!component.arg) return component.name;
    return component.name + (component.arg->kind == ast::ExprKind::Number ? "(number)" : "(string)");
}

std::string full_name(const ast::ProbePoint &alias, const std::vector<ast::PointComponent> &suffix) {
    std::string text = alias.str();
    for (const ast::PointComponent &component : suffix)
        text += "." + component_text(component);
    return text;
}

std::string written(const ast::ProbePoint &point) {
    ast::ProbePoint copy = ast::clone(point);
    copy.condition = nullptr;
    return copy.str();
}

// Puts all reports since `mark` below one "while resolving probe point".
void wrap(Diagnostics &diagnostics, size_t mark, const SourceRef &at) {
    std::vector<Diagnostic> causes;
    for (size_t i = mark; i < diagnostics.mark(); ++i) {
        causes.push_back(*diagnostics.all()[i]);
        if (!causes.back().at) causes.back().at = at;
    }
    diagnostics.drop_since(mark);
    // A warning may come before the error.
    const auto error = std::find_if(causes.begin(), causes.end(),
                                    [](const Diagnostic &cause) { return cause.severity == Severity::Error; });
    const Tag tag = (error != causes.end() ? *error : causes.front()).tag;
    Diagnostic &needed = diagnostics.report(tag, at, "while resolving probe point");
    needed.causes = std::move(causes);
    needed.leads_on = true;
}

}  // namespace

PointResolver::PointResolver(std::vector<ast::File *> user, library::Library &library, probes::ResolveContext context,
                             const Reach &reach, bool guru, bool listing, Diagnostics &diagnostics)
    : user_(std::move(user)),
      library_(library),
      diagnostics_(diagnostics),
      context_(std::move(context)),
      reach_(reach),
      guru_(guru),
      listing_(listing) {
    index_user_aliases();
}

void PointResolver::index_user_aliases() {
    for (ast::File *file : user_) {
        prepare(*file);
        for (const auto &alias : file->aliases) {
            for (const ast::ProbePoint &name : alias->names) {
                if (name.components.empty()) continue;
                std::vector<const ast::Alias *> &same = user_aliases_[name.components[0].name];
                if (same.empty() || same.back() != alias.get()) same.push_back(alias.get());
            }
        }
    }
}

// Returns false, from then on for the whole list, if the list does not seem to end.
bool PointResolver::within_limits(const Path &path) {
    constexpr size_t kMaxAliases = 300, kMaxSteps = 50000;
    if (path.aliases.size() > kMaxAliases)
        over_limit_ = "more than " + std::to_string(kMaxAliases) + " aliases stand for each other here; the last is " +
                      path.aliases.back()->names[0].str();
    else if (++steps_ > kMaxSteps)
        over_limit_ = "this stands for more than " + std::to_string(kMaxSteps) +
                      " points; use several probes, or aliases that name fewer";
    return over_limit_.empty();
}

std::vector<Located> PointResolver::resolve(const ast::ProbePoints &points, const ast::File &file, bool any_event) {
    std::vector<Located> found;
    any_event_ = any_event;
    const size_t mark = diagnostics_.mark();
    steps_ = 0;
    over_limit_.clear();
    list(points, {}, file, {}, found);
    if (!over_limit_.empty()) {
        diagnostics_.drop_since(mark);
        refusals_.clear();
        diagnostics_.report(Tag::AliasRecursion, points.front().at, over_limit_);
        return {};
    }
    std::vector<Located> merged;
    for (Located &place : found) {
        bool same = !merged.empty() && place.aliases.empty() && merged.back().aliases.empty() &&
                    place.conditions.empty() && merged.back().conditions.empty();
        if (!same) {
            merged.push_back(std::move(place));
            continue;
        }
        auto &attaches = merged.back().attaches;
        std::move(place.attaches.begin(), place.attaches.end(), std::back_inserter(attaches));
    }
    return merged;
}

void PointResolver::list(const ast::ProbePoints &points, const std::vector<ast::PointComponent> &suffix,
                         const ast::File &file, const Path &path, std::vector<Located> &out) {
    for (const ast::ProbePoint &written_point : points) {
        ast::ProbePoint target = ast::clone(written_point);
        for (const ast::PointComponent &component : suffix) {
            ast::PointComponent copy;
            copy.name = component.name;
            copy.at = component.at;
            if (component.arg) copy.arg = ast::clone(*component.arg);
            target.components.push_back(std::move(copy));
        }
        if (!over_limit_.empty() || !within_limits(path)) return;
        Path step = path;
        step.points.push_back(written(target));
        if (written_point.condition) step.conditions.push_back({written_point.condition.get(), &file});
        const bool tolerated = target.optional || target.sufficient;
        step.optional = path.optional || tolerated;
        step.privileged = guru_ || file.privileged;
        const size_t mark = diagnostics_.mark(), errors = diagnostics_.error_count(), before = out.size();
        point(target, step, out);
        const bool failed = diagnostics_.error_count() != errors;
        if (failed && step.optional) {
            refuse_since(mark);
        } else if (failed) {
            wrap(diagnostics_, mark,
                 written_point.components.empty() ? written_point.at : written_point.components[0].at);
        }
        if (target.sufficient && out.size() != before) return;
    }
}

void PointResolver::point(const ast::ProbePoint &target, const Path &path, std::vector<Located> &out) {
    const size_t before = out.size(), errors = diagnostics_.error_count(), refused = refusals_.size();
    const size_t dropped = dropped_;
    std::vector<Match> matches = find_aliases(target, path);
    const bool wildcard = library::has_wildcard_names(target), known = !wildcard && probes::is_known(target);
    // Tapsets of others do not change what the translator itself knows.
    if (known) std::erase_if(matches, [&](const Match &match) { return library_.fills_gaps(*match.alias->file); });
    const bool whole =
        std::any_of(matches.begin(), matches.end(), [&](const Match &m) { return m.used == target.components.size(); });
    // A suffix is passed on only when nothing has the whole name.
    const bool is_builtin = wildcard || (!whole && known);
    size_t not_meant = 0;
    std::vector<std::string> failed;
    std::optional<Diagnostic> first_failure;
    if (wildcard || !is_builtin) {
        for (const Match &match : matches) {
            if (std::find(path.aliases.begin(), path.aliases.end(), match.alias) != path.aliases.end()) {
                add_cause(diagnostics_.report(Tag::AliasRecursion, target.components[0].at,
                                              "alias " + match.alias->names[0].str() + " is expanded within itself"),
                          "alias declared here", match.alias->at);
                return;
            }
            Path step = path;
            step.aliases.push_back(match.alias);
            std::vector<ast::PointComponent> suffix;
            for (size_t i = match.used; i < target.components.size(); ++i) {
                ast::PointComponent copy;
                copy.name = target.components[i].name;
                copy.at = target.components[i].at;
                if (target.components[i].arg) copy.arg = ast::clone(*target.components[i].arg);
                suffix.push_back(std::move(copy));
            }
            // A pattern does not mean an alias whose points the rest of the pattern cannot follow.
            step.tentative = path.tentative || (wildcard && !suffix.empty());
            if (path.aliases.empty()) step.matched = full_name(match.alias->names[match.name], suffix);
            const size_t mark = diagnostics_.mark(), failures = diagnostics_.error_count(), so_far = out.size();
            const size_t reasons = refusals_.size();
            list(match.alias->points, suffix, *match.alias->file, step, out);
            if (!over_limit_.empty()) return;
            if (!wildcard || diagnostics_.error_count() == failures) continue;
            refuse_since(mark);
            if (!suffix.empty()) {
                refusals_.resize(reasons);
                not_meant += out.size() == so_far;
                continue;
            }
            failed.push_back(match.alias->names[match.name].str());
            if (!first_failure) first_failure = refusals_[reasons];
        }
    }
    if (is_builtin) builtin(target, path, out);
    const std::vector<Diagnostic> why = take_refusals(refused);
    if (diagnostics_.error_count() != errors) return;
    if (out.size() != before) {
        if (!failed.empty() && !path.optional) warn_of(target, failed, *first_failure);
    } else if (dropped_ != dropped) {
        return;
    } else if (matches.size() == not_meant) {
        mismatch(target, path.tentative);
    } else {
        diagnostics_
            .report(Tag::ProbePointMismatch, target.components[0].at,
                    wildcard ? "nothing that the wildcards match could be resolved"
                             : "none of the alias's optional points could be resolved")
            .causes = why;
    }
}

// Turns the errors since `mark` into refusals.
void PointResolver::refuse_since(size_t mark) {
    for (size_t i = mark; i < diagnostics_.mark(); ++i)
        if (diagnostics_.all()[i]->severity == Severity::Error) refusals_.push_back(*diagnostics_.all()[i]);
    diagnostics_.drop_since(mark);
}

// Aliases a wildcard means beside others that could be resolved.
void PointResolver::warn_of(const ast::ProbePoint &target, const std::vector<std::string> &failed,
                            const Diagnostic &why) {
    constexpr size_t kEnough = 5;
    std::string names;
    for (size_t i = 0; i < failed.size() && i < kEnough; ++i)
        names += (i ? ", " : "") + failed[i];
    if (failed.size() > kEnough) names += " and " + std::to_string(failed.size() - kEnough) + " more";
    diagnostics_
        .report(Tag::WildcardIncomplete, target.components[0].at,
                "of what the wildcards match, this could not be resolved, or not all of it: " + names)
        .causes = {why};
}

// Those since `mark`, each message once; a few say enough.
std::vector<Diagnostic> PointResolver::take_refusals(size_t mark) {
    constexpr size_t kEnough = 3;
    std::vector<Diagnostic> taken;
    for (size_t i = mark; i < refusals_.size() && taken.size() < kEnough; ++i) {
        const auto same = [&](const Diagnostic &other) { return other.message == refusals_[i].message; };
        if (std::none_of(taken.begin(), taken.end(), same)) taken.push_back(std::move(refusals_[i]));
    }
    refusals_.resize(mark);
    return taken;
}

// Wildcards mean what happens to processes. Where nothing can happen, they mean how these stand, too.
static bool is_snapshot(const ast::ProbePoint &point) {
    const std::string &last = point.components.back().name;
    const std::string &first = point.components.front().name;
    return (first == "process" && (last == "snapshot" || last == "frame")) || (first == "kernel" && last == "snapshot");
}

// A handler that takes any event of the target means to look at it: on a core, at once. Only what names the program
// that the process ran is such an event.
bool PointResolver::look_once(const ast::ProbePoint &target, const Path &path, std::vector<ast::ProbePoint> &points) {
    const ast::PointComponent &process = target.components[0];
    if (!any_event_ || !reach_.looks_at_process() || process.name != "process" ||
        target.components[1].name == "library")
        return false;
    if (process.arg && process.arg->kind == ast::ExprKind::String) {
        const std::vector<std::string> named =
            context_.debug.subject().find(static_cast<const ast::String &>(*process.arg).value);
        if (named.size() != 1 || named.front() != context_.debug.target().program) return false;
    }
    ast::ProbePoint look = bare(target);
    look.components.resize(1);
    look.components.emplace_back().name = "snapshot";
    look.components.back().at = process.at;
    points.push_back(std::move(look));
    if (!path.optional)
        diagnostics_.report(Tag::LooksOnce, process.at,
                            path.points.front() + " looks at the process as it stands, once: " +
                                std::string(reach_.nothing_runs) + ", and the handler takes any event of the target");
    return true;
}

// Keeps only points that look at the process as it is: a dead or stopped process causes no events. False if no point
// remains, which is no failure.
bool PointResolver::drop_unhit(std::vector<ast::ProbePoint> &points, const ast::ProbePoint &target, const Path &path) {
    if (points.empty()) return true;
    std::erase_if(points, [this](const ast::ProbePoint &point) { return !reach_.hits(point); });
    if (!points.empty() || look_once(target, path, points)) return true;
    std::string by(reach_.looks_by);
    if (reach_.looks_at_process() && target.components[0].name == "process")
        by = component_text(target.components[0]) + ".snapshot";
    report_unhit(target, path,
                 std::string(reach_.nothing_runs) + (by.empty() ? "" : "; " + by + " looks at it as it stands"));
    return false;
}

void PointResolver::report_unhit(const ast::ProbePoint &target, const Path &path, const std::string &why) {
    ++dropped_;
    // Probes of tapsets serve their functions.
    const SourceRef &at = target.components[0].at;
    const bool of_script =
        !path.aliases.empty() ||
        (at.file && (at.file->origin() == Origin::UserScript || at.file->origin() == Origin::CommandLine));
    unhit_ += of_script;
    if (of_script && !path.optional && !path.tentative)
        diagnostics_.report(Tag::NeverHit, at, path.points.front() + " is never hit: " + why);
}

// A system call by its name that Linux has, had or will have, by the tables: kernel.syscall("NAME").
static bool is_absent_call(const ast::ProbePoint &target, const probes::ResolveContext &context) {
    if (target.components.size() < 2 || target.components[0].name != "kernel" ||
        target.components[1].name != "syscall" || !target.components[1].arg || !context.calls)
        return false;
    const syscalls::Calls *calls = context.calls();
    const std::string &name = static_cast<const ast::String &>(*target.components[1].arg).value;
    if (!calls || !calls->missing().empty()) return false;
    const auto &known = calls->table().calls();
    return !calls->table().reason(name).empty() ||
           std::any_of(known.begin(), known.end(), [&](const syscalls::Call &call) { return call.kernel == name; });
}

// Scripts name calls one by one that other kernels have. The error since `mark` becomes a warning.
probes::Attach PointResolver::never_hit(const ast::ProbePoint &target, size_t mark) {
    for (Diagnostic &error : take_errors(mark))
        diagnostics_.report(Tag::NeverHit, error.at, error.message + ": the probe is never hit");
    probes::Attach attach;
    attach.kind = probes::Kind::Never;
    attach.point = target.str();
    return attach;
}

// Takes the errors since `mark` out of the diagnostics; warnings stay.
std::vector<Diagnostic> PointResolver::take_errors(size_t mark) {
    std::vector<Diagnostic> errors, others;
    for (size_t i = mark; i < diagnostics_.mark(); ++i) {
        const Diagnostic &one = *diagnostics_.all()[i];
        (one.severity == Severity::Error ? errors : others).push_back(one);
    }
    if (errors.empty()) return errors;
    diagnostics_.drop_since(mark);
    for (Diagnostic &other : others)
        diagnostics_.report(other.tag, other.at, other.message).causes = std::move(other.causes);
    return errors;
}

void PointResolver::builtin(const ast::ProbePoint &target, const Path &path, std::vector<Located> &out) {
    std::vector<ast::ProbePoint> concrete;
    if (library::has_wildcard_names(target)) {
        concrete = probes::expand_names(bare(target));
        if (reach_.has_events()) std::erase_if(concrete, is_snapshot);
    } else {
        concrete.push_back(bare(target));
    }
    if (reach_.hits && !drop_unhit(concrete, target, path)) return;
    if (target.components.back().name == "absolute" && !path.privileged) {
        diagnostics_.report(Tag::GuruNeeded, target.components.back().at,
                            "a probe of any address may go wrong in any way, and so needs stap -g");
        return;
    }
    Located place;
    place.aliases = path.aliases;
    place.points = path.points;
    place.matched = path.matched;
    place.conditions = path.conditions;
    const size_t errors = diagnostics_.error_count(), mark = diagnostics_.mark();
    for (const ast::ProbePoint &one : concrete)
        probes::resolve(one, context_, place.attaches);
    if (place.attaches.empty() && !listing_ && !path.optional && is_absent_call(target, context_))
        place.attaches.push_back(never_hit(target, mark));
    if (place.attaches.empty()) {
        if (target.components.back().name == "frame" && diagnostics_.error_count() == errors)
            report_unhit(target, path, context_.debug.subject().why_no_frame());
        return;
    }
    // Not every form that a pattern means needs to exist: .function("f").* where f is inlined nowhere.
    if (concrete.size() > 1) take_errors(mark);
    for (probes::Attach &attach : place.attaches) {
        attach.optional = path.optional;
        attach.written = path.points.front();
    }
    out.push_back(std::move(place));
}

void PointResolver::prepare(ast::File &file) {
    if (!prepared_.insert(&file).second) return;
    for (const auto &alias : file.aliases)
        alias->file = &file;
}

size_t PointResolver::level(const ast::File &file) const {
    const bool own = std::find(user_.begin(), user_.end(), &file) != user_.end();
    return own ? 0 : library_.level(file) == static_cast<size_t>(-1) ? library_.level(file) : library_.level(file) + 1;
}

// An alias hides those of its name in places that come after its own, save from itself: there its name means the next.
void PointResolver::drop_hidden(std::vector<Match> &matches, const Path &path) const {
    std::map<std::string, size_t> floor, visible;
    for (const ast::Alias *alias : path.aliases)
        for (const ast::ProbePoint &name : alias->names) {
            size_t &lowest = floor.try_emplace(name.str(), 0).first->second;
            lowest = std::max(lowest, level(*alias->file) + 1);
        }
    const auto name_of = [](const Match &match) { return match.alias->names[match.name].str(); };
    for (const Match &match : matches) {
        const std::string name = name_of(match);
        const auto from = floor.find(name);
        if (from != floor.end() && match.level < from->second) continue;
        size_t &first = visible.try_emplace(name, match.level).first->second;
        first = std::min(first, match.level);
    }
    std::erase_if(matches, [&](const Match &match) {
        const auto shown = visible.find(name_of(match));
        return shown != visible.end() && shown->second != match.level;
    });
}

std::vector<PointResolver::Match> PointResolver::find_aliases(const ast::ProbePoint &target, const Path &path) {
    std::vector<Match> all;
    size_t longest = 0;
    const auto add = [&](const ast::Alias &alias) {
        for (size_t i = 0; i < alias.names.size(); ++i) {
            const ast::ProbePoint &name = alias.names[i];
            size_t used = library::match_alias(component_names(name), target);
            if (used == 0 || !arguments_agree(name, target)) continue;
            all.push_back({&alias, i, used, level(*alias.file)});
            longest = std::max(longest, used);
        }
    };
    const std::string &first = target.components[0].name;
    if (has_wildcard(first)) {
        for (const ast::File *file : user_)
            for (const auto &alias : file->aliases)
                add(*alias);
    } else if (const auto named = user_aliases_.find(first); named != user_aliases_.end()) {
        for (const ast::Alias *alias : named->second)
            add(*alias);
    }
    for (ast::File *file : library_.with_alias(target)) {
        prepare(*file);
        for (const auto &alias : file->aliases)
            add(*alias);
    }
    std::erase_if(all, [&](const Match &m) { return m.used != longest; });
    drop_hidden(all, path);
    return all;
}

std::vector<std::string> PointResolver::following(const ast::ProbePoint &target, size_t depth) {
    std::vector<std::string> names = probes::alternatives(target, depth);
    auto add = [&](const std::vector<std::string_view> &alias) {
        if (alias.size() <= depth) return;
        for (size_t i = 0; i < depth; ++i) {
            if (alias[i] != component_text(target.components[i])) return;
        }
        std::string name(alias[depth]);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    };
    for (ast::File *file : user_) {
        for (const auto &alias : file->aliases) {
            for (const ast::ProbePoint &name : alias->names) {
                std::vector<std::string> texts;
                for (const ast::PointComponent &component : name.components)
                    texts.push_back(component_text(component));
                add({texts.begin(), texts.end()});
            }
        }
    }
    const std::string beginning = depth ? component_text(target.components[0]) + "." : "";
    for (const std::string &alias : library_.alias_names(target, beginning))
        add(library::split_name(alias));
    return names;
}

// Returns advice if a component of this name exists with another argument.
static std::string argument_help(const ast::PointComponent &component, const std::vector<std::string> &forms) {
    if (forms.empty()) return {};
    const std::string plain = forms.front().substr(0, forms.front().find('('));
    if (plain != component.name) return {};
    if (!component.arg) return plain.size() == forms.front().size() ? "" : "it takes an argument: " + forms.front();
    if (plain.size() == forms.front().size()) return "it takes no argument";
    return "its argument is of another kind: " + forms.front();
}

// Why aliases of system calls have no names; "" if they have some, or the point is none of them.
std::string PointResolver::why_no_calls(const ast::ProbePoint &target) const {
    const auto &roots = syscalls::Aliases::kRoots;
    if (!context_.calls || std::find(std::begin(roots), std::end(roots), target.components[0].name) == std::end(roots))
        return {};
    const syscalls::Calls *calls = context_.calls();
    return !calls || calls->missing().empty() ? "" : "the kernel's system calls are not known: " + calls->missing();
}

// Reports the first component that no known point has at its place. An `unseen` report needs no hints.
void PointResolver::mismatch(const ast::ProbePoint &target, bool unseen) {
    constexpr size_t kFewEnoughToList = 12;
    if (unseen) {
        diagnostics_.report(Tag::ProbePointMismatch, target.components[0].at, "probe point mismatch");
        return;
    }
    if (const std::string why = why_no_calls(target); !why.empty()) {
        const ast::PointComponent &named = target.components[std::min<size_t>(1, target.components.size() - 1)];
        Diagnostic &diagnostic = diagnostics_.report(Tag::NoSuchSyscall, named.at, why);
        if (target.components.size() < 2 || has_wildcard(named.name)) return;
        // The library's tables have the names all the same.
        const std::string beginning = target.components[0].name + ".";
        std::vector<std::string> names;
        for (const std::string &alias : library_.alias_names(target, beginning, library::Library::Names::All))
            names.push_back(alias.substr(beginning.size(), alias.find('.', beginning.size()) - beginning.size()));
        diagnostic.message += similar_text(similar_names(named.name, names));
        return;
    }
    size_t depth = 0;
    for (; depth + 1 < target.components.size(); ++depth) {
        std::vector<std::string> here = following(target, depth);
        const ast::PointComponent &component = target.components[depth];
        const bool goes_on = !following(target, depth + 1).empty();
        const bool known = std::any_of(here.begin(), here.end(), [&](const std::string &text) {
            return goes_on ? glob_match(component.name, text.substr(0, text.find('('))) : text == form_text(component);
        });
        if (!known) break;
    }
    std::vector<std::string> names = following(target, depth);
    const ast::PointComponent &component = target.components[depth];
    std::vector<std::string> similar, plain;
    for (const std::string &text : names) {
        plain.push_back(text.substr(0, text.find('(')));
        if (plain.back() == component.name) similar.push_back(text);
    }
    if (similar.empty() && !has_wildcard(component.name)) similar = similar_names(component.name, plain);
    std::string help = argument_help(component, similar);
    if (const auto next = following(target, depth + 1); help.empty() && !similar.empty() && !next.empty())
        help = "more has to follow it: " + component.name + "." + next.front();
    std::string hint = similar_text(similar);
    if (hint.empty() && depth > 0 && names.size() <= kFewEnoughToList) hint = similar_text(names, "alternatives");
    if (depth > 0 && names.empty()) hint = ": nothing follows " + form_text(target.components[depth - 1]);
    Diagnostic &diagnostic = diagnostics_.report(Tag::ProbePointMismatch, component.at, "probe point mismatch" + hint);
    if (hint.empty())
        add_help(
            diagnostic,
            "'stap --dump-probe-types' lists the kinds of probe points, 'stap --dump-probe-aliases' the library's");
    else
        add_help(diagnostic, help);
}

}  // namespace tapir::resolve
