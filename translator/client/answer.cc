// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/answer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/base64.h"
#include "common/hash.h"
#include "common/quoting.h"
#include "module/module_name.h"

namespace tapir::client {
namespace {

using Json = nlohmann::json;

// More than the largest module as base64 that a server keeps (64 MB).
constexpr size_t kMaxLine = 128 << 20;

std::string text_at(const Json &json, const char *name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

// "" or what is wrong with the module.
std::string take_module(const Json &module, Answer &answer) {
    if (!module.is_object()) return "there is no module in it";
    answer.name = text_at(module, "name");
    answer.release = text_at(module, "kernel");
    if (!is_module_name(answer.name)) return "the module has a name that no module can have";
    auto bytes = from_base64(text_at(module, "data"));
    const auto size = module.find("size");
    if (!bytes || bytes->empty() || size == module.end() || !size->is_number_unsigned() ||
        size->get<uint64_t>() != bytes->size() || sha256(*bytes) != text_at(module, "sha256"))
        return "the module is damaged: it is not what size and hash say";
    answer.bytes = std::move(*bytes);
    auto signature = from_base64(text_at(module, "signature"));
    if (!signature) return "the module's signature is damaged";
    answer.signature = std::move(*signature);
    return {};
}

}  // namespace

void AnswerReader::garbled(const std::string &text) {
    answer_ = {};
    answer_.kind = Answer::Kind::Garbled;
    answer_.text = text;
}

void AnswerReader::take_line(std::string_view line) {
    if (trim(line).empty() || answer_.kind != Answer::Kind::None) return;
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded() || !json.is_object())
        return garbled("'" + printable(first_line(line.substr(0, 60))) + "' is not what a build server says");
    if (text_at(json, "event") == "message") {
        if (note_) note_(text_at(json, "text"));
        return;
    }
    const std::string result = text_at(json, "result");
    answer_.messages = text_at(json, "messages");
    const auto cached = json.find("cached");
    answer_.cached = cached != json.end() && cached->is_boolean() && cached->get<bool>();
    if (result == "module") {
        const auto module = json.find("module");
        const std::string why = take_module(module == json.end() ? Json() : *module, answer_);
        if (!why.empty()) return garbled(why);
        answer_.kind = Answer::Kind::Module;
    } else if (result == "text") {
        answer_.output = text_at(json, "output");
        answer_.kind = Answer::Kind::Text;
    } else if (result == "refused") {
        const auto error = json.find("error");
        if (error != json.end() && error->is_object()) {
            answer_.tag = text_at(*error, "tag");
            answer_.text = text_at(*error, "text");
        }
        answer_.kind = Answer::Kind::Refused;
    } else {
        garbled("a result '" + printable(result.substr(0, 40)) + "' is not known here; is the server newer?");
    }
}

void AnswerReader::take(std::string_view bytes) {
    while (!bytes.empty() && answer_.kind == Answer::Kind::None) {
        const size_t end = bytes.find('\n');
        pending_ += bytes.substr(0, end);
        if (pending_.size() > kMaxLine) return garbled("it does not come to an end");
        if (end == std::string_view::npos) return;
        bytes.remove_prefix(end + 1);
        const std::string line = std::move(pending_);
        pending_.clear();
        take_line(line);
    }
}

Answer AnswerReader::finish() {
    // A line that was cut off is no line.
    if (answer_.kind == Answer::Kind::None && Json::accept(pending_)) take_line(pending_);
    return std::move(answer_);
}

}  // namespace tapir::client
