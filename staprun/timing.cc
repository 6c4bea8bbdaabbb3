// SPDX-License-Identifier: GPL-2.0-or-later
#include "timing.h"

#include "common/plain_text.h"

namespace tapir::staprun {

using ull = unsigned long long;

int collect_locks(Control &control, uint32_t globals, std::vector<tapir_ioc_lock> &out) {
    for (uint32_t i = 0; i < globals; i++) {
        tapir_ioc_lock lock = {};
        lock.index = i;
        if (int error = control.lock(lock)) return error;
        out.push_back(lock);
    }
    return 0;
}

std::string timing_report(const std::vector<tapir_ioc_probe> &probes, const std::vector<tapir_ioc_lock> &locks) {
    std::string out = "----- probe hit report: \n";
    for (size_t i = 0; i < probes.size(); i++) {
        const tapir_ioc_probe &p = probes[i];
        if (p.handled == 0) continue;
        append(out, "%.*s, (%.*s), hits: %llu, nsecs: %llumin/%lluavg/%llumax, index: %zu\n",
               static_cast<int>(sizeof p.point), p.point, static_cast<int>(sizeof p.where), p.where, ull{p.handled},
               ull{p.time_min}, ull{p.time_sum / p.handled}, ull{p.time_max}, i);
    }
    for (const tapir_ioc_lock &lock : locks) {
        if (lock.contended)
            append(out, "'%.*s' lock contention occurred %llu times\n", static_cast<int>(sizeof lock.name), lock.name,
                   ull{lock.contended});
    }
    return out;
}

}  // namespace tapir::staprun
