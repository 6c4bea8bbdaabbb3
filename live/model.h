// SPDX-License-Identifier: GPL-2.0-or-later
// A session as its records tell it (docs/output.md).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "live/live_table.h"
#include "live/monitor_tables.h"

namespace tapir::live {

class Model {
  public:
    // A line of the stream, with or without its newline.
    void take(std::string_view line);
    // The stream has ended: what waits for more is complete.
    void finish();

    // Complete blocks, in the order in which the tables first came. Pointers are valid until the next take().
    std::vector<const Table *> tables() const;

    // Lines that the script printed, without newlines; the last kMostLines of them.
    const std::deque<std::string> &lines() const { return lines_; }
    uint64_t lines_seen() const { return lines_seen_; }

    const std::string &command() const { return command_; }  // as records tell it; "" if they do not
    const std::string &kernel() const { return kernel_; }
    uint64_t staprun() const { return staprun_; }     // process ID; 0: not known
    bool monitors() const { return monitor_.any(); }  // the session tells its probes and globals
    uint64_t module_bytes() const { return module_bytes_; }
    uint64_t array_bytes() const { return array_bytes_; }
    uint64_t elapsed_ns() const { return started_ ? now_ - started_ : 0; }
    uint64_t refreshes() const { return refreshes_; }
    uint64_t hits() const { return hits_; }
    uint64_t errors() const { return errors_; }
    // The numbers of hits and records that were lost, by the last record about it.
    uint64_t lost_hits() const { return lost_hits_; }
    uint64_t lost_records() const { return lost_records_; }
    // Lines that are no records.
    uint64_t damaged() const { return damaged_; }
    bool begun() const { return begun_; }  // there was a record
    std::optional<int> status() const { return status_; }

    static constexpr size_t kMostLines = 1000, kMostLogRows = 1000, kMostRows = 100000;

  private:
    struct Entry {
        Table shown, filling;
        bool is_filling = false;
        bool is_marked = false;  // a row of `globals` says where its blocks begin
        bool is_periodic = false;
        std::set<std::string> keys;  // of an array's elements in the block
    };

    void take_record(const nlohmann::json &record);
    void take_print(const nlohmann::json &record);
    void take_head(const nlohmann::json &record);
    void take_row(const nlohmann::json &record);
    void take_mark(const std::string &global, int64_t keys);
    void take_value(const nlohmann::json &record);
    void take_histogram(const nlohmann::json &record);
    void add_buckets(const nlohmann::json &record);
    void take_refresh(const nlohmann::json &record);

    Entry &entry(const std::string &name, Table::Source source);
    void add_element(Entry &entry, Row row);
    void add_scalar(Entry &entry, Row row);
    void add_row(Entry &entry, Row row);
    void begin_block(Entry &entry);
    void complete(Entry &entry);
    void complete_old();

    std::vector<std::unique_ptr<Entry>> entries_;
    std::map<std::pair<std::string, Table::Source>, Entry *> by_name_;
    std::deque<std::string> lines_;
    std::string line_;  // that is not complete
    uint64_t lines_seen_ = 0;
    std::string command_, kernel_;
    uint64_t staprun_ = 0, module_bytes_ = 0, array_bytes_ = 0;
    MonitorTables monitor_;
    uint64_t started_ = 0, now_ = 0;
    uint64_t refreshes_ = 0, hits_ = 0, errors_ = 0, lost_hits_ = 0, lost_records_ = 0, damaged_ = 0;
    bool begun_ = false, is_latin1_ = false;
    std::optional<int> status_;
};

}  // namespace tapir::live
