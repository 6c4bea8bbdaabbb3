// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"

namespace tapir::test {

s64 global_long;
alignas(8) char global_string[Buffer::cap];
tapir_stat_slot *global_stat;
tapir_map *global_map;
tapir_map *global_stat_map;

static tapir_lock locks[kGlobals];
static const tapir_stat_desc stat_desc = stat_descriptor(&kLogHist, true);
static const tapir_stat_desc element_desc = stat_descriptor();
static const tapir_map_desc map_desc = [] {
    tapir_map_desc d = map_descriptor({TAPIR_LONG}, TAPIR_LONG);
    d.reported = 1;
    return d;
}();
static const tapir_map_desc stat_map_desc = map_descriptor({TAPIR_STRING}, TAPIR_STAT, 100, false, true);
static const tapir_global globals[kGlobals] = {
    {"number", TAPIR_GLOBAL_LONG, 1, nullptr, nullptr, &global_long, &locks[0], nullptr, 0},
    {"text", TAPIR_GLOBAL_STRING, 1, nullptr, nullptr, global_string, &locks[1], nullptr, 0},
    {"s", TAPIR_GLOBAL_STAT, 0, nullptr, &stat_desc, &global_stat, &locks[2], nullptr, 0},
    {"a", TAPIR_GLOBAL_MAP, 0, &map_desc, nullptr, &global_map, &locks[3], nullptr, 0},
    {"c", TAPIR_GLOBAL_MAP, 0, &stat_map_desc, &element_desc, &global_stat_map, &locks[4], nullptr, 0},
};
static const tapir_probe probes[] = {
    {"kernel.function(\"vfs_read\")", "test.stp:1:1", &tapir_kind_function, nullptr, nullptr, nullptr, nullptr, nullptr,
     0, nullptr, 0, 0, 0, 0, 0, 0},
};

static const tapir_interpreter interpreters[] = {
    {"One", "all of One", "one*", "run_one", {"one_runtime"}},
    {"Two", "all of Two", "two*", "", {"two_globals", "two_version"}},
};

static void capture(void *arg, u8 type, const char *data, u32 length) {
    static_cast<std::vector<Record> *>(arg)->push_back({type, std::string(data, length)});
}

void Runtime::SetUp() {
    tapir_host = {};
    tapir_host.ncpus = 4;
    tapir_host.sink = capture;
    tapir_host.sink_arg = &records_;
    tapir_host_reset();
    allocations_ = tapir_host_live_allocations();
    enter();
}

void Runtime::TearDown() {
    tapir_host_leave(c_);
    tapir_host.sink = nullptr;
    EXPECT_EQ(tapir_host_live_allocations(), allocations_);
}

tapir_ctx *Runtime::enter(u32 cpu, u8 level) {
    if (c_) tapir_host_leave(c_);
    return c_ = tapir_host_enter(cpu, level, &probes[0]);
}

std::string Runtime::finish() {
    tapir_handler_finish(c_);
    tapir_handler_start(c_, &probes[0], 1000);
    return take(TAPIR_REC_DATA);
}

std::string Runtime::take(u8 type) {
    std::string all;
    std::vector<Record> rest;
    for (Record &record : records_) {
        if (record.type == type)
            all += record.text;
        else
            rest.push_back(record);
    }
    records_ = rest;
    return all;
}

}  // namespace tapir::test

using namespace tapir::test;

struct tapir_module tapir_test_module = {
    .abi = TAPIR_ABI,
    .string_cap = Buffer::cap,
    .frame_bytes = 4096,
    .nprobes = 1,
    .nglobals = kGlobals,
    .nsymbols = 0,
    .nconditions = 0,
    .probes = probes,
    .globals = globals,
    .symbols = nullptr,
    .nobjects = 0,
    .objects = nullptr,
    .nprograms = 0,
    .programs = nullptr,
    .ninterpreters = 2,
    .interpreters = interpreters,
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

// A second name that the compiler does not see: what is const and has no initializer, it takes for zeros.
__asm__(".globl tapir_module\n.set tapir_module, tapir_test_module");
