// SPDX-License-Identifier: GPL-2.0-or-later
// The settings file of stap-push: lines NAME=VALUE (stap-push(1)).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/outcome.h"

namespace tapir::push {

constexpr char kSettingsFile[] = "/etc/tapir/push.conf";

struct PushSettings {
    std::vector<std::string> headers;               // "NAME: VALUE"
    std::map<std::string, std::string> attributes;  // of OTLP's resource
    std::string authority, queue;
    uint64_t queue_bytes = uint64_t{64} << 20;
    std::chrono::milliseconds every{10'000}, linger{10'000}, retry{1'000};
    std::chrono::seconds timeout{30};
    size_t series = 10'000;
};

// Else BadConfiguration, with the line.
Outcome<PushSettings> parse_settings(const std::string &text);
// `path` "": the usual file, which may be missing. A file with headers must be its owner's alone.
Outcome<PushSettings> read_settings(const std::string &path);

// Where the queue is if the settings do not say: /var/lib/tapir/push for root, else below the user's state directory.
std::string usual_queue();

}  // namespace tapir::push
