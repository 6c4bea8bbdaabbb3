// SPDX-License-Identifier: GPL-2.0-or-later
// Names of symbols as their sources have them.
#pragma once

#include <string>
#include <string_view>

namespace tapir {

// Could it be the linkage name of something in C++ or Rust?
bool is_mangled(std::string_view symbol);

// "_ZN2ns5Class6methodEi" -> "ns::Class::method(int)", "_RNvNtC2sh3geo4look" -> "sh::geo::look". Leaves out hashes that
// distinguish crates and instances of Rust. "" if the symbol is not a linkage name, or is too large.
std::string demangle(std::string_view symbol);

}  // namespace tapir
