// SPDX-License-Identifier: GPL-2.0-or-later
#include "types/infer.h"

#include "types/finish.h"
#include "types/inference.h"
#include "types/store_stacks.h"

namespace tapir::types {

bool infer(resolve::Program &program, const TypeOptions &options, Diagnostics &diagnostics) {
    const size_t errors = diagnostics.error_count();
    Inference(program, diagnostics).run();
    // After a conflict, complaints about values without a type would only be noise.
    if (diagnostics.error_count() == errors) settle_types(program, diagnostics);
    if (diagnostics.error_count() == errors) check_metrics(program, diagnostics);
    if (diagnostics.error_count() == errors && expand_histogram_tables(program, diagnostics))
        Inference(program, diagnostics).run();
    if (diagnostics.error_count() == errors && (options.autoprint || options.monitor || options.metrics)) {
        // The second makes reads of globals, which are then no results any more.
        if (options.autoprint) add_autoprint(program, options.refresh && !options.monitor);
        if (options.monitor) add_monitor(program);
        if (options.metrics) add_metrics(program);
        Inference(program, diagnostics).run();
    }
    if (diagnostics.error_count() == errors) store_stacks(program);
    collect_statistics(program, diagnostics);
    return diagnostics.error_count() == errors;
}

}  // namespace tapir::types
