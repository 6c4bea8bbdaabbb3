// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/jobs.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "../patience.h"
#include "../said.h"

namespace tapir::server {
namespace {

// In each test what work refers to is declared before the jobs: they end their work when they go.

// Waits for the end of a job; its lines.
std::vector<std::string> wait_for(const Job &job) {
    std::vector<std::string> lines;
    size_t told = 0;
    const auto ended = [&] {
        const bool is_end = job.news(told, lines);
        told = lines.size();
        return is_end;
    };
    EXPECT_TRUE(tests::patiently(10, ended)) << "the job does not end";
    return lines;
}

Ending ending(const std::string &name) {
    Ending out = {Result()};
    out.result->name = name;
    return out;
}

std::shared_ptr<Job> start(Jobs &jobs, const std::string &key, Jobs::Work work, const std::string &owner = "") {
    Outcome<std::shared_ptr<Job>> job = jobs.start({key, owner}, std::move(work));
    return job ? *job : nullptr;
}

TEST(Jobs, TellNewsAndEnd) {
    std::atomic<int> woken = 0;
    std::promise<void> subscribed;
    Jobs jobs(1, 4);
    const auto job = start(jobs, "a", [&](Job &running) {
        subscribed.get_future().wait();
        running.tell("one");
        running.tell("two");
        return ending("done");
    });
    ASSERT_TRUE(job);
    job->subscribe([&woken] { ++woken; });
    subscribed.set_value();
    EXPECT_EQ((std::vector<std::string>{"one", "two"}), wait_for(*job));
    EXPECT_EQ("done", job->ending().result->name);
    jobs.join();  // a job has ended before its waker is called
    EXPECT_EQ(3, woken);
}

TEST(Jobs, TheSameIsDoneOnceAndTheQueueIsBounded) {
    std::promise<void> go;
    std::shared_future<void> gate(go.get_future());
    std::atomic<int> done = 0;
    Jobs jobs(1, 1);
    const auto work = [&done, gate](Job &) {
        gate.wait();
        ++done;
        return ending("");
    };
    const auto first = start(jobs, "a", work);
    while (jobs.running() == 0)
        std::this_thread::yield();
    const auto second = start(jobs, "b", work);
    EXPECT_EQ(first, start(jobs, "a", work));
    EXPECT_EQ(second, start(jobs, "b", work));
    EXPECT_EQ(nullptr, start(jobs, "c", work));
    EXPECT_EQ(1u, jobs.queued());
    EXPECT_EQ(2u, jobs.joined());
    go.set_value();
    wait_for(*first);
    wait_for(*second);
    EXPECT_EQ(2, done);
    // It is gone, so it can be done again.
    EXPECT_NE(first, start(jobs, "a", work));
}

TEST(Jobs, StoppingEndsWhatWaits) {
    Jobs jobs(1, 4);
    std::promise<void> go;
    std::shared_future<void> gate(go.get_future());
    const auto running = start(jobs, "a", [gate](Job &) {
        gate.wait();
        return ending("whole");
    });
    while (jobs.running() == 0)
        std::this_thread::yield();
    const auto waiting = start(jobs, "b", [](Job &) { return ending("never"); });
    jobs.stop();
    wait_for(*waiting);
    EXPECT_EQ("stopping", tag_of(waiting->ending().result));
    EXPECT_EQ(nullptr, start(jobs, "c", [](Job &) { return ending(""); }));
    go.set_value();
    wait_for(*running);
    EXPECT_EQ("whole", running->ending().result->name);
}

// Tags: Busy, QueueFull, Stopping.
TEST(Jobs, SayWhyNot) {
    Jobs jobs(1, 2, 1);
    std::promise<void> go;
    std::shared_future<void> gate(go.get_future());
    const auto work = [gate](Job &) {
        gate.wait();
        return ending("");
    };
    const auto why_not = [&](const Jobs::Order &order) { return tagged(jobs.start(order, work)); };
    ASSERT_TRUE(start(jobs, "a", work, "anna"));
    while (jobs.running() == 0)
        std::this_thread::yield();
    EXPECT_EQ("busy: the same is being done for somebody else; ask again", why_not({"a", "bert", true}));
    ASSERT_TRUE(start(jobs, "b", work, "anna"));
    EXPECT_EQ("queue-full: there are 1 requests of yours that wait already; ask again", why_not({"c", "anna"}));
    // A job that exists can be joined.
    EXPECT_TRUE(start(jobs, "b", work, "anna"));
    ASSERT_TRUE(start(jobs, "c", work, "bert"));
    EXPECT_EQ("queue-full: there is too much to do; ask again", why_not({"d", "carl"}));
    jobs.stop();
    EXPECT_EQ("stopping: the server is about to end; ask again", why_not({"e", "anna"}));
    go.set_value();
}

TEST(Jobs, OfOneOwnerDoNotHoldUpTheOthers) {
    std::promise<void> first_go, second_go;
    std::shared_future<void> first_gate(first_go.get_future()), second_gate(second_go.get_future());
    std::mutex mutex;
    std::string order;
    Jobs jobs(2, 10);
    const auto work = [&](const std::string &name, std::shared_future<void> gate) {
        return [&, name, gate](Job &) {
            gate.wait();
            const std::lock_guard lock(mutex);
            order += name;
            return ending("");
        };
    };
    std::promise<void> open;
    open.set_value();
    const std::shared_future<void> opened(open.get_future());
    start(jobs, "a", work("a", first_gate), "anna");
    start(jobs, "b", work("b", second_gate), "anna");
    while (jobs.running() < 2)
        std::this_thread::yield();
    start(jobs, "c", work("c", opened), "anna");
    start(jobs, "d", work("d", opened), "anna");
    const auto last = start(jobs, "e", work("e", opened), "bert");
    // One worker goes on: Bert's is before the rest of Anna's, of whom one is still running.
    first_go.set_value();
    wait_for(*last);
    {
        const std::lock_guard lock(mutex);
        EXPECT_EQ("ae", order.substr(0, 2));
    }
    second_go.set_value();
    jobs.stop();
}

}  // namespace
}  // namespace tapir::server
