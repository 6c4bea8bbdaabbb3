// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/find_program.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "../said.h"
#include "common/files.h"

namespace tapir {
namespace {

namespace fs = std::filesystem;

class FindProgram : public testing::Test {
  protected:
    void SetUp() override {
        for (const char *name : {"a", "b", "a/tool"})
            fs::create_directories(top_.path() + "/" + name);
        write("a/plain", 0644);
        write("b/plain", 0644);
        write("b/tool", 0755);
    }
    void write(const std::string &name, unsigned mode) {
        EXPECT_TRUE(write_file(path(name), "#!/bin/sh\n"));
        chmod(path(name).c_str(), mode);
    }
    std::string path(const std::string &name) const { return top_.path() + "/" + name; }
    Outcome<std::string> found(const std::string &name, const std::string &directories) {
        return find_program(name, {directories});
    }

    TemporaryDirectory top_{*make_directory(temporary_root(), "programs-")};
};

TEST_F(FindProgram, TakesTheFirstThatCanBeRun) {
    // A directory of that name, as in the first, is no program.
    const Outcome<std::string> tool = found("tool", path("a") + ":" + path("none") + ":" + path("b"));
    ASSERT_TRUE(tool) << said(tool);
    EXPECT_EQ(*tool, path("b/tool"));
    write("a/other", 0755);
    write("b/other", 0755);
    EXPECT_EQ(*found("other", path("b") + ":" + path("a")), path("b/other"));
    EXPECT_EQ(*found(path("b/tool"), ""), path("b/tool"));
}

TEST_F(FindProgram, AnEmptyDirectoryIsThisOne) {
    const fs::path before = fs::current_path();
    fs::current_path(path("b"));
    EXPECT_EQ(*found("tool", path("a") + ":"), "./tool");
    fs::current_path(before);
}

TEST_F(FindProgram, LooksWhereAdministratorsHaveTheirs) {
    const char *path = std::getenv("PATH");
    const std::string before = path ? path : "";
    setenv("PATH", "/nowhere", 1);
    EXPECT_EQ(search_path(), "/nowhere");
    EXPECT_TRUE(find_program("sysctl") || !is_file("/usr/sbin/sysctl"));
    unsetenv("PATH");
    EXPECT_EQ(search_path(), "/usr/local/bin:/usr/bin:/bin");
    EXPECT_TRUE(find_program("sh"));
    setenv("PATH", before.c_str(), 1);
}

// Links in another system lead to places in that one.
TEST_F(FindProgram, OfAnotherSystem) {
    fs::create_symlink("/etc/tools/gcc-99", path("b/gcc-99"));
    EXPECT_FALSE(found("gcc-99", path("b")));
    const Outcome<std::string> there = find_program("gcc-99", {"/a:/b", top_.path()});
    ASSERT_TRUE(there) << said(there);
    EXPECT_EQ(*there, path("b/gcc-99"));
    EXPECT_FALSE(find_program("gcc-98", {"/a:/b", top_.path()}));
}

TEST_F(FindProgram, ProgramMissing) {
    EXPECT_EQ(tagged(found("no-such-program", path("a"))),
              "program-missing: cannot start 'no-such-program': it is in no directory of $PATH; install it");
    EXPECT_EQ(errno, ENOENT);
    EXPECT_EQ(tag_of(found("tool", path("a"))), "program-missing") << "it is a directory";
    EXPECT_EQ(tagged(found("", path("a"))),
              "program-missing: cannot start '': it is in no directory of $PATH; install it");
    EXPECT_EQ(tagged(found(path("none/tool"), "")),
              "program-missing: cannot start '" + path("none/tool") + "': No such file or directory; install it");
}

TEST_F(FindProgram, ProgramRefused) {
    EXPECT_EQ(tagged(found("plain", path("a") + ":" + path("b"))),
              "program-refused: cannot start 'plain': Permission denied");
    EXPECT_EQ(errno, EACCES);
    EXPECT_EQ(tagged(found(path("a/tool"), "")),
              "program-refused: cannot start '" + path("a/tool") + "': Permission denied");
}

}  // namespace
}  // namespace tapir
