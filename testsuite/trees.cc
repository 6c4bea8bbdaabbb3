// SPDX-License-Identifier: GPL-2.0-or-later
#include "testsuite/trees.h"

namespace tapir {

std::string source_dir() {
    return TAPIR_SOURCE_DIR;
}

std::string build_dir() {
    return TAPIR_BINARY_DIR;
}

}  // namespace tapir
