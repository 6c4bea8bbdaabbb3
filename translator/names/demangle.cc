// SPDX-License-Identifier: GPL-2.0-or-later
#include "names/demangle.h"

#include <cxxabi.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace tapir {

namespace {

// Longer ones are not worth what they cost.
constexpr size_t kMaxSymbol = 16 << 10;

bool is_hexadecimal(std::string_view text) {
    return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// What Rust's older scheme writes "$LT$", "$u20$" and ".." for.
std::string unescaped(std::string_view part) {
    static constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
        {"$SP$", "@"}, {"$BP$", "*"}, {"$RF$", "&"}, {"$LT$", "<"}, {"$GT$", ">"},
        {"$LP$", "("}, {"$RP$", ")"}, {"$C$", ","},  {"..", "::"}};
    std::string text;
    if (part.starts_with("_$")) part.remove_prefix(1);
    while (!part.empty()) {
        const auto escape = std::find_if(std::begin(kEscapes), std::end(kEscapes),
                                         [&](const auto &known) { return part.starts_with(known.first); });
        unsigned code = 0;
        const size_t end = part.find('$', 1);
        if (escape != std::end(kEscapes)) {
            text += escape->second;
            part.remove_prefix(escape->first.size());
        } else if (part.starts_with("$u") && end != std::string_view::npos && end <= 6 &&
                   std::from_chars(part.data() + 2, part.data() + end, code, 16).ptr == part.data() + end &&
                   code >= ' ' && code < 0x7f) {
            text += static_cast<char>(code);
            part.remove_prefix(end + 1);
        } else {
            text += part.front();
            part.remove_prefix(1);
        }
    }
    return text;
}

// "_ZN2sh3geo4look17h6abc34e143d6f9e0E"; "" for what has no such hash at its end.
std::string demangle_old_rust(std::string_view symbol) {
    constexpr size_t kHash = 17;  // "h" and 16 digits
    if (!symbol.starts_with("_ZN")) return {};
    symbol.remove_prefix(3);
    std::string text, last;
    size_t parts = 0;
    while (!symbol.empty() && symbol.front() != 'E') {
        size_t length = 0;
        const auto [end, error] = std::from_chars(symbol.data(), symbol.data() + symbol.size(), length);
        symbol.remove_prefix(static_cast<size_t>(end - symbol.data()));
        if (error != std::errc() || length == 0 || length > symbol.size()) return {};
        if (parts++ > 0) text += (text.empty() ? "" : "::") + unescaped(last);
        last = symbol.substr(0, length);
        symbol.remove_prefix(length);
    }
    const bool hashed = last.size() == kHash && last[0] == 'h' && is_hexadecimal(last.substr(1));
    return parts > 1 && hashed && !symbol.empty() ? text : std::string();
}

}  // namespace

bool is_mangled(std::string_view symbol) {
    return symbol.starts_with("_Z") || symbol.starts_with("_R");
}

std::string demangle(std::string_view symbol) {
    if (!is_mangled(symbol) || symbol.size() > kMaxSymbol) return {};
    if (symbol.starts_with("_R")) return demangle_rust(symbol);
    std::string rust = demangle_old_rust(symbol);
    if (!rust.empty()) return rust;
    int status = 0;
    char *text = abi::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, &status);
    std::string name = status == 0 && text ? text : "";
    std::free(text);
    // "operator"" _km" is "operator""_km" in sources and in debug information.
    constexpr std::string_view kLiteral = "operator\"\" ";
    for (size_t at = 0; (at = name.find(kLiteral, at)) != std::string::npos;)
        name.erase(at + kLiteral.size() - 1, 1);
    return name;
}

}  // namespace tapir
