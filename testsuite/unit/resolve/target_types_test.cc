// SPDX-License-Identifier: GPL-2.0-or-later
// Target types through scripts. Numbers from 1000 on stand for expressions that debug information gave a type.
#include "resolve/target_types.h"

#include "ast/walk.h"
#include "pass2.h"

namespace tapir::resolve {
namespace {

const ast::TargetType kFile = {"struct file *", "kernel"}, kTask = {"struct task_struct *", "kernel"};

// Gives 1000 and 2000 their types, carries them, and says what `name` has, a local of the last handler.
class TargetTypes : public testing::Test {
  protected:
    std::string type_of(const std::string &name, const std::string &text) {
        Pass2 pass;
        pass.elaborate({text});
        EXPECT_FALSE(pass.diagnostics.has_errors()) << pass.reported();
        auto mark = [](ast::Stmt &body) {
            ast::each_expr(body, [](ast::Expr &e) {
                if (e.kind != ast::ExprKind::Number) return;
                int64_t value = static_cast<ast::Number &>(e).value;
                if (value == 1000) e.target_type = &kFile;
                if (value == 2000) e.target_type = &kTask;
            });
        };
        for (ast::Function *function : pass.program->functions)
            mark(*function->body);
        for (const auto &handler : pass.program->handlers)
            mark(*handler->body);
        carry_target_types(pass.program->functions, pass.program->handlers);
        for (const auto &local : pass.program->handlers.back()->locals)
            if (local->name == name) return local->target_type ? local->target_type->name : "-";
        for (const ast::Variable *global : pass.program->globals)
            if (global->name == name) return global->target_type ? global->target_type->name : "-";
        return "no variable";
    }
};

TEST_F(TargetTypes, FollowAssignmentsOfLocals) {
    EXPECT_EQ("struct file *", type_of("c", "probe begin { a = 1000 b = a c = b println(c) }"));
    EXPECT_EQ("struct file *", type_of("b", "probe begin { a = (b = 1000) println(a + b) }"));
    EXPECT_EQ("struct file *", type_of("b", "probe begin { while (i++ < 2) { b = a a = 1000 } println(b) }"));
    EXPECT_EQ("-", type_of("a", "probe begin { a = 5 println(a) }"));
}

TEST_F(TargetTypes, PlainNumbersDoNotDisturbThem) {
    EXPECT_EQ("struct file *", type_of("a", "probe begin { a = 0 a = 1000 a = 0 println(a) }"));
    EXPECT_EQ("struct file *", type_of("a", "probe begin { a = 1000 a += 8 println(a) }"));
}

TEST_F(TargetTypes, DifferentOnesLeaveNone) {
    EXPECT_EQ("-", type_of("a", "probe begin { a = 1000 a = 2000 println(a) }"));
    EXPECT_EQ("-", type_of("b", "probe begin { a = 1000 b = a a = 2000 b = 2000 b = 1000 println(b) }"));
}

TEST_F(TargetTypes, ConditionalsHaveWhatTheirArmsAgreeOn) {
    EXPECT_EQ("struct file *", type_of("a", "global g probe begin { a = g ? 1000 : 1000 g = a println(a) }"));
    EXPECT_EQ("struct file *", type_of("a", "global g probe begin { a = g ? 0 : 1000 g = a println(a) }"));
    EXPECT_EQ("-", type_of("a", "global g probe begin { a = g ? 2000 : 1000 g = a println(a) }"));
}

TEST_F(TargetTypes, ComeOutOfFunctions) {
    EXPECT_EQ("struct file *", type_of("a", "function f() { x = 1000 return x } probe begin { a = f() println(a) }"));
    EXPECT_EQ("struct file *", type_of("a",
                                       "function f(n) { if (n) return g(n) return 0 }\n"
                                       "function g(n) { if (n > 2) return f(n - 1) return 1000 }\n"
                                       "probe begin { a = f(1) println(a) }"));
    EXPECT_EQ("-",
              type_of("a", "function f(n) { if (n) return 1000 return 2000 } probe begin { a = f(1) println(a) }"));
    EXPECT_EQ("-", type_of("a",
                           "function f() { next return 1000 } function f() { return 2000 }\n"
                           "probe begin { a = f() println(a) }"));
}

TEST_F(TargetTypes, DoNotGoThroughParametersGlobalsAndArithmetic) {
    EXPECT_EQ("-", type_of("a", "function f(p) { return p } probe begin { a = f(1000) println(a) }"));
    EXPECT_EQ("-", type_of("a", "function f(p) { p = 1000 return p } probe begin { a = f(1) println(a) }"));
    EXPECT_EQ("-", type_of("g", "global g probe begin { g = 1000 a = g println(a) }"));
    EXPECT_EQ("-", type_of("a", "global g probe begin { g = 1000 a = g println(a) }"));
    EXPECT_EQ("-", type_of("a", "probe begin { a = 1000 + 8 println(a) }"));
    EXPECT_EQ("-", type_of("b", "probe begin { a = 1000 b = (a += 8) println(a + b) }"));
}

}  // namespace
}  // namespace tapir::resolve
