// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost/estimate.h"

#include <gtest/gtest.h>

#include <random>

#include "../optimize/typed_program.h"
#include "cost/weights.h"
#include "ir/lower.h"

namespace tapir::cost {
namespace {

struct Lowered {
    explicit Lowered(const std::string &script) : typed(script) {
        module = ir::lower(*typed.program, {}, typed.diagnostics);
        EXPECT_EQ("", render_all(typed.diagnostics, false));
    }
    test::TypedProgram typed;
    ir::Module module;
};

const std::string kTimer = "probe timer.us(100) ";

// The handler of the timer in a script whose `body` it runs.
Range cost_of(const std::string &globals, const std::string &body, const Assumptions &assumptions = {},
              const Settings &settings = {}) {
    const Lowered l(globals + " " + kTimer + "{ " + body + " }");
    return Estimator(l.module, assumptions, settings).handler(l.module.handlers.at(0));
}

// How often the statement `mark++` runs in the handler, by the rules of flow.h.
double times(const std::string &body, Level level = Level::Typical, const Assumptions &assumptions = {}) {
    // The other probe keeps the globals.
    const Lowered l("global mark, other, a " + kTimer + "{ " + body +
                    " } probe end { println(mark++, other++, a[1]++) }");
    const Flow flow(l.module, l.module.handlers.at(0).body, [](int) { return nullptr; });
    return flow.sum(level, sizes_at(level, assumptions), [&](const ir::Inst &inst) {
        return inst.op == ir::Op::Update && l.module.globals[static_cast<size_t>(inst.global)].name == "mark" ? 1.0
                                                                                                              : 0.0;
    });
}

TEST(CostFlow, StatementsRunOnce) {
    EXPECT_DOUBLE_EQ(times("mark++"), 1);
    EXPECT_DOUBLE_EQ(times("mark++; mark++; mark++"), 3);
    EXPECT_DOUBLE_EQ(times("other++"), 0);
}

TEST(CostFlow, BranchesAreHalves) {
    const std::string either = "if (other) { mark++ mark++ } else other++; other++";
    EXPECT_DOUBLE_EQ(times(either), 1);
    EXPECT_DOUBLE_EQ(times(either, Level::Least), 0);
    EXPECT_DOUBLE_EQ(times(either, Level::Most), 2);
}

TEST(CostFlow, EndsOfHandlersAreRare) {
    EXPECT_DOUBLE_EQ(times("if (other) next; mark++"), 0.95);
    EXPECT_DOUBLE_EQ(times("if (other) next; if (other > 2) next; mark++"), 0.95 * 0.95);
    EXPECT_DOUBLE_EQ(times("if (other) mark++"), 0.95);
    EXPECT_DOUBLE_EQ(times("if (other) next; mark++", Level::Least), 0);
    EXPECT_DOUBLE_EQ(times("if (other) next; mark++", Level::Most), 1);
}

TEST(CostFlow, LoopsOfConstants) {
    EXPECT_DOUBLE_EQ(times("for (i = 0; i < 7; i++) mark++"), 7);
    EXPECT_DOUBLE_EQ(times("for (i = 1; i <= 7; i++) mark++"), 7);
    EXPECT_DOUBLE_EQ(times("for (i = 10; i > 0; i -= 3) mark++"), 4);
    EXPECT_DOUBLE_EQ(times("for (i = 0; i < 3; i++) for (k = 0; k < 5; k++) mark++"), 15);
    EXPECT_DOUBLE_EQ(times("for (i = 0; i < 7; i++) mark++", Level::Most), 7);
    EXPECT_DOUBLE_EQ(times("for (i = 0; i < 7; i++) other++; mark++"), 1);
}

TEST(CostFlow, OtherLoopsAreAssumed) {
    Assumptions assumptions;
    assumptions.turns = 5;
    EXPECT_DOUBLE_EQ(times("for (i = 0; i < other; i++) mark++", Level::Typical, assumptions), 5);
    EXPECT_DOUBLE_EQ(times("while (other) { other-- mark++ }", Level::Typical, assumptions), 5);
    EXPECT_DOUBLE_EQ(times("for (i = 0; i < other; i++) mark++", Level::Least, assumptions), 0);
    EXPECT_DOUBLE_EQ(times("for (i = 0; i < other; i++) mark++", Level::Most, assumptions), 5 * kMostOfAssumed);
}

TEST(CostFlow, ElementsAreAssumed) {
    const std::string loop = "a[1] = 1; foreach (k in a) mark++";
    Assumptions assumptions;
    assumptions.elements = 6;
    EXPECT_DOUBLE_EQ(times(loop, Level::Typical, assumptions), 6);
    EXPECT_DOUBLE_EQ(times("a[1] = 1; foreach (k in a limit 2) mark++", Level::Typical, assumptions), 2);
}

TEST(CostFlow, ErrorsNeverHappen) {
    EXPECT_DOUBLE_EQ(times("try { a[1] = 1 } catch { mark++ }"), 0);
}

TEST(Cost, KnownSums) {
    EXPECT_DOUBLE_EQ(cost_of("", "").typical, 0);
    EXPECT_DOUBLE_EQ(cost_of("global n, m", "n++ m++").typical - cost_of("global n", "n++").typical,
                     weight::ChangeGlobal);
    EXPECT_DOUBLE_EQ(cost_of("global s, n", "s <<< 1 n++").typical - cost_of("global n", "n++").typical,
                     weight::Sample);
    // Copies of a literal differ by its bytes.
    EXPECT_DOUBLE_EQ(cost_of("global t", "t = \"four\"").typical + 6 * weight::CopiedByte,
                     cost_of("global t", "t = \"four and 6\"").typical);
    const Range known = cost_of("global n", "for (i = 0; i < 4; i++) n++");
    EXPECT_DOUBLE_EQ(known.typical, known.most);
    EXPECT_DOUBLE_EQ(known.typical, known.least);
}

// Options of a tool and globals that are never written decide branches.
TEST(Cost, SettingsDecideBranches) {
    const std::string globals = "global deep = 0, n, s", body = "if (deep) { s <<< 1 s <<< 2 s <<< 3 } n++";
    const double without = cost_of(globals, body).typical;
    const Range with = cost_of(globals, body, {}, {{"deep", "1"}});
    EXPECT_DOUBLE_EQ(with.typical - without, 3 * weight::Sample);
    EXPECT_DOUBLE_EQ(with.least, with.most);
    const std::string texts = "global how = \"all\", n", choice = "if (how == \"read\") { n++ n++ n++ }";
    EXPECT_DOUBLE_EQ(cost_of(texts, choice, {}, {{"how", "read"}}).typical - cost_of(texts, choice).typical,
                     3 * weight::ChangeGlobal);
}

TEST(Cost, AssumptionsOnlyAdd) {
    const std::string globals = "global a, t, n", body =
                                                      "foreach (k in a) n += a[k]; while (n < 1000) n++; "
                                                      "t = sprintf(\"%s-%d\", t, n); a[n] = n";
    const Range usual = cost_of(globals, body);
    for (double Assumptions::*size : {&Assumptions::text, &Assumptions::elements, &Assumptions::turns}) {
        Assumptions more;
        more.*size *= 3;
        EXPECT_GT(cost_of(globals, body, more).typical, usual.typical);
        EXPECT_GT(cost_of(globals, body, more).most, usual.most);
    }
}

TEST(Cost, FramesAreOfStacks) {
    const Lowered l("function f:long() %{ STAP_RETVALUE = tapir_stack_of_both(CONTEXT, -1); %} global n " + kTimer +
                    "{ n += f() }");
    Assumptions deep, shallow;
    deep.frames = 60;
    shallow.kernel_frames = 0;
    const auto cost = [&](const Assumptions &a) {
        return Estimator(l.module, a).handler(l.module.handlers[0]).typical;
    };
    const Sizes unit{1, 0, 0, 0, 0}, none{0, 0, 0, 0, 0}, kernel{0, 1, 0, 0, 0};
    const double frame =
        weight::runtime_call("tapir_stack_of_both", unit) - weight::runtime_call("tapir_stack_of_both", none);
    const double kernel_frame =
        weight::runtime_call("tapir_stack_of_both", kernel) - weight::runtime_call("tapir_stack_of_both", none);
    EXPECT_GT(frame, 0);
    EXPECT_NEAR(cost(deep) - cost({}), 40 * frame, 1e-6);
    EXPECT_NEAR(cost({}) - cost(shallow), 8 * kernel_frame, 1e-6);
}

TEST(Cost, WalksWithoutRegistersCostMore) {
    const Lowered l(
        "function f:long() %{ STAP_RETVALUE = tapir_stack_of_kernel(CONTEXT, -1); %} function g:long() %{ "
        "STAP_RETVALUE = tapir_stack_of_user(CONTEXT, -1); %} global n " +
        kTimer + "{ n += f() } " + kTimer + "{ n += g() }");
    const Estimator with(l.module, {}), without(l.module, {}, {}, Walk::Inside),
        at_return(l.module, {}, {}, Walk::Returning);
    const auto more = [&](size_t n) {
        return without.handler(l.module.handlers[n]).typical - with.handler(l.module.handlers[n]).typical;
    };
    EXPECT_DOUBLE_EQ(more(0), weight::WalkFromInside);
    EXPECT_DOUBLE_EQ(more(1), 0);
    EXPECT_DOUBLE_EQ(at_return.handler(l.module.handlers[0]).typical, with.handler(l.module.handlers[0]).typical);
    EXPECT_DOUBLE_EQ(at_return.handler(l.module.handlers[1]).typical - with.handler(l.module.handlers[1]).typical,
                     weight::WalkReturning);
}

// More statements never cost less, and the range has its order: scripts that are made by chance.
TEST(Cost, MonotonicAndOrdered) {
    static const char *const statements[] = {"n++",
                                             "a[n] = n",
                                             "n += a[n]",
                                             "delete a[n]",
                                             "s <<< n",
                                             "if (n > 3) n--",
                                             "if (n) { a[1]++ } else s <<< 2",
                                             "for (i = 0; i < 3; i++) n += i",
                                             "while (n < 10) n++",
                                             "printf(\"%d %d\\n\", n, n)",
                                             "foreach (k in a) n += k",
                                             "t = t . \"x\"",
                                             "if (t == \"y\") t = \"\"",
                                             "n = n / (n + 1)",
                                             "try { n = 1 / n } catch { n = 2 }"};
    std::mt19937 random(1);
    for (int round = 0; round < 60; ++round) {
        const std::string globals = "global n, a, s, t = \"\"";
        // All of them are there once, so that more of them do not change what is known of the globals.
        // A branch before the end of a handler counts as often taken: the end stays the same.
        std::string body = "if (n == 77) { n++ a[1] = 1 delete a[1] s <<< 1 t = \"z\" a[1]++ } ";
        const std::string end = "n++ t = \"\"";
        Range before = cost_of(globals, body + end);
        for (int more = 0; more < 4; ++more) {
            body += std::string(statements[random() % std::size(statements)]) + "; ";
            const Range now = cost_of(globals, body + end);
            EXPECT_GE(now.typical + 1e-9, before.typical) << body;
            EXPECT_GE(now.most + 1e-9, before.most) << body;
            EXPECT_LE(now.least, now.typical) << body;
            EXPECT_LE(now.typical, now.most) << body;
            before = now;
        }
    }
}

TEST(Cost, RecursionEnds) {
    const std::string globals = "global n function f(a) { if (a > 0) return f(a - 1); return a }";
    Assumptions more;
    more.turns = 30;
    EXPECT_GT(cost_of(globals, "n += f(3)", more).typical, cost_of(globals, "n += f(3)").typical);
}

TEST(Cost, UnknownFunctionsOfTheRuntimeCountByTheirLongestTime) {
    EXPECT_GT(weight::runtime_call("tapir_strftime", {0, 0, 0, 0, 0}), 100);
    EXPECT_EQ(weight::runtime_call("no_such_function", {0, 0, 0, 0, 0}), 0);
}

TEST(CostAssumptions, Lists) {
    Assumptions a;
    ASSERT_TRUE(assume("frames=40,kernel-frames=3,ips=3e9", a));
    EXPECT_EQ(a.frames, 40);
    EXPECT_EQ(a.kernel_frames, 3);
    EXPECT_EQ(a.ips, 3e9);
    EXPECT_EQ(assume("depth=3", a).fault().message(),
              "Invalid assumption 'depth=3' (--assume); write NAME=VALUE, with one of frames, kernel-frames, text, "
              "elements, turns, cpus, ips");
    EXPECT_EQ(assume("frames=many", a).fault().message(),
              "Invalid value 'many' of the assumption frames (should be a number, 0 to 2,048)");
    EXPECT_EQ(assume("ips=0", a).fault().message(),
              "Invalid value '0' of the assumption ips (should be a number, 1 to 1,000,000,000,000,000)");
    EXPECT_FALSE(assume("", a));
    EXPECT_FALSE(assume("frames=1,", a));
    EXPECT_FALSE(assume("frames=nan", a));
}

}  // namespace
}  // namespace tapir::cost
