// SPDX-License-Identifier: GPL-2.0-or-later
// In the place of kdump_reader.cc: in builds without libkdumpfile, and in programs that stand alone, which load
// nothing.
#include "core/kdump_reader.h"

namespace tapir::core {

std::string KdumpReader::missing() {
    return "this program was made without libkdumpfile; 'makedumpfile -E' and QEMU's dump-guest-memory without -z "
           "write ELF dumps, which need no library";
}

Outcome<std::unique_ptr<KdumpReader>> KdumpReader::open(int) {
    return Fault{FaultTag::CoreForeign, "is a dump in the format of kdump: " + missing()};
}

KdumpReader::~KdumpReader() = default;

bool KdumpReader::read(void *, uint64_t, uint32_t) const {
    return false;
}

}  // namespace tapir::core
