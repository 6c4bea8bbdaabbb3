// SPDX-License-Identifier: GPL-2.0-or-later
#include "merge/merged_tables.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tapir::merge {
namespace {

using nlohmann::json;

constexpr const char *kDamaged = "a record lacks members, or they are no numbers";

const std::string *text_of(const json &object, const char *name) {
    const auto found = object.find(name);
    return found == object.end() ? nullptr : found->get_ptr<const std::string *>();
}

std::string text_or_empty(const json &object, const char *name) {
    const std::string *text = text_of(object, name);
    return text ? *text : "";
}

bool number_of(const json &value, int64_t &number) {
    if (!value.is_number_integer()) return false;
    if (value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) return false;
    number = value.get<int64_t>();
    return true;
}

bool member_of(const json &object, const char *name, int64_t &number) {
    const auto found = object.find(name);
    return found != object.end() && number_of(*found, number);
}

bool key_of(const json &value, Key &key) {
    key.is_text = value.is_string();
    if (!key.is_text) return number_of(value, key.number);
    key.text = value.get<std::string>();
    return true;
}

bool keys_of(const json &record, std::vector<Key> &keys) {
    const auto found = record.find("keys");
    if (found == record.end()) return true;
    if (!found->is_array()) return false;
    for (const json &value : *found)
        if (!key_of(value, keys.emplace_back())) return false;
    return true;
}

template <typename Named>
Named *find_named(std::vector<Named> &all, const std::string &name) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Named &one) { return one.name == name; });
    return found == all.end() ? nullptr : &*found;
}

size_t row_bytes(size_t hosts, size_t more) {
    return sizeof(Key) * 4 + 256 + hosts / 8 + more;
}

}  // namespace

// ---- tables

std::string Tables::add_table(uint32_t, const json &record) {
    const std::string *name = text_of(record, "name");
    const auto columns = record.find("columns");
    constexpr size_t kMostColumns = 32;  // as the language has it
    if (!name || columns == record.end() || !columns->is_array() || columns->empty() || columns->size() > kMostColumns)
        return kDamaged;
    std::vector<Column> told;
    for (const json &column : *columns) {
        if (!column.is_object() || !text_of(column, "name")) return kDamaged;
        Column &one = told.emplace_back();
        one = {text_or_empty(column, "name"), text_or_empty(column, "unit"), text_or_empty(column, "subject")};
        one.meaning = meaning_of(one.name, one.unit, one.subject);
    }
    const auto same = [](const Column &a, const Column &b) {
        return a.name == b.name && a.unit == b.unit && a.subject == b.subject;
    };
    if (const Table *known = find_named(tables_, *name)) {
        if (std::equal(told.begin(), told.end(), known->columns.begin(), known->columns.end(), same)) return "";
        return "the columns of the table '" + *name + "' are others than those of other hosts";
    }
    if (tables_.size() >= room_.limits().names) return ++nameless_, "";
    Table &table = tables_.emplace_back();
    table.name = *name;
    table.columns = std::move(told);
    const auto count = std::find_if(table.columns.begin(), table.columns.end(), [](const Column &column) {
        return column.meaning == Meaning::Sum && is_count(column.unit);
    });
    table.count_column = static_cast<size_t>(count - table.columns.begin());
    for (const Column &column : table.columns)
        table.spreads.emplace_back(*name + ": " + column.name, column.unit, column.meaning);
    return "";
}

std::string Tables::add_row(uint32_t host, const json &record) {
    const std::string *name = text_of(record, "table");
    const auto cells = record.find("row");
    if (!name || cells == record.end() || !cells->is_object()) return kDamaged;
    Table *table = find_named(tables_, *name);
    if (!table) return nameless_ ? (++nameless_, "") : "a row comes before its table '" + *name + "'";
    const size_t count = table->columns.size();
    std::vector<Key> keys;
    std::vector<std::pair<bool, int64_t>> numbers(count);
    for (size_t i = 0; i < count; ++i) {
        const Column &column = table->columns[i];
        const auto cell = cells->find(column.name);
        if (cell == cells->end()) return "a row lacks the column '" + column.name + "'";
        if (column.meaning != Meaning::Key && !cell->is_string() && !cell->is_null()) {
            if (!number_of(*cell, numbers[i].second)) return kDamaged;
            numbers[i].first = true;
        } else if (column.meaning == Meaning::Key) {
            Key &key = keys.emplace_back();
            if (cell->is_null())
                key.is_text = true;
            else if (!key_of(*cell, key))
                return kDamaged;
        }
    }
    TableRow &row = table->rows.find(room_, keys, row_bytes(hosts_, count * sizeof(Figure)));
    row.figures.resize(count);
    row.hosts.add(host);
    // The count that weighs averages; where the row has none, all rows are alike.
    Wide weight = 1;
    if (table->count_column < count && numbers[table->count_column].first) weight = numbers[table->count_column].second;
    for (size_t i = 0; i < count; ++i) {
        const Meaning meaning = table->columns[i].meaning;
        if (!numbers[i].first || (meaning == Meaning::Average && weight <= 0)) continue;
        row.figures[i].add(numbers[i].second, weight, meaning, host);
        table->spreads[i].add(host, numbers[i].second, weight);
    }
    return "";
}

// ---- globals

std::string Tables::add_value(uint32_t host, const json &record) {
    const std::string *name = text_of(record, "name");
    std::vector<Key> keys;
    if (!name || !keys_of(record, keys)) return kDamaged;
    const auto value = record.find("value");
    int64_t number = 0, count = 0, sum = 0, least = 0, most = 0;
    const bool is_statistic = value == record.end(), is_text = !is_statistic && value->is_string();
    if (is_statistic && !member_of(record, "count", count)) return kDamaged;
    if (is_statistic && count > 0 &&
        !(member_of(record, "sum", sum) && member_of(record, "min", least) && member_of(record, "max", most)))
        return kDamaged;
    if (!is_statistic && !is_text && !number_of(*value, number)) return kDamaged;
    if (is_text) key_of(*value, keys.emplace_back());
    Global *global = find_named(globals_, *name);
    if (!global) {
        if (globals_.size() >= room_.limits().names) return ++nameless_, "";
        global = &globals_.emplace_back();
        global->name = *name;
        global->spreads.emplace_back(is_statistic ? *name + ": count" : *name, "", Meaning::Sum);
        global->spreads.emplace_back(*name + ": average", "", Meaning::Average);
    }
    ValueRow &row = global->rows.find(room_, keys, row_bytes(hosts_, sizeof(ValueRow)));
    row.hosts.add(host);
    row.is_statistic = is_statistic;
    row.is_text = is_text;
    if (is_text) return "";
    if (!is_statistic) {
        row.figure.add(number, 1, Meaning::Sum, host);
        global->spreads[0].add(host, number, 1);
        return "";
    }
    global->spreads[0].add(host, count, 1);
    if (count <= 0) return "";
    Figure &figure = row.figure;
    figure.any = true;
    figure.sum += sum;
    figure.weight += count;
    figure.least = std::min(figure.least, least);
    if (most >= figure.most) figure.most_host = most > figure.most ? host : figure.most_host;
    figure.most = std::max(figure.most, most);
    global->spreads[1].add(host, sum / count, count);
    return "";
}

// ---- histograms

std::string Tables::add_histogram(uint32_t host, const json &record) {
    const std::string *name = text_of(record, "name");
    std::vector<Key> keys;
    int64_t count = 0, sum = 0, min = 0, max = 0;
    const auto buckets = record.find("buckets");
    if (!name || !keys_of(record, keys) || !member_of(record, "count", count) || !member_of(record, "sum", sum) ||
        buckets == record.end() || !buckets->is_array() || count <= 0)
        return kDamaged;
    struct Told {
        int64_t least = 0, largest = 0, count = 0;
    };
    std::vector<Told> told;
    for (const json &bucket : *buckets) {
        Told &one = told.emplace_back();
        if (!bucket.is_array() || bucket.size() != 3 || !number_of(bucket[0], one.least) ||
            !number_of(bucket[1], one.largest) || !number_of(bucket[2], one.count) || one.count < 0)
            return kDamaged;
    }
    const std::string unit = text_or_empty(record, "unit"), scale = text_or_empty(record, "scale");
    // A script may draw one statistic in several ways.
    const auto same = [&](const Histogram &one) { return one.name == *name && one.scale == scale && one.unit == unit; };
    auto found = std::find_if(histograms_.begin(), histograms_.end(), same);
    if (found == histograms_.end()) {
        if (histograms_.size() >= room_.limits().names) return ++nameless_, "";
        histograms_.push_back({*name, unit, text_or_empty(record, "subject"), scale, {}, {}});
        found = histograms_.end() - 1;
        found->spreads.emplace_back(*name + ": count", "", Meaning::Sum);
        found->spreads.emplace_back(*name + ": average", unit, Meaning::Average);
    }
    HistogramRow &row = found->rows.find(room_, keys, row_bytes(hosts_, sizeof(HistogramRow) + told.size() * 80));
    row.hosts.add(host);
    row.count += count;
    row.sum += sum;
    row.has_ends = row.has_ends && member_of(record, "min", min) && member_of(record, "max", max);
    row.min = std::min(row.min, min);
    row.max = std::max(row.max, max);
    for (const Told &one : told) {
        HistogramRow::Bucket &bucket = row.buckets[one.least];
        bucket.largest = std::max(bucket.largest, one.largest);
        bucket.count += one.count;
    }
    found->spreads[0].add(host, count, 1);
    found->spreads[1].add(host, sum / count, count);
    return "";
}

// ---- texts

std::string Tables::add_text(uint32_t host, const json &record) {
    const std::string *text = text_of(record, "text");
    const std::string *type = text_of(record, "type");
    if (!text || !type) return kDamaged;
    const bool is_message = *type != "print";
    std::string line = *text;
    if (line.ends_with('\n')) line.pop_back();
    if (is_message) line = (*type == "error" ? "ERROR: " : "WARNING: ") + line;
    Rows<TextRow> &rows = is_message ? messages_ : prints_;
    TextRow &row = rows.find(room_, room_.limits().texts, {{true, 0, line}}, row_bytes(hosts_, sizeof(TextRow)));
    row.hosts.add(host);
    ++row.times;
    return "";
}

void Tables::add_trigger(uint32_t host, const std::string &name) {
    const std::string title = "trigger " + name;
    auto found =
        std::find_if(triggers_.begin(), triggers_.end(), [&](const Spread &one) { return one.name() == title; });
    if (found == triggers_.end()) {
        if (triggers_.size() >= room_.limits().names) return;
        found = triggers_.emplace(triggers_.end(), title, "", Meaning::Sum);
    }
    found->add(host, 1, 1);
}

}  // namespace tapir::merge
