// SPDX-License-Identifier: GPL-2.0-or-later
// Rings of @recall, and handlers that write to them.
#include <gtest/gtest.h>

#include "../optimize/typed_program.h"
#include "ir/lower.h"

namespace tapir {
namespace {

TEST(Lower, RecallRings) {
    std::string body;
    for (int ring = 0; ring < 33; ++ring)
        body += "@recall(r" + std::to_string(ring) + ", 1, \"x\")\n";
    test::TypedProgram typed("probe begin {\n" + body + "@recall(r0, 1, \"y\") }");
    EXPECT_EQ(32u, ir::lower(*typed.program, {}, typed.diagnostics).rings.size());
    EXPECT_EQ(
        "translation error: a script has 32 rings at most: operator '@recall' at test.stp:34:1\n"
        "           source: @recall(r32, 1, \"x\")\n"
        "                   ^\n"
        "\n",
        render_all(typed.diagnostics, false));
}

// A thread's first event asks the kernel about threads, in functions that the script may probe.
TEST(Lower, EventsAreLeavesWhereHitsDoNotNest) {
    auto leaf = [](probes::Kind kind) {
        test::TypedProgram typed("probe timer.s(1) { @recall(r, 5, \"x\") }");
        for (probes::Attach &attach : typed.program->handlers.at(0)->attaches)
            attach.kind = kind;
        return ir::lower(*typed.program, {}, typed.diagnostics).handlers.at(0).leaf;
    };
    EXPECT_TRUE(leaf(probes::Kind::Timer));
    EXPECT_FALSE(leaf(probes::Kind::Function));
    EXPECT_FALSE(leaf(probes::Kind::Tracepoint));
}

}  // namespace
}  // namespace tapir
