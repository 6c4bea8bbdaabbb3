// SPDX-License-Identifier: GPL-2.0-or-later
// The system calls of a kernel as the library's tables describe them, read when the first script or probe point asks
// for them, and their aliases.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "library/alias_source.h"
#include "library/tapset_index.h"
#include "syscalls/aliases.h"
#include "syscalls/calls.h"

namespace tapir::library {

class SystemCalls {
  public:
    // Returns the kernel's system calls; called once, when the tables have been read.
    using Kernel = std::function<syscalls::KernelCalls(const syscalls::Table &)>;

    // Those of `files` that are tables say what the calls mean. `diagnostics` must outlive it.
    SystemCalls(Kernel kernel, const std::vector<IndexedFile> &files, Diagnostics &diagnostics);

    const syscalls::Calls &get();
    // For Library::add_aliases(); this must outlive it.
    std::unique_ptr<AliasSource> aliases();

  private:
    Kernel kernel_;
    std::vector<std::string> paths_;
    Diagnostics &diagnostics_;
    std::vector<std::unique_ptr<SourceFile>> sources_;
    syscalls::Table table_;
    std::unique_ptr<syscalls::Calls> calls_;
};

}  // namespace tapir::library
