// SPDX-License-Identifier: GPL-2.0-or-later
// Any file as an object with debug information: with any index, functions, scopes, lines and locations, reading
// them stays inside it.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "unit/dwarf/walk_object.h"

using namespace tapir::dwarf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const int fd = memfd_create("object", MFD_CLOEXEC);
    if (fd < 0) return 0;
    const bool written = write(fd, data, size) == static_cast<ssize_t>(size);
    std::string error;
    // No directories: separate files of this machine have nothing to say.
    const auto object = written ? Object::open("/proc/self/fd/" + std::to_string(fd), error, "") : nullptr;
    close(fd);
    const auto index = object ? Index::open(*object, "") : nullptr;
    if (index) walk_all(*object, *index);
    return 0;
}
