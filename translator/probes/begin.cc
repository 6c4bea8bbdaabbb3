// SPDX-License-Identifier: GPL-2.0-or-later
// begin, end and error, each with an optional order number.
#include "probes/form.h"
#include "probes/kinds_table.h"

namespace tapir::probes {

namespace {

constexpr Form kForms[] = {
    {"begin"}, {"begin(number)"}, {"end"}, {"end(number)"}, {"error"}, {"error(number)"},
};
constexpr Phase kPhases[] = {Phase::Begin, Phase::End, Phase::Error};

void resolve_begin(const ast::ProbePoint &point, size_t form, const ResolveContext &, std::vector<Attach> &out) {
    Attach attach;
    attach.kind = Kind::Begin;
    attach.phase = kPhases[form / 2];
    if (form % 2) attach.order = number_argument(point.components[0]);
    attach.point = point.str();
    out.push_back(std::move(attach));
}

}  // namespace

const KindOps kBegin = {.forms = kForms, .resolve = resolve_begin};

}  // namespace tapir::probes
