// SPDX-License-Identifier: GPL-2.0-or-later
// begin, end and error, each with an optional order number.
#include "probes/form.h"
#include "probes/kinds_table.h"

namespace tapir::probes {

namespace {

constexpr Form kBeginForms[] = {
    {"begin"}, {"begin(number)"}, {"end"}, {"end(number)"}, {"error"}, {"error(number)"},
};
constexpr Phase kPhases[] = {Phase::Begin, Phase::End, Phase::Error};

void resolve_begin(const ast::ProbePoint &point, size_t form, const ResolveContext &, std::vector<Attach> &out) {
    Attach attach;
    attach.kind = Kind::Begin;
    attach.arg = SessionPhase{kPhases[form / 2], form % 2 ? number_argument(point.components[0]) : 0};
    attach.point = point.str();
    out.push_back(std::move(attach));
}

void write_begin(const Attach &attach, Arg &out) {
    static constexpr std::string_view kNames[] = {"TAPIR_PHASE_BEGIN", "TAPIR_PHASE_END", "TAPIR_PHASE_ERROR"};
    const auto &when = attach.as<SessionPhase>();
    out.type("tapir_begin_arg");
    out.constant("phase", kNames[static_cast<size_t>(when.phase)]);
    out.number("order", when.order);
}

}  // namespace

const KindOps kBegin = {.forms = kBeginForms,
                        .resolve = resolve_begin,
                        .stands_still = [](size_t) { return true; },
                        .write_arg = write_begin};

}  // namespace tapir::probes
