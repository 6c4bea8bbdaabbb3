// SPDX-License-Identifier: GPL-2.0-or-later
#include "loader.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "common/plain_text.h"
#include "privileges.h"

namespace tapir::staprun {

namespace {

// Reads the kernel's log between its construction and lines().
class KernelLog {
  public:
    KernelLog() : fd_(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
        if (fd_ >= 0 && lseek(fd_, 0, SEEK_END) < 0) close_now();
    }
    ~KernelLog() { close_now(); }
    KernelLog(const KernelLog &) = delete;
    KernelLog &operator=(const KernelLog &) = delete;

    // Texts of the records that contain `word` or are about lockdown, without prefix and continuation lines.
    std::vector<std::string> lines(const std::string &word) {
        std::vector<std::string> out;
        char record[8192];
        while (fd_ >= 0) {
            ssize_t got = read(fd_, record, sizeof record);
            if (got < 0 && errno == EPIPE) continue;  // records were overwritten meanwhile
            if (got <= 0) break;
            std::string text(record, static_cast<size_t>(got));
            size_t begin = text.find(';');
            if (begin == std::string::npos) continue;
            text = text.substr(begin + 1, text.find('\n') - begin - 1);
            bool lockdown = text.compare(0, 9, "Lockdown:") == 0;  // names the process, not the module
            if (lockdown || text.find(word) != std::string::npos) out.push_back(text);
        }
        return out;
    }

  private:
    void close_now() {
        if (fd_ >= 0) close(fd_);
        fd_ = -1;
    }
    int fd_;
};

void pause_ms(unsigned ms) {
    timespec wait = {static_cast<time_t>(ms / 1000), static_cast<long>(ms % 1000) * 1000000};
    nanosleep(&wait, nullptr);
}

}  // namespace

int insert_module(const ModuleFile &file, const std::string &path, std::vector<std::string> &log) {
    KernelLog kernel_log;
    const Right right(Need::Modules);
    int error = 0;
    int fd = file.renamed() || path.empty() ? -1 : open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        error = syscall(SYS_finit_module, fd, "", 0) == 0 ? 0 : errno;
        close(fd);
    }
    if (fd < 0 || error == ENOSYS)
        error = syscall(SYS_init_module, file.image().data(), file.image().size(), "") == 0 ? 0 : errno;
    if (error) {
        // Some messages carry the name from .modinfo, which renaming leaves alone: both begin alike.
        std::string word = file.name().substr(0, std::min<size_t>(file.name().size(), 12));
        log = kernel_log.lines(word);
    }
    return error;
}

int remove_module(const std::string &name, unsigned patience_ms) {
    const Right right(Need::Modules);
    unsigned waited = 0;
    for (unsigned step = 1;; step = std::min(step * 2, 50u)) {
        if (syscall(SYS_delete_module, name.c_str(), O_NONBLOCK) == 0) return 0;
        int error = errno;
        bool worth_waiting = error == EAGAIN || error == EBUSY;
        if (!worth_waiting || waited >= patience_ms) return error;
        pause_ms(step);
        waited += step;
    }
}

std::vector<std::string> list_tapir_modules() {
    constexpr char prefix[] = "tapir-";
    std::vector<std::string> names;
    DIR *directory = opendir("/proc");
    if (!directory) return names;
    while (const dirent *entry = readdir(directory)) {
        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) == 0)
            names.emplace_back(entry->d_name + sizeof prefix - 1);
    }
    closedir(directory);
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace tapir::staprun
