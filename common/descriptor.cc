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

Descriptor memory_file(const char *name, std::string_view text) {
    const Descriptor made(memfd_create(name, MFD_CLOEXEC));
    if (made.get() < 0) return Descriptor();
    if (!write_all(made.get(), text)) return Descriptor();
    lseek(made.get(), 0, SEEK_SET);
    return kept_duplicate(made.get());
}

}  // namespace tapir
