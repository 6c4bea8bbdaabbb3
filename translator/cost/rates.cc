// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost/rates.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

namespace tapir::cost {
namespace {

using json = nlohmann::json;

constexpr std::string_view kBlanks = " \t\r";

Fault wrong(const std::string &name, const std::string &what) {
    return {FaultTag::Misuse, "Cannot use rates '" + name + "': " + what,
            "write a line 'POINT HITS-A-SECOND' for each probe point, or give the file of staprun --ledger"};
}

std::string_view trimmed(std::string_view text) {
    const size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

std::optional<double> rate_of(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 1e15)) return {};
    return value;
}

// A field of CSV: quotation marks within it are doubled.
std::string unquoted(std::string_view text) {
    if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string(text);
    std::string result;
    for (size_t i = 1; i + 1 < text.size(); ++i) {
        result += text[i];
        if (text[i] == '"' && text[i + 1] == '"' && i + 2 < text.size()) ++i;
    }
    return result;
}

Outcome<std::vector<Rate>> read_lines(const std::string &text, const std::string &name) {
    std::vector<Rate> rates;
    size_t number = 0;
    for (size_t at = 0; at < text.size(); ++number) {
        const size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = trimmed(std::string_view(text).substr(at, end - at));
        at = end + 1;
        if (line.empty() || line.front() == '#') continue;
        const size_t split = line.find_last_of(" \t,");
        const std::string place = "line " + std::to_string(number + 1);
        if (split == std::string_view::npos) return wrong(name, place + " has no rate");
        const std::optional<double> rate = rate_of(line.substr(split + 1));
        const bool head = rates.empty() && line.find(',') != std::string_view::npos;  // of a table of CSV
        if (!rate && head) continue;
        if (!rate) return wrong(name, place + " does not end with a rate");
        rates.push_back({unquoted(trimmed(line.substr(0, split))), "", *rate});
    }
    if (rates.empty()) return wrong(name, "there is none in it");
    return rates;
}

Outcome<std::vector<Rate>> read_ledger(const json &ledger, const std::string &name) {
    const auto overhead = ledger.find("overhead");
    if (overhead == ledger.end() || !overhead->is_object() || !overhead->contains("armed_ns"))
        return wrong(name, "the ledger does not say how long probes were armed");
    const double seconds = overhead->at("armed_ns").get<double>() / 1e9;
    if (!(seconds > 0)) return wrong(name, "probes of the ledger were armed for no time");
    std::vector<Rate> rates;
    for (const json &probe : ledger["probes"])
        rates.push_back({probe.at("point").get<std::string>(), probe.at("where").get<std::string>(),
                         probe.at("hits").get<double>() / seconds});
    return rates;
}

Outcome<std::vector<Rate>> read_object(const json &object, const std::string &name) {
    if (object.contains("probes") && object["probes"].is_array()) return read_ledger(object, name);
    if (object.contains("ledger") && object["ledger"].is_object()) return read_object(object["ledger"], name);
    std::vector<Rate> rates;
    for (const auto &[point, rate] : object.items()) {
        if (!rate.is_number() || !(rate.get<double>() >= 0))
            return wrong(name, "the rate of '" + point + "' is not a number from 0 up");
        rates.push_back({point, "", rate.get<double>()});
    }
    if (rates.empty()) return wrong(name, "there is none in it");
    return rates;
}

// The record of the ledger among lines of output.
std::optional<json> ledger_line(const std::string &text) {
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        json line = json::parse(text.begin() + static_cast<std::ptrdiff_t>(at),
                                text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
        if (line.is_object() && line.contains("ledger")) return line;
        at = end + 1;
    }
    return {};
}

}  // namespace

Outcome<std::vector<Rate>> read_rates(const std::string &text, const std::string &name) {
    if (!trimmed(text).starts_with('{')) return read_lines(text, name);
    try {
        const json whole = json::parse(text, nullptr, false);
        if (whole.is_object()) return read_object(whole, name);
        if (const std::optional<json> line = ledger_line(text)) return read_object(*line, name);
    } catch (const json::exception &) {
        return wrong(name, "the ledger lacks members");
    }
    return wrong(name, "it is no JSON, and no output with a ledger");
}

}  // namespace tapir::cost
