// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/exports.h"

#include <algorithm>

namespace tapir::target {

std::vector<Export> find_exports(std::string_view symvers, const std::set<std::string, std::less<>> &names) {
    std::vector<Export> found;
    while (!symvers.empty()) {
        std::string_view line = symvers.substr(0, symvers.find('\n'));
        symvers.remove_prefix(std::min(symvers.size(), line.size() + 1));
        // crc, name, module, kind of export, namespace; separated by tabs.
        std::string_view column[5];
        for (std::string_view &one : column) {
            one = line.substr(0, line.find('\t'));
            line.remove_prefix(std::min(line.size(), one.size() + 1));
        }
        if (names.contains(column[1]))
            found.push_back(
                {std::string(column[1]), std::string(column[0]), std::string(column[2]), std::string(column[4])});
    }
    return found;
}

}  // namespace tapir::target
