// SPDX-License-Identifier: GPL-2.0-or-later
#include "budget_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/descriptor.h"
#include "common/plain_text.h"

namespace tapir::staprun {

namespace {

class BudgetFile {
  public:
    explicit BudgetFile(const std::string &path) : path_(path) {}
    ~BudgetFile() {
        if (mapped_ != MAP_FAILED) munmap(mapped_, bytes_);
    }
    BudgetFile(const BudgetFile &) = delete;
    BudgetFile &operator=(const BudgetFile &) = delete;

    Outcome<void> open() {
        file_ = Descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
        if (file_.get() < 0 && errno == ELOOP) return refuse("is a symbolic link", "name the file itself");
        if (file_.get() < 0) return refuse(format("cannot be opened: %s", strerror(errno)));
        struct stat status = {};
        struct statfs system = {};
        if (fstat(file_.get(), &status) != 0 || fstatfs(file_.get(), &system) != 0)
            return refuse(format("cannot be looked at: %s", strerror(errno)));
        if (!S_ISREG(status.st_mode)) return refuse("is no regular file");
        if (system.f_type != TMPFS_MAGIC)
            return refuse("is not in memory, where processors could share it", "name a file in /run or /dev/shm");
        if (status.st_uid != 0 && status.st_uid != getuid())
            return refuse(format("belongs to user %u", static_cast<unsigned>(status.st_uid)),
                          "a budget is shared with root's sessions and one's own");
        if (status.st_mode & (S_IWGRP | S_IWOTH))
            return refuse("can be written by others, who could make the budget wrong", "chmod go-w keeps them out");
        return {};
    }

    // Sessions may begin at the same time.
    Outcome<void> prepare(uint32_t cpus) {
        bytes_ = TAPIR_BUDGET_BYTES(cpus);
        if (flock(file_.get(), LOCK_EX) != 0) return refuse(format("cannot be locked: %s", strerror(errno)));
        struct stat status = {};
        if (fstat(file_.get(), &status) != 0) return refuse(format("cannot be looked at: %s", strerror(errno)));
        const bool made = status.st_size == 0;
        // Memory that is not there would end those who touch it.
        if (made)
            if (const int error = posix_fallocate(file_.get(), 0, static_cast<off_t>(bytes_)); error)
                return refuse(format("cannot have its %zu bytes: %s", bytes_, strerror(error)));
        if (!made && static_cast<size_t>(status.st_size) < bytes_) return other();
        mapped_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
        if (mapped_ == MAP_FAILED) return refuse(format("cannot be mapped: %s", strerror(errno)));
        auto *head = static_cast<tapir_budget_file *>(mapped_);
        if (made) {
            head->magic = TAPIR_BUDGET_MAGIC;
            head->cpus = cpus;
        }
        flock(file_.get(), LOCK_UN);
        return head->magic == TAPIR_BUDGET_MAGIC && head->cpus == cpus ? Outcome<void>() : other();
    }

    Outcome<void> hand_to(Control &control) {
        const int error = control.budget({reinterpret_cast<uintptr_t>(mapped_), bytes_});
        return error ? refuse(format("is refused by the module: %s", strerror(error))) : Outcome<void>();
    }

  private:
    Outcome<void> refuse(const std::string &why, const std::string &hint = "") const {
        return Fault{FaultTag::SettingRefused, format("--budget-file: '%s' %s", path_.c_str(), why.c_str()), hint};
    }
    Outcome<void> other() const {
        return refuse("is no budget file of this kernel's processors",
                      "remove it, or name another one: staprun makes it");
    }

    const std::string path_;
    Descriptor file_;
    size_t bytes_ = 0;
    void *mapped_ = MAP_FAILED;
};

}  // namespace

Outcome<void> share_budget(Control &control, const std::string &path) {
    tapir_ioc_hello hello = {};
    if (const int error = control.hello(hello); error)
        return Fault{FaultTag::SettingRefused, format("the module does not answer: %s", strerror(error))};
    BudgetFile file(path);
    if (Outcome<void> opened = file.open(); !opened) return opened;
    if (Outcome<void> prepared = file.prepare(hello.cpus); !prepared) return prepared;
    return file.hand_to(control);
}

}  // namespace tapir::staprun
