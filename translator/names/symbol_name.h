// SPDX-License-Identifier: GPL-2.0-or-later
// What compilers add to the names of symbols.
#pragma once

#include <string_view>

namespace tapir {

// "f.part.0", "f.part.0.isra.0": a piece of f that was split off, which only the rest of f calls (maybe inlined
// elsewhere). "f.isra.0" and "f.constprop.0" are f, whole.
inline bool is_split_off(std::string_view symbol) {
    return symbol.find(".part.") != std::string_view::npos;
}

}  // namespace tapir
