// SPDX-License-Identifier: GPL-2.0-or-later
// Where limits of memory come from, and that they hold.
#include "server/memory_group.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "../said.h"
#include "common/files.h"
#include "server/sandbox.h"

namespace tapir::server {
namespace {

namespace fs = std::filesystem;

constexpr char kBoth[] =
    "24 1 0:21 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
    "25 24 0:22 / /sys/fs/cgroup/unified rw,nosuid - cgroup2 cgroup2 rw\n"
    "26 24 0:23 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "27 24 0:24 / /sys/fs/cgroup/memory rw shared:10 - cgroup cgroup rw,memory\n";

TEST(MemoryHierarchy, OfVersionTwo) {
    const auto found =
        memory_hierarchy("30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n",
                         "0::/system.slice/stap-server.service\n");
    ASSERT_TRUE(found);
    EXPECT_EQ("/sys/fs/cgroup/system.slice/stap-server.service", found->path);
    EXPECT_TRUE(found->unified);
}

TEST(MemoryHierarchy, TheOneThatHasTheController) {
    const auto found = memory_hierarchy(kBoth, "5:cpu,cpuacct:/a\n4:memory:/b/c\n1:name=systemd:/d\n0::/e\n");
    ASSERT_TRUE(found);
    EXPECT_EQ("/sys/fs/cgroup/memory/b/c", found->path);
    EXPECT_FALSE(found->unified);
    // Version 2 has what the others do not.
    const auto other = memory_hierarchy(kBoth, "0::/e\n5:cpu,cpuacct:/a\n");
    ASSERT_TRUE(other);
    EXPECT_EQ("/sys/fs/cgroup/unified/e", other->path);
    EXPECT_TRUE(other->unified);
}

TEST(MemoryHierarchy, OfAContainer) {
    // A part of the hierarchy is mounted.
    const char *mounts = "30 23 0:26 /docker/1234 /sys/fs/cgroup rw - cgroup2 cgroup rw\n";
    EXPECT_EQ("/sys/fs/cgroup/x", memory_hierarchy(mounts, "0::/docker/1234/x\n").value().path);
    EXPECT_EQ("/sys/fs/cgroup", memory_hierarchy(mounts, "0::/docker/1234\n").value().path);
    EXPECT_FALSE(memory_hierarchy(mounts, "0::/docker/12345\n"));
    EXPECT_FALSE(memory_hierarchy(mounts, "0::/\n"));
}

TEST(MemoryHierarchy, NoneIsNone) {
    EXPECT_FALSE(memory_hierarchy("", ""));
    EXPECT_FALSE(memory_hierarchy("22 1 0:20 / /proc rw - proc proc rw\n", "0::/\n"));
    EXPECT_FALSE(memory_hierarchy(kBoth, ""));
    EXPECT_FALSE(memory_hierarchy("30 - cgroup2\n", "0\n0:\n"));
}

// In a process of its own, which becomes another user as the server does.
int limited(const MemoryGroups &groups) {
    if (setgroups(0, nullptr) != 0 || setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0)
        return 1;
    if (!try_sandbox()) return 77;
    SandboxJob job;
    job.groups = &groups;
    job.limits.memory_bytes = 48 << 20;
    // The environment of guest tests sets it for slow kernels.
    const char *given = std::getenv("PATIENCE");
    const unsigned long patience = given ? std::strtoul(given, nullptr, 10) : 1;
    job.limits.wall_s *= patience;
    job.limits.cpu_s = job.limits.wall_s;
    const auto shell = [&job](const std::string &script) {
        job.command = {"/bin/sh", "-c", script};
        return run_in_sandbox(job);
    };
    const auto is = [](const SandboxOutcome &outcome, const char *tag) {
        if (tag_of(outcome.completed) == tag && (*tag || outcome.ok())) return true;
        std::cerr << outcome.status << ' ' << tagged(outcome.completed) << outcome.messages << "\n";
        return false;
    };
    if (!is(shell("head -c 8M /dev/zero > small; echo fine"), "")) return 2;
    // Each of the processes has less than the limit, and waits for the slower ones.
    const std::string many = "for i in 1 2 3 4 5 6 7 8; do { x=$(head -c 12M /dev/zero | tr '\\0' x); sleep " +
                             std::to_string(2 * patience) + "; } & done; wait";
    const SandboxOutcome outcome = shell(many);
    if (!is(outcome, "memory-limit") || said(outcome.completed) != "it needed more than 48 MB of memory") return 3;
    // Files in memory count, too.
    if (!is(shell("head -c 100M /dev/zero > large"), "memory-limit")) return 4;
    job.limits.memory_bytes = 512 << 20;
    if (!is(shell(many), "")) return 5;
    for (const fs::directory_entry &entry : fs::directory_iterator(groups.path()))
        if (entry.is_directory() && entry.path().filename() != "server") return 6;
    return 0;
}

// Tags: MemoryLimit.
TEST(MemoryGroups, LimitAllProcessesTogether) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can make control groups everywhere";
    const pid_t child = fork();
    ASSERT_LE(0, child);
    if (child == 0) {
        MemoryGroups groups;
        const Outcome<void> opened = groups.open(65534, 65534);
        if (!opened) std::cerr << said(opened) << "\n";
        const int status = opened ? limited(groups) : 77;
        _exit(status);
    }
    int status = 0;
    ASSERT_EQ(child, waitpid(child, &status, 0));
    // A second one takes away what the first has left.
    const pid_t second = fork();
    ASSERT_LE(0, second);
    if (second == 0) {
        MemoryGroups groups;
        static_cast<void>(groups.open(65534, 65534));
        _exit(0);
    }
    int later = 0;
    ASSERT_EQ(second, waitpid(second, &later, 0));
    const auto place =
        memory_hierarchy(read_file("/proc/self/mountinfo").value_or(""), read_file("/proc/self/cgroup").value_or(""));
    if (place) {
        EXPECT_FALSE(fs::exists(place->path + "/tapir-server-" + std::to_string(child)));
        const std::string left = place->path + "/tapir-server-" + std::to_string(second);
        rmdir((left + "/server").c_str());
        rmdir(left.c_str());
        EXPECT_FALSE(fs::exists(left));
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no control groups or no sandboxes here";
    EXPECT_EQ(0, WIFEXITED(status) ? WEXITSTATUS(status) : 128);
}

}  // namespace
}  // namespace tapir::server
