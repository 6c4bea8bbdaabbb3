// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <limits>
#include <span>

#include "base/name_patterns.h"
#include "base/time_units.h"
#include "regex/dfa.h"
#include "syntax/parser.h"
#include "tool/head.h"

namespace tapir::tool {
namespace {

constexpr Unit kSizes[] = {{"", 1}, {"k", 1LL << 10}, {"m", 1LL << 20}, {"g", 1LL << 30}, {"t", 1LL << 40}};

Fault wrong(std::string why) {
    return Fault{FaultTag::Misuse, std::move(why)};
}

const Unit *find_unit(std::span<const Unit> units, std::string_view name) {
    const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit &u) { return u.name == name; });
    return unit == units.end() ? nullptr : &*unit;
}

// The number at the start of `text`, times `unit`; nothing if it is no number or does not fit. A fraction of up to nine
// digits is taken as far as `unit` divides into it.
struct Quantity {
    int64_t whole = 0;
    int64_t fraction = 0;  // of 10^9
    std::string_view rest;
};
std::optional<Quantity> read_quantity(std::string_view text) {
    Quantity quantity;
    const char *end = text.data() + text.size();
    auto [at, error] = std::from_chars(text.data(), end, quantity.whole);
    if (error != std::errc()) return std::nullopt;
    if (at != end && *at == '.') {
        int64_t digit = 100'000'000;
        for (++at; at != end && std::isdigit(static_cast<unsigned char>(*at)); ++at, digit /= 10) {
            if (digit == 0) return std::nullopt;
            quantity.fraction += (*at - '0') * digit;
        }
    }
    quantity.rest = {at, static_cast<size_t>(end - at)};
    return quantity;
}

// `quantity` of `from` in units of `to`, which both are in the same smallest unit.
Outcome<int64_t> convert(const Quantity &quantity, int64_t from, int64_t to, std::string_view to_name) {
    const __int128 billion = 1'000'000'000;
    const __int128 sign = quantity.whole < 0 ? -1 : 1;
    const __int128 scaled = (__int128(quantity.whole) * billion + sign * quantity.fraction) * from;
    const __int128 value = scaled / (billion * to);
    if (value * billion * to != scaled)
        return wrong("it is finer than the " + std::string(to_name) + " in which it is kept");
    if (value > std::numeric_limits<int64_t>::max() || value < std::numeric_limits<int64_t>::min())
        return wrong("it does not fit 64 bits");
    return static_cast<int64_t>(value);
}

Outcome<int64_t> read_duration(const Option &option, std::string_view text) {
    const std::optional<Quantity> quantity = read_quantity(text);
    const Unit *unit = quantity ? find_unit(kTimes, quantity->rest.empty() ? option.unit : quantity->rest) : nullptr;
    if (!unit)
        return wrong("it should be a time such as 10ms or 1.5s (ns, us, ms, s, m, h; without a unit: " + option.unit +
                     ")");
    return convert(*quantity, unit->size, find_unit(kTimes, option.unit)->size, option.unit);
}

Outcome<int64_t> read_size(std::string_view text) {
    const std::optional<Quantity> quantity = read_quantity(text);
    std::string suffix(quantity ? quantity->rest : "");
    std::transform(suffix.begin(), suffix.end(), suffix.begin(), [](unsigned char c) { return std::tolower(c); });
    if (suffix.ends_with("ib")) suffix.resize(suffix.size() - 2);
    if (suffix == "b") suffix.clear();
    const Unit *unit = quantity ? find_unit(kSizes, suffix) : nullptr;
    if (!unit) return wrong("it should be a size in bytes such as 4096, 4k or 1.5M (k, M, G, T: powers of 1024)");
    return convert(*quantity, unit->size, 1, "bytes");
}

Outcome<int64_t> read_number(const Option &option, std::string text) {
    switch (option.type) {
        case Type::Duration:
            return read_duration(option, text);
        case Type::Size:
            return read_size(text);
        case Type::Percent:
            if (text.ends_with('%')) text.pop_back();
            break;
        default:
            break;
    }
    int base = 10;
    std::string_view digits = text;
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
        base = 16;
        digits.remove_prefix(2);
    }
    int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error == std::errc::result_out_of_range) return wrong("it does not fit 64 bits");
    if (error != std::errc() || end != digits.data() + digits.size())
        return wrong(option.type == Type::Percent ? "it should be a whole number of percent"
                     : option.type == Type::Pid   ? "it should be a process ID"
                                                  : "it should be a whole number");
    return value;
}

Outcome<std::string> read_one_number(const Option &option, const std::string &text) {
    const Outcome<int64_t> value = read_number(option, text);
    if (!value) return value.fault();
    // Times and sizes are not negative, unless the range says so.
    const bool measures = option.type == Type::Duration || option.type == Type::Size;
    int64_t least = option.least.value_or(measures ? 0 : std::numeric_limits<int64_t>::min());
    int64_t most = option.most.value_or(std::numeric_limits<int64_t>::max());
    if (option.type == Type::Pid) least = std::max<int64_t>(least, 1), most = std::min<int64_t>(most, 1 << 22);
    if (*value >= least && *value <= most) return std::to_string(*value);
    if (most == std::numeric_limits<int64_t>::max())
        return wrong("it should be at least " + shown_number(option, least));
    if (least == std::numeric_limits<int64_t>::min())
        return wrong("it should be at most " + shown_number(option, most));
    return wrong("it should be " + shown_number(option, least) + " to " + shown_number(option, most));
}

std::string choices_text(const std::vector<std::string> &choices) {
    std::string text;
    for (size_t i = 0; i < choices.size(); ++i)
        text += (i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ") + choices[i];
    return text;
}

// True if what stands between "probe" and a handler is this. Macros are known to the script alone.
bool are_points(const std::string &text) {
    if (text.find_first_of("@$%") != std::string::npos) return true;
    const SourceFile file("", "probe " + text + "\n{}", Origin::CommandLine);
    Diagnostics unheard;
    const std::unique_ptr<ast::File> parsed = syntax::parse(file, {}, unheard);
    return !unheard.has_errors() && parsed->probes.size() == 1;
}

Outcome<std::string> read_one(const Option &option, const std::string &text) {
    switch (option.type) {
        case Type::Flag:
            if (text == "0" || text == "1") return text;
            return wrong("it should be 1 or 0");
        case Type::Choice:
            if (std::find(option.choices.begin(), option.choices.end(), text) != option.choices.end()) return text;
            return wrong("it should be " + choices_text(option.choices) +
                         similar_text(similar_names(text, option.choices, 1)));
        case Type::Path: {
            if (text.empty()) return wrong("a path is not empty");
            std::error_code error;
            const std::filesystem::path path = std::filesystem::absolute(text, error);
            return error ? wrong(error.message()) : Outcome<std::string>(path.lexically_normal().string());
        }
        case Type::Points:
            if (text.find_first_not_of(" \t\n") == std::string::npos) return wrong("it should be a probe point");
            if (!are_points(text)) return wrong("it should be probe points, by commas");
            return text;
        case Type::Regex: {
            regex::Dfa dfa;
            regex::Error error;
            if (regex::compile(text, dfa, error)) return text;
            return wrong(error.message + " at character " + std::to_string(error.offset + 1));
        }
        case Type::Text:
            return text;
        default:
            return read_one_number(option, text);
    }
}

// `value`, in units of the size `own`, in the largest unit that it is a whole number of.
std::string in_largest_unit(std::span<const Unit> units, int64_t value, int64_t own) {
    if (value == 0) return "0";
    const Unit *best = nullptr;
    for (const Unit &unit : units)
        if (unit.size >= own && value % (unit.size / own) == 0 && (!best || unit.size > best->size)) best = &unit;
    return std::to_string(value / (best->size / own)) + std::string(best->name);
}

}  // namespace

std::string shown_number(const Option &option, int64_t value) {
    if (option.type == Type::Duration) return in_largest_unit(kTimes, value, find_unit(kTimes, option.unit)->size);
    if (option.type == Type::Size) {
        std::string text = in_largest_unit(kSizes, value, 1);
        if (text.back() != 'k') text.back() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.back())));
        return text;
    }
    return std::to_string(value) + (option.type == Type::Percent ? "%" : "");
}

Outcome<std::string> read_value(const Option &option, const std::string &text) {
    if (text.find('\0') != std::string::npos) return wrong("it has a zero byte");
    if (!option.repeated || option.type == Type::Text || option.type == Type::Regex) return read_one(option, text);
    std::string values;
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find(',', at), text.size());
        Outcome<std::string> value = read_one(option, text.substr(at, end - at));
        if (!value) return value.fault();
        values += (values.empty() ? "" : ",") + *value;
        at = end + 1;
    }
    return values;
}

}  // namespace tapir::tool
