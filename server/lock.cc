// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "common/files.h"

namespace fs = std::filesystem;

namespace tapir::server {

PatientLock::PatientLock(const std::string &path, int mode, std::chrono::seconds patience,
                         const std::function<bool()> &cancelled)
    : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (file_.get() >= 0 && !(held_ = flock(file_.get(), mode | LOCK_NB) == 0) &&
           std::chrono::steady_clock::now() < end && !(cancelled && cancelled()))
        usleep(20000);
}

Draft draft_directory(const std::string &gate, const std::string &parent, const std::string &prefix) {
    const FileLock lock(gate);
    Draft draft;
    draft.path = parent + "/" + prefix + "XXXXXX";
    if (!mkdtemp(draft.path.data())) draft.path.clear();
    if (draft.path.empty()) return draft;
    draft.lock = share_draft(draft.path);
    return draft;
}

Draft draft_file(const std::string &gate, const std::string &parent, const std::string &prefix) {
    const FileLock lock(gate);
    Draft draft;
    draft.path = parent + "/" + prefix + "XXXXXX";
    draft.lock = Descriptor(mkostemp(draft.path.data(), O_CLOEXEC));
    if (draft.lock.get() < 0)
        draft.path.clear();
    else
        flock(draft.lock.get(), LOCK_SH | LOCK_NB);
    return draft;
}

Descriptor share_draft(const std::string &path) {
    Descriptor lock(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (lock.get() >= 0) flock(lock.get(), LOCK_SH | LOCK_NB);
    return lock;
}

size_t sweep_drafts(const std::string &gate, const std::string &parent, const std::string &prefix) {
    std::vector<std::pair<fs::path, Descriptor>> left;
    {
        const FileLock lock(gate);
        std::error_code error;
        for (const fs::directory_entry &entry : fs::directory_iterator(parent, error)) {
            if (!entry.path().filename().string().starts_with(prefix)) continue;
            Descriptor mine(open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
            if (mine.get() >= 0 && flock(mine.get(), LOCK_EX | LOCK_NB) == 0)
                left.emplace_back(entry.path(), std::move(mine));
        }
    }
    for (const auto &[path, lock] : left) {
        std::error_code error;
        fs::remove_all(path, error);
    }
    return left.size();
}

}  // namespace tapir::server
