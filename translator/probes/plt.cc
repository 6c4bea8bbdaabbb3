// SPDX-License-Identifier: GPL-2.0-or-later
// Entries of the procedure linkage tables of programs: process("path").plt("function"). They are attached as other
// places of programs are.
#include <algorithm>

#include "base/name_patterns.h"
#include "probes/form.h"
#include "probes/kinds_table.h"
#include "probes/program_point.h"
#include "probes/return_sites.h"
#include "target/plt.h"

namespace tapir::probes {

namespace {

constexpr std::string_view kPltPlaces[] = {
    "plt",
    "plt.return",
    "plt(string)",
    "plt(string).return",
};

std::span<const Form> plt_forms() {
    static const ProgramForms all(kPltPlaces);
    return all.list();
}

std::vector<FunctionSite> find_entries(const target::DebugObject &object, const std::string &pattern) {
    std::vector<FunctionSite> sites;
    for (const target::PltEntry &entry : target::read_plt(*object.object)) {
        const auto offset = object.program->code_offset(entry.address);
        if (!offset || !glob_match(pattern, entry.name)) continue;
        FunctionSite site;
        site.offset = static_cast<int64_t>(*offset);
        site.label = string_text(entry.name);
        site.scope = target::make_plt_scope(object, entry);
        sites.push_back(std::move(site));
    }
    std::stable_sort(sites.begin(), sites.end(),
                     [](const FunctionSite &a, const FunctionSite &b) { return a.label < b.label; });
    return sites;
}

void report_none(const ast::PointComponent &part, const std::string &name,
                 const std::vector<const target::DebugObject *> &objects, const ResolveContext &context) {
    std::vector<std::string> names;
    const target::DebugObject *importer = nullptr;
    for (const target::DebugObject *object : objects) {
        for (target::PltEntry &entry : target::read_plt(*object->object))
            names.push_back(std::move(entry.name));
        if (target::is_imported(*object->object, name)) importer = object;
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::string message = "no match";
    if (names.empty())
        message = objects.front()->module + (objects.size() > 1 ? " and the others have" : " has") +
                  " no PLT entries: " + target::why_no_plt(*objects.front()->object);
    else if (importer)
        message = "'" + name + "' has no PLT entry: " + importer->module +
                  " calls it by way of the global offset table alone (-fno-plt), or only takes its address; probe it "
                  "in its library: .library(\"LIBRARY\").function(\"" +
                  name + "\")";
    else if (!has_wildcard(name))
        message += similar_text(similar_names(name, names), "similar PLT entries");
    context.diagnostics.report(Tag::NoSuchPltEntry, part.arg ? part.arg->at : part.at, message);
}

void resolve_plt(const ast::ProbePoint &point, size_t, const ResolveContext &context, std::vector<Attach> &out) {
    size_t at = 0;
    Where where = read_program(point, at);
    const std::vector<const target::DebugObject *> objects = find_program_files(where, context);
    if (objects.empty()) return;
    const ast::PointComponent &part = point.components[at];
    const std::string name = part.arg ? string_argument(part) : "*";
    const bool at_return = point.components.size() > at + 1;
    const size_t before = out.size();
    for (const target::DebugObject *object : objects) {
        std::vector<FunctionSite> sites = find_entries(*object, name);
        if (sites.empty()) continue;
        if (at_return) {
            for (FunctionSite &site : sites)
                site.by_kernel = "its code is in another file";
            warn_of_kernel_returns(point, *object, sites, context);
        }
        object->used = true;
        Attach attach;
        attach.kind = at_return ? Kind::Uretprobe : Kind::Uprobe;
        attach.arg = UserCode{object->module, where.pid};
        attach.point_prefix = program_prefix(where, *object) + "plt(\"";
        attach.point_suffix = at_return ? "\").return" : "\")";
        attach.from_wildcard = has_wildcard(name) || objects.size() > 1;
        attach.sites = std::move(sites);
        attach.point = attach.point_prefix + attach.sites.front().label + attach.point_suffix;
        out.push_back(std::move(attach));
    }
    if (out.size() == before) report_none(part, name, objects, context);
}

}  // namespace

const KindOps kPlt = {.forms = plt_forms(), .resolve = resolve_plt};

}  // namespace tapir::probes
