// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/process_id.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>
#include <thread>

namespace {

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

TEST(ProcessId, WhereNobodyCanTell) {
    EXPECT_EQ(why_no_process(7, "/nonexistent"), "");
}

}  // namespace
