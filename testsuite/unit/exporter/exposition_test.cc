// SPDX-License-Identifier: GPL-2.0-or-later
#include "exporter/exposition.h"

#include <gtest/gtest.h>

#include "played_records.h"

namespace tapir::exporter {
namespace {

ScriptState state(const std::string &name) {
    RecordReader reader(100);
    tell(reader);
    ScriptState state;
    state.name = name;
    state.is_up = true;
    state.starts = 1;
    state.reading = reader.reading();
    state.of_earlier.hits = 5;
    return state;
}

// From the first family of the script on.
std::string of_script(const std::string &text) {
    return text.substr(text.find("# TYPE tapir_disk_"));
}

TEST(Exposition, OpenMetrics) {
    const std::string text = exposition({state("disk")}, TextForm::OpenMetrics);
    EXPECT_EQ(of_script(text), R"(# TYPE tapir_disk_calls counter
# HELP tapir_disk_calls Calls of \"it\"
tapir_disk_calls_total{program="a\"b\\",call="7"} 41
tapir_disk_calls_created{program="a\"b\\",call="7"} 1700000000.123
tapir_disk_calls_total{program="c",call="-1"} 1
tapir_disk_calls_created{program="c",call="-1"} 1700000000.123
# TYPE tapir_disk_depth_ratio gauge
# UNIT tapir_disk_depth_ratio ratio
# HELP tapir_disk_depth_ratio Depth
tapir_disk_depth_ratio -1.25
# TYPE tapir_disk_took_seconds histogram
# UNIT tapir_disk_took_seconds seconds
# HELP tapir_disk_took_seconds Time
tapir_disk_took_seconds_bucket{disk="sda",le="0.0"} 1
tapir_disk_took_seconds_bucket{disk="sda",le="0.000001"} 1
tapir_disk_took_seconds_bucket{disk="sda",le="0.000003"} 1
tapir_disk_took_seconds_bucket{disk="sda",le="0.000007"} 4
tapir_disk_took_seconds_bucket{disk="sda",le="0.000015"} 4
tapir_disk_took_seconds_bucket{disk="sda",le="0.000031"} 4
tapir_disk_took_seconds_bucket{disk="sda",le="0.000063"} 4
tapir_disk_took_seconds_bucket{disk="sda",le="0.000127"} 4
tapir_disk_took_seconds_bucket{disk="sda",le="0.000255"} 4
tapir_disk_took_seconds_bucket{disk="sda",le="0.000511"} 4
tapir_disk_took_seconds_bucket{disk="sda",le="0.001023"} 4
tapir_disk_took_seconds_bucket{disk="sda",le="0.002047"} 4
tapir_disk_took_seconds_bucket{disk="sda",le="0.004095"} 4
tapir_disk_took_seconds_bucket{disk="sda",le="0.008191"} 4
tapir_disk_took_seconds_bucket{disk="sda",le="0.016383"} 4
tapir_disk_took_seconds_bucket{disk="sda",le="0.032767"} 4
tapir_disk_took_seconds_bucket{disk="sda",le="0.065535"} 4
tapir_disk_took_seconds_bucket{disk="sda",le="0.131071"} 4
tapir_disk_took_seconds_bucket{disk="sda",le="0.262143"} 4
tapir_disk_took_seconds_bucket{disk="sda",le="0.524287"} 4
tapir_disk_took_seconds_bucket{disk="sda",le="1.048575"} 6
tapir_disk_took_seconds_bucket{disk="sda",le="+Inf"} 6
tapir_disk_took_seconds_count{disk="sda"} 6
tapir_disk_took_seconds_sum{disk="sda"} 1.500012
tapir_disk_took_seconds_created{disk="sda"} 1700000000.123
# TYPE tapir_families_left_out gauge
# HELP tapir_families_left_out Metrics whose name another script has taken
tapir_families_left_out 0
# EOF
)");
    EXPECT_NE(text.find("tapir_script_up{script=\"disk\"} 1\n"), std::string::npos);
    EXPECT_NE(text.find("tapir_hits_total{script=\"disk\"} 15\n"), std::string::npos);
    EXPECT_NE(text.find("tapir_lost_total{script=\"disk\",what=\"hits\"} 2\n"), std::string::npos);
    EXPECT_NE(text.find("tapir_lost_total{script=\"disk\",what=\"records\"} 3\n"), std::string::npos);
    // 5 ms of the second between the first record and the accounting.
    EXPECT_NE(text.find("tapir_overhead_ratio{script=\"disk\"} 0.005\n"), std::string::npos);
    EXPECT_NE(text.find("tapir_overhead_seconds_total{script=\"disk\"} 0.005\n"), std::string::npos);
}

TEST(Exposition, PrometheusNamesCountersByTheirSamples) {
    const std::string text = exposition({state("disk")}, TextForm::Prometheus);
    EXPECT_NE(text.find("# TYPE tapir_disk_calls_total counter\n# HELP tapir_disk_calls_total Calls of \"it\"\n"
                        "tapir_disk_calls_total{program=\"a\\\"b\\\\\",call=\"7\"} 41\n"
                        "tapir_disk_calls_total{program=\"c\",call=\"-1\"} 1\n"),
              std::string::npos)
        << text;
    for (const char *newer : {"# EOF", "# UNIT", "_created"})
        EXPECT_EQ(text.find(newer), std::string::npos) << newer;
}

TEST(Exposition, TwoScriptsCannotTellTheSameFamily) {
    ScriptState other = state("disk");
    const std::string text = exposition({state("disk"), other}, TextForm::OpenMetrics);
    EXPECT_NE(text.find("tapir_families_left_out 3\n"), std::string::npos);
    EXPECT_EQ(text.find("# TYPE tapir_disk_calls "), text.rfind("# TYPE tapir_disk_calls "));
}

TEST(Exposition, ASumWithNegativeSamplesIsNotTold) {
    ScriptState script = state("disk");
    Metric &took = script.reading.metrics.at("took");
    took.bounds.insert(-4);
    EXPECT_EQ(exposition({script}, TextForm::OpenMetrics).find("took_seconds_sum"), std::string::npos);
}

TEST(Exposition, TheReaderChoosesTheForm) {
    EXPECT_EQ(form_for("application/openmetrics-text;version=1.0.0,text/plain;q=0.5"), TextForm::OpenMetrics);
    EXPECT_EQ(form_for("text/plain;version=0.0.4"), TextForm::Prometheus);
    EXPECT_EQ(form_for(""), TextForm::Prometheus);
}

}  // namespace
}  // namespace tapir::exporter
