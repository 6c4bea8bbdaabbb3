// SPDX-License-Identifier: GPL-2.0-or-later
#include "events.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace tapir::staprun {
namespace {

class StaprunEvents : public testing::Test {
  protected:
    void SetUp() override { sigprocmask(SIG_SETMASK, nullptr, &saved_); }
    void TearDown() override { sigprocmask(SIG_SETMASK, &saved_, nullptr); }
    sigset_t saved_;
};

TEST_F(StaprunEvents, SignalsBecomeEvents) {
    signal(SIGINT, SIG_IGN);  // as a shell leaves it to background commands
    SystemEvents events;
    for (int number : {SIGINT, SIGTERM, SIGHUP})
        kill(getpid(), number);
    Event event = events.wait({}, 1000);
    EXPECT_EQ(3u, event.stops);
    EXPECT_FALSE(event.detach || event.switch_output || event.children);
    kill(getpid(), SIGQUIT);
    EXPECT_TRUE(events.wait({}, 1000).detach);
    kill(getpid(), SIGUSR2);
    EXPECT_TRUE(events.wait({}, 1000).switch_output);
    kill(getpid(), SIGCHLD);
    EXPECT_TRUE(events.wait({}, 1000).children);
    EXPECT_EQ(0u, events.wait({}, 0).stops);
}

TEST_F(StaprunEvents, IgnoredHangupStaysIgnored) {
    signal(SIGHUP, SIG_IGN);  // nohup
    SystemEvents events;
    kill(getpid(), SIGHUP);
    EXPECT_EQ(0u, events.wait({}, 10).stops);
    signal(SIGHUP, SIG_DFL);
}

TEST_F(StaprunEvents, Descriptors) {
    SystemEvents events;
    int ends[2];
    ASSERT_EQ(0, pipe(ends));
    Events::Watch watch;
    watch.control = ends[0];
    watch.writable = ends[1];
    Event event = events.wait(watch, 0);
    EXPECT_FALSE(event.control);
    EXPECT_TRUE(event.writable);
    ASSERT_EQ(1, write(ends[1], "x", 1));
    EXPECT_TRUE(events.wait(watch, 1000).control);
    Events::Watch reader;
    reader.reader = ends[1];
    EXPECT_FALSE(events.wait(reader, 0).reader_gone);
    close(ends[0]);
    EXPECT_TRUE(events.wait(reader, 1000).reader_gone);
    close(ends[1]);
}

TEST_F(StaprunEvents, WaitsAndKeepsTime) {
    SystemEvents events;
    uint64_t before = events.now();
    events.wait({}, 30);
    EXPECT_GE(events.now() - before, 29000000u);
}

}  // namespace
}  // namespace tapir::staprun
