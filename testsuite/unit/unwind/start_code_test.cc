// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/start_code.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "load.h"

namespace tapir::unwind {
namespace {

// Start code of this compiler's programs: .init, .fini, destructors, and the two functions before. Each byte has a
// rule.
TEST(StartCode, HasRules) {
    const Object object(UNWIND_PROGRAM);
    ASSERT_EQ(object.why, "");
    const std::vector<StartCode> code = start_code(object.file);
    if (object.file.machine() != TAPIR_UNWIND_X86_64) {
        EXPECT_TRUE(code.empty());
        return;
    }
    EXPECT_GE(code.size(), 9u);
    EXPECT_EQ(std::count_if(code.begin(), code.end(), [](const StartCode &one) { return one.saves_frame; }), 1);
    for (const StartCode &one : code)
        for (uint64_t address = one.start; address < one.end; address++) {
            const tapir_unwind_rule *rule =
                tapir_unwind_find_rule(&object.table.header(), static_cast<uint32_t>(*object.file.place_of(address)));
            ASSERT_TRUE(rule);
            EXPECT_EQ(rule->cfa, TAPIR_CFA_REGISTER);
            EXPECT_EQ(rule->offset, static_cast<int>(8 * one.words));
            EXPECT_EQ(rule->nsaved, one.saves_frame ? 2 : 1);
        }
}

}  // namespace
}  // namespace tapir::unwind
