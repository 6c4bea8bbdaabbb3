// SPDX-License-Identifier: GPL-2.0-or-later
// Reports of many hosts. A program in Python adds up the same records, and each sum must be equal.
#include "merge/host_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/files.h"
#include "common/run_program.h"
#include "testsuite/trees.h"

namespace tapir::merge {
namespace {

using nlohmann::json;
using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr int64_t kNow = 1700000000000000000;

class MergeTest : public testing::Test {
  protected:
    explicit MergeTest(size_t hosts = 8) {
        for (size_t i = 0; i < hosts; ++i)
            names_.push_back("web" + std::to_string(i));
    }

    Merge &merge(const Limits &limits = {}) {
        merge_ = std::make_unique<Merge>(
            names_,
            [this](uint32_t host, std::string_view line, const json &) { events_ += names_[host] + std::string(line); },
            limits);
        return *merge_;
    }
    // A record of a host: its type and further members.
    std::string tell(uint32_t host, const std::string &type, const std::string &members) {
        return merge_->record(host, R"({"v":1,"type":")" + type + R"(","t":)" + std::to_string(++time_) + members + "}",
                              kNow);
    }
    void end_all() {
        for (uint32_t host = 0; host < names_.size(); ++host)
            tell(host, "end", R"(,"status":0)");
    }
    std::vector<json> records(const std::string &type) {
        std::vector<json> found;
        write_records(*merge_, 0, [&](const std::string &line) {
            json record = json::parse(line);
            if (record["type"] == type) found.push_back(std::move(record));
        });
        return found;
    }
    std::string text() { return render_text(*merge_, -1); }

    std::vector<std::string> names_;
    std::unique_ptr<Merge> merge_;
    std::string events_;
    uint64_t time_ = 0;
};

// Hosts tell a line each in turn, as connections bring them.
TEST_F(MergeTest, SumsAreThoseOfAnotherProgram) {
    char pattern[] = "/tmp/tapir-merge.XXXXXX";
    const fs::path directory = mkdtemp(pattern);
    const std::string script = source_dir() + "/testsuite/remote/fleet.py";
    ASSERT_TRUE(output_of({"python3", script, "make", directory, "40", "60", "7"}));
    names_.clear();
    std::vector<std::ifstream> files;
    for (int i = 0; i < 40; ++i) {
        std::string number = std::to_string(i);
        names_.push_back("web" + std::string(4 - number.size(), '0') + number);
        files.emplace_back(directory / (names_.back() + ".records"));
    }
    merge();
    for (bool any = true; any;) {
        any = false;
        for (uint32_t host = 0; host < files.size(); ++host)
            if (std::string line; std::getline(files[host], line)) {
                any = true;
                EXPECT_EQ("", merge_->record(host, line, kNow));
            }
    }
    for (uint32_t host = 0; host < files.size(); ++host)
        EXPECT_EQ("", merge_->hosts()[host].complaint);
    std::ofstream report(directory / "report");
    write_records(*merge_, 0, [&](const std::string &line) { report << line; });
    report.close();
    const Outcome<std::string> judged =
        output_of({"python3", script, "judge", directory, (directory / "report").string()});
    EXPECT_TRUE(judged) << (judged ? "" : judged.fault().message());
    EXPECT_THAT(judged ? *judged : "", HasSubstr("good: 240 rows"));
    fs::remove_all(directory);
}

TEST(MeaningTest, WordsOfColumns) {
    EXPECT_EQ(Meaning::Key, meaning_of("program", "name", ""));
    EXPECT_EQ(Meaning::Key, meaning_of("process", "id", ""));
    EXPECT_EQ(Meaning::Key, meaning_of("remote", "port", ""));
    EXPECT_EQ(Meaning::Sum, meaning_of("calls", "", ""));
    EXPECT_EQ(Meaning::Sum, meaning_of("sent", "bytes", ""));
    EXPECT_EQ(Meaning::Sum, meaning_of("total", "us", "all calls"));
    EXPECT_EQ(Meaning::Sum, meaning_of("user", "us", "all processes"));
    EXPECT_EQ(Meaning::Sum, meaning_of("waiting", "us", "turns without a processor"));
    EXPECT_EQ(Meaning::Average, meaning_of("average", "us", "a call"));
    EXPECT_EQ(Meaning::Average, meaning_of("lifetime", "us", "a process, on average"));
    EXPECT_EQ(Meaning::Average, meaning_of("share", "0.1 %", "the waiting"));
    EXPECT_EQ(Meaning::Most, meaning_of("worst", "us", "a call"));
    EXPECT_EQ(Meaning::Most, meaning_of("used", "bytes", "the buffer, at most"));
    EXPECT_EQ(Meaning::Least, meaning_of("least", "bytes", ""));
    EXPECT_EQ(Meaning::Bound, meaning_of("p99", "us", "a call"));
    EXPECT_EQ(Meaning::Each, meaning_of("took", "us", ""));
    EXPECT_EQ(Meaning::Each, meaning_of("size", "bytes", "a piece"));
}

// Quartiles move nothing: one host of eight is far, in units of the MAD.
TEST(SpreadTest, TheMedianIsNotMovedByThoseFarAway) {
    Spread spread("reads", "", Meaning::Sum);
    const std::vector<int> numbers = {100, 102, 98, 101, 99, 103, 97, 5000};
    for (uint32_t host = 0; host < numbers.size(); ++host)
        spread.add(host, numbers[host], 1);
    const std::vector<Spread::Far> far = spread.far(std::vector<bool>(8, true));
    ASSERT_EQ(1u, far.size());
    EXPECT_EQ(7u, far[0].host);
    EXPECT_DOUBLE_EQ(100.5, far[0].median);
    EXPECT_NEAR((5000 - 100.5) / (2 * 1.4826), far[0].times, 0.01);
    // Hosts that do not count are no outliers, and of four hosts none is.
    std::vector<bool> counts(8, true);
    counts[7] = false;
    EXPECT_TRUE(spread.far(counts).empty());
    EXPECT_TRUE(spread.far({true, false, false, false, true, true, false, true}).empty());
}

// Where more than half tell the same, the MAD is 0.
TEST(SpreadTest, MostHostsMayTellTheSame) {
    Spread spread("errors", "", Meaning::Sum);
    for (uint32_t host = 0; host < 20; ++host)
        spread.add(host, host == 4 ? 17 : 0, 1);
    const std::vector<Spread::Far> far = spread.far(std::vector<bool>(20, true));
    ASSERT_EQ(1u, far.size());
    EXPECT_EQ(4u, far[0].host);
}

TEST_F(MergeTest, FarHostsStandInFront) {
    merge();
    for (uint32_t host = 0; host < 8; ++host)
        tell(host, "value", R"(,"name":"reads","value":)" + std::to_string(host == 3 ? 90000 : 100 + host));
    end_all();
    EXPECT_THAT(text(), HasSubstr("8 of 8 hosts in this report, none failed\n\nFar from the other hosts:\n"));
    const std::vector<json> outliers = records("outlier");
    ASSERT_EQ(1u, outliers.size());
    EXPECT_EQ("web3", outliers[0]["remote"]);
    EXPECT_EQ("reads", outliers[0]["figure"]);
    EXPECT_EQ(90000, outliers[0]["value"]);
    EXPECT_EQ("web3", records("value")[0]["most_at"]);
}

TEST_F(MergeTest, KeysHaveALimitThatIsTold) {
    Limits limits;
    limits.rows = 3;
    merge(limits);
    for (int key = 0; key < 10; ++key)
        tell(0, "value", R"(,"name":"calls","keys":[)" + std::to_string(key) + R"(],"value":10)");
    const std::vector<json> values = records("value");
    ASSERT_EQ(4u, values.size());
    EXPECT_EQ(7, values[3]["others"]);
    EXPECT_EQ(70, values[3]["value"]);
    EXPECT_THAT(text(), HasSubstr("... 7 rows of other keys had no room here"));
}

TEST_F(MergeTest, MemoryHasALimit) {
    Limits limits;
    limits.bytes = 1 << 20;
    merge(limits);
    const std::string pad(200, 'x');
    for (int i = 0; i < 20000; ++i) {
        tell(0, "value", R"(,"name":"calls","keys":[")" + pad + std::to_string(i) + R"("],"value":1)");
        tell(0, "print", R"(,"text":")" + pad + std::to_string(i) + R"(\n")");
    }
    EXPECT_LT(merge_->tables().globals()[0].rows.rows().size(), 2500u);
    int64_t sum = 0;
    for (const json &value : records("value"))
        sum += value["value"].get<int64_t>();
    EXPECT_EQ(20000, sum);
}

// Garbage is told, and a host that sends nothing else is given up.
TEST_F(MergeTest, GarbageIsTold) {
    merge();
    EXPECT_EQ("", merge_->record(1, "garbage", kNow));
    EXPECT_EQ("", merge_->record(1, R"({"v":1,"type":"row","t":1,"table":"none","row":{"a":1}})", kNow));
    EXPECT_EQ("", merge_->record(1, R"({"v":2,"type":"print","t":1,"text":"of the future\n"})", kNow));
    EXPECT_EQ("", merge_->record(1, R"({"v":1,"type":"value","t":1,"name":"n","value":1e99})", kNow));
    EXPECT_EQ("", merge_->record(1, R"({"v":1,"type":"value","t":1,"name":"n","value":18446744073709551615})", kNow));
    EXPECT_EQ("", merge_->record(1, std::string(100000, '['), kNow));
    EXPECT_EQ(6u, merge_->hosts()[1].bad);
    EXPECT_THAT(
        text(),
        HasSubstr("web1  cut off, what it told by then counts; 6 lines are left out: a line is no object of JSON"));
    std::string why;
    for (uint64_t i = 0; why.empty() && i < kMostBad; ++i)
        why = merge_->record(1, "garbage", kNow);
    EXPECT_EQ("it tells what is no record, 1000 times: a line is no object of JSON with a type", why);
}

TEST_F(MergeTest, TablesOfOneNameHaveTheSameColumns) {
    merge();
    tell(0, "table", R"(,"name":"t","columns":[{"name":"calls"}])");
    tell(1, "table", R"(,"name":"t","columns":[{"name":"others"}])");
    EXPECT_EQ("the columns of the table 't' are others than those of other hosts", merge_->hosts()[1].complaint);
}

// A host's clock was read between its start and the arrival of its record.
TEST_F(MergeTest, ClocksThatAreOffAreTold) {
    merge();
    const auto meta = [&](uint32_t host, int64_t realtime, int64_t launched, const std::string &end) {
        merge_->launched(host, launched);
        tell(host, "meta", R"(,"clock":{"monotonic":5,"realtime":)" + std::to_string(realtime) + R"(,"within":1})");
        tell(host, "end", R"(,"status":0)" + end);
    };
    constexpr int64_t kSecond = 1000000000;
    meta(0, kNow - kSecond, kNow - 3 * kSecond, "");       // as it should be
    meta(1, kNow + 3600 * kSecond, kNow - kSecond, "");    // at least an hour ahead
    meta(2, kNow - 90 * kSecond, kNow - 2 * kSecond, "");  // 88 s behind, at least
    meta(3, kNow, kNow,
         R"(,"clock":{"monotonic":1000000005,"realtime":)" + std::to_string(kNow + 61 * kSecond) + R"(,"within":1})");
    EXPECT_EQ("", merge_->hosts().clock_text(0));
    EXPECT_EQ("its clock is 3600 s ahead", merge_->hosts().clock_text(1));
    EXPECT_EQ("its clock is 88 s behind", merge_->hosts().clock_text(2));
    EXPECT_EQ("its clock was set 60 s forward while the script ran", merge_->hosts().clock_text(3));
    EXPECT_THAT(text(), HasSubstr("  web1  its clock is 3600 s ahead\n"));
    const std::vector<json> hosts = records("host");
    EXPECT_EQ((json{3600 * kSecond, 3601 * kSecond}), hosts[1]["clock_ahead"]);
    EXPECT_EQ(60 * kSecond, hosts[3]["clock_set"]);
}

TEST_F(MergeTest, TimesThatGoBackwardsAreTold) {
    merge();
    time_ = 7;
    tell(0, "print", R"(,"text":"one\n")");
    time_ = 0;
    tell(0, "print", R"(,"text":"two\n")");
    EXPECT_EQ("times of its records go backwards", merge_->hosts().clock_text(0));
}

TEST_F(MergeTest, HostsThatFailedAreNamedAndWhatTheyToldCounts) {
    merge();
    tell(0, "value", R"(,"name":"n","value":1)");
    tell(1, "value", R"(,"name":"n","value":2)");
    tell(0, "quality", R"(,"complete":true,"lost_hits":0,"errors":0,"cut_texts":0)");
    tell(1, "quality", R"(,"complete":false,"lost_hits":12,"errors":0,"cut_texts":0)");
    tell(0, "end", R"(,"status":0)");
    merge_->ended(1, "the connection was lost", "");
    merge_->ended(2, "", "it is the same machine as web0, which counts");
    EXPECT_THAT(text(), HasSubstr("2 of 8 hosts in this report, 1 failed\n\n"
                                  "  web1  failed: the connection was lost; cut off, what it told by then counts\n"
                                  "  web2  left out: it is the same machine as web0, which counts\n"));
    EXPECT_THAT(text(), HasSubstr("lost hits: 12 on 1 host: web1 12\n"
                                  "1 of 8 hosts tell that nothing is lost, left out, cut or wrong\n"));
    EXPECT_EQ(3, records("value")[0]["value"]);
    EXPECT_EQ(false, records("quality")[0]["complete"]);
    EXPECT_EQ(12, records("host")[1]["quality"]["lost_hits"]);
}

// Strings that are not UTF-8 are the same string in records with `latin1` and come out so again.
TEST_F(MergeTest, BytesThatAreNoText) {
    merge();
    tell(0, "value", R"(,"name":"n","keys":["caf\u00e9"],"value":1,"latin1":true)");
    tell(1, "value", R"(,"name":"n","keys":["caf\u00e9"],"value":2,"latin1":true)");
    tell(2, "value", R"(,"name":"n","keys":["caf\u00e9"],"value":4)");
    const std::vector<json> values = records("value");
    ASSERT_EQ(2u, values.size());
    EXPECT_EQ(3, values[0]["value"]);
    EXPECT_EQ(true, values[0]["latin1"]);
    EXPECT_EQ(json({"caf\u00e9"}), values[0]["keys"]);
    EXPECT_FALSE(values[1].contains("latin1"));
}

TEST_F(MergeTest, TriggersPassAndAreCounted) {
    merge();
    for (int i = 0; i < 3; ++i)
        tell(5, "trigger", R"(,"name":"slow","text":"slow\n")");
    EXPECT_THAT(events_, HasSubstr(R"(web5{"v":1,"type":"trigger")"));
    EXPECT_THAT(text(), HasSubstr("trigger slow: 3 times on 1 host\n"));
}

}  // namespace
}  // namespace tapir::merge
