// SPDX-License-Identifier: GPL-2.0-or-later
// The aliases syscall.NAME and syscall.NAME.return, and their older names nd_syscall, dw_syscall and tp_syscall: they
// are written when they are asked for, in the language itself.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "syscalls/calls.h"

namespace tapir::syscalls {

struct AliasName {
    std::string name;  // "fstatat"
    bool by_wildcard;  // syscall.* means it; else it is one more name of calls that have one
    // Wildcards mean it also where they follow this ("compat_"); "" where they do not.
    std::string_view prefix = {};
};

class Aliases {
  public:
    // `calls` must outlive it.
    explicit Aliases(const Calls &calls);

    static constexpr std::string_view kRoots[] = {"syscall", "nd_syscall", "dw_syscall", "tp_syscall"};

    // Sorted by name. Each is an alias of a call, and with ".return" one of its return.
    const std::vector<AliasName> &names() const { return names_; }
    // Returns the declarations of ROOT.NAME, or of ROOT.NAME.return; "" if the name is unknown.
    std::string text(std::string_view root, const std::string &name, bool at_return) const;

  private:
    struct Group;
    // A call that the tables have and this kernel lacks.
    struct Absent {
        std::string kernel;  // the call's name there
        bool narrow = false;
    };

    std::string absent_text(std::string_view root, const std::string &name, const Absent &absent, bool at_return) const;

    const Calls &calls_;
    std::map<std::string, std::vector<size_t>> entries_;  // positions, by name
    std::map<std::string, Absent> absent_;
    std::vector<AliasName> names_;
};

}  // namespace tapir::syscalls
