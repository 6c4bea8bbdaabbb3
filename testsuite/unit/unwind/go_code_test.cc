// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/go_code.h"

#include <gtest/gtest.h>

#include <map>

#include "load.h"

namespace tapir::unwind {
namespace {

class GoCode : public testing::Test {
  protected:
    void SetUp() override {
        if (std::string(UNWIND_GO_LIKE).empty()) GTEST_SKIP() << "its instructions are those of x86-64";
        object_ = std::make_unique<Object>(UNWIND_GO_LIKE);
        ASSERT_EQ(object_->why, "");
        const tapir_unwind_table &table = object_->table.header();
        for (uint32_t i = 0; i < table.nsymbols; i++) {
            const tapir_unwind_symbol &symbol = tapir_unwind_symbols(&table)[i];
            functions_[tapir_unwind_string(&table, symbol.name)] = symbol;
        }
    }
    // The rule at a byte of a function.
    const tapir_unwind_rule &rule(const std::string &function, int32_t byte) {
        const uint32_t place = functions_.at(function).place + static_cast<uint32_t>(byte);
        return *tapir_unwind_find_rule(&object_->table.header(), place);
    }
    int32_t bytes(const std::string &function) { return static_cast<int32_t>(functions_.at(function).size); }

    std::unique_ptr<Object> object_;
    std::map<std::string, tapir_unwind_symbol> functions_;
};

TEST_F(GoCode, GoroutinesBeginSomewhere) {
    for (int32_t byte = 0; byte < bytes("runtime.goexit.abi0"); byte++)
        EXPECT_EQ(rule("runtime.goexit.abi0", byte).flags, TAPIR_RULE_OUTERMOST);
    for (int32_t byte = 0; byte < bytes("runtime.other"); byte++)
        EXPECT_EQ(rule("runtime.other", byte).flags, TAPIR_RULE_PLAIN);
}

TEST_F(GoCode, WhatIsCalledOnAnotherStackHasNoCaller) {
    const std::string name = "runtime.systemstack.abi0";
    for (int32_t byte = 0; byte < bytes(name); byte++) {
        // mov 8(%rsp), %rdi; mov %rbx, %rsp; call *%rdi; mov 56(%rax), %rsp; ret
        const bool on_other = byte >= 8 && byte < 14;
        EXPECT_EQ(rule(name, byte).flags, on_other ? TAPIR_RULE_OUTERMOST : TAPIR_RULE_PLAIN | TAPIR_RULE_SWITCHES)
            << byte;
    }
}

TEST_F(GoCode, WhatIsInjectedWasNotCalled) {
    for (int32_t byte = 0; byte < bytes("runtime.asyncPreempt.abi0"); byte++)
        EXPECT_EQ(rule("runtime.asyncPreempt.abi0", byte).flags, TAPIR_RULE_PLAIN | TAPIR_RULE_SIGNAL);
}

// From the place where the stack pointer is in %r12, and by the offset that was right there.
TEST_F(GoCode, StackPointerThatIsKeptIsUsed) {
    const std::string name = "runtime.nanotime1.abi0";
    EXPECT_EQ(rule(name, 0).offset, 8);
    EXPECT_EQ(rule(name, 6).base, 7);
    EXPECT_EQ(rule(name, 6).offset, 32);
    for (int32_t byte = 7; byte < bytes(name); byte++) {
        EXPECT_EQ(rule(name, byte).base, 12);
        EXPECT_EQ(rule(name, byte).offset, 32);
    }
}

// As above, where the stack pointer is in %rbx.
TEST_F(GoCode, StackPointerThatIsAlignedIsKept) {
    const std::string name = "runtime.callCgoMmap.abi0";
    EXPECT_EQ(rule(name, 6).base, 7);
    for (int32_t byte = 7; byte < bytes(name); byte++) {
        EXPECT_EQ(rule(name, byte).base, 3);
        EXPECT_EQ(rule(name, byte).offset, 32);
    }
}

// A handler returns to its first byte, and is looked up one before.
TEST_F(GoCode, SignalsReturnAsTheKernelSaved) {
    const std::string name = "runtime.sigreturn.abi0";
    for (int32_t byte = -1; byte < bytes(name); byte++) {
        EXPECT_EQ(rule(name, byte).flags, TAPIR_RULE_SIGNAL);
        EXPECT_EQ(rule(name, byte).cfa, TAPIR_CFA_MEMORY);
        EXPECT_EQ(rule(name, byte).offset, 160);
    }
    EXPECT_NE(rule(name, -2).flags, TAPIR_RULE_SIGNAL);
}

// The address of its first byte stands for a call, and is looked up one byte before.
TEST_F(GoCode, StandInForACallIsFound) {
    for (int32_t byte = -1; byte < bytes("runtime.systemstack_switch.abi0"); byte++) {
        EXPECT_EQ(rule("runtime.systemstack_switch.abi0", byte).flags, TAPIR_RULE_PLAIN);
        EXPECT_EQ(rule("runtime.systemstack_switch.abi0", byte).offset, 8);
    }
    EXPECT_EQ(rule("runtime.systemstack_switch.abi0", -2).cfa, TAPIR_CFA_NONE);
}

// No unwind information tells where the frames of C begin that Go's linker takes in, but who calls them is known. Of
// other C the instructions tell.
TEST_F(GoCode, CWithoutUnwindInformationHasNoCaller) {
    const std::string name = "_cgo_0123456789ab_Cfunc_wait";
    for (int32_t byte = 0; byte < bytes(name); byte++)
        EXPECT_EQ(rule(name, byte).flags, TAPIR_RULE_OUTERMOST);
    EXPECT_EQ(rule("other_c", 0).flags, TAPIR_RULE_PLAIN);
    EXPECT_EQ(rule("_cgo_0123456789ab_Cfunc_described", 0).flags, TAPIR_RULE_PLAIN);
}

}  // namespace
}  // namespace tapir::unwind
