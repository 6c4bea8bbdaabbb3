// SPDX-License-Identifier: GPL-2.0-or-later
// Compilations. Requests for the same one share it. A bounded number runs at a time; a bounded queue holds the others.
// The next to run belongs to the owner with the fewest running ones.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/build_request.h"
#include "server/results.h"

namespace tapir::server {

// How a compilation ended; `messages` has the diagnostics of a fault.
struct Ending {
    Outcome<Result> result;
    std::string messages = {};
};

// The public state of a compilation. Any thread may call any function.
class Job {
  public:
    using Waker = std::function<void()>;

    // Lines for people, in order; those from number `first` on. True once it has ended.
    bool news(size_t first, std::vector<std::string> &lines) const;
    // Only after it has ended.
    const Ending &ending() const { return ending_; }
    // Called at each piece of news, by the thread that has it; must not block.
    void subscribe(Waker waker);
    void tell(std::string line);
    void end(Ending ending);

  private:
    void wake();

    mutable std::mutex mutex_;
    std::vector<std::string> lines_;
    std::vector<Waker> wakers_;
    bool ended_ = false;
    Ending ending_ = {Result(), ""};
};

class Jobs {
  public:
    using Work = std::function<Ending(Job &)>;
    struct Order {
        std::string key;
        std::string owner = {};  // of each one's only so many may wait
        bool alone = false;      // refused when one of that key is there
    };

    Jobs(size_t workers, size_t queue, size_t queue_per_owner = SIZE_MAX);
    ~Jobs();

    // The job of that key that is there, or a new one that will do `work`; else QueueFull, Stopping or Busy.
    Outcome<std::shared_ptr<Job>> start(const Order &order, Work work);
    // No more jobs are taken, and those that are queued end with the fault Stopping.
    void stop();
    // stop(), and waits for what runs.
    void join();

    size_t queued() const;
    size_t running() const { return running_; }
    size_t joined() const { return joined_; }

  private:
    struct Waiting {
        std::string key, owner;
        std::shared_ptr<Job> job;
        Work work;
    };
    void serve();
    Waiting take_next();

    const size_t limit_, limit_per_owner_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Waiting> queue_;
    std::map<std::string, std::shared_ptr<Job>> jobs_;  // queued or running
    std::map<std::string, size_t> running_of_;          // by owner
    bool stopping_ = false;
    std::atomic<size_t> running_ = 0, joined_ = 0;
    std::vector<std::thread> workers_;
};

}  // namespace tapir::server
