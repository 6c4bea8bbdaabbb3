// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/live_options.h"

#include <gtest/gtest.h>

namespace tapir::driver {
namespace {

uint64_t interval(const std::string &value) {
    LiveOptions live;
    const std::string complaint = take_refresh(value, live);
    EXPECT_EQ(complaint.empty(), live.refresh_ms != 0) << value;
    return live.refresh_ms;
}

TEST(LiveOptions, AnIntervalIsSecondsOrHasAUnit) {
    EXPECT_EQ(1000u, interval("default"));
    EXPECT_EQ(2000u, interval("2"));
    EXPECT_EQ(500u, interval("0.5"));
    EXPECT_EQ(250u, interval("250ms"));
    EXPECT_EQ(60000u, interval("1m"));
    EXPECT_EQ(3600000u, interval("3600s"));
    for (const char *wrong : {"", "x", "0", "-1", "0.05", "3601", "1h", "1 s", "nan", "inf", "1e400", "2s3"})
        EXPECT_EQ(0u, interval(wrong)) << wrong;
    LiveOptions live;
    EXPECT_EQ("Invalid interval '0' for --refresh (should be 0.1 to 3600 seconds, such as 2 or 500ms).",
              take_refresh("0", live));
}

TEST(LiveOptions, TopRefreshes) {
    LiveOptions live;
    EXPECT_EQ("", take_top("default", live));
    EXPECT_EQ(20u, live.top);
    EXPECT_EQ(1000u, live.refresh_ms);
    EXPECT_EQ("", take_refresh("3", live));
    EXPECT_EQ("", take_top("7", live));
    EXPECT_EQ(7u, live.top);
    EXPECT_EQ(3000u, live.refresh_ms);
    for (const char *wrong : {"", "0", "-1", "10001", "5x"})
        EXPECT_EQ("Invalid number of rows '" + std::string(wrong) + "' for --top (should be 1-10000).",
                  take_top(wrong, live));
}

TEST(LiveOptions, MonitorRefreshes) {
    LiveOptions live;
    EXPECT_EQ("", take_monitor("default", live));
    EXPECT_TRUE(live.monitor);
    EXPECT_EQ(1000u, live.refresh_ms);
    EXPECT_EQ("", take_monitor("250ms", live));
    EXPECT_EQ(250u, live.refresh_ms);
    EXPECT_EQ("Invalid interval 'x' for --monitor (should be 0.1 to 3600 seconds, such as 2 or 500ms).",
              take_monitor("x", live));
    Options options;
    EXPECT_EQ("", take_monitor("2", options.live));
    options.bulk = true;
    EXPECT_EQ((std::vector<std::string>{"Tables that are shown while the script runs (--monitor) cannot be had with "
                                        "-b: they are in the order of all CPUs."}),
              live_conflicts(options));
}

TEST(LiveOptions, PushedMetrics) {
    Options options;
    EXPECT_EQ("The URL of --push is empty.", take_push("", options.live));
    EXPECT_EQ("", take_push("http://h:4318", options.live));
    EXPECT_TRUE(options.live.metrics);
    EXPECT_TRUE(live_conflicts(options).empty());
    options.output = "f";
    options.bulk = true;
    options.live.refresh_ms = 1000;
    EXPECT_EQ((std::vector<std::string>{
                  "Tables that are shown while the script runs (--refresh, --top) cannot be had with -b: they are in "
                  "the order of all CPUs.",
                  "Tables that are shown while the script runs (--refresh, --top) cannot be had with --push: one "
                  "program reads the records. Run the script twice.",
                  "Tables that are shown while the script runs (--refresh, --top) cannot be had with -o FILE: redirect "
                  "the output.",
                  "Tables that are shown while the script runs (--refresh, --top) go to standard output, not to -o "
                  "FILE: leave it out, or redirect the output."}),
              live_conflicts(options));
    options.live.refresh_ms = 0;
    options.bulk = false;
    options.format = "csv";
    EXPECT_EQ(
        (std::vector<std::string>{"Metrics that are pushed (--push) have no CSV: use --format=json.",
                                  "Metrics that are pushed (--push) cannot be had with -o FILE: redirect the output."}),
        live_conflicts(options));
}

TEST(LiveOptions, WhatExcludesThem) {
    Options options;
    options.output = "f";
    options.bulk = true;
    EXPECT_TRUE(live_conflicts(options).empty());
    options.live.refresh_ms = 1000;
    EXPECT_EQ(
        (std::vector<std::string>{
            "Tables that are shown while the script runs (--refresh, --top) cannot be had with -b: they are in the "
            "order of all CPUs.",
            "Tables that are shown while the script runs (--refresh, --top) go to standard output, not to -o FILE: "
            "leave it out, or redirect the output."}),
        live_conflicts(options));
    options.bulk = false;
    options.format = "json";
    EXPECT_TRUE(live_conflicts(options).empty());
    options.format = "csv";
    options.core = "core";
    options.load_and_detach = true;
    EXPECT_EQ(4u, live_conflicts(options).size());
}

}  // namespace
}  // namespace tapir::driver
