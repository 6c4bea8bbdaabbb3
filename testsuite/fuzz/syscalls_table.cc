// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as a table of system calls: read, or errors that can be shown.
#include "syscalls/call_table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const tapir::SourceFile file("x.table", std::string(reinterpret_cast<const char *>(data), size),
                                 tapir::Origin::Tapset);
    tapir::Diagnostics diagnostics;
    tapir::syscalls::Table table;
    if (!table.read(file, diagnostics)) render_all(diagnostics, true);
    return 0;
}
