// SPDX-License-Identifier: GPL-2.0-or-later
// Any file as a program: with any code, symbols, call frame information and tables of exception handlers, the
// exits of its functions are found, or not, in bounded time.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "target/code_image.h"
#include "target/debug_info.h"
#include "target/function_exits.h"

using namespace tapir;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    constexpr int kFunctions = 64;
    const int fd = memfd_create("program", MFD_CLOEXEC);
    if (fd < 0) return 0;
    const bool written = write(fd, data, size) == static_cast<ssize_t>(size);
    std::string error;
    target::DebugObject program;
    // No directories: separate files of this machine have nothing to say.
    if (written) program.object = dwarf::Object::open("/proc/self/fd/" + std::to_string(fd), error, "");
    close(fd);
    if (!program.object) return 0;
    program.index = dwarf::Index::open(*program.object, "");
    int left = kFunctions;
    for (const dwarf::FunctionSymbol &symbol : program.object->symbols().functions())
        if (left-- > 0) target::function_exits(program, symbol.address);
    left = kFunctions;
    if (program.index)
        for (const dwarf::FunctionEntry &function : program.index->functions())
            if (left-- > 0) target::function_exits(program, function.entry);
    left = kFunctions;
    if (program.code)
        for (const unwind::Fde &entry : program.code->frame_entries({0, UINT64_MAX}))
            if (left-- > 0) target::function_exits(program, entry.start);
    return 0;
}
