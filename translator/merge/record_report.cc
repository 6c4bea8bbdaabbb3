// SPDX-License-Identifier: GPL-2.0-or-later
// The report of a merge as records: those of a session, with how many hosts told them, and those about hosts.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "merge/host_merge.h"

namespace tapir::merge {
namespace {

using nlohmann::ordered_json;

int64_t now_ns() {
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

// Each byte as a character, as in records with `latin1`.
std::string latin1(const std::string &bytes) {
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80) {
            text += c;
        } else {
            text += static_cast<char>(0xc0 | byte >> 6);
            text += static_cast<char>(0x80 | (byte & 0x3f));
        }
    }
    return text;
}

void make_latin1(ordered_json &value) {
    if (value.is_string()) {
        value = latin1(value.get_ref<const std::string &>());
    } else if (value.is_array() || value.is_object()) {
        for (ordered_json &part : value)
            make_latin1(part);
    }
}

ordered_json key_json(const Key &key) {
    return key.is_text ? ordered_json(key.text) : ordered_json(key.number);
}

class RecordReport {
  public:
    RecordReport(const Merge &merge, const std::function<void(const std::string &line)> &write)
        : merge_(merge), hosts_(merge.hosts()), write_(write) {}

    void write(int status);

  private:
    ordered_json begin(const char *type) const { return {{"v", 1}, {"type", type}, {"t", now_ns()}}; }
    void put(ordered_json record);
    static void add_number(ordered_json &record, ordered_json &to, const std::string &name, Wide number);
    static void add_keys(ordered_json &record, const std::vector<Key> &keys);
    void write_fleet();
    void write_host(uint32_t host);
    void write_outliers();
    void write_table(const Table &table);
    void write_row(const Table &table, const TableRow &row, bool is_others);
    void write_global(const Global &global);
    void write_value(const Global &global, const ValueRow &row, bool is_others);
    void write_histogram(const Histogram &histogram, const HistogramRow &row, bool is_others);
    void write_text(const TextRow &row, bool is_message);
    void write_samples();
    void write_stack(uint32_t number, std::vector<bool> &told);
    void write_quality();

    const Merge &merge_;
    const Hosts &hosts_;
    const std::function<void(const std::string &line)> &write_;
};

void RecordReport::put(ordered_json record) {
    std::string line;
    try {
        line = record.dump();
    } catch (const ordered_json::type_error &) {  // a string is not UTF-8
        make_latin1(record);
        record["latin1"] = true;
        line = record.dump();
    }
    write_(line + "\n");
}

// A number beyond 64 bits is the nearest one of 64 bits, and the record says so.
void RecordReport::add_number(ordered_json &record, ordered_json &to, const std::string &name, Wide number) {
    to[name] = clipped(number);
    if (!fits(number)) record["overflowed"] = true;
}

void RecordReport::add_keys(ordered_json &record, const std::vector<Key> &keys) {
    if (keys.empty()) return;
    ordered_json list = ordered_json::array();
    for (const Key &key : keys)
        list.push_back(key_json(key));
    record["keys"] = std::move(list);
}

// ---- hosts

void RecordReport::write_fleet() {
    size_t told = 0, failed = 0;
    for (uint32_t host = 0; host < hosts_.size(); ++host) {
        told += hosts_[host].records > 0;
        failed += !hosts_[host].problem.empty();
    }
    ordered_json record = begin("fleet");
    record["hosts"] = hosts_.size();
    record["told"] = told;
    record["failed"] = failed;
    record["records"] = merge_.records();
    record["bytes"] = merge_.bytes();
    const Tables &tables = merge_.tables();
    if (const uint64_t texts = tables.prints().beyond() + tables.messages().beyond()) record["other_texts"] = texts;
    if (tables.nameless()) record["other_names"] = tables.nameless();
    if (merge_.samples().beyond()) record["other_stacks"] = merge_.samples().beyond();
    if (!merge_.tapir().empty()) record["tapir"] = merge_.tapir();
    put(std::move(record));
}

void RecordReport::write_host(uint32_t host) {
    const HostState &state = hosts_[host];
    ordered_json record = begin("host");
    record["remote"] = hosts_.name(host);
    record["records"] = state.records;
    record["whole"] = state.counts();
    if (state.ended) record["status"] = state.status;
    if (!state.problem.empty()) record["problem"] = state.problem;
    if (!state.note.empty()) record["left_out"] = state.note;
    if (state.bad) {
        record["bad_lines"] = state.bad;
        record["complaint"] = state.complaint;
    }
    if (state.ahead) record["clock_ahead"] = {state.ahead->least, state.ahead->most};
    if (state.set_ns) record["clock_set"] = state.set_ns;
    for (size_t i = 0; i < kQualityCount; ++i)
        if (is_loss(i) && hosts_.quality(i, host)) record["quality"][kQualities[i]] = hosts_.quality(i, host);
    put(std::move(record));
}

void RecordReport::write_outliers() {
    for (const Merge::Outlier &outlier : merge_.outliers()) {
        ordered_json record = begin("outlier");
        record["remote"] = hosts_.name(outlier.far.host);
        record["figure"] = outlier.figure->name();
        if (!outlier.figure->unit().empty()) record["unit"] = outlier.figure->unit();
        record["value"] = outlier.far.value;
        record["median"] = outlier.far.median;
        record["deviations"] = outlier.far.times;
        put(std::move(record));
    }
}

// ---- tables

void RecordReport::write_row(const Table &table, const TableRow &row, bool is_others) {
    ordered_json record = begin("row"), cells = ordered_json::object(), parts = ordered_json::object();
    record["table"] = table.name;
    size_t key = 0;
    for (size_t i = 0; i < table.columns.size(); ++i) {
        const Column &column = table.columns[i];
        if (column.meaning == Meaning::Key) {
            cells[column.name] = is_others ? ordered_json() : key_json(row.keys[key++]);
            continue;
        }
        const Figure &figure = row.figures[i];
        if (!figure.any) {
            cells[column.name] = nullptr;
            continue;
        }
        add_number(record, cells, column.name, figure.value(column.meaning));
        if (column.meaning != Meaning::Average && column.meaning != Meaning::Each) continue;
        ordered_json &part = parts[column.name];
        add_number(record, part, "count", figure.weight);
        add_number(record, part, "sum", figure.sum);
        part["min"] = figure.least;
        part["max"] = figure.most;
    }
    record["row"] = std::move(cells);
    if (!parts.empty()) record["parts"] = std::move(parts);
    record["hosts"] = row.hosts.count();
    if (is_others) record["others"] = table.rows.beyond();
    put(std::move(record));
}

void RecordReport::write_table(const Table &table) {
    ordered_json record = begin("table");
    record["name"] = table.name;
    for (const Column &column : table.columns) {
        ordered_json one = {{"name", column.name}};
        if (!column.unit.empty()) one["unit"] = column.unit;
        if (!column.subject.empty()) one["subject"] = column.subject;
        one["merged"] = meaning_text(column.meaning);
        record["columns"].push_back(std::move(one));
    }
    put(std::move(record));
    for (const TableRow &row : table.rows.rows())
        write_row(table, row, false);
    if (table.rows.beyond()) write_row(table, table.rows.others(), true);
}

// ---- globals

void RecordReport::write_value(const Global &global, const ValueRow &row, bool is_others) {
    ordered_json record = begin("value");
    record["name"] = global.name;
    std::vector<Key> keys = row.keys;
    const Figure &figure = row.figure;
    if (row.is_text && !is_others) {
        const Key value = keys.back();
        keys.pop_back();
        add_keys(record, keys);
        record["value"] = value.text;
    } else if (row.is_statistic) {
        add_keys(record, keys);
        add_number(record, record, "count", figure.weight);
        if (figure.any) {
            add_number(record, record, "sum", figure.sum);
            record["min"] = figure.least;
            record["avg"] = average(figure.sum, figure.weight);
            record["max"] = figure.most;
        }
    } else {
        add_keys(record, keys);
        add_number(record, record, "value", figure.sum);
    }
    record["hosts"] = row.hosts.count();
    if (figure.any) record["most_at"] = hosts_.name(figure.most_host);
    if (is_others) record["others"] = global.rows.beyond();
    put(std::move(record));
}

void RecordReport::write_global(const Global &global) {
    for (const ValueRow &row : global.rows.rows())
        write_value(global, row, false);
    if (global.rows.beyond()) write_value(global, global.rows.others(), true);
}

void RecordReport::write_histogram(const Histogram &histogram, const HistogramRow &row, bool is_others) {
    ordered_json record = begin("hist");
    record["name"] = histogram.name;
    add_keys(record, row.keys);
    if (!histogram.unit.empty()) record["unit"] = histogram.unit;
    if (!histogram.subject.empty()) record["subject"] = histogram.subject;
    record["scale"] = histogram.scale;
    add_number(record, record, "count", row.count);
    add_number(record, record, "sum", row.sum);
    if (row.has_ends) {
        record["min"] = row.min;
        record["max"] = row.max;
    }
    record["buckets"] = ordered_json::array();
    for (const auto &[least, bucket] : row.buckets)
        record["buckets"].push_back({least, bucket.largest, clipped(bucket.count)});
    record["hosts"] = row.hosts.count();
    if (is_others) record["others"] = histogram.rows.beyond();
    put(std::move(record));
}

void RecordReport::write_text(const TextRow &row, bool is_message) {
    const std::string &line = row.keys.empty() ? "" : row.keys[0].text;
    const size_t colon = is_message ? line.find(": ") : 0;
    ordered_json record = begin(!is_message ? "print" : line.starts_with("ERROR") ? "error" : "warning");
    record["text"] = is_message ? line.substr(colon + 2) : line + "\n";
    record["hosts"] = row.hosts.count();
    record["times"] = row.times;
    put(std::move(record));
}

// ---- samples

void RecordReport::write_stack(uint32_t number, std::vector<bool> &told) {
    if (!number || told[number - 1]) return;
    told[number - 1] = true;
    const Samples &samples = merge_.samples();
    const MergedStack &stack = samples.stacks()[number - 1];
    ordered_json record = begin("stack");
    record["stack"] = number;
    if (!stack.kernel_end.empty()) record["kernel_end"] = stack.kernel_end;
    if (!stack.user_end.empty()) record["user_end"] = stack.user_end;
    record["frames"] = ordered_json::array();
    for (const uint32_t index : stack.frames) {
        const MergedFrame &frame = samples.frames()[index];
        ordered_json one = {{"in", frame.in}};
        if (!frame.name.empty()) one["name"] = frame.name;
        if (frame.in == "file") {
            if (!frame.object.empty()) one["object"] = frame.object;
            if (!frame.build_id.empty()) one["build_id"] = frame.build_id;
            one["offset"] = frame.offset;
        }
        if (frame.in == "text") one["text"] = frame.text;
        if (frame.returns) one["returns"] = true;
        record["frames"].push_back(std::move(one));
    }
    put(std::move(record));
}

void RecordReport::write_samples() {
    const Samples &samples = merge_.samples();
    if (!samples.any()) return;
    Wide count = 0;
    for (const MergedSample &sample : samples.samples())
        count += sample.count;
    ordered_json record = begin("profile");
    record["title"] = samples.title();
    record["unit"] = samples.unit();
    record["clock"] = samples.clock();
    if (samples.hz()) record["hz"] = samples.hz();
    add_number(record, record, "samples", count);
    if (samples.overflowed()) add_number(record, record, "overflowed", samples.overflowed());
    put(std::move(record));
    std::vector<bool> told(samples.stacks().size());
    for (const MergedSample &sample : samples.samples()) {
        write_stack(sample.stack, told);
        write_stack(sample.waker, told);
        ordered_json one = begin("sample");
        if (sample.stack) one["stack"] = sample.stack;
        if (sample.waker) one["waker"] = sample.waker;
        add_number(one, one, "count", sample.count);
        add_number(one, one, "sum", sample.sum);
        for (const auto &[name, text] :
             {std::pair("label", &sample.label), std::pair("comm", &sample.comm), std::pair("frames", &sample.frames)})
            if (!text->empty()) one[name] = *text;
        one["hosts"] = sample.hosts.count();
        put(std::move(one));
    }
}

void RecordReport::write_quality() {
    ordered_json record = begin("quality");
    record["complete"] = hosts_.incomplete() == 0 && hosts_.judged() == hosts_.size();
    for (size_t i = 0; i < kQualityCount; ++i)
        add_number(record, record, kQualities[i], hosts_.quality(i));
    record["hosts"] = hosts_.judged();
    put(std::move(record));
}

void RecordReport::write(int status) {
    write_fleet();
    write_outliers();
    for (uint32_t host = 0; host < hosts_.size(); ++host)
        write_host(host);
    const Tables &tables = merge_.tables();
    for (const Table &table : tables.tables())
        write_table(table);
    for (const Global &global : tables.globals())
        write_global(global);
    for (const Histogram &histogram : tables.histograms()) {
        for (const HistogramRow &row : histogram.rows.rows())
            write_histogram(histogram, row, false);
        if (histogram.rows.beyond()) write_histogram(histogram, histogram.rows.others(), true);
    }
    for (const TextRow &row : tables.prints().rows())
        write_text(row, false);
    for (const TextRow &row : tables.messages().rows())
        write_text(row, true);
    write_quality();
    write_samples();
    ordered_json record = begin("end");
    record["status"] = status;
    put(std::move(record));
}

}  // namespace

void write_records(const Merge &merge, int status, const std::function<void(const std::string &line)> &write) {
    RecordReport(merge, write).write(status);
}

}  // namespace tapir::merge
