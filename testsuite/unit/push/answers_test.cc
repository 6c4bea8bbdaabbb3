// SPDX-License-Identifier: GPL-2.0-or-later
#include "push/answers.h"

#include <gtest/gtest.h>

namespace tapir::push {
namespace {

using Fate = Verdict::Fate;

HttpAnswer answer(int status, const std::string &type = "", const std::string &body = "",
                  const std::string &retry_after = "") {
    HttpAnswer made;
    made.status = status;
    made.type = type;
    made.body = body;
    made.retry_after = retry_after;
    return made;
}

TEST(Answers, WhatIsRepeated) {
    for (const int status : {408, 429, 502, 503, 504})
        EXPECT_EQ(judge(Protocol::Otlp, answer(status), 0).fate, Fate::Again) << status;
    for (const int status : {301, 307, 400, 401, 403, 404, 413, 415, 500, 501})
        EXPECT_EQ(judge(Protocol::Otlp, answer(status), 0).fate, Fate::Refused) << status;
    EXPECT_EQ(judge(Protocol::Pyroscope, answer(500), 0).fate, Fate::Again);
    HttpAnswer none;
    none.complaint = "Connection refused";
    const Verdict verdict = judge(Protocol::Otlp, none, 0);
    EXPECT_EQ(verdict.fate, Fate::Again);
    EXPECT_EQ(verdict.why, "Connection refused");
}

TEST(Answers, RetryAfter) {
    constexpr time_t kThen = 784111777;  // RFC 9110 has this date
    EXPECT_EQ(pause_of("120", 0).count(), 120);
    EXPECT_EQ(pause_of("1000000", 0).count(), 3600);
    EXPECT_EQ(pause_of("Sun, 06 Nov 1994 08:49:37 GMT", kThen - 30).count(), 30);
    EXPECT_EQ(pause_of("Sun, 06 Nov 1994 08:49:37 GMT", kThen + 30).count(), 0);
    for (const char *text : {"", "soon", "-1", "12 apples", "Sun, 06 Nov 1994"})
        EXPECT_EQ(pause_of(text, 0).count(), 0) << text;
    EXPECT_EQ(judge(Protocol::Otlp, answer(429, "", "", "7"), 0).rest.count(), 7);
    EXPECT_EQ(judge(Protocol::Otlp, answer(400, "", "", "7"), 0).rest.count(), 0);
}

TEST(Answers, PartialSuccess) {
    const std::string binary("\x0a\x0b\x08\x03\x12\x07too old", 13);
    const Verdict verdict = judge(Protocol::Otlp, answer(200, "application/x-protobuf", binary), 0);
    EXPECT_EQ(verdict.fate, Fate::Delivered);
    EXPECT_EQ(verdict.rejected, 3u);
    EXPECT_EQ(verdict.why, "too old");
    EXPECT_EQ(judge(Protocol::Otlp, answer(200), 0).fate, Fate::Delivered);
    const Verdict json = judge(
        Protocol::Otlp,
        answer(200, "application/json", R"({"partialSuccess":{"rejectedDataPoints":"2","errorMessage":"odd"}})"), 0);
    EXPECT_EQ(json.rejected, 2u);
    EXPECT_EQ(judge(Protocol::Otlp, answer(200, "application/json", "{}"), 0).fate, Fate::Delivered);
}

TEST(Answers, GarbageIsNoSuccess) {
    for (const std::string &body : {std::string("<html>Please log in</html>"), std::string("\x0a\x7f", 2),
                                    std::string("\x0a\x02\x08\xff", 4), std::string("\0", 1)})
        EXPECT_EQ(judge(Protocol::Otlp, answer(200, "text/html", body), 0).fate, Fate::Again) << body;
    EXPECT_EQ(judge(Protocol::Otlp, answer(200, "application/json", "{"), 0).fate, Fate::Again);
    // Servers of pprof answer anything.
    EXPECT_EQ(judge(Protocol::Pprof, answer(200, "text/html", "thanks"), 0).fate, Fate::Delivered);
}

TEST(Answers, ReasonsAreReadable) {
    const std::string status(
        "\x08\x03\x12\x0b"
        "bad metrics",
        15);
    EXPECT_EQ(judge(Protocol::Otlp, answer(400, "application/x-protobuf", status), 0).why,
              "it answers with HTTP status 400: bad metrics");
    EXPECT_EQ(judge(Protocol::Parca, answer(401, "text/plain", "who\x1b[2J are you?\nagain"), 0).why,
              "it answers with HTTP status 401: who\\x1b[2J are you?...");
}

}  // namespace
}  // namespace tapir::push
