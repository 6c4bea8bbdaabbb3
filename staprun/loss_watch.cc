// SPDX-License-Identifier: GPL-2.0-or-later
#include "loss_watch.h"

namespace tapir::staprun {

std::vector<Loss> LossWatch::since_last(Control &control) {
    tapir_ioc_status status = {};
    if (control.status(status) != 0) return {};
    uint64_t output = 0;
    for (uint32_t cpu = 0; cpu < cpus_; cpu++)
        for (const uint32_t stream : {uint32_t{TAPIR_STREAM_DATA}, uint32_t{TAPIR_STREAM_NMI}}) {
            tapir_ioc_stream row = {};
            row.stream = stream;
            row.cpu = cpu;
            if (control.stream(row) != 0) return {};
            output += row.records_dropped;
        }
    std::vector<Loss> losses;
    const auto add = [&losses](const char *what, uint64_t now, uint64_t &before) {
        if (now > before) losses.push_back({what, now - before});
        before = now;
    };
    add("output", output, output_);
    add("messages", status.warnings_lost, messages_);
    add("hits", status.skipped, hits_);
    return losses;
}

}  // namespace tapir::staprun
