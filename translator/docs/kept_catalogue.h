// SPDX-License-Identifier: GPL-2.0-or-later
// The catalogue of a library, kept on disk between runs: to make it, all files of the library are parsed.
#pragma once

#include "docs/catalogue.h"

namespace tapir::docs {

// Like read_library() without a kernel, but without its problems. The catalogue lies in options.cache_dir, if there is
// one, and is made anew when a file of the library or the program has changed. `parsed`, unless null, tells whether
// the library had to be read.
Catalogue kept_catalogue(const library::IndexOptions &options, bool *parsed = nullptr);

}  // namespace tapir::docs
