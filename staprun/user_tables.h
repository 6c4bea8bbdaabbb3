// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unwind tables for the module: what its stacks met, or will meet, it asks for file by file. A file that is no ELF file
 * of this machine has no table; stacks then end there and say so.
 */
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "control.h"

namespace tapir::staprun {

class UserTables {
  public:
    explicit UserTables(Control &control) : control_(control) {}

    // Makes what is wanted until nothing is.
    void serve();
    // Before the start, so that not even the first stacks are missed: what a process has mapped; the program of a
    // command and the libraries that it is linked with.
    void announce_process(int64_t pid);
    void announce_command(const std::string &command);

  private:
    void answer(const tapir_ioc_unwind_want &want);

    Control &control_;
};

}  // namespace tapir::staprun
