// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"

namespace tapir::test {
namespace {

class Globals : public Runtime {};

TEST_F(Globals, LongsInCNotation) {
    struct {
        const char *text;
        bool ok;
        s64 value;
    } cases[] = {
        {"0", true, 0},
        {"42", true, 42},
        {"-7", true, -7},
        {"0x1F", true, 31},
        {"-0x10", true, -16},
        {"010", true, 8},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"18446744073709551615", true, -1},
        {"0xffffffffffffffff", true, -1},
        {"18446744073709551616", false, 0},
        {"-9223372036854775809", false, 0},
        {"0x10000000000000000", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"0x", false, 0},
        {"12a", false, 0},
        {"08", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"+1", false, 0},
    };
    for (const auto &test : cases) {
        s64 n = 77;
        EXPECT_EQ(tapir_parse_long(test.text, &n), test.ok) << test.text;
        EXPECT_EQ(n, test.ok ? test.value : 77) << test.text;
    }
}

TEST_F(Globals, SetByName) {
    EXPECT_EQ(tapir_global_set("number", "0x20"), 0);
    EXPECT_EQ(global_long, 32);
    EXPECT_EQ(tapir_global_set("number", "many"), -22);
    EXPECT_EQ(global_long, 32);
    EXPECT_EQ(tapir_global_set("text", std::string(500, 'x').c_str()), 0);
    EXPECT_EQ(std::string(global_string), std::string(Buffer::cap - 1, 'x'));
    EXPECT_EQ(tapir_global_set("nobody", "1"), -2);
    EXPECT_EQ(tapir_global_set("numbe", "1"), -2);
    EXPECT_EQ(tapir_global_set("s", "1"), -2);  // not settable
}

// Numbers that globals decide: a product, a quotient and the size of an array; those out of range end the session.
TEST_F(Globals, SettingsFollowGlobals) {
    u64 period = 1, rate = 1;
    u32 entries = 1;
    const tapir_setting settings[] = {
        {.name = "number",
         .global = &global_long,
         .number = &period,
         .entries = nullptr,
         .least = 1,
         .most = 9,
         .times = 1000,
         .dividend = 0},
        {.name = "number",
         .global = &global_long,
         .number = &rate,
         .entries = nullptr,
         .least = 1,
         .most = 9,
         .times = 0,
         .dividend = 60},
        {.name = "number",
         .global = &global_long,
         .number = nullptr,
         .entries = &entries,
         .least = 2,
         .most = 9,
         .times = 1,
         .dividend = 0},
    };
    tapir_test_module.nsettings = 3;
    tapir_test_module.settings = settings;
    EXPECT_EQ(tapir_global_set("number", "4"), 0);
    EXPECT_TRUE(tapir_settings_apply(enter()));
    EXPECT_EQ(period, 4000u);
    EXPECT_EQ(rate, 15u);
    EXPECT_EQ(entries, 4u);
    EXPECT_EQ(tapir_global_set("number", "1"), 0);
    EXPECT_FALSE(tapir_settings_apply(c_));
    EXPECT_STREQ(c_->message, "number is 1, which is not between 2 and 9");
    tapir_test_module.nsettings = 0;
    tapir_test_module.settings = nullptr;
}

TEST_F(Globals, CreationFailsWholeAtEveryAllocation) {
    u64 n = 1;
    for (; n < 50; n++) {
        tapir_host.fail_alloc = n;
        if (tapir_globals_create(c_, 100)) break;
        EXPECT_EQ(c_->failed, TAPIR_FAIL_ERROR);
        EXPECT_EQ(std::string(c_->message).substr(0, 30), "not enough memory for global '");
        EXPECT_EQ(tapir_host_live_allocations(), allocations_) << n;
        c_->failed = 0;
    }
    EXPECT_GT(n, 5u);
    tapir_host.fail_alloc = 0;
    tapir_globals_destroy();
}

TEST_F(Globals, ABadHistogramIsAWarningAndNoStart) {
    const tapir_hist_desc wide = {TAPIR_HIST_LINEAR, 0, 1000, 1, TAPIR_HIST_MIN_BUCKETS, 0};
    const tapir_stat_desc bad = stat_descriptor(&wide);
    tapir_stat_slot *slots = nullptr;
    tapir_global globals[] = {tapir_module.globals[kGlobalStat],
                              {"h", TAPIR_GLOBAL_STAT, 0, nullptr, &bad, &slots, nullptr, nullptr, 0}};
    const tapir_global *before = tapir_module.globals;
    tapir_test_module.globals = globals;
    tapir_test_module.nglobals = 2;
    EXPECT_FALSE(tapir_globals_create(c_, 100));
    tapir_test_module.globals = before;
    tapir_test_module.nglobals = kGlobals;
    EXPECT_EQ(take(TAPIR_REC_WARNING),
              "histogram: Number of buckets must be between 3 and 128, (high - low) / width + 3 is larger");
    EXPECT_STREQ(
        c_->message,
        "global 'h': histogram: Number of buckets must be between 3 and 128, (high - low) / width + 3 is larger");
}

}  // namespace
}  // namespace tapir::test
