// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as BTF: refused, or everything in it can be asked for.
#include "unit/target/btf_walk.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    std::string error;
    const auto types = tapir::target::BtfTypes::read({reinterpret_cast<const char *>(data), size}, error);
    if (types) tapir::target::walk_all(*types);
    return 0;
}
