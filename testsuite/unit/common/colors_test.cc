// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/colors.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

namespace {

using tapir::Coloring;
using tapir::Colors;

// A terminal, and an environment in which one shows colors.
class ColorsTest : public testing::Test {
  protected:
    void SetUp() override {
        setenv("TERM", "xterm", 1);
        unsetenv("NO_COLOR");
        unsetenv("SYSTEMTAP_COLORS");
        master_ = posix_openpt(O_RDWR | O_NOCTTY);
        ASSERT_TRUE(master_ >= 0 && grantpt(master_) == 0 && unlockpt(master_) == 0);
        terminal_ = open(ptsname(master_), O_RDWR | O_NOCTTY);
        ASSERT_GE(terminal_, 0);
    }
    void TearDown() override {
        close(terminal_);
        close(master_);
    }
    std::string error(Coloring when, int fd) const { return Colors(when, fd).paint("error", "E"); }

    int master_ = -1, terminal_ = -1;
};

constexpr const char *kRed = "\033[01;31mE\033[0m";

TEST_F(ColorsTest, AutoIsForTerminalsThatKnowColors) {
    EXPECT_EQ(error(Coloring::Auto, terminal_), kRed);
    EXPECT_EQ(error(Coloring::Never, terminal_), "E");
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    EXPECT_EQ(error(Coloring::Auto, ends[1]), "E");
    EXPECT_EQ(error(Coloring::Always, ends[1]), kRed);
    close(ends[0]);
    close(ends[1]);
    setenv("TERM", "dumb", 1);
    EXPECT_EQ(error(Coloring::Auto, terminal_), "E");
    EXPECT_EQ(error(Coloring::Always, terminal_), kRed);
    setenv("TERM", "", 1);
    EXPECT_EQ(error(Coloring::Auto, terminal_), "E");
    unsetenv("TERM");
    EXPECT_EQ(error(Coloring::Auto, terminal_), "E");
}

TEST_F(ColorsTest, NoColorIsObeyedUnlessColorsAreAskedFor) {
    setenv("NO_COLOR", "1", 1);
    EXPECT_EQ(error(Coloring::Auto, terminal_), "E");
    EXPECT_EQ(error(Coloring::Always, terminal_), kRed);
    setenv("NO_COLOR", "", 1);
    EXPECT_EQ(error(Coloring::Auto, terminal_), kRed);
}

TEST_F(ColorsTest, TheEnvironmentNamesColors) {
    setenv("SYSTEMTAP_COLORS", "error=01;35:caret=", 1);
    const Colors colors(Coloring::Always, -1);
    EXPECT_EQ(colors.paint("error", "E"), "\033[01;35mE\033[0m");
    EXPECT_EQ(colors.paint("caret", "^"), "^");
    EXPECT_EQ(colors.paint("warning", "W"), "\033[00;33mW\033[0m");
    EXPECT_EQ(colors.paint("other", "x"), "x");
    for (const char *none : {"", "error", "error=red", "colour=1", "error=1:caret=x"}) {
        setenv("SYSTEMTAP_COLORS", none, 1);
        EXPECT_EQ(error(Coloring::Always, terminal_), "E") << none;
    }
}

}  // namespace
