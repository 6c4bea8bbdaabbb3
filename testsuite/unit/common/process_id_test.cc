// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/process_id.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

namespace {

using tapir::child_processes;
using tapir::why_no_process;

TEST(ProcessId, OfThisProcess) {
    EXPECT_EQ(why_no_process(getpid()), "");
    EXPECT_EQ(why_no_process(1), "");
}

TEST(ProcessId, OfAProcessThatHasEnded) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    EXPECT_EQ(why_no_process(child), "there is no process " + std::to_string(child));
}

TEST(ProcessId, OfAnotherThread) {
    std::promise<long> number;
    std::promise<void> end;
    std::thread thread([&] {
        number.set_value(syscall(SYS_gettid));
        end.get_future().wait();
    });
    const long tid = number.get_future().get();
    EXPECT_EQ(why_no_process(tid), std::to_string(tid) + " is a thread of process " + std::to_string(getpid()) +
                                       "; give the number of the process");
    end.set_value();
    thread.join();
}

TEST(ProcessId, ChildrenOfThisProcess) {
    int end[2];
    ASSERT_EQ(pipe(end), 0);
    std::vector<int64_t> children;
    for (int i = 0; i < 2; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            char byte;
            close(end[1]);
            _exit(read(end[0], &byte, 1) != 0);
        }
        children.push_back(child);
    }
    std::sort(children.begin(), children.end());
    EXPECT_EQ(child_processes(getpid()), children);
    close(end[0]);
    close(end[1]);
    for (const int64_t child : children)
        waitpid(static_cast<pid_t>(child), nullptr, 0);
    EXPECT_TRUE(child_processes(getpid()).empty());
}

// A program may have any name.
TEST(ProcessId, ChildrenWithOddNames) {
    std::string proc = testing::TempDir() + "tapir-proc-XXXXXX";
    ASSERT_TRUE(mkdtemp(proc.data()));
    const std::pair<const char *, const char *> processes[] = {
        {"7", "7 (a b) S 5 1 1"},  {"12", "12 (x) S 8) S 5 1 1"}, {"9", "9 (5) S 4 5 5"},
        {"10", "10 (y) S 55 1 1"}, {"self", "3 (self) S 5 1 1"},  {"11", ""}};
    for (const auto &[name, stat] : processes) {
        std::filesystem::create_directory(proc + "/" + name);
        std::ofstream(proc + "/" + name + "/stat") << stat;
    }
    EXPECT_EQ(child_processes(5, proc), (std::vector<int64_t>{7, 12}));
    std::filesystem::remove_all(proc);
    EXPECT_TRUE(child_processes(5, proc).empty());
}

TEST(ProcessId, WhereNobodyCanTell) {
    EXPECT_EQ(why_no_process(7, "/nonexistent"), "");
}

}  // namespace
