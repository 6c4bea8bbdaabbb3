// SPDX-License-Identifier: GPL-2.0-or-later
// What a load balancer says of the client before it passes the client's bytes on: the PROXY protocol, versions 1 and 2.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tapir::server {

struct ProxyHeader {
    // Of the client, as inet_ntop(3) prints it; "" when the balancer speaks for itself, or does not know.
    std::string address;
};

// How many bytes at least have to be read so that a header that begins with `bytes` is whole: no more than it has, as
// what follows is the client's. 0: it is whole. Nothing: it is no header, or longer than any that is taken.
std::optional<size_t> proxy_header_misses(std::string_view bytes);

// Of a whole header; nothing if it is not well-formed.
std::optional<ProxyHeader> parse_proxy_header(std::string_view bytes);

// "::ffff:10.0.0.7" is 10.0.0.7.
std::string plain_address(const std::string &address);

}  // namespace tapir::server
