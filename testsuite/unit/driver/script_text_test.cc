// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/script_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tapir::driver {
namespace {

namespace fs = std::filesystem;

class Input : public ::testing::Test {
  protected:
    void SetUp() override {
        char pattern[] = "/tmp/tapir-input-XXXXXX";
        directory_ = mkdtemp(pattern);
    }
    void TearDown() override { fs::remove_all(directory_); }

    std::string path(const char *name) const { return directory_ / name; }

    std::string messages(const Options &options) {
        Diagnostics diagnostics;
        sources_ = read_sources(options, diagnostics);
        return render_all(diagnostics, true);
    }

    static Options with_file(const std::string &file) {
        Options options;
        options.script_file = file;
        return options;
    }

    fs::path directory_;
    std::vector<std::unique_ptr<SourceFile>> sources_;
};

TEST_F(Input, ReadsFileAndTextsInOrder) {
    std::ofstream(path("a.stp")) << "probe begin { }";
    Options options = with_file(path("a.stp"));
    options.additional_text = {"global x"};
    EXPECT_EQ(messages(options), "");
    ASSERT_EQ(sources_.size(), 2u);
    EXPECT_EQ(sources_[0]->name(), path("a.stp"));
    EXPECT_EQ(sources_[0]->text(), "probe begin { }");
    EXPECT_EQ(sources_[1]->name(), "<input>");
    EXPECT_EQ(sources_[1]->text(), "global x");
}

TEST_F(Input, InputMissing) {
    EXPECT_EQ(messages(with_file(path("none.stp"))), "Input file '" + path("none.stp") + "' is missing.\n");
}

TEST_F(Input, InputUnreadable) {
    EXPECT_EQ(messages(with_file(directory_)),
              "Input file '" + directory_.string() + "' can't be opened for reading: Is a directory.\n");
    EXPECT_THAT(messages(with_file("/dev/zero")),
                testing::StartsWith("Input file '/dev/zero' can't be opened for reading: it is not a regular file.\n"));
    std::ofstream(path("huge.stp")).close();
    fs::resize_file(path("huge.stp"), uint64_t{1} << 40);
    EXPECT_THAT(messages(with_file(path("huge.stp"))), testing::HasSubstr("reading: it is too large.\n"));
}

TEST_F(Input, InputEmpty) {
    std::ofstream(path("empty.stp")).close();
    EXPECT_EQ(messages(with_file(path("empty.stp"))), "Input file '" + path("empty.stp") + "' is empty.\n");
    Options options;
    options.script_text = "";
    EXPECT_EQ(messages(options), "Input file '<input>' is empty.\n");
}

}  // namespace
}  // namespace tapir::driver
