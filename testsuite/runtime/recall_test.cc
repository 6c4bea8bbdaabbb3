// SPDX-License-Identifier: GPL-2.0-or-later
// Rings of events: the last ones in their order, each once; threads that have no ring are counted. When triggers fire.
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include <unistd.h>

#include "fixture.h"

extern "C" {
#include "items/event_text.h"
#include "items/table_head.h"
}

namespace tapir::test {
namespace {

constexpr u32 kEvents = 100, kThreads = 64;

struct Event {
    s64 thread, cpu, age;
    s64 values[TAPIR_RECALL_VALUES];
};

class Recall : public Runtime {
  protected:
    void SetUp() override {
        Runtime::SetUp();
        saved_ = tapir_test_module;
        pieces_[0] = {TAPIR_CONV_LITERAL, TAPIR_FMT_RECALL, TAPIR_FMT_UNSET, TAPIR_FMT_UNSET, "ring", 5};
        for (u32 i = 1; i < kPieces; i++)
            pieces_[i] = {TAPIR_CONV_DECIMAL, 0, TAPIR_FMT_UNSET, TAPIR_FMT_UNSET, nullptr, 0};
        format_.pieces = pieces_;
        format_.npieces = kPieces;
        format_.nargs = kPieces - 1;
        format_.ends_line = 1;
        tapir_test_module.nformats = 1;
        tapir_test_module.formats = &format_;
        tapir_test_module.nrecalls = 2;
        tapir_test_module.recalls = descs_;
        tapir_host.limits[TAPIR_LIMIT_MAXRECALLTHREADS] = kThreads;
        tapir_host.thread_began = 1;
        ASSERT_TRUE(tapir_recalls_create(c_));
    }
    void TearDown() override {
        tapir_recalls_destroy();
        tapir_test_module = saved_;
        Runtime::TearDown();
    }

    void write(u32 thread, s64 value, s64 second = 0, s64 third = 0) {
        tapir_host.thread = thread;
        tapir_port_recall(rings_, 0, value, second, third);
    }

    // Returns the events that are printed of a thread.
    std::vector<Event> events_of(s64 thread, s64 cpu = -1) {
        tapir_recalled(c_, thread, cpu);
        finish();
        std::vector<Event> events;
        const std::string items = take(TAPIR_REC_PRINT);
        for (u32 at = 0, bytes = 0; at < items.size(); at += bytes) {
            bytes = tapir_item_bytes(&format_, 1, items.data() + at, static_cast<u32>(items.size()) - at);
            tapir_event event = {};
            if (!bytes || !tapir_event_read(&event, &format_, items.data() + at)) {
                ADD_FAILURE() << "no event at " << at;
                break;
            }
            Event read = {event.thread, event.cpu, event.age, {}};
            const char *argument = event.at;
            for (u32 i = 0; i < TAPIR_RECALL_VALUES; i++)
                read.values[i] = tapir_cell_take(&format_, event.argument + i, &argument).number;
            EXPECT_STREQ("ring", event.name);
            events.push_back(read);
        }
        return events;
    }
    std::vector<s64> values_of(s64 thread) {
        std::vector<s64> values;
        for (const Event &event : events_of(thread))
            values.push_back(event.values[0]);
        return values;
    }
    static u64 lost() { return tapir_host_cut(TAPIR_LOST_RECALL); }

    static constexpr u32 kPieces = 1 + TAPIR_RECALL_ARGS + TAPIR_RECALL_VALUES;
    struct tapir_module saved_ = {};
    tapir_fmt pieces_[kPieces];
    tapir_item_format format_ = {};
    tapir_recalls *rings_ = nullptr, *cpus_ = nullptr;
    const tapir_recall_desc descs_[2] = {{"ring", kEvents, 0, &rings_}, {"ring", 8, 1, &cpus_}};
};

std::vector<s64> from_to(s64 first, s64 last) {
    std::vector<s64> numbers;
    for (s64 i = first; i <= last; i++)
        numbers.push_back(i);
    return numbers;
}

TEST_F(Recall, TheLastEventsInTheirOrderEachOnce) {
    write(7, 0, -1, 5);
    const std::vector<Event> one = events_of(7);
    ASSERT_EQ(1u, one.size());
    EXPECT_EQ(7, one[0].thread);
    EXPECT_GE(one[0].age, 0);
    EXPECT_EQ(-1, one[0].values[1]);
    EXPECT_EQ(5, one[0].values[2]);
    EXPECT_EQ(from_to(1, 0), values_of(7));
    for (s64 i = 1; i <= 1000; i++)
        write(7, i);
    EXPECT_EQ(from_to(901, 1000), values_of(7));
    write(7, 1001);
    write(7, 1002);
    EXPECT_EQ(from_to(1001, 1002), values_of(7));
    EXPECT_EQ(0u, lost());
}

TEST_F(Recall, EachThreadHasItsOwn) {
    for (s64 i = 0; i < 50; i++)
        for (u32 thread = 1; thread <= 20; thread++)
            write(thread * 1000, i * 100 + thread);
    for (u32 thread = 1; thread <= 20; thread++) {
        std::vector<s64> expected;
        for (s64 i = 0; i < 50; i++)
            expected.push_back(i * 100 + thread);
        tapir_host.thread = thread * 1000;
        EXPECT_EQ(expected, values_of(thread % 2 ? s64{-1} : s64{thread} * 1000)) << thread;
    }
    EXPECT_EQ(from_to(1, 0), values_of(21000));
    EXPECT_EQ(0u, lost());
}

TEST_F(Recall, AnIdIsUsedAgain) {
    write(7, 1);
    tapir_host.thread_began = 2;
    tapir_host.thread = 7;
    EXPECT_EQ(from_to(1, 0), values_of(-1));
    write(7, 2);
    EXPECT_EQ(from_to(2, 2), values_of(-1));
}

TEST_F(Recall, OfACpu) {
    tapir_host.thread = 5;
    for (s64 i = 0; i < 20; i++)
        tapir_port_recall_of_cpu(cpus_, 0, i, 0, 0);
    const std::vector<Event> events = events_of(5, 0);
    ASSERT_EQ(8u, events.size());
    EXPECT_EQ(12, events[0].values[0]);
    EXPECT_EQ(-1, events[0].thread);
    EXPECT_EQ(0u, events_of(5, 1).size());
    EXPECT_EQ(0u, events_of(5, 100000).size());
}

// All that was written is printed or counted.
TEST_F(Recall, ThreadsWithoutARingAreCounted) {
    constexpr u32 kMany = 1000;
    for (u32 thread = 1; thread <= kMany; thread++)
        write(thread, thread);
    u64 printed = 0;
    for (u32 thread = 1; thread <= kMany; thread++)
        printed += events_of(thread).size();
    EXPECT_EQ(kMany, printed + lost());
    EXPECT_GE(printed, kThreads / 2);
    EXPECT_LE(printed, kThreads + TAPIR_RECALL_WINDOW);
}

TEST_F(Recall, RingsOfThreadsThatEndedAreTaken) {
    for (u32 thread = 1; thread <= 1000; thread++)
        write(thread, thread);
    const u64 before = lost();
    // The first thread without a ring takes that of one that ended, if it may stand there.
    u32 given = 0;
    for (u32 ended = 1; ended <= 200 && !given; ended++) {
        tapir_host.ended_thread = ended;
        const u64 lost_before = lost();
        write(5000, 42);
        if (lost() == lost_before) given = ended;
    }
    EXPECT_GT(given, 0u);
    EXPECT_GE(lost(), before);
    EXPECT_EQ(from_to(42, 42), values_of(5000));
    EXPECT_EQ(from_to(1, 0), values_of(given));
}

TEST_F(Recall, RingsAgeAfterASecond) {
    for (u32 thread = 1; thread <= 1000; thread++)
        write(thread, thread);
    u64 before = lost();
    write(5000, 1);
    EXPECT_EQ(before + 1, lost());
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    before = lost();
    write(5000, 42);
    // The event of the thread that had the ring.
    EXPECT_EQ(before + 1, lost());
    EXPECT_EQ(from_to(42, 42), values_of(5000));
}

TEST_F(Recall, ReadWhileItIsWritten) {
    constexpr s64 kCount = 200000;
    tapir_host.thread = 0;
    std::atomic<s64> id = 0;
    std::atomic<bool> done = false;
    std::thread writer([&] {
        id = gettid();
        for (s64 i = 1; i <= kCount; i++)
            tapir_port_recall(rings_, 0, i, i * 7, ~i);
        done = true;
    });
    while (!id) {
    }
    s64 last = 0;
    u64 seen = 0;
    for (bool again = true; again;) {
        again = !done;
        for (const Event &event : events_of(id)) {
            ASSERT_EQ(event.values[0] * 7, event.values[1]);
            ASSERT_EQ(~event.values[0], event.values[2]);
            ASSERT_GT(event.values[0], last);
            last = event.values[0];
            seen++;
        }
    }
    writer.join();
    EXPECT_EQ(kCount, last);
    EXPECT_GE(seen, 1u);
}

TEST_F(Recall, MemoryIsCheckedAndReturned) {
    tapir_host.limits[TAPIR_LIMIT_MAXRECALLTHREADS] = 100000;
    tapir_demand demand = {};
    tapir_recalls_demand(&demand);
    EXPECT_GT(demand.bytes, 131072u * 128 * 40);
    EXPECT_LT(demand.bytes, 132000u * 128 * 41);
    EXPECT_STREQ("ring", demand.name);
    tapir_recalls_destroy();
    tapir_host.limits[TAPIR_LIMIT_MAXRECALLTHREADS] = 1;
    for (u64 n = 1; n <= 4; n++) {
        tapir_host.fail_alloc = n;
        EXPECT_FALSE(tapir_recalls_create(c_)) << n;
        EXPECT_STREQ("not enough memory for the rings of @recall ring", c_->message);
        EXPECT_EQ(nullptr, rings_);
        c_->failed = 0;
    }
    tapir_host.fail_alloc = 0;
    EXPECT_TRUE(tapir_recalls_create(c_));
}

class Triggers : public Runtime {
  protected:
    void SetUp() override {
        Runtime::SetUp();
        tapir_triggers_reset();
    }
    int fire(s64 trigger, int times, s64 limit = 0, s64 window = 0, s64 most = 0, bool last = false) {
        int fired = 0;
        for (int i = 0; i < times; i++)
            fired += tapir_trigger_fires(c_, trigger, limit, window, most, last);
        return fired;
    }
};

TEST_F(Triggers, TheLimitHoldsBackAndCounts) {
    EXPECT_EQ(10, fire(100, 10));
    EXPECT_EQ(0, tapir_trigger_suppressed(100));
    EXPECT_EQ(3, fire(200, 10, 3));
    EXPECT_EQ(7, tapir_trigger_suppressed(200));
    EXPECT_EQ(0, tapir_trigger_suppressed(200));
    EXPECT_EQ(2, fire(300, 10, 2, 1000000000));
    std::this_thread::sleep_for(std::chrono::milliseconds(1050));
    EXPECT_EQ(2, fire(300, 10, 2, 1000000000));
    EXPECT_EQ(16, tapir_trigger_suppressed(300));
}

TEST_F(Triggers, AConditionHasToHold) {
    EXPECT_TRUE(tapir_trigger_held(100, true, 0));
    EXPECT_FALSE(tapir_trigger_held(100, true, 0));
    EXPECT_FALSE(tapir_trigger_held(100, false, 0));
    EXPECT_TRUE(tapir_trigger_held(100, true, 0));
    constexpr s64 kHour = 3600000000000, kMoment = 20000000;
    EXPECT_FALSE(tapir_trigger_held(200, true, kHour));
    EXPECT_FALSE(tapir_trigger_held(300, true, kMoment));
    std::this_thread::sleep_for(std::chrono::milliseconds(21));
    EXPECT_FALSE(tapir_trigger_held(200, true, kHour));
    EXPECT_FALSE(tapir_trigger_held(300, false, kMoment));
    EXPECT_FALSE(tapir_trigger_held(300, true, kMoment));
    std::this_thread::sleep_for(std::chrono::milliseconds(21));
    EXPECT_TRUE(tapir_trigger_held(300, true, kMoment));
    EXPECT_FALSE(tapir_trigger_held(300, true, kMoment));
}

TEST_F(Triggers, TheLastEndsTheSession) {
    EXPECT_EQ(2, fire(100, 2, 0, 0, 3));
    EXPECT_FALSE(tapir_host_exit_requested());
    EXPECT_EQ(1, fire(200, 5, 0, 0, 3));
    EXPECT_TRUE(tapir_host_exit_requested());
    tapir_triggers_reset();
    EXPECT_EQ(1, fire(100, 1));
    EXPECT_EQ(1, fire(200, 5, 0, 0, 0, true));
    EXPECT_EQ(0, fire(100, 1));
}

TEST_F(Triggers, AreAsManyAsAScriptMayHave) {
    int fired = 0;
    for (u64 i = 1; i <= TAPIR_TRIGGERS; i++)
        fired += fire(static_cast<s64>(i * 0x9e3779b97f4a7c15), 3, 1);
    EXPECT_EQ(static_cast<int>(TAPIR_TRIGGERS), fired);
}

}  // namespace
}  // namespace tapir::test
