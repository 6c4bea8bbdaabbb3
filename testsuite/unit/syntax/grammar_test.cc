// SPDX-License-Identifier: GPL-2.0-or-later
// The trees of expressions, statements and declarations, as they are printed.
#include <gtest/gtest.h>

#include "parse.h"

namespace tapir::syntax {
namespace {

TEST(Grammar, PrecedenceFromLowToHigh) {
    EXPECT_EQ(expression("a = b = c"), "(a = (b = c));");
    EXPECT_EQ(expression("a = b ? c : d"), "(a = (b ? c : d));");
    EXPECT_EQ(expression("a ? b : c ? d : e"), "(a ? b : (c ? d : e));");
    EXPECT_EQ(expression("a ? b = 1 : c"), "(a ? (b = 1) : c);");
    EXPECT_EQ(expression("a || b && c"), "(a || (b && c));");
    EXPECT_EQ(expression("a && b | c"), "(a && (b | c));");
    EXPECT_EQ(expression("a | b ^ c & d"), "(a | (b ^ (c & d)));");
    EXPECT_EQ(expression("a & b in c"), "(a & ([b] in c));");
    EXPECT_EQ(expression("a == b in c"), "([(a == b)] in c);");
    EXPECT_EQ(expression("a < b == c"), "((a < b) == c);");
    EXPECT_EQ(expression("a == b << c"), "(a == (b << c));");
    EXPECT_EQ(expression("a << b . c"), "(a << (b . c));");
    EXPECT_EQ(expression("a . b + c"), "(a . (b + c));");
    EXPECT_EQ(expression("a + b * c - d"), "((a + (b * c)) - d);");
    EXPECT_EQ(expression("-a * !b"), "((-a) * (!b));");
    EXPECT_EQ(expression("-a++"), "(-(a++));");
    EXPECT_EQ(expression("!! ~a"), "(!(!(~a)));");
    EXPECT_EQ(expression("a >>> b >> c"), "((a >>> b) >> c);");
    EXPECT_EQ(expression("a . b =~ \"x\" && c"), "(((a . b) =~ \"x\") && c);");
    EXPECT_EQ(expression("a % b / c"), "((a % b) / c);");
}

TEST(Grammar, EveryAssignment) {
    for (std::string op : {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>=", ".=", "<<<"})
        EXPECT_EQ(expression("a " + op + " 1"), "(a " + op + " 1);");
}

TEST(Grammar, StatementsNeedNoSeparators) {
    EXPECT_EQ(expression("a = 1 b = 2 c++ d()"), "(a = 1);\n (b = 2);\n (c++);\n d();");
    EXPECT_EQ(expression("a\n-b"), "(a - b);");
    EXPECT_EQ(expression("a; -b"), "a;\n (-b);");
    EXPECT_EQ(expression("a ++b"), "(a++);\n b;");
    EXPECT_EQ(expression("a [b]"), "a[b];");
    EXPECT_EQ(expression("next; next next"), "next;\n next;\n next;");
}

TEST(Grammar, ElseAfterSemicolons) {
    const char *want = "if (a)\n    b();\nelse\n    c();";
    EXPECT_EQ(expression("if (a) b(); else c()"), want);
    EXPECT_EQ(expression("if (a) b();; else c()"), want);
    EXPECT_EQ(expression("if (a) b() else c()"), want);
    EXPECT_EQ(expression("if (a) { b() }; else c()"), "if (a) {\n    b();\n}\nelse\n    c();");
    EXPECT_EQ(expression("if (a) ; else c()"), "if (a)\n    ;\nelse\n    c();");
    EXPECT_EQ(expression("if (a) if (b) c() else d()"), "if (a)\n    if (b)\n        c();\n    else\n        d();");
}

TEST(Grammar, Loops) {
    EXPECT_EQ(expression("for (;;) break"), "for (; ; )\n    break;");
    EXPECT_EQ(expression("for (i = 0; i < 3; i++) { continue }"), "for (i = 0; i < 3; i++) {\n    continue;\n}");
    EXPECT_EQ(expression("while (a) ;"), "while (a)\n    ;");
}

TEST(Grammar, Foreach) {
    EXPECT_EQ(expression("foreach (k in a) f(k)"), "foreach ([k] in a)\n    f(k);");
    EXPECT_EQ(expression("foreach (k+ in a) ;"), "foreach ([k+] in a)\n    ;");
    EXPECT_EQ(expression("foreach ([j, k-] in a limit n + 1) ;"), "foreach ([j, k-] in a limit (n + 1))\n    ;");
    EXPECT_EQ(expression("foreach (v = [j, k] in a-) ;"), "foreach (v = [j, k] in a-)\n    ;");
    EXPECT_EQ(expression("foreach (v = k in a @sum- limit 5) ;"), "foreach (v = [k] in a @sum- limit 5)\n    ;");
    EXPECT_EQ(expression("foreach ([j, k] in a[*, 3] @variance+) ;"), "foreach ([j, k] in a[*, 3] @variance+)\n    ;");
    EXPECT_EQ(expression("foreach (b in @hist_log(x[1])-) ;"), "foreach ([b] in @hist_log(x[1])-)\n    ;");
}

TEST(Grammar, TryAndDelete) {
    EXPECT_EQ(expression("try { a() } catch { b() }"), "try {\n    a();\n}\ncatch {\n    b();\n}");
    EXPECT_EQ(expression("try { a() } catch (m) { b() }"), "try {\n    a();\n}\ncatch (m) {\n    b();\n}");
    EXPECT_EQ(expression("delete a delete b[1, \"x\"] delete c[*, 2]"),
              "delete a;\n delete b[1, \"x\"];\n delete c[*, 2];");
}

TEST(Grammar, ReturnTakesAnExpressionWhereOneFollows) {
    Parsed parsed("function f() { if (a) return if (b) return; return b + 1 } probe p {}");
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_EQ(parsed.printed(),
              "function f () {\n    if (a)\n        return;\n    if (b)\n        return;\n    return (b + 1);\n}\n"
              "probe p {\n}\n");
}

TEST(Grammar, Membership) {
    EXPECT_EQ(expression("[a, *, \"x\"] in b"), "([a, *, \"x\"] in b);");
    EXPECT_EQ(expression("!(a in b)"), "(!([a] in b));");
    EXPECT_EQ(expression("3 in @hist_linear(x, -10, 10, 2)"), "([3] in @hist_linear(x, -10, 10, 2));");
    EXPECT_EQ(expression("@hist_loglinear(x, 0, 6, 20)[3]"), "@hist_loglinear(x, 0, 6, 20)[3];");
}

TEST(Grammar, Statistics) {
    EXPECT_EQ(expression("@count(a) + @sum(b[1]) - @min(c) * @max(d) / @avg(e)"),
              "((@count(a) + @sum(b[1])) - ((@min(c) * @max(d)) / @avg(e)));");
    EXPECT_EQ(expression("@variance(a) + @variance(a[k], 5)"), "(@variance(a) + @variance(a[k], 5));");
    EXPECT_EQ(expression("@median(a[k]) + @percentile(a, p + 1) + @percentile(a, 999, 1000)"),
              "((@median(a[k]) + @percentile(a, (p + 1))) + @percentile(a, 999, 1000));");
    EXPECT_EQ(expression("print(@hist_log(a)) println(@hist_linear(b[1], 0, 100, 10))"),
              "print(@hist_log(a));\n println(@hist_linear(b[1], 0, 100, 10));");
    EXPECT_EQ(expression("print(@hist_log(a, \"ns\")) print(@hist_linear(b[1], 0, 9, 1, \"\"))"),
              "print(@hist_log(a, \"ns\"));\n print(@hist_linear(b[1], 0, 9, 1, \"\"));");
    EXPECT_EQ(expression("print(@hist_log(a, \"us  of a call \")) print(@hist_log(a, \"of pages\"))"),
              "print(@hist_log(a, \"us of a call\"));\n print(@hist_log(a, \" of pages\"));");
    EXPECT_EQ(expression("println(@hist_loglinear(a, 0, 6, 20, \"bytes\"))"),
              "println(@hist_loglinear(a, 0, 6, 20, \"bytes\"));");
    EXPECT_EQ(expression("@hist_log(a)[i + 1]"), "@hist_log(a)[(i + 1)];");
}

TEST(Grammar, TargetVariables) {
    EXPECT_EQ(expression("$a->b->next[i + 1]->if"), "$a->b->next[(i + 1)]->if;");
    EXPECT_EQ(expression("a & b->c & &d->e & &f(1)[2]"), "(((a & (b)->c) & (&(d)->e)) & (&(f(1))[2]));");
    EXPECT_EQ(expression("$a$ . $a$$ . $a->b$ . $a[1]$$ . $$vars . $$parms$$"),
              "((((($a$ . $a$$) . $a->b$) . $a[1]$$) . $$vars) . $$parms$$);");
    EXPECT_EQ(expression("&$a->b + 1"), "((&$a->b) + 1);");
    EXPECT_EQ(expression("$a->b = 3"), "($a->b = 3);");
    EXPECT_EQ(expression("@cast(p, \"task_struct\")->pid"), "@cast(p, \"task_struct\")->pid;");
    EXPECT_EQ(expression("&@cast(p + 1, \"t\", \"kernel\" \"<a.h>\")[2]"),
              "(&@cast((p + 1), \"t\", \"kernel<a.h>\")[2]);");
    EXPECT_EQ(expression("@var(\"jiffies@a.c\", \"kernel\")$ . @var(\"x\")->y"),
              "(@var(\"jiffies@a.c\", \"kernel\")$ . @var(\"x\")->y);");
    EXPECT_EQ(expression("t->pid + f(x)->y[1] + (a ? b : c)->d + a[1]->e + a[1][2]"),
              "(((((t)->pid + (f(x))->y[1]) + (a ? b : c)->d) + (a[1])->e) + (a[1])[2]);");
}

TEST(Grammar, OtherOperators) {
    EXPECT_EQ(expression("@entry(gettimeofday_us())"), "@entry(gettimeofday_us());");
    EXPECT_EQ(expression("@defined($x->y) ? 1 : 2"), "(@defined($x->y) ? 1 : 2);");
    EXPECT_EQ(expression("@probewrite(x)"), "@probewrite(x);");
    EXPECT_EQ(expression("@const(\"PAGE_SIZE\")"), "@const(\"PAGE_SIZE\");");
    EXPECT_EQ(expression("@enum(\"E\") + @enum(\"E\", \"m\")"), "(@enum(\"E\") + @enum(\"E\", \"m\"));");
    EXPECT_EQ(expression("@enumname(\"e\", 3) . @enumname(\"e\", x, \"m\")"),
              "(@enumname(\"e\", 3) . @enumname(\"e\", x, \"m\"));");
    EXPECT_EQ(expression("@perf(\"c\")"), "@perf(\"c\");");
    EXPECT_EQ(expression("@kregister(0) + @uregister(n)"), "(@kregister(0) + @uregister(n));");
    EXPECT_EQ(expression("@kderef(4, p) + @uderef(8, $q)"), "(@kderef(4, p) + @uderef(8, $q));");
}

TEST(Grammar, PrintFamily) {
    EXPECT_EQ(
        expression("print(a) println() printf(\"%d\", a) printd(\",\", a, b) printdln(\",\", a, b) print_char(65)"),
        "print(a);\n println();\n printf(\"%d\", a);\n printd(\",\", a, b);\n printdln(\",\", a, b);\n "
        "print_char(65);");
    EXPECT_EQ(
        expression("x = sprint(a) . sprintln(a) . sprintf(\"%s\", a) . sprintd(\",\", a, b) . sprintdln(\",\", a, b)"),
        "(x = ((((sprint(a) . sprintln(a)) . sprintf(\"%s\", a)) . sprintd(\",\", a, b)) . sprintdln(\",\", a, b)));");
}

TEST(Grammar, NumbersAndTheirSigns) {
    EXPECT_EQ(expression("0x1F + 017 + 9223372036854775807"), "((31 + 15) + 9223372036854775807);");
    EXPECT_EQ(expression("18446744073709551615"), "(-1);");
    EXPECT_EQ(expression("-9223372036854775808"), "(-9223372036854775808);");
    EXPECT_EQ(expression("a - -5"), "(a - (-5));");
}

TEST(Grammar, EmbeddedCode) {
    EXPECT_EQ(expression("%{ a; %} x = %{ 1 + 2 %} + 1 %{ b; %} ++y"),
              "%{ a; %}\n (x = ((%{ 1 + 2 %}) + 1));\n %{ b; %}\n (++y);");
    Parsed parsed("%{ #include <x.h> %}\nfunction f:long (a:string) %{ /* pure */ 50 % 3; %} probe p {}", true);
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_EQ(parsed.printed(),
              "%{ #include <x.h> %}\nfunction f:long (a:string) %{ /* pure */ 50 % 3; %}\nprobe p {\n}\n");
}

TEST(Grammar, Globals) {
    Parsed parsed(
        "global a, b = 5, c = \"x\" \"y\", d%[10], e[0x20], f%; private global g = -9223372036854775808\nprivate h, i");
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_EQ(parsed.printed(),
              "global a\nglobal b = 5\nglobal c = \"xy\"\nglobal d%[10]\nglobal e[32]\nglobal f%\n"
              "private global g = -9223372036854775808\nprivate global h\nprivate global i\n");
}

TEST(Grammar, AgesOfArrays) {
    Parsed parsed(
        "global a[1000]% age 60s, b age 1500ms, c% age 120min, d%[5] age 48h, e[7] age 1m\n"
        "global age, f age 250000us probe begin { age = age 5 }");
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_EQ(
        parsed.printed(),
        "global a%[1000] age 1m\nglobal b age 1500ms\nglobal c% age 2h\nglobal d%[5] age 48h\nglobal e[7] age 1m\n"
        "global age\nglobal f age 250ms\nprobe begin {\n    (age = age);\n    5;\n}\n");
}

TEST(Grammar, Functions) {
    Parsed parsed(
        "function a() {} function b:string(x, y:long, z:string):10 { next } private function c(q) { return q }");
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_EQ(parsed.printed(),
              "function a () {\n}\nfunction b:string (x, y:long, z:string):10 {\n    next;\n}\n"
              "private function c (q) {\n    return q;\n}\n");
}

TEST(Grammar, ProbePoints) {
    Parsed parsed(
        "probe kernel.function(\"a\" \"b\").return?, timer.s(-1)!, sys*_t.**, *.x if (a > 1), process.next.if ? if (b) "
        "{}");
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_EQ(parsed.printed(),
              "probe kernel.function(\"ab\").return?, timer.s(-1)!, sys*_t.**, *.x if (a > 1), process.next.if? if (b) "
              "{\n}\n");
}

TEST(Grammar, BracesExpandInProductOrder) {
    Parsed parsed("probe a.{b, c(1).d, {e, f}}.{x?, y}.z if (q), {m, n}! {}");
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_EQ(parsed.printed(),
              "probe a.b.x.z? if (q), a.b.y.z if (q), a.c(1).d.x.z? if (q), a.c(1).d.y.z if (q), a.e.x.z? if (q), "
              "a.e.y.z if (q), a.f.x.z? if (q), a.f.y.z if (q), m!, n! {\n}\n");
}

TEST(Grammar, Aliases) {
    Parsed parsed("probe a.b = c, d? { x = 1 }\nprobe e += f {}\nprobe g = h {}, { y = 1 }\nprobe i = j = k {}");
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_EQ(parsed.printed(),
              "probe a.b = c, d? {\n    (x = 1);\n}\nprobe e += f {\n}\nprobe g = h {\n}\n, {\n    (y = 1);\n}\n"
              "probe i = j = k {\n}\n");
}

}  // namespace
}  // namespace tapir::syntax
