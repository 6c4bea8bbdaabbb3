// SPDX-License-Identifier: GPL-2.0-or-later
// Functions and statements of programs and libraries: process("path").function("f") and what else has a place in their
// code. By debug information, or by the symbols of a file that has none.
#include <algorithm>

#include "base/name_patterns.h"
#include "probes/code_sites.h"
#include "probes/form.h"
#include "probes/kinds_table.h"
#include "probes/program_point.h"
#include "probes/return_sites.h"
#include "target/function_exits.h"

namespace tapir::probes {

namespace {

constexpr std::string_view kUprobePlaces[] = {
    "function(string)",
    "function(string).call",
    "function(string).return",
    "function(string).inline",
    "function(string).exported",
    "function(string).callee(string)",
    "function(string).callee(string).call",
    "function(string).callees",
    "function(string).callees(number)",
    "function(string).label(string)",
    "function(number)",
    "function(number).call",
    "function(number).return",
    "function(number).exported",
    "statement(string)",
    "statement(string).nearest",
    "statement(number)",
    "statement(number).nearest",
    "statement(number).absolute",
};

std::span<const Form> uprobe_forms() {
    static const ProgramForms all(kUprobePlaces);
    return all.list();
}

// One search in one file.
class FileSearch {
  public:
    FileSearch(const CodeRequest &request, const target::DebugObject &object, const ResolveContext &context)
        : request_(request), object_(object), context_(context) {}

    std::vector<FunctionSite> find() {
        if (request_.suffix == CodeRequest::kAbsolute) return at_address();
        if (object_.index || request_.symbols_do()) return find_code_sites(request_, object_, context_);
        context_.diagnostics.report(Tag::ProbeUnsupported, request_.function.at,
                                    target::missing_debug_information(object_));
        return {};
    }

  private:
    std::vector<FunctionSite> at_address() {
        const auto address = static_cast<uint64_t>(number_argument(request_.function));
        const auto offset = object_.program->code_offset(address);
        if (!offset) {
            context_.diagnostics.report(Tag::NoSuchFunction, request_.function.arg->at,
                                        object_.module + " has no code at this address");
            return {};
        }
        if (target::takes_no_uprobe(object_, address)) {
            context_.diagnostics.report(Tag::NoSuchFunction, request_.function.arg->at,
                                        "the kernel puts no uprobe on the instruction at this address, which has a "
                                        "prefix (lock, or of a segment): probe one before or behind it");
            return {};
        }
        object_.used = true;
        FunctionSite site;
        site.offset = static_cast<int64_t>(*offset);
        site.label = code_address_text(address);
        site.function = function_at(address);
        site.entry = false;
        site.scope = target::make_program_scope(object_);
        return {site};
    }

    // "" if it is not known.
    std::string function_at(uint64_t address) const {
        const dwarf::SymbolTable &symbols = object_.object->symbols();
        const auto near = symbols.symbol_at(address);
        if (!near) return "";
        return string_text(symbols.source_name(*symbols.functions_named(near->symbol).front()).joined);
    }

    const CodeRequest &request_;
    const target::DebugObject &object_;
    const ResolveContext &context_;
};

// Writes the parts of a probe point around a site's label.
void write_point(const Where &where, const CodeRequest &request, size_t at, const target::DebugObject &object,
                 Attach &attach) {
    const auto &components = request.point.components;
    const std::string quote = request.suffix == CodeRequest::kAbsolute ? "" : "\"";
    const CalleePoint callee = callee_point(request, attach.sites.front());
    attach.point_prefix = program_prefix(where, object) + request.function.name + "(" + quote + callee.before;
    attach.point_suffix = callee.behind.empty() ? quote + ")" : callee.behind;
    for (size_t i = at + 1; i < components.size(); ++i) {
        if (components[i].name == "label" || !callee.behind.empty()) continue;  // part of the sites' labels or callers
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
        std::vector<FunctionSite> found = FileSearch(request, *object, context).find();
        const bool wildcard = found.size() > 1 || objects.size() > 1 ||
                              (!request.by_address() && has_wildcard(string_argument(request.function)));
        for (std::vector<FunctionSite> &sites : in_groups(std::move(found))) {
            Attach attach;
            attach.kind = request.suffix == CodeRequest::kReturn ? Kind::Uretprobe : Kind::Uprobe;
            attach.arg = UserCode{object->module, where.pid};
            attach.from_wildcard = wildcard;
            attach.sites = std::move(sites);
            write_point(where, request, at, *object, attach);
            attach.point = attach.point_prefix + attach.sites.front().label + attach.point_suffix;
            out.push_back(std::move(attach));
        }
    }
    // Not every file of a pattern needs to have the place.
    const auto is_never = [](const Attach &attach) {
        return attach.kind == Kind::Uretprobe && attach.sites.front().exits.empty() &&
               attach.sites.front().by_kernel.empty();
    };
    const auto first = out.begin() + static_cast<std::ptrdiff_t>(before);
    if (!std::all_of(first, out.end(), is_never)) {
        context.diagnostics.drop_since(mark);
        out.erase(std::remove_if(first, out.end(), is_never), out.end());
    }
    for (size_t i = before; i < out.size(); ++i) {
        const std::string &path = out[i].as<UserCode>().path;
        const auto of = std::find_if(objects.begin(), objects.end(), [&](auto *each) { return each->module == path; });
        if (of != objects.end()) warn_of_kernel_returns(point, **of, out[i].sites, context);
    }
}

// Where the functions of returns are left; nothing if the kernel follows all of their calls.
void write_exits(const std::vector<FunctionSite> &sites, Arg &out) {
    std::vector<uint64_t> first = {0}, exits, comes_back;
    for (const FunctionSite &site : sites) {
        exits.insert(exits.end(), site.exits.begin(), site.exits.end());
        first.push_back(exits.size());
        comes_back.push_back(site.comes_back ? 1 : 0);
    }
    if (exits.empty()) return;
    out.numbers("first_exit", "u32", first);
    out.numbers("exits", "u64", exits);
    if (std::count(comes_back.begin(), comes_back.end(), 1) != 0) out.numbers("comes_back", "u8", comes_back);
}

void write_uprobe(const Attach &attach, Arg &out) {
    const auto &user = attach.as<UserCode>();
    out.type("tapir_user_arg");
    out.nested("code", [&](Arg &code) { write_code_sites(attach, code); });
    out.program("program", user.path);
    out.number("pid", user.pid);
    std::vector<uint64_t> semaphores;
    for (const FunctionSite &site : attach.sites)
        semaphores.push_back(site.semaphore);
    if (std::any_of(semaphores.begin(), semaphores.end(), [](uint64_t offset) { return offset != 0; }))
        out.numbers("semaphores", "u64", semaphores);
    write_exits(attach.sites, out);
    if (attach.sites.front().goroutine) out.number("goroutines", 1);
    out.touches();
}

}  // namespace

const KindOps kUprobe = {.forms = uprobe_forms(), .resolve = resolve_uprobe, .write_arg = write_uprobe};
const KindOps kUretprobe = {.write_arg = write_uprobe};

}  // namespace tapir::probes
