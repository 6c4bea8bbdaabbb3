// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

extern "C" {
#include <tapir/touch.h>
}

namespace {

using testing::ElementsAre;

// Registers and memory that are known; every read is written down.
class Touch : public testing::Test {
  protected:
    static bool read(void *data, u64 address, void *dst, u32 length) {
        auto *self = static_cast<Touch *>(data);
        self->reads_.push_back(std::to_string(address) + "/" + std::to_string(length));
        const auto found = self->memory_.find(address);
        if (found == self->memory_.end()) return false;
        memcpy(dst, &found->second, length);
        return true;
    }
    static bool reg(void *data, u32 number, u64 *value) {
        auto *self = static_cast<Touch *>(data);
        const auto found = self->registers_.find(number);
        if (found == self->registers_.end()) return false;
        *value = found->second;
        return true;
    }
    static bool argument(void *, u32 number, u64 *value) {
        *value = 300000 + number;
        return number <= 6;
    }
    static bool program(void *, u32 number, u64 *bias) {
        *bias = 0x400000 + number;
        return number < 2;
    }
    const std::vector<std::string> &run(const std::vector<tapir_touch> &list) {
        const tapir_touch_port port = {read, reg, argument, program, this};
        tapir_touch_run(list.data(), static_cast<u32>(list.size()), &port);
        return reads_;
    }

    std::map<u64, u64> memory_;
    std::map<u32, u64> registers_;
    std::vector<std::string> reads_;
};

TEST_F(Touch, TakesArguments) {
    EXPECT_THAT(run({{TAPIR_TOUCH_ARGUMENT, 2, 0},
                     {TAPIR_TOUCH_LOAD, 8, 0},
                     {TAPIR_TOUCH_END, 0, 0},
                     {TAPIR_TOUCH_ARGUMENT, 7, 0},  // not in a register
                     {TAPIR_TOUCH_LOAD, 8, 0},
                     {TAPIR_TOUCH_END, 0, 0}}),
                ElementsAre("300002/8"));
}

TEST_F(Touch, FollowsPointersFromRegisters) {
    registers_[5] = 100000;
    memory_[100008] = 200000;
    memory_[200004] = 7;
    EXPECT_THAT(run({{TAPIR_TOUCH_REGISTER, 5, 0},
                     {TAPIR_TOUCH_CONSTANT, 0, 8},
                     {TAPIR_TOUCH_ADD, 0, 0},
                     {TAPIR_TOUCH_LOAD, 8, 0},
                     {TAPIR_TOUCH_CONSTANT, 0, 4},
                     {TAPIR_TOUCH_ADD, 0, 0},
                     {TAPIR_TOUCH_LOAD, 4, 0},
                     {TAPIR_TOUCH_END, 0, 0}}),
                ElementsAre("100008/8", "200004/4"));
}

TEST_F(Touch, AFaultEndsItsProgramOnly) {
    memory_[70000] = 1;
    EXPECT_THAT(run({{TAPIR_TOUCH_CONSTANT, 0, 80000},
                     {TAPIR_TOUCH_LOAD, 8, 0},
                     {TAPIR_TOUCH_LOAD, 8, 0},
                     {TAPIR_TOUCH_END, 0, 0},
                     {TAPIR_TOUCH_REGISTER, 3, 0},  // not known
                     {TAPIR_TOUCH_LOAD, 8, 0},
                     {TAPIR_TOUCH_END, 0, 0},
                     {TAPIR_TOUCH_CONSTANT, 0, 70000},
                     {TAPIR_TOUCH_LOAD, 1, 0},
                     {TAPIR_TOUCH_END, 0, 0}}),
                ElementsAre("80000/8", "70000/1"));
}

TEST_F(Touch, TextsAreBroughtInAcrossOnePage) {
    memory_[0x402000] = memory_[0x402f00] = memory_[0x4030ff] = 'x';
    EXPECT_THAT(run({{TAPIR_TOUCH_PROGRAM, 0, 0x2000}, {TAPIR_TOUCH_TEXT, 0, 0}}), ElementsAre("4202496/1"));
    reads_.clear();
    EXPECT_THAT(run({{TAPIR_TOUCH_PROGRAM, 0, 0x2f00}, {TAPIR_TOUCH_TEXT, 0, 0}}),
                ElementsAre("4206336/1", "4206847/1"));
}

TEST_F(Touch, ReadsOtherProgramsWhereTheyAreMapped) {
    memory_[0x402001] = 7;
    EXPECT_THAT(run({{TAPIR_TOUCH_PROGRAM, 2, 0x2000},
                     {TAPIR_TOUCH_LOAD, 8, 0},
                     {TAPIR_TOUCH_END, 0, 0},
                     {TAPIR_TOUCH_PROGRAM, 1, 0x2000},
                     {TAPIR_TOUCH_LOAD, 8, 0},
                     {TAPIR_TOUCH_END, 0, 0}}),
                ElementsAre("4202497/8"));
}

TEST_F(Touch, NumbersThatAreNoAddressesAreLeftAlone) {
    EXPECT_THAT(run({{TAPIR_TOUCH_CONSTANT, 0, 5},
                     {TAPIR_TOUCH_TEXT, 0, 0},
                     {TAPIR_TOUCH_CONSTANT, 0, 8},
                     {TAPIR_TOUCH_LOAD, 8, 0}}),
                ElementsAre());
}

TEST_F(Touch, ComputesAsTheHandlerDoes) {
    const struct {
        tapir_touch_op op;
        s64 a, b;
        u64 result;
    } cases[] = {
        {TAPIR_TOUCH_SUBTRACT, 100, 1, 99},    {TAPIR_TOUCH_MULTIPLY, -3, 5, static_cast<u64>(-15)},
        {TAPIR_TOUCH_AND, 0xff, 0x0f, 0x0f},   {TAPIR_TOUCH_OR, 0xf0, 0x0f, 0xff},
        {TAPIR_TOUCH_XOR, 0xff, 0x0f, 0xf0},   {TAPIR_TOUCH_SHIFT_LEFT, 1, 68, 16},
        {TAPIR_TOUCH_SHIFT_RIGHT, -1, 60, 15}, {TAPIR_TOUCH_SHIFT_RIGHT_SIGNED, -16, 2, static_cast<u64>(-4)},
    };
    for (const auto &c : cases) {
        reads_.clear();
        // Moved to where addresses are, by 2^20.
        run({{TAPIR_TOUCH_CONSTANT, 0, c.a},
             {TAPIR_TOUCH_CONSTANT, 0, c.b},
             {static_cast<u8>(c.op), 0, 0},
             {TAPIR_TOUCH_CONSTANT, 0, 1 << 20},
             {TAPIR_TOUCH_ADD, 0, 0},
             {TAPIR_TOUCH_LOAD, 1, 0},
             {TAPIR_TOUCH_END, 0, 0}});
        EXPECT_THAT(reads_, ElementsAre(std::to_string(c.result + (1 << 20)) + "/1")) << c.op;
    }
}

TEST_F(Touch, DamagedProgramsEnd) {
    EXPECT_THAT(run({{TAPIR_TOUCH_ADD, 0, 0}, {TAPIR_TOUCH_LOAD, 8, 0}, {TAPIR_TOUCH_END, 0, 0}}), ElementsAre());
    EXPECT_THAT(run({{TAPIR_TOUCH_CONSTANT, 0, 100000}, {TAPIR_TOUCH_LOAD, 9, 0}}), ElementsAre());
    std::vector<tapir_touch> deep(TAPIR_TOUCH_DEPTH + 1, {TAPIR_TOUCH_CONSTANT, 0, 100000});
    deep.push_back({TAPIR_TOUCH_LOAD, 8, 0});
    EXPECT_THAT(run(deep), ElementsAre());
}

}  // namespace
