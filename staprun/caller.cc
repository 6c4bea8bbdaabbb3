// SPDX-License-Identifier: GPL-2.0-or-later
#include "caller.h"

#include <algorithm>

#include "common/plain_text.h"

namespace tapir::staprun {

const char *name_of(Standing standing) {
    switch (standing) {
        case Standing::Nobody:
            return "nobody";
        case Standing::User:
            return "stapusr";
        case Standing::System:
            return "stapsys";
        case Standing::Developer:
            return "stapdev";
        case Standing::Root:
            return "root";
    }
    return "";
}

bool find_group(std::string_view group_file, std::string_view name, gid_t &out) {
    while (!group_file.empty()) {
        const size_t end = group_file.find('\n');
        std::string_view line = group_file.substr(0, end);
        group_file.remove_prefix(end == std::string_view::npos ? group_file.size() : end + 1);
        // name:password:number:members
        if (line.size() <= name.size() || line.substr(0, name.size()) != name || line[name.size()] != ':') continue;
        line.remove_prefix(name.size() + 1);
        const size_t number = line.find(':');
        if (number == std::string_view::npos) continue;
        line.remove_prefix(number + 1);
        line = line.substr(0, line.find(':'));
        uint64_t value = 0;
        // Root's group, and text that is not a valid group number, make no user a member.
        if (line.empty() || line.find_first_not_of("0123456789") != std::string_view::npos ||
            (line[0] == '0' && line.size() > 1) || !parse_unsigned(line, value) || value == 0 || value >= UINT32_MAX)
            return false;
        out = static_cast<gid_t>(value);
        return true;
    }
    return false;
}

Standing standing_of(const std::vector<gid_t> &mine, std::string_view group_file) {
    const auto in = [&](const char *name) {
        gid_t group = 0;
        return find_group(group_file, name, group) && std::find(mine.begin(), mine.end(), group) != mine.end();
    };
    if (!in("stapusr")) return Standing::Nobody;
    if (in("stapdev")) return Standing::Developer;
    return in("stapsys") ? Standing::System : Standing::User;
}

}  // namespace tapir::staprun
