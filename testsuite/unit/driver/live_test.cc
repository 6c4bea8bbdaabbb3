// SPDX-License-Identifier: GPL-2.0-or-later
// The way of commands from stap-live to the session.
#include "driver/live.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "common/descriptor.h"

namespace tapir::driver {
namespace {

class LiveDescriptor : public testing::Test {
  protected:
    LiveDescriptor() : input(dup(STDIN_FILENO)) {
        signal(SIGPIPE, SIG_IGN);
        int ends[2];
        EXPECT_EQ(0, pipe(ends));
        asks = Descriptor(ends[1]);
        number = ends[0];
        setenv("TAPIR_LIVE", std::to_string(number).c_str(), 1);
        options.live.refresh_ms = 1000;
    }
    ~LiveDescriptor() override {
        dup2(input.get(), STDIN_FILENO);
        signal(SIGPIPE, SIG_DFL);
    }

    static void give_input(const char *path) {
        const Descriptor file(open(path, O_RDONLY));
        ASSERT_EQ(STDIN_FILENO, dup2(file.get(), STDIN_FILENO));
    }
    // The one byte that is read from the session's descriptor after it was written to the other end.
    char passed() const {
        const char sent = '!';
        char got = 0;
        if (write(asks.get(), &sent, 1) != 1 || read(options.live.commands, &got, 1) != 1) return 0;
        return got;
    }

    Descriptor input, asks;
    int number = -1;
    Options options;
};

TEST_F(LiveDescriptor, IsKeptOnThisMachine) {
    take_live_descriptor(options);
    EXPECT_EQ(number, options.live.commands);
    EXPECT_EQ('!', passed());
    EXPECT_EQ("json", options.format);
    EXPECT_EQ(nullptr, getenv("TAPIR_LIVE"));
}

TEST_F(LiveDescriptor, IsTheStandardInputOfAGuest) {
    options.vm = true;
    give_input("/dev/null");
    take_live_descriptor(options);
    EXPECT_EQ(STDIN_FILENO, options.live.commands);
    EXPECT_EQ('!', passed());
}

TEST_F(LiveDescriptor, IsClosedIfAGuestHasInput) {
    options.vm = true;
    give_input("/dev/zero");
    take_live_descriptor(options);
    EXPECT_EQ(-1, options.live.commands);
    EXPECT_EQ(-1, write(asks.get(), "!", 1)) << "stap-live finds the pipe closed";
}

}  // namespace
}  // namespace tapir::driver
