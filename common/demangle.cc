// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/demangle.h"

#include <csetjmp>

#define HAVE_DECL_BASENAME 1  // string.h declares it, and the compiler would find two
#include <libiberty/demangle.h>

namespace tapir {

namespace {

// Longer ones are not worth their cost.
constexpr size_t kMaxSymbol = 16 << 10;
// A short name with references to earlier parts can stand for a text without end.
constexpr size_t kMaxText = 64 << 10;

using Demangler = int(const char *symbol, int options, demangle_callbackref take, void *data);

struct Pieces {
    std::string text;
    std::jmp_buf full;
};

void take_piece(const char *piece, size_t bytes, void *data) {
    Pieces &pieces = *static_cast<Pieces *>(data);
    if (pieces.text.size() + bytes > kMaxText) std::longjmp(pieces.full, 1);
    pieces.text.append(piece, bytes);
}

// The library keeps its state on its stack, so leaving it in the middle is safe. For Rust's names in Punycode this
// leaks one array.
bool fill(Pieces &pieces, Demangler *demangler, const char *symbol) {
    if (setjmp(pieces.full)) return false;
    return demangler(symbol, DMGL_PARAMS | DMGL_ANSI, take_piece, &pieces) != 0;
}

std::string text_by(Demangler *demangler, const std::string &symbol) {
    Pieces pieces;
    return fill(pieces, demangler, symbol.c_str()) ? pieces.text : std::string();
}

// Where `part` stands in the text, `bytes` bytes at `offset` of it are left out.
std::string without(std::string text, std::string_view part, size_t offset, size_t bytes) {
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos;)
        text.erase(at + offset, bytes);
    return text;
}

}  // namespace

bool is_mangled(std::string_view symbol) {
    return symbol.starts_with("_Z") || symbol.starts_with("_R");
}

std::string demangle(std::string_view symbol) {
    if (!is_mangled(symbol) || symbol.size() > kMaxSymbol) return {};
    const std::string whole(symbol);
    // Rust's older names look like those of C++, but for a hash at their end.
    const std::string rust = text_by(rust_demangle_callback, whole);
    if (!rust.empty() && symbol.starts_with("_Z")) return rust;
    // Debug information has "f<u8>".
    if (!rust.empty()) return without(rust, "::<", 0, 2);
    // "operator"" _km" is "operator""_km" in sources and in debug information.
    return without(text_by(cplus_demangle_v3_callback, whole), "operator\"\" ", 10, 1);
}

}  // namespace tapir
