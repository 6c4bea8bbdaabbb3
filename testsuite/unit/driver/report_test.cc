// SPDX-License-Identifier: GPL-2.0-or-later
// "stap report" is stap-report.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "driver/driver.h"

namespace tapir::driver {
namespace {

int run_words(std::vector<std::string> words) {
    std::vector<char *> arguments;
    for (std::string &word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return run(static_cast<int>(words.size()), arguments.data());
}

TEST(Report, IsAProgramOfItsOwn) {
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(run_words({"stap", "report", "--version"}), 0);
    EXPECT_EQ(::testing::internal::GetCapturedStdout().substr(0, 12), "stap-report ");
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run_words({"stap", "report", "/nowhere/run.tapir"}), 1);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              "stap-report: '/nowhere/run.tapir' cannot be read: No such file or directory\n");
}

}  // namespace
}  // namespace tapir::driver
