// SPDX-License-Identifier: GPL-2.0-or-later
#include "item_texts.h"

#include <gtest/gtest.h>
#include <tapir/hist_shape.h>

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
