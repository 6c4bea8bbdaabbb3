// SPDX-License-Identifier: GPL-2.0-or-later
#include "push/destination.h"

#include <cctype>
#include <cstdio>
#include <string_view>

namespace tapir::push {

namespace {

constexpr std::pair<std::string_view, Protocol> kPrefixes[] = {{"otlp+", Protocol::Otlp},
                                                               {"pyroscope+", Protocol::Pyroscope},
                                                               {"parca+", Protocol::Parca},
                                                               {"pprof+", Protocol::Pprof}};
constexpr std::string_view kMetrics = "/v1/metrics";

Fault misuse(const std::string &url, const std::string &why) {
    return {FaultTag::Misuse, "'" + url + "' " + why,
            "write http://HOST:4318 for OTLP, or pyroscope+http://HOST:4040, parca+http://HOST:7070, "
            "pprof+https://HOST/PATH"};
}

}  // namespace

Outcome<Destination> read_destination(const std::string &url) {
    Destination found;
    std::string_view rest = url;
    for (const auto &[prefix, protocol] : kPrefixes)
        if (rest.starts_with(prefix)) {
            found.protocol = protocol;
            rest.remove_prefix(prefix.size());
            break;
        }
    const size_t scheme = rest.find("://");
    const std::string_view name = scheme == std::string_view::npos ? "" : rest.substr(0, scheme);
    if (name != "http" && name != "https") return misuse(url, "is no URL to push to");
    const std::string_view place = rest.substr(scheme + 3);
    for (const char c : rest)
        if (static_cast<unsigned char>(c) <= ' ' || c == '#') return misuse(url, "has a blank or a '#'");
    const std::string_view host = place.substr(0, place.find_first_of("/?"));
    if (host.empty()) return misuse(url, "has no host");
    // Other users see command lines.
    if (host.find('@') != std::string_view::npos)
        return Fault{FaultTag::Misuse, "the URL has a user's name", "credentials are for header= in the settings file"};
    const bool has_query = place.find('?') != std::string_view::npos;
    if (has_query && found.protocol != Protocol::Pprof)
        return misuse(url, "has a query, which only pprof+... may have");
    found.base = rest;
    while (!has_query && found.base.ends_with('/'))
        found.base.pop_back();
    // Where Parca has its gateway.
    if (found.protocol == Protocol::Parca && place.find('/') == std::string_view::npos) found.base += "/api";
    return found;
}

std::string metrics_path(const Destination &destination) {
    return destination.base.ends_with(kMetrics) ? "" : std::string(kMetrics);
}

std::string percent_encoded(const std::string &text) {
    std::string out;
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) || std::string_view("-._~").find(c) != std::string_view::npos) {
            out += c;
            continue;
        }
        char escaped[4];
        std::snprintf(escaped, sizeof escaped, "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
        out += escaped;
    }
    return out;
}

std::string profile_path(const Destination &destination, const ProfileSpan &span) {
    switch (destination.protocol) {
        case Protocol::Pyroscope:
            return "/ingest?name=" + percent_encoded("tapir." + span.script) + "&from=" + std::to_string(span.from_s) +
                   "&until=" + std::to_string(span.until_s) + "&format=pprof&spyName=tapir";
        case Protocol::Parca:
            return "/profiles/writeraw";
        default:
            return "";
    }
}

}  // namespace tapir::push
