// SPDX-License-Identifier: GPL-2.0-or-later
// Marks of programs: process("path").mark("name"), process("path").provider("p").mark("name"). They are attached as
// other places of programs are.
#include <set>

#include "base/name_patterns.h"
#include "probes/form.h"
#include "probes/kinds_table.h"
#include "probes/program_point.h"
#include "target/marks.h"

namespace tapir::probes {

namespace {

constexpr std::string_view kMarkPlaces[] = {
    "mark(string)",
    "provider(string).mark(string)",
};

std::span<const Form> mark_forms() {
    static const ProgramForms all(kMarkPlaces);
    return all.list();
}

std::string dashed(std::string_view name) {
    std::string text;
    for (size_t i = 0; i < name.size(); ++i) {
        const bool two = name.substr(i, 2) == "__";
        text += two ? '-' : name[i];
        i += two;
    }
    return text;
}

// sys/sdt.h and the headers that dtrace(1) makes write "__" for a "-" in a name. A script may write either.
bool name_matches(std::string_view pattern, std::string_view name) {
    return pattern == name || glob_match(pattern, name) || glob_match(dashed(pattern), dashed(name));
}

FunctionSite site_of(const target::DebugObject &object, const target::Mark &mark, uint64_t offset,
                     const ResolveContext &context) {
    FunctionSite site;
    site.offset = static_cast<int64_t>(offset);
    site.entry = false;
    if (mark.semaphore) site.semaphore = object.program->offset(mark.semaphore).value_or(0);
    site.scope = target::make_mark_scope(object, mark, context.debug.arch());
    object.used = true;
    return site;
}

// Adds the marks of one file that match; `others` collects the names of those that do not.
void resolve_file(const Where &where, const target::DebugObject &object, std::string_view provider,
                  const std::string &name, bool several, const ResolveContext &context, std::vector<Attach> &out,
                  std::set<std::string> &others) {
    // One mark may have many places. Each is a probe with its own arguments.
    for (const target::Mark &mark : target::read_marks(*object.object)) {
        const auto offset = object.program->code_offset(mark.address);
        if (!offset) continue;
        if (!name_matches(name, mark.name) || !name_matches(provider, mark.provider)) {
            others.insert(mark.name);
            continue;
        }
        Attach attach;
        attach.kind = Kind::Uprobe;
        attach.arg = UserCode{object.module, where.pid};
        attach.point_prefix =
            program_prefix(where, object) + "provider(\"" + string_text(mark.provider) + "\").mark(\"";
        attach.point_suffix = "\")";
        attach.from_wildcard = several || has_wildcard(name) || has_wildcard(provider);
        attach.sites = {site_of(object, mark, *offset, context)};
        attach.sites.front().label = string_text(mark.name);
        attach.point = attach.point_prefix + attach.sites.front().label + attach.point_suffix;
        out.push_back(std::move(attach));
    }
}

void resolve_mark(const ast::ProbePoint &point, size_t, const ResolveContext &context, std::vector<Attach> &out) {
    size_t at = 0;
    Where where = read_program(point, at);
    const std::vector<const target::DebugObject *> objects = find_program_files(where, context);
    if (objects.empty()) return;
    std::string provider = "*";
    if (point.components[at].name == "provider") provider = string_argument(point.components[at++]);
    const ast::PointComponent &component = point.components[at];
    const std::string &name = string_argument(component);
    const size_t before = out.size();
    std::set<std::string> others;
    for (const target::DebugObject *object : objects)
        resolve_file(where, *object, provider, name, objects.size() > 1, context, out, others);
    if (out.size() != before) return;
    std::string message = "no match";
    if (others.empty())
        message += ": " + objects.front()->module + (objects.size() > 1 ? " and the others have" : " has") +
                   " no marks (sys/sdt.h)";
    else if (!has_wildcard(name))
        message += similar_text(similar_names(name, {others.begin(), others.end()}), "similar marks");
    context.diagnostics.report(Tag::NoSuchMark, component.arg->at, message);
}

}  // namespace

const KindOps kMark = {.forms = mark_forms(), .resolve = resolve_mark};

}  // namespace tapir::probes
