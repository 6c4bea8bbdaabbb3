// SPDX-License-Identifier: GPL-2.0-or-later
#include "control_group.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "../said.h"
#include "common/plain_text.h"
#include "fake.h"

namespace tapir::staprun {
namespace {

// Folders of a file system that is no hierarchy of groups; guest cases have real ones.
class ControlGroup : public testing::Test {
  protected:
    ControlGroup() {
        std::string pattern = testing::TempDir() + "tapir-group-XXXXXX";
        root_ = mkdtemp(pattern.data());
        std::filesystem::create_directories(root_ + "/a/b");
        std::ofstream(root_ + "/file") << "x";
        std::filesystem::create_directory_symlink("/", root_ + "/out");
    }
    ~ControlGroup() override { std::filesystem::remove_all(root_); }

    std::string refusal(const std::string &path) {
        FakeControl control;
        const std::string text = said(limit_to_group(control, path, root_));
        EXPECT_TRUE(control.cgroups_set.empty());
        return text;
    }

    std::string root_;
    const std::string kHint =
        "'cat /proc/PID/cgroup' shows the groups of a process; that behind '0::' can be given here";
};

TEST_F(ControlGroup, IsLookedUpBelowItsRootOnly) {
    for (const std::string &path : {std::string("no/such"), std::string("/no/such"), root_ + "/no/such"})
        EXPECT_EQ(refusal(path), "--cgroup: there is no control group '" + root_ + "/no/such'; " + kHint);
    for (const char *path : {"out", "a/../../x", ".."})
        EXPECT_EQ(refusal(path), format("--cgroup: '%s' leads out of %s, where control groups are; %s", path,
                                        root_.c_str(), kHint.c_str()));
    EXPECT_EQ(refusal("file"), "--cgroup: '" + root_ + "/file' is not a directory; " + kHint);
}

TEST_F(ControlGroup, IsOfVersion2) {
    for (const std::string &path : {std::string("a/b"), std::string("//a/b"), root_ + "/a/b"})
        EXPECT_EQ(refusal(path), "--cgroup: '" + root_ +
                                     "/a/b' is not a control group of version 2; 'mount -t cgroup2 none DIRECTORY' "
                                     "makes that hierarchy available");
    EXPECT_NE(refusal("/").find("'" + root_ + "/.' is not a control group of version 2"), std::string::npos);
}

}  // namespace
}  // namespace tapir::staprun
