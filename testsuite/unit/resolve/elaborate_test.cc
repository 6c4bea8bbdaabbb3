// SPDX-License-Identifier: GPL-2.0-or-later
// The results of elaboration for scripts that are right.
#include <gmock/gmock.h>

#include "ast/walk.h"
#include "pass2.h"

namespace tapir::resolve {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> names(const std::vector<ast::Function *> &functions) {
    std::vector<std::string> result;
    for (const ast::Function *function : functions)
        result.push_back(function->unique_name);
    return result;
}
std::vector<std::string> names(const std::vector<ast::Variable *> &variables) {
    std::vector<std::string> result;
    for (const ast::Variable *variable : variables)
        result.push_back(variable->unique_name);
    return result;
}
std::vector<std::string> points(const Program &program) {
    std::vector<std::string> result;
    for (const auto &handler : program.handlers) {
        for (const probes::Attach &attach : handler->attaches)
            result.push_back(attach.point);
    }
    return result;
}
// The names that a body mentions, with the scope they have: "g:x" for globals, "l:x" for locals.
std::vector<std::string> uses(const ast::Stmt &body) {
    std::vector<std::string> result;
    ast::each_expr(body, [&](const ast::Expr &e) {
        if (e.kind != ast::ExprKind::VarRef) return;
        const ast::Variable &variable = *static_cast<const ast::VarRef &>(e).variable;
        bool global = variable.scope == ast::Variable::Scope::Global;
        result.push_back((global ? "g:" : "l:") + variable.unique_name);
    });
    return result;
}

TEST(Elaborate, OnlyWhatIsUsedIsListed) {
    Pass2 pass(Tapsets{
        {"lib.stp",
         "global lib_used, lib_unused\nfunction used() { return lib_used++ }\nfunction unused() { lib_unused++ }"}});
    Program &program = pass.elaborate(
        {"global mine, spare\nfunction f() { return used() }\nfunction g() { }\nprobe begin { mine = f() }"});
    EXPECT_THAT(names(program.functions), ElementsAre("f", "used"));
    EXPECT_THAT(names(program.globals), ElementsAre("mine", "lib_used"));
    EXPECT_FALSE(pass.diagnostics.has_errors());
}

TEST(Elaborate, KeepUnusedKeepsTheScriptsOwn) {
    Pass2 pass;
    pass.options.keep_unused = true;
    Program &program = pass.elaborate({"global spare\nfunction g() { }\nprobe begin { }"});
    EXPECT_THAT(names(program.functions), ElementsAre("g"));
    EXPECT_THAT(names(program.globals), ElementsAre("spare"));
    EXPECT_EQ(pass.reported(), "");
}

TEST(Elaborate, GlobalsOfTheScriptDoNotCaptureLocalsOfTapsets) {
    Pass2 pass(Tapsets{{"lib.stp", "function f() { s = 1; return s }\nprobe lib.p = begin { name = \"x\" }"}});
    Program &program = pass.elaborate({"global s, name\nprobe lib.p { s = f(); println(name) }"});
    EXPECT_THAT(uses(*program.functions[0]->body), ElementsAre("l:s", "l:s"));
    EXPECT_THAT(uses(*program.handlers[0]->body), ElementsAre("l:name", "g:s", "g:name"));
}

TEST(Elaborate, GlobalsOfTheLibraryAreVisibleToScripts) {
    Pass2 pass(Tapsets{{"lib.stp", "global shared = 1\nprivate global hidden = 2"}});
    Program &program = pass.elaborate({"probe begin { println(shared); hidden = 1; println(hidden) }"});
    EXPECT_THAT(uses(*program.handlers[0]->body), ElementsAre("g:shared", "l:hidden", "l:hidden"));
}

TEST(Elaborate, AScriptMayReuseANameOfTheLibrary) {
    Pass2 pass(Tapsets{{"lib.stp", "global g\nfunction lib() { return g++ }"}});
    Program &program = pass.elaborate({"global g\nprobe begin { g = lib() }"});
    EXPECT_THAT(uses(*program.handlers[0]->body), ElementsAre("g:g"));
    EXPECT_THAT(uses(*program.functions[0]->body), ElementsAre("g:g__2"));
}

TEST(Elaborate, PrivateNamesAreSeenByTheirFileOnly) {
    Pass2 pass(Tapsets{{"a.stp", "private global g\nprivate function f() { return g++ }\nfunction a() { return f() }"},
                       {"b.stp", "private function f() { return 2 }\nfunction b() { return f() }"}});
    Program &program = pass.elaborate({"function f() { return 3 }\nprobe begin { println(a(), b(), f()) }"});
    EXPECT_THAT(names(program.functions), ElementsAre("f", "__private_a_f", "a", "__private_b_f", "b"));
    EXPECT_THAT(names(program.globals), ElementsAre("__private_a_g"));
    EXPECT_EQ(pass.reported(), "");
}

TEST(Elaborate, OverloadsAreChosenByArityAndTriedByPriority) {
    Pass2 pass(Tapsets{{"lib.stp", "function f(x) { return 4 }"}});
    Program &program =
        pass.elaborate({"function f(x):5 { next }\nfunction f(x) { if (x) next; return 1 }\nfunction f(x, y) { return "
                        "2 }\nfunction f(x) { next }\n"
                        "probe begin { println(f(1), f(1, 2)) }"});
    std::vector<size_t> counts;
    std::vector<uint32_t> lines;
    ast::each_expr(static_cast<const ast::Stmt &>(*program.handlers[0]->body), [&](const ast::Expr &e) {
        if (e.kind != ast::ExprKind::Call) return;
        const auto &call = static_cast<const ast::Call &>(e);
        counts.push_back(call.candidates.size());
        for (const ast::Function *function : call.candidates)
            lines.push_back(function->at.line);
    });
    EXPECT_THAT(counts, ElementsAre(3, 1));
    // Script functions by order, then the library's, which has no next; the one with priority 5 is never reached.
    EXPECT_THAT(lines, ElementsAre(2, 4, 1, 3));
}

TEST(Elaborate, AliasBodiesSurroundTheHandler) {
    Pass2 pass;
    Program &program =
        pass.elaborate({"probe inner = begin { i1() }, { i2() }\nprobe outer = inner { o1() }, { o2() }\nprobe after "
                        "+= outer { e1() }\n"
                        "probe after { h() }\nfunction i1() { } function i2() { } function o1() { } function o2() { } "
                        "function e1() { } function h() { }"});
    std::vector<std::string> calls;
    ast::each_expr(static_cast<const ast::Stmt &>(*program.handlers[0]->body), [&](const ast::Expr &e) {
        if (e.kind == ast::ExprKind::Call) calls.push_back(static_cast<const ast::Call &>(e).name);
    });
    EXPECT_THAT(calls, ElementsAre("i1", "o1", "h", "e1", "o2", "i2"));
    EXPECT_THAT(program.handlers[0]->derivation, ElementsAre("begin", "inner", "outer", "after"));
    EXPECT_EQ(program.handlers[0]->matched, "after");
}

TEST(Elaborate, AliasesShareTheHandlersLocals) {
    Pass2 pass;
    Program &program = pass.elaborate({"probe a = begin { name = \"x\" }\nprobe a { println(name) }"});
    EXPECT_THAT(program.handlers[0]->locals, SizeIs(1));
    EXPECT_EQ(pass.reported(), "");
}

TEST(Elaborate, ASuffixIsPassedOnUnlessAnAliasHasTheWholeName) {
    Pass2 pass;
    Program &program =
        pass.elaborate({"probe k = kernel.function(\"vfs_read\") { }\nprobe k.special = begin { }\nprobe k.call { "
                        "}\nprobe k.special { }"});
    EXPECT_THAT(points(program), ElementsAre("kernel.function(\"vfs_read\").call", "begin"));
}

TEST(Elaborate, WildcardsPreferWholeAliasNames) {
    Pass2 pass(Tapsets{
        {"t.stp", "probe t.a = begin { }\nprobe t.b = end { }\nprobe t.b.c = never { }\nprobe u.a = error { }"}});
    EXPECT_THAT(points(pass.elaborate({"probe t.* { }"})), ElementsAre("begin", "end"));
    EXPECT_THAT(points(pass.elaborate({"probe t.** { }"})), ElementsAre("begin", "end", "never"));
    EXPECT_THAT(points(pass.elaborate({"probe *.a { }"})), ElementsAre("begin", "error"));
    EXPECT_THAT(points(pass.elaborate({"probe t.*.c { }"})), ElementsAre("never"));
    EXPECT_THAT(points(pass.elaborate({"probe timer.*s(3) { }"})),
                ElementsAre("timer.s(3)", "timer.ms(3)", "timer.us(3)", "timer.ns(3)", "timer.jiffies(3)"));
    EXPECT_THAT(points(pass.elaborate({"probe b* { }"})), ElementsAre("begin"));
    EXPECT_EQ(pass.reported(), "");
}

TEST(Elaborate, FunctionWildcardsBecomeOneAttachment) {
    Pass2 pass;
    Program &program = pass.elaborate({"probe kernel.function(\"vfs_*\").call { }"});
    ASSERT_THAT(program.handlers, SizeIs(1));
    ASSERT_THAT(program.handlers[0]->attaches, SizeIs(1));
    const probes::Attach &attach = program.handlers[0]->attaches[0];
    std::vector<std::string> labels;
    for (const probes::FunctionSite &site : attach.sites)
        labels.push_back(site.label);
    EXPECT_THAT(labels, ElementsAre("vfs_open", "vfs_read", "vfs_write"));
    EXPECT_TRUE(attach.from_wildcard);
    EXPECT_EQ(attach.point, "kernel.function(\"vfs_open\").call");
    EXPECT_EQ(attach.point_prefix + "x" + attach.point_suffix, "kernel.function(\"x\").call");
}

TEST(Elaborate, PointsWithoutAliasShareAHandler) {
    Pass2 pass;
    Program &program = pass.elaborate({"probe begin, timer.s(1), end(5) { }"});
    ASSERT_THAT(program.handlers, SizeIs(1));
    EXPECT_THAT(points(program), ElementsAre("begin", "timer.s(1)", "end(5)"));
    EXPECT_EQ(program.handlers[0]->attaches[2].as<probes::SessionPhase>().order, 5);
    EXPECT_EQ(program.handlers[0]->attaches[2].written, "end(5)");
}

TEST(Elaborate, OptionalPointsMayFailAndSufficientOnesEndTheList) {
    Pass2 pass;
    EXPECT_THAT(points(pass.elaborate({"probe kernel.function(\"none\")?, begin { }"})), ElementsAre("begin"));
    EXPECT_THAT(points(pass.elaborate({"probe kernel.function(\"none\")!, begin!, end { }"})), ElementsAre("begin"));
    EXPECT_THAT(points(pass.elaborate({"probe a = nothing?, begin? { }\nprobe a { }"})), ElementsAre("begin"));
    EXPECT_THAT(points(pass.elaborate({"probe a = nothing { }\nprobe a?, end { }"})), ElementsAre("end"));
    EXPECT_EQ(pass.reported(), "");
}

TEST(Elaborate, AnAliasWithoutAnyPointIsAMismatch) {
    EXPECT_EQ(diagnose("probe a = nothing? { }\nprobe a { }"),
              "semantic error: while resolving probe point: identifier 'a' at <input>:2:7\n"
              "        source: probe a { }\n"
              "                      ^\n"
              "\n"
              "semantic error: none of the alias's optional points could be resolved: identifier 'a' at :2:7\n"
              "        source: probe a { }\n"
              "                      ^\n"
              "\n"
              "semantic error: probe point mismatch: identifier 'nothing' at :1:11\n"
              "        source: probe a = nothing? { }\n"
              "                          ^\n"
              "          help: 'stap --dump-probe-types' lists the kinds of probe points, 'stap --dump-probe-aliases' "
              "the library's\n"
              "\n");
}

TEST(Elaborate, AWildcardMeansTheAliasesThatCanBeResolved) {
    // A pattern skips names that its rest cannot follow.
    Pass2 pass;
    EXPECT_THAT(points(pass.elaborate({"probe t.a = begin { }\nprobe t.b = timer { }\nprobe *.*.s(1) { }"})),
                ElementsAre("timer.s(1)"));
    EXPECT_THAT(points(pass.elaborate({"probe t.a = begin, nothing { }\nprobe t.*?, end { }"})),
                ElementsAre("begin", "end"));
    EXPECT_EQ(pass.reported(), "");
    EXPECT_EQ(diagnose("probe t.a = begin { }\nprobe t.b = end { }\nprobe **.zork { }"),
              "semantic error: while resolving probe point: operator '**' at <input>:3:7\n"
              "        source: probe **.zork { }\n"
              "                      ^\n"
              "\n"
              "semantic error: probe point mismatch: operator '**' at :3:7\n"
              "        source: probe **.zork { }\n"
              "                      ^\n"
              "          help: 'stap --dump-probe-types' lists the kinds of probe points, 'stap --dump-probe-aliases' "
              "the library's\n"
              "\n");
    EXPECT_EQ(diagnose("probe t.a = one { }\nprobe t.b = two { }\nprobe t.* { }"),
              "semantic error: while resolving probe point: identifier 't' at <input>:3:7\n"
              "        source: probe t.* { }\n"
              "                      ^\n"
              "\n"
              "semantic error: nothing that the wildcards match could be resolved: identifier 't' at :3:7\n"
              "        source: probe t.* { }\n"
              "                      ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'one' at :1:13\n"
              "        source: probe t.a = one { }\n"
              "                            ^\n"
              "\n"
              "semantic error: probe point mismatch: identifier 'one' at :1:13\n"
              "        source: probe t.a = one { }\n"
              "                            ^\n"
              "          help: 'stap --dump-probe-types' lists the kinds of probe points, 'stap --dump-probe-aliases' "
              "the library's\n"
              "\n");
}

TEST(Diagnostics, WildcardIncomplete) {
    EXPECT_EQ(diagnose("probe t.a = begin { }\nprobe t.b = nothing { }\nprobe t.* { }"),
              "WARNING: of what the wildcards match, this could not be resolved, or not all of it: t.b: identifier 't' "
              "at <input>:3:7\n"
              " source: probe t.* { }\n"
              "               ^\n"
              "semantic error: while resolving probe point: identifier 'nothing' at :2:13\n"
              "        source: probe t.b = nothing { }\n"
              "                            ^\n"
              "\n"
              "semantic error: probe point mismatch: identifier 'nothing' at :2:13\n"
              "        source: probe t.b = nothing { }\n"
              "                            ^\n"
              "          help: 'stap --dump-probe-types' lists the kinds of probe points, 'stap --dump-probe-aliases' "
              "the library's\n"
              "\n");
}

TEST(Elaborate, ConditionsOfAliasAndProbeBothHold) {
    Pass2 pass;
    Program &program = pass.elaborate(
        {"global a, b\nprobe p = begin if (a) { }\nprobe p if (b > 1), end { }\nprobe never { a = b = 1 }"});
    ASSERT_THAT(program.handlers, SizeIs(3));
    EXPECT_EQ(ast::print(*program.handlers[0]->condition), "((b > 1) && a)");
    EXPECT_EQ(program.handlers[1]->condition, nullptr);
    EXPECT_EQ(pass.reported(), "");
}

TEST(Elaborate, DefinedDecidesWhichBranchIsLeft) {
    Pass2 pass;
    Program &program =
        pass.elaborate({"probe kernel.function(\"vfs_read\") {\n"
                        "  println(@defined($file) ? $file : 1)\n"
                        "  if (@defined($file) && $file->x) println($file) else println(2)\n"
                        "  if (!@defined(@cast(0, \"x\")->y)) println(3)\n"
                        "  if (@defined($a) || 1) println(4)\n"
                        "}"});
    EXPECT_EQ(
        ast::print(*program.handlers[0]->body),
        "{\n    {\n        println(1);\n        println(2);\n        println(3);\n        println(4);\n    }\n}\n");
    EXPECT_EQ(pass.reported(), "");
}

TEST(Elaborate, ProbewriteLooksAtTheProbesOwnBody) {
    Pass2 pass;
    Program &program =
        pass.elaborate({"probe a = begin { x = 1 }, { if (@probewrite(x)) println(1) if (@probewrite(y)) println(2) "
                        "}\nprobe a { println(x) }\n"
                        "probe a { x = 2; y = 1; println(x + y) }"});
    auto prints = [&](size_t handler, const char *text) {
        return ast::print(*program.handlers[handler]->body).find(text) != std::string::npos;
    };
    EXPECT_FALSE(prints(0, "println(1)")) << "the alias itself wrote it";
    EXPECT_FALSE(prints(0, "println(2)"));
    EXPECT_TRUE(prints(1, "println(1)"));
    EXPECT_TRUE(prints(1, "println(2)"));
}

TEST(Elaborate, ProbesOfATapsetRunWhenItIsUsed) {
    Pass2 pass(Tapsets{{"lib.stp", "global g\nfunction f() { return g }\nprobe begin { g = 1 }"},
                       {"other.stp", "probe end { }"}});
    EXPECT_THAT(points(pass.elaborate({"probe never { println(f()) }"})), ElementsAre("never", "begin"));
    EXPECT_THAT(points(pass.elaborate({"probe never { }"})), ElementsAre("never"));
}

TEST(Elaborate, ReadAndWrittenAreAboutValues) {
    Pass2 pass;
    Program &program = pass.elaborate(
        {"global count, used, sum, keys, last\n"
         "probe begin { count++; println(used++); sum += 1; keys[1] = 2; for (last = 0; 1 in keys; last++) break }"});
    std::vector<std::string> flags;
    for (const ast::Variable *global : program.globals) {
        flags.push_back(global->name + (global->is_read ? " read" : "") + (global->is_written ? " written" : ""));
    }
    EXPECT_THAT(flags,
                ElementsAre("count written", "used read written", "sum written", "keys read written", "last written"));
}

TEST(Elaborate, UnusedFunctionsDoNotCount) {
    Pass2 pass;
    Program &program = pass.elaborate({"global g\nfunction f() { return g + nothing($x) }\nprobe begin { g = 1 }"});
    EXPECT_FALSE(program.globals[0]->is_read);
    EXPECT_FALSE(pass.diagnostics.has_errors());
    Pass2 all;
    all.options.keep_unused = true;
    all.elaborate({"function f() { nothing() }\nprobe begin { }"});
    EXPECT_NE(all.reported().find("unresolved function nothing"), std::string::npos);
}

// Dropped code needs no types, no names of the probed program, and no functions.
TEST(Elaborate, CodeWithoutEffectIsDropped) {
    const std::pair<const char *, const char *> rows[] = {
        {"foo print(1)", "print(1);\n"},
        {"foo + \"a\" print(1)", "print(1);\n"},
        {"@cast(0, \"no_such\")->x print(1)", "print(1);\n"},
        {"x = @cast(0, \"no_such\")->x print(1)", "print(1);\n"},
        {"x = y = foo print(1)", "print(1);\n"},
        {"lost <<< 2 print(1)", "print(1);\n"},
        {"x = \"a\" x = 1 print(1)", "print(1);\n"},
        {"x = print(2) print(1)", "print(2);\nprint(1);\n"},
        {"f(foo) print(1)", "print(1);\n"},
        {"g(foo) print(1)", "g(foo);\nprint(1);\n"},
        {"sprintf(\"%d\", \"a\") print(1)", "print(1);\n"},
        {"if (foo) { ; } print(1)", "print(1);\n"},
        {"if (foo) { $nosuch } else 1 print(1)", "print(1);\n"},
        {"foo ? 1 : 2 print(1)", "print(1);\n"},
        {"foo && print(2) print(1)", "if (foo)\n    print(2);\nprint(1);\n"},
        {"k = 1 delete a[k] print(1)", "(k = 1);\ndelete a[k];\nprint(1);\n"},
    };
    for (const auto &[body, left] : rows) {
        Pass2 pass;
        pass.options.drop_unused = true;
        Program &program =
            pass.elaborate({std::string("global a function f(x) { return x } function g(x) { print(x) }") +
                            "probe begin { " + body + " }"});
        EXPECT_FALSE(pass.diagnostics.has_errors()) << body << "\n" << pass.reported();
        std::string text;
        for (const ast::StmtPtr &part : static_cast<ast::Block &>(*program.handlers[0]->body->body[0]).body)
            text += ast::print(*part);
        EXPECT_EQ(text, left) << body;
    }
}

TEST(Elaborate, WhatIsDroppedIsNoUse) {
    Pass2 pass;
    pass.options.drop_unused = true;
    Program &program = pass.elaborate(
        {"global a, b, c function f(x) { return x + b } probe begin { a = 1 a f(2) c[1] c[\"x\"] = 2 i = 1 }"});
    std::vector<std::string> flags;
    for (const ast::Variable *global : program.globals)
        flags.push_back(global->name + (global->is_read ? " read" : "") + (global->is_written ? " written" : ""));
    EXPECT_THAT(flags, ElementsAre("a written", "c written"));
    EXPECT_TRUE(program.functions.empty());
    EXPECT_TRUE(program.handlers[0]->locals.empty());
}

// A question about what a variable points to is a use of it.
TEST(Elaborate, WhatIsAskedAboutIsNoDeadStore) {
    const auto warned = [](const std::string &body) {
        Pass2 pass;
        pass.options.drop_unused = true;
        pass.elaborate({"probe begin { " + body + " }"});
        return pass.reported();
    };
    EXPECT_EQ(warned("x = & @cast(0, \"task_struct\") print(@defined(x->pid))"), "");
    EXPECT_THAT(warned("x = & @cast(0, \"task_struct\") print(1)"), testing::HasSubstr("Eliding assignment to 'x'"));
}

TEST(Elaborate, WhatActsIsNotDropped) {
    for (const char *body : {"$nosuch = 1", "print($nosuch)", "x = @cast(g(1), \"no_such\")->x print(x)", "nothing()",
                             "if ($nosuch) print(1)", "while ($nosuch) { print(1) }", "$nosuch && g(1)",
                             "$nosuch ? g(1) : 2", "g(1) && print($nosuch)", "@entry(g(1))", "$a + @entry(g(1))",
                             "$nosuch[$other = 1]", "$nosuch++", "for (; $nosuch; g(1)) { }"}) {
        Pass2 pass;
        pass.options.drop_unused = pass.options.guru = true;
        pass.elaborate({std::string("function g(x) { print(x) return x } probe begin { ") + body + " }"});
        EXPECT_TRUE(pass.diagnostics.has_errors()) << body;
    }
}

TEST(Elaborate, ErrorsInATapsetShowItsPlace) {
    EXPECT_EQ(diagnose("probe begin { f() }", {{"bad.stp", "function f() { return nothing() }"}}),
              "semantic error: unresolved function nothing: identifier 'nothing' at DIR/bad.stp:1:23\n"
              "        source: function f() { return nothing() }\n"
              "                                      ^\n\n");
}

TEST(Elaborate, PragmasAreRead) {
    Pass2 pass(
        Tapsets{{"lib.stp",
                 "global g\nfunction f:long () %{ /* pure */ /* unprivileged */ /* pragma:read:g */ /* pragma:unwind "
                 "*/ STAP_RETVALUE = 1; %}"}});
    Program &program = pass.elaborate({"probe begin { println(f()) }"});
    const ast::Pragmas &pragmas = program.functions[0]->pragmas;
    EXPECT_TRUE(pragmas.pure);
    EXPECT_TRUE(pragmas.unprivileged);
    EXPECT_FALSE(pragmas.guru);
    EXPECT_THAT(pragmas.other, ElementsAre("pragma:unwind"));
    EXPECT_THAT(names(program.globals), ElementsAre("g"));
    EXPECT_TRUE(program.globals[0]->is_read);
}

TEST(ResolveMessages, SymbolsUnknown) {
    Pass2 pass;
    pass.symbols = target::Symbols();
    pass.elaborate({"probe kernel.function(\"vfs_*\") { }"});
    EXPECT_EQ(pass.reported(),
              "semantic error: while resolving probe point: identifier 'kernel' at <input>:1:7\n"
              "        source: probe kernel.function(\"vfs_*\") { }\n"
              "                      ^\n\n"
              "semantic error: the names of the kernel's functions are not known, which a wildcard needs; install the "
              "kernel's image "
              "package, or name the functions one by one: string '\"vfs_*\"' at :1:23\n"
              "        source: probe kernel.function(\"vfs_*\") { }\n"
              "                                      ^\n\n");
}

TEST(ResolveMessages, SymbolUnchecked) {
    Pass2 pass;
    pass.symbols = target::Symbols();
    pass.elaborate({"probe kernel.function(\"vfs_read\") { }"});
    EXPECT_EQ(
        pass.reported(),
        "WARNING: the names of the kernel's functions are not known here; whether this one exists is found out when "
        "the module is loaded: string '\"vfs_read\"' at <input>:1:23\n"
        " source: probe kernel.function(\"vfs_read\") { }\n"
        "                               ^\n");
    EXPECT_THAT(points(*pass.program), ElementsAre("kernel.function(\"vfs_read\")"));
}

TEST(ResolveMessages, NoSuchGlobal) {
    Pass2 pass;
    pass.options.assigned_globals = {"level", "levle"};
    Program &program = pass.elaborate({"global level\nprobe begin { println(level + 1) }"});
    EXPECT_EQ(pass.reported(),
              "semantic error: -G names 'levle', which is not a global variable of the script or of the tapsets "
              "(similar: level)\n\n");
    EXPECT_TRUE(program.globals[0]->is_written);
}

TEST(Resolve, GlobalsOfTapsetsAreAssigned) {
    const Tapsets tapsets = {{"t.stp", "global used, unused\nprivate global own\nfunction f() { own++\nreturn used }"}};
    Pass2 good(tapsets);
    good.options.assigned_globals = {"used"};
    Program &program = good.elaborate({"probe begin { println(f()) }"});
    EXPECT_EQ(good.reported(), "");
    ASSERT_EQ(program.globals.size(), 2u);
    EXPECT_EQ(program.globals[0]->name, "used");
    EXPECT_TRUE(program.globals[0]->is_written);

    Pass2 hidden(tapsets);
    hidden.options.assigned_globals = {"used"};
    Program &other = hidden.elaborate({"global used\nprobe begin { println(f() + used) }"});
    EXPECT_EQ(hidden.reported(), "");
    ASSERT_EQ(other.globals.size(), 3u);
    EXPECT_TRUE(other.globals[0]->is_written);
    EXPECT_FALSE(other.globals[1]->is_written);

    Pass2 bad(tapsets);
    bad.options.assigned_globals = {"own"};
    bad.elaborate({"probe begin { println(f()) }"});
    EXPECT_EQ(bad.reported(),
              "semantic error: -G names 'own', which is not a global variable of the script or of the tapsets\n\n");

    for (const bool drop : {false, true}) {
        Pass2 unused(tapsets);
        unused.options.assigned_globals = {"unused"};
        unused.options.drop_unused = drop;
        Program &third = unused.elaborate({"probe begin { print(1) }"});
        EXPECT_EQ(unused.reported(), "");
        ASSERT_EQ(third.globals.size(), 1u);
        EXPECT_EQ(third.globals[0]->name, "unused");
        EXPECT_TRUE(third.globals[0]->is_written);
    }
}

}  // namespace
}  // namespace tapir::resolve
