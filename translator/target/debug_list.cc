// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/debug_list.h"

#include <algorithm>

namespace tapir::target {

bool is_debug_list(std::string_view places) {
    return places.find(':') != std::string_view::npos || places.starts_with('+') || places.starts_with('-');
}

std::vector<std::string> debug_directories(std::string_view places) {
    if (!is_debug_list(places)) return {std::string(places)};
    std::vector<std::string> directories;
    for (size_t at = 0; at <= places.size();) {
        const size_t end = std::min(places.find(':', at), places.size());
        std::string_view place = places.substr(at, end - at);
        if (place.starts_with('+') || place.starts_with('-')) place.remove_prefix(1);
        if (place.starts_with('/')) directories.emplace_back(place);
        at = end + 1;
    }
    return directories;
}

}  // namespace tapir::target
