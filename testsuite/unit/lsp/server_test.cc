// SPDX-License-Identifier: GPL-2.0-or-later
// The server over pipes, with a host of its own.
#include "lsp/server.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "common/files.h"
#include "lsp/channel.h"
#include "lsp/document.h"

namespace tapir::lsp {
namespace {

using nlohmann::json;

class FakeHost : public Host, public complete::TargetNames {
  public:
    FakeHost() : vocabulary_(make()) {}
    const complete::Vocabulary &vocabulary() override { return vocabulary_; }
    complete::TargetNames *target_names() override { return this; }
    std::vector<Problem> parse(const SourceFile &script) override {
        if (script.text().find("wrong") == std::string_view::npos) return {};
        return {{1, 1, 5, false, "it is wrong"}};
    }
    void begin_check(const std::string &) override {}
    int check_descriptor() override { return -1; }
    std::optional<std::vector<Problem>> take_check() override { return std::nullopt; }

    std::vector<complete::Name> variables(const std::string &points) override {
        return {{complete::Kind::Target, "$of_" + points, "int", {}, {}, 0}};
    }
    std::vector<complete::Name> members(const std::string &, const std::string &expression) override {
        return {{complete::Kind::Member, "of_" + expression.substr(1), "int", {}, {}, 0}};
    }
    std::vector<complete::Name> arguments(const std::string &, const std::string &) override { return {}; }

  private:
    static complete::Vocabulary make() {
        docs::Family family{"strings", "texts", {}};
        docs::Entry strlen;
        strlen.name = "strlen";
        strlen.signature = "strlen:long (s:string)";
        strlen.summary = "the length of a text";
        strlen.file = "/tapsets/strings.stp";
        strlen.line = 7;
        family.entries.push_back(strlen);
        docs::Entry read;
        read.kind = docs::Kind::Probe;
        read.name = read.signature = "vfs.read";
        family.entries.push_back(read);
        return complete::Vocabulary({{family}, {}});
    }
    complete::Vocabulary vocabulary_;
};

// A server is given bytes, and its answers are kept.
struct Session {
    int status = 0;
    std::vector<json> answers;

    explicit Session(const std::string &bytes) {
        int to[2], from[2] = {-1, -1};
        EXPECT_EQ(pipe(to), 0);
        FILE *output = tmpfile();
        from[1] = fileno(output);
        EXPECT_EQ(write(to[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
        ::close(to[1]);
        FakeHost host;
        status = Server(host, to[0], from[1]).run();
        ::close(to[0]);
        std::string text(static_cast<size_t>(lseek(from[1], 0, SEEK_END)), '\0');
        EXPECT_EQ(pread(from[1], text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
        fclose(output);
        Framing framing;
        framing.add(text);
        while (framing.take(text))
            answers.push_back(json::parse(text));
    }

    const json &answer(const json &id) const {
        static const json none;
        for (const json &one : answers)
            if (one.contains("id") && one["id"] == id) return one;
        return none;
    }
};

std::string request(int id, const std::string &method, const json &params = json::object()) {
    return framed({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
}

std::string notify(const std::string &method, const json &params = json::object()) {
    return framed({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

const std::string kEnd = request(99, "shutdown") + notify("exit");

std::string opened(const std::string &text) {
    return request(0, "initialize", {{"capabilities", json::object()}}) + notify("initialized") +
           notify("textDocument/didOpen",
                  {{"textDocument",
                    {{"uri", "file:///a.stp"}, {"languageId", "systemtap"}, {"version", 1}, {"text", text}}}});
}

json at(int line, int character) {
    return {{"textDocument", {{"uri", "file:///a.stp"}}}, {"position", {{"line", line}, {"character", character}}}};
}

// Ends the session when it is warmed up, which happens when all messages are answered.
class ColdHost : public FakeHost {
  public:
    explicit ColdHost(int to) : to_(to) {}
    void warm_up() override {
        warmed++;
        const std::string end = request(99, "shutdown") + notify("exit");
        EXPECT_TRUE(write_all(to_, end));
    }
    int warmed = 0;

  private:
    int to_;
};

TEST(LspServer, WarmsUpOnceWhenNothingIsAsked) {
    int to[2], from[2];
    ASSERT_EQ(pipe(to), 0);
    ASSERT_EQ(pipe(from), 0);
    ColdHost host(to[1]);
    EXPECT_TRUE(write_all(to[1], request(0, "initialize") + notify("initialized")));
    EXPECT_EQ(Server(host, to[0], from[1]).run(), 0);
    EXPECT_EQ(host.warmed, 1);
    for (const int fd : {to[0], to[1], from[0], from[1]})
        ::close(fd);
}

TEST(LspServer, KeepsTheRulesOfALife) {
    EXPECT_EQ(Session(notify("exit")).status, 1);
    EXPECT_EQ(Session("").status, 1);
    EXPECT_EQ(Session(request(0, "initialize") + kEnd).status, 0);
    EXPECT_EQ(Session(request(1, "textDocument/hover") + kEnd).answer(1)["error"]["code"], -32002);
    const Session session(request(0, "initialize") + request(1, "initialize") + request(2, "no/such") +
                          notify("$/unknown") + request(3, "shutdown") + request(4, "textDocument/hover") +
                          notify("exit"));
    EXPECT_EQ(session.status, 0);
    EXPECT_EQ(session.answer(1)["error"]["code"], -32600);
    EXPECT_EQ(session.answer(2)["error"]["code"], -32601);
    EXPECT_EQ(session.answer(3)["result"], json());
    EXPECT_EQ(session.answer(4)["error"]["code"], -32600);
}

TEST(LspServer, SurvivesMalformedMessages) {
    const Session session("garbage\r\n\r\nContent-Length: x\r\n\r\nContent-Length: 3\r\n\r\n{a}" +
                          framed(json::array()) + framed(5) + framed({{"jsonrpc", "2.0"}, {"id", 1}, {"method", 7}}) +
                          request(0, "initialize", json::array()) + request(1, "textDocument/hover", 3) +
                          request(2, "textDocument/hover", {{"textDocument", {{"uri", "file:///none"}}}}) +
                          notify("textDocument/didChange", {{"textDocument", nullptr}}) + request(5, "initialize") +
                          kEnd);
    EXPECT_EQ(session.status, 0);
    EXPECT_EQ(session.answers[0]["error"]["code"], -32700);
    EXPECT_EQ(session.answers[1]["error"]["code"], -32600);
    EXPECT_TRUE(session.answer(99).contains("result"));
}

TEST(LspServer, SkipsWhatIsTooLong) {
    Framing framing;
    std::string text;
    framing.add("Content-Length: " + std::to_string(kMaxMessage + 1) + "\r\n\r\n");
    EXPECT_FALSE(framing.take(text));
    framing.add(std::string(kMaxMessage, 'x'));
    EXPECT_FALSE(framing.take(text));
    framing.add("x" + framed({{"a", 1}}));
    EXPECT_TRUE(framing.take(text));
    EXPECT_EQ(text, "");
    EXPECT_TRUE(framing.take(text));
    EXPECT_EQ(text, "{\"a\":1}");
}

TEST(LspServer, Cancels) {
    const Session session(opened("probe ") + request(1, "textDocument/completion", at(0, 6)) +
                          notify("$/cancelRequest", {{"id", 1}}) + kEnd);
    EXPECT_EQ(session.answer(1)["error"]["code"], -32800);
}

std::vector<std::string> labels(const json &answer) {
    std::vector<std::string> found;
    for (const json &item : answer["result"]["items"])
        found.push_back(item["label"]);
    return found;
}

TEST(LspServer, Completes) {
    const Session session(
        opened("probe vfs.re\nprobe end { $o; $x->o; str }\n") + request(1, "textDocument/completion", at(0, 12)) +
        request(2, "textDocument/completion", at(1, 14)) + request(3, "textDocument/completion", at(1, 21)) +
        request(4, "textDocument/completion", at(1, 26)) + kEnd);
    EXPECT_EQ(labels(session.answer(1)), std::vector<std::string>{"read"});
    EXPECT_EQ(labels(session.answer(2)), std::vector<std::string>{"$of_end"});
    EXPECT_EQ(labels(session.answer(3)), std::vector<std::string>{"of_x"});
    const json items = session.answer(4)["result"]["items"];
    EXPECT_EQ(labels(session.answer(4)), (std::vector<std::string>{"string", "strlen"}));
    EXPECT_EQ(items[1]["detail"], "strlen:long (s:string)");
    EXPECT_EQ(items[1]["documentation"]["value"], "The length of a text");
    EXPECT_EQ(items[1]["textEdit"]["newText"], "strlen(");
}

TEST(LspServer, TellsProblems) {
    const Session session(opened("wrong") + kEnd);
    for (const json &one : session.answers)
        if (one.value("method", "") == "textDocument/publishDiagnostics") {
            EXPECT_EQ(one["params"]["diagnostics"][0]["message"], "it is wrong");
            EXPECT_EQ(one["params"]["diagnostics"][0]["range"]["end"]["character"], 5);
            EXPECT_EQ(one["params"]["version"], 1);
            return;
        }
    FAIL() << "no diagnostics";
}

TEST(LspServer, FindsAndRenames) {
    const Session session(
        opened("global reads\nprobe end { reads = strlen(\"\") }\n") + request(1, "textDocument/hover", at(1, 21)) +
        request(2, "textDocument/definition", at(1, 13)) + request(3, "textDocument/definition", at(1, 21)) +
        request(4, "textDocument/references", at(0, 8)) +
        request(5, "textDocument/rename",
                json::object({{"newName", "n"},
                              {"textDocument", {{"uri", "file:///a.stp"}}},
                              {"position", {{"line", 0}, {"character", 8}}}})) +
        request(6, "textDocument/prepareRename", at(1, 21)) + kEnd);
    EXPECT_EQ(session.answer(1)["result"]["contents"]["value"], "strlen:long (s:string)\n\nThe length of a text");
    EXPECT_EQ(session.answer(2)["result"][0]["range"]["start"], (json{{"line", 0}, {"character", 7}}));
    EXPECT_EQ(session.answer(3)["result"][0]["uri"], "file:///tapsets/strings.stp");
    EXPECT_EQ(session.answer(3)["result"][0]["range"]["start"]["line"], 6);
    EXPECT_EQ(session.answer(4)["result"].size(), 2U);
    EXPECT_EQ(session.answer(5)["result"]["changes"]["file:///a.stp"].size(), 2U);
    EXPECT_EQ(session.answer(6)["error"]["code"], -32803);
}

TEST(LspServer, Formats) {
    const json params = {{"textDocument", {{"uri", "file:///a.stp"}}},
                         {"options", {{"tabSize", 4}, {"insertSpaces", true}}}};
    const Session session(opened("probe end{exit()}") + request(1, "textDocument/formatting", params) + kEnd);
    EXPECT_EQ(session.answer(1)["result"][0]["newText"], "probe end { exit() }\n");
    EXPECT_EQ(Session(opened("probe end { (") + request(1, "textDocument/formatting", params) + kEnd)
                  .answer(1)["error"]["code"],
              -32803);
}

TEST(LspServer, NegotiatesPositions) {
    const auto encoding = [](const json &offered) {
        return Session(request(0, "initialize", {{"capabilities", {{"general", {{"positionEncodings", offered}}}}}}) +
                       kEnd)
            .answer(0)["result"]["capabilities"]["positionEncoding"]
            .get<std::string>();
    };
    EXPECT_EQ(encoding({"utf-16"}), "utf-16");
    EXPECT_EQ(encoding({"utf-16", "utf-8"}), "utf-8");
    EXPECT_EQ(encoding({"utf-32"}), "utf-32");
    EXPECT_EQ(encoding(json::array()), "utf-16");
}

TEST(LspDocument, CountsUnits) {
    // Two, three and four bytes; the last is two units of UTF-16.
    Document document("u", "ä€😀x\nb", 1);
    EXPECT_EQ(document.position(9, Encoding::Utf16), (json{{"line", 0}, {"character", 4}}));
    EXPECT_EQ(document.position(9, Encoding::Utf8), (json{{"line", 0}, {"character", 9}}));
    EXPECT_EQ(document.position(9, Encoding::Utf32), (json{{"line", 0}, {"character", 3}}));
    EXPECT_EQ(document.offset({{"line", 0}, {"character", 4}}, Encoding::Utf16), 9U);
    EXPECT_EQ(document.offset({{"line", 0}, {"character", 3}}, Encoding::Utf16), 5U);
    EXPECT_EQ(document.offset({{"line", 0}, {"character", 99}}, Encoding::Utf16), 10U);
    EXPECT_EQ(document.offset({{"line", 9}, {"character", 0}}, Encoding::Utf16), 12U);
}

TEST(LspDocument, AppliesChanges) {
    Document document("u", "one\ntwo\n", 1);
    const json edit = {
        {"range", {{"start", {{"line", 0}, {"character", 1}}}, {"end", {{"line", 1}, {"character", 1}}}}},
        {"text", "X"}};
    EXPECT_TRUE(document.change(json::array({edit}), 2, Encoding::Utf16));
    EXPECT_EQ(document.text(), "oXwo\n");
    EXPECT_EQ(document.version(), 2);
    EXPECT_FALSE(document.change(json::array({{{"text", "y"}}, {{"text", 5}}}), 3, Encoding::Utf16));
    EXPECT_EQ(document.text(), "oXwo\n");
    EXPECT_TRUE(document.change(json::array({{{"text", "all"}}}), 3, Encoding::Utf16));
    EXPECT_EQ(document.text(), "all");
    EXPECT_EQ(path_of(uri_of("/a b/ä.stp")), "/a b/ä.stp");
}

}  // namespace
}  // namespace tapir::lsp
