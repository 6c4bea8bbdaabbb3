// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A queue in files, which outlives the program. Each item is a file, which has its name once it is whole and on the
 * disk. Above a limit of bytes, or on a full disk, the oldest items are dropped. Every item that put() took is
 * delivered, dropped and counted, or still there.
 *
 *     ROOT/HASH/N/lock                the process that has it
 *     ROOT/HASH/N/TIME.item           the oldest has the smallest name
 *
 * HASH stands for the URL. Several processes that push there have a directory N each. One that begins takes over what
 * those left that have ended.
 */
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/outcome.h"
#include "push/otlp_metrics.h"

namespace tapir::push {

struct Item {
    std::string kind;  // "metrics" or "profile"
    std::string path;  // behind the destination's base
    std::string type;  // of the content
    std::string body;
};

// Its functions may be called by any thread; one thread alone takes items.
class DiskQueue {
  public:
    using Tell = std::function<void(const std::string &line)>;

    // Makes the directories, and takes over what is there. `url` tells destinations apart. Else FileUnwritable.
    static Outcome<std::unique_ptr<DiskQueue>> open(const std::string &root, const std::string &url,
                                                    uint64_t most_bytes, Tell tell);

    // Does not fail: what there is no room for is counted and told.
    void put(const Item &item);

    // Waits for an item until then, or until wake(). The oldest is in flight until settle() is called.
    std::optional<Item> take(std::chrono::steady_clock::time_point until);
    // The item in flight was delivered ("") or is dropped for a reason ("refused").
    void settle(const std::string &dropped);
    // The item in flight is the next one again.
    void keep();
    // take() returns, now and from now on.
    void wake();

    void count_retry();
    void count_rejected(uint64_t points);
    Tally tally();
    size_t waiting();
    // Until nothing waits, or until then. True: nothing does.
    bool drained(std::chrono::steady_clock::time_point until);
    const std::string &directory() const { return directory_; }

  private:
    DiskQueue(std::string directory, std::unique_ptr<FileLock> lock, uint64_t most_bytes, Tell tell);
    void adopt(const std::string &directory);
    void look(const std::string &directory);
    std::string next_name();
    int write_item(const std::string &name, const std::string &text);
    bool drop_oldest(const std::string &why);
    void remove(const std::string &name);
    void count_drop(const std::string &why, const std::string &told);

    const std::string directory_;
    const std::unique_ptr<FileLock> lock_;
    const uint64_t most_bytes_;
    const Tell tell_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, uint64_t> items_;  // sizes by names
    uint64_t bytes_ = 0, last_ns_ = 0;
    std::string in_flight_;
    Tally tally_;
    bool woken_ = false;
};

}  // namespace tapir::push
