// SPDX-License-Identifier: GPL-2.0-or-later
// Exchanges in which a shell script plays curl: what the server says in attempt N is the file N of a folder.
#include "client/exchange.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace tapir::client {
namespace {

namespace fs = std::filesystem;
using Kind = Answer::Kind;

constexpr const char *kCurl = R"sh(#!/bin/bash
cd "$(dirname "$0")"
n=$(($(cat count 2>/dev/null || echo 0) + 1))
echo $n >count
echo "$*" >arguments
cat >settings
cat /dev/fd/3 >body
[ -e "$n.errors" ] && cat "$n.errors" >&2
[ -e "$n.body" ] && cat "$n.body"
http=$(cat "$n.http" 2>/dev/null || echo 000)
printf '\nTAPIR-HTTP %s\n' "$http"
exit "$(cat "$n.status" 2>/dev/null || echo 0)"
)sh";

constexpr const char *kText = R"({"result": "text", "output": "tree", "messages": "", "key": "k", "cached": false})";

class Exchange : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "exchange-XXXXXX").string();
        folder_ = mkdtemp(name.data());
        write("curl", kCurl);
        chmod((folder_ / "curl").c_str(), 0755);
        settings_.url = "https://build:8443";
        options_.curl = folder_ / "curl";
        options_.pause_ms = 1;
        options_.retry = [this](const std::string &why) { retries_.push_back(why); };
    }
    void TearDown() override { fs::remove_all(folder_); }

    void write(const std::string &name, const std::string &text) { std::ofstream(folder_ / name) << text; }
    std::string text_of(const std::string &name) {
        std::ostringstream text;
        text << std::ifstream(folder_ / name).rdbuf();
        return text.str();
    }
    // Sets the outcome of one attempt.
    void attempt(int number, int status, int http, const std::string &body, const std::string &errors = "") {
        const std::string name = std::to_string(number);
        write(name + ".status", std::to_string(status));
        write(name + ".http", std::to_string(http));
        write(name + ".body", body);
        write(name + ".errors", errors);
    }
    Answer asked(const std::string &body = "{}") { return ask(settings_, body, options_); }

    fs::path folder_;
    Settings settings_;
    ExchangeOptions options_;
    std::vector<std::string> retries_;
};

TEST_F(Exchange, WhatIsSent) {
    attempt(1, 0, 200, kText);
    write("token", "s3cret\n");
    settings_.token_file = folder_ / "token";
    settings_.authority = "/a \"b\"\\c";
    settings_.certificate = "cert";
    settings_.key = "key";
    const std::string body(300000, 'x');
    EXPECT_EQ(asked(body).kind, Kind::Text);
    EXPECT_EQ(text_of("body"), body);
    EXPECT_EQ(text_of("arguments"), "-q -K -\n");
    const std::string said = text_of("settings");
    for (const char *line : {"url = \"https://build:8443/v1/modules\"\n", "proto = \"=https\"\n", "tlsv1.2\n",
                             "header = \"Authorization: Bearer s3cret\"\n", "cacert = \"/a \\\"b\\\"\\\\c\"\n",
                             "cert = \"cert\"\n", "key = \"key\"\n", "data-binary = \"@/dev/fd/3\"\n"})
        EXPECT_NE(said.find(line), std::string::npos) << line << said;
    EXPECT_EQ(said.find("insecure"), std::string::npos);
}

TEST_F(Exchange, ProgressAndAnAnswerOfManyPieces) {
    std::string body;
    for (int i = 0; i < 2000; ++i)
        body += "{\"event\": \"message\", \"text\": \"" + std::to_string(i) + "\"}\n";
    attempt(1, 0, 200, body + kText);
    int next = 0;
    options_.note = [&next](const std::string &line) { EXPECT_EQ(line, std::to_string(next++)); };
    EXPECT_EQ(asked().output, "tree");
    EXPECT_EQ(next, 2000);
    EXPECT_TRUE(retries_.empty());
}

TEST_F(Exchange, AServerThatIsBeingStarted) {
    attempt(1, 7, 0, "", "curl: (7) Failed to connect to build port 8443: Connection refused\n");
    attempt(2, 0, 503,
            R"({"result": "refused", "error": {"tag": "stopping", "text": "there is too much to do; ask again"}})");
    attempt(3, 0, 502, "<html>Bad Gateway</html>\n");
    // Cut off in the middle of a line.
    attempt(4, 18, 200, "{\"event\": \"message\", \"text\": \"x\"}\n{\"result\": \"te", "curl: (18) transfer closed\n");
    attempt(5, 35, 0, "", "curl: (35) OpenSSL SSL_connect: Connection reset by peer in connection to build:8443 \n");
    attempt(6, 0, 200, kText);
    EXPECT_EQ(asked().kind, Kind::Text);
    EXPECT_EQ(retries_,
              (std::vector<std::string>{
                  "Failed to connect to build port 8443: Connection refused", "there is too much to do; ask again",
                  "what answers there is no build server, it says HTTP status 502", "transfer closed",
                  "OpenSSL SSL_connect: Connection reset by peer in connection to build:8443"}));
}

TEST_F(Exchange, AServerThatIsNotThere) {
    options_.attempts = 3;
    for (const int number : {1, 2, 3})
        attempt(number, 6, 0, "", "curl: (6) Could not resolve host: build\n");
    const Answer answer = asked();
    EXPECT_EQ(answer.kind, Kind::Refused);
    EXPECT_EQ(answer.tag, "unreachable");
    EXPECT_EQ(answer.text, "Could not resolve host: build");
    EXPECT_EQ(text_of("count"), "3\n");
}

TEST_F(Exchange, WhatIsRefusedIsNotAskedAgain) {
    attempt(1, 0, 403, R"({"result": "refused", "error": {"tag": "forbidden", "text": "the right 'guru' is needed"}})");
    const Answer answer = asked();
    EXPECT_EQ(answer.tag, "forbidden");
    EXPECT_EQ(answer.text, "the right 'guru' is needed");
    EXPECT_TRUE(retries_.empty());
}

TEST_F(Exchange, AnUntrustedServerIsToldNothingTwice) {
    attempt(1, 60, 0, "", "curl: (60) SSL certificate problem: self-signed certificate\nMore details here\n");
    const Answer answer = asked();
    EXPECT_EQ(answer.tag, "untrusted");
    EXPECT_EQ(answer.text, "SSL certificate problem: self-signed certificate");
    EXPECT_TRUE(retries_.empty());
}

TEST_F(Exchange, AServerThatDoesNotTrustUsIsNotAskedAgain) {
    attempt(1, 35, 0, "", "curl: (35) error:14094418:SSL routines:ssl3_read_bytes:tlsv1 alert unknown ca\n");
    EXPECT_EQ(asked().tag, "untrusted");
    EXPECT_TRUE(retries_.empty());
}

TEST_F(Exchange, AnAnswerOfSomethingElse) {
    attempt(1, 0, 200, "It works!\n");
    EXPECT_EQ(asked().text, "its answer cannot be used: 'It works!' is not what a build server says");
    attempt(2, 0, 404, "<html>\n");
    EXPECT_EQ(asked().text, "what answers there is no build server, it says HTTP status 404");
    EXPECT_TRUE(retries_.empty());
}

TEST_F(Exchange, NoCurl) {
    options_.curl = "/nonexistent/curl";
    const Answer answer = asked();
    EXPECT_EQ(answer.tag, "no-curl");
    EXPECT_EQ(
        answer.text,
        "cannot start '/nonexistent/curl', which talks to build servers: No such file or directory; install curl");
}

TEST_F(Exchange, ATokenThatCannotBeRead) {
    settings_.token_file = folder_ / "none";
    EXPECT_EQ(asked().tag, "untrusted");
    EXPECT_FALSE(fs::exists(folder_ / "count"));
}

}  // namespace
}  // namespace tapir::client
