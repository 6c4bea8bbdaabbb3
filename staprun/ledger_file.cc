// SPDX-License-Identifier: GPL-2.0-or-later
#include "ledger_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "common/patient_write.h"
#include "common/plain_text.h"

namespace tapir::staprun {

namespace {

Fault unwritable(const std::string &path, int error) {
    return {FaultTag::SetUpFailed, format("Couldn't write ledger '%s': %s", path.c_str(), strerror(error))};
}

bool is_pipe(const std::string &path) {
    struct stat status = {};
    return stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

}  // namespace

LedgerFile::~LedgerFile() {
    if (!made_.empty()) unlink(made_.c_str());
}

Outcome<void> LedgerFile::open(const std::string &path) {
    path_ = path;
    if (is_pipe(path)) return {};
    file_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file_.get() >= 0) {
        std::error_code error;
        made_ = std::filesystem::absolute(path, error);
    } else {
        file_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    }
    return file_.get() >= 0 ? Outcome<void>() : Outcome<void>(unwritable(path, errno));
}

Outcome<void> LedgerFile::write(const Ledger &ledger) {
    if (path_.empty()) return {};
    if (file_.get() < 0) file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
    if (file_.get() < 0) return unwritable(path_, errno);
    made_.clear();
    // Devices have no length.
    if (ftruncate(file_.get(), 0) != 0 && errno != EINVAL) return unwritable(path_, errno);
    size_t written = 0;
    // The wait is for a pipe whose reader is slow, and then this ledger may wait too.
    const WriteResult result = write_patiently(
        file_.get(), ledger.json(),
        [](int) {
            usleep(10000);
            return true;
        },
        written);
    if (result != WriteResult::Ok || close(file_.release()) != 0) return unwritable(path_, errno);
    return {};
}

}  // namespace tapir::staprun
