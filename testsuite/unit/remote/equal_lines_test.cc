// SPDX-License-Identifier: GPL-2.0-or-later
#include "remote/equal_lines.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "remote/host_lines.h"

namespace tapir::remote {
namespace {

using std::chrono::seconds;

class EqualLinesTest : public testing::Test {
  protected:
    EqualLinesTest() : opened_(pipe2(ends_, O_NONBLOCK)), sink_(ends_[1]) { EXPECT_EQ(0, opened_); }
    ~EqualLinesTest() override {
        close(ends_[0]);
        close(ends_[1]);
    }
    std::string take() {
        sink_.write();
        std::string text(1 << 16, '\0');
        const ssize_t got = read(ends_[0], text.data(), text.size());
        text.resize(got > 0 ? static_cast<size_t>(got) : 0);
        return text;
    }

    int ends_[2];
    int opened_;
    Sink sink_;
    EqualLines lines_{sink_, {"web1", "web2", "web3"}};
    const EqualLines::Clock::time_point start_{};
};

TEST_F(EqualLinesTest, OneHostIsNamedAndSeveralAreCounted) {
    EXPECT_EQ(EqualLines::Clock::time_point::max(), lines_.deadline());
    for (size_t host : {0u, 1u, 2u})
        lines_.add(host, "the disk is full\n", start_);
    lines_.add(1, "only here\n", start_);
    lines_.add(2, "again\n", start_);
    lines_.add(2, "again\n", start_);
    lines_.look(start_ + EqualLines::kFirst - seconds(1));
    EXPECT_EQ("", take());
    EXPECT_EQ(start_ + EqualLines::kFirst, lines_.deadline());
    lines_.look(lines_.deadline());
    EXPECT_EQ("3 hosts: the disk is full\nweb2: only here\nweb3, 2 times: again\n", take());
    EXPECT_EQ(EqualLines::Clock::time_point::max(), lines_.deadline());
}

// Hosts come one after the other for an hour: a message that all of them have fills few lines.
TEST_F(EqualLinesTest, WhatAppearsAgainWaitsLonger) {
    uint64_t shown = 0;
    for (EqualLines::Clock::time_point now = start_; now < start_ + seconds(3600); now += seconds(1)) {
        lines_.add(static_cast<size_t>(now.time_since_epoch() / seconds(1)) % 3, "late\n", now);
        lines_.look(now);
        shown += !take().empty();
    }
    EXPECT_LE(shown, 6u + 3600 / 64);
    EXPECT_GE(shown, 3600u / 65);
    lines_.end();
    EXPECT_NE("", take());
    lines_.end();
    EXPECT_EQ("", take());
}

TEST_F(EqualLinesTest, LinesOfOneMessageStayTogether) {
    Lines a(sink_, "", true, Lines::Bytes::Safe), b(sink_, "", true, Lines::Bytes::Safe);
    a.give_to([this](std::string_view message) { lines_.add(0, message, start_); });
    b.give_to([this](std::string_view message) { lines_.add(1, message, start_); });
    a.add("error: one\n  help: two\nbell\x07\n", start_);
    b.add("alone\nerror: one\n  help: two\nerror: one\n  help: three", start_);
    a.end();
    b.end();
    EXPECT_EQ("", take());
    lines_.end();
    EXPECT_EQ(
        "2 hosts: error: one\n2 hosts:   help: two\nweb1: bell\\x07\nweb2: alone\n"
        "web2: error: one\nweb2:   help: three\n",
        take());
}

// Memory has a limit, and nothing is lost by it. A line without an end gets one.
TEST_F(EqualLinesTest, TheOldestIsForgotten) {
    std::string expected;
    for (size_t i = 0; i < 3 * EqualLines::kRoom; ++i) {
        lines_.add(0, std::to_string(i), start_);
        expected += "web1: " + std::to_string(i) + "\n";
    }
    lines_.end();
    EXPECT_EQ(expected, take());
    lines_.add(1, "dropped\n", start_);
    lines_.drop();
    lines_.end();
    EXPECT_EQ("", take());
}

}  // namespace
}  // namespace tapir::remote
