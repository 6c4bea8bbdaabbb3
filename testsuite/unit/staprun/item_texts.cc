// SPDX-License-Identifier: GPL-2.0-or-later
#include "item_texts.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <tapir/hist_shape.h>
#include <unistd.h>

#include <cstdlib>

#include "fake.h"

namespace tapir::staprun {
namespace {

std::string piece(u8 conv, const std::string &literal = "", s32 width = TAPIR_FMT_UNSET) {
    tapir_piece p = {};
    p.conv = conv;
    p.width = width;
    p.precision = TAPIR_FMT_UNSET;
    p.literal = static_cast<u32>(literal.size());
    return std::string(reinterpret_cast<const char *>(&p), sizeof p) + literal;
}

std::string number(u64 n, size_t bytes = 8) {
    return {reinterpret_cast<const char *>(&n), bytes};
}

std::string text_item(const std::string &text) {
    return number(TAPIR_ITEM_TEXT, 2) + number(text.size(), 2) + text;
}

class StaprunItems : public testing::Test {
  protected:
    StaprunItems() {
        control.formats = {piece(TAPIR_CONV_STRING) + piece(TAPIR_CONV_LITERAL, "=") + piece(TAPIR_CONV_DECIMAL) +
                               piece(TAPIR_CONV_LITERAL, "\n"),
                           piece(TAPIR_CONV_HEX, "", 6)};
    }
    std::string text(const std::string &payload) { return std::string(texts.text(payload)); }

    // "a=-1\n" and "    ff"
    const std::string line_ = number(0, 2) + std::string("a\0", 2) + number(~0ull);
    const std::string hex_ = number(1, 2) + number(255);
    FakeControl control;
    unsigned made = 0, to_make = 0;
    ItemTexts texts{control, [this] { return made < to_make && ++made; }, [] { return -1; }};
};

TEST_F(StaprunItems, TextIsMadeByTheModulesFormats) {
    EXPECT_EQ("a=-1\n", text(line_));
    EXPECT_EQ("a=-1\nand     ff|a=-1\n", text(line_ + text_item("and ") + hex_ + text_item("|") + line_));
    EXPECT_EQ("", text(""));
    EXPECT_EQ(0u, texts.bytes_damaged());
}

TEST_F(StaprunItems, AFormatIsAskedForOnce) {
    EXPECT_EQ("    ff", text(hex_));
    control.formats.clear();
    EXPECT_EQ("    ff", text(hex_));
    EXPECT_EQ("", text(line_));
    EXPECT_EQ(line_.size(), texts.bytes_damaged());
}

// A stack is asked for when its tables are made, and is in the text where it was printed.
TEST_F(StaprunItems, LinesOfAStackComeWhenItsTablesAreMade) {
    const std::string frames =
        number(TAPIR_ITEM_FRAMES, 2) + number(TAPIR_FRAMES_SOURCES, 2) + number(77, 4) + number(0x401000);
    control.frames_lines = {" 0x401000 : work+0x0/0x10 [/bin/work]\n", " 0x402000 : main+0x1/0x20 [/bin/work]\n"};
    control.frames_missing = to_make = 2;
    EXPECT_EQ("a=-1\n" + control.frames_lines[0] + control.frames_lines[1] + "then",
              text(line_ + frames + text_item("then")));
    EXPECT_EQ(2u, made);
    EXPECT_EQ(77u, control.frames_asked.id);
    EXPECT_EQ(TAPIR_FRAMES_SOURCES, control.frames_asked.form);
    // No table is left to make: what is there.
    control.frames_missing = 5;
    EXPECT_EQ(control.frames_lines[0] + control.frames_lines[1], text(frames));
    EXPECT_EQ(4u, control.frames_missing);
    // Lost, it is what a walk knew: the place.
    control.frames_lines.clear();
    control.frames_missing = 0;
    EXPECT_EQ(" 0x401000\n", text(frames));
    EXPECT_EQ(0u, texts.bytes_damaged());
    EXPECT_EQ("", text(frames.substr(0, 15)));
    EXPECT_EQ(15u, texts.bytes_damaged());
}

// A terminal of so many columns.
class Terminal {
  public:
    explicit Terminal(u16 columns) : master_(posix_openpt(O_RDWR | O_NOCTTY)) {
        if (grantpt(master_) == 0 && unlockpt(master_) == 0) slave_ = open(ptsname(master_), O_RDWR | O_NOCTTY);
        winsize size = {};
        size.ws_col = columns;
        if (ioctl(slave_, TIOCSWINSZ, &size) != 0) ADD_FAILURE() << "no terminal";
    }
    ~Terminal() {
        close(slave_);
        close(master_);
    }
    Terminal(const Terminal &) = delete;
    Terminal &operator=(const Terminal &) = delete;
    int descriptor() const { return slave_; }

  private:
    int master_, slave_ = -1;
};

std::string row_piece(const std::string &literal) {
    std::string made = piece(TAPIR_CONV_LITERAL, literal);
    reinterpret_cast<tapir_piece *>(made.data())->flags = TAPIR_FMT_ROW;
    return made;
}

// Globals that are displayed at the end, as the translator has them.
class StaprunGlobals : public StaprunItems {
  protected:
    StaprunGlobals() {
        const auto literal = [](const char *text) { return piece(TAPIR_CONV_LITERAL, text); };
        const std::string decimal = piece(TAPIR_CONV_DECIMAL), string = piece(TAPIR_CONV_STRING);
        const std::string statistics = literal(" @count=") + decimal + literal(" @min=") + decimal + literal(" @max=") +
                                       decimal + literal(" @sum=") + decimal + literal(" @avg=") + decimal +
                                       literal("\n");
        control.formats = {
            row_piece("reads[\"") + string + literal("\"] @count=") + statistics.substr(literal(" @count=").size()),
            row_piece("pids[") + decimal + literal(",\"") + string + literal("\"]=") + decimal + literal("\n"),
            row_piece("hits=") + decimal + literal("\n"),
            row_piece("misses=") + decimal + literal("\n"),
            row_piece("last=\"") + string + literal("\"\n"),
            row_piece("size @count=") + statistics.substr(literal(" @count=").size()),
            decimal + literal("\n")};
        setenv("LC_ALL", "C", 1);
    }

    static std::string item(unsigned format, const std::vector<s64> &numbers, const std::string &text = "",
                            size_t text_at = 9) {
        std::string all = number(format, 2);
        for (size_t i = 0; i <= numbers.size(); i++) {
            if (i == text_at) all += text + '\0';
            if (i < numbers.size()) all += number(static_cast<u64>(numbers[i]));
        }
        return all;
    }

    const std::string items_ = item(0, {40, 128, 128, 5120, 128}, "staprun", 0) +
                               item(0, {3, -500, 1500, 2000, 666}, "cat", 0) + item(1, {12345, 1234567}, "x\ny", 1) +
                               item(1, {7, -1000}, "", 1) + item(2, {1234}) + item(3, {0}) + item(4, {}, "text", 0) +
                               item(5, {2, 1, 3, 4, 2}) + item(6, {99});
};

TEST_F(StaprunGlobals, AreTablesOnATerminal) {
    const Terminal terminal(80);
    ItemTexts drawn(
        control, [] { return false; }, [&] { return terminal.descriptor(); });
    // All together: 43 reads of 7,120 bytes, 165 each.
    EXPECT_EQ(
        "reads    COUNT    SUM   MIN  AVG    MAX\n"
        "staprun     40  5,120   128  128    128\n"
        "cat          3  2,000  -500  666  1,500\n"
        "all         43  7,120  -500  165  1,500\n\n"
        " pids           VALUE\n"
        "12345  x?y  1,234,567\n"
        "    7          -1,000\n\n"
        "GLOBAL  VALUE\n"
        "hits    1,234\n"
        "misses      0\n\n"
        "GLOBAL  VALUE\n"
        "last    text\n\n"
        "GLOBAL  COUNT  SUM  MIN  AVG  MAX\n"
        "size        2    4    1    2    3\n\n"
        "99\n",
        drawn.text(items_));
    // The last table is complete when something else comes, or nothing.
    EXPECT_EQ("", drawn.text(item(2, {5})));
    EXPECT_EQ("GLOBAL  VALUE\nhits        5\n\n", drawn.rest(false));
    EXPECT_EQ("", drawn.rest(true));
}

TEST_F(StaprunGlobals, AreLinesElsewhere) {
    const std::string lines =
        "reads[\"staprun\"] @count=40 @min=128 @max=128 @sum=5120 @avg=128\n"
        "reads[\"cat\"] @count=3 @min=-500 @max=1500 @sum=2000 @avg=666\n"
        "pids[12345,\"x\ny\"]=1234567\npids[7,\"\"]=-1000\nhits=1234\nmisses=0\nlast=\"text\"\n"
        "size @count=2 @min=1 @max=3 @sum=4 @avg=2\n99\n";
    EXPECT_EQ(lines, text(items_));
    const Terminal terminal(80), narrow(20);
    ItemTexts compatible(
        control, [] { return false; }, [&] { return terminal.descriptor(); });
    compatible.print_plainly();
    EXPECT_EQ(lines, compatible.text(items_));
    // Where a table does not fit.
    ItemTexts drawn(
        control, [] { return false; }, [&] { return narrow.descriptor(); });
    EXPECT_EQ(lines.substr(0, lines.find("pids")), std::string(drawn.text(items_)).substr(0, lines.find("pids")));
}

// A histogram of one sample, 1 page; text around it stays where it is. Its pairs: 65 empty buckets, and 1 in the next.
TEST_F(StaprunItems, HistogramsAreDrawn) {
    tapir_item_histogram head = {};
    const std::string behind = std::string("pages\0s\0", 8) + "\x41\x01";
    head.item = TAPIR_ITEM_HISTOGRAM;
    head.bytes = static_cast<u16>(sizeof head + behind.size());
    head.type = TAPIR_HIST_LOG;
    head.buckets = TAPIR_HIST_LOG_BUCKETS;
    head.pairs = 1;
    head.sum = head.min = head.max = 1;
    const std::string item = std::string(reinterpret_cast<const char *>(&head), sizeof head) + behind;
    setenv("LC_ALL", "C", 1);
    const std::string drawn = "s" + std::string(100 - 1 - 21, ' ') + "1 sample, sum 1 pages\n1 pages |" +
                              std::string(79, '@') +
                              "  1  100.0 %\nmedian up to 1 pages    90 % up to 1 pages    99 % up to 1 pages    "
                              "max 1 pages\n\n";
    EXPECT_EQ("a=-1\n" + drawn + "then", text(line_ + item + text_item("then")));
    EXPECT_EQ(0u, texts.bytes_damaged());
    std::string damaged = item;
    damaged[offsetof(tapir_item_histogram, pairs)] = 2;  // more than there are
    EXPECT_EQ("a=-1\n", text(line_ + damaged + line_));
    EXPECT_EQ(item.size() + line_.size(), texts.bytes_damaged());
}

TEST_F(StaprunItems, ALongDescriptionIsReadWhole) {
    std::string many;
    for (int i = 0; i < 400; i++)
        many += piece(TAPIR_CONV_LITERAL, "l");
    control.formats.push_back(many);
    EXPECT_EQ(std::string(400, 'l'), text(number(2, 2)));
}

TEST_F(StaprunItems, WhatIsBehindDamageIsLeftOutAndCounted) {
    const std::string cut = line_.substr(0, line_.size() - 1);
    EXPECT_EQ("    ff", text(hex_ + cut));
    EXPECT_EQ(cut.size(), texts.bytes_damaged());
    EXPECT_EQ("", text(number(0, 2) + "no end"));
    EXPECT_EQ("", text(number(7, 2) + number(1)));
    EXPECT_EQ("", text("x"));
    EXPECT_EQ("", text(number(TAPIR_ITEM_TEXT, 2)));
    EXPECT_EQ("", text(number(TAPIR_ITEM_TEXT, 2) + number(9, 2) + "8 bytes."));
    EXPECT_EQ(cut.size() + 8 + 10 + 1 + 2 + 12, texts.bytes_damaged());
}

TEST_F(StaprunItems, AFormatThatIsNoneIsDamage) {
    control.formats = {piece(TAPIR_CONV_MEMORY), piece(TAPIR_CONV_DECIMAL, "", INT32_MAX), "?", ""};
    for (u64 n = 0; n < 3; n++)
        EXPECT_EQ("", text(number(n, 2) + number(0x1000))) << n;
    EXPECT_EQ(30u, texts.bytes_damaged());
    EXPECT_EQ("", text(number(3, 2)));
}

}  // namespace
}  // namespace tapir::staprun
