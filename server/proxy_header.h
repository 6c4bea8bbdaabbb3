// SPDX-License-Identifier: GPL-2.0-or-later
// A load balancer's description of the client, sent before the client's bytes: the PROXY protocol, versions 1 and 2.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tapir::server {

struct ProxyHeader {
    // The client's address as inet_ntop(3) prints it; "" if the balancer speaks for itself, or does not know.
    std::string address;
};

// Returns how many more bytes complete a header that begins with `bytes`, at least: never more than it has, because the
// client's bytes follow. 0 if it is complete. Nothing if it is not a header, or is too long.
std::optional<size_t> proxy_header_misses(std::string_view bytes);

// Parses a complete header; nothing if it is not well-formed.
std::optional<ProxyHeader> parse_proxy_header(std::string_view bytes);

// "::ffff:10.0.0.7" is 10.0.0.7.
std::string plain_address(const std::string &address);

}  // namespace tapir::server
