// SPDX-License-Identifier: GPL-2.0-or-later
// $x$ and $x$$.
#include "fake_scope.h"

namespace tapir::resolve {
namespace {

class Pretty : public testing::Test, protected AtPlace {
  protected:
    Pretty() {
        scope.parameter("p", scope.types.self_, FakeScope::in_register(5));
        scope.parameter("n", scope.types.int_, FakeScope::in_register(4));
    }
    // The sprintf of an object of this type at "base".
    std::string shown(TypeId type, const std::string &mark = "$$") {
        scope.local("it" + std::to_string(++count_), type, FakeScope::on_stack(0));
        const std::string text = value("$it" + std::to_string(count_) + mark);
        const std::string before = "return ", after = ";\n}\ncatch\n    return \"ERROR\";\n";
        const size_t at = text.find(before), end = text.find(after);
        if (at == std::string::npos || end == std::string::npos) return text;
        return text.substr(at + before.size(), end - at - before.size());
    }
    int count_ = 0;
};

TEST_F(Pretty, FaultsAreCaughtWhereTheFunctionReads) {
    scope.local("c", scope.types.structure(TypeKind::Struct, "pair", 8, {{"a", scope.types.int_, 0, 0, false}}),
                FakeScope::in_memory(ctypes::load_term(8, ctypes::register_term(3))));
    EXPECT_EQ(
        "__pretty_1 try {\n"
        "    (base = @kderef(8, arg1));\n"
        "    return sprintf(\"{.a=%d}\", ((@kderef(4, base) << 32) >> 32));\n"
        "}\n"
        "catch\n"
        "    return \"ERROR\";\n"
        "\n__pretty_1(@kregister(3))",
        value("$c$"));
    EXPECT_EQ("__pretty_1(@kregister(3))", value("$c$$"));
}

TEST_F(Pretty, WhatHasEffectsIsEvaluatedOnce) {
    EXPECT_EQ(
        "__pretty_1 try {\n"
        "    (base = ((arg1 + (arg2 * 64)) + 32));\n"
        "    return sprintf(\"%s\", string_quoted(kernel_string_n(base, 8, \"<unknown>\")));\n"
        "}\n"
        "catch\n"
        "    return \"ERROR\";\n"
        "\n__pretty_1(@kregister(5), (i++))",
        value("$p[i++]->name$"));
}

TEST_F(Pretty, OnlyTheOutermostStructureUnlessAllIsWanted) {
    const TypeId inner = scope.types.structure(TypeKind::Struct, "in", 4, {{"x", scope.types.int_, 0, 0, false}});
    const TypeId outer = scope.types.structure(TypeKind::Struct, "out", 16,
                                               {{"in", inner, 0, 0, false},
                                                {"t", scope.types.array(scope.types.int_, 2), 32, 0, false},
                                                {"n", scope.types.byte_, 96, 0, false}});
    EXPECT_EQ("sprintf(\"{.in={...}, .t=[...], .n=%u}\", @kderef(1, (base + 12)))", shown(outer, "$"));
    EXPECT_EQ(
        "sprintf(\"{.in={.x=%d}, .t=[%d, %d], .n=%u}\", ((@kderef(4, base) << 32) >> 32), "
        "((@kderef(4, (base + 4)) << 32) >> 32), ((@kderef(4, (base + 8)) << 32) >> 32), @kderef(1, (base + 12)))",
        shown(outer));
}

TEST_F(Pretty, ScalarsByTheirType) {
    EXPECT_EQ("sprintf(\"%d\", @kderef(8, base))", shown(scope.types.long_));
    EXPECT_EQ("sprintf(\"%u\", @kderef(4, base))", shown(scope.types.unsigned_));
    EXPECT_EQ("sprintf(\"'%#c'\", ((@kderef(1, base) << 56) >> 56))", shown(scope.types.char_));
    EXPECT_EQ("sprintf(\"%d\", @kderef(4, base))", shown(scope.types.color_));
    EXPECT_EQ("sprintf(\"%p\", @kderef(8, base))", shown(scope.types.void_pointer_));
    EXPECT_EQ("sprintf(\"%s\", kernel_string_quoted(@kderef(8, base)))", shown(scope.types.text_));
    // Functions that do the same are one.
    EXPECT_EQ("__pretty_5(@kregister(7))", shown(scope.types.callback_));
    EXPECT_EQ("__pretty_5(@kregister(7))", shown(scope.types.pointer(scope.types.int_)));
    EXPECT_EQ("sprintf(\"%d\", @kderef(1, base))", shown(scope.types.integer("_Bool", 1, Encoding::Boolean)));
}

TEST_F(Pretty, WhatHasNoTextIsAQuestionMark) {
    EXPECT_EQ("\"?\"", shown(scope.types.wide_));
    EXPECT_EQ("\"{.w=?}\"",
              shown(scope.types.structure(TypeKind::Struct, "s", 16, {{"w", scope.types.wide_, 0, 0, false}})));
}

TEST_F(Pretty, FloatingPointIsAsCPrintsIt) {
    EXPECT_EQ("sprintf(\"%s\", fp_to_string(@kderef(8, base), 6))", shown(scope.types.double_));
    EXPECT_EQ("sprintf(\"%s\", fp_to_string(fp32_to_fp64(@kderef(4, base)), 6))",
              shown(scope.types.floating("float", 4)));
}

TEST_F(Pretty, StringsOfGoAndRustAreText) {
    const TypeId bytes = scope.types.pointer(scope.types.byte_);
    const std::string text =
        "sprintf(\"\\\"%s\\\"\", kernel_string_n(@kderef(8, base), @kderef(8, (base + 8)), "
        "\"<unknown>\"))";
    const auto counted = [&](const char *name, const char *pointer, const char *length) {
        return scope.types.structure(TypeKind::Struct, name, 16,
                                     {{pointer, bytes, 0, 0, false}, {length, scope.types.long_, 64, 0, false}});
    };
    EXPECT_EQ(text, shown(counted("string", "str", "len")));
    // Made once already.
    EXPECT_EQ("__pretty_1(@kregister(7))", shown(counted("&str", "data_ptr", "length")));
    EXPECT_THAT(shown(counted("string", "text", "len")), testing::StartsWith("sprintf(\"{.text="));
    EXPECT_THAT(shown(counted("text", "str", "len")), testing::StartsWith("sprintf(\"{.str="));
}

// Up to five elements, none of them read that is not there.
TEST_F(Pretty, SlicesAreArrays) {
    const TypeId ints = scope.types.pointer(scope.types.int_);
    const TypeId slice = scope.types.structure(TypeKind::Struct, "[]int32", 24,
                                               {{"array", ints, 0, 0, false},
                                                {"len", scope.types.long_, 64, 0, false},
                                                {"cap", scope.types.long_, 128, 0, false}});
    const std::string text = shown(slice);
    EXPECT_THAT(
        text, testing::HasSubstr("((@kderef(8, (base + 8)) > 0) ? sprintf(\"%d\", ((@kderef(4, base2) << 32) >> 32))"));
    EXPECT_THAT(
        text, testing::HasSubstr("((@kderef(8, (base + 8)) > 4) ? sprintf(\", %d\", ((@kderef(4, (base2 + 16)) << 32) "
                                 ">> 32))"));
    EXPECT_THAT(text, testing::HasSubstr("((@kderef(8, (base + 8)) > 5) ? \", ...\" : \"\")"));
    const TypeId outer = scope.types.structure(TypeKind::Struct, "s", 24, {{"list", slice, 0, 0, false}});
    EXPECT_EQ("\"{.list=[...]}\"", shown(outer, "$"));
}

TEST_F(Pretty, ArraysEndAfterFive) {
    EXPECT_EQ(
        "sprintf(\"[%u, %u, %u, %u, %u, ...]\", @kderef(1, base), @kderef(1, (base + 1)), @kderef(1, (base + 2)), "
        "@kderef(1, (base + 3)), @kderef(1, (base + 4)))",
        shown(scope.types.array(scope.types.byte_, 6), "$"));
    EXPECT_EQ(
        "sprintf(\"[%u, %u, %u, %u, %u]\", @kderef(1, base), @kderef(1, (base + 1)), @kderef(1, (base + 2)), "
        "@kderef(1, (base + 3)), @kderef(1, (base + 4)))",
        shown(scope.types.array(scope.types.byte_, 5), "$"));
    EXPECT_EQ("\"[]\"", shown(scope.types.array(scope.types.byte_, 0)));
}

TEST_F(Pretty, WholesEndAfterThirtyTwoValues) {
    std::vector<ctypes::Member> members;
    for (unsigned i = 0; i < 40; ++i)
        members.push_back({"m" + std::to_string(i), scope.types.byte_, i * 8, 0, false});
    const std::string text = shown(scope.types.structure(TypeKind::Struct, "many", 40, std::move(members)));
    EXPECT_NE(text.find(".m31=%u, ...}\""), std::string::npos) << text;
}

TEST_F(Pretty, EndlessNestingEnds) {
    TypeId type = scope.types.byte_;
    for (int i = 0; i < 100; ++i)
        type = scope.types.structure(TypeKind::Struct, "s" + std::to_string(i), 1, {{"m", type, 0, 0, false}});
    EXPECT_NE(shown(type).find("{...}"), std::string::npos);
}

TEST_F(Pretty, Lists) {
    const std::string text = value("$$parms$");
    EXPECT_EQ("sprintf(\"p=%s n=%s\", __pretty_1(@kregister(5)), __pretty_2(@kregister(4)))",
              text.substr(text.rfind("sprintf(\"p=")));
}

}  // namespace
}  // namespace tapir::resolve
