// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/request.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

namespace tapir::client {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxName = 64;

std::string plain_name(const std::string &path, const std::string &ending) {
    std::string name = path.substr(path.rfind('/') + 1);
    for (char &c : name)
        if (!std::isalnum(static_cast<unsigned char>(c)) && std::string_view("._+~-").find(c) == std::string_view::npos)
            c = '_';
    if (!name.empty() && (name[0] == '.' || name[0] == '-')) name[0] = '_';
    if (name.empty()) name = "script" + ending;
    if (name.size() > kMaxName) name = name.substr(0, kMaxName - ending.size()) + ending;
    return name;
}

// The server gives macros (.stpm) to all, so a file keeps its ending.
std::string unused_name(const Json &taken, const std::string &path) {
    const std::string ending = path.ends_with(".stpm") ? ".stpm" : ".stp";
    const std::string name = plain_name(path, ending);
    if (!taken.contains(name)) return name;
    for (int number = 2;; ++number) {
        const std::string tail = "-" + std::to_string(number) + ending;
        const std::string stem = name.substr(0, std::min(name.size() - ending.size(), kMaxName - tail.size()));
        if (!taken.contains(stem + tail)) return stem + tail;
    }
}

}  // namespace

Outcome<std::string> body_of(const Request &request) {
    Json kernel = {{"release", request.release}};
    if (!request.build_id.empty()) kernel["build_id"] = request.build_id;
    Json json = {{"name", plain_name(request.name, ".stp")}, {"script", request.script}, {"kernel", std::move(kernel)}};
    if (!request.arguments.empty()) json["arguments"] = request.arguments;
    if (!request.options.empty()) json["options"] = request.options;
    if (!request.tapsets.empty()) {
        Json tapsets = Json::object();
        for (const auto &[path, text] : request.tapsets)
            tapsets[unused_name(tapsets, path)] = text;
        json["tapsets"] = std::move(tapsets);
    }
    try {
        return json.dump();
    } catch (const Json::type_error &) {
        return Fault{
            FaultTag::RequestNotText,
            "the script, its arguments or its tapsets are not UTF-8, which is all that can be sent to a server"};
    }
}

}  // namespace tapir::client
