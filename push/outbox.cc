// SPDX-License-Identifier: GPL-2.0-or-later
#include "push/outbox.h"

#include <algorithm>

namespace tapir::push {

Outcome<std::unique_ptr<Outbox>> Outbox::open(const std::string &url, const Destination &destination,
                                              const PushSettings &settings, Tell tell) {
    Outcome<std::string> directory = make_directory(temporary_root(), "tapir-push-");
    if (!directory) return directory.fault();
    const std::string root = settings.queue.empty() ? usual_queue() : settings.queue;
    Outcome<std::unique_ptr<DiskQueue>> queue = DiskQueue::open(root, url, settings.queue_bytes, tell);
    if (!queue) return queue.fault();
    return std::unique_ptr<Outbox>(new Outbox(destination, settings, *std::move(queue), *directory, tell));
}

Outbox::Outbox(const Destination &destination, const PushSettings &settings, std::unique_ptr<DiskQueue> queue,
               const std::string &directory, Tell tell)
    : destination_(destination),
      settings_(settings),
      tell_(std::move(tell)),
      directory_(directory),
      queue_(std::move(queue)) {
    HttpSettings http;
    http.headers = settings.headers;
    http.authority = settings.authority;
    http.limit = settings.timeout;
    http.directory = directory_.path();
    const auto post = [http, base = destination_.base](const Item &item, const GiveUp &give_up) {
        return http_post(http, base + item.path, item.type, item.body, give_up);
    };
    if (const size_t waiting = queue_->waiting())
        tell_(std::to_string(waiting) + " items of earlier sessions wait in " + queue_->directory());
    sender_ = std::make_unique<Sender>(*queue_, destination_.protocol, post, RetryPauses(settings.retry), tell_);
}

bool Outbox::finish(const std::function<bool()> &hurry) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kLook{100};
    const auto until = Clock::now() + settings_.linger;
    while (!queue_->drained(std::min(Clock::now() + kLook, until)) && Clock::now() < until && !hurry())
        ;
    sender_.reset();
    const Tally tally = queue_->tally();
    uint64_t dropped = 0;
    std::string reasons;
    for (const auto &[why, count] : tally.dropped) {
        dropped += count;
        reasons += (reasons.empty() ? "" : ", ") + std::to_string(count) + " " + why;
    }
    if (dropped)
        tell_(std::to_string(dropped) + " items were dropped (" + reasons + "), " + std::to_string(tally.delivered) +
              " were delivered");
    if (tally.rejected_points)
        tell_("the collector left out " + std::to_string(tally.rejected_points) + " points of what it accepted");
    if (tally.waiting)
        tell_(std::to_string(tally.waiting) + " items wait in " + queue_->directory() +
              ": the next push to this URL sends them");
    return !dropped && !tally.waiting && !tally.rejected_points;
}

}  // namespace tapir::push
