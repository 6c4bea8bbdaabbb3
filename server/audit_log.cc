// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/audit_log.h"

#include <fcntl.h>
#include <syslog.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tapir::server {

Outcome<void> AuditLog::open(const std::string &path) {
    path_ = path;
    return reopen();
}

Outcome<void> AuditLog::reopen() {
    if (path_.empty()) return {};
    Descriptor file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600));
    if (file.get() < 0) return Fault{FaultTag::BadConfiguration, path_ + ": " + std::strerror(errno)};
    const std::lock_guard lock(mutex_);
    file_ = std::move(file);
    return {};
}

void AuditLog::write(std::string_view line) const {
    const std::lock_guard lock(mutex_);
    if (file_.get() < 0) return;
    const ssize_t written = ::write(file_.get(), line.data(), line.size());
    if (written == static_cast<ssize_t>(line.size())) return;
    const char *why = written < 0 ? std::strerror(errno) : "only a part of a line was written";
    syslog(LOG_AUTHPRIV | LOG_ERR, "cannot write %s: %s", path_.c_str(), why);
}

}  // namespace tapir::server
