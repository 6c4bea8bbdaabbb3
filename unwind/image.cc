// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>

#include "common/regular_file.h"
#include "unwind/elf_file.h"

namespace tapir::unwind {

std::string_view MemoryImage::part(uint64_t at, uint64_t bytes) {
    if (at > content_.size() || bytes > content_.size() - at) return {};
    return content_.substr(static_cast<size_t>(at), static_cast<size_t>(bytes));
}

FileImage::~FileImage() {
    if (memory_) munmap(memory_, bytes_);
    if (own_) close(descriptor_);
}

int FileImage::open(int descriptor) {
    struct stat status = {};
    if (fstat(descriptor, &status) != 0) return errno;
    if (!S_ISREG(status.st_mode) || status.st_size <= 0) return ENOEXEC;
    void *memory = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return errno;
    descriptor_ = descriptor;
    memory_ = static_cast<char *>(memory);
    bytes_ = static_cast<uint64_t>(status.st_size);
    return 0;
}

int FileImage::open(const std::string &path) {
    const int descriptor = open_regular(path.c_str());
    if (descriptor < 0) return errno;
    const int error = open(descriptor);
    if (error) {
        close(descriptor);
    } else {
        own_ = true;
    }
    return error;
}

std::string_view FileImage::part(uint64_t at, uint64_t bytes) {
    if (at > bytes_ || bytes > bytes_ - at) return {};
    const std::string_view wanted(memory_ + at, bytes);
    auto next = filled_.upper_bound(at);
    if (next != filled_.begin() && at + bytes <= std::prev(next)->second) return wanted;
    for (uint64_t done = 0; done < bytes;) {
        const ssize_t got = pread(descriptor_, memory_ + at + done, bytes - done, static_cast<off_t>(at + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return {};
        done += static_cast<uint64_t>(got);
    }
    // None is within another, so that the last that begins before a place reaches furthest.
    while (next != filled_.end() && next->second <= at + bytes)
        next = filled_.erase(next);
    filled_.insert_or_assign(at, at + bytes);
    return wanted;
}

}  // namespace tapir::unwind
