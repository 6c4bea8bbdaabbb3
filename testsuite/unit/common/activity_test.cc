// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/activity.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>

namespace tapir {
namespace {

TEST(ActivityLine, TellsHowFarItIs) {
    EXPECT_EQ(activity_line("booting kernel 6.1", {}, 3, 80), "booting kernel 6.1: 3 s");
    EXPECT_EQ(activity_line("preparing kernel 6.1", {11, 44}, 9, 80), "preparing kernel 6.1: 25 %, 9 s");
    EXPECT_EQ(activity_line("downloading x", {34400000, 68800000, true}, 12, 80),
              "downloading x: 34 of 69 MB, 50 %, 12 s");
    EXPECT_EQ(activity_line("unpacking x", {1499999, 0, true}, 2, 80), "unpacking x: 1 MB, 2 s");
}

TEST(ActivityLine, NeverSaysMoreThanTheWhole) {
    EXPECT_EQ(activity_line("x", {9, 4}, 1, 80), "x: 100 %, 1 s");
    EXPECT_EQ(activity_line("x", {UINT64_MAX / 2, UINT64_MAX}, 1, 80), "x: 50 %, 1 s");
}

TEST(ActivityLine, FitsTheTerminal) {
    EXPECT_EQ(activity_line("indexing /usr/lib/debug", {1, 2}, 7, 24), "indexing /...: 50 %, 7 s");
    EXPECT_EQ(activity_line("indexing", {1, 2}, 7, 4), "50 %");
}

// The output of a process on a terminal, whose other end this test holds.
class OnTerminal : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        ASSERT_GE(master, 0);
        ASSERT_EQ(grantpt(master), 0);
        ASSERT_EQ(unlockpt(master), 0);
        slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
        ASSERT_GE(slave, 0);
        Activity::show_on(slave);
    }
    // Reads until `text` has come. The test's own time limit ends it if it does not.
    static std::string read_until(const std::string &text) {
        std::string all;
        char part[256];
        while (all.find(text) == std::string::npos) {
            const ssize_t got = read(master, part, sizeof part);
            if (got <= 0) break;
            all.append(part, static_cast<size_t>(got));
        }
        return all;
    }
    static int master, slave;
};
int OnTerminal::master = -1;
int OnTerminal::slave = -1;

TEST_F(OnTerminal, TellsTheLatestAndTakesItAway) {
    std::atomic<uint64_t> done = 1;
    {
        const Activity outer("outer");
        {
            const Activity inner("inner", [&] { return Extent{done, 4}; });
            read_until("inner: 25 %, ");
            done = 3;
            read_until("inner: 75 %, ");
        }
        read_until("\r\033[K\r\033[Kouter: ");
    }
    EXPECT_EQ(read_until("\r\033[K").find("inner"), std::string::npos);
}

}  // namespace
}  // namespace tapir
