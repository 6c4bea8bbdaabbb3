// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/btf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "bpf/link/image.h"
#include "bpf/link/program_btf.h"

namespace tapir::bpf {
namespace {

using testing::HasSubstr;

Function function(const std::string &name, Code code, std::vector<Reference> references = {}) {
    Function out;
    out.name = name;
    out.code = std::move(code);
    out.references = std::move(references);
    out.returns = true;
    return out;
}

// A word for loops that end too early, and one that holds its address.
Object data() {
    Object out;
    Section words;
    words.bytes.assign(16, '\0');
    words.references.push_back({8, "tapir_bpf_looped", -1, 4});
    out.data.push_back(words);
    out.symbols["tapir_bpf_looped"] = {0, 0};
    out.symbols["other"] = {0, 8};
    return out;
}

Program program(Object object, const Function &entry, std::string *error = nullptr) {
    Image image;
    std::string why;
    EXPECT_TRUE(image.link({std::move(object), data()}, why)) << why;
    Program out;
    bool ok = image.make_program(entry, out, why);
    EXPECT_EQ(ok, error == nullptr) << why;
    if (error) *error = why;
    return out;
}

TEST(Image, DataHoldsAddressesOfTheArena) {
    Image image;
    std::string error;
    ASSERT_TRUE(image.link({data()}, error)) << error;
    uint64_t word = 0;
    std::memcpy(&word, image.bytes().data() + 8, sizeof(word));
    EXPECT_EQ(word, kArenaFirst + 4);
    EXPECT_EQ(image.address("other"), kArenaFirst + 8);
    EXPECT_EQ(image.address("nothing"), std::nullopt);
}

TEST(Image, NamesAreDefinedOnceAndSomewhere) {
    Image image;
    std::string error;
    EXPECT_FALSE(image.link({data(), data()}, error));
    EXPECT_THAT(error, HasSubstr("two objects define"));
    Object lacking = data();
    lacking.data[0].references.push_back({0, "elsewhere", -1, 0});
    Image other;
    EXPECT_FALSE(other.link({lacking}, error));
    EXPECT_EQ(error, "no object defines elsewhere");
}

TEST(Program, HasWhatTheEntryNeedsAndNoMore) {
    Object object;
    object.functions.push_back(function("used", {make(kExit, 0)}));
    object.functions.push_back(function("unused", {make(kExit, 0)}));
    Program out =
        program(object, function("entry", {make(kCall, 0, kCallsFunction), make(kExit, 0)}, {{0, "used", -1, 0}}));
    ASSERT_EQ(out.functions.size(), 2u);
    EXPECT_EQ(out.functions[1].name, "used");
    EXPECT_EQ(out.functions[1].at, 2u);
    EXPECT_EQ(out.code[0].immediate, 1);  // the distance behind the call
    EXPECT_EQ(out.depth, 2u);
    EXPECT_EQ(out.stack_bytes, 64u);
}

TEST(Program, AddressesAreNumbersOf32Bits) {
    Code code{make(kLoadWord, 3), {}, make(kExit, 0)};
    Program out = program({}, function("entry", code, {{0, "other", -1, 0}}));
    ASSERT_EQ(out.code.size(), 2u);
    EXPECT_EQ(out.code[0].code, kSetImmediate32);
    EXPECT_EQ(out.code[0].destination(), 3u);
    EXPECT_EQ(static_cast<uint32_t>(out.code[0].immediate), kArenaFirst + 8);
}

// A loop: the jump backwards has a way out before it, and jumps to it find that one.
TEST(Program, LoopsHaveAWayOut) {
    constexpr uint8_t kIfLess = 0xa5, kAdd = 0x07;
    Code code{make(kSetImmediate, 1), make(kGoto, 0, 0, 1), make(kAdd, 1, 0, 0, 1), make(kIfLess, 1, 0, -2, 9),
              make(kExit, 0)};
    Program out = program({}, function("entry", code));
    ASSERT_GE(out.code.size(), 12u);
    EXPECT_EQ(out.code[1].offset, 1);
    EXPECT_EQ(out.code[3].code, kMayGoto);
    EXPECT_EQ(out.code[4].code, kIfLess);
    EXPECT_EQ(out.code[4].offset, -3);
    size_t way_out = 3 + 1 + static_cast<size_t>(out.code[3].offset);
    EXPECT_EQ(way_out, 6u);
    EXPECT_EQ(static_cast<uint32_t>(out.code[way_out].immediate), kArenaFirst);
    EXPECT_EQ(out.code.back().code, kExit);
    EXPECT_EQ(out.stack_bytes, 32u);
}

TEST(Program, AFunctionWithoutAResultReturnsZero) {
    Object object;
    object.functions.push_back(function("nothing", {make(kExit, 0)}));
    object.functions[0].returns = false;
    Program out =
        program(object, function("entry", {make(kCall, 0, kCallsFunction), make(kExit, 0)}, {{0, "nothing", -1, 0}}));
    EXPECT_EQ(out.code[2].code, kSetImmediate);
    EXPECT_EQ(out.code[3].code, kExit);
}

TEST(Program, RefusesWhatCannotBe) {
    std::string error;
    Object cycle;
    cycle.functions.push_back(function("f", {make(kCall, 0, kCallsFunction), make(kExit, 0)}, {{0, "f", -1, 0}}));
    program(cycle, function("entry", {make(kCall, 0, kCallsFunction), make(kExit, 0)}, {{0, "f", -1, 0}}), &error);
    EXPECT_EQ(error, "f(): calls itself");
    program({}, function("entry", {make(kCall, 0, kCallsFunction), make(kExit, 0)}, {{0, "gone", -1, 0}}), &error);
    EXPECT_EQ(error, "entry(): calls gone(), which is not there");
    program({}, function("entry", {make(kLoadWord, 1), {}, make(kExit, 0)}, {{0, "gone", -1, 0}}), &error);
    EXPECT_EQ(error, "entry(): needs gone, which is not there");
    program({}, function("entry", {make(kGoto, 0, 0, 7), make(kExit, 0)}), &error);
    EXPECT_EQ(error, "entry(): jumps out of itself");
}

// libbpf reads what we write.
TEST(Btf, DescribesFunctionsOfNumbers) {
    Object object;
    object.functions.push_back(function("two.arguments", {make(kExit, 0)}));
    object.functions[0].registers = 2;
    Program out = program(
        object, function("entry", {make(kCall, 0, kCallsFunction), make(kExit, 0)}, {{0, "two.arguments", -1, 0}}));
    Description description = describe(out);
    ASSERT_EQ(description.functions.size(), 2u);
    EXPECT_EQ(description.functions[1].instruction, 2u);
    btf *read = btf__new(description.btf.data(), static_cast<uint32_t>(description.btf.size()));
    ASSERT_NE(read, nullptr);
    const btf_type *type = btf__type_by_id(read, description.functions[1].type);
    ASSERT_TRUE(btf_is_func(type));
    EXPECT_EQ(btf_vlen(type), BTF_FUNC_GLOBAL);  // where the kernel keeps the linkage
    EXPECT_STREQ(btf__name_by_offset(read, type->name_off), "two_arguments");
    const btf_type *prototype = btf__type_by_id(read, type->type);
    ASSERT_TRUE(btf_is_func_proto(prototype));
    EXPECT_EQ(btf_vlen(prototype), 2u);
    EXPECT_EQ(btf__resolve_size(read, static_cast<int>(prototype->type)), 8);
    btf__free(read);
}

}  // namespace
}  // namespace tapir::bpf
