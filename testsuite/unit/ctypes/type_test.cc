// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctypes/type.h"

#include <gmock/gmock.h>

#include "fake_types.h"

namespace tapir::ctypes {
namespace {

using testing::ElementsAre;

class CTypes : public testing::Test {
  protected:
    std::string name(TypeId id) { return type_name(types.type(id)); }

    FakeTypes types;
    TypeId int_ = types.integer("int", 4, Encoding::Signed);
    TypeId char_ = types.integer("char", 1, Encoding::SignedChar);
};

TEST_F(CTypes, IntegersHaveSeveralSpellings) {
    EXPECT_EQ("long unsigned int", integer_name("unsigned long"));
    EXPECT_EQ("long unsigned int", integer_name("unsigned long int"));
    EXPECT_EQ("long int", integer_name("long"));
    EXPECT_EQ("long long int", integer_name("signed long long"));
    EXPECT_EQ("long long unsigned int", integer_name("long unsigned long int"));
    EXPECT_EQ("short int", integer_name("short"));
    EXPECT_EQ("short unsigned int", integer_name("unsigned short"));
    EXPECT_EQ("unsigned int", integer_name("unsigned"));
    EXPECT_EQ("int", integer_name("signed"));
    EXPECT_EQ("unsigned char", integer_name("char unsigned"));
    EXPECT_EQ("signed char", integer_name("signed char"));
    EXPECT_EQ("char", integer_name("char"));
    EXPECT_EQ("long double", integer_name("long double"));
    EXPECT_EQ("task_struct", integer_name("task_struct"));
    EXPECT_EQ("", integer_name(""));
}

TEST_F(CTypes, NamesAreWrittenAsInC) {
    const TypeId file = types.structure(TypeKind::Struct, "file", 16, {});
    EXPECT_EQ("int", name(int_));
    EXPECT_EQ("void", name(0));
    EXPECT_EQ("struct file*", name(types.pointer(file)));
    EXPECT_EQ("struct file**", name(types.pointer(types.pointer(file))));
    EXPECT_EQ("const char*", name(types.pointer(types.qualified("const", char_))));
    EXPECT_EQ("char* const", name(types.qualified("const", types.pointer(char_))));
    EXPECT_EQ("char[16]", name(types.array(char_, 16)));
    EXPECT_EQ("int[2][3]", name(types.array(types.array(int_, 3), 2)));
    EXPECT_EQ("int(*)[3]", name(types.pointer(types.array(int_, 3))));
    EXPECT_EQ("char[]", name(types.array(char_, 0)));
    EXPECT_EQ("int(*)(struct file*, int)", name(types.pointer(types.function(int_, {types.pointer(file), int_}))));
    EXPECT_EQ("pid_t", name(types.alias("pid_t", int_)));
    EXPECT_EQ("struct {...}", name(types.structure(TypeKind::Struct, "", 4, {})));
    EXPECT_EQ("union u", name(types.structure(TypeKind::Union, "u", 4, {})));
    EXPECT_EQ("enum e", name(types.enumeration("e", {})));
}

TEST_F(CTypes, CyclesEnd) {
    const TypeId loop = types.alias("loop", 0);
    types.set_target(loop, loop);
    EXPECT_FALSE(types.type(loop).stripped());
    EXPECT_EQ(std::nullopt, type_size(types.type(loop)));
    const TypeId pointer = types.pointer(0);
    types.set_target(pointer, pointer);
    EXPECT_EQ(8u, type_size(types.type(pointer)));
    EXPECT_EQ('?', name(pointer).front());
    const TypeId self = types.structure(TypeKind::Struct, "", 8, {});
    FakeTypes nested;
    nested.structure(TypeKind::Struct, "n", 8, {{"", self, 0, 0, false}, {"", 1, 0, 0, false}});
    EXPECT_FALSE(find_member({&nested, 1}, "x"));
}

TEST_F(CTypes, SizesCountAllDimensions) {
    EXPECT_EQ(24u, type_size(types.type(types.array(types.array(int_, 3), 2))));
    EXPECT_EQ(0u, type_size(types.type(types.array(int_, 0))));
    EXPECT_EQ(std::nullopt, type_size(types.type(types.function(int_, {}))));
    EXPECT_EQ(std::nullopt, type_size(types.type(0)));
    EXPECT_EQ(std::nullopt, type_size(types.type(types.declared(TypeKind::Struct, "unseen"))));
    EXPECT_EQ(std::nullopt,
              type_size(types.type(types.array(types.array(int_, uint64_t{1} << 40), uint64_t{1} << 40))));
}

TEST_F(CTypes, MembersAreFoundThroughAnonymousOnes) {
    const TypeId inner = types.structure(TypeKind::Union, "", 8, {{"a", int_, 0, 0, false}, {"b", int_, 32, 5, false}});
    const TypeId middle =
        types.structure(TypeKind::Struct, "", 16, {{"x", int_, 0, 0, false}, {"", inner, 64, 0, false}});
    const TypeId outer =
        types.structure(TypeKind::Struct, "outer", 32, {{"first", int_, 0, 0, false}, {"", middle, 128, 0, false}});
    const auto found = find_member(types.type(outer), "b");
    ASSERT_TRUE(found);
    EXPECT_EQ(128u + 64 + 32, found->bit_offset);
    EXPECT_EQ(5u, found->bit_size);
    EXPECT_EQ(int_, found->type.id);
    EXPECT_FALSE(find_member(types.type(outer), "c"));
    EXPECT_FALSE(find_member(types.type(outer), ""));
    EXPECT_FALSE(find_member(types.type(int_), "a"));
    EXPECT_THAT(member_names(types.type(outer)), ElementsAre("first", "x", "a", "b"));
}

TEST_F(CTypes, AMemberHidesThatOfABaseClass) {
    const TypeId base =
        types.structure(TypeKind::Struct, "base", 8, {{"x", int_, 32, 0, false}, {"y", int_, 0, 0, false}});
    const TypeId derived =
        types.structure(TypeKind::Struct, "derived", 16, {{"", base, 0, 0, true}, {"x", int_, 64, 0, false}});
    EXPECT_EQ(64u, find_member(types.type(derived), "x")->bit_offset);
    EXPECT_EQ(0u, find_member(types.type(derived), "y")->bit_offset);
}

TEST_F(CTypes, DeclarationsAreCompletedByName) {
    const TypeId declared = types.declared(TypeKind::Struct, "file");
    EXPECT_EQ(declared, types.type(declared).completed().id);
    const TypeId full = types.structure(TypeKind::Struct, "file", 8, {{"pos", int_, 0, 0, false}});
    EXPECT_EQ(full, types.type(declared).completed().id);
    EXPECT_TRUE(find_member(types.type(types.alias("file_t", declared)), "pos"));
    EXPECT_EQ(8u, type_size(types.type(declared)));
}

}  // namespace
}  // namespace tapir::ctypes
