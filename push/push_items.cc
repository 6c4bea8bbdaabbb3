// SPDX-License-Identifier: GPL-2.0-or-later
#include "push/push_items.h"

#include "common/base64.h"
#include "common/json.h"

namespace tapir::push {

namespace {

// WriteRawRequest of Parca, as its gateway takes it.
std::string parca_request(const ProfileSpan &span, const std::string &host, const std::string &pprof) {
    std::string labels;
    const std::pair<const char *, const std::string &> kLabels[] = {
        {"__name__", "tapir"}, {"script", span.script}, {"node", host}};
    for (const auto &[name, value] : kLabels)
        labels += (labels.empty() ? "" : ",") + std::string("{\"name\":\"") + name +
                  "\",\"value\":" + json_string(value) + "}";
    return "{\"series\":[{\"labels\":{\"labels\":[" + labels + "]},\"samples\":[{\"raw_profile\":\"" +
           to_base64(pprof) + "\"}]}],\"normalized\":false}";
}

}  // namespace

Item metrics_item(const Destination &destination, std::string message) {
    return {"metrics", metrics_path(destination), "application/x-protobuf", std::move(message)};
}

Item profile_item(const Destination &destination, const ProfileSpan &span, const std::string &host,
                  const std::string &pprof) {
    Item item{"profile", profile_path(destination, span), "application/octet-stream", pprof};
    if (destination.protocol == Protocol::Parca) {
        item.type = "application/json";
        item.body = parca_request(span, host, pprof);
    }
    return item;
}

}  // namespace tapir::push
