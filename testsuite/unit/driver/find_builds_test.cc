// SPDX-License-Identifier: GPL-2.0-or-later
// stap lists a stripped program whose debug information only servers have.
#include <gtest/gtest.h>

#include <filesystem>

#include "common/files.h"
#include "common/find_program.h"
#include "common/run_program.h"
#include "testsuite/trees.h"
#include "testsuite/unit/debuginfod/stand_in.h"
#include "testsuite/unit/patience.h"

namespace tapir::driver {
namespace {

using debuginfod::http_answer;
using debuginfod::StandIn;

class FindBuilds : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(write_file(path("p.c"),
                               "static __attribute__((noinline)) int weigh(int stone) { return stone * 3; }\n"
                               "int main(int c, char **v) { return weigh(c) + v[0][0]; }\n"));
        ASSERT_TRUE(output_of(
            {"gcc", "-g", "-O1", "-Wl,--build-id=0x00112233445566778899aabb", "-o", path("whole"), path("p.c")}));
        ASSERT_TRUE(output_of({"objcopy", "--only-keep-debug", path("whole"), path("kept")}));
        ASSERT_TRUE(output_of({"strip", "-o", path("bare"), path("whole")}));
    }
    std::string path(const std::string &name) const { return directory_.path() + "/" + name; }

    // The functions that stap lists.
    std::string list(const std::string &urls, int seconds = static_cast<int>(60 * tests::patience())) {
        Program program{{build_dir() + "/bin/stap", "-L", "process(\"" + path("bare") + "\").function(\"weigh\")"}};
        program.environment =
            environment_with({"DEBUGINFOD_URLS=" + urls, "DEBUGINFOD_CACHE_PATH=" + path("cache"),
                              "TAPIR_CACHE_DIR=" + path("tapir"), "DEBUGINFOD_MAXTIME=" + std::to_string(seconds)});
        Collected listed, errors;
        program.output = Stream::collected(listed);
        program.errors = Stream::collected(errors);
        EXPECT_TRUE(run_program(program));
        errors_ = errors.text;
        return listed.text;
    }
    bool complains(const std::string &text) const { return errors_.find(text) != std::string::npos; }

    TemporaryDirectory directory_{*make_directory(temporary_root(), "tapir-builds")};
    std::string errors_;
    const std::string request_ = "GET /buildid/00112233445566778899aabb/debuginfo HTTP/1.1";
};

TEST_F(FindBuilds, ListsFunctionsOfAStrippedProgram) {
    const std::string file = read_file(path("kept")).value_or("");
    StandIn server([&file](const std::string &) { return http_answer("200 OK", file); });
    EXPECT_EQ(list(""), "");
    const std::string listed = "process(\"" + path("bare") + "\").function(\"weigh@p.c:1\") $stone:int\n";
    EXPECT_EQ(list(server.url()), listed) << errors_;
    EXPECT_EQ(errors_, "");
    EXPECT_EQ(list(server.url()), listed) << errors_;
    // From the cache, as stap-prep --user fills it.
    EXPECT_EQ(list(""), listed) << errors_;
    EXPECT_EQ(server.requests(), std::vector<std::string>{request_});
}

TEST_F(FindBuilds, RemembersThatServersHaveNone) {
    StandIn server([](const std::string &) { return http_answer("404 Not Found", ""); });
    EXPECT_EQ(list(server.url()), "");
    EXPECT_FALSE(complains("debug information was fetched")) << errors_;
    list(server.url());
    EXPECT_EQ(server.requests(), std::vector<std::string>{request_});
}

TEST_F(FindBuilds, GoesOnWithoutASilentServer) {
    StandIn server([](const std::string &) { return std::string(); });
    EXPECT_EQ(list(server.url(), 2), "");
    EXPECT_TRUE(complains("not all debug information was fetched: " + server.url() +
                          ": not fetched within 2 s (DEBUGINFOD_MAXTIME)"))
        << errors_;
    // libdw did not ask by itself.
    EXPECT_EQ(server.requests(), std::vector<std::string>{request_});
    EXPECT_EQ(list("http://127.0.0.1:1"), "");
    EXPECT_TRUE(complains("not all debug information was fetched: http://127.0.0.1:1: ")) << errors_;
}

}  // namespace
}  // namespace tapir::driver
