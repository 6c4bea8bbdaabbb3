// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/record_fields.h"

#include <nlohmann/json.hpp>

#include "common/json.h"
#include "live/measure.h"

namespace tapir::live {

using nlohmann::json;

namespace {

std::string string_of(const json &value, bool latin1) {
    return latin1 ? bytes_of_latin1(value.get<std::string>()) : value.get<std::string>();
}

bool flag_in(const json &record, const char *member, bool otherwise) {
    const auto found = record.find(member);
    return found == record.end() || !found->is_boolean() ? otherwise : found->get<bool>();
}

}  // namespace

int64_t number_in(const json &record, const char *member) {
    const auto found = record.find(member);
    if (found == record.end() || !found->is_number()) return 0;
    return found->is_number_unsigned() ? static_cast<int64_t>(found->get<uint64_t>()) : found->get<int64_t>();
}

uint64_t count_in(const json &record, const char *member) {
    return static_cast<uint64_t>(number_in(record, member));
}

const json &list_in(const json &record, const char *member) {
    static const json kNone = json::array();
    const auto found = record.find(member);
    return found != record.end() && found->is_array() ? *found : kNone;
}

std::string text_in(const json &record, const char *member, bool latin1) {
    const auto found = record.find(member);
    return found == record.end() || !found->is_string() ? std::string() : string_of(*found, latin1);
}

Value value_in(const json &value, bool latin1) {
    if (value.is_string()) return {true, 0, string_of(value, latin1)};
    if (value.is_number_unsigned()) return {false, static_cast<int64_t>(value.get<uint64_t>()), {}};
    if (value.is_null()) return {true, 0, "-"};  // no_value()
    return value.is_number() ? Value{false, value.get<int64_t>(), {}} : Value{true, 0, {}};
}

ProbeState probe_in(const json &record, bool latin1) {
    ProbeState probe;
    probe.index = count_in(record, "index");
    probe.on = flag_in(record, "on", true);
    const auto row = record.find("probe");
    if (row == record.end() || !row->is_object()) return probe;
    probe.point = text_in(*row, "point", latin1);
    probe.where = text_in(*row, "where", latin1);
    probe.attached = count_in(*row, "attached");
    probe.hits = count_in(*row, "hits");
    probe.missed = count_in(*row, "missed");
    probe.errors = count_in(*row, "errors");
    if (const auto skipped = row->find("skipped"); skipped != row->end() && skipped->is_object())
        for (const auto &[reason, count] : skipped->items())
            if (count.is_number()) probe.skipped.emplace_back(reason, count.get<uint64_t>());
    if (const auto times = row->find("time_ns"); times != row->end() && times->is_object()) {
        probe.timed = count_in(*times, "hits");
        probe.least = count_in(*times, "min");
        probe.most = count_in(*times, "max");
        probe.sum = count_in(*times, "sum");
    }
    return probe;
}

GlobalState global_in(const json &record, bool latin1) {
    GlobalState global;
    global.name = text_in(record, "name", latin1);
    global.kind = text_in(record, "kind", latin1);
    global.of = text_in(record, "of", latin1);
    global.is_array = global.kind == "array";
    global.resets = flag_in(record, "resets", false);
    global.elements = count_in(record, "elements");
    global.most = count_in(record, "most");
    return global;
}

std::string keys_in(const json &record, bool latin1) {
    std::string keys;
    for (const json &part : list_in(record, "keys")) {
        const Value key = value_in(part, latin1);
        keys += (keys.empty() ? "" : ",") + (key.is_text ? key.text : std::to_string(key.number));
    }
    return keys;
}

std::string values_in(const json &record, bool latin1) {
    const Column column{"", ColumnKind::Number, ""};
    if (record.contains("value")) return cell_text(column, value_in(record["value"], latin1), true);
    std::string values;
    for (const char *figure : kStatistic)
        if (record.contains(figure))
            values += (values.empty() ? "" : " ") + std::string(figure) + " " +
                      cell_text(column, {false, number_in(record, figure), {}}, true);
    return values;
}

}  // namespace tapir::live
