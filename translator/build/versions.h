// SPDX-License-Identifier: GPL-2.0-or-later
// Symbol versions for what only a user's embedded C imports from the kernel: the template's own imports come with
// theirs.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::build {

struct Export {
    std::string name;
    std::string crc;    // "0x92997ed8"
    std::string space;  // symbol namespace, usually ""
};

// The lines of a Module.symvers for the given names; names it does not have are missing from the result.
std::vector<Export> find_exports(std::string_view symvers, const std::set<std::string, std::less<>> &names);

// C text of an object that carries the versions (if `with_crcs`) and imports the namespaces of these symbols.
std::string version_source(const std::vector<Export> &exports, bool with_crcs);

}  // namespace tapir::build
