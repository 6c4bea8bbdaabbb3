// SPDX-License-Identifier: GPL-2.0-or-later
#include "merge/host_merge.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/json.h"

namespace tapir::merge {
namespace {

using nlohmann::json;

// Strings of records that are not UTF-8 have a character for each byte: they become these bytes, which compare with
// those of other records.
void take_bytes(json &value) {
    if (value.is_string()) {
        value = bytes_of_latin1(value.get_ref<const std::string &>());
    } else if (value.is_array() || value.is_object()) {
        for (json &part : value)
            take_bytes(part);
    }
}

}  // namespace

Merge::Merge(std::vector<std::string> hosts, Events events, const Limits &limits)
    : events_(std::move(events)),
      room_(limits),
      hosts_(std::move(hosts)),
      tables_(room_, hosts_.size()),
      samples_(room_, hosts_.size()) {}

std::string Merge::complain(uint32_t host, const std::string &why) {
    HostState &state = hosts_[host];
    if (state.bad++ == 0) state.complaint = why;
    if (state.bad < kMostBad) return "";
    return "it tells what is no record, " + std::to_string(state.bad) + " times: " + state.complaint;
}

std::string Merge::record(uint32_t host, std::string_view line, int64_t now) {
    ++records_;
    bytes_ += line.size();
    json record = json::parse(line, nullptr, false);
    const auto type = record.is_object() ? record.find("type") : record.end();
    if (!record.is_object() || type == record.end() || !type->is_string())
        return complain(host, "a line is no object of JSON with a type");
    if (record.value("v", json()) != 1) return complain(host, "a record is of another version than 1");
    HostState &state = hosts_[host];
    if (state.ended) return complain(host, "a record comes after the end");
    const auto time = record.find("t");
    if (time == record.end() || !time->is_number_unsigned()) return complain(host, "a record has no time");
    if (time->get<uint64_t>() < state.last_time) state.backwards = true;
    state.last_time = std::max(state.last_time, time->get<uint64_t>());
    ++state.records;
    const std::string name = *type;
    if (record.contains("latin1")) take_bytes(record);
    const std::string why = take(host, name, record, line, now);
    return why.empty() ? "" : complain(host, why);
}

// Types that say nothing to be added up are left out: ledgers, options that were set.
std::string Merge::take(uint32_t host, const std::string &type, const json &record, std::string_view line,
                        int64_t now) {
    if (type == "row") return tables_.add_row(host, record);
    if (type == "value") return tables_.add_value(host, record);
    if (type == "hist") return tables_.add_histogram(host, record);
    if (type == "print" || type == "error" || type == "warning") return tables_.add_text(host, record);
    if (type == "table") return tables_.add_table(host, record);
    if (type == "stack") return samples_.add_stack(host, record);
    if (type == "sample") return samples_.add_sample(host, record);
    if (type == "profile") return samples_.add_profile(host, record);
    if (type == "quality") hosts_.add_quality(host, record);
    if (type == "trigger" || type == "recall") {
        const auto name = record.find("name");
        if (name == record.end() || !name->is_string()) return "an event has no name";
        if (type == "trigger") tables_.add_trigger(host, *name);
        if (events_) events_(host, line, record);
    }
    if (type == "meta") {
        hosts_.add_meta(host, record, now);
        const auto version = record.find("tapir");
        if (tapir_.empty() && version != record.end() && version->is_string()) tapir_ = *version;
    }
    if (type == "end") {
        hosts_.add_end(host, record, now);
        samples_.forget(host);
    }
    return "";
}

void Merge::ended(uint32_t host, const std::string &problem, const std::string &note) {
    hosts_[host].problem = problem;
    hosts_[host].note = note;
    samples_.forget(host);
}

std::vector<Merge::Outlier> Merge::outliers() const {
    std::vector<Outlier> found;
    const std::vector<bool> counts = hosts_.counting();
    const auto look = [&](const Spread &figure) {
        for (const Spread::Far &far : figure.far(counts))
            found.push_back({&figure, far});
    };
    for (const Table &table : tables_.tables())
        for (const Spread &figure : table.spreads)
            look(figure);
    for (const Global &global : tables_.globals())
        for (const Spread &figure : global.spreads)
            look(figure);
    for (const Histogram &histogram : tables_.histograms())
        for (const Spread &figure : histogram.spreads)
            look(figure);
    for (const Spread &figure : tables_.triggers())
        look(figure);
    look(samples_.spread());
    std::stable_sort(found.begin(), found.end(), [](const Outlier &a, const Outlier &b) {
        return std::fabs(a.far.times) > std::fabs(b.far.times);
    });
    return found;
}

}  // namespace tapir::merge
