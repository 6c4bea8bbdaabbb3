// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/display.h"

#include <gtest/gtest.h>

#include <sstream>

#include "common/glyphs.h"

namespace tapir::live {
namespace {

Table table_of(std::initializer_list<std::pair<const char *, int>> rows, uint64_t block = 1) {
    Table table;
    table.name = "t";
    table.columns = {{"name", ColumnKind::Text, ""}, {"n", ColumnKind::Number, ""}};
    for (const auto &[name, n] : rows)
        table.rows.push_back({{true, 0, name}, {false, n, {}}});
    table.block = block;
    return table;
}

std::string names(const Table &table, const std::vector<size_t> &order) {
    std::string text;
    for (const size_t row : order)
        text += table.rows[row][0].text;
    return text;
}

TEST(LivePlaces, ARowKeepsItsPlaceForTwoRefreshes) {
    Places places;
    const Sort sort{1, false};
    const auto shown = [&](const Table &table) { return names(table, places.order(table, sort, "")); };
    EXPECT_EQ("ab", shown(table_of({{"a", 9}, {"b", 5}}, 1)));
    EXPECT_EQ("abc", shown(table_of({{"c", 20}, {"b", 10}, {"a", 9}}, 2))) << "a new row stands below";
    EXPECT_EQ("cba", shown(table_of({{"c", 20}, {"b", 10}, {"a", 9}}, 3)));
    EXPECT_EQ("ca", shown(table_of({{"a", 30}, {"c", 20}}, 4))) << "b is gone, the others stay";
    EXPECT_EQ("ac", shown(table_of({{"a", 31}, {"c", 20}}, 5)));
}

TEST(LivePlaces, ANewSortTakesEffectAtOnce) {
    Places places;
    const Table table = table_of({{"a", 1}, {"b", 3}, {"c", 2}, {"b", 2}});
    EXPECT_EQ("abcb", names(table, places.order(table, {}, ""))) << "as they were printed";
    EXPECT_EQ("bcba", names(table, places.order(table, {1, false}, "")));
    EXPECT_EQ("abbc", names(table, places.order(table, {0, true}, "")));
    EXPECT_EQ("bb", names(table, places.order(table, {0, true}, "b")));
    EXPECT_EQ("cb", names(table, places.order(table, {-1, false}, "2"))) << "numbers are texts, too";
}

TEST(LiveLayout, NamesAreCutFirstThenColumnsGo) {
    Table table;
    table.columns = {{"name", ColumnKind::Text, ""},
                     {"total", ColumnKind::Number, "us"},
                     {"calls", ColumnKind::Number, ""},
                     {"pid", ColumnKind::Id, ""},
                     {"most", ColumnKind::Number, "bytes"}};
    table.rows = {{{true, 0, std::string(70, 'x')},
                   {false, 1500, {}},
                   {false, 1234567, {}},
                   {false, 1204, {}},
                   {false, 4096, {}}}};
    for (const size_t width : {200, 80, 60, 30, 12}) {
        TableLayout layout;
        const auto lines = layout.lines(table, {0}, {1, false}, 0, 10, {width, true});
        ASSERT_EQ(2u, lines.size());
        for (const Line &line : lines)
            EXPECT_LE(columns(line.text), width) << line.text;
        EXPECT_EQ(width >= 60, lines[1].text.find("4 KiB") != std::string::npos) << width;
        if (width >= 30) {
            EXPECT_NE(std::string::npos, lines[1].text.find("1.5 ms")) << width;
            EXPECT_NE(std::string::npos, lines[0].text.find("↓TOTAL")) << width;
        }
    }
}

TEST(LiveLayout, ColumnsDoNotBecomeNarrower) {
    TableLayout layout;
    const Frame frame{80, true};
    layout.lines(table_of({{"a long name", 1000000}}), {0}, {}, 0, 9, frame);
    const auto lines = layout.lines(table_of({{"a", 1}}), {0}, {}, 0, 9, frame);
    EXPECT_EQ("a                    1", lines[1].text);
}

TEST(LiveLayout, NothingThatATerminalObeysIsLeft) {
    const std::string evil =
        "a\x1b[2J\x1b]0;x\x07\r\n\x9b"
        "2J\xff\x7f\xe2\x80\xae";
    for (const bool utf8 : {true, false}) {
        TableLayout layout;
        Table table = table_of({{evil.c_str(), 1}});
        table.columns[0].name = evil;
        for (const Line &line : layout.lines(table, {0}, {}, 0, 9, {200, utf8}))
            for (const char c : line.text)
                EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << line.text;
        const auto lines = layout.lines(table, {0}, {}, 0, 9, {200, utf8});
        EXPECT_NE(std::string::npos, lines[1].text.find("a\\x1b[2J\\x1b]0;x\\x07\\x0d\\x0a\\x9b2J\\xff\\x7f"))
            << lines[1].text;
    }
    EXPECT_EQ("??x", fitted("日x", 10, {80, false}));
    EXPECT_EQ(4u, columns(padded("日本語", 4, false, {80, true})));
}

class LiveDisplay : public testing::Test {
  protected:
    void print(int block, int rows) {
        const std::string t = std::to_string(block * 1000000000ll);
        if (block == 1)
            model.take(R"({"type":"table","t":)" + t +
                       R"(,"name":"t","columns":[{"name":"d","unit":"name"},{"name":"n"}]})");
        for (int i = 0; i < rows; i++)
            model.take(R"({"type":"row","t":)" + t + R"(,"table":"t","row":{"d":"d)" + std::to_string(i) + R"(","n":)" +
                       std::to_string(i * block) + "}}");
        model.take(R"({"type":"refresh","t":)" + std::to_string(block * 1000000000ll + 100000000) +
                   R"(,"hits":1000,"lost_hits":)" + std::to_string(lost) + R"(,"errors":0,"lost_records":0})");
    }
    std::vector<std::string> screen(size_t rows, size_t width) {
        std::vector<std::string> texts;
        for (const Line &line : display.screen(model, rows, {width, true})) {
            EXPECT_LE(columns(line.text), width);
            texts.push_back(line.text);
        }
        EXPECT_EQ(rows, texts.size());
        return texts;
    }

    Model model;
    Display display{{"t.stp", 1000, 0}};
    int lost = 0;
};

TEST_F(LiveDisplay, TheHeadTellsWhatHowOftenAndWhatIsLost) {
    print(1, 3);
    EXPECT_EQ("t.stp                1,000 hits, none lost  0.1 s  every 1 s", screen(10, 60)[0]);
    lost = 5;
    print(2, 3);
    EXPECT_NE(std::string::npos, screen(10, 60)[0].find("5 hits lost"));
    EXPECT_EQ(Style::Bad, display.screen(model, 10, {60, true})[0].style);
}

TEST_F(LiveDisplay, EverySizeIsFilledExactly) {
    print(1, 50);
    for (size_t rows = 0; rows < 30; rows++)
        for (const size_t width : {20, 60, 80, 200})
            screen(rows, width);
}

TEST_F(LiveDisplay, KeysScrollSortFilterAndPause) {
    print(1, 50);
    EXPECT_EQ(0u, screen(10, 60)[2].find("d0 "));
    display.press(kKeyPageDown);
    EXPECT_EQ(0u, screen(10, 60)[2].find("d6 "));
    display.press(kKeyEnd);
    EXPECT_EQ(0u, screen(10, 60)[8].find("d49 "));
    display.press(kKeyHome);
    display.press('s');
    display.press('s');
    EXPECT_EQ(0u, screen(10, 60)[2].find("d49 ")) << "by the second column, the largest first";
    display.press('i');
    EXPECT_EQ(0u, screen(10, 60)[2].find("d0 "));
    for (const int key : std::initializer_list<int>{'/', 'd', '4', 'x', 127, '\n'})
        EXPECT_TRUE(display.press(key));
    EXPECT_EQ(0u, screen(10, 60)[2].find("d4 "));
    EXPECT_EQ(0u, screen(10, 60)[3].find("d40 "));
    EXPECT_NE(std::string::npos, screen(10, 80)[0].find("with \"d4\""));
    display.press(27);
    display.press('p');
    print(2, 1);
    print(3, 2);
    EXPECT_EQ(0u, screen(10, 60)[8].find("d6 ")) << "the rows before the pause";
    EXPECT_NE(std::string::npos, screen(10, 60)[0].find("PAUSED"));
    display.press('p');
    EXPECT_EQ("", screen(10, 60)[8]);
    EXPECT_FALSE(display.press('q'));
}

TEST_F(LiveDisplay, AnOptionIsSetByItsAssignment) {
    print(1, 3);
    for (const char key : std::string("emin=1q"))
        EXPECT_TRUE(display.press(key));
    EXPECT_EQ(0u, screen(10, 60)[9].find("NAME=VALUE: min=1q_"));
    EXPECT_EQ("", display.take_command());
    display.press(kKeyBackspace);
    display.press('\n');
    EXPECT_EQ("set min=1", display.take_command());
    EXPECT_EQ("", display.take_command()) << "it is asked once";
    for (const int key : std::initializer_list<int>{'e', 'x', 27, 'e', '\n'})
        display.press(key);
    EXPECT_EQ("", display.take_command());
    EXPECT_FALSE(display.press('q'));
}

TEST_F(LiveDisplay, TopShowsTheLargestRows) {
    Display top{{"t", 1000, 2}};
    print(1, 5);
    const std::string text = top.tables_text(model, {60, true});
    std::vector<std::string> words;
    std::istringstream in(text);
    for (std::string word; in >> word;)
        words.push_back(word);
    EXPECT_EQ((std::vector<std::string>{"D", "N", "d4", "4", "d3", "3", "3", "more", "rows"}), words) << text;
}

TEST_F(LiveDisplay, BlocksAreThoseThatChanged) {
    print(1, 2);
    const std::string first = display.changes_text(model, {60, true});
    EXPECT_EQ(0u, first.find("-- 0.1 s, 1,000 hits, none lost\n")) << first;
    EXPECT_NE(std::string::npos, first.find("d1"));
    EXPECT_EQ("", display.changes_text(model, {60, true}));
    print(2, 2);
    EXPECT_NE("", display.changes_text(model, {60, true}));
}

TEST_F(LiveDisplay, MessagesStayUntilAKeyIsPressed) {
    print(1, 50);
    display.say("WARNING: \x1b[2J");
    EXPECT_EQ("WARNING: \\x1b[2J", screen(10, 60)[8]);
    display.press(' ');
    EXPECT_NE("WARNING: \\x1b[2J", screen(10, 60)[8]);
    EXPECT_EQ(1u, display.messages().size()) << "they are told again at the end";
}

}  // namespace
}  // namespace tapir::live
