// SPDX-License-Identifier: GPL-2.0-or-later
// A dump of a kernel of any content gives an error, or memory that can be read at any address. Dumps in the format of
// kdump are those of the library that reads them.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/kernel_dump.h"

using namespace tapir;

namespace {

constexpr uint64_t kPlaces[] = {0xffffffff81000000, 0xffffffff82001000, 0xffff888000000000, 0xffff888000006000,
                                0xffffc90000000000, 0xffffffffffffff00, 0x8000000000000000, 0x1000};

// A dump is read from a file: this one is always the same.
int the_file() {
    static const int file = memfd_create("dump", MFD_CLOEXEC);
    return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 8 && std::memcmp(data, "KDUMP   ", 8) == 0) return 0;
    if (ftruncate(the_file(), 0) != 0 || pwrite(the_file(), data, size, 0) != static_cast<ssize_t>(size)) abort();
    const std::string path = "/proc/self/fd/" + std::to_string(the_file());
    core::KernelDump::is_one(path);
    Outcome<std::unique_ptr<core::KernelDump>> dump = core::KernelDump::open(path);
    if (!dump) return 0;
    char text[8192];
    for (const uint64_t at : kPlaces) {
        if (!(*dump)->read(text, at, 8) && text[0] != 0) abort();
        (*dump)->read(text, at + 4092, 4104);
        const int length = (*dump)->read_string(text, at, sizeof text);
        if (length >= static_cast<int>(sizeof text) ||
            (length >= 0 && std::strlen(text) != static_cast<size_t>(length)))
            abort();
    }
    (*dump)->symbol("_stext");
    return 0;
}
