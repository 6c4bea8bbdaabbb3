// SPDX-License-Identifier: GPL-2.0-or-later
#include "push/disk_queue.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "common/descriptor.h"
#include "common/hash.h"

namespace tapir::push {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kHead = "tapir-push 1 ", kItem = ".item", kUnfinished = ".tmp";
constexpr unsigned kMostDirectories = 256;

// A head with the digest of the rest, then kind, path and type on a line each, then the body.
std::string text_of(const Item &item) {
    const std::string rest = item.kind + "\n" + item.path + "\n" + item.type + "\n" + item.body;
    return std::string(kHead) + sha256(rest) + "\n" + rest;
}

std::optional<Item> item_of(const std::string &text) {
    constexpr size_t kDigest = 64;
    const size_t begin = kHead.size() + kDigest + 1;
    if (!text.starts_with(kHead) || text.size() < begin) return std::nullopt;
    const std::string_view rest = std::string_view(text).substr(begin);
    if (sha256(rest) != text.substr(kHead.size(), kDigest)) return std::nullopt;
    Item item;
    size_t at = 0;
    for (std::string *member : {&item.kind, &item.path, &item.type}) {
        const size_t end = rest.find('\n', at);
        if (end == std::string_view::npos) return std::nullopt;
        *member = rest.substr(at, end - at);
        at = end + 1;
    }
    item.body = rest.substr(at);
    return item;
}

// 0 or errno.
int sync_directory(const std::string &path) {
    const Descriptor directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return directory.get() >= 0 && fsync(directory.get()) == 0 ? 0 : errno;
}

Fault unwritable(const std::string &path, const std::string &why) {
    return {FaultTag::FileUnwritable, "cannot keep a queue in '" + path + "': " + why};
}

}  // namespace

DiskQueue::DiskQueue(std::string directory, std::unique_ptr<FileLock> lock, uint64_t most_bytes, Tell tell)
    : directory_(std::move(directory)), lock_(std::move(lock)), most_bytes_(most_bytes), tell_(std::move(tell)) {}

Outcome<std::unique_ptr<DiskQueue>> DiskQueue::open(const std::string &root, const std::string &url,
                                                    uint64_t most_bytes, Tell tell) {
    constexpr size_t kDigits = 16;
    const std::string base = root + "/" + sha256(url).substr(0, kDigits);
    std::unique_ptr<DiskQueue> own;
    for (unsigned number = 0; number < kMostDirectories; number++) {
        const std::string directory = base + "/" + std::to_string(number);
        std::error_code error;
        const bool exists = fs::is_directory(directory, error);
        if (!exists && own) break;
        if (!exists && !fs::create_directories(directory, error)) return unwritable(directory, error.message());
        // Items may name programs and users.
        chmod(directory.c_str(), 0700);
        auto lock = std::make_unique<FileLock>(directory + "/lock", false);
        if (!lock->held() && errno != EWOULDBLOCK && errno != EAGAIN)
            return unwritable(directory, std::strerror(errno));
        if (!lock->held()) continue;
        if (own) {
            own->adopt(directory);
            continue;
        }
        own.reset(new DiskQueue(directory, std::move(lock), most_bytes, tell));
        own->look(directory);
    }
    if (!own) return unwritable(base, "too many processes push there");
    return own;
}

// Knows the items of the directory. An item that a killed process was writing is lost.
void DiskQueue::look(const std::string &directory) {
    std::error_code error;
    for (const fs::directory_entry &entry : fs::directory_iterator(directory, error)) {
        const std::string name = entry.path().filename();
        if (name.ends_with(kUnfinished)) {
            fs::remove(entry.path(), error);
            count_drop("damaged", "an item that was being written when its program was killed is lost");
            continue;
        }
        if (!name.ends_with(kItem)) continue;
        const uint64_t size = entry.file_size(error);
        items_[name] = error ? 0 : size;
        bytes_ += items_[name];
    }
    tally_.waiting = items_.size();
}

void DiskQueue::adopt(const std::string &directory) {
    std::error_code error;
    for (const fs::directory_entry &entry : fs::directory_iterator(directory, error)) {
        const std::string name = entry.path().filename();
        if (name == "lock") continue;
        const std::string path = directory_ + "/" + name;
        if (!fs::exists(path, error)) fs::rename(entry.path(), path, error);
    }
    items_.clear();
    bytes_ = 0;
    look(directory_);
}

// Times, so that items of several directories are in order. Later ones are larger even if the clock is set back.
std::string DiskQueue::next_name() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto ns = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
    if (!items_.empty())
        last_ns_ = std::max<uint64_t>(last_ns_, std::strtoull(items_.rbegin()->first.c_str(), nullptr, 10));
    last_ns_ = std::max(last_ns_ + 1, ns);
    char name[64];
    std::snprintf(name, sizeof name, "%020llu", static_cast<unsigned long long>(last_ns_));
    return name + std::string(kItem);
}

// 0 or errno. Without its name the file is none.
int DiskQueue::write_item(const std::string &name, const std::string &text) {
    const std::string path = directory_ + "/" + name, unfinished = path + std::string(kUnfinished);
    int error = 0;
    {
        const Descriptor file(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        if (file.get() < 0) return errno;
        if (!write_all(file.get(), text) || fsync(file.get()) != 0) error = errno;
    }
    if (!error && rename(unfinished.c_str(), path.c_str()) != 0) error = errno;
    if (!error) error = sync_directory(directory_);
    if (error) unlink(unfinished.c_str());
    return error;
}

void DiskQueue::remove(const std::string &name) {
    unlink((directory_ + "/" + name).c_str());
    const auto found = items_.find(name);
    if (found == items_.end()) return;
    bytes_ -= found->second;
    items_.erase(found);
    tally_.waiting = items_.size();
    changed_.notify_all();
}

// Each reason is told when it occurs first, and when its count has doubled.
void DiskQueue::count_drop(const std::string &why, const std::string &told) {
    const uint64_t count = ++tally_.dropped[why];
    if (count & (count - 1)) return;
    tell_(told + (count > 1 ? " (" + std::to_string(count) + " so far)" : ""));
}

// The one in flight stays: it may arrive. False: there is no other.
bool DiskQueue::drop_oldest(const std::string &why) {
    for (const auto &[name, size] : items_) {
        if (name == in_flight_) continue;
        remove(std::string(name));
        count_drop("full", why + ": the oldest item is dropped");
        return true;
    }
    return false;
}

void DiskQueue::put(const Item &item) {
    const std::string text = text_of(item);
    const std::lock_guard lock(mutex_);
    const std::string name = next_name();
    bool fits = text.size() <= most_bytes_;
    while (fits && bytes_ + text.size() > most_bytes_)
        fits = drop_oldest("the queue is full (queue-size=)");
    if (!fits) return count_drop("full", "an item is dropped: the queue has no room for it (queue-size=)");
    for (;;) {
        const int error = write_item(name, text);
        if (!error) break;
        const std::string why = "cannot write to '" + directory_ + "': " + std::strerror(error);
        const bool is_full = error == ENOSPC || error == EDQUOT;
        if (!is_full || !drop_oldest(why)) return count_drop("unwritten", why + ": an item is dropped");
    }
    items_[name] = text.size();
    bytes_ += text.size();
    tally_.waiting = items_.size();
    changed_.notify_all();
}

std::optional<Item> DiskQueue::take(std::chrono::steady_clock::time_point until) {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait_until(lock, until, [this] { return woken_ || !items_.empty(); });
        if (woken_ || items_.empty()) return std::nullopt;
        const std::string name = items_.begin()->first;
        const std::optional<std::string> text = read_file(directory_ + "/" + name);
        std::optional<Item> item = text ? item_of(*text) : std::nullopt;
        if (item) {
            in_flight_ = name;
            return item;
        }
        remove(name);
        count_drop("damaged", "an item of the queue is damaged, and dropped: " + directory_ + "/" + name);
    }
}

void DiskQueue::settle(const std::string &dropped) {
    const std::lock_guard lock(mutex_);
    if (dropped.empty())
        tally_.delivered++;
    else
        tally_.dropped[dropped]++;
    remove(std::exchange(in_flight_, {}));
}

void DiskQueue::keep() {
    const std::lock_guard lock(mutex_);
    in_flight_.clear();
}

void DiskQueue::wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_all();
}

void DiskQueue::count_retry() {
    const std::lock_guard lock(mutex_);
    tally_.retries++;
}

void DiskQueue::count_rejected(uint64_t points) {
    const std::lock_guard lock(mutex_);
    tally_.rejected_points += points;
}

Tally DiskQueue::tally() {
    const std::lock_guard lock(mutex_);
    return tally_;
}

size_t DiskQueue::waiting() {
    const std::lock_guard lock(mutex_);
    return items_.size();
}

bool DiskQueue::drained(std::chrono::steady_clock::time_point until) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, until, [this] { return items_.empty(); });
}

}  // namespace tapir::push
