// SPDX-License-Identifier: GPL-2.0-or-later
// The life of a script on the native port: hand-written probes in the form the translator emits.
#include "fixture.h"

namespace tapir::test {
namespace {

const tapir_begin_arg kBegin = {TAPIR_PHASE_BEGIN, 0}, kLate = {TAPIR_PHASE_BEGIN, 5},
                      kEarly = {TAPIR_PHASE_BEGIN, INT64_MIN};
const tapir_begin_arg kAtEnd = {TAPIR_PHASE_END, 0}, kError = {TAPIR_PHASE_ERROR, 0};
const tapir_timer_arg kTick = {0, 1000000, 0};

s64 hits;
bool armed;

template <char name>
void say(tapir_ctx *c) {
    const char mark = name;
    tapir_print_bytes(c, &mark, 1);
}
void fail(tapir_ctx *c) {
    tapir_error(c, nullptr, "broken");
}
void leave(tapir_ctx *c) {
    tapir_print_string(c, "x");
    tapir_exit(c);
}
void tick(tapir_ctx *c) {
    EXPECT_EQ(c->level, TAPIR_LEVEL_HARDIRQ);
    tapir_print_string(c, "t");
    if (++hits == 3) tapir_exit(c);
}
void count(u32, const void *) {
    __atomic_add_fetch(&hits, 1, __ATOMIC_RELAXED);
}
bool is_armed() {
    return armed;
}

tapir_probe begin(const tapir_begin_arg &arg, void (*handler)(tapir_ctx *)) {
    return {
        "begin", "t.stp:1:1", &tapir_kind_begin, &arg, handler, nullptr, nullptr, nullptr, 0, nullptr, 0, 0, 0, 0, 0,
        0};
}

class Run : public Runtime {
  protected:
    int run(std::vector<tapir_probe> probes, tapir_host_options options = {}) {
        const tapir_probe *before = tapir_module.probes;
        tapir_test_module.probes = probes.data();
        tapir_test_module.nprobes = static_cast<u32>(probes.size());
        hits = 0;
        int status = tapir_host_run(&options);
        tapir_test_module.probes = before;
        tapir_test_module.nprobes = 1;
        tapir_host_reset();
        return status;
    }
};

TEST_F(Run, BeginInOrderThenEnd) {
    EXPECT_EQ(run({begin(kAtEnd, say<'z'>), begin(kLate, say<'c'>), begin(kBegin, say<'a'>), begin(kBegin, say<'b'>),
                   begin(kEarly, say<'0'>), begin(kError, say<'!'>)}),
              0);
    EXPECT_EQ(take(TAPIR_REC_DATA), "0abcz");
}

TEST_F(Run, ExitSkipsLaterBeginProbes) {
    EXPECT_EQ(run({begin(kEarly, leave), begin(kBegin, say<'a'>), begin(kAtEnd, say<'z'>)}), 0);
    EXPECT_EQ(take(TAPIR_REC_DATA), "xz");
}

TEST_F(Run, AnErrorLeadsToErrorProbes) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(run({begin(kBegin, fail), begin(kLate, say<'a'>), begin(kAtEnd, say<'z'>), begin(kError, say<'e'>)}), 1);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "WARNING: Number of errors: 1, skipped probes: 0\n");
    EXPECT_EQ(take(TAPIR_REC_DATA), "e");
    EXPECT_EQ(take(TAPIR_REC_ERROR), "broken in probe begin");
}

TEST_F(Run, ToleratedErrorsStillCount) {
    tapir_host.limits[TAPIR_LIMIT_MAXERRORS] = 1;
    testing::internal::CaptureStderr();
    EXPECT_EQ(run({begin(kBegin, fail), begin(kLate, say<'a'>), begin(kAtEnd, say<'z'>)}), 1);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "WARNING: Number of errors: 1, skipped probes: 0\n");
    EXPECT_EQ(take(TAPIR_REC_DATA), "az");
}

TEST_F(Run, TimersUntilExit) {
    EXPECT_EQ(run({{"timer.ms(1)", "t.stp:1:1", &tapir_kind_timer, &kTick, tick, nullptr, nullptr, nullptr, 0, nullptr,
                    0, 0, 0, 0, 0, 0},
                   begin(kAtEnd, say<'z'>)}),
              0);
    EXPECT_EQ(take(TAPIR_REC_DATA), "tttz");
}

TEST_F(Run, TimeLimitEndsIt) {
    tapir_host_options options = {};
    options.seconds = 0.02;
    const tapir_timer_arg slow = {0, 1000000000000, 0};
    EXPECT_EQ(run({{"timer.s(1000)", "t.stp:1:1", &tapir_kind_timer, &slow, tick, nullptr, nullptr, nullptr, 0, nullptr,
                    0, 0, 0, 0, 0, 0},
                   begin(kAtEnd, say<'z'>)},
                  options),
              0);
    EXPECT_EQ(take(TAPIR_REC_DATA), "z");
}

TEST_F(Run, ThreadsHitFunctionProbes) {
    tapir_host_options options = {};
    options.threads = 4;
    options.hits = 1000;
    const tapir_probe leaf = {"kernel.function(\"f\")",
                              "t.stp:1:1",
                              &tapir_kind_function,
                              nullptr,
                              nullptr,
                              {.registers = count},
                              nullptr,
                              nullptr,
                              0,
                              nullptr,
                              0,
                              0,
                              0,
                              0,
                              0,
                              0};
    EXPECT_EQ(run({leaf, leaf}, options), 0);
    EXPECT_EQ(hits, 8000);
    tapir_probe conditional = leaf;
    tapir_condition condition = {is_armed, 0};
    conditional.condition = &condition;
    armed = false;
    EXPECT_EQ(run({conditional}, options), 0);
    EXPECT_EQ(hits, 0);
    armed = true;
    EXPECT_EQ(run({conditional}, options), 0);
    EXPECT_EQ(hits, 4000);
}

TEST_F(Run, ValuesAreSetBeforeBegin) {
    tapir_host_options options = {};
    const char *values[] = {"number=12", "text=a=b", nullptr};
    options.values = values;
    EXPECT_EQ(run({begin(kBegin,
                         [](tapir_ctx *c) {
                             tapir_print_long(c, global_long);
                             tapir_print_string(c, global_string);
                         })},
                  options),
              0);
    EXPECT_EQ(take(TAPIR_REC_DATA), "12a=b");
    values[0] = "number=x";
    testing::internal::CaptureStderr();
    EXPECT_EQ(run({begin(kBegin, say<'a'>)}, options), 1);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "ERROR: Invalid parameters: cannot set 'number=x'\n");
    EXPECT_EQ(take(TAPIR_REC_DATA), "");
}

TEST_F(Run, NoMemoryNoStart) {
    tapir_host.fail_alloc = 1;
    testing::internal::CaptureStderr();
    EXPECT_EQ(run({begin(kBegin, say<'a'>)}), 1);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "ERROR: not enough memory for global 's'\n");
    EXPECT_EQ(take(TAPIR_REC_DATA), "");
}

}  // namespace
}  // namespace tapir::test
