// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/tapset_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>

namespace tapir::driver {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class TapsetPathTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = fs::temp_directory_path() / "tapir-path-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        root_ = pattern;
        for (const char *name : {"HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "SYSTEMTAP_TAPSET"})
            unsetenv(name);
        setenv("HOME", (root_ + "/home").c_str(), 1);
        setenv("XDG_DATA_DIRS", (root_ + "/a:" + root_ + "/b:relative:").c_str(), 1);
    }
    void TearDown() override { fs::remove_all(root_); }

    std::string make(const std::string &name) const {
        fs::create_directories(root_ + "/" + name);
        return root_ + "/" + name;
    }

    std::string root_;
};

TEST_F(TapsetPathTest, TheShippedLibraryAlone) {
    library::IndexOptions path = tapset_path({}, "/shipped");
    EXPECT_THAT(path.directories, ElementsAre("/shipped"));
    EXPECT_THAT(path.other_directories, IsEmpty());
}

TEST_F(TapsetPathTest, EveryPlaceInItsOrder) {
    const std::string own = make("home/.local/share/systemtap/tapset"), others = make("b/systemtap/tapset");
    library::IndexOptions path = tapset_path({"x", "y"}, "/shipped");
    EXPECT_THAT(path.directories, ElementsAre("x", "y", own, "/shipped"));
    EXPECT_THAT(path.other_directories, ElementsAre(others));
    const std::string moved = make("data/systemtap/tapset");
    setenv("XDG_DATA_HOME", (root_ + "/data").c_str(), 1);
    setenv("SYSTEMTAP_TAPSET", "/mine", 1);
    EXPECT_THAT(tapset_path({}, "/shipped").directories, ElementsAre(moved, "/mine"));
}

TEST_F(TapsetPathTest, TapsetDirectory) {
    const std::string own = make("home/.local/share/systemtap/tapset");
    chmod(own.c_str(), 0777);
    EXPECT_THAT(tapset_path({}, "/shipped").directories, ElementsAre("/shipped"));
    Diagnostics diagnostics;
    check_tapset_path({own, root_ + "/none"}, diagnostics);
    EXPECT_EQ(render_all(diagnostics, false), "WARNING: there is no tapset directory '" + root_ +
                                                  "/none' (-I)\nWARNING: the tapsets in '" + own +
                                                  "' are not used, since others than you and root can write there\n");
}

}  // namespace
}  // namespace tapir::driver
