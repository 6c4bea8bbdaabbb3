// SPDX-License-Identifier: GPL-2.0-or-later
// The exports of a kernel and its modules, from the Module.symvers of its build tree.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::target {

struct Export {
    std::string name;
    std::string crc;     // "0x92997ed8"
    std::string module;  // that has it: "arch/x86/kvm/kvm", "vmlinux"
    std::string space;   // symbol namespace, usually ""
};

// The lines of a Module.symvers for the given names; names it does not have are missing from the result.
std::vector<Export> find_exports(std::string_view symvers, const std::set<std::string, std::less<>> &names);

}  // namespace tapir::target
