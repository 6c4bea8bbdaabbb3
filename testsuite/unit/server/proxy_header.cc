// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/proxy_header.h"

#include <gtest/gtest.h>

namespace tapir::server {
namespace {

const std::string kMark("\r\n\r\n\0\r\nQUIT\n", 12);

std::string binary(unsigned char version, unsigned char family, const std::string &rest) {
    return kMark + static_cast<char>(version) + static_cast<char>(family) + static_cast<char>(rest.size() / 256) +
           static_cast<char>(rest.size() % 256) + rest;
}

// As from a connection: never more than is missing. The address, or "refused", and in `left` what was not read.
std::string read(const std::string &stream, std::string *left = nullptr) {
    std::string bytes;
    for (size_t at = 0;;) {
        const auto misses = proxy_header_misses(bytes);
        if (!misses) return "refused";
        if (*misses == 0) {
            if (left) *left = stream.substr(at);
            break;
        }
        if (at + *misses > stream.size()) return "waits";
        bytes += stream.substr(at, *misses);
        at += *misses;
    }
    const auto header = parse_proxy_header(bytes);
    return header ? header->address : "refused";
}

TEST(ProxyHeader, NamesTheClient) {
    std::string left;
    EXPECT_EQ("10.0.0.7", read("PROXY TCP4 10.0.0.7 10.0.0.1 4711 8443\r\n\x16\x03\x01", &left));
    EXPECT_EQ("\x16\x03\x01", left);
    EXPECT_EQ("2001:db8::7", read("PROXY TCP6 2001:db8::7 ::1 4711 8443\r\n"));
    EXPECT_EQ("10.0.0.7", read("PROXY TCP6 ::ffff:10.0.0.7 ::1 4711 8443\r\n"));
    EXPECT_EQ("", read("PROXY UNKNOWN\r\n\x16", &left));
    EXPECT_EQ("\x16", left);
    EXPECT_EQ("", read("PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n"));
    const std::string four = std::string("\x0a\0\0\x07\x0a\0\0\x01", 8) + "\x12\x67\x20\xfb";
    EXPECT_EQ("10.0.0.7", read(binary(0x21, 0x11, four) + "\x16", &left));
    EXPECT_EQ("\x16", left);
    // The server skips fields that balancers add.
    EXPECT_EQ("10.0.0.7", read(binary(0x21, 0x11, four + std::string("\x04\0\x01x", 4))));
    std::string six(36, '\0');
    six.replace(0, 4, "\x20\x01\x0d\xb8");
    six[15] = 7;
    EXPECT_EQ("2001:db8::7", read(binary(0x21, 0x21, six)));
    EXPECT_EQ("", read(binary(0x20, 0, "")));
    EXPECT_EQ("", read(binary(0x21, 0, "")));
}

TEST(ProxyHeader, IsBoundedAndWellFormed) {
    for (const char *line : {"PROXY TCP4 10.0.0.7 10.0.0.1 4711\r\n", "PROXY TCP4 10.0.0 10.0.0.1 4711 8443\r\n",
                             "PROXY TCP4 ::1 10.0.0.1 4711 8443\r\n", "PROXY TCP4 10.0.0.7 10.0.0.1 65536 8443\r\n",
                             "PROXY TCP4  10.0.0.7 10.0.0.1 1 2\r\n", "PROXY TCP5 10.0.0.7 10.0.0.1 1 2\r\n",
                             "PROXY TCP4 10.0.0.7 10.0.0.1 1 2 3\r\n", "GET / HTTP/1.1\r\n", "\x16\x03\x01",
                             "PROXX TCP4 10.0.0.7 10.0.0.1 1 2\r\n", "PROXY TCP4 10.0.0.7\" 10.0.0.1 1 2\r\n"})
        EXPECT_EQ("refused", read(line)) << line;
    EXPECT_EQ("refused", read("PROXY " + std::string(200, 'x')));
    EXPECT_EQ("waits", read("PROXY " + std::string(90, 'x')));
    EXPECT_EQ("waits", read(kMark + "\x21\x11"));
    EXPECT_EQ("refused", read(binary(0x21, 0x11, "short")));
    EXPECT_EQ("refused", read(binary(0x11, 0x11, std::string(12, 'x'))));
    EXPECT_EQ("refused", read(binary(0x22, 0x11, std::string(12, 'x'))));
    EXPECT_EQ("refused", read(binary(0x21, 0x31, std::string(216, 'x'))));
    EXPECT_EQ("refused", read(binary(0x21, 0x11, std::string(5000, 'x'))));
    EXPECT_FALSE(parse_proxy_header("PROXY UNKNOWN\r"));
    EXPECT_FALSE(parse_proxy_header(""));
}

}  // namespace
}  // namespace tapir::server
