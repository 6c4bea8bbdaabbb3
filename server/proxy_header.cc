// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/proxy_header.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <vector>

namespace tapir::server {
namespace {

// Version 1: a line of text, "PROXY TCP4 CLIENT SERVER PORT PORT\r\n".
constexpr std::string_view kText = "PROXY ";
constexpr std::string_view kEnd = "\r\n";
constexpr size_t kTextMax = 107;
// Version 2: this, a byte of version and command, one of family and protocol, and two with the length of the rest.
constexpr std::string_view kBinary{"\r\n\r\n\0\r\nQUIT\n", 12};
constexpr size_t kBinaryHead = 16;
constexpr size_t kBinaryMax = 4096;  // addresses, and what balancers add to them

size_t length_of_binary(std::string_view bytes) {
    return kBinaryHead + static_cast<unsigned char>(bytes[14]) * 256u + static_cast<unsigned char>(bytes[15]);
}

bool is_address(int family, const std::string &text) {
    in6_addr address;
    return inet_pton(family, text.c_str(), &address) == 1;
}

bool is_port(const std::string &text) {
    uint16_t port = 0;
    const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc() && last == text.data() + text.size();
}

std::optional<ProxyHeader> parse_text(std::string_view line) {
    std::vector<std::string> words(1);
    for (const char c : line)
        if (c == ' ')
            words.emplace_back();
        else
            words.back() += c;
    // The rest of the line has no meaning then.
    if (words.size() >= 2 && words[1] == "UNKNOWN") return ProxyHeader{};
    if (words.size() != 6) return std::nullopt;
    const int family = words[1] == "TCP4" ? AF_INET : words[1] == "TCP6" ? AF_INET6 : AF_UNSPEC;
    if (family == AF_UNSPEC || !is_address(family, words[2]) || !is_address(family, words[3])) return std::nullopt;
    if (!is_port(words[4]) || !is_port(words[5])) return std::nullopt;
    return ProxyHeader{plain_address(words[2])};
}

std::optional<ProxyHeader> parse_binary(std::string_view bytes) {
    const auto version = static_cast<unsigned char>(bytes[12]), family = static_cast<unsigned char>(bytes[13]);
    if (version == 0x20) return ProxyHeader{};  // for itself: it asks whether the server is well
    if (version != 0x21) return std::nullopt;
    const bool six = family == 0x21;
    if (!six && family != 0x11) return family == 0 ? std::optional(ProxyHeader{}) : std::nullopt;
    // Both addresses and both ports.
    if (bytes.size() - kBinaryHead < (six ? 36 : 12)) return std::nullopt;
    char text[INET6_ADDRSTRLEN];
    inet_ntop(six ? AF_INET6 : AF_INET, bytes.data() + kBinaryHead, text, sizeof text);
    return ProxyHeader{plain_address(text)};
}

}  // namespace

std::optional<size_t> proxy_header_misses(std::string_view bytes) {
    const auto begins_like = [bytes](std::string_view mark) {
        const size_t common = std::min(bytes.size(), mark.size());
        return bytes.substr(0, common) == mark.substr(0, common);
    };
    if (begins_like(kBinary)) {
        if (bytes.size() < kBinaryHead) return bytes.empty() ? 1 : kBinaryHead - bytes.size();
        const size_t length = length_of_binary(bytes);
        if (length > kBinaryMax || bytes.size() > length) return std::nullopt;
        return length - bytes.size();
    }
    if (!begins_like(kText)) return std::nullopt;
    if (bytes.size() <= kTextMax && bytes.ends_with(kEnd)) return 0;
    // The shortest line is 15 bytes long.
    constexpr size_t kShortest = 15;
    if (bytes.size() >= kTextMax) return std::nullopt;
    return bytes.size() < kShortest ? kShortest - bytes.size() : 1;
}

std::optional<ProxyHeader> parse_proxy_header(std::string_view bytes) {
    if (proxy_header_misses(bytes) != 0u) return std::nullopt;
    if (bytes.starts_with(kText)) return parse_text(bytes.substr(0, bytes.size() - kEnd.size()));
    return parse_binary(bytes);
}

std::string plain_address(const std::string &address) {
    constexpr std::string_view kMapped = "::ffff:";
    const bool mapped = address.starts_with(kMapped) && is_address(AF_INET, address.substr(kMapped.size()));
    return mapped ? address.substr(kMapped.size()) : address;
}

}  // namespace tapir::server
