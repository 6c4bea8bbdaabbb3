// SPDX-License-Identifier: GPL-2.0-or-later
#include "standard_input.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "../patience.h"
#include "../said.h"
#include "common/files.h"
#include "common/plain_text.h"
#include "fake.h"
#include "module_stream.h"

namespace tapir::staprun {
namespace {

class StaprunInput : public testing::Test {
  protected:
    StaprunInput() {
        close(mkstemp(to_));
        EXPECT_EQ(0, pipe2(ends_, O_CLOEXEC));
    }
    ~StaprunInput() override {
        unlink(to_);
        close(ends_[0]);
        close_writer();
    }
    void type(const std::string &text) {
        EXPECT_EQ(static_cast<ssize_t>(text.size()), write(ends_[1], text.data(), text.size()));
    }
    void close_writer() {
        if (ends_[1] >= 0) close(ends_[1]);
        ends_[1] = -1;
    }
    std::string arrived() {
        std::string text;
        read_file(to_, 1 << 20, text);
        return text;
    }

    char to_[64] = "/tmp/staprun-input-XXXXXX";
    int ends_[2];
};

TEST_F(StaprunInput, NothingIsReadForScriptsThatDoNotAsk) {
    Input input(ends_[0], "/nonexistent/__stdin");
    input.begin();
    EXPECT_FALSE(input.wanted());
    EXPECT_EQ(-1, input.descriptor());
}

TEST_F(StaprunInput, ArrivesUntilItsEnd) {
    Input input(ends_[0], to_);
    EXPECT_EQ(-1, input.descriptor());
    input.begin();
    EXPECT_TRUE(input.wanted());
    EXPECT_EQ(ends_[0], input.descriptor());
    type("two\nlines\n");
    input.take();
    EXPECT_EQ("two\nlines\n", arrived());
    type(std::string("\0x", 2));
    close_writer();
    input.take();
    EXPECT_EQ(std::string("two\nlines\n\0x", 12), arrived());
    EXPECT_TRUE(input.wanted());
    input.take();
    EXPECT_FALSE(input.wanted());
    EXPECT_EQ(-1, input.descriptor());
}

TEST_F(StaprunInput, TerminalsAreUneditedMeanwhile) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(terminal, 0);
    ASSERT_EQ(0, grantpt(terminal));
    ASSERT_EQ(0, unlockpt(terminal));
    int inside = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(inside, 0);
    termios before = {}, now = {};
    tcgetattr(inside, &before);
    ASSERT_TRUE(before.c_lflag & ICANON);
    {
        Input input(inside, to_);
        input.begin();
        EXPECT_EQ(inside, input.descriptor());
        tcgetattr(inside, &now);
        EXPECT_EQ(0u, now.c_lflag & (ICANON | ECHO));
        EXPECT_EQ(before.c_lflag & ISIG, now.c_lflag & ISIG);
        EXPECT_EQ(1, write(terminal, "k", 1));
        input.take();
        EXPECT_EQ("k", arrived());
        // A shell puts the terminal right when it stops staprun.
        tcsetattr(inside, TCSANOW, &before);
        EXPECT_EQ(inside, input.descriptor());
        tcgetattr(inside, &now);
        EXPECT_EQ(0u, now.c_lflag & (ICANON | ECHO));
    }
    tcgetattr(inside, &now);
    EXPECT_EQ(before.c_lflag, now.c_lflag);
    close(inside);
    close(terminal);
}

TEST_F(StaprunInput, SessionsHandItOverWhileProbesAreArmed) {
    Messages messages([](std::string_view) {});
    Output output(OutputSettings{"/dev/null", false, 0, 0}, [](int) { return true; });
    ASSERT_EQ("", tapir::said(output.open()));
    FakeControl control;
    control.snapshot_time = 1000;
    FakeEvents events;
    TargetCommand target;
    ShellCommands shell;
    Input input(ends_[0], to_);
    type("typed");
    Event readable;
    readable.input = true;
    events.steps = {{{}, [&] { EXPECT_FALSE(input.wanted()); }}, {readable, [&] {
                                                                      EXPECT_EQ(ends_[0], events.watched.back().input);
                                                                      control.state = TAPIR_STATE_DONE;
                                                                  }}};
    ModuleStream session({control, events, output, messages, target, shell, nullptr, nullptr, &input}, 1, 0, [] {});
    EXPECT_EQ(ModuleStream::End::Done, session.run());
    EXPECT_EQ("typed", arrived());
}

TEST_F(StaprunInput, CommandsReadNothing) {
    TargetCommand target;
    ASSERT_EQ("", tapir::said(target.prepare("sh -c 'read x && exit 1; exit 0'")));
    target.release(false);
    EXPECT_TRUE(tests::patiently(5, [&] { return target.reap(), target.ended(); }));
    EXPECT_EQ("", target.failure());
    ShellCommands shell;
    EXPECT_EQ("",
              tapir::said(shell.run(std::string("if read x; then echo \"$x\"; else echo none; fi >") + to_, false)));
    EXPECT_TRUE(tests::patiently(5, [&] { return shell.reap(), !shell.running(); }));
    EXPECT_EQ("none\n", arrived());
}

}  // namespace
}  // namespace tapir::staprun
