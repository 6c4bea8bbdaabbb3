// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/jobs.h"

#include <algorithm>

namespace tapir::server {

namespace {

constexpr char kAskAgain[] = "ask again";

Fault about_to_end() {
    return {FaultTag::Stopping, "the server is about to end", kAskAgain};
}

}  // namespace

bool Job::news(size_t first, std::vector<std::string> &lines) const {
    const std::lock_guard lock(mutex_);
    for (size_t i = first; i < lines_.size(); ++i)
        lines.push_back(lines_[i]);
    return ended_;
}

void Job::subscribe(Waker waker) {
    const std::lock_guard lock(mutex_);
    wakers_.push_back(std::move(waker));
}

void Job::tell(std::string line) {
    {
        const std::lock_guard lock(mutex_);
        lines_.push_back(std::move(line));
    }
    wake();
}

void Job::end(Ending ending) {
    {
        const std::lock_guard lock(mutex_);
        ending_ = std::move(ending);
        ended_ = true;
    }
    wake();
}

void Job::wake() {
    const std::lock_guard lock(mutex_);
    for (const Waker &waker : wakers_)
        waker();
}

Jobs::Jobs(size_t workers, size_t queue, size_t queue_per_owner) : limit_(queue), limit_per_owner_(queue_per_owner) {
    for (size_t i = 0; i < workers; ++i)
        workers_.emplace_back([this] { serve(); });
}

Jobs::~Jobs() {
    join();
}

void Jobs::join() {
    stop();
    for (std::thread &worker : workers_)
        worker.join();
    workers_.clear();
}

Outcome<std::shared_ptr<Job>> Jobs::start(const Order &order, Work work) {
    const std::lock_guard lock(mutex_);
    if (const auto found = jobs_.find(order.key); found != jobs_.end()) {
        if (!order.alone) {
            ++joined_;
            return found->second;
        }
        return Fault{FaultTag::Busy, "the same is being done for somebody else", kAskAgain};
    }
    const auto waiting = static_cast<size_t>(std::count_if(
        queue_.begin(), queue_.end(), [&order](const Waiting &other) { return other.owner == order.owner; }));
    if (stopping_) return about_to_end();
    if (queue_.size() >= limit_) return Fault{FaultTag::QueueFull, "there is too much to do", kAskAgain};
    if (waiting >= limit_per_owner_)
        return Fault{FaultTag::QueueFull,
                     "there are " + std::to_string(waiting) + " requests of yours that wait already", kAskAgain};
    auto job = std::make_shared<Job>();
    jobs_[order.key] = job;
    queue_.push_back({order.key, order.owner, job, std::move(work)});
    changed_.notify_one();
    return job;
}

void Jobs::stop() {
    std::deque<Waiting> left;
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        left.swap(queue_);
        for (const Waiting &waiting : left)
            jobs_.erase(waiting.key);
        changed_.notify_all();
    }
    for (const Waiting &waiting : left)
        waiting.job->end({about_to_end()});
}

size_t Jobs::queued() const {
    const std::lock_guard lock(mutex_);
    return queue_.size();
}

Jobs::Waiting Jobs::take_next() {
    const auto running_of = [this](const Waiting &waiting) {
        const auto found = running_of_.find(waiting.owner);
        return found == running_of_.end() ? 0 : found->second;
    };
    const auto next = std::min_element(queue_.begin(), queue_.end(), [&running_of](const auto &a, const auto &b) {
        return running_of(a) < running_of(b);
    });
    Waiting out = std::move(*next);
    queue_.erase(next);
    return out;
}

void Jobs::serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
        if (queue_.empty()) return;
        Waiting next = take_next();
        ++running_;
        ++running_of_[next.owner];
        lock.unlock();
        Ending ending = next.work(*next.job);
        lock.lock();
        --running_;
        if (--running_of_[next.owner] == 0) running_of_.erase(next.owner);
        // Removed before it ends: later requests find the stored result.
        jobs_.erase(next.key);
        lock.unlock();
        next.job->end(std::move(ending));
        lock.lock();
    }
}

}  // namespace tapir::server
