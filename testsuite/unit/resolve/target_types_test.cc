// SPDX-License-Identifier: GPL-2.0-or-later
// Target types through scripts. Numbers from 1000 on stand for expressions that debug information gave a type.
#include "resolve/target_types.h"

#include "ast/walk.h"
#include "fake_scope.h"

namespace tapir::resolve {
namespace {

// Gives the numbers their types, carries them, and says what `name` has, a local of the last handler.
class TargetTypes : public testing::Test {
  protected:
    std::string type_of(const std::string &name, const std::string &text) {
        Pass2 pass;
        pass.elaborate({text});
        EXPECT_FALSE(pass.diagnostics.has_errors()) << pass.reported();
        auto mark = [&](ast::Stmt &body) {
            ast::each_expr(body, [&](ast::Expr &e) {
                if (e.kind != ast::ExprKind::Number) return;
                const auto type = numbers.find(static_cast<ast::Number &>(e).value);
                if (type != numbers.end()) e.target_type = type->second;
            });
        };
        for (ast::Function *function : pass.program->functions)
            mark(*function->body);
        for (const auto &handler : pass.program->handlers)
            mark(*handler->body);
        TypeFlow(pass.program->functions, pass.program->handlers, script_types).run();
        for (const auto &local : pass.program->handlers.back()->locals)
            if (local->name == name) return text_of(local->target_type);
        for (const ast::Variable *global : pass.program->globals)
            if (global->name == name) return text_of(global->target_type);
        return "no variable";
    }

    // The type's name, or those of several with the columns of what gave them.
    static std::string text_of(const ast::TargetType *target) {
        const auto *type = static_cast<const ScriptType *>(target);
        if (!type) return "-";
        std::string text = type->name;
        for (const ScriptType::Given &given : type->several)
            text += (text.empty() ? "" : ", ") + given.type->name + " by " + std::to_string(given.at.column);
        return text;
    }

    const ScriptType *address_of(const ThingTypes &types, ctypes::TypeId id, bool user = false) {
        return script_types.of(types.type(id), true, user);
    }

    // Two sources of the same types, as two modules are.
    ThingTypes here, there;
    // One of the same name that has another member instead of one without a name.
    struct : ThingTypes {
        TypeId twin_ = structure(TypeKind::Struct, "thing", 64, with_other_union());
        std::vector<ctypes::Member> with_other_union() {
            std::vector<ctypes::Member> members = this->members(thing_);
            for (ctypes::Member &member : members)
                if (member.name.empty()) member.type = structure(TypeKind::Union, "", 8, {{"all", int_, 0, 0, false}});
            return members;
        }
    } different;
    ScriptTypes script_types;
    std::map<int64_t, const ScriptType *> numbers = {
        {1000, address_of(here, here.thing_)},
        {1001, address_of(there, there.thing_)},
        {1003, address_of(different, different.twin_)},
        {1002, address_of(here, here.thing_, true)},
        {2000, address_of(here, here.box_)},
        {3000, script_types.of(here.type(here.void_pointer_), false, false)}};
};

TEST_F(TargetTypes, FollowAssignmentsOfLocals) {
    EXPECT_EQ("struct thing*", type_of("c", "probe begin { a = 1000 b = a c = b println(c) }"));
    EXPECT_EQ("struct thing*", type_of("b", "probe begin { a = (b = 1000) println(a + b) }"));
    EXPECT_EQ("struct thing*", type_of("b", "probe begin { while (i++ < 2) { b = a a = 1000 } println(b) }"));
    EXPECT_EQ("-", type_of("a", "probe begin { a = 5 println(a) }"));
}

TEST_F(TargetTypes, PlainNumbersDoNotDisturbThem) {
    EXPECT_EQ("struct thing*", type_of("a", "probe begin { a = 0 a = 1000 a = 0 println(a) }"));
    EXPECT_EQ("struct thing*", type_of("a", "probe begin { a = 1000 a += 8 println(a) }"));
}

TEST_F(TargetTypes, DifferentOnesAreKeptApart) {
    EXPECT_EQ("struct thing* by 19, struct box* by 28", type_of("a", "probe begin { a = 1000 a = 2000 println(a) }"));
    EXPECT_EQ("struct thing* by 19, struct box* by 28",
              type_of("b", "probe begin { a = 1000 a = 2000 b = a b = 2000 println(b) }"));
    EXPECT_EQ("struct thing* by 19, struct thing* by 28", type_of("a", "probe begin { a = 1000 a = 1002 println(a) }"));
}

TEST_F(TargetTypes, AlikeOnesOfTwoModulesAreOne) {
    EXPECT_EQ("struct thing*", type_of("a", "probe begin { a = 1000 a = 1001 println(a) }"));
    EXPECT_EQ("struct thing*", type_of("a", "probe begin { a = 1001 a = 1000 println(a) }"));
    EXPECT_EQ("struct thing* by 19, struct thing* by 28", type_of("a", "probe begin { a = 1000 a = 1003 println(a) }"));
}

TEST_F(TargetTypes, VoidYields) {
    EXPECT_EQ("struct box*", type_of("a", "probe begin { a = 3000 a = 2000 a = 3000 println(a) }"));
    EXPECT_EQ("void*", type_of("a", "probe begin { a = 3000 println(a) }"));
}

TEST_F(TargetTypes, ConditionalsHaveWhatTheirArmsAgreeOn) {
    EXPECT_EQ("struct thing*", type_of("a", "global g probe begin { a = g ? 1000 : 1000 g = a println(a) }"));
    EXPECT_EQ("struct thing*", type_of("a", "global g probe begin { a = g ? 0 : 1000 g = a println(a) }"));
    EXPECT_EQ("struct box* by 32, struct thing* by 39",
              type_of("a", "global g probe begin { a = g ? 2000 : 1000 g = a println(a) }"));
}

TEST_F(TargetTypes, ComeOutOfFunctions) {
    EXPECT_EQ("struct thing*", type_of("a", "function f() { x = 1000 return x } probe begin { a = f() println(a) }"));
    EXPECT_EQ("struct thing*", type_of("a",
                                       "function f(n) { if (n) return g(n) return 0 }\n"
                                       "function g(n) { if (n > 2) return f(n - 1) return 1000 }\n"
                                       "probe begin { a = f(1) println(a) }"));
    EXPECT_EQ("struct thing* by 31, struct box* by 43",
              type_of("a", "function f(n) { if (n) return 1000 return 2000 } probe begin { a = f(1) println(a) }"));
    EXPECT_EQ("struct thing* by 10, struct box* by 44",
              type_of("a",
                      "function f() { next return 1000 } function f() { return 2000 }\n"
                      "probe begin { a = f() println(a) }"));
}

TEST_F(TargetTypes, GoIntoFunctions) {
    EXPECT_EQ("struct thing*", type_of("a", "function f(p) { return p } probe begin { a = f(1000) println(a) }"));
    EXPECT_EQ("struct thing*", type_of("a", "function f(p) { p = 1000 return p } probe begin { a = f(1) println(a) }"));
    EXPECT_EQ("struct thing*", type_of("a",
                                       "function f(p, n) { return n ? g(n - 1, p) : 0 }\n"
                                       "function g(n, p) { return n ? f(p, n) : p }\n"
                                       "probe begin { a = f(1000, 3) println(a) }"));
    EXPECT_EQ("struct thing* by 44, struct box* by 56",
              type_of("a", "function f(p) { return p } probe begin { f(1000) a = f(2000) println(a) }"));
}

TEST_F(TargetTypes, GoThroughGlobals) {
    EXPECT_EQ("struct thing*", type_of("a", "global g probe end { g = 1000 } probe begin { a = g println(a) }"));
    EXPECT_EQ("struct thing* by 26, struct box* by 49",
              type_of("g", "global g probe end { g = 1000 } probe end { g = 2000 } probe begin { println(g) }"));
}

TEST_F(TargetTypes, GoThroughArrays) {
    EXPECT_EQ("struct thing*", type_of("a", "global g probe begin { g[1] = 1000 a = g[2] println(a) }"));
    EXPECT_EQ("struct box*",
              type_of("v", "global g probe begin { g[1000] = 2000 foreach (v = k in g) println(v, k) }"));
    EXPECT_EQ("struct thing*",
              type_of("k", "global g probe begin { g[1000] = 2000 foreach (v = k in g) println(v, k) }"));
    EXPECT_EQ(
        "struct box*",
        type_of("l", "global g probe begin { g[\"x\", 1000, 2000] <<< 1 foreach ([j, k, l] in g) println(j, k, l) }"));
    EXPECT_EQ("struct box*", type_of("k", "global g probe begin { g[2000]++ foreach (k in g) println(k) }"));
    EXPECT_EQ("-", type_of("k", "global g probe begin { g[1] = 1000 in g foreach (k in g) println(k) }"));
    EXPECT_EQ("struct thing* by 26, struct box* by 38",
              type_of("k", "global g probe begin { g[1000] = 1 g[2000] = 1 foreach (k in g) println(k) }"));
}

TEST_F(TargetTypes, DoNotGoThroughArithmetic) {
    EXPECT_EQ("-", type_of("a", "probe begin { a = 1000 + 8 println(a) }"));
    EXPECT_EQ("-", type_of("b", "probe begin { a = 1000 b = (a += 8) println(a + b) }"));
}

}  // namespace
}  // namespace tapir::resolve
