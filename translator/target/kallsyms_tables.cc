// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel keeps its own symbol names in five tables that follow each other in read-only data (scripts/kallsyms.c
// writes them): the number of symbols, the compressed names, a marker for every 256th name, 256 tokens as strings, and
// the offsets of the tokens. A name is a length and that many token numbers; expanded, its first character is the
// symbol's type. The tables have no symbols of their own in a stripped image, but the tokens give them away: those of
// the digits are single characters in a row. Every table is checked against its neighbours before anything is believed.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "target/symbol_readers.h"

namespace tapir::target {

namespace {

constexpr size_t kTokens = 256;
constexpr size_t kNamesPerMarker = 256;
constexpr size_t kMaxSymbols = 2'000'000;

template <class T>
T load(std::string_view image, size_t at) {
    T value;
    std::memcpy(&value, image.data() + at, sizeof value);
    return value;
}

size_t align_up(size_t at, size_t align) {
    return (at + align - 1) / align * align;
}

struct Tables {
    size_t align = 8;  // of each of them; 4 since 6.12
    std::array<std::string_view, kTokens> tokens;
    size_t names = 0, symbol_count = 0;
};

// Reads 256 strings from `start` and checks the offset table behind them.
bool read_tokens(std::string_view image, size_t start, Tables &tables) {
    size_t at = start;
    std::array<size_t, kTokens> offsets{};
    for (size_t i = 0; i < kTokens; ++i) {
        size_t end = image.find('\0', at);
        if (end == std::string_view::npos) return false;
        tables.tokens[i] = image.substr(at, end - at);
        offsets[i] = at - start;
        at = end + 1;
    }
    size_t index = align_up(at, tables.align);
    if (index + kTokens * sizeof(uint16_t) > image.size()) return false;
    for (size_t i = 0; i < kTokens; ++i) {
        if (load<uint16_t>(image, index + i * sizeof(uint16_t)) != offsets[i]) return false;
    }
    return true;
}

// The tokens start up to 48 strings before the one of the digit 0.
bool find_tokens(std::string_view image, Tables &tables) {
    using namespace std::string_view_literals;
    constexpr std::string_view kDigits = "0\0001\0002\0003\0004\0005\0006\0007\0008\0009\0"sv;
    for (size_t digits = image.find(kDigits); digits != std::string_view::npos;
         digits = image.find(kDigits, digits + 1)) {
        size_t at = digits;
        for (int before = 0; before < 64 && at >= 2; ++before) {
            size_t previous = image.rfind('\0', at - 2);
            if (previous == std::string_view::npos) break;
            at = previous + 1;
            for (size_t start : {at, align_up(at, tables.align)}) {
                if (start % tables.align == 0 && start < digits && read_tokens(image, start, tables)) return true;
            }
        }
    }
    return false;
}

// Length of the name at `at`, after which `at` is at its first token. Since 6.1 a length above 127 takes two bytes.
std::optional<size_t> name_length(std::string_view image, size_t &at) {
    if (at >= image.size()) return std::nullopt;
    size_t length = static_cast<unsigned char>(image[at++]);
    if (length & 0x80) {
        if (at >= image.size()) return std::nullopt;
        length = (length & 0x7f) | (static_cast<size_t>(static_cast<unsigned char>(image[at++])) << 7);
    }
    if (length == 0 || at + length > image.size()) return std::nullopt;
    return length;
}

// True when `count` names start here and their markers follow.
bool names_at(std::string_view image, const Tables &tables, size_t start, size_t count) {
    // "?" is of symbols in sections of no known kind.
    constexpr std::string_view kTypes = "aAbBdDgGrRsStTuUvVwWnN?";
    std::vector<uint32_t> markers;
    size_t at = start;
    for (size_t i = 0; i < count; ++i) {
        if (i % kNamesPerMarker == 0) markers.push_back(static_cast<uint32_t>(at - start));
        std::optional<size_t> length = name_length(image, at);
        if (!length) return false;
        std::string_view first = tables.tokens[static_cast<unsigned char>(image[at])];
        if (first.empty() || kTypes.find(first[0]) == std::string_view::npos) return false;
        at += *length;
    }
    at = align_up(at, tables.align);
    const size_t bytes = markers.size() * sizeof(uint32_t);
    return at + bytes <= image.size() && std::memcmp(image.data() + at, markers.data(), bytes) == 0;
}

bool find_names(std::string_view image, Tables &tables) {
    for (size_t start = tables.align; start < image.size(); start += tables.align) {
        size_t count = load<uint32_t>(image, start - tables.align);
        if (count < kNamesPerMarker || count > kMaxSymbols || !names_at(image, tables, start, count)) continue;
        tables.names = start;
        tables.symbol_count = count;
        return true;
    }
    return false;
}

}  // namespace

std::vector<std::string> read_kallsyms_tables(std::string_view image) {
    Tables tables;
    std::vector<std::string> names;
    for (size_t align : {8, 4}) {
        tables.align = align;
        if (find_tokens(image, tables) && find_names(image, tables)) break;
        tables.symbol_count = 0;
    }
    size_t at = tables.names;
    for (size_t i = 0; i < tables.symbol_count; ++i) {
        size_t length = *name_length(image, at);
        std::string name;
        for (size_t j = 0; j < length; ++j)
            name += tables.tokens[static_cast<unsigned char>(image[at + j])];
        at += length;
        if (name.size() > 1 && std::string_view("tTwW").find(name[0]) != std::string_view::npos)
            names.push_back(name.substr(1));
    }
    return names;
}

}  // namespace tapir::target
