// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/results.h"

#include <nlohmann/json.hpp>

#include "common/hash.h"

namespace tapir::server {

using Json = nlohmann::json;

bool is_key(std::string_view text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// A line of JSON, and the module.
std::string serialize(const Result &result) {
    const Json json = {{"key", result.key},           {"name", result.name},
                       {"release", result.release},   {"architecture", result.architecture},
                       {"vermagic", result.vermagic}, {"build", result.build},
                       {"sha256", result.sha256},     {"messages", result.messages},
                       {"output", result.output},     {"guru", result.guru},
                       {"sets", result.tapset_sets}};
    return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n" + result.module;
}

std::optional<Result> parse_result(std::string_view bytes) {
    const size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const Json json = Json::parse(bytes.substr(0, end), nullptr, false);
    if (!json.is_object()) return std::nullopt;
    Result result;
    for (const auto &[name, field] : {std::pair{"key", &result.key},
                                      {"name", &result.name},
                                      {"release", &result.release},
                                      {"architecture", &result.architecture},
                                      {"vermagic", &result.vermagic},
                                      {"build", &result.build},
                                      {"sha256", &result.sha256},
                                      {"messages", &result.messages},
                                      {"output", &result.output}}) {
        if (!json.contains(name) || !json[name].is_string()) return std::nullopt;
        *field = json[name].get<std::string>();
    }
    if (!json.contains("guru") || !json["guru"].is_boolean()) return std::nullopt;
    if (!json.contains("sets") || !json["sets"].is_array()) return std::nullopt;
    result.guru = json["guru"].get<bool>();
    for (const Json &set : json["sets"]) {
        if (!set.is_string()) return std::nullopt;
        result.tapset_sets.push_back(set.get<std::string>());
    }
    result.module = bytes.substr(end + 1);
    return result;
}

Results::Results(const std::string &directory, uint64_t limit_bytes) : directory_(directory), limit_(limit_bytes) {}

// The cache object is made for each use: it only holds settings, and must not be shared by threads.
std::optional<Result> Results::find(const std::string &key) {
    if (!is_key(key)) return std::nullopt;
    auto bytes = build::Cache(directory_, build::CacheMode::Use, limit_).find_text(key);
    if (!bytes) return std::nullopt;
    auto result = parse_result(*bytes);
    if (!result || result->key != key || sha256(result->module) != result->sha256) return std::nullopt;
    return result;
}

Outcome<void> Results::store(const Result &result) {
    build::Cache cache(directory_, build::CacheMode::Use, limit_);
    const Outcome<std::string> stored = cache.store(result.key, "result", serialize(result));
    return stored ? Outcome<void>() : Fault{FaultTag::StateUnwritable, stored.fault().text};
}

}  // namespace tapir::server
