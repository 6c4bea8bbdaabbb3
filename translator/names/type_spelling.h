// SPDX-License-Identifier: GPL-2.0-or-later
// Types as compilers, demanglers and people write them.
#pragma once

#include <string>
#include <string_view>

namespace tapir {

// Returns one spelling of template arguments or parameters with the brackets around them, "<const char*, unsigned>" or
// "(size_t, Color)", and of the text behind them. It is for comparing only: "unsigned", "uint32_t" and "unsigned int"
// are one; so are "const char *" and "char const*", "3ul" and "3", "'a'" and "(char)97", "std::string" and its full
// type, "std::__cxx11::list" and "std::list". Texts of other languages stay the same, apart from spaces.
std::string type_spelling(std::string_view text);

// Compares two of these: can `wanted` stand for `name`? Its writer may have left out the last arguments of templates,
// as "std::vector<int>" does, and scopes: "Box<Item>" of "Box<geo::v2::Item>".
bool stands_for(std::string_view wanted, std::string_view name);

}  // namespace tapir
