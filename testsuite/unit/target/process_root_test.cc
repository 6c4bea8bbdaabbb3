// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/process_root.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "target/program_files.h"

namespace tapir::target {

namespace fs = std::filesystem;

class ProcessRoot : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "rootXXXXXX";
        root_ = fs::canonical(mkdtemp(pattern.data())).string();
        fs::create_directories(root_ + "/usr/bin");
        fs::create_directories(root_ + "/etc/alternatives");
        std::ofstream(root_ + "/usr/bin/tool-of-a-root") << "a tool\n";
        fs::create_symlink("usr/bin", root_ + "/bin");
        fs::create_symlink("/etc/alternatives/tool", root_ + "/usr/bin/tool");
        fs::create_symlink("../../usr/bin/tool-of-a-root", root_ + "/etc/alternatives/tool");
        fs::create_symlink("/../../bin/tool", root_ + "/above");
        fs::create_symlink("loop", root_ + "/usr/bin/loop");
    }
    void TearDown() override { fs::remove_all(root_); }

    std::string root_;
};

TEST_F(ProcessRoot, LinksAreFollowedBelowTheRoot) {
    const std::string file = root_ + "/usr/bin/tool-of-a-root";
    for (const char *path : {"/usr/bin/tool-of-a-root", "/bin/tool", "/usr/bin/./../bin/tool", "/above"})
        EXPECT_EQ(canonical_file(root_, path), file) << path;
    for (const char *path : {"/bin/loop", "/bin/none", "/usr/bin", ""})
        EXPECT_EQ(canonical_file(root_, path), "") << path;
}

TEST_F(ProcessRoot, WhatIsTheSameHereIsNamedAsHere) {
    const std::string self = fs::canonical("/proc/self/exe").string();
    EXPECT_EQ(canonical_file("/proc/self/root", self), self);
    EXPECT_EQ(canonical_file("", "/proc/self/exe"), self);
}

TEST_F(ProcessRoot, ProgramsBelowIt) {
    const std::string file = root_ + "/usr/bin/tool-of-a-root";
    EXPECT_EQ(find_programs("/bin/tool", root_), std::vector<std::string>{file});
    EXPECT_EQ(find_programs("/usr/bin/tool*", root_), std::vector<std::string>{file});
    EXPECT_TRUE(find_programs("/bin/tool").empty());
    // A relative path is the user's.
    fs::current_path(root_);
    EXPECT_EQ(find_programs("usr/bin/tool-of-a-root", "/nowhere"), std::vector<std::string>{file});
    EXPECT_EQ(similar_programs("/usr/bin/tool-of-root", root_), std::vector<std::string>{"/usr/bin/tool-of-a-root"});
}

TEST_F(ProcessRoot, LibrariesOfAllArchitectures) {
    for (const char *directory : {"/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/other"}) {
        fs::create_directories(root_ + directory);
        std::ofstream(root_ + directory + "/libtool.so.1") << "x";
    }
    EXPECT_EQ(find_programs("/usr/lib*/libtool.so*", root_),
              (std::vector<std::string>{root_ + "/usr/lib/x86_64-linux-gnu/libtool.so.1",
                                        root_ + "/usr/lib64/libtool.so.1"}));
    EXPECT_EQ(find_programs("/usr/lib6*/libtool.so*", root_).size(), 1u);
}

TEST_F(ProcessRoot, OfProcessesAndPaths) {
    EXPECT_EQ(root_of_process(getpid()), "");
    EXPECT_EQ(root_of_process(999999999), "");
    EXPECT_EQ(root_of_path("/proc/12/root/bin/sh"), "/proc/12/root");
    for (const char *path : {"/bin/sh", "/proc/root/x", "/proc/12/rooted", "/proc/12", "/proc/self/root/x"})
        EXPECT_EQ(root_of_path(path), "") << path;
}

}  // namespace tapir::target
