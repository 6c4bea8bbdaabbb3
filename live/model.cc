// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/model.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "live/measure.h"
#include "live/record_fields.h"

namespace tapir::live {

namespace {

using nlohmann::json;

// Rows of one run of a handler are not further apart, but for the time that its output waits.
constexpr uint64_t kPause = 20'000'000;
constexpr uint64_t kWait = 500'000'000;

constexpr char kMarks[] = "globals";
constexpr const char *kPercentiles[] = {"p50", "p90", "p99"};

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return text;
}

Value number(int64_t n) {
    return {false, n, {}};
}

Value text(std::string t) {
    return {true, 0, std::move(t)};
}

}  // namespace

std::string key_of(const Table &table, const Row &row) {
    const bool has_name = table.source == Table::Source::Probes || table.source == Table::Source::Globals;
    const size_t names = has_name ? 1 : table.columns.size();
    std::string key;
    for (size_t i = 0; i < row.size() && i < names; i++) {
        if (table.columns[i].kind == ColumnKind::Number) continue;
        key += row[i].is_text ? row[i].text : std::to_string(row[i].number);
        key += '\0';
    }
    return key;
}

void Model::take(std::string_view line) {
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r'))
        line.remove_suffix(1);
    if (line.empty()) return;
    const json record = json::parse(line, nullptr, false);
    if (!record.is_object() || !record.contains("type") || !record["type"].is_string()) {
        damaged_++;
        return;
    }
    begun_ = true;
    const auto latin1 = record.find("latin1");
    is_latin1_ = latin1 != record.end() && latin1->is_boolean() && latin1->get<bool>();
    now_ = std::max(now_, count_in(record, "t"));
    if (!started_) started_ = now_;
    complete_old();
    take_record(record);
}

void Model::take_record(const json &record) {
    const std::string type = record["type"];
    if (type == "meta") {
        command_ = text_in(record, "command", is_latin1_);
        kernel_ = text_in(record, "kernel", is_latin1_);
        staprun_ = count_in(record, "staprun");
    } else if (type == "print") {
        take_print(record);
    } else if (type == "table") {
        take_head(record);
    } else if (type == "row") {
        take_row(record);
    } else if (type == "value") {
        take_value(record);
    } else if (type == "hist") {
        take_histogram(record);
    } else if (type == "probe") {
        monitor_.take(probe_in(record, is_latin1_));
    } else if (type == "global") {
        monitor_.take(global_in(record, is_latin1_));
    } else if (type == "refresh") {
        take_refresh(record);
    } else if (type == "quality") {
        hits_ = count_in(record, "hits");
        lost_hits_ = count_in(record, "lost_hits");
        lost_records_ = count_in(record, "lost_records");
        errors_ = count_in(record, "errors");
    } else if (type == "end") {
        status_ = static_cast<int>(number_in(record, "status"));
    }
}

void Model::finish() {
    if (!line_.empty()) {
        lines_.push_back(std::move(line_));
        lines_seen_++;
        line_.clear();
    }
    for (const auto &entry : entries_)
        complete(*entry);
    if (monitor_.any()) monitor_.complete(now_);
}

std::vector<const Table *> Model::tables() const {
    std::vector<const Table *> list;
    for (const Table *table : {&monitor_.probes(), &monitor_.globals()})
        if (table->block) list.push_back(table);
    for (const auto &entry : entries_)
        if (!entry->shown.columns.empty()) list.push_back(&entry->shown);
    return list;
}

void Model::take_print(const json &record) {
    line_ += text_in(record, "text", is_latin1_);
    for (size_t end; (end = line_.find('\n')) != std::string::npos; line_.erase(0, end + 1)) {
        lines_.push_back(line_.substr(0, end));
        lines_seen_++;
        if (lines_.size() > kMostLines) lines_.pop_front();
    }
}

void Model::take_refresh(const json &record) {
    refreshes_++;
    hits_ = count_in(record, "hits");
    lost_hits_ = count_in(record, "lost_hits");
    lost_records_ = count_in(record, "lost_records");
    errors_ = count_in(record, "errors");
    module_bytes_ = std::max(module_bytes_, count_in(record, "module_bytes"));
    array_bytes_ = count_in(record, "array_bytes");
    if (monitor_.any()) monitor_.complete(now_);
}

// ---- tables of the script

void Model::take_head(const json &record) {
    const std::string name = text_in(record, "name", is_latin1_);
    const json &columns = list_in(record, "columns");
    if (name == kMarks && columns.size() == 2) return;
    Table &table = entry(name, Table::Source::Script).filling;
    table.columns.clear();
    for (const json &given : columns) {
        if (!given.is_object()) continue;
        Column column;
        column.name = text_in(given, "name", is_latin1_);
        column.unit = text_in(given, "unit", is_latin1_);
        const bool is_text = column.unit == "name" || column.unit == "text";
        column.kind = is_text ? ColumnKind::Text : column.unit == "id" ? ColumnKind::Id : ColumnKind::Number;
        if (column.kind != ColumnKind::Number) column.unit.clear();
        table.columns.push_back(std::move(column));
    }
}

void Model::take_row(const json &record) {
    const std::string name = text_in(record, "table", is_latin1_);
    const auto cells = record.find("row");
    if (cells == record.end() || !cells->is_object()) return;
    if (name == kMarks && cells->size() == 2 && cells->contains("keys")) {
        take_mark(text_in(*cells, "name", is_latin1_), number_in(*cells, "keys"));
        return;
    }
    Entry &to = entry(name, Table::Source::Script);
    Row row;
    for (const Column &column : to.filling.columns) {
        const auto found = cells->find(column.name);
        row.push_back(found == cells->end() ? text({}) : value_in(*found, is_latin1_));
    }
    const bool same_run =
        to.is_filling && (now_ == to.filling.time || (to.is_periodic && now_ - to.filling.time < kPause));
    to.is_periodic |= same_run;
    if (!same_run) begin_block(to);
    add_row(to, std::move(row));
}

// ---- globals

void Model::take_mark(const std::string &global, int64_t keys) {
    monitor_.begin(global);
    if (keys == 0) return;  // rows of one table, which it keeps
    Entry &to = entry(global, Table::Source::Global);
    begin_block(to);
    to.is_marked = true;
    to.filling.time = now_;
}

void Model::take_value(const json &record) {
    const std::string name = text_in(record, "name", is_latin1_);
    const json &keys = list_in(record, "keys");
    const bool is_statistic = record.contains("count");
    const bool is_array = !keys.empty();
    if (monitor_.any()) monitor_.add(name, keys_in(record, is_latin1_), values_in(record, is_latin1_));
    Entry &to = is_array ? entry(name, Table::Source::Global)
                         : entry(is_statistic ? "statistic" : "global", Table::Source::Scalars);
    Row row;
    if (!is_array) row.push_back(text(name));
    for (const json &key : keys)
        row.push_back(value_in(key, is_latin1_));
    const size_t names = row.size();
    if (is_statistic)
        for (const char *figure : kStatistic)
            row.push_back(number(number_in(record, figure)));
    else if (record.contains("value"))
        row.push_back(value_in(record["value"], is_latin1_));
    if (to.filling.columns.size() != row.size()) {
        to.filling.columns.clear();
        for (size_t i = 0; i < row.size(); i++) {
            Column column;
            if (i < names)
                column = {i ? "" : upper(is_array ? name : to.filling.name),
                          row[i].is_text ? ColumnKind::Text : ColumnKind::Id, ""};
            else
                column = {is_statistic ? upper(kStatistic[i - names]) : "VALUE", ColumnKind::Number, ""};
            to.filling.columns.push_back(std::move(column));
        }
    }
    if (is_array)
        add_element(to, std::move(row));
    else
        add_scalar(to, std::move(row));
}

// Each of these globals has a handler of its own, and a row.
void Model::add_scalar(Entry &e, Row row) {
    if (!e.is_filling) {
        begin_block(e);
        e.filling.rows = e.shown.rows;
    }
    const auto known = std::find_if(e.filling.rows.begin(), e.filling.rows.end(),
                                    [&](const Row &other) { return other[0] == row[0]; });
    if (known != e.filling.rows.end()) {
        *known = std::move(row);
        e.filling.time = now_;
    } else {
        add_row(e, std::move(row));
    }
}

void Model::add_element(Entry &e, Row row) {
    const bool is_new = e.keys.insert(key_of(e.filling, row)).second;
    // A handler that had to wait goes on.
    if (is_new && !e.is_filling && e.is_marked && now_ - e.shown.time < kWait) {
        e.shown.rows.push_back(std::move(row));
        e.shown.time = now_;
        return;
    }
    if (!is_new || !e.is_filling) {
        begin_block(e);
        e.keys.insert(key_of(e.filling, row));
    }
    add_row(e, std::move(row));
}

// ---- histograms

void Model::take_histogram(const json &record) {
    if (list_in(record, "keys").empty()) {
        add_buckets(record);
        return;
    }
    const std::string name = text_in(record, "name", is_latin1_), unit = text_in(record, "unit", is_latin1_);
    Entry &to = entry(name, Table::Source::Histograms);
    Row row;
    std::vector<Column> columns;
    for (const json &key : list_in(record, "keys")) {
        row.push_back(value_in(key, is_latin1_));
        columns.push_back(
            {columns.empty() ? upper(name) : "", row.back().is_text ? ColumnKind::Text : ColumnKind::Id, ""});
    }
    row.push_back(number(number_in(record, "count")));
    columns.push_back({"COUNT", ColumnKind::Number, ""});
    for (const char *percentile : kPercentiles) {
        if (!record.contains(percentile)) continue;
        row.push_back(number(number_in(record, percentile)));
        columns.push_back({upper(percentile), ColumnKind::Number, unit});
    }
    if (record.contains("max")) {
        row.push_back(number(number_in(record, "max")));
        columns.push_back({"MAX", ColumnKind::Number, unit});
    }
    if (!to.is_filling || now_ - to.filling.time >= kPause) begin_block(to);
    to.filling.columns = std::move(columns);
    add_row(to, std::move(row));
}

void Model::add_buckets(const json &record) {
    const std::string unit = text_in(record, "unit", is_latin1_);
    Entry &to = entry(text_in(record, "name", is_latin1_), Table::Source::Buckets);
    begin_block(to);
    to.filling.columns = {{upper(to.filling.name), ColumnKind::Id, unit},
                          {"COUNT", ColumnKind::Number, ""},
                          {"SHARE", ColumnKind::Number, "%"},
                          {"", ColumnKind::Text, ""}};
    uint64_t most = 1, all = std::max<uint64_t>(count_in(record, "count"), 1);
    for (const json &bucket : list_in(record, "buckets"))
        if (bucket.is_array() && bucket.size() == 3 && bucket[2].is_number())
            most = std::max(most, bucket[2].get<uint64_t>());
    for (const json &bucket : list_in(record, "buckets")) {
        if (!bucket.is_array() || bucket.size() != 3 || !bucket[2].is_number()) continue;
        const auto count = bucket[2].get<uint64_t>();
        add_row(to, {value_in(bucket[0], is_latin1_), number(static_cast<int64_t>(count)),
                     number(static_cast<int64_t>(static_cast<double>(count) * 100 / static_cast<double>(all) + 0.5)),
                     text(bar(count, most))});
    }
    complete(to);
}

// ---- blocks

Model::Entry &Model::entry(const std::string &name, Table::Source source) {
    Entry *&known = by_name_[{name, source}];
    if (!known) {
        entries_.push_back(std::make_unique<Entry>());
        known = entries_.back().get();
        known->filling.name = known->shown.name = name;
        known->filling.source = known->shown.source = source;
    }
    return *known;
}

void Model::begin_block(Entry &e) {
    if (e.is_filling) complete(e);
    e.filling.rows.clear();
    e.keys.clear();
    e.is_filling = true;
}

void Model::add_row(Entry &e, Row row) {
    if (e.filling.rows.size() < kMostRows) e.filling.rows.push_back(std::move(row));
    e.filling.time = now_;
}

void Model::complete(Entry &e) {
    if (!e.is_filling) return;
    e.is_filling = false;
    const bool is_log = e.shown.source == Table::Source::Script && !e.is_periodic;
    std::vector<Row> rows = std::move(e.filling.rows);
    e.filling.rows.clear();
    if (is_log && e.shown.is_log) {
        rows.insert(rows.begin(), std::make_move_iterator(e.shown.rows.begin()),
                    std::make_move_iterator(e.shown.rows.end()));
        if (rows.size() > kMostLogRows) rows.erase(rows.begin(), rows.end() - static_cast<ptrdiff_t>(kMostLogRows));
    }
    e.shown.rows = std::move(rows);
    e.shown.columns = e.filling.columns;
    e.shown.time = e.filling.time;
    e.shown.is_log = is_log;
    e.shown.block++;
}

// Blocks to which nothing was added for a while.
void Model::complete_old() {
    for (const auto &entry : entries_)
        if (entry->is_filling && now_ - entry->filling.time >= kPause) complete(*entry);
}

}  // namespace tapir::live
