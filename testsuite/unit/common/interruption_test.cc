// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/interruption.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <thread>

#include "common/files.h"
#include "common/process.h"

namespace tapir {
namespace {

namespace fs = std::filesystem;

// Runs `work` in a child. Returns its status as waitpid(2) gives it.
int status_of(const std::function<void()> &work) {
    const pid_t child = fork();
    if (child == 0) {
        work();
        _exit(7);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
}

class Interruption : public testing::TestWithParam<int> {
  protected:
    Interruption() : top_(*make_directory(temporary_root(), "tapir-interruption-")) {
        TemporaryDirectory(top_).release();  // the child must not remove it
    }
    ~Interruption() override { fs::remove_all(top_); }
    const std::string top_;  // a TemporaryDirectory would be the child's, too
};

TEST_P(Interruption, LeavesNeitherDirectoriesNorPrograms) {
    int alive[2];
    ASSERT_EQ(pipe(alive), 0);
    const int status = status_of([&] {
        close(alive[0]);
        signal(GetParam(), SIG_DFL);
        const CleanInterruption clean;
        const TemporaryDirectory work(*make_directory(top_, "work-"));
        TemporaryDirectory kept(*make_directory(top_, "kept-"));
        kept.release();
        static_cast<void>(write_file(work.path() + "/file", "text"));
        Process process;  // has the pipe open as long as it lives
        static_cast<void>(
            process.start({.argv = {"sh", "-c", "sleep 1000; true"}, .further = {{9, Stream::descriptor(alive[1])}}}));
        close(alive[1]);
        kill(getpid(), GetParam());
        pause();
        for (;;)
            sleep(1000);
    });
    close(alive[1]);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == GetParam()) << status;
    char byte;
    EXPECT_EQ(read(alive[0], &byte, 1), 0);
    close(alive[0]);
    size_t left = 0;
    for (const fs::directory_entry &entry : fs::directory_iterator(top_))
        left += !entry.path().filename().string().starts_with("kept-");
    EXPECT_EQ(left, 0u);
    EXPECT_FALSE(fs::is_empty(top_));
}

// A thread goes on after its directory is gone.
TEST_P(Interruption, NothingIsMadeMeanwhile) {
    const int status = status_of([&] {
        signal(GetParam(), SIG_DFL);
        const CleanInterruption clean;
        const TemporaryDirectory work(*make_directory(top_, "work-"));
        std::thread([&] {
            std::error_code ec;
            for (;;)
                fs::create_directories(work.path() + "/more", ec);
        }).detach();
        while (!fs::exists(work.path() + "/more"))
            usleep(1000);
        kill(getpid(), GetParam());
        for (;;)
            sleep(1000);
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == GetParam()) << status;
    EXPECT_TRUE(fs::is_empty(top_));
}

TEST_P(Interruption, WhatIsIgnoredStaysIgnored) {
    const int status = status_of([&] {
        signal(GetParam(), SIG_IGN);
        const CleanInterruption clean;
        kill(getpid(), GetParam());
        usleep(20000);  // for who would take it
    });
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

TEST_P(Interruption, IsAsItWasAfterwards) {
    const int status = status_of([&] {
        signal(GetParam(), SIG_DFL);
        { const CleanInterruption clean; }
        kill(getpid(), GetParam());
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == GetParam()) << status;
}

INSTANTIATE_TEST_SUITE_P(Signals, Interruption, testing::Values(SIGINT, SIGTERM, SIGHUP));

}  // namespace
}  // namespace tapir
