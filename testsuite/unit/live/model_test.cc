// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/model.h"

#include <gtest/gtest.h>

namespace tapir::live {
namespace {

constexpr uint64_t kMs = 1'000'000;

std::string at(uint64_t ms, const std::string &type, const std::string &members) {
    return R"({"v":1,"type":")" + type + R"(","t":)" + std::to_string((ms + 1) * kMs) + R"(,"cpu":0)" +
           (members.empty() ? "" : "," + members) + "}\n";
}

std::string element(uint64_t ms, const std::string &key, int value) {
    return at(ms, "value", R"("name":"reads","keys":[")" + key + R"("],"value":)" + std::to_string(value));
}

std::string mark(uint64_t ms) {
    return at(ms, "row", R"("table":"globals","row":{"name":"reads","keys":1})");
}

// "KEY=NUMBER ..." of a table.
std::string rows(const Table &table) {
    std::string text;
    for (const Row &row : table.rows)
        text += (text.empty() ? "" : " ") + row[0].text + "=" + std::to_string(row[1].number);
    return text;
}

class LiveModel : public testing::Test {
  protected:
    void take(std::initializer_list<std::string> lines) {
        for (const std::string &line : lines)
            model.take(line);
    }
    const Table &only() {
        const auto tables = model.tables();
        EXPECT_EQ(1u, tables.size());
        static const Table kNone;
        return tables.empty() ? kNone : *tables[0];
    }

    Model model;
};

TEST_F(LiveModel, ArraysAreWhatTheLastRefreshPrinted) {
    take({mark(0), element(0, "a", 1), element(1, "b", 2), at(100, "refresh", R"("hits":7)")});
    EXPECT_EQ("a=1 b=2", rows(only()));
    EXPECT_EQ("READS", only().columns[0].name);
    EXPECT_EQ(7u, model.hits());
    take({mark(1000), element(1000, "b", 3)});
    EXPECT_EQ("a=1 b=2", rows(only())) << "the block is not complete";
    take({at(1100, "refresh", R"("hits":9,"lost_hits":2)")});
    EXPECT_EQ("b=3", rows(only())) << "a was deleted";
    EXPECT_EQ(2u, model.lost_hits());
    take({mark(2000), at(2100, "refresh", R"("hits":9)")});
    EXPECT_EQ("", rows(only())) << "the array is empty";
}

TEST_F(LiveModel, AHandlerThatWaitsGoesOn) {
    take({mark(0), element(0, "a", 1), element(70, "b", 2), at(200, "refresh", R"("hits":1)")});
    EXPECT_EQ("a=1 b=2", rows(only()));
}

TEST_F(LiveModel, TheEndPrintsAllAnewWithoutAMark) {
    take({mark(0), element(0, "a", 1), element(1, "a", 5), element(1, "c", 2)});
    model.finish();
    EXPECT_EQ("a=5 c=2", rows(only()));
}

TEST_F(LiveModel, RowsOfOneRunAreABlockAndSingleRowsALog) {
    take({at(0, "table", R"("name":"t","columns":[{"name":"d","unit":"name"},{"name":"n"}])")});
    const auto row = [](uint64_t ms, const std::string &d, int n) {
        return at(ms, "row", R"("table":"t","row":{"d":")" + d + R"(","n":)" + std::to_string(n) + "}");
    };
    take({row(0, "x", 1), row(500, "y", 2), row(900, "z", 3)});
    model.finish();
    EXPECT_TRUE(only().is_log);
    EXPECT_EQ("x=1 y=2 z=3", rows(only()));
    take({row(2000, "x", 4), row(2000, "y", 5), row(3000, "y", 6), row(3000, "z", 7)});
    model.finish();
    EXPECT_FALSE(only().is_log);
    EXPECT_EQ("y=6 z=7", rows(only()));
}

TEST_F(LiveModel, ScalarsShareATable) {
    take({at(0, "value", R"("name":"n","value":-3)"), at(1, "value", R"("name":"name","value":"x")"),
          at(2, "value", R"("name":"s","count":2,"sum":6,"min":1,"avg":3,"max":5)")});
    take({at(1000, "value", R"("name":"n","value":4)")});
    model.finish();
    const auto tables = model.tables();
    ASSERT_EQ(2u, tables.size());
    ASSERT_EQ(2u, tables[0]->rows.size());
    EXPECT_EQ(4, tables[0]->rows[0][1].number);
    EXPECT_EQ("x", tables[0]->rows[1][1].text);
    EXPECT_EQ(5, tables[1]->rows[0][5].number);
}

TEST_F(LiveModel, BytesOfLatin1AreBytes) {
    take({at(0, "print", R"("text":"\u00ff\u00e9A\n","latin1":true)")});
    ASSERT_EQ(1u, model.lines().size());
    EXPECT_EQ(
        "\xff\xe9"
        "A",
        model.lines()[0]);
}

TEST_F(LiveModel, LinesArePutTogetherAndBounded) {
    take({at(0, "print", R"("text":"a ")"), at(0, "print", R"("text":"line\n")")});
    EXPECT_EQ("a line", model.lines().front());
    for (size_t i = 0; i < Model::kMostLines; i++)
        take({at(1, "print", R"("text":"more\n")")});
    EXPECT_EQ(Model::kMostLines, model.lines().size());
    EXPECT_EQ(Model::kMostLines + 1, model.lines_seen());
}

TEST_F(LiveModel, HistogramsAreBucketsOrARowForEachElement) {
    take({at(0, "hist", R"("name":"h","unit":"ns","count":4,"sum":9,"min":1,"max":5,"buckets":[[1,1,1],[4,7,3]])"),
          at(0, "hist",
             R"("name":"k","keys":["x"],"unit":"ns","count":4,"sum":9,"min":1,"max":5,"p50":4,"buckets":[[1,1,4]])")});
    model.finish();
    const auto tables = model.tables();
    ASSERT_EQ(2u, tables.size());
    ASSERT_EQ(2u, tables[0]->rows.size());
    EXPECT_EQ(75, tables[0]->rows[1][2].number) << "percent";
    EXPECT_EQ("████████", tables[0]->rows[0][3].text) << "a third of the longest bar";
    EXPECT_EQ("x", tables[1]->rows[0][0].text);
    EXPECT_EQ(4, tables[1]->rows[0][2].number);
}

TEST_F(LiveModel, WhatIsNoRecordIsCountedAndHarmless) {
    for (const char *line :
         {"no json", "[1]", R"({"type":1})", R"({"type":"row"})", R"({"type":"value","t":"x","keys":3})",
          R"({"type":"hist","t":1,"buckets":[[1],[2,3,"x"],7]})", R"({"type":"table","t":1,"name":"t","columns":[1]})",
          R"({"type":"row","t":1,"table":"t","row":[]})", R"({"type":"print","t":1,"text":5})", "\n", ""})
        model.take(line);
    EXPECT_EQ(3u, model.damaged());
    model.finish();
}

}  // namespace
}  // namespace tapir::live
