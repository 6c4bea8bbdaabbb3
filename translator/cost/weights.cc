// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost/weights.h"

#include <algorithm>
#include <iterator>

#include "ir/reckon.h"

namespace tapir::cost::weight {
namespace {

struct RuntimeCall {
    std::string_view name;
    double base, byte, frame, kernel_frame;
};
constexpr RuntimeCall kCalls[] = {
#define TAPIR_CALL_COST(name, base, byte, frame, kernel_frame) {#name, base, byte, frame, kernel_frame},
#include "cost/call_costs.def"
};

}  // namespace

double runtime_call(std::string_view name, const Sizes &sizes) {
    const auto call =
        std::find_if(std::begin(kCalls), std::end(kCalls), [&](const RuntimeCall &c) { return c.name == name; });
    if (call != std::end(kCalls)) {
        const double walk = sizes.walk == Walk::Inside && call->kernel_frame > 0 ? WalkFromInside
                            : sizes.walk == Walk::Returning && call->frame > 0   ? WalkReturning
                                                                                 : 0;
        return call->base + call->byte * sizes.text + call->frame * sizes.frames +
               call->kernel_frame * sizes.kernel_frames + walk;
    }
    // The greatest time of others is known, for the limit of a handler's.
    const int64_t longest = ir::runtime_work(name);
    return longest < 0 ? 0 : static_cast<double>(longest) * PartOfLongest;
}

}  // namespace tapir::cost::weight
