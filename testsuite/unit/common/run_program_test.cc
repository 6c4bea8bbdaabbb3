// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/run_program.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "../patience.h"
#include "../said.h"
#include "common/files.h"

namespace tapir {
namespace {

using std::chrono::milliseconds;

// A shell's command whose streams are collected.
class RunProgram : public testing::Test {
  protected:
    Outcome<Ending> shell(const std::string &command, const RunLimits &limits = {}) {
        Program program{{"sh", "-c", command}};
        program.output = Stream::collected(output_);
        program.errors = Stream::collected(errors_);
        program.group = ProcessGroup::Own;
        return run_program(program, limits);
    }
    // A process that has ended stays a zombie until its parent asks for its status.
    static bool is_gone(const std::string &pid) {
        return read_file("/proc/" + pid + "/stat").value_or(") Z").find(") Z") != std::string::npos;
    }

    Collected output_, errors_;
};

TEST_F(RunProgram, GivesTheEndingAndBothStreams) {
    const Outcome<Ending> ended = shell("echo out; echo err >&2; exit 3");
    ASSERT_TRUE(ended) << said(ended);
    EXPECT_EQ(ended->words(), "with status 3");
    EXPECT_EQ(output_.text, "out\n");
    EXPECT_EQ(errors_.text, "err\n");
    EXPECT_EQ(said(run_program(Program{{"true"}})), "");
}

TEST_F(RunProgram, ReadsBothStreamsAtOnce) {
    // Far more than pipes hold, first all of one and then all of the other, and the other way round.
    const Outcome<Ending> ended = shell(
        "head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2; head -c 2000000 /dev/zero >&2; head -c 2000000 "
        "/dev/zero");
    ASSERT_TRUE(ended) << said(ended);
    EXPECT_TRUE(ended->good());
    EXPECT_EQ(output_.text.size(), 5000000u);
    EXPECT_EQ(errors_.text.size(), 5000000u);
}

TEST_F(RunProgram, OneTextOfTwoStreamsKeepsTheirOrder) {
    Program program{{"sh", "-c", "echo 1; echo 2 >&2; echo 3"}};
    program.output = Stream::collected(output_);
    program.errors = Stream::with_output();
    EXPECT_EQ(said(run_program(program)), "");
    EXPECT_EQ(output_.text, "1\n2\n3\n");
}

TEST_F(RunProgram, FurtherStreams) {
    Collected third;
    Program program{{"sh", "-c", "echo 3 >&3; head -c 1000000 /dev/zero >&3; cat"}};
    program.input = Stream::of_text("fed");
    program.output = Stream::collected(output_);
    program.further = {{3, Stream::collected(third)}};
    EXPECT_EQ(said(run_program(program)), "");
    EXPECT_EQ(third.text.size(), 1000002u);
    EXPECT_EQ(output_.text, "fed");
}

// The program has ended, but what it has started says more.
TEST_F(RunProgram, WaitsForAllThatWrite) {
    EXPECT_EQ(said(shell("{ sleep 0.3; echo late; } & echo early")), "");
    EXPECT_EQ(output_.text, "early\nlate\n");
}

TEST_F(RunProgram, ProgramTimeLimit) {
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(tagged(shell("sleep 1000 & echo $!; echo why >&2; sleep 1000", {milliseconds(300)})),
              "program-time-limit: 'sh' did not end within 300 ms");
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30));
    // All that it has started.
    const std::string inner = output_.text.substr(0, output_.text.find('\n'));
    EXPECT_TRUE(tests::patiently(5, [&] { return is_gone(inner); })) << inner;
    EXPECT_EQ(errors_.text, "why\n");
    // Also when only that is left.
    output_.text.clear();
    EXPECT_EQ(tag_of(shell("sleep 1000 & echo $!", {milliseconds(300)})), "program-time-limit");
    const std::string left = output_.text.substr(0, output_.text.find('\n'));
    EXPECT_TRUE(tests::patiently(5, [&] { return is_gone(left); })) << left;
    // Without anything that is collected.
    EXPECT_EQ(tagged(run_program(Program{{"sleep", "1000"}}, {milliseconds(1000)})),
              "program-time-limit: 'sleep' did not end within 1 s");
    EXPECT_EQ(said(shell("sleep 0.1", {std::chrono::seconds(100)})), "");
}

TEST_F(RunProgram, ProgramOutputLimit) {
    output_.limit = 1000;
    EXPECT_EQ(tagged(shell("head -c 1000 /dev/zero")), "ok");
    EXPECT_FALSE(output_.over);
    output_.text.clear();
    EXPECT_EQ(tagged(shell("yes")), "program-output-limit: 'sh' wrote more than 1000 bytes");
    EXPECT_EQ(output_.text.size(), 1000u);
    EXPECT_TRUE(output_.over);
}

TEST_F(RunProgram, ProgramGivenUp) {
    int asked = 0;
    EXPECT_EQ(tagged(shell("sleep 1000", {milliseconds(0), [&] { return ++asked == 3; }})),
              "program-given-up: 'sh' was given up");
    EXPECT_EQ(asked, 3);
}

TEST_F(RunProgram, ProgramMissing) {
    EXPECT_EQ(tagged(run_program(Program{{"tapir-no-such-program"}})),
              "program-missing: cannot start 'tapir-no-such-program': it is in no directory of $PATH; install it");
    EXPECT_EQ(tag_of(output_of({"tapir-no-such-program"})), "program-missing");
}

TEST_F(RunProgram, ProgramFailed) {
    EXPECT_EQ(tagged(output_of({"sh", "-c", "echo first >&2; echo last >&2; echo >&2; exit 1"})),
              "program-failed: last");
    EXPECT_EQ(tagged(output_of({"false"})), "program-failed: 'false' ended with status 1");
    EXPECT_EQ(tagged(output_of({"sh", "-c", "kill -9 $$"})), "program-failed: 'sh' ended with signal 9 (Killed)");
}

TEST_F(RunProgram, OutputOfAToolInOneLanguage) {
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    const Outcome<std::string> output = output_of({"sh", "-c", "echo $LC_ALL; pwd; cat; echo complaint >&2"}, "/usr");
    ASSERT_TRUE(output) << said(output);
    EXPECT_EQ(*output, "C\n/usr\n");
    unsetenv("LC_ALL");
}

}  // namespace
}  // namespace tapir
