// SPDX-License-Identifier: GPL-2.0-or-later
// Core files that are compressed, or come through a pipe: as files that can be mapped. Likewise the dumps of kernels
// that were written to a pipe, in pieces ("flattened").
#pragma once

#include <cstdint>
#include <string>

#include "common/descriptor.h"
#include "common/outcome.h"

namespace tapir::target {

struct UnpackedCore {
    std::string path;     // of the core as it can be read, here and in programs that inherit `file`
    std::string warning;  // a problem that does not prevent that; "": none
    Descriptor file;      // keeps it; none where it is as it came
};

// Unpacks `path`, or standard input for "-", by the magic numbers of gzip, xz, zstd and lz4. The result goes to a file
// without a name in $TMPDIR, with holes for zeroes; it may have `most` bytes and take half of the free space there.
// Faults: CoreUnreadable, CoreDamaged.
Outcome<UnpackedCore> unpack_core(const std::string &path, uint64_t most);

}  // namespace tapir::target
