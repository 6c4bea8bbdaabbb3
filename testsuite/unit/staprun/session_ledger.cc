// SPDX-License-Identifier: GPL-2.0-or-later
#include "session_ledger.h"

#include <gtest/gtest.h>

#include "common/plain_text.h"
#include "fake.h"
#include "timing.h"

namespace tapir::staprun {
namespace {

tapir_ioc_probe make_probe(uint64_t handled, uint64_t reentry, uint64_t lock, uint64_t stack, uint64_t state,
                           uint64_t missed) {
    tapir_ioc_probe probe = {};
    strcpy(probe.point, "kernel.function(\"vfs_read\")");
    strcpy(probe.where, "x.stp:1:7");
    probe.attached = 1;
    probe.handled = handled;
    probe.skipped[TAPIR_SKIP_REENTRY] = reentry;
    probe.skipped[TAPIR_SKIP_LOCK] = lock;
    probe.skipped[TAPIR_SKIP_STACK] = stack;
    probe.skipped[TAPIR_SKIP_STATE] = state;
    probe.hits = handled + reentry + lock + stack + state;
    probe.missed = missed;
    return probe;
}

Ledger collect(FakeControl &control, OutputTotals totals = {}) {
    tapir_ioc_hello hello = {};
    control.hello(hello);
    hello.cpus = 2;
    Ledger ledger;
    EXPECT_EQ(0, ledger.collect(control, hello));
    ledger.set_output(totals);
    return ledger;
}

TEST(StaprunLedger, NothingLost) {
    FakeControl control;
    control.probes = {make_probe(100, 0, 0, 0, 7, 0)};
    Ledger ledger = collect(control);
    EXPECT_FALSE(ledger.anything_lost());
    EXPECT_TRUE(ledger.balanced());
    EXPECT_EQ(0u, ledger.skipped());
}

TEST(StaprunLedger, SkipsAreSummedWithoutThoseOutsideTheSession) {
    FakeControl control;
    control.probes = {make_probe(100, 1, 2, 3, 50, 4), make_probe(5, 0, 0, 0, 0, 0)};
    Ledger ledger = collect(control);
    EXPECT_TRUE(ledger.anything_lost());
    EXPECT_TRUE(ledger.balanced());
    EXPECT_EQ(10u, ledger.skipped());
    EXPECT_EQ(
        "ledger: probe kernel.function(\"vfs_read\") (x.stp:1:7): hits 156 = handled 100 + reentry 1 + lock 2 + stack "
        "3 + state "
        "50; missed 4\n"
        "ledger: all streams: records 0 = delivered 0 + dropped 0 + left 0; bytes 0 = delivered 0 + dropped 0 + left "
        "0\n"
        "ledger: staprun: read 0 bytes of records, 0 of them damaged; wrote 0 bytes of output, lost 0\n",
        ledger.text());
    EXPECT_EQ((std::vector<std::string>{"Skipped due to lock timeout: 2", "Skipped due to low stack: 3",
                                        "Skipped due to reentrancy: 1",
                                        "Skipped due to missed probe on 'kernel.function(\"vfs_read\")': 4"}),
              ledger.skip_reasons());
}

TEST(StaprunLedger, HitsThatDoNotAddUp) {
    FakeControl control;
    control.probes = {make_probe(100, 0, 0, 0, 0, 0)};
    control.probes[0].hits++;
    Ledger ledger = collect(control);
    EXPECT_FALSE(ledger.balanced());
    EXPECT_NE(std::string::npos, ledger.text().find("missed 0 (DOES NOT BALANCE)\n"));
}

TEST(StaprunLedger, DroppedAndLeftOutput) {
    FakeControl control;
    control.add(TAPIR_STREAM_DATA, 1, 1, "left in the buffer");
    control.drop(TAPIR_STREAM_DATA, 1, 32);
    control.drop(TAPIR_STREAM_CONTROL, 0, 24);
    Ledger ledger = collect(control);
    EXPECT_TRUE(ledger.anything_lost());
    EXPECT_TRUE(ledger.balanced());
    EXPECT_EQ(2u, ledger.records_dropped());
    EXPECT_EQ(1u, ledger.control_records_lost());
    EXPECT_EQ(
        "ledger: stream control of cpu 0: records 1 = delivered 0 + dropped 1 + left 0; bytes 24 = delivered 0 + "
        "dropped 24 + left "
        "0\n"
        "ledger: stream data of cpu 1: records 2 = delivered 0 + dropped 1 + left 1; bytes 72 = delivered 0 + dropped "
        "32 + left 40\n"
        "ledger: all streams: records 3 = delivered 0 + dropped 2 + left 1; bytes 96 = delivered 0 + dropped 56 + left "
        "40\n"
        "ledger: staprun: read 0 bytes of records, 0 of them damaged; wrote 0 bytes of output, lost 0\n",
        ledger.text());
}

TEST(StaprunLedger, ReadMustEqualDelivered) {
    FakeControl control;
    control.add(TAPIR_STREAM_DATA, 0, 1, "x");
    std::string room(1000, ' ');
    tapir_ioc_read io = {};
    io.buffer = reinterpret_cast<uintptr_t>(room.data());
    io.length = 1000;
    ASSERT_EQ(0, control.read(io));
    OutputTotals totals;
    totals.bytes_read = 24;
    EXPECT_TRUE(collect(control, totals).balanced());
    totals.bytes_read = 16;
    EXPECT_FALSE(collect(control, totals).balanced());
    totals.from_start = false;
    EXPECT_TRUE(collect(control, totals).balanced());
}

TEST(StaprunLedger, Json) {
    FakeControl control;
    control.probes = {make_probe(100, 1, 0, 0, 0, 0)};
    control.probes[0].time_min = 5;
    control.probes[0].time_max = 9;
    control.probes[0].time_sum = 700;
    control.probes[0].timed = 10;
    control.probes[0].way_ns = 46;
    control.drop(TAPIR_STREAM_NMI, 1, 32);
    OutputTotals totals;
    totals.bytes_written = 12;
    totals.running_ns = 1000000;
    std::string expected = R"json({
  "module": "fake",
  "abi": @,
  "errors": 0,
  "fatal": false,
  "lost": true,
  "balanced": true,
  "probes": [
    {"point": "kernel.function(\"vfs_read\")", "where": "x.stp:1:7", "attached": 1, "hits": 101, "handled": 100, "skipped": {"reentry": 1, "lock": 0, "stack": 0, "state": 0}, "missed": 0, "errors": 0, "time_ns": {"hits": 10, "min": 5, "max": 9, "sum": 700}, "overhead_ns": 11646}
  ],
  "overhead": {"ns": 11646, "handlers_ns": 7000, "armed_ns": 1000000},
  "cut": {"strings": 0, "stacks": 0},
  "recall_lost": 0,
  "streams": [
    {"stream": "nmi", "cpu": 1, "records": {"produced": 1, "delivered": 0, "dropped": 1, "left": 0}, "bytes": {"produced": 32, "delivered": 0, "dropped": 32, "left": 0}}
  ],
  "output": {"bytes_written": 12, "bytes_lost": 0, "record_bytes_read": 0, "record_bytes_damaged": 0}
}
)json";
    size_t mark = expected.find('@');
    expected = format("%s%u%s", expected.substr(0, mark).c_str(), TAPIR_ABI, expected.c_str() + mark + 1);
    EXPECT_EQ(expected, collect(control, totals).json());
}

TEST(StaprunLedger, CallsOfPrograms) {
    FakeControl control;
    control.calls_row = {100, 90, 5, 3, 2};
    EXPECT_EQ(std::string::npos, collect(control).json().find("\"calls\""));
    control.hello_flags = TAPIR_HELLO_CALLS;
    Ledger ledger = collect(control);
    EXPECT_TRUE(ledger.balanced());
    EXPECT_NE(
        std::string::npos,
        ledger.json().find(
            "\n  \"calls\": {\"followed\": 100, \"returned\": 90, \"left\": 5, \"inside\": 3, \"missed\": 2},\n"));
    EXPECT_EQ(0u, ledger.text().find(
                      "ledger: calls: followed 100 = returned 90 + left 5 + inside 3 + missed 2\nledger: all streams"));
    control.calls_row.returned = 89;
    ledger = collect(control);
    EXPECT_FALSE(ledger.balanced());
    EXPECT_NE(std::string::npos, ledger.text().find(" + missed 2 (DOES NOT BALANCE)\n"));
    control.calls_row = {95, 90, 5, 0, 0};
    EXPECT_EQ(std::string::npos, collect(control).text().find("ledger: calls"));
}

TEST(StaprunLedger, CutTexts) {
    FakeControl control;
    control.cut_row.string_cap = 128;
    Ledger ledger = collect(control);
    EXPECT_EQ("", ledger.cut());
    EXPECT_NE(std::string::npos, ledger.json().find("\n  \"cut\": {\"strings\": 0, \"stacks\": 0},\n"));
    control.cut_row.strings = 12;
    control.cut_row.stacks = 3;
    ledger = collect(control);
    EXPECT_EQ("cut to MAXSTRINGLEN (128): 12 strings, 3 stacks; -D MAXSTRINGLEN=512 gives more room", ledger.cut());
    EXPECT_NE(std::string::npos, ledger.json().find("\n  \"cut\": {\"strings\": 12, \"stacks\": 3},\n"));
    EXPECT_FALSE(ledger.anything_lost());
    EXPECT_TRUE(ledger.balanced());
}

TEST(StaprunLedger, CutTextsGiveAWayOutThatThereIs) {
    FakeControl control;
    control.cut_row = {1, 0, 0, 0, 65536, 0};
    EXPECT_EQ("cut to MAXSTRINGLEN (65536): 1 string", collect(control).cut());
    control.cut_row = {0, 1, 0, 0, 32768, 0};
    EXPECT_EQ("cut to MAXSTRINGLEN (32768): 1 stack; -D MAXSTRINGLEN=65536 gives more room", collect(control).cut());
}

TEST(StaprunLedger, LostEventsGiveAWayOut) {
    FakeControl control;
    EXPECT_EQ("", collect(control).recalls());
    control.cut_row.recalls = 17;
    const Ledger ledger = collect(control);
    EXPECT_EQ("lost 17 events of @recall: more threads than have rings; -D MAXRECALLTHREADS=N gives more room",
              ledger.recalls());
    EXPECT_NE(std::string::npos, ledger.json().find("\n  \"recall_lost\": 17,\n"));
}

TEST(StaprunTiming, Report) {
    tapir_ioc_probe hit = make_probe(4, 0, 0, 0, 0, 0);
    hit.time_min = 10;
    hit.time_max = 30;
    hit.time_sum = 80;
    hit.timed = 4;
    tapir_ioc_lock quiet = {};
    tapir_ioc_lock busy = {};
    busy.contended = 3;
    strcpy(busy.name, "counts");
    EXPECT_EQ(
        "----- probe hit report: \n"
        "kernel.function(\"vfs_read\"), (x.stp:1:7), hits: 4, nsecs: 10min/20avg/30max, index: 1\n"
        "'counts' lock contention occurred 3 times\n",
        timing_report({make_probe(0, 0, 0, 0, 0, 0), hit}, {quiet, busy}));
}

// Hits that a budget leaves out are no loss. Each probe has a line, up to five.
TEST(StaprunLedger, HitsThatTheBudgetLeavesOut) {
    FakeControl control;
    control.probes = {make_probe(100, 0, 0, 0, 0, 0)};
    EXPECT_TRUE(collect(control).left_out().empty());
    EXPECT_TRUE(collect(control).quality().complete);
    for (uint64_t left_out = 1; left_out <= 7; left_out++) {
        control.probes.push_back(make_probe(4, 0, 0, 0, 0, 0));
        control.probes.back().skipped[TAPIR_SKIP_BUDGET] = left_out;
        control.probes.back().hits += left_out;
    }
    Ledger ledger = collect(control);
    EXPECT_TRUE(ledger.balanced());
    EXPECT_FALSE(ledger.anything_lost());
    EXPECT_EQ(0u, ledger.skipped());
    EXPECT_EQ(28u, ledger.quality().left_out);
    EXPECT_FALSE(ledger.quality().complete);
    ASSERT_EQ(6u, ledger.left_out().size());
    EXPECT_EQ("budget: kernel.function(\"vfs_read\") (x.stp:1:7): 4 of 11 hits were handled, one of 2.75",
              ledger.left_out()[0]);
    EXPECT_EQ("budget: 2 more probes had hits that were left out; --ledger=FILE has all", ledger.left_out()[5]);
    EXPECT_FALSE(ledger.quality().estimated);
    control.cut_row.weighted = 1;
    ledger = collect(control);
    EXPECT_TRUE(ledger.quality().estimated);
    ASSERT_EQ(7u, ledger.left_out().size());
    EXPECT_EQ("budget: counts and sums of <<<, ++ and += are estimates (≈) of those of all hits", ledger.left_out()[6]);
    control.probes[7].refused = 1;
    ledger = collect(control);
    EXPECT_EQ("budget: counts and sums of <<<, ++ and += are estimates (≈) of those of all hits, but for 1",
              ledger.left_out()[6]);
    EXPECT_NE(std::string::npos, ledger.json().find("\"state\": 0, \"budget\": 7}, \"refused\": 1, \"missed\": 0"));
    EXPECT_NE(std::string::npos, ledger.json().find("\"hits\": 100, \"handled\": 100, \"skipped\": {\"reentry\": 0, "
                                                    "\"lock\": 0, \"stack\": 0, \"state\": 0}"));
}

// A probe whose period the budget made longer has not had all hits, even if it handled all that it had.
TEST(StaprunLedger, ProbesWhosePeriodTheBudgetMakesLonger) {
    FakeControl control;
    control.probes = {make_probe(100, 0, 0, 0, 0, 0)};
    control.probes[0].stretched = 40;
    control.cut_row.weighted = 1;
    const Ledger ledger = collect(control);
    EXPECT_FALSE(ledger.anything_lost());
    EXPECT_FALSE(ledger.quality().complete);
    EXPECT_TRUE(ledger.quality().estimated);
    EXPECT_EQ(40u, ledger.quality().stretched);
    ASSERT_EQ(2u, ledger.left_out().size());
    EXPECT_EQ(
        "budget: kernel.function(\"vfs_read\") (x.stp:1:7): 100 of 100 hits were handled, one of 1; 40 came at a "
        "longer "
        "period",
        ledger.left_out()[0]);
    EXPECT_NE(std::string::npos, ledger.json().find("\"state\": 0}, \"stretched\": 40, \"missed\": 0"));
}

// 101 hits of which each had a way of 46 ns; and 100 handlers of 70 ns on average, of which ten were measured.
TEST(StaprunLedger, Overhead) {
    FakeControl control;
    control.probes = {make_probe(100, 1, 0, 0, 0, 0), make_probe(1, 0, 0, 0, 0, 0)};
    control.probes[0].time_sum = 700;
    control.probes[0].timed = 10;
    control.probes[0].way_ns = 46;
    // A begin probe slows nothing down.
    control.probes[1].time_sum = 1000000;
    control.probes[1].timed = 1;
    EXPECT_EQ(11646u, overhead_of(control.probes[0]).ns());
    EXPECT_EQ(0u, overhead_of(control.probes[1]).ns());
    EXPECT_EQ("", collect(control).overhead());
    OutputTotals totals;
    totals.running_ns = 1000000;
    EXPECT_EQ("overhead: 1.2 % of one processor: handlers 0.7 %, the way to them 0.5 % (estimate)",
              collect(control, totals).overhead());
    totals.running_ns = 100000000;
    EXPECT_EQ("overhead: < 0.1 % of one processor: handlers < 0.1 %, the way to them < 0.1 % (estimate)",
              collect(control, totals).overhead());
}

// 994 hits of 11,076 ns on average are 11.01 ms, 0.9 % of 1.2 s. Probes that run before and after have no share.
TEST(StaprunTiming, Table) {
    tapir_ioc_probe read = make_probe(994, 2, 1, 0, 0, 4);
    read.time_min = 1480;
    read.time_max = 733820;
    read.time_sum = uint64_t{994} * 11076;
    read.timed = 994;
    read.way_ns = 1;
    tapir_ioc_probe end = make_probe(1, 0, 0, 0, 0, 0);
    strcpy(end.point, "end");
    strcpy(end.where, "<input>:1:147");
    end.time_min = end.time_max = end.time_sum = 6270000;
    end.timed = 1;
    tapir_ioc_lock busy = {};
    busy.contended = 3;
    strcpy(busy.name, "counts");
    const std::vector<tapir_ioc_probe> probes = {read, make_probe(0, 0, 0, 0, 0, 0), make_probe(0, 1, 0, 0, 0, 0), end};
    EXPECT_EQ(
        "PROBE                        WHERE          HITS  MISSED      MIN     MEAN      MAX  SHARE OF CPU\n"
        "kernel.function(\"vfs_read\")  x.stp:1:7       994       7  1.48 µs  11.1 µs   734 µs         0.9 %\n"
        "kernel.function(\"vfs_read\")  x.stp:1:7         0       1\n"
        "end                          <input>:1:147     1       0  6.27 ms  6.27 ms  6.27 ms\n"
        "lock of counts: 3 waits\n",
        timing_table(probes, {busy}, 1200000000, {100, true, true}));
    // Names are cut in the middle first, then columns go; numbers stay whole.
    EXPECT_EQ(
        "PROBE                   WHERE          HITS  MISSED      MIN     MEAN      MAX\n"
        "kernel.func~vfs_read\")  x.stp:1:7       994       7  1.48 us  11.1 us   734 us\n"
        "end                     <input>:1:147     1       0  6.27 ms  6.27 ms  6.27 ms\n",
        timing_table({read, end}, {}, 0, {78, true, false}));
    EXPECT_EQ(
        "PROBE     WHERE     HITS  MISSED     MEAN      MAX\n"
        "kern~d\")  x.st~1:7   994       7  11.1 us   734 us\n"
        "end       <inp~147     1       0  6.27 ms  6.27 ms\n",
        timing_table({read, end}, {}, 0, {52, true, false}));
    EXPECT_EQ("", timing_table({read, end}, {}, 0, {40, true, false}));
}

// Folders are left out: of the kernel's sources always, of scripts unless there are two of one name.
TEST(StaprunTiming, TableHasShortNames) {
    tapir_ioc_probe one = make_probe(1, 0, 0, 0, 0, 0);
    one.timed = 1;
    tapir_ioc_probe two = one;
    strcpy(one.point, "kernel.function(\"vfs_read@/build/linux-6.1/fs/read_write.c:450\").return");
    strcpy(one.where, "/home/me/a/x.stp:1:7");
    strcpy(two.where, "/home/me/a/x.stp:2:7");
    const tapir_screen screen = {120, true, false};
    const std::string rest = "     1       0    0     0    0\n";
    EXPECT_EQ(
        "PROBE                                                WHERE      HITS  MISSED  MIN  MEAN  MAX\n"
        "kernel.function(\"vfs_read@read_write.c:450\").return  x.stp:1:7" +
            rest + "kernel.function(\"vfs_read\")                          x.stp:2:7" + rest,
        timing_table({one, two}, {}, 0, screen));
    strcpy(two.where, "/home/me/b/x.stp:2:7");
    EXPECT_EQ(
        "PROBE                                                WHERE                 HITS  MISSED  MIN  MEAN  MAX\n"
        "kernel.function(\"vfs_read@read_write.c:450\").return  /home/me/a/x.stp:1:7" +
            rest + "kernel.function(\"vfs_read\")                          /home/me/b/x.stp:2:7" + rest,
        timing_table({one, two}, {}, 0, screen));
}

}  // namespace
}  // namespace tapir::staprun
