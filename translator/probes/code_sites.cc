// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/code_sites.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>

#include "base/help.h"
#include "base/name_patterns.h"
#include "base/other_languages.h"
#include "dwarf/function_names.h"
#include "dwarf/line_rows.h"
#include "names/qualified_name.h"
#include "probes/form.h"
#include "probes/return_sites.h"
#include "target/entry_arguments.h"
#include "target/function_exits.h"
#include "target/go_calls.h"
#include "target/stripped.h"

namespace tapir::probes {

namespace {

using dwarf::CodeSite;
using Lines = dwarf::FunctionPattern::Lines;

const char *why_unprobeable(dwarf::Unprobeable reason) {
    switch (reason) {
        case dwarf::Unprobeable::Init:
            return "it is needed only while the kernel starts, and its memory is used for other things afterwards";
        case dwarf::Unprobeable::Kprobes:
            return "the kernel marks it __kprobes: probes themselves use it";
        case dwarf::Unprobeable::NoInstrumentation:
            return "the kernel marks it noinstr: it runs where no probe may";
        default:
            return "it is the kernel's entry code, which runs where no probe may";
    }
}

// "vfs_read@fs/read_write.c:450"
std::string label_of(const target::DebugObject &object, const CodeSite &site) {
    if (site.name.empty()) return code_address_text(site.pc);
    std::string label = string_text(site.shown.empty() ? site.name : site.shown);
    const std::string_view file = object.index ? dwarf::shown_file(*object.index, site.file) : "";
    if (!file.empty()) label += "@" + string_text(file) + ":" + std::to_string(site.line);
    // The label ends within the point's parentheses; which of its labels it was follows them.
    if (!site.label.empty()) label += "\").label(\"" + string_text(site.label);
    return label;
}

// One search: a request in an object.
class Search {
  public:
    Search(const CodeRequest &request, const target::DebugObject &object, const ResolveContext &context)
        : request_(request), object_(object), context_(context) {}

    std::vector<CodeSite> find() {
        if (request_.by_address()) return at_address();
        std::string error;
        const auto pattern = dwarf::parse_function_pattern(string_argument(request_.function), error);
        if (!pattern) return fail(error);
        if (!object_.index && (!request_.symbols_do() || !pattern->file.empty())) {
            context_.diagnostics.report(Tag::ProbeUnsupported, request_.function.at,
                                        target::missing_debug_information(object_));
            return {};
        }
        return request_.statement ? statements(*pattern) : functions(*pattern);
    }

  private:
    std::vector<CodeSite> fail(const std::string &text) { return fail(request_.function, text); }
    std::vector<CodeSite> fail(const ast::PointComponent &component, const std::string &text) {
        context_.diagnostics.report(Tag::NoSuchFunction, component.arg ? component.arg->at : component.at, text);
        return {};
    }

    std::vector<CodeSite> at_address() {
        const auto at = [&](uint64_t address) { return dwarf::site_at(*object_.object, *object_.index, address); };
        CodeSite site = at(static_cast<uint64_t>(number_argument(request_.function)));
        if (site.name.empty()) return fail("the debug information has no function with code at this address");
        if (request_.suffix == CodeRequest::kNearest)
            site = at(dwarf::statement_begin(*object_.object, site.function, site.pc));
        const bool needs_entry = !request_.statement;
        if (needs_entry && !site.at_entry)
            return fail("no function begins at this address, which is within '" + site.name + "'");
        if (request_.suffix == CodeRequest::kExported && !is_exported(site))
            return fail(not_exported("'" + site.name + "'"));
        return {site};
    }

    bool is_exported(const CodeSite &site) const {
        const auto entries = object_.index->functions();
        return std::any_of(entries.begin(), entries.end(), [&](const dwarf::FunctionEntry &entry) {
            return entry.die == site.function && (entry.flags & dwarf::kExternal) != 0;
        });
    }

    static std::string not_exported(const std::string &who) {
        return who + " is static, other source files cannot call it: leave out .exported";
    }

    std::vector<CodeSite> statements(const dwarf::FunctionPattern &pattern) {
        dwarf::FoundStatements found = dwarf::find_statements(*object_.object, *object_.index, pattern);
        if (found.sites.empty() && !found.nearest.empty() && request_.suffix == CodeRequest::kNearest)
            found = dwarf::find_statements(*object_.object, *object_.index, nearest(pattern, found.nearest));
        if (!found.sites.empty()) return found.sites;
        if (found.nearest.empty()) return no_match();
        std::string message = "no statement begins at this line; lines nearby that have some:";
        for (int64_t line : found.nearest)
            message += " " + std::to_string(line);
        return fail(message + " (or add .nearest)");
    }

    // The pattern with the line that is nearest to the wanted one; of two the one after it.
    static dwarf::FunctionPattern nearest(dwarf::FunctionPattern pattern, const std::vector<int64_t> &lines) {
        const auto distance = [&](int64_t line) { return std::abs(line - pattern.first); };
        int64_t best = lines.back();
        // Relative lines are not known as such here; the one after is taken.
        if (pattern.lines == Lines::Absolute && distance(lines.front()) < distance(best)) best = lines.front();
        pattern.lines = Lines::Absolute;
        pattern.first = best;
        return pattern;
    }

    std::vector<CodeSite> functions(const dwarf::FunctionPattern &pattern) {
        const CodeRequest::Suffix suffix = request_.suffix;
        if (suffix == CodeRequest::kLabel) return labels(pattern);
        // Functions of the name that only old programs use are not meant, either.
        if (const std::string chosen = has_wildcard(pattern.function) ? "" : why_chosen(pattern); !chosen.empty())
            return fail(chosen);
        dwarf::FindOptions options;
        options.calls = suffix != CodeRequest::kInline;
        options.inlines =
            suffix == CodeRequest::kInline || suffix == CodeRequest::kAny || suffix == CodeRequest::kCallee;
        options.exported_only = suffix == CodeRequest::kExported;
        options.parts = suffix == CodeRequest::kCallee;
        // The kernel itself has more names for its symbols than its file.
        options.undescribed = request_.symbols_do() && (object_.program || !request_.module.empty());
        std::vector<CodeSite> found = dwarf::find_functions(*object_.object, object_.index.get(), pattern, options);
        if (found.empty()) return none(pattern);
        return suffix == CodeRequest::kCallee ? callees(found) : std::move(found);
    }

    std::vector<CodeSite> none(const dwarf::FunctionPattern &pattern) {
        if (const std::string chosen = why_chosen(pattern); !chosen.empty()) return fail(chosen);
        return object_.index ? not_so(pattern) : no_match();
    }

    // Returns advice for a function that is chosen when a program starts; "" for others.
    std::string why_chosen(const dwarf::FunctionPattern &pattern) {
        if (!object_.program) return {};
        const auto named =
            dwarf::named_functions(*object_.object, object_.index.get(), pattern.function, dwarf::SymbolUse::Always);
        const auto symbol = std::find_if(named.symbols.begin(), named.symbols.end(),
                                         [](const dwarf::FunctionSymbol *each) { return each->chooses; });
        if (symbol == named.symbols.end() || !named.entries.empty()) return {};
        const std::string name((*symbol)->name);
        std::string text = "'" + name +
                           "' stands for one of several functions (STT_GNU_IFUNC). The code at its symbol runs once, "
                           "when a program starts, to choose the one that is called. Probe ";
        const std::vector<std::string> choices = dwarf::choices_of(*object_.object, name);
        for (const std::string &choice : choices)
            text += (&choice == choices.data() ? "" : ", ") + choice;
        if (choices.empty()) text += "the functions that it may choose, by their own names";
        return text + "; or the calls of a program: process(\"PROGRAM\").plt(\"" + name + "\")";
    }

    // No function is as the point wants it; are there some that are not?
    std::vector<CodeSite> not_so(const dwarf::FunctionPattern &pattern) {
        const auto find = [&](const dwarf::FunctionPattern &what, bool calls) {
            return dwarf::find_functions(*object_.object, *object_.index, what, {calls, !calls, false});
        };
        dwarf::FunctionPattern anywhere = pattern;
        anywhere.lines = Lines::None;
        const std::vector<CodeSite> calls = find(anywhere, true), inlines = find(anywhere, false);
        if (calls.empty() && inlines.empty()) {
            const bool known =
                pattern.file.empty() && !dwarf::matching_functions(*object_.object, *object_.index, pattern).empty();
            return known ? fail("'" + pattern.function + "' has no code: nothing calls it") : no_match();
        }
        const CodeSite &first = calls.empty() ? inlines.front() : calls.front();
        const bool one = !has_wildcard(pattern.function);
        const std::string who = one ? "'" + first.name + "'" : "each function that matches";
        if (pattern.lines != Lines::None && find(pattern, true).empty() && find(pattern, false).empty()) {
            if (!one) return fail("no function that matches has code of this line");
            return fail(who + " has no code of this line; it is declared at " +
                        std::string(dwarf::shown_file(*object_.index, first.file)) + ":" + std::to_string(first.line));
        }
        if (calls.empty())
            return fail(who + " is inlined wherever it is called and has no code of its own: use .inline" +
                        (request_.suffix == CodeRequest::kReturn ? ", which has no return" : ""));
        if (request_.suffix == CodeRequest::kExported) return fail(not_exported(who));
        return fail(who + " has code of its own and is inlined nowhere: leave out .inline");
    }

    std::vector<CodeSite> callees(const std::vector<CodeSite> &callers) {
        const ast::PointComponent &part = *request_.suffix_part;
        const bool named = part.arg && part.arg->kind == ast::ExprKind::String;
        const int64_t depth = part.arg && !named ? number_argument(part) : 1;
        if (depth < 1) return fail(part, "callees are at least 1 call away");
        const std::string pattern = named ? string_argument(part) : "*";
        std::vector<CodeSite> found = dwarf::find_callees(*object_.object, *object_.index, callers, pattern, depth);
        const bool inlined_only = !found.empty();
        if (request_.calls_only) std::erase_if(found, [](const CodeSite &site) { return !site.call; });
        if (!found.empty()) return found;
        if (inlined_only) return fail(part, "what matches is inlined here and not called: leave out .call");
        std::vector<std::string> names;
        for (const CodeSite &site : dwarf::find_callees(*object_.object, *object_.index, callers, "*", 1))
            if (names.empty() || names.back() != site.name) names.push_back(site.name);
        return fail(part, names.empty() ? "the debug information knows of no call in this function"
                                        : "no such callee" + similar_text(names, "callees"));
    }

    std::vector<CodeSite> labels(const dwarf::FunctionPattern &pattern) {
        const ast::PointComponent &part = *request_.suffix_part;
        std::vector<CodeSite> found =
            dwarf::find_labels(*object_.object, *object_.index, pattern, string_argument(part));
        if (!found.empty()) return found;
        if (dwarf::find_functions(*object_.object, *object_.index, pattern, {true, true, false}).empty())
            return no_match();
        std::set<std::string> names;
        for (const CodeSite &site : dwarf::find_labels(*object_.object, *object_.index, pattern, "*"))
            names.insert(site.label);
        return fail(part, names.empty() ? "the function has no labels with code"
                                        : "no such label" + similar_text({names.begin(), names.end()}, "labels"));
    }

    std::vector<CodeSite> no_match() {
        const std::string &text = string_argument(request_.function);
        std::vector<std::string> names = similar();
        // The kernel's symbols do not help in a module.
        if (names.empty() && request_.module.empty() && !has_wildcard(text))
            names = context_.symbols.similar(text.substr(0, text.find('@')));
        if (object_.program && target::is_stripped(object_)) return stripped(names);
        report_no_match(request_.function, context_, names);
        return {};
    }

    std::vector<CodeSite> stripped(const std::vector<std::string> &names) {
        if (target::is_cut_off(object_)) {
            context_.diagnostics.report(Tag::NoSuchFunction, request_.function.arg->at,
                                        "no match: " + object_.module +
                                            " is cut off: the table that leads to its symbols would be behind its end");
            return {};
        }
        Diagnostic &diagnostic = context_.diagnostics.report(
            Tag::NoSuchFunction, request_.function.arg->at,
            "no match" + similar_text(names, "similar functions") + ": " + object_.module +
                " is stripped, it has no symbol table; only functions that it exports have names");
        add_help(diagnostic, target::names_of_stripped(object_));
        return {};
    }

    // Names near a misspelt function, or the files of one that exists elsewhere.
    std::vector<std::string> similar() {
        const std::string &text = string_argument(request_.function);
        const std::string name = text.substr(0, text.find('@'));
        if (has_wildcard(name)) return {};
        std::set<std::string> places;
        dwarf::FunctionPattern anywhere;
        anywhere.function = name;
        std::vector<const dwarf::FunctionEntry *> entries;
        if (object_.index) entries = dwarf::matching_functions(*object_.object, *object_.index, anywhere);
        for (const dwarf::FunctionEntry *entry : entries)
            places.insert(object_.index->qualified_name(entry->scope, entry->name) + "@" +
                          std::string(dwarf::shown_file(*object_.index, entry->file)));
        if (!places.empty() && name != text) return {places.begin(), places.end()};
        const bool own = !request_.module.empty() || object_.program;
        return own ? similar_functions(name, {&object_}) : std::vector<std::string>{};
    }

    const CodeRequest &request_;
    const target::DebugObject &object_;
    const ResolveContext &context_;
};

// The parts of a site that label_of() shows.
struct Shown {
    explicit Shown(const CodeSite &site)
        : name(site.shown.empty() ? site.name : site.shown),
          label(site.label),
          file(site.file),
          line(site.line),
          caller(site.caller.get()) {}
    friend bool operator==(const Shown &, const Shown &) = default;

    std::string name, label;
    uint32_t file, line;
    const CodeSite *caller;
};

// Sets the place of a probe at an address; false if no name leads to it.
bool place_site(const target::DebugObject &object, uint64_t address, FunctionSite &site) {
    const auto anchor = object.anchor(address);
    if (!anchor) return false;
    if (object.program) {
        const auto offset = object.program->code_offset(address);
        site.offset = static_cast<int64_t>(offset.value_or(0));
        return offset.has_value();
    }
    site.symbol = (anchor->module.empty() ? "" : anchor->module + ":") + anchor->symbol;
    site.offset = anchor->offset;
    return true;
}

// True if a probe at a function's entry may move behind its prologue: the user has not asked for the entry itself.
bool is_movable(const CodeRequest &request, const ResolveContext &context) {
    const bool plain = request.suffix == CodeRequest::kAny || request.suffix == CodeRequest::kCall ||
                       request.suffix == CodeRequest::kExported;
    return plain && !request.statement && !request.kprobe && context.prologue != Prologue::Never;
}

// Does a probe at a site mean that the function is entered?
bool is_entry(const CodeRequest &request, const CodeSite &code) {
    return !request.statement && code.at_entry && !code.call;
}

void describe_site(const target::DebugObject &object, const CodeRequest &request, const ResolveContext &context,
                   CodeSite &&code, FunctionSite &site) {
    site.label = label_of(object, code);
    if (code.caller) site.caller = label_of(object, *code.caller);
    site.entry = code.at_entry && !code.call;
    if (!code.function) {
        site.scope = object.index ? target::make_scope(object, "the debug information of '" + object.module +
                                                                   "' says nothing of '" + code.name +
                                                                   "', which was not compiled with -g")
                                  : target::make_program_scope(object);
        return;
    }
    code.movable = site.entry && is_movable(request, context);
    const auto behind =
        code.movable && context.prologue == Prologue::Always ? target::behind_prologue(object, code) : std::nullopt;
    if (behind) site.move_behind_entry(behind->pc - code.pc);
    site.scope = target::make_scope(object, behind ? *behind : std::move(code));
}

}  // namespace

std::string code_address_text(uint64_t address) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
}

bool CodeRequest::symbols_do() const {
    const bool plain = suffix == kAny || suffix == kCall || suffix == kReturn || suffix == kExported;
    return plain && !statement && !by_address();
}

CodeRequest read_code_request(const ast::ProbePoint &point, size_t at) {
    static const std::pair<std::string_view, CodeRequest::Suffix> kSuffixes[] = {
        {"call", CodeRequest::kCall},         {"return", CodeRequest::kReturn},   {"inline", CodeRequest::kInline},
        {"exported", CodeRequest::kExported}, {"callee", CodeRequest::kCallee},   {"callees", CodeRequest::kCallee},
        {"label", CodeRequest::kLabel},       {"nearest", CodeRequest::kNearest}, {"absolute", CodeRequest::kAbsolute}};
    CodeRequest request{point, point.components[at], nullptr, {}};
    request.statement = point.components[at].name == "statement";
    if (point.components.size() <= at + 1) return request;
    request.suffix_part = &point.components[at + 1];
    for (const auto &[name, suffix] : kSuffixes)
        if (request.suffix_part->name == name) request.suffix = suffix;
    request.calls_only = request.suffix == CodeRequest::kCallee && point.components.back().name == "call";
    return request;
}

CodeRequest read_code_request(const ast::ProbePoint &point) {
    const bool in_kprobe = point.components[0].name == "kprobe";
    const bool kprobe_module = in_kprobe && point.components[1].name == "module";
    CodeRequest request = read_code_request(point, kprobe_module ? 2 : 1);
    if (point.components[0].name == "module") request.module = string_argument(point.components[0]);
    if (kprobe_module) request.module = string_argument(point.components[1]);
    request.kprobe = in_kprobe;
    return request;
}

void report_no_match(const ast::PointComponent &component, const ResolveContext &context,
                     const std::vector<std::string> &similar) {
    Diagnostic &diagnostic = context.diagnostics.report(Tag::NoSuchFunction, component.arg->at,
                                                        "no match" + similar_text(similar, "similar functions"));
    add_help(diagnostic, advice_for_kernel_function(string_argument(component)));
}

std::vector<std::string> similar_functions(std::string_view name,
                                           const std::vector<const target::DebugObject *> &objects) {
    std::set<std::string> names;
    for (const target::DebugObject *object : objects) {
        if (object->index)
            for (const dwarf::FunctionEntry &entry : object->index->functions())
                names.insert(object->index->qualified_name(entry.scope, entry.name));
        if (object->program)
            for (const dwarf::FunctionSymbol &symbol : object->object->symbols().functions())
                names.insert(object->object->symbols().source_name(symbol).joined);
    }
    return similar_qualified(name, {names.begin(), names.end()});
}

std::vector<std::string> similar_qualified(std::string_view name, const std::vector<std::string> &names) {
    constexpr size_t kMost = 5;
    const NamePattern pattern(name);
    if (pattern.is_plain() && std::none_of(names.begin(), names.end(), [](const std::string &other) {
            return other.find("::") != std::string::npos;
        }))
        return similar_names(name, names);
    // Functions of this name in other scopes, else near names in any.
    std::vector<std::pair<size_t, std::string>> near;
    std::map<std::string, std::vector<std::string>, std::less<>> by_base;
    for (const std::string &other : names) {
        const std::string_view base = without_template_arguments(split_name(other).parts.back());
        if (base == pattern.base())
            near.emplace_back(edit_distance(name, other, name.size()), other);
        else
            by_base[std::string(base)].push_back(other);
    }
    std::stable_sort(near.begin(), near.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<std::string> similar;
    for (auto &[distance, other] : near)
        similar.push_back(std::move(other));
    if (similar.empty()) {
        std::vector<std::string> bases;
        for (const auto &[base, others] : by_base)
            bases.push_back(base);
        for (const std::string &base : similar_names(pattern.base(), bases))
            for (const std::string &other : by_base[base])
                similar.push_back(other);
    }
    if (similar.size() > kMost) similar.resize(kMost);
    return similar;
}

std::vector<FunctionSite> find_code_sites(const CodeRequest &request, const target::DebugObject &object,
                                          const ResolveContext &context) {
    std::vector<CodeSite> found = Search(request, object, context).find();
    std::vector<FunctionSite> sites;
    std::string refused, never;
    std::vector<FunctionSite> never_hit;
    std::optional<Shown> last;
    sites.reserve(context.names_only ? 0 : found.size());
    for (CodeSite &code : found) {
        if (last && *last == Shown(code)) continue;
        const uint64_t address = code.call ? code.call : code.pc;
        const auto reason = object.index ? object.index->unprobeable(address) : std::nullopt;
        FunctionSite site;
        uint64_t behind = is_entry(request, code) ? target::behind_stack_check(object, code) : 0;
        // A call whose stack must grow jumps back to the entry before it passes the place behind the check.
        const bool passes_once = behind != 0;
        bool takes_no_probe = object.program && target::takes_no_uprobe(object, address + behind);
        if (takes_no_probe && is_entry(request, code) && behind == 0) {
            behind = target::behind_unprobed(object, address);
            takes_no_probe = behind == 0;
        }
        const bool placed = place_site(object, address + behind, site);
        code.pc += behind;
        ReturnWay way;
        if (object.program && request.suffix == CodeRequest::kReturn) way = find_return(object, code, address);
        const std::string &no_return = way.refused;
        site.exits = std::move(way.exits);
        site.by_kernel = std::move(way.by_kernel);
        site.comes_back = way.comes_back && !passes_once;
        site.goroutine = way.goroutine;
        if (never.empty() && way.never) never = "'" + code.name + "': " + no_return;
        if (refused.empty() && !no_return.empty() && !way.never)
            refused = "the return of '" + code.name + "' cannot be probed: " + no_return + ". Leave out .return";
        if (refused.empty() && reason) refused = "'" + code.name + "' cannot be probed: " + why_unprobeable(*reason);
        if (refused.empty() && placed && takes_no_probe)
            refused = "'" + code.name + "' cannot be probed here: the kernel puts no uprobe on an instruction with a " +
                      "prefix of its kind (lock, or of a segment). Probe a statement behind it";
        if (refused.empty() && !placed)
            refused = "'" + code.name + "' cannot be probed: no symbol near it tells where it is once it is loaded";
        if (reason || !placed || takes_no_probe || (!no_return.empty() && !way.never)) continue;
        if (context.names_only) last.emplace(code);
        describe_site(object, request, context, std::move(code), site);
        (way.never ? never_hit : sites).push_back(std::move(site));
    }
    // Beside others that return, those that do not are nothing to speak of.
    if (sites.empty() && !never_hit.empty()) {
        context.diagnostics.report(Tag::NeverHit, request.function.arg->at, "the return is never hit of " + never);
        return never_hit;
    }
    if (sites.empty() && !refused.empty()) {
        if (found.size() > 1) refused += " (as all " + std::to_string(found.size()) + " places that match)";
        context.diagnostics.report(Tag::NoSuchFunction, request.function.arg->at, refused);
    }
    return sites;
}

std::vector<std::vector<FunctionSite>> in_groups(std::vector<FunctionSite> sites) {
    std::vector<std::vector<FunctionSite>> groups;
    if (std::all_of(sites.begin(), sites.end(),
                    [](const FunctionSite &site) { return site.caller.empty() && !site.goroutine; })) {
        if (!sites.empty()) groups.push_back(std::move(sites));
        return groups;
    }
    std::map<std::pair<std::string, bool>, size_t> known;
    for (FunctionSite &site : sites) {
        const auto [at, is_new] = known.try_emplace({site.caller, site.goroutine}, groups.size());
        if (is_new) groups.emplace_back();
        groups[at->second].push_back(std::move(site));
    }
    return groups;
}

CalleePoint callee_point(const CodeRequest &request, const FunctionSite &site) {
    if (site.caller.empty()) return {};
    return {site.caller + "\")." + request.suffix_part->name.substr(0, 6) + "(\"",
            request.calls_only ? "\").call" : "\")"};
}

void write_code_sites(const Attach &attach, Arg &out) {
    out.number("count", attach.sites.size());
    out.number("wildcard", int{attach.from_wildcard});
    out.number("optional", int{attach.optional});
    out.rows("sites", "tapir_function_site", attach.sites.size(), [&](size_t i, Arg &row) {
        const FunctionSite &site = attach.sites[i];
        if (site.symbol.empty())
            row.constant("symbol", "TAPIR_NO_SYMBOL");
        else
            row.symbol("symbol", site.symbol);
        row.number("entry", int{site.entry});
        row.number("offset", site.offset);
        row.text("label", site.label);
        if (site.function) row.text("function", *site.function);
    });
    out.text("prefix", attach.point_prefix);
    out.text("suffix", attach.point_suffix);
}

}  // namespace tapir::probes
