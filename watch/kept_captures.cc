// SPDX-License-Identifier: GPL-2.0-or-later
#include "watch/kept_captures.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "common/descriptor.h"

namespace tapir::watch {

namespace {

namespace fs = std::filesystem;

constexpr char kSuffix[] = ".tapir", kAccounting[] = ".json";
// A file that has no more than this has no block of a capture.
constexpr off_t kHead = 12;

Fault unwritable(const std::string &path) {
    return {FaultTag::FileUnwritable, "'" + path + "': " + strerror(errno)};
}

// Puts a file's content on the disk.
bool sync_file(const std::string &path) {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return file.get() >= 0 && fsync(file.get()) == 0;
}

struct Kept {
    std::string path;
    uint64_t bytes;
    time_t ended;
};

// In their order.
std::vector<Kept> captures_in(const std::string &folder) {
    std::vector<Kept> out;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename();
        struct stat about = {};
        if (name.starts_with('.') || !name.ends_with(kSuffix) || lstat(at->path().c_str(), &about) != 0) continue;
        if (S_ISREG(about.st_mode))
            out.push_back({at->path(), static_cast<uint64_t>(about.st_size), about.st_mtim.tv_sec});
    }
    std::sort(out.begin(), out.end(), [](const Kept &a, const Kept &b) { return a.path < b.path; });
    return out;
}

std::string accounting_of(const std::string &capture) {
    return capture.substr(0, capture.size() - (sizeof kSuffix - 1)) + kAccounting;
}

}  // namespace

std::string stamp_of(time_t at) {
    tm parts{};
    gmtime_r(&at, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts);
    return text;
}

Outcome<void> KeptCaptures::open(time_t now) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) return Fault{FaultTag::FileUnwritable, "'" + folder_ + "': " + error.message()};
    struct stat about = {};
    if (lstat(running().c_str(), &about) != 0) {
        remove_old(now);
        return {};
    }
    // Only its end is known: that of the session that wrote it, which was killed.
    const Outcome<bool> taken = rotate(about.st_mtim.tv_sec, now);
    if (!taken) return taken.fault();
    return {};
}

Outcome<void> KeptCaptures::sync_folder() const {
    const Descriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() < 0 || fsync(folder.get()) != 0) return unwritable(folder_);
    return {};
}

Outcome<bool> KeptCaptures::rotate(time_t began, time_t now) {
    struct stat about = {};
    if (lstat(running().c_str(), &about) != 0) return false;
    if (about.st_size <= kHead) {
        unlink(running().c_str());
        unlink(accounting().c_str());
        return false;
    }
    std::string name = folder_ + "/" + stamp_of(began);
    // Two sessions may begin in one second.
    for (int more = 1; access((name + kSuffix).c_str(), F_OK) == 0; more++)
        name = folder_ + "/" + stamp_of(began) + "-" + std::to_string(more);
    if (!sync_file(running()) || rename(running().c_str(), (name + kSuffix).c_str()) != 0) return unwritable(running());
    // The accounting is worth less than the capture: without it, nothing is wrong.
    if (rename(accounting().c_str(), (name + kAccounting).c_str()) != 0) unlink(accounting().c_str());
    if (const Outcome<void> synced = sync_folder(); !synced) return synced.fault();
    remove_old(now);
    return true;
}

uint64_t KeptCaptures::running_bytes() const {
    struct stat about = {};
    return lstat(running().c_str(), &about) == 0 ? static_cast<uint64_t>(about.st_size) : 0;
}

void KeptCaptures::remove_old(time_t now) {
    const std::vector<Kept> all = captures_in(folder_);
    captures_ = all.size();
    bytes_ = 0;
    for (const Kept &one : all)
        bytes_ += one.bytes;
    for (const Kept &one : all) {
        const bool many = keeping_.captures && captures_ > keeping_.captures;
        // The last one stays, however large it is.
        const bool large = keeping_.bytes && bytes_ > keeping_.bytes && captures_ > 1;
        const bool old = keeping_.seconds && now - one.ended > static_cast<time_t>(keeping_.seconds);
        if (!many && !large && !old) break;
        if (unlink(one.path.c_str()) != 0) continue;
        unlink(accounting_of(one.path).c_str());
        captures_--;
        bytes_ -= one.bytes;
    }
}

}  // namespace tapir::watch
