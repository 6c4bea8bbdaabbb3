// SPDX-License-Identifier: GPL-2.0-or-later
#include "push/answers.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "common/plain_text.h"
#include "common/quoting.h"

namespace tapir::push {

namespace {

using Fate = Verdict::Fate;

struct PartialSuccess {
    uint64_t rejected = 0;
    std::string message;
};

// Reads the fields of a message one after the other.
class FieldReader {
  public:
    explicit FieldReader(std::string_view text) : text_(text) {}

    // The next field; false at the end, or if the message is broken.
    bool next() {
        uint64_t key = 0;
        if (text_.empty() || !varint(key)) return false;
        field = key >> 3;
        value = 0;
        bytes = {};
        const unsigned type = key & 7;
        if (field && type == 0) return varint(value);
        if (field && (type == 1 || type == 5)) return take(type == 1 ? 8 : 4);
        return field && type == 2 && varint(value) && take(value);
    }
    bool is_broken() const { return broken_; }

    uint64_t field = 0, value = 0;
    std::string_view bytes;

  private:
    bool varint(uint64_t &out) {
        out = 0;
        for (unsigned shift = 0; shift < 64 && !text_.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(text_[0]);
            text_.remove_prefix(1);
            out |= uint64_t{byte & 127u} << shift;
            if (byte < 128) return true;
        }
        broken_ = true;
        return false;
    }
    bool take(uint64_t size) {
        if (size > text_.size()) {
            broken_ = true;
            return false;
        }
        bytes = text_.substr(0, size);
        text_.remove_prefix(size);
        return true;
    }

    std::string_view text_;
    bool broken_ = false;
};

// ExportMetricsServiceResponse and its like. Nothing: it is none.
std::optional<PartialSuccess> read_binary(std::string_view text) {
    PartialSuccess found;
    FieldReader response(text);
    size_t fields = 0;
    while (response.next()) {
        fields++;
        if (response.field != 1) continue;
        FieldReader partial(response.bytes);
        while (partial.next()) {
            if (partial.field == 1) found.rejected = partial.value;
            if (partial.field == 2) found.message = partial.bytes;
        }
        if (partial.is_broken()) return std::nullopt;
    }
    const bool is_whole = !response.is_broken() && (fields || text.empty());
    return is_whole ? std::optional(found) : std::nullopt;
}

std::optional<PartialSuccess> read_json(const std::string &text) {
    PartialSuccess found;
    const nlohmann::json whole = nlohmann::json::parse(text, nullptr, false);
    if (!whole.is_object()) return std::nullopt;
    const nlohmann::json partial = whole.value("partialSuccess", nlohmann::json::object());
    if (!partial.is_object()) return found;
    // Numbers of 64 bits are text in JSON of protocol buffers.
    for (const auto &[key, value] : partial.items()) {
        if (key == "errorMessage" && value.is_string()) found.message = value.get<std::string>();
        if (key != "rejectedDataPoints") continue;
        if (value.is_number_unsigned()) found.rejected = value.get<uint64_t>();
        if (value.is_string()) parse_unsigned(value.get<std::string>(), found.rejected);
    }
    return found;
}

// The reason that a collector gives for a failure: a google.rpc.Status, JSON or text.
std::string said(const HttpAnswer &answer) {
    constexpr size_t kMost = 200;
    std::string text = answer.body;
    if (answer.type.starts_with("application/x-protobuf")) {
        text.clear();
        FieldReader status(answer.body);
        while (status.next())
            if (status.field == 2) text = status.bytes;
    }
    text = printable(first_line(text).substr(0, kMost));
    return text.empty() ? "" : ": " + text;
}

bool is_transient(Protocol protocol, int status) {
    switch (status) {
        case 408:
        case 429:
        case 502:
        case 503:
        case 504:
            return true;
        case 500:  // OTLP forbids to repeat these
            return protocol != Protocol::Otlp;
        default:
            return false;
    }
}

Verdict judge_success(Protocol protocol, const HttpAnswer &answer) {
    if (protocol != Protocol::Otlp) return {Fate::Delivered, "", {}, 0};
    const bool is_json = answer.type.starts_with("application/json");
    const std::optional<PartialSuccess> partial = is_json ? read_json(answer.body) : read_binary(answer.body);
    // A proxy, or a page of it.
    if (!partial)
        return {Fate::Again,
                "it answers with HTTP status " + std::to_string(answer.status) + ", but not in OTLP" +
                    (answer.type.empty() ? "" : " (" + printable(answer.type) + ")"),
                {},
                0};
    return {Fate::Delivered, printable(partial->message), {}, partial->rejected};
}

}  // namespace

std::chrono::seconds pause_of(const std::string &retry_after, time_t now) {
    constexpr uint64_t kMost = 3600;
    uint64_t seconds = 0;
    if (!parse_unsigned(retry_after, seconds)) {
        tm date = {};
        const char *const end = strptime(retry_after.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
        const time_t then = end && !*end ? timegm(&date) : 0;
        seconds = then > now ? static_cast<uint64_t>(then - now) : 0;
    }
    return std::chrono::seconds(std::min(seconds, kMost));
}

Verdict judge(Protocol protocol, const HttpAnswer &answer, time_t now) {
    if (!answer.status) return {Fate::Again, answer.complaint, {}, 0};
    if (answer.status >= 200 && answer.status < 300) return judge_success(protocol, answer);
    const std::string why = "it answers with HTTP status " + std::to_string(answer.status) + said(answer);
    if (is_transient(protocol, answer.status)) return {Fate::Again, why, pause_of(answer.retry_after, now), 0};
    return {Fate::Refused, why, {}, 0};
}

}  // namespace tapir::push
