// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/descriptor.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "common/files.h"

namespace tapir {

void Descriptor::reset() {
    const int error = errno;
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
    errno = error;
}

Descriptor kept_duplicate(int fd) {
    return Descriptor(fcntl(fd, F_DUPFD_CLOEXEC, kLowestKeptDescriptor));
}

bool make_pipe(Descriptor &read, Descriptor &write) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    const Descriptor first(ends[0]), second(ends[1]);
    read = kept_duplicate(first.get());
    write = kept_duplicate(second.get());
    return read.get() >= 0 && write.get() >= 0;
}

Descriptor memory_file(const char *name, std::string_view text) {
    const Descriptor made(memfd_create(name, MFD_CLOEXEC));
    if (made.get() < 0) return Descriptor();
    if (!write_all(made.get(), text)) return Descriptor();
    lseek(made.get(), 0, SEEK_SET);
    return kept_duplicate(made.get());
}

}  // namespace tapir
