// SPDX-License-Identifier: GPL-2.0-or-later
// The cost of the runtime's operations in a handler, natively. Handlers are written as the translator emits them.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
#include <tapir/tapir.h>

#include "handler.h"
#include "items/item_text.h"
#include "process/test/host.h"
}

namespace {

constexpr u32 kCap = 512;

tapir_map_desc array(u8 key, u8 value, bool stable) {
    tapir_map_desc d = {};
    d.nkeys = 1;
    d.key_types[0] = key;
    d.value_type = value;
    d.stable = stable;
    return d;
}

constexpr tapir_stat_desc kPlain = {};
constexpr tapir_hist_desc kLogHist = {TAPIR_HIST_LOG, 0, 0, 0, TAPIR_HIST_LOG_BUCKETS, 0};
constexpr tapir_stat_desc kLog = {1, 0, 0, 1, TAPIR_HIST_LOG_BUCKETS, &kLogHist};
const tapir_map_desc kByName = array(TAPIR_STRING, TAPIR_STAT, true), kByNumber = array(TAPIR_LONG, TAPIR_STAT, true);
const tapir_map_desc kLogByNumber = array(TAPIR_LONG, TAPIR_STAT, true),
                     kGuarded = array(TAPIR_STRING, TAPIR_STAT, false);
const tapir_map_desc kCounts = array(TAPIR_STRING, TAPIR_LONG, true), kTexts = array(TAPIR_LONG, TAPIR_STRING, true);

enum { kStat, kHist, kMapByName, kMapByNumber, kMapLog, kMapGuarded, kMapCounts, kMapTexts, kGlobals };
tapir_lock locks[kGlobals];
tapir_stat_slot *stat, *hist;
tapir_map *by_name, *by_number, *log_by_number, *guarded, *counts, *texts;
const tapir_global globals[kGlobals] = {
    {"stat", TAPIR_GLOBAL_STAT, 0, nullptr, &kPlain, &stat, &locks[0], nullptr, 0},
    {"hist", TAPIR_GLOBAL_STAT, 0, nullptr, &kLog, &hist, &locks[1], nullptr, 0},
    {"by_name", TAPIR_GLOBAL_MAP, 0, &kByName, &kPlain, &by_name, &locks[2], nullptr, 0},
    {"by_number", TAPIR_GLOBAL_MAP, 0, &kByNumber, &kPlain, &by_number, &locks[3], nullptr, 0},
    {"log_by_number", TAPIR_GLOBAL_MAP, 0, &kLogByNumber, &kLog, &log_by_number, &locks[4], nullptr, 0},
    {"guarded", TAPIR_GLOBAL_MAP, 0, &kGuarded, &kPlain, &guarded, &locks[5], nullptr, 0},
    {"counts", TAPIR_GLOBAL_MAP, 0, &kCounts, nullptr, &counts, &locks[6], nullptr, 0},
    {"texts", TAPIR_GLOBAL_MAP, 0, &kTexts, nullptr, &texts, &locks[7], nullptr, 0},
};

void discard(void *, u8, const char *, u32) {}

tapir_ctx *start() {
    static bool created = [] {
        tapir_host.sink = discard;
        tapir_host_set_execname("systemd-journal");
        return tapir_globals_create(tapir_host_enter(0, TAPIR_LEVEL_TASK, nullptr), 2048);
    }();
    if (!created) abort();
    return tapir_host_enter(0, TAPIR_LEVEL_TASK, nullptr);
}

tapir_val name(tapir_ctx *c) {
    tapir_val k;
    tapir_port_execname(c->frame, kCap);
    k.s = c->frame;
    return k;
}

void stat_add(benchmark::State &state) {
    start();
    for (auto _ : state) {
        tapir_stat_add(stat, &kPlain, 0, 1);
        benchmark::ClobberMemory();
    }
}

void stat_add_log(benchmark::State &state) {
    start();
    s64 n = 1;
    for (auto _ : state) {
        tapir_stat_add(hist, &kLog, 0, n++ & 0xffff);
        benchmark::ClobberMemory();
    }
}

void stat_by_execname(benchmark::State &state) {
    tapir_ctx *c = start();
    for (auto _ : state) {
        tapir_val k = name(c);
        tapir_map_add_stat(c, by_name, &k, 1, nullptr);
    }
}

void stat_by_execname_unstable(benchmark::State &state) {
    tapir_ctx *c = start();
    for (auto _ : state) {
        tapir_val k = name(c);
        tapir_map_add_stat(c, guarded, &k, 1, nullptr);
    }
}

void stat_by_number(benchmark::State &state) {
    tapir_ctx *c = start();
    tapir_val k;
    k.n = 0;
    for (auto _ : state) {
        k.n = (k.n + 1) % state.range(0);
        tapir_map_add_stat(c, by_number, &k, 1, nullptr);
    }
}

void log_stat_by_number(benchmark::State &state) {
    tapir_ctx *c = start();
    tapir_val k;
    k.n = 0;
    for (auto _ : state) {
        k.n = (k.n + 1) % 1000;
        tapir_map_add_stat(c, log_by_number, &k, k.n, nullptr);
    }
}

void count_atomic(benchmark::State &state) {
    tapir_ctx *c = start();
    for (auto _ : state) {
        tapir_val k = name(c);
        tapir_map_add_long_atomic(c, counts, &k, 1, nullptr);
    }
}

void count_locked(benchmark::State &state) {
    tapir_ctx *c = start();
    for (auto _ : state) {
        tapir_val k = name(c);
        tapir_map_add_long_locked(c, &globals[kMapCounts], &k, 1, nullptr);
    }
}

// printf("%s %d %d\n", execname(), pid, n)
struct LineFormat {
    tapir_fmt pieces[6] = {};
    tapir_item_format format;
    LineFormat() {
        pieces[0].conv = TAPIR_CONV_STRING;
        pieces[1].conv = pieces[3].conv = pieces[5].conv = TAPIR_CONV_LITERAL;
        pieces[1].literal = pieces[3].literal = " ";
        pieces[5].literal = "\n";
        pieces[1].literal_len = pieces[3].literal_len = pieces[5].literal_len = 1;
        pieces[2].conv = pieces[4].conv = TAPIR_CONV_DECIMAL;
        for (tapir_fmt &piece : pieces)
            piece.width = piece.precision = TAPIR_FMT_UNSET;
        format = {pieces, 6, 0, 3, 1, 1};
    }
};

void print_line(benchmark::State &state) {
    tapir_ctx *c = start();
    const LineFormat line;
    tapir_val args[3];
    for (auto _ : state) {
        args[0] = name(c);
        args[1].n = 12345;
        args[2].n = 42;
        tapir_print(c, &line.format, args);
        tapir_output_flush(c);
    }
}

// The text of such a line, as staprun makes it: lines a second.
void text_of_line(benchmark::State &state) {
    tapir_ctx *c = start();
    const LineFormat line;
    tapir_val args[3] = {name(c), {}, {}};
    args[1].n = 12345;
    args[2].n = 42;
    tapir_print(c, &line.format, args);
    const std::string item(c->out, c->out_len);
    tapir_output_flush(c);
    const u32 bytes = static_cast<u32>(item.size());
    std::vector<char> text(tapir_item_text_most(&line.format, bytes));
    for (auto _ : state) {
        const u32 whole = tapir_item_bytes(&line.format, 1, item.data(), bytes);
        benchmark::DoNotOptimize(
            tapir_item_text(&line.format, item.data(), whole, text.data(), static_cast<u32>(text.size())));
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations());
}

void sort_by_value(benchmark::State &state) {
    tapir_ctx *c = start();
    tapir_val k;
    for (k.n = 0; k.n < 2048; k.n++)
        tapir_map_add_stat(c, by_number, &k, (k.n * 7919) % 2048, nullptr);
    tapir_foreach spec = {TAPIR_SORT_ASCENDING, 0, TAPIR_SORT_SUM, 0, 0};
    for (auto _ : state) {
        tapir_iter it;
        spec.sort = spec.sort == TAPIR_SORT_ASCENDING ? TAPIR_SORT_DESCENDING : TAPIR_SORT_ASCENDING;
        tapir_foreach_begin(c, &it, by_number, &spec, 0, nullptr, nullptr);
        benchmark::DoNotOptimize(tapir_foreach_next(&it));
    }
}

void concat(benchmark::State &state) {
    alignas(8) char a[kCap] = "a path of some length/", b[kCap] = "and its last component", to[kCap];
    for (auto _ : state) {
        tapir_str_concat(to, a, b, kCap);
        benchmark::ClobberMemory();
    }
}

BENCHMARK(stat_add);
BENCHMARK(stat_add_log);
BENCHMARK(stat_by_execname);
BENCHMARK(stat_by_execname_unstable);
BENCHMARK(stat_by_number)->Arg(1)->Arg(1000);
BENCHMARK(log_stat_by_number);
BENCHMARK(count_atomic);
BENCHMARK(count_locked);
BENCHMARK(print_line);
BENCHMARK(text_of_line);
BENCHMARK(sort_by_value);
BENCHMARK(concat);

}  // namespace

extern "C" const struct tapir_module tapir_module = {
    .abi = TAPIR_ABI,
    .string_cap = kCap,
    .frame_bytes = 4096,
    .nprobes = 0,
    .nglobals = kGlobals,
    .nsymbols = 0,
    .nconditions = 0,
    .probes = nullptr,
    .globals = globals,
    .symbols = nullptr,
    .nobjects = 0,
    .objects = nullptr,
    .nprograms = 0,
    .programs = nullptr,
    .ninterpreters = 0,
    .interpreters = nullptr,
    .nsyscalls = 0,
    .syscalls = nullptr,
    .nformats = 0,
    .formats = nullptr,
    .naddresses = 0,
    .addresses = nullptr,
    .address_values = nullptr,
    .nsettings = 0,
    .settings = nullptr,
    .nrecalls = 0,
    .recalls = nullptr,
    .conditions = nullptr,
    .switches = nullptr,
    .limits = {},
    .limits_set = 0,
    .hist_elision = 2,
    .hist_width = 50,
    .weighted = 0,
    .hist_units = 0,
    .init_globals = nullptr,
};

BENCHMARK_MAIN();
