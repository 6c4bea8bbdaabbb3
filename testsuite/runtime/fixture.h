// SPDX-License-Identifier: GPL-2.0-or-later
// The fixture of the runtime's tests: the C headers, a captured output, and a handler context that cleans up itself.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

extern "C" {
#include <tapir/tapir.h>

#include "handler.h"
#include "process/test/host.h"
}

#include <gtest/gtest.h>

// tapir_module under a name by which it can be changed, for tests of what a script can configure.
extern "C" struct tapir_module tapir_test_module;

namespace tapir::test {

struct Record {
    u8 type;
    std::string text;
};

// The native port with its output captured and every setting at its default; checks that all memory was returned.
class Runtime : public ::testing::Test {
  protected:
    void SetUp() override;
    void TearDown() override;

    tapir_ctx *enter(u32 cpu = 0, u8 level = TAPIR_LEVEL_TASK);
    // Ends the handler and returns what it printed since the last call, records joined.
    std::string finish();
    std::string take(u8 type);

    std::vector<Record> records_;
    tapir_ctx *c_ = nullptr;
    u64 allocations_ = 0;
};

inline tapir_val val(s64 n) {
    tapir_val v;
    v.n = n;
    return v;
}
inline tapir_val val(const char *s) {
    tapir_val v;
    v.s = s;
    return v;
}

inline u64 address(const void *p) {
    return reinterpret_cast<u64>(p);
}

inline tapir_hist_desc linear(s64 low, s64 high, s64 width) {
    return {TAPIR_HIST_LINEAR, low, high, width, static_cast<u32>(tapir_linear_buckets(low, high, width)), 0};
}

inline tapir_hist_desc loglinear(s64 low, s64 high, s64 steps) {
    return {TAPIR_HIST_LOGLINEAR, low, high, steps, static_cast<u32>(tapir_loglinear_all_buckets(low, high, steps)), 0};
}

inline constexpr tapir_hist_desc kLogHist = {TAPIR_HIST_LOG, 0, 0, 0, TAPIR_HIST_LOG_BUCKETS, 0};

// `hist` stays where it is.
inline tapir_stat_desc stat_descriptor(const tapir_hist_desc *hist = nullptr, bool min_max = false) {
    tapir_stat_desc d = {};
    d.min_max = min_max;
    if (!hist) return d;
    d.nhists = 1;
    d.buckets = hist->buckets;
    d.hists = hist;
    return d;
}

inline tapir_map_desc map_descriptor(std::initializer_list<u8> keys, u8 value, u32 max = 0, bool wrap = false,
                                     bool stable = false) {
    tapir_map_desc d = {};
    for (u8 type : keys)
        d.key_types[d.nkeys++] = type;
    d.value_type = value;
    d.max_entries = max;
    d.wrap = wrap;
    d.stable = stable;
    return d;
}

// A string buffer of the capacity of the test module, 8-aligned.
struct alignas(8) Buffer {
    static constexpr u32 cap = 128;
    char text[cap] = {};
};

// Globals of the test module.
enum { kGlobalLong, kGlobalString, kGlobalStat, kGlobalMap, kGlobalStatMap, kGlobals };
extern s64 global_long;
extern char global_string[Buffer::cap];
extern tapir_stat_slot *global_stat;
extern tapir_map *global_map;
extern tapir_map *global_stat_map;

}  // namespace tapir::test
