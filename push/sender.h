// SPDX-License-Identifier: GPL-2.0-or-later
// Sends what is in the queue, one item after the other, in a thread of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "push/answers.h"
#include "push/disk_queue.h"

namespace tapir::push {

// Pauses between attempts: twice as long each time, up to a minute, and shorter by chance by up to a half, so that
// hosts do not come all at once.
class RetryPauses {
  public:
    using Milliseconds = std::chrono::milliseconds;
    explicit RetryPauses(Milliseconds first, unsigned seed = std::random_device{}())
        : first_(first), next_(first), chance_(seed) {}

    // `asked`: by the collector; the pause is at least that.
    Milliseconds after_failure(std::chrono::seconds asked);
    void reset() { next_ = first_; }

  private:
    static constexpr Milliseconds kMost{60'000};
    const Milliseconds first_;
    Milliseconds next_;
    std::minstd_rand chance_;
};

class Sender {
  public:
    using Post = std::function<HttpAnswer(const Item &item, const GiveUp &give_up)>;
    using Tell = std::function<void(const std::string &line)>;

    // `post` is called by the sender's thread, `tell` too. The queue has to outlive the sender.
    Sender(DiskQueue &queue, Protocol protocol, Post post, RetryPauses pauses, Tell tell);
    // Gives up the attempt that is being made: its item stays in the queue.
    ~Sender();
    Sender(const Sender &) = delete;
    Sender &operator=(const Sender &) = delete;

  private:
    void run();
    void send(const Item &item);
    bool rest(RetryPauses::Milliseconds pause);
    void tell_refusal(const Item &item, const std::string &why);

    DiskQueue &queue_;
    const Protocol protocol_;
    const Post post_;
    RetryPauses pauses_;
    const Tell tell_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::atomic<bool> leaving_ = false;

    // Only the thread uses these.
    uint64_t failures_ = 0, refusals_ = 0;
    std::string failing_, partial_;  // what was told last
    std::thread thread_;
};

}  // namespace tapir::push
