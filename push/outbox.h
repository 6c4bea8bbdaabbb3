// SPDX-License-Identifier: GPL-2.0-or-later
// Everything from an item to the collector: the queue, the sender, and what is told at the end.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/files.h"
#include "push/destination.h"
#include "push/disk_queue.h"
#include "push/push_settings.h"
#include "push/sender.h"

namespace tapir::push {

class Outbox {
  public:
    using Tell = std::function<void(const std::string &line)>;

    // `url` as the user gave it. Else FileUnwritable.
    static Outcome<std::unique_ptr<Outbox>> open(const std::string &url, const Destination &destination,
                                                 const PushSettings &settings, Tell tell);

    // Does not wait for the collector.
    void put(const Item &item) { queue_->put(item); }
    Tally tally() { return queue_->tally(); }
    const Destination &destination() const { return destination_; }
    // For temporary files, until the outbox goes.
    const std::string &directory() const { return directory_.path(); }

    // Waits until all is sent, at most as long as the settings say or until `hurry` is true. Then tells what was
    // dropped and what waits for the next start. Returns whether everything that was put was delivered.
    bool finish(const std::function<bool()> &hurry);

  private:
    Outbox(const Destination &destination, const PushSettings &settings, std::unique_ptr<DiskQueue> queue,
           const std::string &directory, Tell tell);

    const Destination destination_;
    const PushSettings settings_;
    const Tell tell_;
    const TemporaryDirectory directory_;
    std::unique_ptr<DiskQueue> queue_;
    std::unique_ptr<Sender> sender_;
};

}  // namespace tapir::push
