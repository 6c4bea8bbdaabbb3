// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost/rates.h"

#include <gtest/gtest.h>

#include "../said.h"

namespace tapir::cost {
namespace {

std::string read(const std::string &text) {
    const Outcome<std::vector<Rate>> rates = read_rates(text, "r");
    if (!rates) return rates.fault().text;
    std::string all;
    for (const Rate &rate : *rates)
        all += rate.point + "|" + rate.where + "|" + std::to_string(static_cast<long long>(rate.hits)) + "\n";
    return all;
}

TEST(CostRates, Lines) {
    EXPECT_EQ(read("# a comment\n\nkernel.function(\"vfs_read\") 1000\n  timer.s(1)\t2 \r\n"),
              "kernel.function(\"vfs_read\")||1000\ntimer.s(1)||2\n");
    EXPECT_EQ(read("syscall.read 1e5"), "syscall.read||100000\n");
    EXPECT_EQ(read("a b"), "Cannot use rates 'r': line 1 does not end with a rate");
    EXPECT_EQ(read("a 1\nb -5"), "Cannot use rates 'r': line 2 does not end with a rate");
    EXPECT_EQ(read("a 1\nb"), "Cannot use rates 'r': line 2 has no rate");
    EXPECT_EQ(read("\n#\n"), "Cannot use rates 'r': there is none in it");
    EXPECT_EQ(read_rates("", "r").fault().hint,
              "write a line 'POINT HITS-A-SECOND' for each probe point, or give the file of staprun --ledger");
}

TEST(CostRates, Csv) {
    EXPECT_EQ(read("point,rate\n\"kernel.function(\"\"vfs_read\"\")\",12\nsyscall.read,3\n"),
              "kernel.function(\"vfs_read\")||12\nsyscall.read||3\n");
}

TEST(CostRates, Json) {
    EXPECT_EQ(read(R"j({"syscall.read": 12, "timer.s(1)": 1})j"), "syscall.read||12\ntimer.s(1)||1\n");
    EXPECT_EQ(read(R"({"a": "x"})"), "Cannot use rates 'r': the rate of 'a' is not a number from 0 up");
    EXPECT_EQ(read(R"({"a": -1})"), "Cannot use rates 'r': the rate of 'a' is not a number from 0 up");
    EXPECT_EQ(read("{}"), "Cannot use rates 'r': there is none in it");
    EXPECT_EQ(read("{\"a\": 1"), "Cannot use rates 'r': it is no JSON, and no output with a ledger");
}

constexpr const char *kLedger =
    R"({"module": "m", "overhead": {"armed_ns": 2000000000}, "probes": [{"point": "p", "where": "x.stp:1:1", "hits": 10}]})";

TEST(CostRates, Ledger) {
    EXPECT_EQ(read(kLedger), "p|x.stp:1:1|5\n");
    EXPECT_EQ(
        read(std::string("{\"v\":1,\"type\":\"meta\"}\n{\"v\":1,\"type\":\"ledger\",\"ledger\":") + kLedger + "}\n"),
        "p|x.stp:1:1|5\n");
    EXPECT_EQ(read(R"({"probes": [{"point": "p", "where": "", "hits": 10}]})"),
              "Cannot use rates 'r': the ledger does not say how long probes were armed");
    EXPECT_EQ(read(R"({"overhead": {"armed_ns": 0}, "probes": []})"),
              "Cannot use rates 'r': probes of the ledger were armed for no time");
    EXPECT_EQ(read(R"({"overhead": {"armed_ns": 5}, "probes": [{"point": "p"}]})"),
              "Cannot use rates 'r': the ledger lacks members");
}

}  // namespace
}  // namespace tapir::cost
