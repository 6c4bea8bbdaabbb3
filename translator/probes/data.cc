// SPDX-License-Identifier: GPL-2.0-or-later
// kernel.data(...): memory of the kernel that is watched by the processor's debug registers.
#include "probes/form.h"
#include "probes/kinds_table.h"

namespace tapir::probes {

namespace {

constexpr Form kDataForms[] = {
    {"kernel.data(string).write"},
    {"kernel.data(string).rw"},
    {"kernel.data(string).length(number).write"},
    {"kernel.data(string).length(number).rw"},
    {"kernel.data(number).write"},
    {"kernel.data(number).rw"},
    {"kernel.data(number).length(number).write"},
    {"kernel.data(number).length(number).rw"},
};
constexpr size_t kByAddress = 4;  // forms from here on

bool is_length(int64_t length) {
    return length == 1 || length == 2 || length == 4 || length == 8;
}

void resolve_data(const ast::ProbePoint &point, size_t form, const ResolveContext &context, std::vector<Attach> &out) {
    if (!is_watchable(point, context)) return;
    Attach attach;
    attach.kind = Kind::Data;
    Watch &watch = attach.arg.emplace<Watch>();
    attach.point = point.str();
    watch.reads = form % 2;
    const ast::PointComponent &what = point.components[1];
    if (form >= kByAddress) {
        watch.address = static_cast<uint64_t>(number_argument(what));
    } else {
        watch.symbol = string_argument(what);
    }
    if (form % kByAddress >= 2) {
        const ast::PointComponent &length = point.components[2];
        if (!is_length(number_argument(length))) {
            context.diagnostics.report(Tag::DataLength, length.arg->at, "the processor watches 1, 2, 4 or 8 bytes");
            return;
        }
        watch.length = static_cast<uint32_t>(number_argument(length));
    }
    if (form >= kByAddress && watch.address % watch.length) {
        context.diagnostics.report(Tag::DataLength, what.arg->at,
                                   "the processor watches " + std::to_string(watch.length) + " bytes at multiples of " +
                                       std::to_string(watch.length) + " only");
        return;
    }
    out.push_back(std::move(attach));
}

void write_data(const Attach &attach, Arg &out) {
    const auto &watch = attach.as<Watch>();
    out.type("tapir_data_arg");
    if (!watch.symbol.empty()) {
        out.number("by_symbol", 1);
        out.symbol("symbol", watch.symbol);
    }
    out.number("length", watch.length);
    out.number("address", watch.address);
    out.number("reads", int{watch.reads});
    out.number("optional", int{attach.optional});
}

}  // namespace

const KindOps kData = {.forms = kDataForms, .resolve = resolve_data, .write_arg = write_data};

}  // namespace tapir::probes
