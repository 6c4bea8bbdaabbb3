// SPDX-License-Identifier: GPL-2.0-or-later
// Tables, globals, histograms and texts of many hosts, as one.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "merge/figures.h"
#include "merge/room.h"

namespace tapir::merge {

// A value that names something: a key of an array, or a cell of a column that is a key.
struct Key {
    bool is_text = false;
    int64_t number = 0;
    std::string text;
};

// Rows by their keys. Those for which there is no room are counted, and their numbers go to one row, `others`.
template <typename Row>
class Rows {
  public:
    // Finds or adds the row; `others` if there is no room for it. `size`: of the row with all it holds, about.
    Row &find(Room &room, const std::vector<Key> &keys, size_t size) {
        return find(room, room.limits().rows, keys, size);
    }
    // The same with another limit.
    Row &find(Room &room, size_t most, const std::vector<Key> &keys, size_t size) {
        const std::string name = name_of(keys);
        if (const auto found = by_name_.find(name); found != by_name_.end()) return rows_[found->second];
        if (rows_.size() >= most || !room.take(2 * name.size() + size)) {
            ++beyond_;
            return others_;
        }
        by_name_.emplace(name, rows_.size());
        rows_.push_back({});
        rows_.back().keys = keys;
        return rows_.back();
    }

    const std::vector<Row> &rows() const { return rows_; }
    const Row &others() const { return others_; }
    uint64_t beyond() const { return beyond_; }

  private:
    static std::string name_of(const std::vector<Key> &keys) {
        std::string name;
        for (const Key &key : keys) {
            const std::string text = key.is_text ? key.text : std::to_string(key.number);
            name += (key.is_text ? "t" : "n") + std::to_string(text.size()) + ":" + text;
        }
        return name;
    }

    std::unordered_map<std::string, size_t> by_name_;
    std::vector<Row> rows_;
    Row others_;
    uint64_t beyond_ = 0;
};

struct Column {
    std::string name, unit, subject;
    Meaning meaning = Meaning::Sum;
};

struct TableRow {
    std::vector<Key> keys;
    std::vector<Figure> figures;  // one for each column; those of keys stay empty
    HostSet hosts;
};

struct Table {
    std::string name;
    std::vector<Column> columns;
    size_t count_column = 0;  // that weighs averages; columns.size(): there is none
    Rows<TableRow> rows;
    std::vector<Spread> spreads;  // one for each column; those of keys stay empty
};

// A global: a number, a text, a statistic, or an array of these.
struct ValueRow {
    std::vector<Key> keys;  // a text that is the value is the last one
    Figure figure;          // of a number; of a statistic its samples
    bool is_statistic = false, is_text = false;
    HostSet hosts;
};

struct Global {
    std::string name;
    Rows<ValueRow> rows;
    std::vector<Spread> spreads;  // of numbers one; of statistics the count, and the average
};

struct HistogramRow {
    struct Bucket {
        int64_t largest = 0;
        Wide count = 0;
    };
    std::vector<Key> keys;
    std::map<int64_t, Bucket> buckets;  // by the least number that they count
    Wide count = 0, sum = 0;
    bool has_ends = true;  // every host told them
    int64_t min = INT64_MAX, max = INT64_MIN;
    HostSet hosts;
};

struct Histogram {
    std::string name, unit, subject, scale;
    Rows<HistogramRow> rows;
    std::vector<Spread> spreads;  // the count, and the average
};

// A line that scripts printed, or a message.
struct TextRow {
    std::vector<Key> keys;  // the text alone
    uint64_t times = 0;
    HostSet hosts;
};

class Tables {
  public:
    Tables(Room &room, size_t hosts) : room_(room), hosts_(hosts) {}

    // Take a record of the type that their names say. The result is why it cannot be taken; "" if it was.
    std::string add_table(uint32_t host, const nlohmann::json &record);
    std::string add_row(uint32_t host, const nlohmann::json &record);
    std::string add_value(uint32_t host, const nlohmann::json &record);
    std::string add_histogram(uint32_t host, const nlohmann::json &record);
    std::string add_text(uint32_t host, const nlohmann::json &record);  // "print", "error", "warning"
    void add_trigger(uint32_t host, const std::string &name);

    const std::vector<Table> &tables() const { return tables_; }
    const std::vector<Global> &globals() const { return globals_; }
    const std::vector<Histogram> &histograms() const { return histograms_; }
    const Rows<TextRow> &prints() const { return prints_; }
    const Rows<TextRow> &messages() const { return messages_; }  // "ERROR: " or "WARNING: " in front
    const std::vector<Spread> &triggers() const { return triggers_; }
    uint64_t nameless() const { return nameless_; }  // records of names for which there was no room

  private:
    Room &room_;
    size_t hosts_;
    std::vector<Table> tables_;
    std::vector<Global> globals_;
    std::vector<Histogram> histograms_;
    Rows<TextRow> prints_, messages_;
    std::vector<Spread> triggers_;
    uint64_t nameless_ = 0;
};

}  // namespace tapir::merge
