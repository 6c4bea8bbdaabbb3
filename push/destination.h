// SPDX-License-Identifier: GPL-2.0-or-later
// Where things are pushed to: what a URL says about the protocol, and the paths of the protocol.
#pragma once

#include <cstdint>
#include <string>

#include "common/outcome.h"

namespace tapir::push {

enum class Protocol : uint8_t {
    Otlp,       // OpenTelemetry's, over HTTP
    Pyroscope,  // Pyroscope's POST /ingest
    Parca,      // Parca's POST /profiles/writeraw
    Pprof,      // a file of pprof as the body of a POST
};

struct Destination {
    Protocol protocol = Protocol::Otlp;
    std::string base;  // http or https, without a '/' at the end of its path

    bool takes_metrics() const { return protocol == Protocol::Otlp; }
    bool takes_profiles() const { return protocol != Protocol::Otlp; }
};

// "http://HOST:PORT/PATH" is of OTLP; "pyroscope+http://...", "parca+https://...", "pprof+http://...",
// "otlp+https://..." name the protocol. Else Misuse.
Outcome<Destination> read_destination(const std::string &url);

// The path of OTLP's metrics behind the base: "" if the base has it.
std::string metrics_path(const Destination &destination);

// A profile that is to be pushed.
struct ProfileSpan {
    std::string script;
    uint64_t from_s = 0, until_s = 0;  // since the epoch
};
// The path of a profile behind the base, with its query.
std::string profile_path(const Destination &destination, const ProfileSpan &span);

// For URLs: what is neither a letter, a digit nor one of "-._~" becomes %XX.
std::string percent_encoded(const std::string &text);

}  // namespace tapir::push
