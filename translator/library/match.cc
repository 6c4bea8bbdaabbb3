// SPDX-License-Identifier: GPL-2.0-or-later
#include "library/match.h"

#include <algorithm>

#include "base/name_patterns.h"

namespace tapir::library {

std::vector<std::string_view> split_name(std::string_view dotted) {
    std::vector<std::string_view> parts;
    for (size_t start = 0; start <= dotted.size();) {
        size_t end = std::min(dotted.find('.', start), dotted.size());
        parts.push_back(dotted.substr(start, end - start));
        start = end + 1;
    }
    return parts;
}

bool has_wildcard_names(const ast::ProbePoint &point) {
    return std::any_of(point.components.begin(), point.components.end(),
                       [](const ast::PointComponent &c) { return has_wildcard(c.name); });
}

namespace {

size_t match_from(const std::vector<std::string_view> &alias, size_t a, const ast::ProbePoint &point, size_t p) {
    if (a == alias.size()) return p;
    if (p == point.components.size()) return 0;
    const std::string &pattern = point.components[p].name;
    if (pattern.find("**") == std::string::npos)
        return glob_match(pattern, alias[a]) ? match_from(alias, a + 1, point, p + 1) : 0;
    std::string joined;
    size_t best = 0;
    for (size_t end = a; end < alias.size(); ++end) {
        joined += (end == a ? "" : ".") + std::string(alias[end]);
        if (glob_match(pattern, joined)) best = std::max(best, match_from(alias, end + 1, point, p + 1));
    }
    return best;
}

}  // namespace

bool may_match(std::string_view alias, const ast::ProbePoint &point) {
    if (point.components.empty()) return false;
    const std::string &root = point.components[0].name;
    if (has_wildcard(root)) return true;
    return alias.starts_with(root) && (alias.size() == root.size() || alias[root.size()] == '.');
}

size_t match_alias(const std::vector<std::string_view> &alias, const ast::ProbePoint &point) {
    return match_from(alias, 0, point, 0);
}

}  // namespace tapir::library
