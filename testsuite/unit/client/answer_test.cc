// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/answer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "common/hash.h"

namespace tapir::client {
namespace {

using Json = nlohmann::json;
using Kind = Answer::Kind;

// "module" in base64, and as a server describes it.
Json module_json() {
    return {{"name", "stap_1"}, {"kernel", "6.1.0"}, {"size", 6}, {"sha256", sha256("module")}, {"data", "bW9kdWxl"}};
}

Json result(const Json &module) {
    return {{"result", "module"}, {"key", "k"}, {"cached", true}, {"messages", "WARNING: w\n"}, {"module", module}};
}

Answer read(const std::string &text, size_t piece = 1 << 20) {
    AnswerReader reader(nullptr);
    for (size_t at = 0; at < text.size(); at += piece)
        reader.take(std::string_view(text).substr(at, piece));
    return reader.finish();
}

TEST(ClientAnswer, AModule) {
    Json module = module_json();
    module["signature"] = "c2ln";
    for (const size_t piece : {size_t{1}, size_t{7}, size_t{1000000}}) {
        const Answer answer = read(result(module).dump() + "\n", piece);
        ASSERT_EQ(answer.kind, Kind::Module) << answer.text;
        EXPECT_EQ(answer.name, "stap_1");
        EXPECT_EQ(answer.release, "6.1.0");
        EXPECT_EQ(answer.bytes, "module");
        EXPECT_EQ(answer.signature, "sig");
        EXPECT_EQ(answer.messages, "WARNING: w\n");
        EXPECT_TRUE(answer.cached);
    }
}

TEST(ClientAnswer, ProgressComesAsItGoes) {
    std::vector<std::string> lines;
    AnswerReader reader([&lines](const std::string &line) { lines.push_back(line); });
    reader.take("{\"event\": \"message\", \"text\": \"one\"}\n{\"event\": \"mess");
    EXPECT_EQ(lines, (std::vector<std::string>{"one"}));
    reader.take("age\", \"text\": \"two\"}\n");
    EXPECT_EQ(lines, (std::vector<std::string>{"one", "two"}));
    reader.take(R"({"event": "end", "status": 200, "result": "text", "output": "tree", "messages": "", "key": "k"})");
    const Answer answer = reader.finish();
    EXPECT_EQ(answer.kind, Kind::Text);
    EXPECT_EQ(answer.output, "tree");
}

TEST(ClientAnswer, ARefusal) {
    const Answer answer =
        read(R"({"result": "refused", "error": {"tag": "script-refused", "text": "no"}, "messages": "m\n"})");
    EXPECT_EQ(answer.kind, Kind::Refused);
    EXPECT_EQ(answer.tag, "script-refused");
    EXPECT_EQ(answer.text, "no");
    EXPECT_EQ(answer.messages, "m\n");
}

// The part of a module that arrived before a cut is not one.
TEST(ClientAnswer, APartIsNothing) {
    const std::string whole = result(module_json()).dump();
    for (size_t size = 0; size < whole.size(); ++size)
        ASSERT_EQ(read(whole.substr(0, size)).kind, Kind::None) << size;
}

TEST(ClientAnswer, DamagedModules) {
    const auto text = [](const Json &module) {
        const Answer answer = read(result(module).dump() + "\n");
        EXPECT_EQ(answer.kind, Kind::Garbled);
        EXPECT_EQ(answer.bytes, "");
        return answer.text;
    };
    const std::string damaged = "the module is damaged: it is not what size and hash say";
    const auto with = [](const char *field, const Json &value) {
        Json module = module_json();
        module[field] = value;
        return module;
    };
    EXPECT_EQ(text(with("data", "bW9kdWxm")), damaged);
    EXPECT_EQ(text(with("data", "bW9kdWx")), damaged);
    EXPECT_EQ(text(with("data", "%%%%")), damaged);
    EXPECT_EQ(text(with("data", "")), damaged);
    EXPECT_EQ(text(with("data", 1)), damaged);
    EXPECT_EQ(text(with("size", 7)), damaged);
    EXPECT_EQ(text(with("size", -6)), damaged);
    EXPECT_EQ(text(with("sha256", sha256("else"))), damaged);
    EXPECT_EQ(text(with("signature", "x")), "the module's signature is damaged");
    const std::string name = "the module has a name that no module can have";
    EXPECT_EQ(text(with("name", "../../etc/cron.d/x")), name);
    EXPECT_EQ(text(with("name", "")), name);
    EXPECT_EQ(text(with("name", std::string(56, 'a'))), name);
    EXPECT_EQ(text(Json("x")), "there is no module in it");
}

TEST(ClientAnswer, WhatNoBuildServerSays) {
    EXPECT_EQ(read("<html>\x1b[2J</html>\n").text, "'<html>\\x1b[2J</html>' is not what a build server says");
    EXPECT_EQ(read("[]\n").text, "'[]' is not what a build server says");
    EXPECT_EQ(read("{\"result\": \"poem\"}\n").text, "a result 'poem' is not known here; is the server newer?");
    EXPECT_EQ(read("").kind, Kind::None);
    EXPECT_EQ(read("\n\n").kind, Kind::None);
}

TEST(ClientAnswer, WhatFollowsTheEndIsNotRead) {
    EXPECT_EQ(read(result(module_json()).dump() + "\n{\"result\": \"text\"}\nx\n").kind, Kind::Module);
}

}  // namespace
}  // namespace tapir::client
