// SPDX-License-Identifier: GPL-2.0-or-later
// The numbers below are those of the ABIs' texts: System V x86-64 section 3.2.3, AAPCS64 section 6.8.
#include "target/calling_convention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tapir::target {
namespace {

using ctypes::Place;
using ctypes::Type;
using ctypes::TypeId;
using ctypes::TypeInfo;
using ctypes::TypeKind;
using testing::ElementsAre;

enum Ids : TypeId {
    kVoid,
    kInt,
    kLong,
    kInt128,
    kDouble,
    kSmall,
    kPair,
    kLarge,
    kFloats,
    kEmpty,
    kDeclared,
    kPointer,
    kChar,
    kLongDouble,
    kComplexFloat,
    kComplexDouble,
    kMixed,
    kPacked,
    kUnion,
    kBits,
    kTwoFloats,
    kHoldsWide,
    kText,
    kVector,
    kCopied,
    kShort
};

class Types : public ctypes::TypeSource {
  public:
    TypeInfo info(TypeId id) const override {
        TypeInfo info;
        const auto set = [&](TypeKind kind, uint64_t size) {
            info.kind = kind;
            info.size = size;
        };
        switch (id) {
            case kInt:
                set(TypeKind::Integer, 4);
                break;
            case kLong:
                set(TypeKind::Integer, 8);
                break;
            case kInt128:
                set(TypeKind::Integer, 16);
                break;
            case kDouble:
                set(TypeKind::Float, 8);
                break;
            case kSmall:
                set(TypeKind::Struct, 4);
                break;
            case kPair:
                set(TypeKind::Struct, 12);
                break;
            case kLarge:
                set(TypeKind::Struct, 24);
                break;
            case kFloats:
                set(TypeKind::Struct, 8);
                break;
            case kEmpty:
                set(TypeKind::Struct, 0);
                break;
            case kPointer:
                set(TypeKind::Pointer, 8);
                break;
            case kChar:
                set(TypeKind::Integer, 1);
                break;
            case kShort:
                set(TypeKind::Integer, 2);
                break;
            case kLongDouble:
                set(TypeKind::Float, 16);
                info.name = "long double";
                break;
            case kComplexFloat:
            case kComplexDouble:
                set(TypeKind::Float, id == kComplexFloat ? 8 : 16);
                info.encoding = ctypes::Encoding::Complex;
                break;
            case kMixed:
            case kUnion:
            case kHoldsWide:
                set(id == kUnion ? TypeKind::Union : TypeKind::Struct, 16);
                break;
            case kPacked:
            case kBits:
            case kTwoFloats:
            case kCopied:
                set(TypeKind::Struct, id == kPacked ? 5 : 8);
                break;
            case kText:
            case kVector:
                info.kind = TypeKind::Array;
                info.count = id == kText ? 3 : 16;
                info.target = kChar;
                info.vector = id == kVector;
                break;
            case kDeclared:
                set(TypeKind::Struct, 0);
                info.declaration = true;
                break;
            default:
                break;
        }
        return info;
    }
    std::vector<ctypes::Member> members(TypeId id) const override {
        if (id == kFloats) return {{"number", kDouble}};
        if (id == kPair) return {{"first", kLong}, {"second", kInt, 64}};
        if (id == kSmall) return {{"only", kInt}};
        if (id == kMixed) return {{"number", kDouble}, {"count", kInt, 64}};
        if (id == kPacked) return {{"first", kChar}, {"second", kInt, 8}};
        if (id == kUnion) return {{"numbers", kComplexDouble}, {"count", kLong}};
        if (id == kBits) return {{"low", kInt, 3, 7}, {"high", kInt, 30, 20}};
        if (id == kTwoFloats) return {{"numbers", kComplexFloat}};
        if (id == kHoldsWide) return {{"wide", kLongDouble}};
        if (id == kCopied) return {{"only", kLong}};
        return {};
    }
    bool is_copied_by_function(TypeId id) const override { return id == kCopied; }
    std::vector<ctypes::Enumerator> enumerators(TypeId) const override { return {}; }
    std::vector<TypeId> parameters(TypeId) const override { return {}; }
    std::optional<TypeId> find_type(std::string_view) const override { return std::nullopt; }
};

std::string text(const Place &place) {
    switch (place.kind) {
        case Place::Kind::Register:
            return ctypes::term_text(*place.term);
        case Place::Kind::Memory:
            return "at " + ctypes::term_text(*place.term);
        case Place::Kind::Pieces: {
            std::string all;
            for (const ctypes::Piece &piece : place.pieces)
                all += (all.empty() ? "" : ",") + text(piece.place) + ":" + std::to_string(piece.bytes);
            return all;
        }
        default:
            return "absent: " + place.why;
    }
}

std::vector<std::string> places(std::string_view arch, std::initializer_list<TypeId> ids, TypeId result = kVoid,
                                Convention convention = Convention::C) {
    static const Types types;
    std::vector<Type> list;
    for (const TypeId id : ids)
        list.push_back({&types, id});
    std::vector<std::string> texts;
    for (const Place &place : argument_places(arch, list, {&types, result}, convention))
        texts.push_back(text(place));
    return texts;
}

TEST(CallingConvention, X86PassesSixIntegersInRegisters) {
    EXPECT_THAT(places("x86_64", {kInt, kLong, kPointer, kLong, kLong, kLong, kInt, kLong}),
                ElementsAre("reg5", "reg4", "reg1", "reg2", "reg8", "reg9", "at (reg7 + 8)", "at (reg7 + 16)"));
}

TEST(CallingConvention, X86SplitsStructuresOfTwoWords) {
    EXPECT_THAT(places("x86_64", {kSmall, kPair, kInt}), ElementsAre("reg5", "reg4:8,reg1:4", "reg2"));
    // One that does not fit goes to the stack as a whole; what follows still gets the register.
    EXPECT_THAT(places("x86_64", {kLong, kLong, kLong, kLong, kLong, kPair, kInt, kInt}),
                ElementsAre("reg5", "reg4", "reg1", "reg2", "reg8", "at (reg7 + 8)", "reg9", "at (reg7 + 24)"));
}

TEST(CallingConvention, X86CopiesLargeStructuresToTheStack) {
    EXPECT_THAT(places("x86_64", {kLarge, kInt, kLarge}), ElementsAre("at (reg7 + 8)", "reg5", "at (reg7 + 32)"));
}

// Compilers do not agree about those that do not fit the registers.
TEST(CallingConvention, X86PassesWideIntegersInTwoRegisters) {
    const std::string unknown = "absent: how an argument before it, it itself or the result is passed is not known";
    EXPECT_THAT(places("x86_64", {kLong, kInt128, kLong, kLong, kInt128, kInt}),
                ElementsAre("reg5", "reg4:8,reg1:8", "reg2", "reg8", unknown, unknown));
    // GCC follows the ABI: section 3.2.3, "Passing".
    EXPECT_THAT(
        places("x86_64", {kLong, kInt128, kLong, kLong, kInt128, kInt, kInt, kInt128}, kVoid, Convention::Exact),
        ElementsAre("reg5", "reg4:8,reg1:8", "reg2", "reg8", "at (reg7 + 8)", "reg9", "at (reg7 + 24)",
                    "at (reg7 + 40)"));
    EXPECT_THAT(
        places("x86_64", {kLong, kInt128, kLong, kLong, kInt128, kInt, kInt, kInt128}, kVoid, Convention::Split),
        ElementsAre("reg5", "reg4:8,reg1:8", "reg2", "reg8", "reg9:8,at (reg7 + 8):8", "at (reg7 + 16)",
                    "at (reg7 + 24)", "at (reg7 + 32)"));
}

TEST(CallingConvention, X86PassesTheAddressOfALargeResultFirst) {
    EXPECT_THAT(places("x86_64", {kInt, kLarge, kLong}, kLarge), ElementsAre("reg4", "at (reg7 + 8)", "reg1"));
    EXPECT_THAT(places("x86_64", {kInt, kLong}, kPair), ElementsAre("reg5", "reg4"));
    EXPECT_THAT(places("aarch64", {kInt, kLong}, kLarge), ElementsAre("reg0", "reg1"));
}

TEST(CallingConvention, ArmPassesEightIntegersInRegisters) {
    EXPECT_THAT(
        places("aarch64", {kInt, kLong, kLong, kLong, kLong, kLong, kLong, kLong, kInt, kLong}),
        ElementsAre("reg0", "reg1", "reg2", "reg3", "reg4", "reg5", "reg6", "reg7", "at reg31", "at (reg31 + 8)"));
}

TEST(CallingConvention, ArmPassesLargeStructuresByReference) {
    EXPECT_THAT(places("aarch64", {kLarge, kPair, kInt}), ElementsAre("at reg0", "reg1:8,reg2:4", "reg3"));
    EXPECT_THAT(places("aarch64", {kLong, kLong, kLong, kLong, kLong, kLong, kLong, kLong, kLarge}),
                ElementsAre("reg0", "reg1", "reg2", "reg3", "reg4", "reg5", "reg6", "reg7", "at u64[reg31]"));
}

TEST(CallingConvention, ArmUsesNoRegisterAfterTheStack) {
    EXPECT_THAT(places("aarch64", {kLong, kLong, kLong, kLong, kLong, kLong, kLong, kPair, kInt}),
                ElementsAre("reg0", "reg1", "reg2", "reg3", "reg4", "reg5", "reg6", "at reg31", "at (reg31 + 16)"));
    EXPECT_THAT(places("aarch64", {kLong, kInt128, kInt}), ElementsAre("reg0", "reg2:8,reg3:8", "reg4"));
}

TEST(CallingConvention, X86SplitsByWords) {
    EXPECT_THAT(places("x86_64", {kMixed, kUnion, kBits, kTwoFloats, kComplexDouble, kInt}),
                ElementsAre("reg17:8,reg5:8", "reg4:8,reg18:8", "reg1", "reg19", "reg20:8,reg21:8", "reg2"));
    // Members that are not aligned, and 80-bit numbers, are in memory; vectors are in one register.
    EXPECT_THAT(places("x86_64", {kPacked, kInt, kLongDouble, kHoldsWide, kText, kVector}),
                ElementsAre("at (reg7 + 8)", "reg5", "at (reg7 + 24)", "at (reg7 + 40)", "reg4",
                            "absent: it is passed in a vector register"));
    EXPECT_THAT(places("x86_64", {kCopied, kInt}, kCopied), ElementsAre("at reg4", "reg1"));
    // Nine vector registers are too many, and one that does not fit takes no other register either.
    EXPECT_THAT(
        places("x86_64", {kDouble, kDouble, kDouble, kDouble, kDouble, kDouble, kDouble, kDouble, kMixed, kInt}),
        ElementsAre("reg17", "reg18", "reg19", "reg20", "reg21", "reg22", "reg23", "reg24", "at (reg7 + 8)", "reg5"));
}

TEST(CallingConvention, ArmPassesNumbersInVectorRegisters) {
    const std::string vector = "absent: it is passed in a vector register";
    EXPECT_THAT(places("aarch64", {kMixed, kTwoFloats, kLongDouble, kInt}),
                ElementsAre("reg0:8,reg1:8", vector, vector, "reg2"));
}

TEST(CallingConvention, Results) {
    static const Types types;
    const auto result = [](std::string_view arch, TypeId id) { return text(result_place(arch, {&types, id})); };
    const std::string vector = "absent: it is returned in a vector register";
    EXPECT_EQ(result("x86_64", kInt), "reg0");
    EXPECT_EQ(result("x86_64", kPair), "reg0:8,reg1:4");
    EXPECT_EQ(result("x86_64", kMixed), "reg17:8,reg0:8");
    EXPECT_EQ(result("x86_64", kDouble), "reg17");
    EXPECT_EQ(result("x86_64", kComplexDouble), "reg17:8,reg18:8");
    EXPECT_EQ(result("aarch64", kDouble), vector);
    EXPECT_EQ(result("x86_64", kHoldsWide), vector);
    EXPECT_EQ(result("x86_64", kLarge), "at reg0");
    EXPECT_EQ(result("x86_64", kCopied), "at reg0");
    EXPECT_EQ(result("aarch64", kMixed), "reg0:8,reg1:8");
    EXPECT_EQ(result("aarch64", kLarge), "absent: it is returned at an address that only its caller knows");
}

TEST(CallingConvention, SaysWhatCannotBeHad) {
    EXPECT_THAT(places("x86_64", {kDouble, kFloats, kInt, kEmpty}),
                ElementsAre("reg17", "reg18", "reg5", "absent: its type is empty"));
    const std::string unknown = "absent: how an argument before it, it itself or the result is passed is not known";
    EXPECT_THAT(places("aarch64", {kInt, kDeclared, kInt}), ElementsAre("reg0", unknown, unknown));
    EXPECT_THAT(places("x86_64", {kInt}, kDeclared), ElementsAre(unknown));
    EXPECT_THAT(places("riscv64", {kInt}),
                ElementsAre("absent: how riscv64 passes arguments is not known, debug information tells"));
}

}  // namespace
}  // namespace tapir::target
