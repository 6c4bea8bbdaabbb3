// SPDX-License-Identifier: GPL-2.0-or-later
// Nodes that only trees of later passes hold; round trips of unit/syntax cover the parser's own.
#include <gtest/gtest.h>

#include "ast/ast.h"

namespace tapir::ast {
namespace {

ExprPtr var(const char *name) {
    return std::make_unique<VarRef>(SourceRef{}, name);
}
StmtPtr use(const char *name) {
    return std::make_unique<ExprStmt>(SourceRef{}, var(name));
}

TEST(Print, AnElseStaysWithItsIf) {
    auto inner = std::make_unique<If>(SourceRef{});
    inner->cond = var("b");
    inner->then_stmt = use("x");
    auto loop = std::make_unique<While>(SourceRef{});
    loop->cond = var("w");
    loop->body = std::move(inner);
    If outer(SourceRef{});
    outer.cond = var("a");
    outer.then_stmt = std::move(loop);
    outer.else_stmt = use("y");
    EXPECT_EQ(print(outer), "if (a) {\n    while (w)\n        if (b)\n            x;\n}\nelse\n    y;\n");
}

TEST(Print, NegativeNumbersAreOperands) {
    Binary difference(SourceRef{}, BinaryOp::Sub, std::make_unique<Number>(SourceRef{}, -1),
                      std::make_unique<Number>(SourceRef{}, INT64_MIN));
    EXPECT_EQ(print(static_cast<const Expr &>(difference)), "((-1) - (-9223372036854775808))");
}

TEST(Print, ProbePointText) {
    ProbePoint point;
    point.components.push_back({"kernel", {}, nullptr});
    point.components.push_back({"function", {}, std::make_unique<String>(SourceRef{}, "a\"b")});
    point.components.push_back({"s", {}, std::make_unique<Number>(SourceRef{}, -3)});
    point.sufficient = true;
    point.condition = var("c");
    EXPECT_EQ(point.str(), "kernel.function(\"a\\\"b\").s(-3)!");
    EXPECT_EQ(clone(point).str(), point.str());
    EXPECT_NE(clone(point).condition, nullptr);
}

TEST(Names, TypesAndStatistics) {
    EXPECT_EQ(type_name(Type::Unknown), "unknown");
    EXPECT_EQ(type_name(Type::Void), "void");
    EXPECT_EQ(type_name(Type::Long), "long");
    EXPECT_EQ(type_name(Type::String), "string");
    EXPECT_EQ(type_name(Type::Stat), "stat");
    EXPECT_EQ(stat_op_name(StatOpKind::Count), "@count");
    EXPECT_EQ(stat_op_name(StatOpKind::Variance), "@variance");
    EXPECT_EQ(stat_op_name(StatOpKind::Percentile), "@percentile");
    EXPECT_EQ(stat_op_name(StatOpKind::Median), "@median");
}

TEST(Index, KnowsItsWildcards) {
    std::vector<ExprPtr> keys;
    keys.push_back(var("k"));
    Index index(SourceRef{}, var("a"), std::move(keys));
    EXPECT_FALSE(index.has_wildcard());
    index.keys.push_back(nullptr);
    EXPECT_TRUE(index.has_wildcard());
    EXPECT_EQ(print(static_cast<const Expr &>(*clone(index))), "a[k, *]");
}

}  // namespace
}  // namespace tapir::ast
