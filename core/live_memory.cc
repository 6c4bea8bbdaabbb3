// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/live_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "core/live_rights.h"

namespace tapir::core {

namespace {

constexpr uint64_t kLivePage = 4096;
constexpr uint64_t kPages = uint64_t{1} << 14;  // that are kept: 64 MB
constexpr uint64_t kAhead = 16;                 // pages of a block that is read where neighbours are asked for

}  // namespace

LiveMemory::LiveMemory(pid_t pid, const std::vector<Segment> &ranges, uint64_t kept)
    : pid_(pid), holder_(pid), ranges_(ranges), present_(kPages), most_kept_(kept) {
    // The machine gives only the used parts.
    void *memory =
        mmap(nullptr, kPages * kLivePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    blocks_ = static_cast<char *>(memory);
    // Half of a long walk's cost for the kernel is to provide each page for the first time.
    madvise(memory, kPages * kLivePage, MADV_HUGEPAGE);
}

LiveMemory::~LiveMemory() {
    if (blocks_) munmap(blocks_, kPages * kLivePage);
}

void LiveMemory::forget() {
    std::fill(present_.begin(), present_.end(), 0);
    kept_.clear();
    // It is that of the program that ran when it was opened.
    by_file_ = false;
}

// Reads as much of a range as is there; 0: nothing, with error_.
size_t LiveMemory::fetch(uint64_t address, char *to, size_t length) {
    if (!by_file_) {
        const iovec local = {to, length}, remote = {reinterpret_cast<void *>(address), length};
        ssize_t got = process_vm_readv(holder_, &local, 1, &remote, 1, 0);
        if (got < 0 && errno == ESRCH) {
            holder_ = holder_of(pid_);
            got = process_vm_readv(holder_, &local, 1, &remote, 1, 0);
        }
        if (got > 0) return static_cast<size_t>(got);
        error_ = errno;
        // Sandboxes forbid the call, and kernels are built without it.
        if (error_ != ENOSYS && error_ != EPERM) return 0;
        const std::string path = "/proc/" + std::to_string(holder_of(pid_)) + "/mem";
        file_ = Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
        if (file_.get() < 0) return 0;
        by_file_ = true;
    }
    const ssize_t got = pread(file_.get(), to, length, static_cast<off_t>(address));
    if (got > 0) return static_cast<size_t>(got);
    error_ = got < 0 ? errno : EIO;
    return 0;
}

bool LiveMemory::is_here(uint64_t page) const {
    return present_[page % kPages] == page + 1 || kept_.contains(page);
}

// Frees the place of a page for it.
void LiveMemory::put_away(uint64_t page) {
    uint64_t &present = present_[page % kPages];
    if (!present || !most_kept_ || kept_.contains(present - 1)) return;
    std::unique_ptr<char[]> copy(kept_.size() < most_kept_ ? new (std::nothrow) char[kLivePage] : nullptr);
    if (copy) {
        std::memcpy(copy.get(), blocks_ + (page % kPages) * kLivePage, kLivePage);
        kept_.emplace(present - 1, std::move(copy));
    } else {
        has_lost_ = true;
    }
    present = 0;
}

// Reads the pages of a range. Whether this one is among what could be read.
bool LiveMemory::take(uint64_t from, uint64_t to, uint64_t page) {
    for (uint64_t i = from; i < to; ++i)
        put_away(i);
    // Blocks do not wrap around: kPages is a multiple of kAhead.
    const size_t got = fetch(from * kLivePage, blocks_ + (from % kPages) * kLivePage, (to - from) * kLivePage);
    for (uint64_t i = from; i < to; ++i)
        present_[i % kPages] = (i - from + 1) * kLivePage <= got ? i + 1 : 0;
    return present_[page % kPages] == page + 1;
}

// Makes a page present, with its neighbours if those are likely to be asked for next.
bool LiveMemory::load(uint64_t page) {
    if (const auto kept = kept_.find(page); kept != kept_.end()) {
        put_away(page);
        std::memcpy(blocks_ + (page % kPages) * kLivePage, kept->second.get(), kLivePage);
        present_[page % kPages] = page + 1;
        return true;
    }
    uint64_t first = page, end = page + 1;
    const bool near = (page > last_ ? page - last_ : last_ - page) <= kAhead;
    last_ = page;
    if (near) {
        const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), page * kLivePage,
                                            [](uint64_t at, const Segment &range) { return at < range.start; });
        if (after != ranges_.begin() && page * kLivePage < std::prev(after)->end) {
            const Segment &range = *std::prev(after);
            // Reads only missing pages around this one: pages that were read stay as they are.
            const uint64_t least = std::max(page & ~(kAhead - 1), range.start / kLivePage);
            const uint64_t most = std::min((page | (kAhead - 1)) + 1, range.end / kLivePage);
            while (first > least && !is_here(first - 1))
                --first;
            while (end < most && !is_here(end))
                ++end;
        }
    }
    return take(first, end, page) || (end - first > 1 && take(page, page + 1, page));
}

uint32_t LiveMemory::read_some(void *to, uint64_t address, uint32_t length) {
    const uint64_t page = address / kLivePage, at = address % kLivePage;
    if (!blocks_) {
        error_ = ENOMEM;
        return 0;
    }
    if (present_[page % kPages] != page + 1 && !load(page)) return 0;
    const auto part = static_cast<uint32_t>(std::min<uint64_t>(length, kLivePage - at));
    std::memcpy(to, blocks_ + (page % kPages) * kLivePage + at, part);
    return part;
}

}  // namespace tapir::core
