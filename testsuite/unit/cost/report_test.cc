// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost/cost_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "../optimize/typed_program.h"
#include "cost/number_text.h"
#include "ir/lower.h"

namespace tapir::cost {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Reported {
    explicit Reported(const std::string &script, const std::vector<Rate> &rates = {}, const Settings &settings = {},
                      const Assumptions &assumptions = {})
        : typed(script),
          module(ir::lower(*typed.program, {}, typed.diagnostics)),
          report(make_report({module, settings, 250}, assumptions, rates)) {}
    const Row &row(size_t n) const { return report.rows.at(n); }
    test::TypedProgram typed;
    ir::Module module;
    Report report;
};

const std::string kScript =
    "global n probe begin { n = 1 } probe timer.us(100) { n++ } probe timer.hz(50), timer.jiffies(5) { n += 2 }";

TEST(CostReport, RowsAndRatesOfTimers) {
    const Reported r(kScript);
    ASSERT_EQ(r.report.rows.size(), 4u);
    EXPECT_EQ(r.row(0).way, Way::None);
    EXPECT_FALSE(r.row(0).hits);
    EXPECT_EQ(r.row(1).point, "timer.us(100)");
    EXPECT_DOUBLE_EQ(*r.row(1).hits, 10000);
    EXPECT_DOUBLE_EQ(*r.row(2).hits, 50);
    EXPECT_DOUBLE_EQ(*r.row(3).hits, 50);  // 250 ticks a second
    for (size_t i = 1; i < 4; ++i)
        EXPECT_DOUBLE_EQ(r.row(i).each().typical, r.row(i).around + r.row(i).handler.typical);
}

TEST(CostReport, SamplesAreOfEachCpu) {
    Assumptions assumptions;
    assumptions.cpus = 16;
    const std::string script = "global n probe timer.profile.freq.hz(97) { n++ } probe timer.profile { n++ }";
    const Reported r(script, {}, {}, assumptions);
    EXPECT_DOUBLE_EQ(*r.row(0).hits, 97 * 16);
    EXPECT_DOUBLE_EQ(*r.row(1).hits, 250 * 16);
    EXPECT_EQ(name_of(r.row(0).way), "profile interrupt");
}

TEST(CostReport, RatesByPoint) {
    const Reported r(kScript, {{"timer.us(100)", "", 7}, {"timer.ns(1)", "", 3}});
    EXPECT_DOUBLE_EQ(*r.row(1).hits, 7);
    EXPECT_DOUBLE_EQ(*r.row(2).hits, 50);
    EXPECT_THAT(r.report.unused, ElementsAre("timer.ns(1)"));
    const Range second = r.report.per_second();
    EXPECT_NEAR(second.typical,
                7 * r.row(1).each().typical + 50 * r.row(2).each().typical + 50 * r.row(3).each().typical, 1e-6);
}

// Two handlers of one point: ledgers tell them apart, wherever the script lay.
TEST(CostReport, RatesByPlace) {
    const std::string script = "global n\nprobe timer.us(100) { n++ }\nprobe timer.us(100) { n += 3 }";
    const Reported plain(script);
    ASSERT_EQ(plain.report.rows.size(), 2u);
    const std::string second = plain.row(1).where;
    const Reported r(script, {{"timer.us(100)", "/elsewhere/" + second, 5}});
    EXPECT_DOUBLE_EQ(*r.row(0).hits, 10000);
    EXPECT_DOUBLE_EQ(*r.row(1).hits, 5);
}

// Ledgers cut long points.
TEST(CostReport, RatesByTheBeginningOfAPoint) {
    const std::string rest(300, ' '), cut = "timer.us(100)" + rest;
    Reported r("global n probe timer.us(100) { n++ }");
    r.module.handlers.at(0).attaches.at(0).point = cut;
    const auto hits = [&](const std::string &point) {
        return *make_report({r.module, {}, 250}, {}, {{point, "", 5}}).rows.at(0).hits;
    };
    EXPECT_DOUBLE_EQ(hits(cut.substr(0, 255)), 5);
    EXPECT_DOUBLE_EQ(hits(cut.substr(0, 254)), 10000);
}

TEST(CostReport, ShareOfACpu) {
    Assumptions assumptions;
    assumptions.ips = 1e6;
    const Reported r("global n probe timer.us(100) { n++ }", {}, {}, assumptions);
    const std::string text = r.report.text();
    const double all = r.report.per_second().typical;
    EXPECT_THAT(text, HasSubstr("In all " + number_text(all) + " instructions a second"));
    EXPECT_THAT(text, HasSubstr(number_text(all / 1e4) + " % of one CPU."));
    EXPECT_THAT(text, HasSubstr("Assumed (--assume): stacks of 20 frames in programs and 8 in the kernel"));
}

TEST(CostReport, WithoutRatesThereIsNoSum) {
    const Reported r("global n probe begin { n = 1 }");
    EXPECT_FALSE(r.report.has_rates());
    EXPECT_THAT(r.report.text(), testing::Not(HasSubstr("In all")));
    EXPECT_FALSE(nlohmann::json::parse(r.report.json("x")).contains("total"));
}

TEST(CostReport, Json) {
    const Reported r(kScript, {{"nowhere", "", 1}});
    const nlohmann::json json = nlohmann::json::parse(r.report.json("x.stp"));
    EXPECT_EQ(json["v"], 1);
    EXPECT_EQ(json["script"], "x.stp");
    EXPECT_EQ(json["assumed"]["frames"], 20);
    EXPECT_EQ(json["unused_rates"], nlohmann::json::array({"nowhere"}));
    const nlohmann::json &row = json["probes"][1];
    EXPECT_EQ(row["points"], nlohmann::json::array({"timer.us(100)"}));
    EXPECT_EQ(row["hits_per_second"], 10000);
    EXPECT_EQ(row["per_hit"]["typical"], std::llround(r.row(1).each().typical));
    EXPECT_FALSE(json["probes"][0].contains("hits_per_second"));
    EXPECT_EQ(json["total"]["instructions_per_second"]["typical"], std::llround(r.report.per_second().typical));
}

TEST(CostReport, Numbers) {
    EXPECT_EQ(number_text(0), "0");
    EXPECT_EQ(number_text(1234567), "1,234,567");
    EXPECT_EQ(number_text(999), "999");
    EXPECT_EQ(number_text(1000), "1,000");
    EXPECT_EQ(number_text(3.25), "3.2");
    EXPECT_EQ(number_text(12.6), "13");
}

// Places without a symbol are told apart by their address.
TEST(CostWays, PlacesOfFunctions) {
    const auto way = [](int64_t other, probes::Kind kind) {
        Reported r("global n probe timer.us(100) { n++ } probe timer.us(200) { n += 2 }");
        for (size_t i = 0; i < 2; ++i) {
            probes::Attach &attach = r.module.handlers.at(i).attaches.at(0);
            attach.kind = i ? kind : probes::Kind::Function;
            probes::FunctionSite site;
            site.offset = i ? other : 16;
            attach.sites.push_back(site);
        }
        return Ways(r.module).of(r.module.handlers[0], r.module.handlers[0].attaches[0]);
    };
    EXPECT_EQ(way(32, probes::Kind::Function), Way::FunctionFtrace);
    EXPECT_EQ(way(16, probes::Kind::Function), Way::FunctionShared);
    EXPECT_EQ(way(32, probes::Kind::Return), Way::FunctionFtrace);
    EXPECT_EQ(way(16, probes::Kind::Return), Way::FunctionKprobe);
}

TEST(CostWays, FiguresAreOrdered) {
    for (int way = 0; way < static_cast<int>(Way::None); ++way) {
        const auto w = static_cast<Way>(way);
        EXPECT_FALSE(name_of(w).empty());
        EXPECT_GT(around_hit(w, true) + around_hit(w, false), 0) << name_of(w);
        if (w == Way::SyscallOther) continue;
        EXPECT_LE(around_hit(w, true), around_hit(w, false)) << name_of(w);
    }
}

}  // namespace
}  // namespace tapir::cost
