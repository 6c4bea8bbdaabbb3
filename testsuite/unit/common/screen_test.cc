// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/screen.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace tapir {
namespace {

using testing::ElementsAre;

class ScreenTest : public testing::Test {
  protected:
    void SetUp() override {
        for (const char *name :
             {"TAPIR_MESSAGES", "COLUMNS", "NO_COLOR", "SYSTEMTAP_COLORS", "LC_ALL", "LC_CTYPE", "LANG"})
            unsetenv(name);
        master_ = posix_openpt(O_RDWR | O_NOCTTY);
        ASSERT_TRUE(master_ >= 0 && grantpt(master_) == 0 && unlockpt(master_) == 0);
        terminal_ = open(ptsname(master_), O_RDWR | O_NOCTTY);
        ASSERT_TRUE(terminal_ >= 0 && pipe(pipe_) == 0);
    }
    void TearDown() override {
        for (const int fd : {master_, terminal_, pipe_[0], pipe_[1]})
            close(fd);
    }
    void resize(unsigned short columns) const {
        const winsize size = {.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
        ASSERT_EQ(ioctl(terminal_, TIOCSWINSZ, &size), 0);
    }
    bool for_people(int fd) const { return screen_of(fd, Coloring::Never).for_people; }

    int master_ = -1, terminal_ = -1, pipe_[2] = {-1, -1};
};

TEST_F(ScreenTest, TheWidthIsTheTerminals) {
    setenv("COLUMNS", "77", 1);
    resize(132);
    EXPECT_EQ(screen_width(terminal_), 132u);
    resize(0);
    EXPECT_EQ(screen_width(terminal_), 77u);
    EXPECT_EQ(screen_width(pipe_[1]), 77u);
    for (const char *none : {"", "0", "wide"}) {
        setenv("COLUMNS", none, 1);
        EXPECT_EQ(screen_width(pipe_[1]), 100u) << none;
    }
    resize(5);
    EXPECT_EQ(screen_width(terminal_), 20u);
    resize(5000);
    EXPECT_EQ(screen_width(terminal_), 400u);
}

TEST_F(ScreenTest, TerminalsGetTheFormForPeople) {
    EXPECT_TRUE(for_people(terminal_));
    EXPECT_FALSE(for_people(pipe_[1]));
    setenv("TAPIR_MESSAGES", "plain", 1);
    EXPECT_FALSE(for_people(terminal_));
    setenv("TAPIR_MESSAGES", "terminal", 1);
    EXPECT_TRUE(for_people(pipe_[1]));
    setenv("TAPIR_MESSAGES", "other", 1);
    EXPECT_TRUE(for_people(terminal_));
    EXPECT_FALSE(for_people(pipe_[1]));
}

TEST_F(ScreenTest, TheLocaleDecidesOnTheSignOfAGap) {
    EXPECT_EQ(screen_of(terminal_, Coloring::Never).gap(), "...");
    setenv("LANG", "de_DE.UTF-8", 1);
    EXPECT_EQ(screen_of(terminal_, Coloring::Never).gap(), "…");
    setenv("LC_ALL", "C", 1);
    EXPECT_EQ(screen_of(terminal_, Coloring::Never).gap(), "...");
    setenv("LC_ALL", "C.utf8", 1);
    EXPECT_EQ(screen_of(terminal_, Coloring::Never).gap(), "…");
}

TEST_F(ScreenTest, BothForms) {
    Screen screen;
    screen.width = 30;
    EXPECT_EQ(told(screen, Voice::Error, "cannot write the file: no space"),
              "ERROR: cannot write the file: no space\n");
    EXPECT_EQ(told(screen, Voice::Notice, "a\n"), "WARNING: a\n");
    EXPECT_EQ(told(screen, Voice::Help, "a"), "help: a\n");
    EXPECT_EQ(said(screen, Voice::Notice, "of a program that the reference does not know"),
              "notice: of a program that the reference does not know\n");
    screen.for_people = true;
    EXPECT_EQ(told(screen, Voice::Error, "cannot write the file: no space left\n"),
              "error: cannot write the file:\n"
              "      no space left\n");
    EXPECT_EQ(told(screen, Voice::Notice, "first\n\n  12 | x y\n"), "notice: first\n\n        12 | x y\n");
    // Text to be copied stays whole.
    EXPECT_EQ(told(screen, Voice::Help, "see /usr/lib/x86_64-linux-gnu/libstdc++.so.6"),
              "help: see\n"
              "      /usr/lib/x86_64-linux-gnu/libstdc++.so.6\n");
}

TEST_F(ScreenTest, ColorsAreNotTheOnlyCarrier) {
    setenv("TERM", "xterm", 1);
    Screen screen = screen_of(terminal_, Coloring::Always);
    screen.width = 24;
    EXPECT_EQ(said(screen, Voice::Error, "one two three four five"),
              "\033[01;31merror:\033[0m \033[01mone two three\033[0m\n"
              "    \033[01mfour five\033[0m\n");
    EXPECT_EQ(said(screen, Voice::Notice, "one"), "\033[00;33mnotice:\033[0m one\n");
}

TEST_F(ScreenTest, TheResultComesLast) {
    Screen screen;
    screen.width = 40;
    EXPECT_EQ(result_line(screen, "error", "2 errors. Nothing ran.", "man error::pass2"),
              "2 errors. Nothing ran.  man error::pass2\n");
    screen.width = 39;
    EXPECT_EQ(result_line(screen, "error", "2 errors. Nothing ran.", "man error::pass2"),
              "2 errors. Nothing ran.\nman error::pass2\n");
    EXPECT_EQ(result_line(screen, "error", "Nothing ran.", ""), "Nothing ran.\n");
}

TEST(Wrapped, BreaksBetweenWords) {
    EXPECT_THAT(wrapped("", {10}), ElementsAre(""));
    EXPECT_THAT(wrapped("one two  three", {7}), ElementsAre("one two", "three"));
    EXPECT_THAT(wrapped("one two", {10, 5, 2}), ElementsAre("one", "two"));
    EXPECT_THAT(wrapped("what [man error::pass1] says", {19}), ElementsAre("what", "[man error::pass1]", "says"));
    EXPECT_THAT(wrapped("漢字 漢字", {8}), ElementsAre("漢字", "漢字"));
    EXPECT_THAT(wrapped("a\x1b[2Jb", {20}), ElementsAre("a\\x1b[2Jb"));
    EXPECT_THAT(wrapped("first\n   12 | f(x)\nlast", {8}), ElementsAre("first", "   12 | ", "last"));
}

TEST(Wrapped, KeepsWhatIsCopied) {
    EXPECT_THAT(wrapped("cannot read /var/lib/a/long/path/file: no", {16}),
                ElementsAre("cannot read", "/var/lib/a/long/path/file:", "no"));
    EXPECT_THAT(wrapped("use 'apt-get install linux' or ('make all').", {16}),
                ElementsAre("use", "'apt-get install linux'", "or ('make all')."));
    EXPECT_THAT(wrapped("try 'stap -l x'", {20}), ElementsAre("try 'stap -l x'"));
    EXPECT_THAT(wrapped("saw '<c+)z3a1a  [.b y' here", {16}), ElementsAre("saw '<c+)z3a1a", "[.b y' here"));
    EXPECT_THAT(wrapped("stap --help, man stap", {20}), ElementsAre("stap --help,", "man stap"));
    // Apostrophes are no quotation marks, and one alone begins nothing.
    EXPECT_THAT(wrapped("files' names of 'a' and 'b it's", {10}),
                ElementsAre("files'", "names of", "'a' and 'b", "it's"));
}

TEST(Wrapped, CutsNamesInTheMiddle) {
    EXPECT_THAT(wrapped("a std::vector<std::string>::push_back b", {20}),
                ElementsAre("a", "std::vec...push_back", "b"));
    EXPECT_EQ(shortened("abcdefghij", 10, "..."), "abcdefghij");
    EXPECT_EQ(shortened("abcdefghij", 8, "..."), "ab...hij");
    EXPECT_EQ(shortened("abcdefghij", 8, "…"), "abc…ghij");
    EXPECT_EQ(shortened("漢字漢字漢字", 8, "…"), "漢…漢字");
    EXPECT_EQ(shortened("abcdefghij", 4, "..."), "abcd");
    EXPECT_EQ(shortened("abcdefghij", 0, "..."), "");
}

TEST(Glyphs, HaveTheColumnsOfATerminal) {
    EXPECT_EQ(columns("abc"), 3u);
    EXPECT_EQ(columns("漢字"), 4u);
    EXPECT_EQ(columns("e\u0301"), 1u);
    EXPECT_EQ(columns("\U0001f44d"), 2u);
    EXPECT_EQ(columns("ab\tc"), 9u);
    EXPECT_EQ(columns("\x1b[m"), 6u);
    EXPECT_EQ(columns("\xff"), 4u);
    // Terminals disagree about the widths of joined emoji and flags: their parts are apart, or bytes.
    EXPECT_EQ(columns("\u200d"), 12u);
    EXPECT_EQ(columns("\U0001f1e9"), 16u);
    EXPECT_EQ(glyphs("\u200d").front().text, "\\xe2\\x80\\x8d");
}

}  // namespace
}  // namespace tapir
