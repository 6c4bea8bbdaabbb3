// SPDX-License-Identifier: GPL-2.0-or-later
// The tools that come with Tapir.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testsuite/trees.h"
#include "tool/script.h"

namespace tapir::tool {
namespace {

// All scripts there are tools, and no two have a name in common.
TEST(Tree, EveryToolOfTheTree) {
    const std::string folder = std::string(source_dir()) + "/tools";
    const auto tools = list_tools({folder});
    size_t scripts = 0;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
        scripts += entry.path().extension() == ".stp";
    EXPECT_EQ(tools.size(), scripts);
    EXPECT_GE(scripts, 20u);
    std::set<std::string> names;
    for (const auto &tool : tools) {
        EXPECT_EQ(folder + "/" + tool->head.name + ".stp", tool->path);
        EXPECT_TRUE(names.insert(tool->head.name).second) << tool->head.name;
        for (const std::string &alias : tool->head.aliases) {
            EXPECT_TRUE(names.insert(alias).second) << alias;
            EXPECT_EQ(find_tool(alias, {folder}), tool->path);
        }
    }
}

}  // namespace
}  // namespace tapir::tool
