// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "ast/ast.h"

namespace tapir::library {

// Splits "a.b.c" at its dots.
std::vector<std::string_view> split_name(std::string_view dotted);

// True when the point has "*", "?" or "[" in the name of a component.
bool has_wildcard_names(const ast::ProbePoint &point);

// False when already the first component of an alias's dotted name differs. Cheap, as there are thousands of aliases.
bool may_match(std::string_view alias, const ast::ProbePoint &point);

// How many components of `point` an alias with these component names takes up: "*" matches within a component, "**"
// over several. 0 when the alias is not meant; less than all when the point goes on after the alias's name (a suffix).
size_t match_alias(const std::vector<std::string_view> &alias, const ast::ProbePoint &point);

}  // namespace tapir::library
