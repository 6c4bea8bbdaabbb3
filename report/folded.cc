// SPDX-License-Identifier: GPL-2.0-or-later
// Writes a line for each stack, root first, with its value, as many tools read it. Lines that tools do not take for
// stacks begin with '#' and do not end with a number.
#include <algorithm>
#include <map>

#include "report/origin.h"
#include "report/picture.h"

namespace tapir::report {

std::string render_folded(const Picture &picture) {
    std::string out = "# " + picture.profile.title + " in " + picture.profile.unit + ", made by stap-report\n";
    for (const std::string &line : origin_lines(picture))
        out += "# " + line + "\n";
    for (const std::string &line : quality_lines(picture.profile))
        out += "# " + line + "\n";
    if (picture.before) {
        out += "# two values: of what it is compared with, and of this capture\n";
        for (const std::string &line : quality_lines(*picture.before))
            out += "# before: " + line + "\n";
    }
    std::map<std::string, std::pair<int64_t, int64_t>> stacks;
    const auto add = [&](const Profile &profile, bool old) {
        for (const Row &row : profile.rows) {
            std::string stack;
            for (const uint32_t frame : row.frames) {
                std::string name = picture.frames[frame].name;
                std::replace(name.begin(), name.end(), ';', ':');
                stack += (stack.empty() ? "" : ";") + name;
            }
            std::pair<int64_t, int64_t> &values = stacks[std::move(stack)];
            (old ? values.first : values.second) += row.value;
        }
    };
    add(picture.profile, false);
    if (picture.before) add(*picture.before, true);
    for (const auto &[stack, values] : stacks) {
        out += stack + " ";
        if (picture.before) out += std::to_string(values.first) + " ";
        out += std::to_string(values.second) + "\n";
    }
    return out;
}

}  // namespace tapir::report
