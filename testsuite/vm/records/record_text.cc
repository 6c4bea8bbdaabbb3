// SPDX-License-Identifier: GPL-2.0-or-later
#include "record_text.h"

#include <nlohmann/json.hpp>

#include "common/json.h"

namespace tapir::guest_tests {
namespace {

using nlohmann::json;

std::string shown(const json &value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string quoted(const json &value) {
    return value.is_string() ? '"' + shown(value) + '"' : value.dump();
}

// A global as it is displayed at the end.
std::string value_text(const json &record) {
    std::string text = shown(record["name"]);
    if (record.contains("keys")) {
        std::string keys;
        for (const json &key : record["keys"])
            keys += (keys.empty() ? "" : ",") + quoted(key);
        text += '[' + keys + ']';
    }
    if (record.contains("value")) text += '=' + quoted(record["value"]);
    for (const char *part : {"count", "min", "max", "sum", "avg"})
        if (record.contains(part)) text += std::string(" @") + part + '=' + shown(record[part]);
    return text + '\n';
}

}  // namespace

std::optional<std::string> record_text(std::string_view line) {
    const json record = json::parse(line, nullptr, false);
    if (!record.is_object() || !record.contains("type")) return "";
    const std::string type = shown(record["type"]);
    if (type == "hist" || type == "table" || type == "row" || type == "profile" || type == "recall") return {};
    std::string text;
    if ((type == "print" || type == "trigger") && record.contains("text")) text = shown(record["text"]);
    if (type == "value" && record.contains("name")) text = value_text(record);
    return record.value("latin1", false) ? bytes_of_latin1(text) : text;
}

}  // namespace tapir::guest_tests
