// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <string>

#include "syscalls/call_table.h"

namespace tapir::emit {

// Tables of how arguments of system calls are shown, as C for runtime/syscall_text.c. Shared parts are defined once.
class SyscallTables {
  public:
    // A C expression for tapir_syscall.args of the call; "NULL" if it has no arguments.
    std::string arguments(const syscalls::Call &call);
    // Definitions of all that was asked for, in an order that compiles.
    const std::string &text() const { return text_; }

  private:
    std::string show(const syscalls::Show &show);
    std::string of(const syscalls::Show &show);
    std::string names(const syscalls::Names &names);
    std::string record(const syscalls::Record &record);
    std::string choice(const syscalls::Show &show);
    // Defines `const TYPE NAME[] = { ITEMS };` and returns its name. Equal items share a name.
    std::string array(const std::string &type, const std::string &items);
    std::string object(const std::string &type, const std::string &value);
    std::string define(const std::string &declaration, const std::string &value);

    std::string text_;
    std::map<std::string, std::string> defined_;  // name by declaration and value
    std::map<const void *, std::string> known_;   // name of sets and structures
};

}  // namespace tapir::emit
