// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/row_places.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

namespace tapir::live {

namespace {

constexpr unsigned kKept = 2;  // blocks for which a row keeps its place

bool contains(const Table &table, const Row &row, const std::string &filter) {
    if (filter.empty()) return true;
    for (size_t i = 0; i < row.size(); i++) {
        if (i < table.columns.size() && !table.columns[i].is_found) continue;
        const std::string text = row[i].is_text ? row[i].text : std::to_string(row[i].number);
        if (text.find(filter) != std::string::npos) return true;
    }
    return false;
}

bool less(const Value &a, const Value &b) {
    if (a.is_text != b.is_text) return a.is_text;
    return a.is_text ? a.text < b.text : a.number < b.number;
}

void sort_rows(std::vector<size_t> &order, const Table &table, const Sort &sort) {
    if (sort.column < 0) {
        if (table.is_log) std::reverse(order.begin(), order.end());
        return;
    }
    const auto column = static_cast<size_t>(sort.column);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        const Row &x = table.rows[a], &y = table.rows[b];
        if (column >= x.size() || column >= y.size()) return false;
        return sort.ascending ? less(x[column], y[column]) : less(y[column], x[column]);
    });
}

}  // namespace

// Rows of the same name are told apart by their numbers.
std::vector<std::string> Places::keys_of_rows(const Table &table) const {
    std::vector<std::string> keys;
    std::unordered_map<std::string, unsigned> seen;
    for (const Row &row : table.rows) {
        std::string key = key_of(table, row);
        const unsigned before = seen[key]++;
        keys.push_back(std::move(key) + std::to_string(before));
    }
    return keys;
}

const std::vector<size_t> &Places::order(const Table &table, const Sort &sort, const std::string &filter) {
    if (table.block == block_ && sort == sort_ && filter == filter_) return order_;
    const bool resort = sort != sort_ || filter != filter_ || table.is_log || ++kept_ >= kKept || keys_.empty();
    const std::vector<std::string> keys = keys_of_rows(table);
    std::vector<size_t> sorted;
    for (size_t i = 0; i < table.rows.size(); i++)
        if (contains(table, table.rows[i], filter)) sorted.push_back(i);
    sort_rows(sorted, table, sort);
    order_.clear();
    if (resort) {
        order_ = std::move(sorted);
        kept_ = 0;
    } else {
        // New rows stand below the others.
        std::map<std::string_view, size_t> there;
        for (const size_t row : sorted)
            there.emplace(keys[row], row);
        for (const std::string &key : keys_) {
            const auto found = there.find(key);
            if (found == there.end()) continue;
            order_.push_back(found->second);
            there.erase(found);
        }
        for (const size_t row : sorted)
            if (there.contains(keys[row])) order_.push_back(row);
    }
    keys_.clear();
    for (const size_t row : order_)
        keys_.push_back(keys[row]);
    block_ = table.block;
    sort_ = sort;
    filter_ = filter;
    return order_;
}

}  // namespace tapir::live
