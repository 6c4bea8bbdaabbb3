// SPDX-License-Identifier: GPL-2.0-or-later
// The view and the end of a hostile program in the sandbox.
#include "server/sandbox.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "../said.h"
#include "../trust/authority.h"

namespace tapir::server {
namespace {

class Sandbox : public ::testing::Test {
  protected:
    void SetUp() override {
        // As the server does: root is not held to the limit of processes. The saved user brings root back to other
        // tests.
        if (geteuid() == 0) {
            ASSERT_TRUE(setgroups(0, nullptr) == 0 && setresgid(65534, 65534, 0) == 0 &&
                        setresuid(65534, 65534, 0) == 0);
        }
        if (const Outcome<void> works = try_sandbox(); !works) GTEST_SKIP() << works.fault().message();
    }
    void TearDown() override {
        uid_t real, effective, saved;
        if (getresuid(&real, &effective, &saved) == 0 && saved == 0) {
            ASSERT_TRUE(setresuid(0, 0, 0) == 0 && setresgid(0, 0, 0) == 0);
        }
    }
    SandboxOutcome shell(const std::string &script) {
        job_.command = {"/bin/sh", "-c", script};
        return run_in_sandbox(job_);
    }
    SandboxJob job_;
};

TEST_F(Sandbox, BringsBackTheResult) {
    job_.files = {{"in.txt", std::string("a\0b\n", 4)}};
    job_.result = "out.bin";
    std::string lines;
    job_.on_message = [&lines](std::string_view line) { lines += "<" + std::string(line) + ">"; };
    const SandboxOutcome outcome = shell("cat in.txt in.txt > out.bin; echo said; echo one >&2; echo two >&2");
    EXPECT_TRUE(outcome.ok()) << outcome.messages << said(outcome.completed);
    EXPECT_EQ(std::string("a\0b\na\0b\n", 8), outcome.result);
    EXPECT_EQ("said\n", outcome.output);
    EXPECT_EQ("one\ntwo\n", outcome.messages);
    EXPECT_EQ("<one><two>", lines);
}

TEST_F(Sandbox, FailuresHaveTheirStatusAndNoResult) {
    job_.result = "out.bin";
    const SandboxOutcome outcome = shell("echo half > out.bin; exit 7");
    EXPECT_EQ(7, outcome.status);
    EXPECT_EQ("", outcome.result);
    EXPECT_TRUE(outcome.completed);
    // Nor can the command write the result itself.
    EXPECT_EQ("", shell("echo forged >&3; exit 1").result);
}

TEST_F(Sandbox, HasNoFilesOfTheMachine) {
    EXPECT_FALSE(shell("cat /etc/shadow").ok());
    EXPECT_FALSE(shell("cat /etc/passwd").ok());
    EXPECT_FALSE(shell("ls /root /home /var /work").ok());
    EXPECT_EQ("work\n", shell("ls /tmp").output);
    EXPECT_FALSE(shell("echo x > /usr/x").ok());
    EXPECT_FALSE(shell("echo x > /x").ok());
    EXPECT_FALSE(shell("echo x > /dev/shm/x").ok());
    trust::Folder folder;
    folder.write("secret", "s");
    EXPECT_FALSE(shell("cat " + folder.path() + "/secret").ok());
    job_.binds = {{folder.path()}};
    EXPECT_EQ("s", shell("cat " + folder.path() + "/secret").output);
    EXPECT_FALSE(shell("echo x > " + folder.path() + "/secret").ok());
}

TEST_F(Sandbox, HasNothingThatTheServerHasOpen) {
    int ends[2];
    ASSERT_EQ(0, pipe(ends));
    const int high = dup2(ends[0], 200);
    // Its streams, the one for the result, and the directory that is read.
    EXPECT_EQ("0\n1\n2\n3\n4\n", shell("ls /proc/self/fd").output);
    for (const int fd : {ends[0], ends[1], high})
        close(fd);
}

TEST_F(Sandbox, HasNoOtherProcessesNoNetworkAndNoRights) {
    EXPECT_FALSE(shell("kill -0 " + std::to_string(getpid())).ok());
    EXPECT_EQ("lo\n",
              shell("ls /sys/class/net 2>/dev/null || tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '").output);
    EXPECT_EQ("CapEff:\t0000000000000000\n", shell("grep CapEff /proc/self/status").output);
    EXPECT_FALSE(shell("unshare --user true").ok());
    setenv("TAPIR_TEST_SECRET", "s", 1);
    EXPECT_EQ(std::string::npos, shell("env").output.find("TAPIR_TEST_SECRET"));
}

TEST_F(Sandbox, TimeLimit) {
    job_.limits.wall_s = 1;
    const SandboxOutcome outcome = shell("trap '' TERM; sleep 10000 & setsid sleep 10000");
    EXPECT_EQ("time-limit: it took longer than 1 s", tagged(outcome.completed));
}

TEST_F(Sandbox, EndsWhatNeedsTooMuchProcessorTime) {
    job_.limits.cpu_s = 1;
    EXPECT_NE(0, shell("while :; do :; done").status);
}

// A bounded number, so that nothing happens to the machine if the limit does not hold.
TEST_F(Sandbox, HoldsToTheNumberOfProcesses) {
    job_.limits.processes = 32;
    const SandboxOutcome outcome = shell("for i in $(seq 100); do sleep 20 & done; echo all");
    EXPECT_FALSE(outcome.ok());
    EXPECT_EQ("", outcome.output);
    EXPECT_EQ("fine\n", shell("echo fine").output);
}

// Tags: OutputLimit, SizeLimit.
TEST_F(Sandbox, LimitsWhatIsSaidAndMade) {
    job_.limits.message_bytes = 10000;
    EXPECT_EQ("output-limit: there are more than 10000 bytes of messages", tagged(shell("yes").completed));
    EXPECT_EQ("output-limit: there are more than 10000 bytes of messages", tagged(shell("yes >&2").completed));
    job_.result = "out.bin";
    job_.limits.result_bytes = 1000;
    EXPECT_EQ("size-limit: what was made has more than 1000 bytes",
              tagged(shell("head -c 2000 /dev/zero > out.bin").completed));
    job_.limits.temporary_bytes = 1 << 20;
    EXPECT_FALSE(shell("head -c 4000000 /dev/zero > out.bin").ok());
    job_.limits.file_bytes = 1000;
    EXPECT_FALSE(shell("head -c 2000 /dev/zero > out.bin").ok());
    job_.limits.address_bytes = 200 << 20;
    EXPECT_FALSE(shell("head -c 1G /dev/zero | sort --buffer-size=900M").ok());
}

TEST_F(Sandbox, Cancelled) {
    job_.cancelled = [] { return true; };
    EXPECT_EQ("cancelled: the server is about to end", tagged(shell("sleep 100").completed));
}

TEST(SandboxAsRoot, SandboxFailed) {
    if (geteuid() != 0) GTEST_SKIP() << "this is for root";
    SandboxJob job;
    job.command = {"/bin/true"};
    EXPECT_EQ(
        "sandbox-failed: the sandbox could not be started: root is not held to the limit of processes; become another "
        "user",
        tagged(run_in_sandbox(job).completed));
}

TEST(SandboxArguments, NamesCannotBecomeOptions) {
    SandboxJob job;
    job.command = {"/bin/stap", "--", "--evil"};
    job.files = {{"a.stp", ""}};
    const std::vector<std::string> words = sandbox_arguments(job, {11});
    const auto end = std::find(words.begin(), words.end(), "--");
    ASSERT_NE(words.end(), end);
    EXPECT_EQ("/usr/bin/prlimit", end[1]);
    EXPECT_NE(words.end(), std::find(words.begin(), end, "--unshare-all"));
    EXPECT_NE(words.end(), std::find(words.begin(), end, "--die-with-parent"));
}

}  // namespace
}  // namespace tapir::server
