// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/request_head.h"

#include <gtest/gtest.h>

#include <string>

namespace tapir::server {
namespace {

const std::string kRequest = "POST /v1/modules HTTP/1.1\r\n", kHost = "Host: x\r\n", kEnd = "\r\n";

std::string told(const std::string &bytes) {
    const Outcome<size_t> length = check_head(bytes);
    return length ? std::to_string(*length) : length.fault().text;
}

std::string told_of(const std::string &fields) {
    return told(kRequest + kHost + fields + kEnd);
}

TEST(RequestHead, IsAsLongAsItIs) {
    const std::string head = kRequest + kHost + "Content-Length: 3\r\nAccept:\t*/*\r\n" + kEnd;
    EXPECT_EQ(std::to_string(head.size()), told(head + "abc"));
    for (size_t i = 0; i < head.size(); ++i)
        EXPECT_EQ("0", told(head.substr(0, i))) << i;
}

TEST(RequestHead, OnlyOneEndOfTheBodyIsPossible) {
    const std::string coding = "Transfer-Encoding can only be 'chunked', in HTTP/1.1";
    EXPECT_EQ(std::to_string((kRequest + kHost + kEnd).size() + 28), told_of("Transfer-Encoding: Chunked\r\n"));
    for (const char *value :
         {"xchunked", "chunked, gzip", "gzip, chunked", "chunked;q=1", "identity", "", "\"chunked\""})
        EXPECT_EQ(coding, told_of("Transfer-Encoding: " + std::string(value) + "\r\n")) << value;
    EXPECT_EQ(coding, told("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"));
    EXPECT_EQ("there is more than one Transfer-Encoding",
              told_of("Transfer-Encoding: chunked\r\ntransfer-encoding: chunked\r\n"));
    EXPECT_EQ("there are both Content-Length and Transfer-Encoding",
              told_of("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"));
    EXPECT_EQ("there is more than one Content-Length", told_of("Content-Length: 3\r\nContent-Length: 3\r\n"));
    for (const char *value : {"", "+3", "-3", "0x3", "3, 3", "3 3", "3a", "9999999999999999999"})
        EXPECT_EQ("Content-Length is not a number", told_of("Content-Length: " + std::string(value) + "\r\n")) << value;
}

TEST(RequestHead, OnlyOneHostIsMeant) {
    EXPECT_EQ("there is more than one Host", told_of("hOST: y\r\n"));
    EXPECT_EQ("there is no Host", told(kRequest + kEnd));
}

TEST(RequestHead, LinesAreWhatTheySeem) {
    const std::string form = "a line of the header is not NAME: VALUE, without a blank before the ':'";
    EXPECT_EQ(form, told_of("Content-Length : 3\r\n"));
    EXPECT_EQ(form, told_of("Content Length: 3\r\n"));
    EXPECT_EQ(form, told_of(": 3\r\n"));
    EXPECT_EQ(form, told_of("Content-Length\r\n"));
    EXPECT_EQ("a line of the header goes on in the next one", told_of("A: b\r\n Content-Length: 3\r\n"));
    EXPECT_EQ("a line of the header goes on in the next one", told(kRequest + "\tHost: x\r\n" + kEnd));
    EXPECT_EQ("a line of the header does not end in CR LF", told_of("A: b\nContent-Length: 3\r\n"));
    EXPECT_EQ("the header has a control character", told_of("A: b\rContent-Length: 3\r\n"));
    EXPECT_EQ("the header has a control character", told_of("A: b" + std::string(1, '\0') + "\r\n"));
    EXPECT_EQ("that is no HTTP request: its first line is empty", told(kEnd + kRequest + kHost + kEnd));
}

// A head that cannot become a request is refused before its end.
TEST(RequestHead, IsRefusedEarly) {
    EXPECT_EQ("a line of the header does not end in CR LF", told("GET / HTTP/1.1\n"));
    EXPECT_EQ("the header has a control character", told(std::string("\x16\x03\x01\x02", 4)));
    EXPECT_EQ("that is no HTTP request", told("{}"));
}

}  // namespace
}  // namespace tapir::server
