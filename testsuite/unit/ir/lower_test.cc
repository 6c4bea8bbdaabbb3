// SPDX-License-Identifier: GPL-2.0-or-later
// Properties of the lowering that the golden dumps and the native cases do not show.
#include "ir/lower.h"

#include <algorithm>
#include <cstdint>
#include <regex>

#include "../optimize/typed_program.h"

namespace tapir {
namespace {

struct Lowered {
    explicit Lowered(const std::string &script, const ir::LowerOptions &options = {}) : typed(script) {
        module = ir::lower(*typed.program, options, typed.diagnostics);
    }
    const ir::Handler &handler(size_t n) const { return module.handlers.at(n); }
    test::TypedProgram typed;
    ir::Module module;
};

const std::string kTimer = "probe timer.s(1) ";

bool counts_actions(const ir::Body &body) {
    for (const ir::Inst &inst : body.code)
        if (inst.op == ir::Op::Charge) return true;
    return false;
}

// Pass 2 refuses code that needs the probed program; this pass refuses the rest.
TEST(Lower, LowerUnsupported) {
    test::TypedProgram typed("probe begin { println(1 + 2) }");
    auto &print = static_cast<ast::Print &>(
        *static_cast<ast::ExprStmt &>(*static_cast<ast::Block &>(*typed.program->handlers[0]->body->body[0]).body[0])
             .expr);
    SourceRef at = print.args[0]->at;
    print.args[0] = std::make_unique<ast::Perf>(at, "cycles");
    print.args[0]->type = ast::Type::Long;
    ir::lower(*typed.program, {}, typed.diagnostics);
    EXPECT_EQ(
        "translation error: this context expression cannot be translated yet: operator '+' at test.stp:1:25\n"
        "           source: probe begin { println(1 + 2) }\n"
        "                                           ^\n"
        "\n",
        render_all(typed.diagnostics, false));
}

// Plain numbers need none.
TEST(Lower, EqualFormatsAreOne) {
    std::string body;
    for (const char *format : {"%d", "%5d", "%.5d", "%05d", "%*d", "%x", "%d,", "%d", "%5d"})
        body += std::string("printf(\"") + format + "\", " + (format[1] == '*' ? "1, 2" : "1") + ") ";
    Lowered l("global a probe begin { a = 1 " + body + "}");
    EXPECT_EQ(5u, l.module.formats.size());
}

TEST(Lower, RegexTooLarge) {
    Lowered l(
        "function m() %{ /* pragma:tagged_dfa */ %}\n"
        "probe begin { if (\"x\" =~ \"(a)(a)(a)(a)(a)(a)(a)(a)(a)(a)\") m() }");
    EXPECT_EQ(
        "translation error: regular expression: matched() can tell at most 9 groups apart: string "
        "'\"(a)(a)(a)(a)(a)(a)(a)(a)(a)(a)\"' at test.stp:2:26\n"
        "           source: probe begin { if (\"x\" =~ \"(a)(a)(a)(a)(a)(a)(a)(a)(a)(a)\") m() }\n"
        "                                            ^\n"
        "\n",
        render_all(l.typed.diagnostics, false));
}

TEST(Lower, LowerCondition) {
    Lowered l("global s probe begin if (@max(s) > 1) { println(1) } probe end { s <<< 1 }");
    EXPECT_EQ(
        "translation error: a probe's condition must do without functions, statistics and new strings: operator '>' at "
        "test.stp:1:34\n"
        "           source: global s probe begin if (@max(s) > 1) { println(1) } probe end { s <<< 1 }\n"
        "                                                    ^\n"
        "\n",
        render_all(l.typed.diagnostics, false));
}

TEST(Lower, RegexesAreMatchedByTableAndShared) {
    Lowered l("probe begin { println(\"x\" =~ \"a|b\", \"y\" !~ \"a|b\") }");
    EXPECT_EQ(l.module.regexes.size(), 1u);
    EXPECT_FALSE(l.module.regex_groups);
    EXPECT_NE(ir::print(l.module).find("=~ \"a|b\""), std::string::npos);
}

TEST(Lower, CountersAreLeaves) {
    Lowered l("global c, s " + kTimer + "{ c++ } " + kTimer + "{ s <<< 1 } probe end { println(c, @count(s)) }");
    EXPECT_TRUE(l.handler(0).leaf);
    EXPECT_TRUE(l.handler(1).leaf);
    EXPECT_FALSE(l.handler(2).leaf);
}

// A register is read without a context where every probe of the kind has it.
TEST(Lower, ReadersOfArgumentsAndResultsAreLeaves) {
    auto leaf = [](probes::Kind kind, const std::string &what, const std::string &arch = "x86_64") {
        test::TypedProgram typed("global n " + kTimer + "{ if (" + what + " > 1) n++ } probe end { println(n) }");
        for (probes::Attach &attach : typed.program->handlers.at(0)->attaches)
            attach.kind = kind;
        ir::Module module = ir::lower(*typed.program, {.defines = {}, .arch = arch}, typed.diagnostics);
        return module.handlers.at(0).leaf;
    };
    EXPECT_TRUE(leaf(probes::Kind::Function, "@kregister(5)"));
    EXPECT_FALSE(leaf(probes::Kind::Function, "@kregister(5)", "aarch64"));
    EXPECT_FALSE(leaf(probes::Kind::Function, "@uregister(5)"));
    EXPECT_FALSE(leaf(probes::Kind::Function, "@kregister(3)"));  // not saved
    EXPECT_FALSE(leaf(probes::Kind::Statement, "@kregister(5)"));
    EXPECT_FALSE(leaf(probes::Kind::Timer, "@kregister(5)"));
    EXPECT_TRUE(leaf(probes::Kind::Return, "@kregister(0)"));
    EXPECT_FALSE(leaf(probes::Kind::Return, "@kregister(5)"));
}

// If the callee can be probed, a hit could nest in itself, and only a context bounds that. The translator cannot check
// the promises that a script makes about its own C.
TEST(Lower, HandlersThatCouldNestAreNoLeaves) {
    auto leaf = [](probes::Kind kind, const std::string &what, Origin origin = Origin::Tapset) {
        static const std::pair<const char *, const char *> declarations[] = {
            {"both", "function both:long() { return quiet() + loud() }\n"},
            {"twice", "function twice:long() { return 2 * quiet() }\n"},
            {"both|loud", "function loud:long() %{ /* pure */ STAP_RETVALUE = 1; %}\n"},
            {"both|twice|quiet", "function quiet:long() %{ /* pure */ /* pragma:untraced */ STAP_RETVALUE = 1; %}\n"}};
        std::string script = "global n\n";
        for (const auto &[names, text] : declarations)
            if (std::regex_search(what, std::regex("\\b(" + std::string(names) + ")\\b"))) script += text;
        test::TypedProgram typed(script + kTimer + "{ n += " + what + " } probe end { println(n) }", origin);
        for (probes::Attach &attach : typed.program->handlers.at(0)->attaches)
            attach.kind = kind;
        ir::Module module = ir::lower(*typed.program, {}, typed.diagnostics);
        return module.handlers.at(0).leaf;
    };
    for (probes::Kind kind :
         {probes::Kind::Function, probes::Kind::Statement, probes::Kind::Return, probes::Kind::Tracepoint}) {
        EXPECT_TRUE(leaf(kind, "1"));
        EXPECT_TRUE(leaf(kind, "quiet()"));
        EXPECT_TRUE(leaf(kind, "twice()"));
        EXPECT_FALSE(leaf(kind, "loud()"));
        EXPECT_FALSE(leaf(kind, "both()"));
        EXPECT_FALSE(leaf(kind, "quiet()", Origin::UserScript));
    }
    for (probes::Kind kind : {probes::Kind::Timer, probes::Kind::Syscall, probes::Kind::Uprobe, probes::Kind::Perf}) {
        EXPECT_TRUE(leaf(kind, "loud()"));
        EXPECT_TRUE(leaf(kind, "both()"));
    }
}

// Texts that functions lend are copied where a script keeps or changes them.
TEST(Lower, TextsThatStayAreNotCopied) {
    auto copies = [](const std::string &body) {
        Lowered l("global c, g function lent:string() %{ /* pure */ /* borrowed */ STAP_RETVALUE = \"\"; %}\n" +
                  kTimer + "{ " + body + " } probe end { foreach (k in c) println(k, @count(c[k]), g) }");
        const ir::Body &lowered = l.handler(0).body;
        return lowered.frame.buffers + std::count_if(lowered.code.begin(), lowered.code.end(),
                                                     [](const ir::Inst &inst) { return inst.op == ir::Op::Copy; });
    };
    EXPECT_EQ(copies("g = \"\" c[lent()] <<< 1"), 1);
    EXPECT_EQ(copies("g = lent() c[\"x\"] <<< 1"), 1);
    EXPECT_EQ(copies("g = \"\" s = lent(); c[s] <<< (s == \"q\")"), 1);
    EXPECT_EQ(copies("g = \"\" s = \"one\"; if (@count(c[s])) s = lent(); c[s] <<< (s == \"q\")"), 1);
    EXPECT_EQ(copies("g = \"\" s = @count(c[\"x\"]) ? lent() : \"one\"; c[s] <<< (s == \"q\")"), 1);
    EXPECT_GT(copies("g = \"\" s = lent(); s .= \".\"; c[s] <<< (s == \"q\")"), 1);
    EXPECT_GT(copies("g = \"\" s = lent(); s = s . \".\"; c[s] <<< (s == \"q\")"), 1);
    EXPECT_GT(copies("g = \"\" s = lent(); c[s] <<< 1; foreach (s in c) println(s)"), 1);
    EXPECT_GT(copies("g = \"\" s = lent(); try { c[s] <<< 1 / (s == \"\") } catch (s) { c[s] <<< 1 }"), 1);
}

// An attempt without a context ends with its only effect, on an element that stays, found by a text that stays.
TEST(Lower, AttemptsOfSystemCallProbes) {
    auto attempt = [](const std::string &body, const std::string &more = "",
                      probes::Kind kind = probes::Kind::Syscall) {
        // Only what is used, so that there are no warnings.
        static const std::pair<const char *, const char *> declarations[] = {
            {"c", "global c\n"},
            {"d", "global d\n"},
            {"g", "global g\n"},
            {"n", "global n = 1\n"},
            {"lent|made", "function lent:string() %{ /* pure */ /* borrowed */ STAP_RETVALUE = \"\"; %}\n"},
            {"fails", "function fails:string() %{ /* pure */ /* borrowed */ STAP_ERROR(\"no\"); %}\n"},
            {"heard", "function heard:long() %{ STAP_RETVALUE = 1; %}\n"},
            {"made", "function made:string() { return lent() }\n"},
            {"number", "function number:long() %{ /* pure */ STAP_RETVALUE = 1; %}\n"}};
        std::string script;
        for (const auto &[names, text] : declarations)
            if (std::regex_search(body + " " + more, std::regex("\\b(" + std::string(names) + ")\\b"))) script += text;
        // C of a script is never tried: it may fail.
        test::TypedProgram typed(script + kTimer + "{ " + body + " } " + more, Origin::Tapset);
        for (probes::Attach &attach : typed.program->handlers.at(0)->attaches)
            attach.kind = kind;
        ir::Module module = ir::lower(*typed.program, {}, typed.diagnostics);
        return module.handlers.at(0).attempt.has_value();
    };
    const std::string stat = "probe end { foreach (k in c) println(k, @count(c[k])) }";
    const std::string count = "probe end { foreach (k in c) println(k, c[k]) }";
    EXPECT_TRUE(attempt("c[lent()] <<< 1", stat));
    EXPECT_TRUE(attempt("c[lent()]++", count));
    EXPECT_TRUE(attempt("c[lent()] -= number()", count));
    EXPECT_TRUE(attempt("c[\"all\"] <<< number()", stat));
    EXPECT_TRUE(attempt("name = lent(); if (name != \"x\" && number() == n) c[name] <<< n", stat));
    EXPECT_TRUE(attempt("if (number()) c[lent()] <<< 1; else d[lent()] <<< 2",
                        stat + "probe end { foreach (k in d) println(k, @count(d[k])) }"));
    // Other probes, other keys, elements that go away, locks.
    EXPECT_FALSE(attempt("c[lent()] <<< 1", stat, probes::Kind::Timer));
    EXPECT_FALSE(attempt("c[made()] <<< 1", stat));
    EXPECT_FALSE(attempt("c[lent() . \"x\"] <<< 1", stat));
    EXPECT_FALSE(attempt("c[lent(), 1] <<< 1", "probe end { foreach ([k, i] in c) println(k, @count(c[k, i])) }"));
    EXPECT_FALSE(attempt("c[n] <<< 1", stat));
    EXPECT_FALSE(attempt("c[lent()] <<< 1", stat + "probe timer.s(5) { delete c }"));
    EXPECT_FALSE(attempt("c[n ? lent() : g] <<< 1", stat + "probe timer.s(5) { g = \"x\" }"));
    EXPECT_FALSE(attempt("c[lent()] <<< 1", "probe end { foreach (k in c) println(k, @variance(c[k])) }"));
    // Effects that could be noticed twice, or fail on the way.
    EXPECT_FALSE(
        attempt("d[lent()] <<< 1; c[lent()] <<< 1", stat + "probe end { foreach (k in d) println(k, @count(d[k])) }"));
    EXPECT_FALSE(attempt("n++; c[lent()] <<< 1", stat));
    EXPECT_FALSE(attempt("c[lent()] <<< 1; n++", stat));
    EXPECT_FALSE(attempt("c[lent()] <<< heard()", stat));
    EXPECT_FALSE(attempt("c[fails()] <<< 1", stat));
    EXPECT_FALSE(attempt("println(1); c[lent()] <<< 1", stat));
}

TEST(Lower, ActionsAreCountedOnlyWhereTheyCanRunOut) {
    Lowered l("global a, n probe begin { a[1] = 2; if (n) println(n) } probe begin { while (n < 5) n++ }");
    EXPECT_FALSE(counts_actions(l.handler(0).body));
    EXPECT_TRUE(counts_actions(l.handler(1).body));
    Lowered small("global a, n = 0 probe begin { a[1] = 2; if (n) println(n) }",
                  {.defines = {{"MAXACTION_INTERRUPTIBLE", "3"}}});
    EXPECT_TRUE(counts_actions(small.handler(0).body));
    // Without limits, what runs in the session's thread still counts: that is where it can be interrupted.
    Lowered unlimited("global n probe begin { while (n < 5) n++ } " + kTimer +
                          "{ while (n < 5) n++ } probe timer.us(50) { while (n < 5) n++ }",
                      {.defines = {}, .suppress_time_limits = true});
    EXPECT_TRUE(counts_actions(unlimited.handler(0).body));
    EXPECT_TRUE(counts_actions(unlimited.handler(1).body));
    EXPECT_FALSE(counts_actions(unlimited.handler(2).body));
    EXPECT_EQ(unlimited.module.limits.values.at("MAXACTION_INTERRUPTIBLE"), uint64_t{INT64_MAX});
}

// Lowers a handler at `probe` that has `body`, beside one that interrupts it and changes the array `a`.
ir::Module report_module(const std::string &probe, const std::string &body, Origin origin = Origin::Tapset) {
    // Only what is used, so that there are no warnings.
    static const std::pair<const char *, const char *> declarations[] = {
        {"a", "global a probe timer.us(50) { a[1] = a[2] + 1; delete a[3] }\n"},
        {"s", "global s probe timer.us(51) { s[1] <<< 1 }\n"},
        {"d", "global d probe timer.us(52) { d[1] <<< 1; delete d[2] }\n"},
        {"o", "global o probe timer.us(56) { o[1] = o[2] + 1; foreach (k in o) println(k) }\n"},
        {"w", "global w% probe timer.us(55) { w[1] <<< 1 }\n"},
        {"v", "global v probe timer.us(53) { v <<< 1 }\n"},
        {"c", "global c probe timer.us(54) { c[1]++ }\n"},
        {"both", "function both:long() { return there() + here() }\n"},
        {"twice", "function twice:long() { return 2 * there() }\n"},
        {"both|here", "function here:long() %{ /* pure */ STAP_RETVALUE = 1; %}\n"},
        {"both|twice|there", "function there:long() %{ /* pure */ /* pragma:anywhere */ STAP_RETVALUE = 1; %}\n"}};
    std::string script = "probe " + probe + " { " + body + " }\n";
    for (const auto &[names, text] : declarations)
        if (std::regex_search(body, std::regex("\\b(" + std::string(names) + ")\\b"))) script += text;
    test::TypedProgram typed(script, origin);
    return ir::lower(*typed.program, {}, typed.diagnostics);
}

bool is_report(const std::string &probe, const std::string &body, Origin origin = Origin::Tapset) {
    return report_module(probe, body, origin).handlers.at(0).report;
}

TEST(Lower, ReportsAreTimersThatMayBeLate) {
    const std::string report = "foreach (x = k in a-) println(k, x); delete a";
    for (const char *probe :
         {"timer.s(1)", "timer.sec(1)", "timer.ms(9)", "timer.msec(9)", "timer.jiffies(3)", "timer.s(2).randomize(1)",
          "timer.jiffies(3).randomize(1)", "timer.us(7), timer.s(1)", "end, timer.s(1)"})
        EXPECT_TRUE(is_report(probe, report)) << probe;
    for (const char *probe : {"timer.us(1000000)", "timer.usec(1)", "timer.ns(1)", "timer.nsec(1)", "timer.hz(1)",
                              "timer.us(1000000).randomize(1)", "begin", "end"})
        EXPECT_FALSE(is_report(probe, report)) << probe;
}

TEST(Lower, ReportsGainByThreads) {
    auto report = [](const std::string &body) { return is_report("timer.s(1)", body); };
    EXPECT_TRUE(report("foreach (x = k in a- limit 5) println(k, x)"));
    EXPECT_TRUE(report("for (i = 0; i < 9; ++i) println(i)"));
    EXPECT_TRUE(report("foreach (k in s) println(k, @count(s[k]))"));
    EXPECT_TRUE(report("foreach (k in s @avg-) { println(k, @avg(s[k])); print(@hist_log(s[k])) }"));
    EXPECT_TRUE(report("foreach (k in d) println(k, @min(d[k])); delete d"));
    EXPECT_FALSE(report("foreach (k in s) println(k, @count(s[k + 1]))"));  // it holds the lock
    EXPECT_FALSE(report("foreach (k in s) println(k, @variance(s[k]))"));
    EXPECT_FALSE(report("foreach (k in d) println(k / @sum(d[k])); delete d"));  // an error would come before
    EXPECT_FALSE(report("foreach (k in o-) println(k)"));                        // the other loop would see it
    EXPECT_TRUE(report("foreach (k in o-) println(k); delete o"));
    EXPECT_FALSE(report("foreach (k in w) println(k, @count(w[k]))"));
    EXPECT_FALSE(report("foreach (k in a-) println(k, a[k + 1])"));  // it looks at the array
    EXPECT_FALSE(report("println(1)"));
    EXPECT_FALSE(report("a[1] = a[2]; println(1)"));
    EXPECT_FALSE(report("while (a[1] < 9) a[1] = a[1] + 1"));
}

// The element that a loop is at is in the copy.
TEST(Lower, ReportsMayLookAtTheirOwnElements) {
    auto copies = [](const std::string &body) {
        const ir::Module module = report_module("timer.s(1)", body);
        const auto &code = module.handlers.at(0).body.code;
        const auto has = [&](ir::Op op) {
            return std::any_of(code.begin(), code.end(), [op](const ir::Inst &inst) { return inst.op == op; });
        };
        return has(ir::Op::SnapshotsTake) && !has(ir::Op::MapGet) && !has(ir::Op::MapStatRead);
    };
    EXPECT_TRUE(copies("foreach (k in a-) println(k, a[k])"));
    EXPECT_TRUE(copies("foreach (k in a-) { if (a[k] > 5) println(a[k] * 2) } delete a"));
    EXPECT_TRUE(copies("foreach (k in s-) println(@count(s[k]), @sum(s[k]))"));
    EXPECT_FALSE(copies("foreach (k in a-) println(a[1])"));
    EXPECT_FALSE(copies("foreach (k in a-) println(a[a[k]])"));
    EXPECT_FALSE(copies("foreach (k in a-) { k = 1; println(a[k]) }"));
    EXPECT_FALSE(copies("foreach (k in a-) if (k in a) println(a[k])"));
    EXPECT_FALSE(copies("foreach (k in a-) for (i = 0; i < 3; ++i) println(a[i])"));
}

TEST(Lower, ReportsAskNothingOfTheirPlace) {
    auto report = [](const std::string &more, Origin origin = Origin::Tapset) {
        return is_report("timer.s(1)", "foreach (x = k in a-) { println(k, x); " + more + " }", origin);
    };
    EXPECT_TRUE(report("println(there())"));
    EXPECT_TRUE(report("println(twice())"));
    EXPECT_TRUE(report("println(@max(v))"));
    EXPECT_TRUE(report("println(@const(\"HZ\"))"));
    EXPECT_FALSE(report("println(here())"));
    EXPECT_FALSE(report("println(both())"));
    EXPECT_FALSE(report("println(there())", Origin::UserScript));  // a promise of the script's own
    EXPECT_FALSE(report("println(@kregister(5))"));
    EXPECT_FALSE(report("println(@kderef(8, 4096))"));
    EXPECT_FALSE(report("println(%{ 1 %})"));
    EXPECT_FALSE(report("%{ ; %}"));
    EXPECT_FALSE(report("v <<< x"));  // of this CPU
    EXPECT_FALSE(report("s[k] <<< x"));
    EXPECT_FALSE(report("println(@variance(v))"));  // under a lock of its own
    EXPECT_FALSE(report("println(@median(v))"));
    EXPECT_FALSE(report("c[k] += x"));
}

TEST(Lower, HandlersLookAtTheConditionsTheyMayChange) {
    auto looks = [](const Lowered &l, size_t handler) {
        const auto &code = l.handler(handler).body.code;
        return std::count_if(code.begin(), code.end(),
                             [](const ir::Inst &inst) { return inst.op == ir::Op::CheckCondition; });
    };
    Lowered l("global on, off, x function f() { off = 1 } probe begin { on = 1 } " + kTimer + "if (on) { x++ } " +
              kTimer + "if (off) { f() on = 0 } " + kTimer + "if (on) { println(on) }");
    EXPECT_EQ(l.module.conditions.size(), 2u);  // equal ones are one
    EXPECT_EQ(looks(l, 0), 0);                  // runs alone, before anything is armed
    EXPECT_EQ(looks(l, 1), 0);
    EXPECT_EQ(looks(l, 2), 2);
    EXPECT_EQ(looks(l, 3), 0);
    EXPECT_EQ(l.handler(1).condition, l.handler(3).condition);
    EXPECT_TRUE(l.handler(2).leaf || !l.handler(2).locks.empty());
}

TEST(Lower, FunctionsCountActionsIfTheyLoop) {
    std::string f = "global n function f() { n++ n++ } ", g = "global n function g() { while (n < 9) n++ } ";
    EXPECT_FALSE(counts_actions(Lowered(f + "probe begin { while (n < 9) f() }").module.functions.at(0).body));
    EXPECT_TRUE(counts_actions(Lowered(g + "probe begin { g() }").module.functions.at(0).body));
    // For a call the handler pays for the function's statements, also through others, and once for recursion.
    auto charged = [](const std::string &functions) {
        const Lowered l("global n " + functions + " probe begin { while (n < 9) f(n) }");
        int64_t most = 0;
        for (const ir::Inst &inst : l.handler(0).body.code)
            if (inst.op == ir::Op::Charge) most = std::max(most, inst.a.n);
        return most;
    };
    EXPECT_EQ(3, charged("function f(x) { n++ n++ }"));
    EXPECT_EQ(5, charged("function f(x) { if (x) { n++ n++ n++ } else n = 2 }"));
    EXPECT_EQ(5, charged("function f(x) { n++ x = g(x) n = x } function g(x) { n++ return 1 }") - 1);
    EXPECT_EQ(3, charged("function f(x) { n++ return g(x) } function g(x) { n++ return 1 }"));
    EXPECT_EQ(4, charged("function f(x) { n++ if (x) f(x - 1) }"));
}

TEST(Lower, WhatIsNoUnitIsBounded) {
    auto has = [](const ir::Body &body, ir::Op op) {
        return std::any_of(body.code.begin(), body.code.end(), [op](const ir::Inst &i) { return i.op == op; });
    };
    const Lowered l("global n function f(x) { n++ return x ? f(x - 1) + f(x - 2) : 1 } probe begin { f(3) }");
    EXPECT_TRUE(has(l.module.functions.at(0).body, ir::Op::Spare));
    EXPECT_TRUE(has(l.handler(0).body, ir::Op::SpareBegin));
    const Lowered plain("global n function f(x) { n++ return x } probe begin { while (n < 9) f(3) }");
    EXPECT_FALSE(has(plain.module.functions.at(0).body, ir::Op::Spare));
    EXPECT_FALSE(has(plain.handler(0).body, ir::Op::SpareBegin));
}

// A chain of calls that doubles at each step may not run although no part of it loops.
TEST(Lower, LongHandlersCountWithoutLoops) {
    std::string script = "global n function f0() { n++ return 1 } ";
    for (int i = 1; i <= 80; i++)
        script += "function f" + std::to_string(i) + "() { return f" + std::to_string(i - 1) + "() + f" +
                  std::to_string(i - 1) + "() } ";
    const Lowered l(script + "probe begin { println(f80()) }");
    EXPECT_TRUE(counts_actions(l.handler(0).body));
}

TEST(Lower, NestingFollowsTheCallGraph) {
    std::string chain = "function a() { return b() } function b() { return c() } function c() { return 1 } ";
    EXPECT_EQ(3u, Lowered(chain + "probe begin { println(a()) }").module.limits.max_nesting);
    EXPECT_EQ(
        11u,
        Lowered("function f(n) { return n ? f(n - 1) : 0 } probe begin { println(f(1)) }").module.limits.max_nesting);
    EXPECT_EQ(
        4u,
        Lowered(chain + "probe begin { println(a()) }", {.defines = {{"MAXNESTING", "4"}}}).module.limits.max_nesting);
}

TEST(Lower, LimitsFromDefines) {
    ir::LowerOptions options;
    options.defines = {{"MAXSTRINGLEN", "100"}, {"MAXACTION", "50"}, {"HIST_ELISION", "-1"}, {"MINE", "7"}};
    ir::Module m = Lowered("probe begin { println(1) }", options).module;
    EXPECT_EQ(104u, m.limits.string_capacity);
    EXPECT_EQ(50u, m.limits.values.at("MAXACTION"));
    EXPECT_EQ(500u, m.limits.values.at("MAXACTION_INTERRUPTIBLE"));
    options.defines = {{"MAXACTION", "50"}, {"INTERRUPTIBLE", "0"}};
    m = Lowered("probe begin { println(1) }", options).module;
    EXPECT_EQ(50u, m.limits.values.at("MAXACTION_INTERRUPTIBLE"));
    EXPECT_TRUE(m.c_defines.empty());
    options.defines = {{"MAXACTION", "9223372036854775807"}};
    m = Lowered("probe begin { println(1) }", options).module;
    EXPECT_EQ(uint64_t{INT64_MAX}, m.limits.values.at("MAXACTION_INTERRUPTIBLE"));
    options.defines = {{"MAXSTRINGLEN", "100"}, {"MAXACTION", "50"}, {"HIST_ELISION", "-1"}, {"MINE", "7"}};
    m = Lowered("probe begin { println(1) }", options).module;
    EXPECT_EQ(-1, m.limits.hist_elision);
    ASSERT_EQ(1u, m.c_defines.size());
    EXPECT_EQ("MINE", m.c_defines[0].first);
}

TEST(Lower, IdenticalHandlersShareTheirCode) {
    Lowered l("global a " + kTimer + "{ a[1] = 2; println(a[1]) } " + kTimer + "{ a[1] = 2; println(a[1]) }");
    // Errors of the two name different places, so these are not identical; an alias used twice is.
    EXPECT_EQ(-1, l.handler(1).same_as);
    Lowered alias("global a probe x = timer.s(1) { a[1] = 2 println(a[1]) } probe x {} probe x {}");
    EXPECT_EQ(0, alias.handler(1).same_as);
}

// ---- what needs locks, and what does not

std::vector<std::string> locks(const Lowered &l, size_t handler) {
    std::vector<std::string> names;
    for (int n : l.handler(handler).locks)
        names.push_back(l.module.globals[static_cast<size_t>(n)].name);
    return names;
}
using Names = std::vector<std::string>;

TEST(Locks, GlobalsNobodyWritesNeedNone) {
    Lowered l("global on, name " + kTimer + "{ if (on) println(name) } probe begin { on = 1; name = \"x\" }");
    EXPECT_EQ(Names{}, locks(l, 0));
}

// Handlers that run one after another by themselves take no locks, and nothing of theirs is atomic.
TEST(Locks, NoneWhereNothingRunsBeside) {
    const char *script =
        "global n, bytes, a, hits probe timer.s(1) { n++ bytes = n a[n] = 1 hits++ println(bytes) } "
        "probe timer.s(2) { bytes = n a[bytes]++ hits++ }";
    ir::LowerOptions sequential;
    sequential.concurrent = false;
    const Lowered beside(script), alone(script, sequential);
    EXPECT_FALSE(locks(beside, 0).empty());
    EXPECT_EQ(Names{}, locks(alone, 0));
    EXPECT_EQ(Names{}, locks(alone, 1));
    const std::string dump = ir::print(alone.module);
    EXPECT_EQ(std::string::npos, dump.find("lock")) << dump;
    EXPECT_EQ(std::string::npos, dump.find("atomic")) << dump;
    EXPECT_NE(std::string::npos, ir::print(beside.module).find("atomic"));
}

TEST(Locks, SumsNobodyLooksAtAreAtomic) {
    Lowered l("global n, bytes " + kTimer + "{ n++; bytes += 10; n++ } probe end { println(n, bytes) }");
    EXPECT_EQ(Names{}, locks(l, 0));
    EXPECT_EQ(ir::Access::Atomic, l.module.globals[0].access);
    EXPECT_TRUE(l.handler(0).leaf);
}

TEST(Locks, SumsSomebodyLooksAtTogetherAreLocked) {
    Lowered l("global n, bytes " + kTimer + "{ n++; bytes += 10 } " + kTimer + "{ println(n, bytes) }");
    EXPECT_EQ((Names{"n", "bytes"}), locks(l, 0));
    EXPECT_EQ((Names{"n", "bytes"}), locks(l, 1));
    EXPECT_EQ(ir::Access::Plain, l.module.globals[0].access);
}

TEST(Locks, OneOperationPerHandlerIsAtomic) {
    Lowered l("global flag " + kTimer + "{ flag = 1 } " + kTimer + "{ if (flag) println(1) } " + kTimer + "{ flag++ }");
    for (size_t i = 0; i < 3; i++)
        EXPECT_EQ(Names{}, locks(l, i));
    EXPECT_EQ(ir::Access::Atomic, l.module.globals[0].access);
}

TEST(Locks, ReadThenWriteIsNotOneOperation) {
    Lowered l("global n " + kTimer + "{ if (n > 5) n = 0 } " + kTimer + "{ n++ }");
    EXPECT_EQ(Names{"n"}, locks(l, 0));
    EXPECT_EQ(Names{"n"}, locks(l, 1));
}

TEST(Locks, AnOperationInALoopIsMany) {
    Lowered l("global n " + kTimer + "{ for (i = 0; i < 3; i++) println(n) } " + kTimer + "{ n = 1 }");
    EXPECT_EQ(Names{"n"}, locks(l, 0));
}

TEST(Locks, AFlagAndWhatItGuardsAreLockedTogether) {
    Lowered l("global on, a " + kTimer + "{ if (on) a[1]++ } " + kTimer + "{ on = !on; delete a }");
    EXPECT_EQ((Names{"on", "a"}), locks(l, 0));
}

TEST(Locks, SamplesNeedNone) {
    Lowered l("global s, t " + kTimer + "{ s <<< 1; t[1] <<< 2 } " + kTimer + "{ println(@count(s)) } " + kTimer +
              "{ foreach (k in t) println(@sum(t[k])) }");
    EXPECT_EQ(Names{}, locks(l, 0));
    EXPECT_EQ(Names{}, locks(l, 1));
    EXPECT_EQ(Names{"t"}, locks(l, 2));
}

TEST(Locks, SamplesOfARecyclingArrayNeedIt) {
    Lowered l("global t%[5] " + kTimer + "{ t[1] <<< 2 } probe end { foreach (k in t) println(@sum(t[k])) }");
    EXPECT_EQ(Names{"t"}, locks(l, 0));
}

TEST(Locks, ThroughFunctions) {
    Lowered l("global a, b function f() { a[1] = b } " + kTimer + "{ f() } " + kTimer + "{ b++; a[2] = 0 }");
    EXPECT_EQ((Names{"a", "b"}), locks(l, 0));
}

TEST(Locks, SpanIsFromTheFirstUseToTheLast) {
    Lowered l("global a, b " + kTimer + "{ f(1); if (target) { a[1] = b; b++ } f(2) } global target = 1 " +
              "function f(n) %{ /* guru */ %}");
    std::string dump = ir::print(l.module, l.handler(0).body);
    EXPECT_LT(dump.find("f(1"), dump.find("take locks"));
    EXPECT_LT(dump.find("jump unless"), dump.find("take locks"));
    EXPECT_LT(dump.find("drop locks"), dump.find("f(2"));
}

TEST(Locks, TextIsCompleteUnderThem) {
    Lowered l("global a, b " + kTimer + "{ println(1); if (target) { a[1] = b; b++ } println(2) } " +
              "global target = 1");
    std::string dump = ir::print(l.module, l.handler(0).body);
    EXPECT_LT(dump.find("print \"1"), dump.find("take locks"));
    EXPECT_LT(dump.find("take locks"), dump.find("print \"2"));
    EXPECT_LT(dump.find("print \"2"), dump.find("send output\n    drop locks"));
    EXPECT_EQ(std::string::npos, dump.find("drop locks", dump.find("drop locks") + 1));
}

TEST(Locks, LinesOfOneOperationAreInItsOrder) {
    const std::string others = kTimer + "{ n++ } " + kTimer + "{ if (n) println(1) } ";
    Lowered l("global n, a " + others + kTimer + "{ println(++n) } " + kTimer + "{ n = 0; println(2) } " + kTimer +
              "{ println(++a[1]) } ");
    EXPECT_EQ(ir::Access::Atomic, l.module.globals[0].access);
    EXPECT_EQ(Names{}, locks(l, 0));
    EXPECT_EQ(Names{}, locks(l, 1));
    EXPECT_EQ(Names{"n"}, locks(l, 2));
    EXPECT_EQ(Names{"n"}, locks(l, 3));
    EXPECT_EQ(Names{"a"}, locks(l, 4));
}

// The times that a script reads agree with the order of its hits.
TEST(Locks, TheClockIsReadUnderThem) {
    const std::string clock = "function now:long() %{ /* pure */ STAP_RETVALUE = tapir_port_gettimeofday_ns(); %} ";
    Lowered l("global n " + clock + kTimer + "{ t = now(); k = ++n; println(k, t) } ");
    const std::string dump = ir::print(l.module, l.handler(0).body);
    EXPECT_LT(dump.find("take locks"), dump.find("call now"));
}

TEST(Locks, EveryWayOutDropsThem) {
    Lowered l("global a, b " + kTimer + "{ a[1] = b; b++; if (b == 3) next; println(a[b]) ; b = 1 / b }");
    const std::vector<ir::Inst> &code = l.handler(0).body.code;
    // Every jump after the locks were taken ends up at a drop: the handler's last instruction but its label.
    size_t drops = 0;
    for (const ir::Inst &inst : code)
        drops += inst.op == ir::Op::LocksDrop;
    EXPECT_EQ(1u, drops);
    int exit = -1;
    for (size_t i = 0; i < code.size(); i++)
        if (code[i].op == ir::Op::LocksDrop && code[i - 2].op == ir::Op::Label) exit = code[i - 2].target;
    for (const ir::Inst &inst : code)
        EXPECT_TRUE(inst.on_error < 0 || inst.on_error == exit);
}

}  // namespace
}  // namespace tapir
