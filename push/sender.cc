// SPDX-License-Identifier: GPL-2.0-or-later
#include "push/sender.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace tapir::push {

RetryPauses::Milliseconds RetryPauses::after_failure(std::chrono::seconds asked) {
    const Milliseconds longest = next_;
    next_ = std::min(next_ * 2, kMost);
    std::uniform_int_distribution<int64_t> part(longest.count() / 2, longest.count());
    return std::max<Milliseconds>(Milliseconds(part(chance_)), asked);
}

Sender::Sender(DiskQueue &queue, Protocol protocol, Post post, RetryPauses pauses, Tell tell)
    : queue_(queue), protocol_(protocol), post_(std::move(post)), pauses_(std::move(pauses)), tell_(std::move(tell)) {
    thread_ = std::thread([this] { run(); });
}

Sender::~Sender() {
    {
        const std::lock_guard lock(mutex_);
        leaving_ = true;
    }
    changed_.notify_all();
    queue_.wake();
    thread_.join();
}

void Sender::run() {
    for (;;) {
        const std::optional<Item> item = queue_.take(std::chrono::steady_clock::time_point::max());
        if (!item) return;
        send(*item);
        if (leaving_) return;
    }
}

// False: the sender ends.
bool Sender::rest(RetryPauses::Milliseconds pause) {
    std::unique_lock lock(mutex_);
    return !changed_.wait_for(lock, pause, [this] { return leaving_.load(); });
}

void Sender::tell_refusal(const Item &item, const std::string &why) {
    refusals_++;
    if (refusals_ & (refusals_ - 1)) return;
    tell_(item.kind + " refused and dropped: " + why +
          (refusals_ > 1 ? " (" + std::to_string(refusals_) + " items so far)" : ""));
}

void Sender::send(const Item &item) {
    for (;;) {
        const Verdict verdict = judge(protocol_, post_(item, [this] { return leaving_.load(); }), std::time(nullptr));
        if (verdict.fate != Verdict::Fate::Again) {
            if (failures_) tell_("reaches the collector again, after " + std::to_string(failures_) + " failures");
            failures_ = 0;
            failing_.clear();
            pauses_.reset();
        }
        switch (verdict.fate) {
            case Verdict::Fate::Delivered:
                queue_.settle("");
                if (verdict.rejected) queue_.count_rejected(verdict.rejected);
                if ((verdict.rejected || !verdict.why.empty()) && std::exchange(partial_, verdict.why) != verdict.why)
                    tell_("the collector left out " + std::to_string(verdict.rejected) + " points: " + verdict.why);
                return;
            case Verdict::Fate::Refused:
                queue_.settle("refused");
                tell_refusal(item, verdict.why);
                return;
            case Verdict::Fate::Again:
                if (leaving_) return queue_.keep();
                queue_.count_retry();
                failures_++;
                if (std::exchange(failing_, verdict.why) != verdict.why)
                    tell_("cannot push: " + verdict.why + "; items wait in " + queue_.directory());
                if (!rest(pauses_.after_failure(verdict.rest))) return queue_.keep();
        }
    }
}

}  // namespace tapir::push
