// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/request.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../said.h"

namespace tapir::client {
namespace {

using Json = nlohmann::json;

Json sent(const Request &request) {
    const Outcome<std::string> body = body_of(request);
    EXPECT_EQ(said(body), "");
    return Json::parse(*body);
}

TEST(ClientRequest, OnlyWhatIsThere) {
    Request request;
    request.script = "probe begin { }";
    request.release = "6.1.0-1-amd64";
    EXPECT_EQ(sent(request), Json::parse(R"({"name": "script.stp", "script": "probe begin { }",
                                            "kernel": {"release": "6.1.0-1-amd64"}})"));
    request.arguments = {"a", ""};
    request.options = {"-g"};
    request.build_id = "abcd";
    EXPECT_EQ(sent(request), Json::parse(R"({"name": "script.stp", "script": "probe begin { }", "arguments": ["a", ""],
                                            "options": ["-g"], "kernel": {"release": "6.1.0-1-amd64", "build_id": "abcd"}})"));
}

TEST(ClientRequest, NamesArePlain) {
    Request request;
    request.script = "x";
    const auto name = [&request](const std::string &path) {
        request.name = path;
        return sent(request)["name"].get<std::string>();
    };
    EXPECT_EQ(name("/home/me/top io.stp"), "top_io.stp");
    EXPECT_EQ(name("../.hidden.stp"), "_hidden.stp");
    EXPECT_EQ(name("-e.stp"), "_e.stp");
    EXPECT_EQ(name("dir/"), "script.stp");
    EXPECT_EQ(name(std::string(80, 'x') + ".stp"), std::string(60, 'x') + ".stp");
}

TEST(ClientRequest, TapsetsOfTheSameNameAreAllSent) {
    Request request;
    request.script = "x";
    request.tapsets = {{"a/one.stp", "1"}, {"b/one.stp", "2"}, {"b/one.stpm", "3"}, {"c/one.stp", "4"}};
    EXPECT_EQ(sent(request)["tapsets"],
              Json::parse(R"({"one.stp": "1", "one-2.stp": "2", "one.stpm": "3", "one-3.stp": "4"})"));
}

TEST(ClientRequest, RequestNotText) {
    Request request;
    request.script = "probe begin { println(\"\xff\") }";
    EXPECT_EQ(tagged(body_of(request)),
              "request-not-text: the script, its arguments or its tapsets are not UTF-8, which is all that can be sent "
              "to a server");
}

}  // namespace
}  // namespace tapir::client
