// SPDX-License-Identifier: GPL-2.0-or-later
// Processes that live: this one's children.
#include "core/live_process.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "../patience.h"
#include "common/descriptor.h"
#include "core/held_threads.h"
#include "core/live_rights.h"
#include "core/remains.h"
#include "core/thread_frames.h"

namespace tapir::core {
namespace {

// A child that sleeps until the end of the test.
class LiveTest : public testing::Test {
  protected:
    LiveTest() {
        memory_ = static_cast<char *>(
            mmap(nullptr, kPages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        for (size_t i = 0; i < kPages; ++i)
            memory_[i * 4096] = static_cast<char>('a' + i % 26);
        mprotect(memory_ + (kPages - 1) * 4096, 4096, PROT_NONE);
        far_ = reinterpret_cast<uint64_t>(
            mmap(nullptr, kFar, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        child_ = fork();
        if (child_ == 0)
            for (;;)
                pause();
    }
    ~LiveTest() override {
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
        munmap(memory_, kPages * 4096);
        munmap(reinterpret_cast<void *>(far_), kFar);
    }
    uint64_t at(size_t page) const { return reinterpret_cast<uint64_t>(memory_ + page * 4096); }
    void read_all(LiveProcess &process) const {
        for (size_t i = 0; i + 1 < kPages; ++i) {
            char byte = 0;
            ASSERT_EQ(1u, process.memory().read_some(&byte, at(i), 1)) << i;
            ASSERT_EQ('a' + static_cast<char>(i % 26), byte) << i;
        }
    }

    static constexpr size_t kPages = 101;
    static constexpr size_t kFar = size_t{65} << 20;  // a page for each place of LiveMemory
    char *memory_;
    uint64_t far_;  // zeroes
    pid_t child_;
};

TEST_F(LiveTest, MemoryOfAllPagesButThoseThatMayNotBeRead) {
    Outcome<std::unique_ptr<LiveProcess>> process = LiveProcess::open(child_, LiveMode::Run);
    ASSERT_TRUE(process) << process.fault().message();
    read_all(**process);
    char byte = 0;
    EXPECT_EQ(0u, (*process)->memory().read_some(&byte, at(kPages - 1), 1));
    EXPECT_EQ(EFAULT, (*process)->memory().error());
    // The end of a page is the end of what is read at once.
    char two[2] = {};
    EXPECT_EQ(1u, (*process)->memory().read_some(two, at(3) + 4095, 2));
    EXPECT_EQ(child_, (*process)->notes().pid);
    EXPECT_EQ(getpid(), (*process)->notes().parent);
    ASSERT_EQ(1u, (*process)->notes().threads.size());
}

// The child's memory changes behind what was read of it.
TEST_F(LiveTest, MemoryThatWasReadIsSeenUnchanged) {
    constexpr uint64_t kBlocks = uint64_t{64} << 20;  // the same place for pages this far apart
    const std::vector<Segment> ranges = {{at(0), at(kPages - 1), {}, 0, false, true}};
    const auto byte_of = [](LiveMemory &memory, uint64_t address) {
        char byte = 0;
        EXPECT_EQ(1u, memory.read_some(&byte, address, 1)) << memory.error();
        return byte;
    };
    const auto set = [this](uint64_t address, char byte) {
        const iovec local = {&byte, 1}, remote = {reinterpret_cast<void *>(address), 1};
        EXPECT_EQ(1, process_vm_writev(child_, &local, 1, &remote, 1, 0));
    };
    for (const uint64_t kept : {LiveMemory::kKeptPages, uint64_t{1}}) {
        LiveMemory memory(child_, ranges, kept);
        set(at(20), 'u');
        set(at(60), 'i');
        EXPECT_EQ('u', byte_of(memory, at(20)));
        set(at(20), '!');
        for (const size_t neighbour : {21, 19, 22})
            byte_of(memory, at(neighbour));
        EXPECT_EQ('u', byte_of(memory, at(20)));
        EXPECT_FALSE(memory.has_lost());
        // Others take their places.
        EXPECT_EQ('i', byte_of(memory, at(60)));
        set(at(60), '!');
        for (const size_t page : {20, 60})
            byte_of(memory, far_ + (at(page) - far_) % kBlocks);
        EXPECT_EQ('u', byte_of(memory, at(20)));
        EXPECT_EQ(kept == 1 ? '!' : 'i', byte_of(memory, at(60)));
        EXPECT_EQ(kept == 1, memory.has_lost());
    }
}

// Where the system call is forbidden, in sandboxes for example, /proc/PID/mem does. It has pages without any rights,
// too.
TEST_F(LiveTest, MemoryWithoutTheSystemCall) {
    const pid_t reader = fork();
    if (reader == 0) {
        sock_filter filter[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        sock_fprog program = {std::size(filter), filter};
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(2);
        Outcome<std::unique_ptr<LiveProcess>> process = LiveProcess::open(child_, LiveMode::Run);
        if (!process) _exit(3);
        read_all(**process);
        _exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    waitpid(reader, &status, 0);
    EXPECT_EQ(0, WEXITSTATUS(status));
    EXPECT_TRUE(WIFEXITED(status));
}

// `thread` is its id; 0 means the first.
char state_of(pid_t pid, pid_t thread = 0) {
    char line[512] = {};
    const std::string directory = "/proc/" + std::to_string(pid) + "/task/" + std::to_string(thread ? thread : pid);
    FILE *file = fopen((directory + "/stat").c_str(), "r");
    const bool got = file && fgets(line, sizeof line, file);
    if (file) fclose(file);
    const char *end = got ? std::strrchr(line, ')') : nullptr;
    return end ? end[2] : '?';
}

TEST_F(LiveTest, StopsAndLetsGo) {
    {
        Outcome<std::unique_ptr<LiveProcess>> process = LiveProcess::open(child_, LiveMode::Stop);
        ASSERT_TRUE(process) << process.fault().message();
        EXPECT_EQ('t', state_of(child_));
        ASSERT_EQ(1u, (*process)->notes().threads.size());
        EXPECT_EQ(Thread::Known::All, (*process)->notes().threads[0].known);
        EXPECT_NE(0u, (*process)->notes().threads[0].place());
        EXPECT_GT((*process)->release(), 0u);
        EXPECT_NE('t', state_of(child_));
        EXPECT_EQ(0u, (*process)->release());
    }
    // The pending signal is delivered.
    Outcome<std::unique_ptr<LiveProcess>> process = LiveProcess::open(child_, LiveMode::Stop);
    ASSERT_TRUE(process);
    kill(child_, SIGTERM);
    EXPECT_EQ('t', state_of(child_));
    (*process)->release();
    siginfo_t info;
    ASSERT_EQ(0, waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOWAIT));
    EXPECT_EQ(SIGTERM, info.si_status);
}

// Another program has stopped it: all that this one gets is what that one writes.
TEST_F(LiveTest, StoppedByAnother) {
    Outcome<std::unique_ptr<LiveProcess>> stopped = LiveProcess::open(child_, LiveMode::Stop);
    ASSERT_TRUE(stopped) << stopped.fault().message();
    std::vector<Thread> threads = (*stopped)->notes().threads;
    Thread unstoppable;
    unstoppable.id = child_ + 1;
    unstoppable.known = Thread::Known::Place;
    unstoppable.set_place(0x1234, 0x5678);
    threads.push_back(unstoppable);
    const std::string content = write_held_threads(threads);
    const Descriptor file = memory_file("threads", content);
    const std::string path = "/proc/self/fd/" + std::to_string(file.get());
    Outcome<std::unique_ptr<LiveProcess>> process = LiveProcess::open(child_, LiveMode::Held, path);
    ASSERT_TRUE(process) << process.fault().message();
    const std::vector<Thread> &taken = (*process)->notes().threads;
    ASSERT_EQ(2u, taken.size());
    EXPECT_EQ(child_, taken[0].id);
    EXPECT_EQ(threads[0].name, taken[0].name);
    EXPECT_FALSE(taken[0].name.empty());
    EXPECT_EQ(Thread::Known::All, taken[0].known);
    EXPECT_EQ(threads[0].words, taken[0].words);
    EXPECT_EQ(0x1234u, taken[1].place());
    EXPECT_EQ(std::vector<int64_t>{child_ + 1}, (*process)->unstoppable());
    EXPECT_EQ(std::vector<int64_t>(), (*process)->running());
    read_all(**process);
    // It stands still until the one that has stopped it lets it go.
    EXPECT_EQ(0u, (*process)->release());
    EXPECT_EQ('t', state_of(child_));

    EXPECT_FALSE(read_held_threads(""));
    EXPECT_FALSE(read_held_threads(content.substr(0, content.size() - 1)));
    std::string other = content;
    other[0] ^= 1;
    EXPECT_FALSE(read_held_threads(other));
    Outcome<std::unique_ptr<LiveProcess>> without = LiveProcess::open(child_, LiveMode::Held, "/dev/null");
    ASSERT_FALSE(without);
    EXPECT_EQ("/dev/null does not tell where threads stand; stap writes it for a program of its own version",
              without.fault().message());
}

// A thread that makes the next one and ends soon after.
void *next_thread(void *attributes) {
    usleep(100);
    pthread_t next;
    if (pthread_create(&next, static_cast<pthread_attr_t *>(attributes), next_thread, attributes) != 0) _exit(1);
    usleep(5000);
    return nullptr;
}

void *in_vfork(void *) {
    const pid_t self = getpid();
    if (vfork() == 0) {
        while (getppid() == self)
            usleep(10000);
        _exit(0);
    }
    return nullptr;
}

// One thread does not stop. That is no reason to miss those that others make.
TEST(LiveThreadsTest, NoneRunsUnseen) {
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pthread_attr_t detached;
        pthread_attr_init(&detached);
        pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
        pthread_t thread;
        pthread_create(&thread, nullptr, in_vfork, nullptr);
        pthread_create(&thread, &detached, next_thread, &detached);
        for (;;)
            pause();
    }
    ASSERT_TRUE(tests::patiently(20, [child] {
        const std::vector<pid_t> ids = threads_of(child);
        return std::any_of(ids.begin(), ids.end(), [child](pid_t id) { return state_of(child, id) == 'D'; });
    }));
    {
        Outcome<std::unique_ptr<LiveProcess>> process = LiveProcess::open(child, LiveMode::Stop);
        ASSERT_TRUE(process) << process.fault().message();
        std::set<pid_t> known;
        for (const Thread &thread : (*process)->notes().threads)
            known.insert(static_cast<pid_t>(thread.id));
        EXPECT_EQ(1u, (*process)->unstoppable().size());
        for (const pid_t id : threads_of(child)) {
            EXPECT_TRUE(known.contains(id)) << id;
            const bool waits = (*process)->unstoppable() == std::vector<int64_t>{id};
            EXPECT_EQ(waits ? 'D' : 't', state_of(child, id)) << id;
        }
    }
    kill(child, SIGKILL);
    // The thread that did not stop is this program's to wait for until it ends.
    while (waitpid(-1, nullptr, __WALL) > 0)
        continue;
}

TEST_F(LiveTest, FramesUpToALimit) {
    Outcome<std::unique_ptr<Remains>> process = Remains::of_process(child_, LiveMode::Stop, {});
    ASSERT_TRUE(process) << process.fault().message();
    const Thread &thread = (*process)->notes().threads[0];
    std::vector<uint64_t> all, some;
    EXPECT_EQ(TAPIR_UNWIND_COMPLETE,
              each_frame(**process, thread, [&](const Frame &frame) { all.push_back(frame.place); }));
    ASSERT_GT(all.size(), 4u);
    EXPECT_EQ(TAPIR_UNWIND_CUT, each_frame(
                                    **process, thread, [&](const Frame &frame) { some.push_back(frame.place); }, 4));
    EXPECT_EQ(std::vector<uint64_t>(all.begin(), all.begin() + 4), some);
}

void *sleeps(void *) {
    for (;;)
        pause();
}

// The kernel tells of such a process in the directories of its other threads alone.
TEST(LiveThreadsTest, TheFirstHasEnded) {
    static volatile int number = 4711;
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pthread_t thread;
        for (int i = 0; i < 2; ++i)
            if (pthread_create(&thread, nullptr, sleeps, nullptr) != 0) _exit(1);
        syscall(SYS_exit, 0);
    }
    ASSERT_TRUE(tests::patiently(20, [child] { return state_of(child) == 'Z' && threads_of(child).size() == 2; }));
    for (const LiveMode mode : {LiveMode::Run, LiveMode::Stop}) {
        Outcome<std::unique_ptr<Remains>> process = Remains::of_process(child, mode, {});
        ASSERT_TRUE(process) << process.fault().message();
        EXPECT_EQ(child, (*process)->notes().pid);
        EXPECT_EQ(2u, (*process)->notes().threads.size());
        EXPECT_FALSE((*process)->notes().auxiliary.empty());
        EXPECT_FALSE((*process)->notes().arguments.empty());
        EXPECT_EQ("", (*process)->sysroot());
        EXPECT_TRUE((*process)->program());
        int seen = 0;
        EXPECT_TRUE((*process)->read(&seen, reinterpret_cast<uint64_t>(&number), sizeof seen));
        EXPECT_EQ(4711, seen);
        for (const pid_t id : threads_of(child))
            EXPECT_EQ(mode == LiveMode::Stop ? 't' : 'S', state_of(child, id));
    }
    kill(child, SIGKILL);
    while (waitpid(-1, nullptr, __WALL) > 0)
        continue;
}

TEST(LiveThreadsTest, ListOfThreads) {
    EXPECT_EQ("", list_of_threads({}));
    EXPECT_EQ("7", list_of_threads({7}));
    EXPECT_EQ("1, 2, 3, 4, 5, 6, 7, 8 and 2 more", list_of_threads({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
}

// The kernel knows at every moment which program a process runs; so does who looks at it while it executes others.
TEST(LiveThreadsTest, ExecutesOthersMeanwhile) {
    char script[] = "/tmp/tapir-again-XXXXXX";
    const int fd = mkstemp(script);
    constexpr std::string_view kText = "#!/bin/sh\n[ $1 -gt 0 ] || exec sleep 1000\nexec $0 $(($1 - 1))\n";
    ASSERT_EQ(static_cast<ssize_t>(kText.size()), write(fd, kText.data(), kText.size()));
    fchmod(fd, 0700);
    close(fd);
    int looks = 0;
    // How many looks there are until the script ends is up to the machine.
    for (int rounds = 0; looks <= 20 && rounds < 100; rounds++) {
        const pid_t child = fork();
        if (child == 0) {
            execl(script, script, "300", nullptr);
            _exit(1);
        }
        std::string last;
        while (last.find("sleep") == std::string::npos) {
            Outcome<std::unique_ptr<Remains>> remains = Remains::of_process(child, LiveMode::Look, {});
            ASSERT_TRUE(remains) << remains.fault().message();
            const std::optional<uint32_t> program = (*remains)->program();
            ASSERT_TRUE(program) << "after " << looks << " looks";
            last = (*remains)->notes().files.at(*program);
            looks++;
        }
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    EXPECT_GT(looks, 20);
    unlink(script);
}

TEST_F(LiveTest, Refusals) {
    const auto why = [](int64_t pid, LiveMode mode) {
        Outcome<std::unique_ptr<LiveProcess>> process = LiveProcess::open(pid, mode);
        return process ? "taken" : process.fault().message();
    };
    EXPECT_EQ("there is no process 2147483646; 'ps' lists those that there are", why(INT32_MAX - 1, LiveMode::Stop));
    EXPECT_EQ("there is no process -3; 'ps' lists those that there are", why(-3, LiveMode::Run));
    const std::string process = "process " + std::to_string(child_);
    kill(child_, SIGKILL);
    siginfo_t info;
    waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOWAIT);
    EXPECT_EQ(process + " has ended", why(child_, LiveMode::Stop));
    EXPECT_EQ(process + " has ended", why(child_, LiveMode::Run));
}

}  // namespace
}  // namespace tapir::core
