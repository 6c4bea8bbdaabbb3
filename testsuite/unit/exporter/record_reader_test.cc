// SPDX-License-Identifier: GPL-2.0-or-later
#include "played_records.h"

#include <gtest/gtest.h>

#include "exporter/metric_names.h"

namespace tapir::exporter {
namespace {

TEST(RecordReader, KnowsWhenAllMetricsAreTold) {
    RecordReader reader(100);
    EXPECT_FALSE(reader.is_answered());
    tell(reader);
    EXPECT_TRUE(reader.is_answered());
    const Reading &reading = reader.reading();
    EXPECT_EQ(reading.metrics.size(), 3u);
    EXPECT_EQ(reading.metrics.at("calls").samples.at({"c", "-1"}).value, 1);
    EXPECT_EQ(reading.metrics.at("took").samples.at({"sda"}).buckets.at(7), 3u);
    EXPECT_EQ(reading.account.lost_records, 3u);
    reader.ask();
    EXPECT_FALSE(reader.is_answered());
    take(reader, "metrics", R"("count":3)");
    take(reader, "metric_end", R"("name":"calls")");  // of an end without a beginning
    EXPECT_FALSE(reader.is_answered());
}

TEST(RecordReader, LeavesOutElementsAboveTheLimit) {
    RecordReader reader(3);
    tell(reader);
    EXPECT_TRUE(reader.is_answered());
    EXPECT_EQ(reader.reading().metrics.at("took").left_out, 1u);
    EXPECT_EQ(reader.reading().metrics.at("calls").left_out, 0u);
    // The next answer has room for as many again.
    tell(reader);
    EXPECT_EQ(reader.reading().metrics.at("calls").samples.size(), 2u);
}

TEST(RecordReader, AddsElementsOfTheSameLabels) {
    RecordReader reader(100);
    take(reader, "metric", R"("name":"n","kind":"counter","help":"N","labels":["k"])");
    take(reader, "value", R"("name":"n","keys":["x"],"value":1)");
    take(reader, "value", R"("name":"n","keys":["x"],"value":2)");
    take(reader, "metric_end", R"("name":"n")");
    // The script displays it itself.
    take(reader, "value", R"("name":"n","keys":["x"],"value":100)");
    EXPECT_EQ(reader.reading().metrics.at("n").samples.at({"x"}).value, 3);
}

TEST(RecordReader, CountsLinesThatAreNoRecords) {
    RecordReader reader(100);
    for (const char *line : {"", "x", "[1]", "{\"type\":1}", "{\"type\":", "\xff\xfe"})
        reader.take(line);
    EXPECT_EQ(reader.broken_lines(), 6u);
    // Members of other types change nothing.
    take(reader, "metric", R"("name":7,"kind":[],"labels":"x")");
    take(reader, "hist", R"("name":"","keys":{},"buckets":[1,[2],["a","b","c"]])");
    EXPECT_TRUE(reader.reading().metrics.empty());
}

TEST(RecordReader, LabelsAreTextsOfAnyBytes) {
    EXPECT_EQ(label_value("a\x01"
                          "b"),
              "a\\x01b");
    EXPECT_EQ(label_value("\xff\xc3\xa4"), "\\xff\xc3\xa4");
    EXPECT_EQ(label_value(std::string(300, 'x')).size(), 256u);
    RecordReader reader(100);
    take(reader, "metric", R"("name":"n","kind":"counter","help":"N","labels":["k"])");
    take(reader, "value", "\"name\":\"n\",\"keys\":[\"\xc3\xbf\"],\"value\":1,\"latin1\":true");
    take(reader, "metric_end", R"("name":"n")");
    EXPECT_TRUE(reader.reading().metrics.at("n").samples.contains({"\\xff"}));
}

TEST(MetricNames, NumbersAreExact) {
    EXPECT_EQ(decimal(0, 6), "0");
    EXPECT_EQ(decimal(12, 6), "0.000012");
    EXPECT_EQ(decimal(-3500, 3), "-3.5");
    EXPECT_EQ(decimal(7000000, 6), "7");
    EXPECT_EQ(decimal(INT64_MAX, 9), "9223372036.854775807");
    EXPECT_EQ(decimal(INT64_MIN, 0), "-9223372036854775808");
}

TEST(MetricNames, HaveTheBaseUnit) {
    Metric metric;
    metric.name = "took";
    metric.kind = "histogram";
    metric.unit = "us";
    EXPECT_EQ(family_name("file-reads", metric), "tapir_file_reads_took_seconds");
    metric.name = "bytes_total";
    metric.kind = "counter";
    metric.unit = "bytes";
    EXPECT_EQ(family_name("net", metric), "tapir_net_bytes");
    metric.unit = "%";
    metric.name = "used";
    EXPECT_EQ(family_name("net", metric), "tapir_net_used_ratio");
}

TEST(MetricNames, BoundsAreThoseOfTheShape) {
    Metric metric;
    metric.shape = "log";
    EXPECT_EQ(bucket_bounds(metric), std::vector<int64_t>{});
    metric.bounds = {15};
    EXPECT_EQ(bucket_bounds(metric), (std::vector<int64_t>{0, 1, 3, 7, 15}));
    metric.shape = "linear 0 30 10";
    metric.bounds = {};
    EXPECT_EQ(bucket_bounds(metric), (std::vector<int64_t>{-1, 9, 19, 29}));
    metric.shape = "linear 0 1000 1";
    EXPECT_LE(bucket_bounds(metric).size(), kMostBounds);
    EXPECT_GT(bucket_bounds(metric).size(), kMostBounds / 2);
}

}  // namespace
}  // namespace tapir::exporter
