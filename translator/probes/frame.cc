// SPDX-License-Identifier: GPL-2.0-or-later
// Functions on the stacks of what stands still: process("path").frame("f").
#include <algorithm>

#include "base/name_patterns.h"
#include "dwarf/frames.h"
#include "probes/code_sites.h"
#include "probes/form.h"
#include "probes/kinds_table.h"
#include "probes/program_point.h"

namespace tapir::probes {

namespace {

constexpr std::string_view kFramePlaces[] = {"frame(string)"};

std::span<const Form> frame_forms() {
    static const ProgramForms all(kFramePlaces);
    return all.list();
}

bool is_hit(size_t) {
    return true;
}

// "name@file:line", with the line where the function stands.
std::string frame_label(const target::DebugObject &object, const dwarf::CodeSite &site) {
    std::string label = string_text(site.name);
    const std::string_view file = object.index ? dwarf::shown_file(*object.index, site.file) : "";
    if (!file.empty()) label += "@" + string_text(file) + ":" + std::to_string(site.line);
    return label;
}

// Those of one file; none after a report, and where the function is on no stack.
std::vector<FunctionSite> find_sites(const ast::PointComponent &frame, const target::DebugObject &object,
                                     const ResolveContext &context) {
    using Kept = dwarf::FunctionPattern::Lines;
    std::vector<FunctionSite> sites;
    std::string error;
    const auto pattern = dwarf::parse_function_pattern(string_argument(frame), error);
    if (pattern && pattern->lines == Kept::Relative)
        error = "a line of a frame is where its function stands: give it as :N or :N-M";
    if (pattern && !pattern->file.empty() && !object.index) error = target::missing_debug_information(object);
    if (!error.empty()) {
        context.diagnostics.report(Tag::NoSuchFunction, frame.arg->at, error);
        return sites;
    }
    std::vector<dwarf::FrameSite> found;
    if (!dwarf::find_frames(*object.object, object.index.get(), context.debug.frames(object), *pattern, found)) {
        const bool plain = !has_wildcard(pattern->function);
        const auto similar = plain ? similar_functions(pattern->function, {&object}) : std::vector<std::string>();
        report_no_match(frame, context, similar);
    }
    for (dwarf::FrameSite &at : found) {
        const auto offset = object.program->code_offset(at.site.pc);
        if (!offset) continue;
        FunctionSite site;
        site.offset = static_cast<int64_t>(*offset);
        site.label = frame_label(object, at.site);
        site.entry = false;
        site.depth = at.depth;
        site.scope = object.index ? target::make_scope(object, std::move(at.site)) : target::make_program_scope(object);
        sites.push_back(std::move(site));
    }
    return sites;
}

void resolve_frame(const ast::ProbePoint &point, size_t, const ResolveContext &context, std::vector<Attach> &out) {
    const target::Subject &subject = context.debug.subject();
    const auto refuse = [&](const std::string &why) {
        context.diagnostics.report(Tag::ProbeUnsupported, point.components[0].at,
                                   "cannot probe " + point.str() + ": " + why);
    };
    if (const std::string why = subject.why_no_frames(); !why.empty()) return refuse(why);
    size_t at = 0;
    Where where = read_program(point, at);
    const ast::PointComponent &frame = point.components[at];
    const std::vector<const target::DebugObject *> objects = find_program_files(where, context);
    // As late as possible: reading debug information takes longest.
    if (Outcome<void> stands = subject.stand_still(); !stands) return refuse(stands.fault().message());
    const size_t mark = context.diagnostics.mark(), before = out.size();
    for (const target::DebugObject *object : objects) {
        std::vector<FunctionSite> sites = find_sites(frame, *object, context);
        if (sites.empty()) continue;
        object->used = true;
        Attach attach;
        attach.kind = Kind::Frame;
        attach.arg = UserCode{object->module, where.pid};
        attach.from_wildcard = sites.size() > 1 || objects.size() > 1;
        attach.sites = std::move(sites);
        attach.point_prefix = program_prefix(where, *object) + "frame(\"";
        attach.point_suffix = "\")";
        attach.point = attach.point_prefix + attach.sites.front().label + attach.point_suffix;
        out.push_back(std::move(attach));
    }
    // Not every file of a pattern needs to have the function.
    if (out.size() != before) context.diagnostics.drop_since(mark);
}

void write_frame(const Attach &attach, Arg &out) {
    const auto &user = attach.as<UserCode>();
    std::vector<uint64_t> depths;
    for (const FunctionSite &site : attach.sites)
        depths.push_back(site.depth);
    out.type("tapir_frame_arg");
    out.nested("code", [&](Arg &code) { write_code_sites(attach, code); });
    out.program("program", user.path);
    out.number("pid", user.pid);
    out.numbers("depths", "u32", depths);
}

}  // namespace

const KindOps kFrame = {
    .forms = frame_forms(), .resolve = resolve_frame, .stands_still = is_hit, .write_arg = write_frame};

}  // namespace tapir::probes
