// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/colors.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <sstream>

namespace tapir {

namespace {

bool knows_colors(int fd) {
    const char *terminal = std::getenv("TERM"), *refused = std::getenv("NO_COLOR");
    return isatty(fd) && terminal && *terminal && std::strcmp(terminal, "dumb") != 0 && (!refused || !*refused);
}

}  // namespace

Colors::Colors(Coloring when, int fd) {
    if (when == Coloring::Never || (when == Coloring::Auto && !knows_colors(fd))) return;
    codes_ = {{"error", "01;31"}, {"warning", "00;33"}, {"source", "00;34"}, {"caret", "01"}, {"token", "01"},
              {"help", "01"},     {"answer", "01"},     {"done", "32"},      {"dim", "02"}};
    const char *wanted = std::getenv("SYSTEMTAP_COLORS");
    if (!wanted) return;
    std::istringstream entries(wanted);
    bool valid = *wanted;
    for (std::string entry; std::getline(entries, entry, ':');) {
        const size_t equal = entry.find('=');
        const auto known = codes_.find(entry.substr(0, equal));
        valid &= equal != std::string::npos && known != codes_.end() &&
                 entry.find_first_not_of("0123456789;", equal + 1) == std::string::npos;
        if (valid) known->second = entry.substr(equal + 1);
    }
    if (!valid) codes_.clear();
}

std::string Colors::paint(std::string_view key, std::string_view text) const {
    const auto code = codes_.find(key);
    if (code == codes_.end() || code->second.empty() || text.empty()) return std::string(text);
    return "\033[" + code->second + "m" + std::string(text) + "\033[0m";
}

}  // namespace tapir
