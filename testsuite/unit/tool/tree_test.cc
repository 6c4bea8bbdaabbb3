// SPDX-License-Identifier: GPL-2.0-or-later
// The tools that come with Tapir, and directories of others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "testsuite/trees.h"
#include "tool/script.h"

namespace tapir::tool {
namespace {

// All scripts there are tools, and no two have a name in common.
TEST(Tree, EveryToolOfTheTree) {
    const std::string folder = std::string(source_dir()) + "/tools";
    const auto tools = list_tools({folder});
    size_t scripts = 0;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
        scripts += entry.path().extension() == ".stp";
    EXPECT_EQ(tools.size(), scripts);
    EXPECT_GE(scripts, 20u);
    std::set<std::string> names;
    std::map<std::string, std::string> group_of;  // by directory
    for (const auto &tool : tools) {
        const std::filesystem::path path = tool->path;
        EXPECT_EQ(path.filename(), tool->head.name + ".stp");
        EXPECT_EQ(group_of.try_emplace(path.parent_path(), tool->head.group).first->second, tool->head.group) << path;
        EXPECT_TRUE(names.insert(tool->head.name).second) << tool->head.name;
        for (const std::string &alias : tool->head.aliases) {
            EXPECT_TRUE(names.insert(alias).second) << alias;
            EXPECT_EQ(find_tool(alias, {folder}), tool->path);
        }
    }
}

// Names of the list can be run, and of two tools with one name the one that is listed.
TEST(Tree, ToolsAreFoundByTheNamesOfTheirHeads) {
    std::string own = testing::TempDir() + "tapir-tools-XXXXXX";
    ASSERT_NE(mkdtemp(own.data()), nullptr);
    const auto write = [&](const std::string &name, const std::string &tool) {
        std::ofstream(own + "/" + name) << "@tool(\"" + tool + "\", \"Trying: why?\", \"\")\nprobe begin { }\n";
    };
    write("a-draft.stp", "slow (sluggish)");
    write("b-copy.stp", "slow");
    write("mine.stp", "offcpu");
    write("wrong.stp", "not a name");
    const std::vector<std::string> directories = {own, std::string(source_dir()) + "/tools"};
    EXPECT_EQ(find_tool("slow", directories), own + "/a-draft.stp");
    EXPECT_EQ(find_tool("sluggish", directories), own + "/a-draft.stp");
    EXPECT_EQ(find_tool("b-copy", directories), own + "/b-copy.stp");
    EXPECT_EQ(find_tool("wrong", directories), own + "/wrong.stp");
    EXPECT_EQ(find_tool("not a name", directories), "");
    for (const auto &tool : list_tools(directories))
        EXPECT_EQ(find_tool(tool->head.name, directories), tool->path);
    std::filesystem::remove_all(own);
}

}  // namespace
}  // namespace tapir::tool
