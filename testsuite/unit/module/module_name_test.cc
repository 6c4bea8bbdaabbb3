// SPDX-License-Identifier: GPL-2.0-or-later
#include "module/module_name.h"

#include <gtest/gtest.h>

#include <string>

namespace tapir {
namespace {

TEST(ModuleName, Rule) {
    for (const char *name : {"a", "stap_0", "_x9", "9a", "A", "PROCFS"})
        EXPECT_TRUE(is_module_name(name)) << name;
    EXPECT_TRUE(is_module_name(std::string(kMaxModuleName, 'a')));
    for (const char *name : {"", "a-b", "a.ko", "a/b", "a b", "\xc3\x84"})
        EXPECT_FALSE(is_module_name(name)) << name;
    EXPECT_FALSE(is_module_name(std::string(kMaxModuleName + 1, 'a')));
    EXPECT_NE(kModuleNameRule.find(std::to_string(kMaxModuleName)), std::string_view::npos);
}

}  // namespace
}  // namespace tapir
