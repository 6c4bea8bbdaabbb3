// SPDX-License-Identifier: GPL-2.0-or-later
#include "push/disk_queue.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "push/sender.h"
#include "testsuite/unit/patience.h"

namespace tapir::push {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr uint64_t kMuch = 64 << 20;

class Queue : public testing::Test {
  protected:
    std::unique_ptr<DiskQueue> open(uint64_t most = kMuch, const std::string &url = "http://h") {
        Outcome<std::unique_ptr<DiskQueue>> made =
            DiskQueue::open(root_.path(), url, most, [this](const std::string &line) { told_.push_back(line); });
        EXPECT_TRUE(made) << made.fault().text;
        return *std::move(made);
    }
    static Item item(const std::string &body) { return {"metrics", "/v1/metrics", "application/x-protobuf", body}; }
    // Takes all, as if they were delivered.
    static std::vector<std::string> drain(DiskQueue &queue) {
        std::vector<std::string> bodies;
        while (const std::optional<Item> taken = queue.take(Clock::now())) {
            bodies.push_back(taken->body);
            queue.settle("");
        }
        return bodies;
    }
    size_t files() const {
        size_t count = 0;
        for (const fs::directory_entry &entry : fs::recursive_directory_iterator(root_.path()))
            count += entry.path().extension() == ".item";
        return count;
    }

    const TemporaryDirectory root_{*make_directory(temporary_root(), "queue-")};
    std::vector<std::string> told_;
};

TEST_F(Queue, OrderAndContent) {
    const std::unique_ptr<DiskQueue> queue = open();
    const std::string odd("a\0b\n\nc", 6);
    queue->put({"profile", "/ingest?name=a&x=y", "text/plain", odd});
    queue->put(item("second"));
    const std::optional<Item> first = queue->take(Clock::now());
    ASSERT_TRUE(first);
    EXPECT_EQ(first->kind + first->path + first->type, "profile/ingest?name=a&x=ytext/plain");
    EXPECT_EQ(first->body, odd);
    queue->keep();
    EXPECT_EQ(drain(*queue), (std::vector<std::string>{odd, "second"}));
    EXPECT_EQ(queue->tally().delivered, 2u);
    EXPECT_EQ(files(), 0u);
}

TEST_F(Queue, OutlivesItsProgram) {
    const pid_t child = fork();
    if (child == 0) {
        const std::unique_ptr<DiskQueue> queue = open();
        for (const char *body : {"1", "2", "3"})
            queue->put(item(body));
        // Killed while it writes, and while an item is in flight.
        queue->take(Clock::now());
        std::ofstream(queue->directory() + "/00000000000000000009.item.tmp") << "half of";
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    const std::unique_ptr<DiskQueue> queue = open();
    queue->put(item("4"));
    EXPECT_EQ(drain(*queue), (std::vector<std::string>{"1", "2", "3", "4"}));
    EXPECT_EQ(queue->tally().dropped, (std::map<std::string, uint64_t>{{"damaged", 1}}));
    EXPECT_EQ(told_, std::vector<std::string>{"an item that was being written when its program was killed is lost"});
}

TEST_F(Queue, EachProcessHasItsOwn) {
    std::unique_ptr<DiskQueue> first = open(), second = open();
    const std::unique_ptr<DiskQueue> other = open(kMuch, "http://other");
    EXPECT_NE(first->directory(), second->directory());
    second->put(item("1"));
    first->put(item("2"));
    second->put(item("3"));
    EXPECT_EQ(other->waiting(), 0u);
    second.reset();
    first.reset();
    // All that they left, in the order of time.
    EXPECT_EQ(drain(*open()), (std::vector<std::string>{"1", "2", "3"}));
}

TEST_F(Queue, FullDropsTheOldest) {
    const std::unique_ptr<DiskQueue> queue = open(1000);
    for (char body = '0'; body < '9'; body++)
        queue->put(item(std::string(150, body)));
    const std::vector<std::string> left = drain(*queue);
    ASSERT_FALSE(left.empty());
    EXPECT_EQ(left.back(), std::string(150, '8'));
    EXPECT_EQ(queue->tally().dropped, (std::map<std::string, uint64_t>{{"full", 9 - left.size()}}));
    EXPECT_EQ(told_.front(), "the queue is full (queue-size=): the oldest item is dropped");
    // One that does not fit at all.
    queue->put(item(std::string(1001, 'x')));
    EXPECT_EQ(queue->tally().dropped.at("full"), 10 - left.size());
    EXPECT_EQ(files(), 0u);
}

TEST_F(Queue, TheOneInFlightStays) {
    const std::unique_ptr<DiskQueue> queue = open(1000);
    queue->put(item(std::string(300, '0')));
    ASSERT_TRUE(queue->take(Clock::now()));
    for (const char body : {'1', '2', '3'})
        queue->put(item(std::string(300, body)));
    queue->settle("");
    EXPECT_EQ(drain(*queue), std::vector<std::string>{std::string(300, '3')});
    EXPECT_EQ(queue->tally().delivered + queue->tally().dropped.at("full"), 4u);
}

TEST_F(Queue, DamagedItemsAreToldAndDropped) {
    std::unique_ptr<DiskQueue> queue = open();
    for (const char *body : {"first", "second", "third"})
        queue->put(item(body));
    std::set<fs::path> paths;
    for (const fs::directory_entry &entry : fs::directory_iterator(queue->directory()))
        if (entry.path().extension() == ".item") paths.insert(entry.path());
    fs::resize_file(*paths.begin(), 90);
    std::fstream(*std::next(paths.begin()), std::ios::in | std::ios::out) << "tapir-push 2";
    EXPECT_EQ(drain(*queue), std::vector<std::string>{"third"});
    EXPECT_EQ(queue->tally().dropped, (std::map<std::string, uint64_t>{{"damaged", 2}}));
}

TEST_F(Queue, CannotBeMade) {
    std::ofstream(root_.path() + "/file") << "x";
    const Outcome<std::unique_ptr<DiskQueue>> made =
        DiskQueue::open(root_.path() + "/file", "http://h", kMuch, [](const std::string &) {});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.fault().tag, FaultTag::FileUnwritable);
    EXPECT_NE(made.fault().text.find("Not a directory"), std::string::npos) << made.fault().text;
}

TEST(RetryPauses, DoubleUpToAMinute) {
    RetryPauses pauses(std::chrono::milliseconds(1000), 7);
    int64_t longest = 1000;
    std::set<int64_t> parts;
    for (int i = 0; i < 20; i++) {
        const int64_t pause = pauses.after_failure(std::chrono::seconds(0)).count();
        EXPECT_GE(pause, longest / 2);
        EXPECT_LE(pause, longest);
        parts.insert(pause * 1000 / longest);
        longest = std::min<int64_t>(longest * 2, 60'000);
    }
    // Hosts differ.
    EXPECT_GT(parts.size(), 10u);
    EXPECT_GE(pauses.after_failure(std::chrono::seconds(90)).count(), 90'000);
    pauses.reset();
    EXPECT_LE(pauses.after_failure(std::chrono::seconds(0)).count(), 1000);
}

// Every item is delivered, refused, or dropped from a full queue; what arrives is in order.
TEST_F(Queue, SenderLosesNothingSilently) {
    const std::unique_ptr<DiskQueue> queue = open(2000);
    std::mutex mutex;
    std::vector<int> arrived;
    unsigned attempts = 0, refused = 0;
    const auto post = [&](const Item &sent, const GiveUp &) {
        const std::lock_guard lock(mutex);
        HttpAnswer answer;
        const unsigned turn = attempts++ % 5;
        answer.status = turn == 0 ? 503 : turn == 1 ? 0 : turn == 2 ? 400 : 200;
        if (answer.status == 200) arrived.push_back(std::stoi(sent.body));
        refused += answer.status == 400;
        answer.complaint = "Connection refused";
        return answer;
    };
    constexpr int kItems = 200;
    {
        std::mutex telling;
        Sender sender(*queue, Protocol::Otlp, post, RetryPauses(std::chrono::milliseconds(1)),
                      [&](const std::string &) { const std::lock_guard lock(telling); });
        for (int i = 0; i < kItems; i++)
            queue->put(item(std::to_string(i)));
        EXPECT_TRUE(tests::patiently(30, [&] { return queue->waiting() == 0; }));
    }
    const Tally tally = queue->tally();
    EXPECT_TRUE(std::is_sorted(arrived.begin(), arrived.end()));
    EXPECT_EQ(tally.delivered, arrived.size());
    EXPECT_EQ(tally.dropped.at("refused"), refused);
    const auto full = tally.dropped.find("full");
    EXPECT_EQ(arrived.size() + refused + (full == tally.dropped.end() ? 0 : full->second), size_t{kItems});
    EXPECT_GT(tally.retries, 0u);
}

}  // namespace
}  // namespace tapir::push
