// SPDX-License-Identifier: GPL-2.0-or-later
#include "exporter/metric_names.h"

#include <algorithm>
#include <cctype>
#include <cinttypes>
#include <cstdio>

namespace tapir::exporter {

BaseUnit base_unit(const std::string &unit) {
    static const std::map<std::string_view, BaseUnit> kKnown = {
        {"s", {"seconds", 0}},  {"ms", {"seconds", 3}}, {"us", {"seconds", 6}}, {"µs", {"seconds", 6}},
        {"ns", {"seconds", 9}}, {"B", {"bytes", 0}},    {"%", {"ratio", 2}}};
    const auto found = kKnown.find(unit);
    return found == kKnown.end() ? BaseUnit{unit, 0} : found->second;
}

std::string family_name(std::string_view script, const Metric &metric) {
    std::string name = "tapir_" + std::string(script) + "_" + metric.name;
    for (char &c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    constexpr std::string_view kTotal = "_total";
    if (metric.kind == "counter" && name.ends_with(kTotal)) name.resize(name.size() - kTotal.size());
    const std::string unit = base_unit(metric.unit).name;
    if (!unit.empty() && !name.ends_with("_" + unit)) name += "_" + unit;
    return name;
}

std::string decimal(int64_t number, unsigned digits) {
    const bool negative = number < 0;
    const uint64_t size = negative ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
    std::string text = std::to_string(size);
    if (digits) {
        if (text.size() <= digits) text.insert(0, digits + 1 - text.size(), '0');
        text.insert(text.size() - digits, ".");
        text.resize(text.find_last_not_of('0') + 1);
        if (text.back() == '.') text.pop_back();
    }
    return negative ? "-" + text : text;
}

namespace {

// All powers of two up to the largest that was seen; negative bounds as they were.
void fill_powers(std::set<int64_t> &bounds) {
    if (bounds.empty()) return;
    const int64_t largest = *bounds.rbegin();
    for (uint64_t power = 1; power - 1 < static_cast<uint64_t>(std::max<int64_t>(largest, 0)); power *= 2)
        bounds.insert(static_cast<int64_t>(power - 1));
}

// "linear LOW HIGH WIDTH": what is below LOW, and each bucket.
void fill_steps(const std::string &shape, std::set<int64_t> &bounds) {
    int64_t low = 0, high = 0, width = 0;
    if (std::sscanf(shape.c_str(), "linear %" SCNd64 " %" SCNd64 " %" SCNd64, &low, &high, &width) != 3 || width <= 0)
        return;
    constexpr int64_t kMostSteps = 100000;
    if (high < low || (high - low) / width > kMostSteps) return;
    for (int64_t at = low; at <= high; at += width)
        bounds.insert(at - 1);
}

}  // namespace

std::vector<int64_t> bucket_bounds(const Metric &metric) {
    std::set<int64_t> bounds = metric.bounds;
    if (metric.shape == "log") fill_powers(bounds);
    if (metric.shape.starts_with("linear ")) fill_steps(metric.shape, bounds);
    std::vector<int64_t> all(bounds.begin(), bounds.end());
    if (all.size() <= kMostBounds) return all;
    // Counts are cumulative: those of the bounds that stay are as exact as before.
    const size_t every = (all.size() + kMostBounds - 1) / kMostBounds;
    std::vector<int64_t> some;
    for (size_t i = every - 1; i < all.size(); i += every)
        some.push_back(all[i]);
    return some;
}

}  // namespace tapir::exporter
