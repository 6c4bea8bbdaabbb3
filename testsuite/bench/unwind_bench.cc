// SPDX-License-Identifier: GPL-2.0-or-later
// The cost of an object's unwind table for the loader, with lines as for usymfileline().
#include <benchmark/benchmark.h>

#include <string>

#include "unit/unwind/load.h"

namespace {

void unwind_table(benchmark::State &state, const char *name) {
    const std::string path = *name == '/' ? name : tapir::unwind::library_path(name);
    uint32_t rows = 0;
    for (auto _ : state) {
        const tapir::unwind::Object object(path);
        if (!object.why.empty()) return state.SkipWithError((path + ": " + object.why).c_str());
        rows = object.table.header().nrows;
    }
    state.counters["rows"] = rows;
}
BENCHMARK_CAPTURE(unwind_table, libc, "libc.so.6")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(unwind_table, libstdcxx, "libstdc++.so.6")->Unit(benchmark::kMillisecond);
// 600 kB of code without unwind information: the rules come from its instructions.
BENCHMARK_CAPTURE(unwind_table, musl, "/lib/ld-musl-x86_64.so.1")->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
