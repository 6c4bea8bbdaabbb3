// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/color.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <sstream>
#include <string_view>

namespace tapir::driver {
namespace {

std::map<std::string, std::string> palette() {
    std::map<std::string, std::string> colors = {{"error", "01;31"}, {"warning", "00;33"}, {"caret", "01"}};
    const char *wanted = std::getenv("SYSTEMTAP_COLORS");
    std::istringstream entries(wanted ? wanted : "");
    for (std::string entry; std::getline(entries, entry, ':');) {
        size_t equal = entry.find('=');
        if (equal == std::string::npos) continue;
        std::string codes = entry.substr(equal + 1);
        if (codes.find_first_not_of("0123456789;") == std::string::npos) colors[entry.substr(0, equal)] = codes;
    }
    return colors;
}

std::string paint(const std::string &code, std::string_view text) {
    if (code.empty()) return std::string(text);
    return "\033[" + code + "m" + std::string(text) + "\033[0m";
}

}  // namespace

std::string colored(const std::string &text) {
    static constexpr struct {
        std::string_view label;
        const char *color;
    } kLabels[] = {{"parse error:", "error"},
                   {"semantic error:", "error"},
                   {"translation error:", "error"},
                   {"ERROR:", "error"},
                   {"WARNING:", "warning"}};
    std::map<std::string, std::string> colors = palette();
    std::string out;
    for (size_t at = 0; at < text.size();) {
        size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = std::string_view(text).substr(at, end - at);
        bool caret = line.ends_with("^") && line.find_first_not_of(" \t") == line.size() - 1;
        const auto *found = std::end(kLabels);
        for (const auto &entry : kLabels)
            if (line.starts_with(entry.label)) found = &entry;
        if (caret) {
            out.append(line.substr(0, line.size() - 1)).append(paint(colors["caret"], "^"));
        } else if (found != std::end(kLabels)) {
            out.append(paint(colors[found->color], found->label)).append(line.substr(found->label.size()));
        } else {
            out.append(line);
        }
        if (end < text.size()) out += '\n';
        at = end + 1;
    }
    return out;
}

}  // namespace tapir::driver
