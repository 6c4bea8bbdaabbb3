// SPDX-License-Identifier: GPL-2.0-or-later
// Options whose values may change while the script runs.
#include <gtest/gtest.h>

#include "tool/head.h"

namespace tapir::tool {
namespace {

TEST(ToolLiveOption, IsAWordOfItsDescription) {
    Option option, other;
    ASSERT_TRUE(read_spec("-m TIME: duration in us in 0..1h live -- ignore shorter ones", true, option));
    EXPECT_TRUE(option.live);
    EXPECT_EQ(3600000000, option.most);
    ASSERT_TRUE(read_spec("number -- live", true, other));
    EXPECT_FALSE(other.live);
}

TEST(ToolLiveOption, IsNoListAndNoProbePoint) {
    for (const char *spec : {"text... live", "points live"}) {
        Option option;
        const Outcome<void> read = read_spec(spec, false, option);
        ASSERT_FALSE(read) << spec;
        EXPECT_EQ("a list and probe points cannot change while the script runs (live)", read.fault().text);
    }
}

TEST(ToolLiveOption, DoesNotStandForALiteral) {
    for (const char *use : {"probe timer.ms(x) {}", "global a[x]", "probe begin { if (name =~ re) exit() }"}) {
        const SourceFile file(
            "t.stp",
            std::string("@option(x, 5, \"number live -- x\")\n@option(re, \"a\", \"regex live -- r\")\n") + use + "\n",
            Origin::UserScript);
        Diagnostics diagnostics;
        read_head(file, diagnostics);
        EXPECT_NE(std::string::npos, render_all(diagnostics, true)
                                         .find("an option that stands for a literal cannot change while the "
                                               "script runs (live)"))
            << use;
    }
}

}  // namespace
}  // namespace tapir::tool
