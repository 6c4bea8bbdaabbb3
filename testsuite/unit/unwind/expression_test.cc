// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/expression.h"

#include <gtest/gtest.h>

#include <string>

namespace tapir::unwind {
namespace {

std::string bytes(std::initializer_list<int> values) {
    std::string text;
    for (int value : values)
        text += static_cast<char>(value);
    return text;
}

constexpr uint32_t kMachine = TAPIR_UNWIND_X86_64;

TEST(Expression, OfALinkageTable) {
    // breg7 8; breg16 0; lit15; and; lit11; ge; lit3; shl; plus
    const auto rule = cfa_of_expression(bytes({0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}), kMachine);
    ASSERT_TRUE(rule);
    EXPECT_EQ(*rule, (CfaRule{TAPIR_CFA_PLT, 7, 8, 8 << 16 | 15 << 8 | 11}));
}

TEST(Expression, OfALinkageTableOnlyWhereThePcHasANumber) {
    EXPECT_FALSE(
        cfa_of_expression(bytes({0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}), TAPIR_UNWIND_AARCH64));
}

TEST(Expression, OfMemory) {
    // breg6 -8; deref
    EXPECT_EQ(*cfa_of_expression(bytes({0x76, 0x78, 0x06}), kMachine), (CfaRule{TAPIR_CFA_MEMORY, 6, -8, 0}));
    // breg7 16; plus_uconst 24; deref; lit8; plus
    EXPECT_EQ(*cfa_of_expression(bytes({0x77, 16, 0x23, 24, 0x06, 0x38, 0x22}), kMachine),
              (CfaRule{TAPIR_CFA_MEMORY, 7, 40, 8}));
    EXPECT_EQ(*cfa_of_expression(bytes({0x77, 16, 0x38, 0x1c}), kMachine), (CfaRule{TAPIR_CFA_REGISTER, 7, 8, 0}));
}

TEST(Expression, OfARegister) {
    EXPECT_EQ(*register_of_expression(bytes({0x77, 0xa0, 0x01}), kMachine, false),
              (RegisterRule{RegisterRule::kMemory, 7, 160}));
    // The CFA is on the stack already.
    EXPECT_EQ(*register_of_expression(bytes({0x09, 0xf0, 0x22}), kMachine, false),
              (RegisterRule{RegisterRule::kCfa, 0, -16}));
    EXPECT_EQ(*register_of_expression(bytes({0x23, 8}), kMachine, true), (RegisterRule{RegisterRule::kValue, 0, 8}));
    EXPECT_EQ(*register_of_expression(bytes({0x73, 0}), kMachine, true), (RegisterRule{RegisterRule::kRegister, 3, 0}));
}

TEST(Expression, ThatCannotBeSaid) {
    EXPECT_FALSE(cfa_of_expression("", kMachine));
    EXPECT_FALSE(cfa_of_expression(bytes({0x22}), kMachine));                    // plus, of nothing
    EXPECT_FALSE(cfa_of_expression(bytes({0x77}), kMachine));                    // cut off
    EXPECT_FALSE(cfa_of_expression(bytes({0x38}), kMachine));                    // a number
    EXPECT_FALSE(cfa_of_expression(bytes({0x77, 0, 0x76, 0, 0x22}), kMachine));  // the sum of two registers
    EXPECT_FALSE(cfa_of_expression(bytes({0x77, 0, 0x06, 0x06}), kMachine));     // memory of memory
    EXPECT_FALSE(cfa_of_expression(bytes({0xf0}), kMachine));
    EXPECT_FALSE(cfa_of_expression(std::string(64, 0x30), kMachine));         // deeper than anything
    EXPECT_FALSE(cfa_of_expression(bytes({0x92, 0xff, 0x01, 0}), kMachine));  // a vector register
    EXPECT_FALSE(register_of_expression(bytes({0x06}), kMachine, false));
}

}  // namespace
}  // namespace tapir::unwind
