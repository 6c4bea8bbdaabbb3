// SPDX-License-Identifier: GPL-2.0-or-later
// The types of headers, for @cast(p, "type", "kernel<linux/tcp.h>") and @cast(p, "type", "<stdio.h>").
#pragma once

#include <string>

#include "common/outcome.h"
#include "target/kernel.h"

namespace tapir::build {

// An object file with debug information for all that the headers declare: "<linux/tcp.h>", or several, "<a.h><b.h>". It
// is made by the kernel's own build rules, which takes a second or two (null: by this machine's C compiler, as programs
// see the headers), and kept below `cache_dir` (which may be "": not kept, and made in the directory for temporary
// files). Gives its path, else HeadersUnusable.
Outcome<std::string> compile_header_types(const target::Kernel *kernel, const std::string &headers,
                                          const std::string &cache_dir);

}  // namespace tapir::build
