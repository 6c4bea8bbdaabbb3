// SPDX-License-Identifier: GPL-2.0-or-later
#include "exporter/record_reader.h"

#include <nlohmann/json.hpp>

#include "common/json.h"
#include "common/quoting.h"

namespace tapir::exporter {

using nlohmann::json;

namespace {

constexpr size_t kLongestLabel = 256;

std::string text_in(const json &record, const char *member, bool latin1) {
    const auto found = record.find(member);
    if (found == record.end() || !found->is_string()) return {};
    return latin1 ? bytes_of_latin1(found->get<std::string>()) : found->get<std::string>();
}

int64_t number_of(const json &value) {
    if (value.is_number_unsigned()) return static_cast<int64_t>(value.get<uint64_t>());
    return value.is_number() ? value.get<int64_t>() : 0;
}

int64_t number_in(const json &record, const char *member) {
    const auto found = record.find(member);
    return found == record.end() ? 0 : number_of(*found);
}

uint64_t count_in(const json &record, const char *member) {
    return static_cast<uint64_t>(number_in(record, member));
}

std::vector<std::string> labels_in(const json &record, const char *member, bool latin1) {
    std::vector<std::string> labels;
    const auto found = record.find(member);
    if (found == record.end() || !found->is_array()) return labels;
    for (const json &key : *found) {
        if (!key.is_string())
            labels.push_back(std::to_string(number_of(key)));
        else
            labels.push_back(label_value(latin1 ? bytes_of_latin1(key.get<std::string>()) : key.get<std::string>()));
    }
    return labels;
}

}  // namespace

std::string label_value(std::string_view text) {
    std::string value;
    while (!text.empty() && value.size() < kLongestLabel) {
        const size_t length = printable_length(text);
        if (length || text[0] == '\n') {
            value += text.substr(0, length ? length : 1);
            text.remove_prefix(length ? length : 1);
            continue;
        }
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(text[0])));
        value += escaped;
        text.remove_prefix(1);
    }
    return value;
}

void RecordReader::take(std::string_view line) {
    const json record = json::parse(line, nullptr, false);
    if (record.is_object() && record.contains("type") && record["type"].is_string()) return take_record(record);
    broken_++;
}

void RecordReader::take_record(const json &record) {
    const std::string type = record["type"];
    const bool latin1 = record.contains("latin1");
    if (type == "meta") {
        reading_.started_ns = count_in(record, "started");
        reading_.begun_ns = reading_.read_ns = count_in(record, "t");
        reading_.module = text_in(record, "module", latin1);
        reading_.host = text_in(record, "host", latin1);
        reading_.kernel = text_in(record, "kernel", latin1);
    } else if (type == "refresh" || type == "quality") {
        Accounting &account = reading_.account;
        account.hits = count_in(record, "hits");
        account.lost_hits = count_in(record, "lost_hits");
        account.errors = count_in(record, "errors");
        account.lost_records = count_in(record, "lost_records");
        if (record.contains("overhead_ns")) account.overhead_ns = count_in(record, "overhead_ns");
        reading_.read_ns = std::max(reading_.read_ns, count_in(record, "t"));
    } else if (type == "metrics") {
        asked_ = true;
        expected_ = count_in(record, "count");
        ended_ = 0;
    } else if (type == "metric") {
        take_metric(record, latin1);
    } else if (type == "metric_end") {
        end_metric(text_in(record, "name", latin1));
    } else if (type == "value" || type == "hist") {
        take_value(record, latin1, type == "hist");
    } else if (type == "end") {
        reading_.has_ended = true;
    }
}

void RecordReader::take_metric(const json &record, bool latin1) {
    Metric metric;
    metric.name = text_in(record, "name", latin1);
    metric.kind = text_in(record, "kind", latin1);
    metric.help = label_value(text_in(record, "help", latin1));
    metric.unit = text_in(record, "unit", latin1);
    metric.shape = text_in(record, "shape", latin1);
    metric.labels = labels_in(record, "labels", latin1);
    if (const auto before = reading_.metrics.find(metric.name); before != reading_.metrics.end())
        metric.bounds = before->second.bounds;
    open_.insert_or_assign(metric.name, std::move(metric));
}

// Counts the series of metrics that are not being told.
size_t RecordReader::series() const {
    size_t count = 0;
    for (const auto &[name, metric] : reading_.metrics)
        if (!open_.contains(name)) count += metric.samples.size();
    for (const auto &[name, metric] : open_)
        count += metric.samples.size();
    return count;
}

// Elements whose labels are the same, since they were cut, are one.
void RecordReader::take_value(const json &record, bool latin1, bool is_histogram) {
    const auto found = open_.find(text_in(record, "name", latin1));
    if (found == open_.end()) return;  // the script displays it
    Metric &metric = found->second;
    std::vector<std::string> labels = labels_in(record, "keys", latin1);
    if (labels.size() != metric.labels.size()) return;
    auto place = metric.samples.find(labels);
    if (place == metric.samples.end()) {
        if (series() >= most_) {
            metric.left_out++;
            return;
        }
        place = metric.samples.emplace(std::move(labels), Sample{}).first;
    }
    Sample &sample = place->second;
    if (!is_histogram) {
        sample.value += number_in(record, "value");
        return;
    }
    sample.count += count_in(record, "count");
    sample.sum += number_in(record, "sum");
    const auto buckets = record.find("buckets");
    if (buckets == record.end() || !buckets->is_array()) return;
    for (const json &bucket : *buckets) {
        if (!bucket.is_array() || bucket.size() != 3) continue;
        const int64_t largest = number_of(bucket[1]);
        sample.buckets[largest] += static_cast<uint64_t>(number_of(bucket[2]));
        if (largest != INT64_MAX) metric.bounds.insert(largest);
    }
}

void RecordReader::end_metric(const std::string &name) {
    const auto found = open_.find(name);
    if (found == open_.end()) return;
    reading_.metrics.insert_or_assign(name, std::move(found->second));
    open_.erase(found);
    ended_++;
}

}  // namespace tapir::exporter
