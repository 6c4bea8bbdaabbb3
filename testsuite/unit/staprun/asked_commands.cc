// SPDX-License-Identifier: GPL-2.0-or-later
#include "asked_commands.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace tapir::staprun {
namespace {

class StaprunCommands : public testing::Test {
  protected:
    StaprunCommands() {
        EXPECT_EQ(0, pipe(ends));
        commands = std::make_unique<Commands>(ends[0]);
    }
    ~StaprunCommands() override {
        close(ends[0]);
        if (ends[1] >= 0) close(ends[1]);
    }
    std::vector<std::string> after(const std::string &bytes) {
        EXPECT_EQ(static_cast<ssize_t>(bytes.size()), write(ends[1], bytes.data(), bytes.size()));
        return commands->take();
    }

    int ends[2];
    std::unique_ptr<Commands> commands;
};

TEST_F(StaprunCommands, LinesAreWholeHoweverTheyCome) {
    EXPECT_EQ((std::vector<std::string>{"a", "b c"}), after("a\nb c\nd"));
    EXPECT_EQ((std::vector<std::string>{"de"}), after("e\n\n"));
}

TEST_F(StaprunCommands, WhatIsTooLongIsLeftOut) {
    for (int i = 0; i < 10; i++)
        EXPECT_TRUE(after(std::string(1000, 'x')).empty());
    EXPECT_EQ((std::vector<std::string>{"stop"}), after("\nstop\n"));
}

TEST_F(StaprunCommands, TheEndIsNotWatched) {
    EXPECT_EQ(ends[0], commands->descriptor());
    close(ends[1]);
    ends[1] = -1;
    EXPECT_TRUE(commands->take().empty());
    EXPECT_EQ(-1, commands->descriptor());
    EXPECT_EQ(-1, Commands(-1).descriptor());
}

}  // namespace
}  // namespace tapir::staprun
