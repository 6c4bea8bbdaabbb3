// SPDX-License-Identifier: GPL-2.0-or-later
// Additions of compilers to the names of symbols.
#pragma once

#include <string_view>

namespace tapir {

// Has the name this suffix, with more suffixes behind it at most? "f.cold", "f.cold.1", but not "T.colder".
inline bool has_symbol_suffix(std::string_view symbol, std::string_view suffix) {
    for (size_t at = 0; (at = symbol.find(suffix, at)) != std::string_view::npos; at += suffix.size()) {
        const std::string_view rest = symbol.substr(at + suffix.size());
        if (rest.empty() || rest[0] == '.') return true;
    }
    return false;
}

// "f.part.0", "f.part.0.isra.0": a piece of f that was split off, which only the rest of f calls (maybe inlined
// elsewhere). "f.isra.0" and "f.constprop.0" are f, whole.
inline bool is_split_off(std::string_view symbol) {
    return has_symbol_suffix(symbol, ".part");
}

// "f.cold": code of f that is unlikely to run and was put elsewhere. f jumps to it.
inline bool is_cold_part(std::string_view symbol) {
    return has_symbol_suffix(symbol, ".cold");
}

// "f.isra.0", "f.constprop.0": copies that are called otherwise than f is written. "f.lto_priv.0", "f.llvm.123",
// "f.localalias" and "f.0" are called as f. Rust's names may have points within.
inline bool is_changed_copy(std::string_view symbol) {
    for (std::string_view mark : {".isra", ".constprop", ".part", ".cold", ".specialized", ".argprom", ".argelim",
                                  ".retelim", "._omp_fn", ".simdclone"})
        for (size_t at = symbol.find(mark); at != std::string_view::npos; at = symbol.find(mark, at + 1)) {
            const std::string_view rest = symbol.substr(at + mark.size());
            if (rest.empty() || rest.front() == '.') return true;
        }
    return false;
}

}  // namespace tapir
