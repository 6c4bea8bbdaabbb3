// SPDX-License-Identifier: GPL-2.0-or-later
// Functions and statements of programs and libraries: process("path").function("f") and what else has a place in their
// code. By debug information, or by the symbols of a file that has none.
#include <algorithm>
#include <set>

#include "base/name_patterns.h"
#include "names/demangle.h"
#include "names/qualified_name.h"
#include "names/symbol_name.h"
#include "probes/code_sites.h"
#include "probes/form.h"
#include "probes/kinds_table.h"
#include "probes/program_point.h"

namespace tapir::probes {

namespace {

constexpr std::string_view kPlaces[] = {
    "function(string)",
    "function(string).call",
    "function(string).return",
    "function(string).inline",
    "function(string).exported",
    "function(string).callee(string)",
    "function(string).callees",
    "function(string).callees(number)",
    "function(string).label(string)",
    "function(number)",
    "function(number).call",
    "function(number).return",
    "statement(string)",
    "statement(string).nearest",
    "statement(number)",
    "statement(number).absolute",
};

std::span<const Form> forms() {
    static const ProgramForms all(kPlaces);
    return all.list();
}

// One search in one file.
class FileSearch {
  public:
    FileSearch(const CodeRequest &request, const target::DebugObject &object, const ResolveContext &context)
        : request_(request), object_(object), context_(context) {}

    std::vector<FunctionSite> find() {
        if (request_.suffix == CodeRequest::kAbsolute) return at_address();
        if (object_.index) return by_debug_information();
        if (by_symbol_enough()) return by_symbol();
        context_.diagnostics.report(Tag::ProbeUnsupported, request_.function.at,
                                    target::missing_debug_information(object_));
        return {};
    }

  private:
    std::vector<FunctionSite> by_debug_information() {
        const size_t mark = context_.diagnostics.mark();
        std::vector<FunctionSite> sites = find_code_sites(request_, object_, context_);
        if (!sites.empty() || !by_symbol_enough()) return sites;
        // Written in assembler, or linked in without debug information.
        const size_t after = context_.diagnostics.mark();
        std::vector<FunctionSite> named = by_symbol();
        context_.diagnostics.drop_since(named.empty() ? after : mark);
        return named;
    }

    bool by_symbol_enough() const {
        const bool plain = request_.suffix == CodeRequest::kAny || request_.suffix == CodeRequest::kCall ||
                           request_.suffix == CodeRequest::kReturn || request_.suffix == CodeRequest::kExported;
        return plain && !request_.statement && !request_.by_address() &&
               string_argument(request_.function).find('@') == std::string::npos;
    }

    std::vector<FunctionSite> by_symbol() {
        const std::string &name = string_argument(request_.function);
        const NamePattern pattern(name);
        std::vector<FunctionSite> sites = by_symbol(pattern, NamePattern::Mode::Literal);
        if (sites.empty() && pattern.has_literals()) sites = by_symbol(pattern, NamePattern::Mode::Wild);
        if (!sites.empty()) return sites;
        std::set<std::string> names;
        if (!has_wildcard(name))
            for (const dwarf::FunctionSymbol &symbol : object_.object->symbols().functions())
                names.insert(source_name(symbol.name));
        report_no_match(request_.function, context_, similar_qualified(name, {names.begin(), names.end()}));
        return {};
    }

    std::vector<FunctionSite> by_symbol(const NamePattern &pattern, NamePattern::Mode mode) {
        std::vector<FunctionSite> sites;
        for (const dwarf::FunctionSymbol &symbol : object_.object->symbols().functions()) {
            if (request_.suffix == CodeRequest::kExported && !symbol.exported) continue;
            if (!symbol_matches(symbol.name, pattern, mode)) continue;
            const auto offset = object_.program->code_offset(symbol.address);
            // Several names of one place are one place.
            if (!offset || (!sites.empty() && sites.back().offset == static_cast<int64_t>(*offset))) continue;
            FunctionSite site = site_at(*offset, source_name(symbol.name));
            site.entry = true;
            sites.push_back(std::move(site));
        }
        return sites;
    }

    static bool symbol_matches(std::string_view symbol, const NamePattern &pattern, NamePattern::Mode mode) {
        if (!is_mangled(symbol))
            return pattern.matches({&symbol, 1}, mode) && (!is_split_off(symbol) || mode == NamePattern::Mode::Literal);
        // Parts of functions that compilers have put elsewhere are no functions.
        if (symbol.find(".cold") != std::string_view::npos || is_split_off(symbol)) return false;
        if (is_mangled(pattern.text())) return glob_match(pattern.text(), symbol);
        if (symbol.find(pattern.identifier()) == std::string_view::npos) return false;
        const std::string demangled = demangle(symbol);
        const QualifiedName name = split_demangled(demangled);
        return !demangled.empty() && pattern.matches(name.parts, mode) &&
               pattern.matches_parameters(name.parameters, mode);
    }

    // With its scopes, as debug information would have it.
    static std::string source_name(std::string_view symbol) {
        const std::string demangled = demangle(symbol);
        return demangled.empty() ? std::string(symbol) : join_name(split_demangled(demangled).parts);
    }

    std::vector<FunctionSite> at_address() {
        const auto address = static_cast<uint64_t>(number_argument(request_.function));
        const auto offset = object_.program->code_offset(address);
        if (offset) {
            FunctionSite site = site_at(*offset, code_address_text(address));
            site.entry = false;
            return {site};
        }
        context_.diagnostics.report(Tag::NoSuchFunction, request_.function.arg->at,
                                    object_.module + " has no code at this address");
        return {};
    }

    FunctionSite site_at(uint64_t offset, std::string label) {
        FunctionSite site;
        object_.used = true;
        site.offset = static_cast<int64_t>(offset);
        site.label = std::move(label);
        site.scope = target::make_program_scope(object_);
        return site;
    }

    const CodeRequest &request_;
    const target::DebugObject &object_;
    const ResolveContext &context_;
};

// What precedes and follows a site's label in its probe point.
void write_point(const Where &where, const CodeRequest &request, size_t at, const target::DebugObject &object,
                 Attach &attach) {
    const auto &components = request.point.components;
    const std::string quote = request.suffix == CodeRequest::kAbsolute ? "" : "\"";
    attach.point_prefix = program_prefix(where, object) + request.function.name + "(" + quote;
    attach.point_suffix = quote + ")";
    for (size_t i = at + 1; i < components.size(); ++i) {
        if (components[i].name == "label") continue;  // part of the sites' labels
        attach.point_suffix += "." + components[i].name;
        if (components[i].arg) attach.point_suffix += "(" + ast::print(*components[i].arg) + ")";
    }
}

void resolve_uprobe(const ast::ProbePoint &point, size_t, const ResolveContext &context, std::vector<Attach> &out) {
    size_t at = 0;
    Where where = read_program(point, at);
    const std::vector<const target::DebugObject *> objects = find_program_files(where, context);
    const CodeRequest request = read_code_request(point, at);
    const size_t mark = context.diagnostics.mark(), before = out.size();
    for (const target::DebugObject *object : objects) {
        std::vector<FunctionSite> sites = FileSearch(request, *object, context).find();
        if (sites.empty()) continue;
        Attach attach;
        attach.kind = request.suffix == CodeRequest::kReturn ? Kind::Uretprobe : Kind::Uprobe;
        attach.arg = UserCode{object->module, where.pid};
        write_point(where, request, at, *object, attach);
        attach.from_wildcard = sites.size() > 1 || objects.size() > 1 ||
                               (!request.by_address() && has_wildcard(string_argument(request.function)));
        attach.sites = std::move(sites);
        attach.point = attach.point_prefix + attach.sites.front().label + attach.point_suffix;
        out.push_back(std::move(attach));
    }
    // Not every file of a pattern needs to have the place.
    if (out.size() != before) context.diagnostics.drop_since(mark);
    if (request.suffix == CodeRequest::kReturn && out.size() != before) warn_of_exceptions(point, objects, context);
}

void write_uprobe(const Attach &attach, ArgWriter &out) {
    const auto &user = attach.as<UserCode>();
    out.type("tapir_user_arg");
    out.nested("code", [&](ArgWriter &code) { write_code_sites(attach, code); });
    out.program("program", user.path);
    out.number("pid", user.pid);
    std::vector<uint64_t> semaphores;
    for (const FunctionSite &site : attach.sites)
        semaphores.push_back(site.semaphore);
    if (std::any_of(semaphores.begin(), semaphores.end(), [](uint64_t offset) { return offset != 0; }))
        out.numbers("semaphores", "u64", semaphores);
    out.touches();
}

}  // namespace

const KindOps kUprobe = {.forms = forms(), .resolve = resolve_uprobe, .write_arg = write_uprobe};
const KindOps kUretprobe = {.write_arg = write_uprobe};

}  // namespace tapir::probes
