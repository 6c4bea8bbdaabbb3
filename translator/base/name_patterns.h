// SPDX-License-Identifier: GPL-2.0-or-later
// Matching names by pattern and finding near ones for "similar:" lists.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tapir {

// True when the pattern contains *, ? or [.
bool has_wildcard(std::string_view pattern);

// Shell-style match of the whole name: *, ?, [a-z], [!a-z], backslash escapes. An unclosed [ is literal.
bool glob_match(std::string_view pattern, std::string_view name);

// Number of inserted, removed, replaced or swapped neighbouring bytes; gives up and returns limit + 1 beyond `limit`.
size_t edit_distance(std::string_view a, std::string_view b, size_t limit);

// Up to `limit` of the names that are near `name`, best first, ties in the given order.
std::vector<std::string> similar_views(std::string_view name, const std::vector<std::string_view> &names,
                                       size_t limit = 5);
std::vector<std::string> similar_names(std::string_view name, const std::vector<std::string> &names, size_t limit = 5);

// " (similar: a, b)", or "" when there are none.
std::string similar_text(const std::vector<std::string> &names, std::string_view label = "similar");

}  // namespace tapir
