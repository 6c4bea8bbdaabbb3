// SPDX-License-Identifier: GPL-2.0-or-later
// Where everything that can be made again is kept.
#pragma once

#include <string>

namespace tapir::target {

// The cache's root for this user: $TAPIR_CACHE_DIR, else $SYSTEMTAP_DIR/tapir, else $XDG_CACHE_HOME/tapir, else
// ~/.cache/tapir (the password file's home when $HOME is unset). Absolute unless the variable is not. The directory
// may not exist yet. Below it: modules/ and results/ (build::Cache), templates/ (build::Template), kernels/RELEASE/
// (unpacked kernel packages, see kernel.h), index/ (debug information and tapset indexes).
std::string cache_dir();

}  // namespace tapir::target
