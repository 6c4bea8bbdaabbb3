// SPDX-License-Identifier: GPL-2.0-or-later
// Tables as a session's records tell them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tapir::live {

struct Value {
    bool is_text = false;
    int64_t number = 0;
    std::string text;  // bytes, as the script has them

    bool operator==(const Value &) const = default;
};

enum class ColumnKind : uint8_t {
    Text,
    Id,      // a number that names something
    Number,  // a measure or a count
};

struct Column {
    std::string name;
    ColumnKind kind = ColumnKind::Number;
    std::string unit;         // "us", "bytes", "%", ...
    size_t least = 8;         // of a text: so many columns of the screen are left in any case
    bool goes_first = false;  // on a narrow screen it goes before anything is cut
    bool is_list = false;     // of values: cut at its end
    bool is_found = true;     // filters look into it
};

using Row = std::vector<Value>;  // a value for each column

struct Table {
    enum class Source : uint8_t {
        Script,      // @table
        Global,      // an array
        Scalars,     // numbers and texts, or statistics, that are no arrays
        Histograms,  // a row for each
        Buckets,     // those of one histogram
        Probes,      // of --monitor
        Globals,
    };

    std::string name;
    Source source = Source::Script;
    std::vector<Column> columns;
    std::vector<Row> rows;           // in the order in which they were printed
    std::string title;               // what stands above it; "": its name
    std::vector<std::string> notes;  // more about each row; empty: there is none
    uint64_t block = 0;              // counts blocks: what one run of a handler printed
    uint64_t time = 0;               // of the last row, CLOCK_MONOTONIC in ns
    // Each block has one row, which stands below the earlier ones: a log.
    bool is_log = false;
};

// Returns what names a row: its texts and IDs.
std::string key_of(const Table &table, const Row &row);

}  // namespace tapir::live
