// SPDX-License-Identifier: GPL-2.0-or-later
// The system calls of the kernel, read when the first script or probe point asks for them, and their aliases.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "library/alias_source.h"
#include "library/index.h"
#include "syscalls/aliases.h"
#include "syscalls/calls.h"
#include "target/kernel.h"

namespace tapir::driver {

class SystemCalls {
  public:
    // Those of `files` that are tables say what the calls mean. `kernel` and `diagnostics` must outlive it.
    SystemCalls(const target::Kernel &kernel, const std::vector<library::IndexedFile> &files, Diagnostics &diagnostics);

    const syscalls::Calls &get();
    // For the library; this must outlive it.
    std::unique_ptr<library::AliasSource> aliases();

  private:
    const target::Kernel &kernel_;
    std::vector<std::string> paths_;
    Diagnostics &diagnostics_;
    std::vector<std::unique_ptr<SourceFile>> sources_;
    syscalls::Table table_;
    std::unique_ptr<syscalls::Calls> calls_;
};

}  // namespace tapir::driver
