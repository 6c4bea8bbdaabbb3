// SPDX-License-Identifier: GPL-2.0-or-later
#include "remote/host_lines.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

namespace tapir::remote {
namespace {

class SinkTest : public testing::Test {
  protected:
    SinkTest() { EXPECT_EQ(0, pipe2(ends_, O_NONBLOCK)); }
    ~SinkTest() override {
        for (int fd : ends_)
            if (fd >= 0) close(fd);
    }
    std::string take(Sink &sink) {
        sink.write();
        std::string text(1 << 17, '\0');
        const ssize_t got = read(ends_[0], text.data(), text.size());
        text.resize(got > 0 ? static_cast<size_t>(got) : 0);
        return text;
    }
    int ends_[2];
};

TEST_F(SinkTest, LinesOfSeveralStreamsDoNotMix) {
    Sink sink(ends_[1]);
    Lines a(sink, "a: ", true), b(sink, "", true);
    a.add("one ", {});
    b.add("x\ny", {});
    a.add("line\n\nthree", {});
    EXPECT_EQ("", take(sink));
    const Clock::time_point later = Clock::time_point{} + Lines::kPause;
    EXPECT_EQ(later, b.deadline());
    b.look(later);
    a.look(later);
    EXPECT_EQ("x\na: one line\na: \n", take(sink));
    EXPECT_EQ(Clock::time_point::max(), b.deadline());
    a.end();
    b.end();
    b.end();
    EXPECT_EQ("a: three\ny\n", take(sink));
}

TEST_F(SinkTest, ReportsThatArePrintedAtTheSameTimeStayWhole) {
    using std::chrono::milliseconds;
    Sink sink(ends_[1]);
    Lines a(sink, "a: ", true), b(sink, "b: ", true);
    Clock::time_point now{};
    for (const char *line : {"value |---- count\n", "    1 |@@@@ 4\n", "    2 |@ 1\n"}) {
        a.add(line, now);
        b.add(line, now + milliseconds(10));
        now += Lines::kPause - milliseconds(1);
        a.look(now);
        b.look(now);
    }
    EXPECT_EQ("", take(sink));
    now += Lines::kPause;
    b.look(now);
    a.look(now);
    EXPECT_EQ(
        "b: value |---- count\nb:     1 |@@@@ 4\nb:     2 |@ 1\n"
        "a: value |---- count\na:     1 |@@@@ 4\na:     2 |@ 1\n",
        take(sink));
}

TEST_F(SinkTest, AStreamWithoutPausesIsNotHeldBackForLong) {
    Sink sink(ends_[1]);
    Lines lines(sink, "", true);
    const Clock::time_point begun{};
    size_t added = 0;
    for (auto now = begun; now < begun + Lines::kPatience; now += Lines::kPause / 2, ++added) {
        EXPECT_EQ("", take(sink));
        lines.look(now);
        lines.add("tick\n", now);
    }
    lines.look(begun + Lines::kPatience);
    EXPECT_EQ(added * 5, take(sink).size());
    lines.add(std::string(300000, 'x') + "\n", begun);
    EXPECT_FALSE(sink.empty());
}

TEST_F(SinkTest, OneStreamAloneIsNotHeldBack) {
    Sink sink(ends_[1]);
    Lines only(sink, "", false), named(sink, "h: ", false);
    only.add("prompt> ", {});
    EXPECT_EQ("prompt> ", take(sink));
    only.end();
    EXPECT_EQ("", take(sink));
    named.add("one\ntw", {});
    EXPECT_EQ("h: one\n", take(sink));
    named.end();
    EXPECT_EQ("h: tw\n", take(sink));
}

TEST_F(SinkTest, ALineWithoutEndIsNotHeldBackForEver) {
    Sink sink(ends_[1]);
    Lines lines(sink, "p: ", true);
    lines.add(std::string(40000, 'x'), {});
    EXPECT_TRUE(sink.empty());
    lines.add(std::string(30000, 'x'), {});
    EXPECT_EQ("p: " + std::string(61437, 'x'), take(sink).substr(0, 61440));
    lines.add("y\nz\n", {});
    lines.end();
    std::string rest;
    for (std::string more; !(more = take(sink)).empty();)
        rest += more;
    EXPECT_TRUE(rest.ends_with("xy\np: z\n"));
}

TEST_F(SinkTest, RecordsAreWholeAndNameTheirHost) {
    Sink sink(ends_[1]);
    Lines a(sink, "\"a\"", true, Lines::Bytes::Records), b(sink, "\"b\"", false, Lines::Bytes::Records);
    Clock::time_point now{};
    // Longer than lines of text are held back.
    const std::string text(100000, 'x');
    a.add("{\"v\":1,\"text\":\"" + text, now);
    b.add("{\"v\":1}\nno record\n{}\n{\"v\":2}\n{\"v\":3", now);
    a.add("\"}\n{\"cut", now);
    a.end();
    b.end();
    std::string all;
    for (std::string more; !(more = take(sink)).empty();)
        all += more;
    EXPECT_EQ("{\"remote\":\"b\",\"v\":1}\n{\"remote\":\"b\",\"v\":2}\n{\"remote\":\"a\",\"v\":1,\"text\":\"" + text +
                  "\"}\n",
              all);
}

TEST_F(SinkTest, IsFullBeforeItTakesEverything) {
    Sink sink(ends_[1]);
    sink.add(std::string((1 << 20) - 1, 'x'));
    EXPECT_FALSE(sink.full());
    sink.add("y");
    EXPECT_TRUE(sink.full());
    sink.write();  // what fits into the pipe; does not wait
    EXPECT_FALSE(sink.full());
    EXPECT_FALSE(sink.empty());
}

TEST_F(SinkTest, WhatCannotBeWrittenIsThrownAway) {
    const int full = open("/dev/full", O_WRONLY);
    ASSERT_GE(full, 0);
    Sink sink(full);
    sink.add("text");
    sink.write();
    EXPECT_EQ(ENOSPC, sink.error());
    sink.add("more");
    EXPECT_TRUE(sink.empty());
    close(full);
}

TEST_F(SinkTest, MessagesDoNotControlTheTerminal) {
    Sink sink(ends_[1]);
    const Clock::time_point now{};
    Lines safe(sink, "", false, Lines::Bytes::Safe), colored(sink, "h: ", true, Lines::Bytes::Colored);
    safe.add("a\tb \x1b[31mred\x1b]0;ti", now);
    safe.add("tle\a\r\n\xc3\xa4\n", now);
    safe.end();
    colored.add("\x1b[01;31mERROR:\x1b[m no\x1b[2J\x1b[1\n", now);
    colored.end();
    EXPECT_EQ(
        "a\tb \\x1b[31mred\\x1b]0;title\\x07\\x0d\n\xc3\xa4\n"
        "h: \x1b[01;31mERROR:\x1b[m no\\x1b[2J\\x1b[1\n",
        take(sink));
}

}  // namespace
}  // namespace tapir::remote
