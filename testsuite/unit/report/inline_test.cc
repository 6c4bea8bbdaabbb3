// SPDX-License-Identifier: GPL-2.0-or-later
// Debug information gives inlined functions and lines, for files of the same build only.
#include <gtest/gtest.h>

#include <sstream>

#include "common/files.h"
#include "common/run_program.h"
#include "report/inline_names.h"
#include "report/known_captures.h"
#include "testsuite/unit/debuginfod/stand_in.h"
#include "trees.h"
#include "unwind/elf_file.h"

namespace tapir::report {
namespace {

class InlineNames : public ::testing::Test {
  protected:
    void SetUp() override {
        unwind::FileImage image;
        ASSERT_EQ(image.open(std::string(INLINE_PROGRAM)), 0);
        unwind::ElfFile file;
        ASSERT_EQ(file.parse(image), "");
        const Outcome<std::string> symbols = output_of({"nm", "-S", INLINE_PROGRAM});
        ASSERT_TRUE(symbols);
        std::istringstream lines(*symbols);
        uint64_t address = 0;
        for (std::string line; std::getline(lines, line);)
            if (line.ends_with(" outer")) {
                address = std::stoull(line.substr(0, 16), nullptr, 16);
                size_ = std::stoull(line.substr(17, 16), nullptr, 16);
            }
        ASSERT_GT(size_, 0u);
        place_ = *file.place_of(address);
        object_ = {1, INLINE_PROGRAM, file.build_id(), address - place_, ""};
    }
    // A stack for each byte of outer(), which only the symbols have named so far.
    void write(capture::Writer &writer) {
        writer.object(object_);
        for (uint64_t i = 0; i < size_; i++) {
            const capture::Frame frame{capture::FrameKind::File, 0, 1, place_ + i, ""};
            writer.stack({i + 1, capture::End::None, capture::End::Complete, {frame}});
            if (named_) writer.name(frame, {{"outer", "", 0, 0}});
            writer.sample({i + 1, 0, 1, 1, 0, {}});
        }
        ASSERT_TRUE(writer.finish("finished"));
    }
    capture::Capture make() {
        std::string bytes;
        capture::Writer writer([&bytes](std::string_view part) {
            bytes += part;
            return true;
        });
        write(writer);
        return *capture::parse_capture(bytes);
    }

    uint64_t place_ = 0, size_ = 0;
    bool named_ = true;
    capture::Object object_;
};

void expect_inlined(capture::Capture capture) {
    EXPECT_TRUE(add_inline_names(capture).empty());
    size_t inlined = 0;
    for (const auto &[key, functions] : capture.names) {
        EXPECT_EQ(functions.back().name, "outer");
        EXPECT_TRUE(functions.back().file.ends_with("inline_program.c")) << functions.back().file;
        if (functions.size() == 1) continue;
        inlined++;
        ASSERT_EQ(functions.size(), 2u);
        EXPECT_EQ(functions[0].name, "inner");
        EXPECT_EQ(functions[0].line, 4u);
        EXPECT_EQ(functions[1].line, 8u);
    }
    EXPECT_GT(inlined, 0u);
}

TEST_F(InlineNames, AreFoundByBuildId) {
    expect_inlined(make());
}

// As clang makes it.
TEST_F(InlineNames, AreFoundWithoutTableOfRanges) {
    const TemporaryDirectory directory(*make_directory(temporary_root(), "tapir-report"));
    object_.path = directory.path() + "/program";
    ASSERT_TRUE(output_of({"objcopy", "--remove-section=.debug_aranges", INLINE_PROGRAM, object_.path}));
    expect_inlined(make());
}

TEST_F(InlineNames, OfAnotherBuildAreNotTaken) {
    object_.build_id = "00112233445566778899aabbccddeeff00112233";
    capture::Capture capture = make();
    EXPECT_EQ(add_inline_names(capture),
              std::vector<std::string>{"no debug information of this build of " INLINE_PROGRAM});
    for (const auto &[key, functions] : capture.names)
        EXPECT_EQ(functions.size(), 1u);
    object_.build_id = "../../../../etc/passwd";
    capture = make();
    EXPECT_EQ(add_inline_names(capture).size(), 1u);
}

// Names that the session did not have, in a file without debug information.
TEST_F(InlineNames, SymbolsNameWhatHadNoName) {
    const TemporaryDirectory directory(*make_directory(temporary_root(), "tapir-report"));
    object_.path = directory.path() + "/program";
    ASSERT_TRUE(output_of({"objcopy", "--strip-debug", INLINE_PROGRAM, object_.path}));
    named_ = false;
    capture::Capture capture = make();
    EXPECT_EQ(add_inline_names(capture),
              std::vector<std::string>{"no debug information of this build of " + object_.path});
    EXPECT_EQ(capture.names.size(), size_);
    for (const auto &[key, functions] : capture.names) {
        ASSERT_EQ(functions.size(), 1u);
        EXPECT_EQ(functions[0].name, "outer");
    }
}

// A stripped program at no known place: a server has its debug file, or the program with its symbols.
TEST_F(InlineNames, ServersNameWhatHasNoName) {
    const TemporaryDirectory directory(*make_directory(temporary_root(), "tapir-report"));
    const std::string debug = directory.path() + "/program.debug", path = directory.path() + "/server.tapir";
    const std::string settings = directory.path() + "/client.conf";
    ASSERT_TRUE(write_file(settings, ""));
    ASSERT_TRUE(output_of({"objcopy", "--only-keep-debug", INLINE_PROGRAM, debug}));
    object_.path = "/nowhere/program";
    named_ = false;
    std::string bytes;
    capture::Writer writer([&bytes](std::string_view part) {
        bytes += part;
        return true;
    });
    write(writer);
    ASSERT_TRUE(write_file(path, bytes));
    std::string kind = "debuginfo";
    debuginfod::StandIn server([&](const std::string &request) {
        return request.starts_with("GET /buildid/" + object_.build_id + "/" + kind + " ")
                   ? debuginfod::http_answer("200 OK", *read_file(kind == "debuginfo" ? debug : INLINE_PROGRAM))
                   : debuginfod::http_answer("404 Not Found", "");
    });
    Collected text, errors;
    const auto run = [&](const std::string &urls, std::vector<std::string> arguments, const std::string &cache) {
        text = {};
        errors = {};
        arguments.insert(arguments.begin(), {build_dir() + "/bin/stap-report", "--format=folded"});
        Program program{std::move(arguments)};
        program.environment = environment_with(
            {"DEBUGINFOD_URLS=" + urls, "DEBUGINFOD_CACHE_PATH=" + cache, "TAPIR_CLIENT_CONFIG=" + settings});
        program.input = Stream::file(path);
        program.output = Stream::collected(text);
        program.errors = Stream::collected(errors);
        const Outcome<Ending> ended = run_program(program);
        // Without the comments at its head.
        while (text.text.starts_with("#"))
            text.text.erase(0, text.text.find('\n') + 1);
        return ended ? ended->code() : -1;
    };
    const std::string count = " " + std::to_string(size_) + "\n";
    EXPECT_EQ(run("", {path}, directory.path() + "/a"), 0);
    EXPECT_EQ(text.text, "[program]" + count);
    EXPECT_TRUE(server.requests().empty());
    EXPECT_EQ(run(server.url(), {path}, directory.path() + "/a"), 0);
    EXPECT_EQ(text.text, "outer" + count) << errors.text;
    EXPECT_EQ(server.requests().size(), 1u);
    // The cache serves a capture from standard input; then the program itself has the names.
    EXPECT_EQ(run(server.url(), {"-"}, directory.path() + "/a"), 0);
    EXPECT_EQ(text.text, "outer" + count) << errors.text;
    EXPECT_EQ(server.requests().size(), 1u);
    kind = "executable";
    EXPECT_EQ(run(server.url(), {path}, directory.path() + "/b"), 0);
    EXPECT_EQ(text.text, "outer" + count) << errors.text;
    EXPECT_EQ(server.requests().size(), 3u);
    EXPECT_EQ(run(server.url(), {path, "--inline", "--lines"}, directory.path() + "/a"), 0);
    EXPECT_NE(text.text.find("outer (inline_program.c:8);inner (inline_program.c:4) "), std::string::npos) << text.text;
    // A server that is not there costs the names, and is told.
    EXPECT_EQ(run("http://127.0.0.1:1", {path}, directory.path() + "/c"), 0);
    EXPECT_EQ(text.text, "[program]" + count);
    EXPECT_NE(errors.text.find("not all names were fetched: http://127.0.0.1:1: "), std::string::npos) << errors.text;
    EXPECT_EQ(run("", {path, "--use-server"}, directory.path() + "/c"), 1);
    EXPECT_NE(errors.text.find("which build server? Its address is not known"), std::string::npos) << errors.text;
}

// Under the filter of system calls, with debug information to open.
TEST_F(InlineNames, ProgramShowsThem) {
    const TemporaryDirectory directory(*make_directory(temporary_root(), "tapir-report"));
    const std::string path = directory.path() + "/inline.tapir";
    std::string bytes;
    capture::Writer writer([&bytes](std::string_view part) {
        bytes += part;
        return true;
    });
    write(writer);
    ASSERT_TRUE(write_file(path, bytes));
    const std::string program = build_dir() + "/bin/stap-report";
    const Outcome<std::string> plain = output_of({program, path, "--format=folded"});
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->find("outer;inner"), std::string::npos);
    const Outcome<std::string> text = output_of({program, path, "--format=folded", "--inline", "--lines"});
    ASSERT_TRUE(text);
    EXPECT_NE(text->find("outer (inline_program.c:8);inner (inline_program.c:4) "), std::string::npos) << *text;
}

}  // namespace
}  // namespace tapir::report
