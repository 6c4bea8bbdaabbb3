// SPDX-License-Identifier: GPL-2.0-or-later
#include "merge.h"

#include <gtest/gtest.h>

#include "fake.h"

namespace tapir::staprun {
namespace {

struct Collector {
    std::string text;
    std::vector<uint64_t> times;
    Merger::Sink sink() {
        return [this](const Record &record) {
            text += record.payload;
            times.push_back(record.time);
            return true;
        };
    }
};

TEST(StaprunMerge, OrdersByTimeAcrossCpusAndStreams) {
    FakeControl control;
    control.snapshot_time = 100;
    control.add(TAPIR_STREAM_DATA, 0, 10, "a");
    control.add(TAPIR_STREAM_DATA, 0, 40, "d");
    control.add(TAPIR_STREAM_DATA, 1, 20, "b");
    control.add(TAPIR_STREAM_NMI, 1, 50, "e");
    control.add(TAPIR_STREAM_CONTROL, 3, 30, "c", TAPIR_REC_WARNING);
    Merger merger(control, 4);
    Collector out;
    Merger::Round round = merger.round(out.sink());
    EXPECT_EQ(0, round.error);
    EXPECT_EQ(5u, round.delivered);
    EXPECT_EQ("abcde", out.text);
    EXPECT_EQ(5 * TAPIR_RECORD_SIZE(1), merger.bytes_read());
}

TEST(StaprunMerge, TiesGoByCpuThenStream) {
    FakeControl control;
    control.snapshot_time = 100;
    control.add(TAPIR_STREAM_DATA, 1, 10, "b");
    control.add(TAPIR_STREAM_NMI, 0, 10, "a");
    control.add(TAPIR_STREAM_CONTROL, 1, 10, "c", TAPIR_REC_ERROR);
    Merger merger(control, 2);
    Collector out;
    merger.round(out.sink());
    EXPECT_EQ("abc", out.text);
}

TEST(StaprunMerge, HoldsBackWhatIsNewerThanTheSnapshot) {
    FakeControl control;
    control.snapshot_time = 25;
    control.add(TAPIR_STREAM_DATA, 0, 10, "a");
    control.add(TAPIR_STREAM_DATA, 0, 30, "d");  // read along, but cpu 1 may still have an earlier one
    control.add(TAPIR_STREAM_DATA, 1, 20, "b");
    Merger merger(control, 2);
    Collector out;
    EXPECT_EQ(2u, merger.round(out.sink()).delivered);
    EXPECT_EQ("ab", out.text);
    control.add(TAPIR_STREAM_DATA, 1, 28, "c");
    control.snapshot_time = 60;
    EXPECT_EQ(2u, merger.round(out.sink()).delivered);
    EXPECT_EQ("abcd", out.text);
}

TEST(StaprunMerge, HeldBackRecordComesOutWithoutNewData) {
    FakeControl control;
    control.snapshot_time = 5;
    control.add(TAPIR_STREAM_DATA, 0, 10, "late");
    Merger merger(control, 1);
    Collector out;
    EXPECT_EQ(0u, merger.round(out.sink()).delivered);
    control.snapshot_time = 10;
    EXPECT_EQ(1u, merger.round(out.sink()).delivered);
    EXPECT_EQ("late", out.text);
}

TEST(StaprunMerge, DoneDeliversEverything) {
    FakeControl control;
    control.snapshot_time = 5;
    control.state = TAPIR_STATE_DONE;
    control.add(TAPIR_STREAM_DATA, 0, 10, "a");
    control.add(TAPIR_STREAM_DATA, 1, UINT64_MAX, "z");
    Merger merger(control, 2);
    Collector out;
    EXPECT_EQ(2u, merger.round(out.sink()).delivered);
    EXPECT_EQ("az", out.text);
}

TEST(StaprunMerge, NothingReadyMeansNoReads) {
    FakeControl control;
    Merger merger(control, 64);
    Collector out;
    merger.round(out.sink());
    EXPECT_EQ(0u, control.reads);
}

TEST(StaprunMerge, SmallReadsKeepOrder) {
    FakeControl control;
    control.snapshot_time = 1000;
    control.read_limit = TAPIR_RECORD_SIZE(1);
    for (uint64_t i = 0; i < 26; i++)
        control.add(TAPIR_STREAM_DATA, i % 3, i, std::string(1, static_cast<char>('a' + i)));
    Merger merger(control, 3);
    Collector out;
    EXPECT_EQ(26u, merger.round(out.sink()).delivered);
    EXPECT_EQ("abcdefghijklmnopqrstuvwxyz", out.text);
}

TEST(StaprunMerge, LargestRecordPasses) {
    FakeControl control;
    control.snapshot_time = 100;
    std::string large(TAPIR_RECORD_MAX, 'x');
    control.add(TAPIR_STREAM_DATA, 0, 1, large);
    control.add(TAPIR_STREAM_DATA, 0, 2, "");
    Merger merger(control, 1);
    Collector out;
    EXPECT_EQ(2u, merger.round(out.sink()).delivered);
    EXPECT_EQ(large, out.text);
    EXPECT_EQ(0u, merger.bytes_damaged());
}

TEST(StaprunMerge, DamagedChunkIsCountedAndTheNextReadGoesOn) {
    std::string cut = make_record(10, TAPIR_REC_DATA, 0, "will be cut");
    cut.resize(cut.size() - 8);
    std::string bad_type = make_record(10, 9, 0, "x");
    std::string no_type = make_record(10, 0, 0, "x");
    std::string too_long = make_record(10, TAPIR_REC_DATA, 0, "x");
    u32 length = TAPIR_RECORD_MAX + 1;
    memcpy(&too_long[offsetof(tapir_record, length)], &length, sizeof length);
    std::string tiny = "abc";
    for (const std::string &bytes : {cut, bad_type, no_type, too_long, tiny}) {
        FakeControl control;
        control.snapshot_time = 100;
        control.read_limit = 64;
        control.add(TAPIR_STREAM_DATA, 0, 1, "before ");
        control.add_bytes(TAPIR_STREAM_DATA, 0, bytes);
        control.read_limit = TAPIR_RECORD_SIZE(7);
        Merger merger(control, 1);
        Collector out;
        control.read_limit = 32;
        merger.round(out.sink());
        control.read_limit = SIZE_MAX;
        control.add(TAPIR_STREAM_DATA, 0, 2, "after");
        merger.round(out.sink());
        EXPECT_EQ(0u, out.text.find("before ")) << bytes.size();
        EXPECT_GE(merger.bytes_damaged(), bytes.size());
    }
}

TEST(StaprunMerge, TimeGoingBackwardsDoesNotStopTheMerge) {
    FakeControl control;
    control.snapshot_time = 100;
    control.add(TAPIR_STREAM_DATA, 0, 50, "a");
    control.add(TAPIR_STREAM_DATA, 0, 10, "b");
    control.add(TAPIR_STREAM_DATA, 1, 60, "c");
    Merger merger(control, 2);
    Collector out;
    EXPECT_EQ(3u, merger.round(out.sink()).delivered);
    EXPECT_EQ("abc", out.text);
    EXPECT_EQ((std::vector<uint64_t>{50, 50, 60}), out.times);
}

TEST(StaprunMerge, ReportsErrorsOfTheModule) {
    FakeControl control;
    Collector out;
    Merger merger(control, 1);
    control.snapshot_error = EIO;
    EXPECT_EQ(EIO, merger.round(out.sink()).error);
    control.snapshot_error = 0;
    control.add(TAPIR_STREAM_DATA, 0, 0, "x");
    control.read_error = EFAULT;
    EXPECT_EQ(EFAULT, merger.round(out.sink()).error);
    EXPECT_EQ("", out.text);
}

TEST(StaprunMerge, SinkMayStop) {
    FakeControl control;
    control.snapshot_time = 100;
    control.add(TAPIR_STREAM_DATA, 0, 1, "a");
    control.add(TAPIR_STREAM_DATA, 0, 2, "b");
    Merger merger(control, 1);
    Merger::Round round = merger.round([](const Record &) { return false; });
    EXPECT_TRUE(round.abandoned);
    EXPECT_EQ(1u, round.delivered);
}

}  // namespace
}  // namespace tapir::staprun
