// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/files.h"

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "../said.h"
#include "common/descriptor.h"
#include "common/regular_file.h"

namespace tapir {
namespace {

class Files : public ::testing::Test {
  protected:
    Files() : directory_(*make_directory("/tmp", "tapir-files-")) {}
    std::string path(const char *name) const { return directory_.path() + "/" + name; }

    TemporaryDirectory directory_;
};

TEST_F(Files, WhatIsWrittenIsRead) {
    std::string bytes(200000, 'x');
    bytes += '\0';
    EXPECT_TRUE(write_file(path("a"), bytes));
    EXPECT_EQ(read_file(path("a")), bytes);
    EXPECT_TRUE(replace_file(path("a"), "new"));
    EXPECT_EQ(read_file(path("a")), "new");
    EXPECT_TRUE(is_file(path("a")));
    EXPECT_FALSE(is_directory(path("a")));
}

TEST_F(Files, FailuresSayWhy) {
    EXPECT_EQ(read_file(path("none")), std::nullopt);
    EXPECT_EQ(errno, ENOENT);
    EXPECT_EQ(read_file(directory_.path()), std::nullopt);
    EXPECT_EQ(errno, EISDIR);
    EXPECT_EQ(tagged(write_file(path("none/a"), "x")),
              "file-unwritable: " + path("none/a") + ": No such file or directory");
    ASSERT_TRUE(write_file(path("file"), ""));
    EXPECT_EQ(tagged(make_directory(path("file"), "x")), "file-unwritable: " + path("file") + ": Not a directory");
    EXPECT_FALSE(replace_file(path("none/a"), "x"));
    EXPECT_EQ(errno, ENOENT);
    EXPECT_EQ(file_identity(path("none")), "");
}

TEST_F(Files, OfAFileThatIsTooLongThereIsTheBeginning) {
    const std::string bytes(100000, 'x');
    ASSERT_TRUE(write_file(path("a"), bytes));
    std::string content;
    EXPECT_EQ(read_file(path("a").c_str(), 70000, content), EFBIG);
    EXPECT_EQ(content, bytes.substr(0, 70000));
    EXPECT_EQ(read_file(path("a").c_str(), 100000, content), 0);
    EXPECT_EQ(content, bytes);
}

// Reading must not wait for a writer, go on without end, or take memory for holes.
TEST_F(Files, OnlyRegularFilesAreRead) {
    ASSERT_EQ(0, mkfifo(path("pipe").c_str(), 0600));
    std::string content;
    for (const std::string &name : {path("pipe"), std::string("/dev/zero"), std::string("/dev/null")}) {
        EXPECT_EQ(read_file(name), std::nullopt);
        EXPECT_EQ(file_error(errno), "it is not a regular file");
        EXPECT_EQ(read_file(name.c_str(), 10, content), kNotRegular);
        EXPECT_EQ(open_regular(name.c_str()), -1);
        EXPECT_EQ(open_text(name.c_str()), -1);
    }
    EXPECT_EQ(open_regular(directory_.path().c_str()), -1);
    EXPECT_EQ(errno, EISDIR);
    ASSERT_TRUE(write_file(path("huge"), ""));
    ASSERT_EQ(0, truncate(path("huge").c_str(), off_t{1} << 40));
    EXPECT_EQ(read_file(path("huge")), std::nullopt);
    EXPECT_EQ(file_error(errno), "it is too large");
    EXPECT_NE(read_file("/proc/self/status"), std::nullopt);
}

// Those are open already, and have their writer: <(command) of the shell.
TEST_F(Files, PipesOfTheShellAreTexts) {
    int ends[2];
    ASSERT_EQ(0, pipe(ends));
    ASSERT_TRUE(write_all(ends[1], "probe"));
    close(ends[1]);
    const std::string name = "/dev/fd/" + std::to_string(ends[0]);
    EXPECT_EQ(open_regular(name.c_str()), -1);
    const Descriptor text(open_text(name.c_str()));
    ASSERT_GE(text.get(), 0);
    std::string content;
    EXPECT_EQ(read_descriptor(text.get(), 100, content), 0);
    EXPECT_EQ(content, "probe");
    close(ends[0]);
}

TEST_F(Files, AReplacedFileLeavesNothingBehind) {
    std::filesystem::create_directory(path("taken"));
    EXPECT_FALSE(replace_file(path("taken"), "x"));
    size_t entries = 0;
    for (const auto &entry : std::filesystem::directory_iterator(directory_.path()))
        entries += entry.path().filename() == "taken" ? 1 : 100;
    EXPECT_EQ(entries, 1u);
}

TEST_F(Files, ALockExcludesOthers) {
    {
        FileLock lock(path("lock"));
        ASSERT_TRUE(lock.held());
        FILE *other = std::fopen(path("lock").c_str(), "r+");
        EXPECT_NE(flock(fileno(other), LOCK_EX | LOCK_NB), 0);
        std::fclose(other);
    }
    FileLock again(path("lock"));
    EXPECT_TRUE(again.held());
    EXPECT_FALSE(FileLock(path("none/lock")).held());
}

}  // namespace
}  // namespace tapir
