// SPDX-License-Identifier: GPL-2.0-or-later
// "stap --format", as it is called.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "common/files.h"
#include "driver/driver.h"

namespace tapir::driver {
namespace {

namespace fs = std::filesystem;

struct Answer {
    int status;
    std::string output, errors;
};

class FormatFiles : public ::testing::Test {
  protected:
    void SetUp() override {
        char pattern[] = "/tmp/tapir-format-XXXXXX";
        directory_ = mkdtemp(pattern);
        ASSERT_TRUE(write_file(bad(), "probe  begin{exit()}\n", 0600));
        ASSERT_TRUE(write_file(good(), kGood));
    }
    void TearDown() override { fs::remove_all(directory_); }

    std::string bad() const { return directory_ / "bad.stp"; }
    std::string good() const { return directory_ / "good.stp"; }

    static Answer stap(std::vector<std::string> words) {
        words.insert(words.begin(), "stap");
        std::vector<char *> arguments;
        for (std::string &word : words)
            arguments.push_back(word.data());
        arguments.push_back(nullptr);
        ::testing::internal::CaptureStdout();
        ::testing::internal::CaptureStderr();
        Answer answer{run(static_cast<int>(words.size()), arguments.data()), {}, {}};
        answer.output = ::testing::internal::GetCapturedStdout();
        answer.errors = ::testing::internal::GetCapturedStderr();
        return answer;
    }

    static constexpr const char *kGood = "probe begin { exit() }\n";
    fs::path directory_;
};

TEST_F(FormatFiles, PrintsScripts) {
    const Answer answer = stap({"--format", bad(), good()});
    EXPECT_EQ(answer.status, 0);
    EXPECT_EQ(answer.output, std::string(kGood) + kGood);
    EXPECT_EQ(answer.errors, "");
}

TEST_F(FormatFiles, ChecksScripts) {
    const Answer answer = stap({"--format", "--check", bad(), good()});
    EXPECT_EQ(answer.status, 1);
    EXPECT_EQ(answer.output, bad() + "\n");
    EXPECT_EQ(stap({"--format", "--check", "--", good()}).status, 0);
}

TEST_F(FormatFiles, WritesScriptsBack) {
    EXPECT_EQ(stap({"--format", "--in-place", bad(), good()}).status, 0);
    EXPECT_EQ(read_file(bad()), kGood);
    EXPECT_EQ(fs::status(bad()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(stap({"--format", "-i", bad()}).output, "");
    EXPECT_EQ(stap({"--format", "--check", bad()}).status, 0);
}

TEST_F(FormatFiles, RefusesMistakes) {
    ASSERT_TRUE(write_file(bad(), "probe begin { x = \"a }\n"));
    const Answer answer = stap({"--format", "--in-place", bad()});
    EXPECT_EQ(answer.status, 1);
    EXPECT_EQ(answer.errors,
              "parse error: Could not find matching closing quote\n"
              "         at: junk '\"a }' at " +
                  bad() +
                  ":1:19\n"
                  "     source: probe begin { x = \"a }\n"
                  "                               ^\n\n");
    EXPECT_EQ(read_file(bad()), "probe begin { x = \"a }\n");
    EXPECT_EQ(stap({"--format", "--chekc"}).errors,
              "ERROR: Unknown option '--chekc' of --format (should be --check, --in-place or -i, then files).\n");
    EXPECT_EQ(stap({"--format", "--check", "-i", good()}).errors,
              "ERROR: The --check and --in-place options of --format exclude each other.\n");
    EXPECT_EQ(stap({"--format", "-i"}).errors, "ERROR: The --in-place option of --format needs files.\n");
    EXPECT_EQ(stap({"--format", "/nowhere/x.stp"}).errors, "Input file '/nowhere/x.stp' is missing.\n");
}

// The option for the format of output is as old.
TEST_F(FormatFiles, LeavesTheFormatOfOutput) {
    EXPECT_EQ(stap({"--format", "json", "-p1", good()}).status, 0);
    EXPECT_EQ(stap({"--format=csv", "-p1", good()}).status, 0);
}

}  // namespace
}  // namespace tapir::driver
