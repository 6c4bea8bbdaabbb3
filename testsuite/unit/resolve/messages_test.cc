// SPDX-License-Identifier: GPL-2.0-or-later
// One test per diagnostic of name resolution, named after its tag: the whole text the user sees.
#include "pass2.h"

namespace tapir::resolve {
namespace {

TEST(ResolveMessages, AliasRecursion) {
    EXPECT_EQ(diagnose("probe a = b { }\n"
                       "probe b = a { }\n"
                       "probe a { }"),
              "semantic error: while resolving probe point: identifier 'a' at <input>:3:7\n"
              "        source: probe a { }\n"
              "                      ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'b' at :1:11\n"
              "        source: probe a = b { }\n"
              "                          ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'a' at :2:11\n"
              "        source: probe b = a { }\n"
              "                          ^\n"
              "\n"
              "semantic error: alias a is expanded within itself: identifier 'a' at :2:11\n"
              "        source: probe b = a { }\n"
              "                          ^\n"
              "\n"
              "semantic error: alias declared here: keyword 'probe' at :1:1\n"
              "        source: probe a = b { }\n"
              "                ^\n"
              "\n");
}

TEST(ResolveMessages, InterpreterTwice) {
    const Tapsets tapsets = {{"one.stp",
                              "@interpreter(\"A\", \"\", \"\", \"\", \"a\", one)\n"
                              "@interpreter(\"A\", \"\", \"\", \"\", \"b\", one)\n"
                              "function one:string () { return \"1\" }\n"}};
    EXPECT_EQ(diagnose("probe begin { println(one()) }", tapsets),
              "semantic error: another interpreter has the name \"A\": operator '@interpreter' at DIR/one.stp:2:1\n"
              "        source: @interpreter(\"A\", \"\", \"\", \"\", \"b\", one)\n"
              "                ^\n"
              "\n"
              "semantic error: it is described here: operator '@interpreter' at :1:1\n"
              "        source: @interpreter(\"A\", \"\", \"\", \"\", \"a\", one)\n"
              "                ^\n"
              "\n");
}

// A call by an interpreter's name gets the frames of all interpreters; a call of one function gets its file's.
TEST(Resolve, InterpretersAreThoseOfTheFilesInUse) {
    const Tapsets tapsets = {
        {"one.stp", "@interpreter(\"A\", \"\", \"\", \"\", \"a\", one)\nfunction one:string () { return \"1\" }\n"},
        {"two.stp", "@interpreter(\"B\", \"\", \"\", \"\", \"b\", two)\nfunction two:string () { return \"2\" }\n"}};
    const auto names = [&](const std::string &script) {
        Pass2 pass(tapsets);
        std::string all;
        for (const ast::Interpreter *interpreter : pass.elaborate({script}).interpreters)
            all += interpreter->name;
        EXPECT_EQ(pass.reported(), "");
        return all;
    };
    EXPECT_EQ(names("probe begin { println(__frames_of(\"A\")) }"), "AB");
    EXPECT_EQ(names("probe begin { println(two()) }"), "B");
    EXPECT_EQ(names("probe begin { println(1) }"), "");
}

// However deep, and however often aliases name each other.
TEST(ResolveMessages, AliasRecursion_2) {
    const auto chain = [](int count, const std::string &name) {
        std::string text = "probe a0 = begin { v = 1 }\n";
        for (int i = 1; i < count; ++i) {
            std::string before = name;
            for (size_t at; (at = before.find('#')) != std::string::npos;)
                before.replace(at, 1, "a" + std::to_string(i - 1));
            text += "probe a" + std::to_string(i) + " = " + before + " { }\n";
        }
        return text + "probe a" + std::to_string(count - 1) + " { println(v) }";
    };
    EXPECT_EQ(diagnose(chain(300, "#")), "");
    EXPECT_EQ(diagnose(chain(7000, "#")),
              "semantic error: more than 300 aliases stand for each other here; the last is a6699: identifier 'a6999' "
              "at <input>:7001:7\n"
              "        source: probe a6999 { println(v) }\n"
              "                      ^\n"
              "\n");
    EXPECT_EQ(diagnose(chain(40, "#?, #?")),
              "semantic error: this stands for more than 50000 points; use several probes, or aliases "
              "that name fewer: identifier 'a39' at <input>:41:7\n"
              "        source: probe a39 { println(v) }\n"
              "                      ^\n"
              "\n");
}

TEST(ResolveMessages, ArrayNotGlobal) {
    EXPECT_EQ(diagnose("global counts\n"
                       "probe begin { count[1] = 2; counts[1] = 1; println(counts[1]) }\n"
                       "probe end { foreach (k in count) println(count[k]) }"),
              "semantic error: array locals not supported, missing global declaration? (similar: counts): identifier "
              "'count' at <input>:2:15\n"
              "        source: probe begin { count[1] = 2; counts[1] = 1; println(counts[1]) }\n"
              "                              ^\n"
              "          help: declare it outside of handlers: global count\n"
              "\n");
}

TEST(ResolveMessages, BadCondition) {
    EXPECT_EQ(diagnose("global g\n"
                       "function f() { return 1 }\n"
                       "probe begin if (g > f()) { }\n"
                       "probe end if (x) { }\n"
                       "probe timer.s(1) if (g++) { }\n"
                       "probe timer.s(2) if (g = 1) { }"),
              "semantic error: probe condition must not call functions: identifier 'f' at <input>:3:21\n"
              "        source: probe begin if (g > f()) { }\n"
              "                                    ^\n"
              "          help: test such things in the handler: { if (!(CONDITION)) next ... }\n"
              "\n"
              "semantic error: probe condition must only refer to global variables: identifier 'x' at :4:15\n"
              "        source: probe end if (x) { }\n"
              "                              ^\n"
              "          help: test such things in the handler: { if (!(CONDITION)) next ... }\n"
              "\n"
              "semantic error: probe condition must not modify variables: operator '++' at :5:23\n"
              "        source: probe timer.s(1) if (g++) { }\n"
              "                                      ^\n"
              "          help: test such things in the handler: { if (!(CONDITION)) next ... }\n"
              "\n"
              "semantic error: probe condition must not modify variables: operator '=' at :6:24\n"
              "        source: probe timer.s(2) if (g = 1) { }\n"
              "                                       ^\n"
              "          help: test such things in the handler: { if (!(CONDITION)) next ... }\n"
              "\n");
}

TEST(ResolveMessages, BadRegex) {
    EXPECT_EQ(
        diagnose("function f(s) { return s !~ \"(ab\" }\n"
                 "probe begin { if (\"x\" =~ \"a[bc\") println(f(\"\")); if (\"x\" =~ \"(*a)\") next }"),
        "semantic error: regular expression: unclosed character class at character 2: string '\"a[bc\"' at "
        "<input>:2:26\n"
        "        source: probe begin { if (\"x\" =~ \"a[bc\") println(f(\"\")); if (\"x\" =~ \"(*a)\") next }\n"
        "                                         ^\n"
        "\n"
        "semantic error: regular expression: nothing before '*' to repeat at character 2: string '\"(*a)\"' at :2:61\n"
        "        source: probe begin { if (\"x\" =~ \"a[bc\") println(f(\"\")); if (\"x\" =~ \"(*a)\") next }\n"
        "                                                                            ^\n"
        "\n"
        "semantic error: regular expression: unclosed '(' at character 1: string '\"(ab\"' at :1:29\n"
        "        source: function f(s) { return s !~ \"(ab\" }\n"
        "                                            ^\n"
        "\n");
}

TEST(ResolveMessages, TargetVariable) {
    EXPECT_EQ(
        diagnose("probe kernel.function(\"vfs_read\") { println($count); println(@cast(1, \"file\")->f_pos); "
                 "println(@entry(1)); println(@var(\"jiffies\")); println(@perf(\"x\")) }"),
        "semantic error: what is at this place is not known: there is no debug information: identifier '$count' "
        "at <input>:1:45\n"
        "        source: probe kernel.function(\"vfs_read\") { println($count); println(@cast(1, "
        "\"file\")->f_pos); println(@entry(1)); println(@var(\"jiffies\")); println(@perf(\"x\")) }\n"
        "                                                            ^\n"
        "\n"
        "semantic error: type 'file' not found: operator '@cast' at :1:62\n"
        "        source: probe kernel.function(\"vfs_read\") { println($count); println(@cast(1, "
        "\"file\")->f_pos); println(@entry(1)); println(@var(\"jiffies\")); println(@perf(\"x\")) }\n"
        "                                                                             ^\n"
        "\n"
        "semantic error: @entry is available only in .return probes: operator '@entry' at :1:96\n"
        "        source: probe kernel.function(\"vfs_read\") { println($count); println(@cast(1, "
        "\"file\")->f_pos); println(@entry(1)); println(@var(\"jiffies\")); println(@perf(\"x\")) }\n"
        "                                                                                                        "
        "       ^\n"
        "\n"
        "semantic error: unable to find global 'jiffies': operator '@var' at :1:116\n"
        "        source: probe kernel.function(\"vfs_read\") { println($count); println(@cast(1, "
        "\"file\")->f_pos); println(@entry(1)); println(@var(\"jiffies\")); println(@perf(\"x\")) }\n"
        "                                                                                                        "
        "                           ^\n"
        "\n"
        "semantic error: no probe of this script counts 'x': perf.type(T).config(C).counter(\"x\") does: operator "
        "'@perf' at :1:142\n"
        "        source: probe kernel.function(\"vfs_read\") { println($count); println(@cast(1, "
        "\"file\")->f_pos); println(@entry(1)); println(@var(\"jiffies\")); println(@perf(\"x\")) }\n"
        "                                                                                                        "
        "                                                     ^\n"
        "\n");
}

TEST(ResolveMessages, TargetVariableSkipped) {
    Pass2 pass;
    pass.options.skip_badvars = true;
    pass.elaborate(
        {"probe kernel.function(\"vfs_read\") { println($count); println($$vars); println(@cast(1, \"t\")->x$) }"});
    EXPECT_EQ(
        pass.reported(),
        "WARNING: what is at this place is not known: there is no debug information; it reads as 0: identifier "
        "'$count' at <input>:1:45\n"
        " source: probe kernel.function(\"vfs_read\") { println($count); println($$vars); println(@cast(1, "
        "\"t\")->x$) }\n"
        "                                                     ^\n"
        "WARNING: what is at this place is not known: there is no debug information; it reads as \"\": identifier "
        "'$$vars' at :1:62\n"
        " source: probe kernel.function(\"vfs_read\") { println($count); println($$vars); println(@cast(1, "
        "\"t\")->x$) }\n"
        "                                                                      ^\n"
        "WARNING: type 't' not found; it reads as \"\": operator '@cast' at :1:79\n"
        " source: probe kernel.function(\"vfs_read\") { println($count); println($$vars); println(@cast(1, "
        "\"t\")->x$) }\n"
        "                                                                                       ^\n");
}

TEST(ResolveMessages, DuplicateGlobal) {
    EXPECT_EQ(diagnose("global x\n"
                       "global x\n"
                       "probe begin { println(x++) }"),
              "semantic error: duplicate global name: identifier 'x' at <input>:2:8\n"
              "        source: global x\n"
              "                       ^\n"
              "\n"
              "semantic error: first declared here: identifier 'x' at :1:8\n"
              "        source: global x\n"
              "                       ^\n"
              "\n");
}

TEST(ResolveMessages, DuplicateParameter) {
    EXPECT_EQ(diagnose("function f(a, b, a) { return a + b }\n"
                       "probe begin { f(1, 2, 3) }"),
              "semantic error: duplicate parameter name 'a': identifier 'a' at <input>:1:18\n"
              "        source: function f(a, b, a) { return a + b }\n"
              "                                 ^\n"
              "\n"
              "semantic error: first declared here: identifier 'a' at :1:12\n"
              "        source: function f(a, b, a) { return a + b }\n"
              "                           ^\n"
              "\n");
}

TEST(ResolveMessages, ForeachModifies) {
    EXPECT_EQ(diagnose("global a\n"
                       "function m() { inner() }\n"
                       "function inner() { delete a }\n"
                       "probe begin {\n"
                       "  a[1] = 1\n"
                       "  foreach (k in a) { a[k] = 2; m(); foreach (l in a+) println(l) }\n"
                       "}"),
              "semantic error: variable 'a' modified during 'foreach' iteration: identifier 'a' at <input>:6:22\n"
              "        source:   foreach (k in a) { a[k] = 2; m(); foreach (l in a+) println(l) }\n"
              "                                     ^\n"
              "          help: change it after the loop; 'delete ARRAY' there removes all elements\n"
              "\n"
              "semantic error: iterated here: identifier 'a' at :6:17\n"
              "        source:   foreach (k in a) { a[k] = 2; m(); foreach (l in a+) println(l) }\n"
              "                                ^\n"
              "\n"
              "semantic error: function call modifies 'a' during 'foreach' iteration: identifier 'm' at :6:32\n"
              "        source:   foreach (k in a) { a[k] = 2; m(); foreach (l in a+) println(l) }\n"
              "                                               ^\n"
              "          help: change it after the loop; 'delete ARRAY' there removes all elements\n"
              "\n"
              "semantic error: iterated here: identifier 'a' at :6:17\n"
              "        source:   foreach (k in a) { a[k] = 2; m(); foreach (l in a+) println(l) }\n"
              "                                ^\n"
              "\n"
              "semantic error: variable 'a' modified during 'foreach' iteration: identifier 'a' at :6:51\n"
              "        source:   foreach (k in a) { a[k] = 2; m(); foreach (l in a+) println(l) }\n"
              "                                                                  ^\n"
              "          help: change it after the loop; 'delete ARRAY' there removes all elements\n"
              "\n"
              "semantic error: iterated here: identifier 'a' at :6:17\n"
              "        source:   foreach (k in a) { a[k] = 2; m(); foreach (l in a+) println(l) }\n"
              "                                ^\n"
              "\n");
}

TEST(ResolveMessages, GuruNeeded) {
    EXPECT_EQ(diagnose("probe begin { danger() }", {{"d.stp", "function danger() %{ /* guru */ %}"}}),
              "semantic error: function may not be used unless -g is specified: identifier 'danger' at <input>:1:15\n"
              "        source: probe begin { danger() }\n"
              "                              ^\n"
              "\n");
    EXPECT_EQ(diagnose("probe kernel.statement(4096).absolute ?, never { }"), "");
    EXPECT_EQ(diagnose("probe kprobe.statement(4096).absolute { }"),
              "semantic error: while resolving probe point: identifier 'kprobe' at <input>:1:7\n"
              "        source: probe kprobe.statement(4096).absolute { }\n"
              "                      ^\n"
              "\n"
              "semantic error: a probe of any address may go wrong in any way, and so needs stap -g: "
              "identifier 'absolute' at :1:30\n"
              "        source: probe kprobe.statement(4096).absolute { }\n"
              "                                             ^\n"
              "\n");
}

TEST(ResolveMessages, InconsistentArity) {
    EXPECT_EQ(
        diagnose("global a\n"
                 "probe begin { a[1] = 2; a[1, 2] = 3; a = 4; foreach ([k, l] in a[1]) println(k) }"),
        "semantic error: inconsistent arity (2 vs 1): identifier 'a' at <input>:2:25\n"
        "        source: probe begin { a[1] = 2; a[1, 2] = 3; a = 4; foreach ([k, l] in a[1]) println(k) }\n"
        "                                        ^\n"
        "          help: all elements of an array have the same number of keys\n"
        "\n"
        "semantic error: arity 1 first inferred here: identifier 'a' at :2:15\n"
        "        source: probe begin { a[1] = 2; a[1, 2] = 3; a = 4; foreach ([k, l] in a[1]) println(k) }\n"
        "                              ^\n"
        "\n"
        "semantic error: inconsistent arity (0 vs 1): identifier 'a' at :2:38\n"
        "        source: probe begin { a[1] = 2; a[1, 2] = 3; a = 4; foreach ([k, l] in a[1]) println(k) }\n"
        "                                                     ^\n"
        "          help: an array has no value as a whole: read an element, a[KEY], or walk it, foreach (k in a)\n"
        "\n"
        "semantic error: arity 1 first inferred here: identifier 'a' at :2:15\n"
        "        source: probe begin { a[1] = 2; a[1, 2] = 3; a = 4; foreach ([k, l] in a[1]) println(k) }\n"
        "                              ^\n"
        "\n"
        "semantic error: inconsistent arity (2 vs 1): identifier 'a' at :2:64\n"
        "        source: probe begin { a[1] = 2; a[1, 2] = 3; a = 4; foreach ([k, l] in a[1]) println(k) }\n"
        "                                                                               ^\n"
        "          help: all elements of an array have the same number of keys\n"
        "\n"
        "semantic error: arity 1 first inferred here: identifier 'a' at :2:15\n"
        "        source: probe begin { a[1] = 2; a[1, 2] = 3; a = 4; foreach ([k, l] in a[1]) println(k) }\n"
        "                              ^\n"
        "\n"
        "semantic error: unmatched number of keys in the slice (1 vs 2): identifier 'a' at :2:64\n"
        "        source: probe begin { a[1] = 2; a[1, 2] = 3; a = 4; foreach ([k, l] in a[1]) println(k) }\n"
        "                                                                               ^\n"
        "\n");
}

TEST(ResolveMessages, NeverAssignedGlobal) {
    EXPECT_EQ(diagnose("global g, init = 1\n"
                       "probe begin { printf(\"%d %d\", g, init) }"),
              "WARNING: never-assigned global variable 'g': identifier 'g' at <input>:1:8\n"
              " source: global g, init = 1\n"
              "                ^\n");
}

TEST(ResolveMessages, NeverAssignedLocal) {
    EXPECT_EQ(diagnose("global total\n"
                       "probe begin { printf(\"%d\", totl); total++ }"),
              "WARNING: never-assigned local variable 'totl' (similar: total): identifier 'totl' at <input>:2:28\n"
              " source: probe begin { printf(\"%d\", totl); total++ }\n"
              "                                    ^\n");
}

TEST(ResolveMessages, NoProbes) {
    EXPECT_EQ(diagnose("global g"),
              "semantic error: no probes found\n"
              "          help: a script needs one at least: probe begin { ... }\n"
              "\n");
}

TEST(ResolveMessages, NoSuchFunction) {
    EXPECT_EQ(diagnose("probe kernel.function(\"vfs_raed\") { }\n"
                       "probe kernel.function(\"nfs_*\") { }\n"
                       "probe kprobe.function(\"\") { }"),
              "semantic error: while resolving probe point: identifier 'kernel' at <input>:1:7\n"
              "        source: probe kernel.function(\"vfs_raed\") { }\n"
              "                      ^\n"
              "\n"
              "semantic error: no match (similar functions: vfs_read): string '\"vfs_raed\"' at :1:23\n"
              "        source: probe kernel.function(\"vfs_raed\") { }\n"
              "                                      ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'kernel' at :2:7\n"
              "        source: probe kernel.function(\"nfs_*\") { }\n"
              "                      ^\n"
              "\n"
              "semantic error: no match: string '\"nfs_*\"' at :2:23\n"
              "        source: probe kernel.function(\"nfs_*\") { }\n"
              "                                      ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'kprobe' at :3:7\n"
              "        source: probe kprobe.function(\"\") { }\n"
              "                      ^\n"
              "\n"
              "semantic error: no match: string '\"\"' at :3:23\n"
              "        source: probe kprobe.function(\"\") { }\n"
              "                                      ^\n"
              "\n");
}

TEST(ResolveMessages, OutsideLoop) {
    EXPECT_EQ(diagnose("function f() { continue }\n"
                       "probe begin { while (1) { break }; break; f() }"),
              "semantic error: cannot 'break' outside loop: keyword 'break' at <input>:2:36\n"
              "        source: probe begin { while (1) { break }; break; f() }\n"
              "                                                   ^\n"
              "          help: 'next' ends a handler, 'return' a function\n"
              "\n"
              "semantic error: cannot 'continue' outside loop: keyword 'continue' at :1:16\n"
              "        source: function f() { continue }\n"
              "                               ^\n"
              "          help: 'next' ends a handler, 'return' a function\n"
              "\n");
}

TEST(ResolveMessages, PragmaGlobal) {
    EXPECT_EQ(diagnose("probe begin { f() }", {{"p.stp", "function f() %{ /* pragma:write:missing */ %}"}}),
              "semantic error: embedded code names 'missing', which is not a global variable: identifier 'f' at "
              "DIR/p.stp:1:10\n"
              "        source: function f() %{ /* pragma:write:missing */ %}\n"
              "                         ^\n"
              "\n");
}

TEST(ResolveMessages, PragmaBorrowed) {
    EXPECT_EQ(diagnose("probe begin { f() }", {{"p.stp", "function f:long() %{ /* borrowed */ %}"}}),
              "semantic error: function f is marked 'borrowed' and not ':string': only strings can be lent: "
              "identifier 'f' at DIR/p.stp:1:10\n"
              "        source: function f:long() %{ /* borrowed */ %}\n"
              "                         ^\n"
              "\n");
    EXPECT_EQ(diagnose("probe begin { f() }", {{"p.stp", "function f:string() %{ /* borrowed */ %}"}}), "");
}

TEST(ResolveMessages, PragmaNeeds) {
    EXPECT_EQ(
        diagnose("probe begin { f() }", {{"p.stp", "function f() %{ /* pragma:needs:machine */ tapir_port_cpu(); %}"}}),
        "WARNING: function f calls tapir_port_cpu(), and so needs 'kernel', which it does not declare; write "
        "/* pragma:needs:kernel */: identifier 'f' at DIR/p.stp:1:10\n"
        " source: function f() %{ /* pragma:needs:machine */ tapir_port_cpu(); %}\n"
        "                  ^\n");
    EXPECT_EQ(
        diagnose("probe begin { f() }", {{"p.stp", "function f() %{ /* pragma:needs:kernel */ tapir_port_cpu(); %}"}}),
        "");
    EXPECT_EQ(diagnose("probe begin { f() }", {{"p.stp", "function f() %{ tapir_port_cpu(); %}"}}), "");
}

TEST(ResolveMessages, PragmaStable) {
    EXPECT_EQ(diagnose("probe begin { f() }", {{"p.stp", "function f() %{ /* stable */ %}"}}),
              "semantic error: function f is marked 'stable' and not 'pure': only a function without side effects can "
              "give the same answer all through a probe: identifier 'f' at DIR/p.stp:1:10\n"
              "        source: function f() %{ /* stable */ %}\n"
              "                         ^\n"
              "\n");
    EXPECT_EQ(diagnose("probe begin { f() }", {{"p.stp", "function f() %{ /* stable */ /* pure */ %}"}}), "");
}

TEST(ResolveMessages, PragmaUnknown) {
    EXPECT_EQ(diagnose("probe begin { f() }", {{"p.stp", "function f() %{ /* pragma:unwinde */ /* pragma:vma */ %}"}}),
              "WARNING: function f has an unknown pragma 'pragma:unwinde' (similar: pragma:unwind): identifier 'f' at "
              "DIR/p.stp:1:10\n"
              " source: function f() %{ /* pragma:unwinde */ /* pragma:vma */ %}\n"
              "                  ^\n");
}

TEST(ResolveMessages, SizeOfScalar) {
    EXPECT_EQ(diagnose("global a%, b[5], c%[5]\n"
                       "probe begin { a = b = c[1] = 1 println(a + b + c[1]) }"),
              "semantic error: wrapping not supported for scalars: identifier 'a' at <input>:1:8\n"
              "        source: global a%, b[5], c%[5]\n"
              "                       ^\n"
              "\n"
              "semantic error: used as a scalar here: identifier 'a' at :2:15\n"
              "        source: probe begin { a = b = c[1] = 1 println(a + b + c[1]) }\n"
              "                              ^\n"
              "\n"
              "semantic error: a size is for arrays only: identifier 'b' at :1:12\n"
              "        source: global a%, b[5], c%[5]\n"
              "                           ^\n"
              "\n"
              "semantic error: used as a scalar here: identifier 'b' at :2:19\n"
              "        source: probe begin { a = b = c[1] = 1 println(a + b + c[1]) }\n"
              "                                  ^\n"
              "\n");
}

TEST(ResolveMessages, TargetInFunction) {
    EXPECT_EQ(
        diagnose("function f() { return $count }\n"
                 "probe begin { f() }"),
        "semantic error: there are no target variables at this kind of probe: identifier '$count' at "
        "<input>:1:23\n"
        "        source: function f() { return $count }\n"
        "                                      ^\n"
        "          help: probes of code have them: kernel.function(\"NAME\"), process(\"PATH\").function(\"NAME\")\n"
        "\n"
        "semantic error: function 'f' is called here: identifier 'f' at :2:15\n"
        "        source: probe begin { f() }\n"
        "                              ^\n"
        "\n"
        "semantic error: for the probe begin: keyword 'probe' at :2:1\n"
        "        source: probe begin { f() }\n"
        "                ^\n"
        "\n");
}

TEST(ResolveMessages, TooManyKeys) {
    EXPECT_EQ(diagnose("global a\n"
                       "probe begin { a[1,2,3,4,5,6,7,8,9,10] = 1 }"),
              "semantic error: arrays have at most 9 keys: identifier 'a' at <input>:2:15\n"
              "        source: probe begin { a[1,2,3,4,5,6,7,8,9,10] = 1 }\n"
              "                              ^\n"
              "\n");
}

TEST(ResolveMessages, UnreachableOverload) {
    EXPECT_EQ(
        diagnose("function f(x) { return 1 }\n"
                 "function f(x) { return 2 }\n"
                 "probe begin { println(f(1)) }"),
        "WARNING: function f is never reached: an overload before it has no 'next': identifier 'f' at <input>:2:10\n"
        " source: function f(x) { return 2 }\n"
        "                  ^\n"
        "WARNING: this one always answers: identifier 'f' at :1:10\n"
        " source: function f(x) { return 1 }\n"
        "                  ^\n");
}

TEST(ResolveMessages, UnresolvedFunction) {
    EXPECT_EQ(diagnose("function format(x) { return x }\n"
                       "probe begin { println(formt(1)); frob(); println(format(execnam())) }",
                       {{"c.stp", "function execname() { return \"x\" }"}}),
              "semantic error: unresolved function formt (similar: format): identifier 'formt' at <input>:2:23\n"
              "        source: probe begin { println(formt(1)); frob(); println(format(execnam())) }\n"
              "                                      ^\n"
              "\n"
              "semantic error: unresolved function frob: identifier 'frob' at :2:34\n"
              "        source: probe begin { println(formt(1)); frob(); println(format(execnam())) }\n"
              "                                                 ^\n"
              "\n"
              "semantic error: unresolved function execnam (similar: execname): identifier 'execnam' at :2:57\n"
              "        source: probe begin { println(formt(1)); frob(); println(format(execnam())) }\n"
              "                                                                        ^\n"
              "\n");
}

TEST(ResolveMessages, UnresolvedFunctionSaysWhatToUseInstead) {
    EXPECT_EQ(
        diagnose("probe begin { println(symfileline(1)) println(task_backtrace(1)) }"),
        "semantic error: unresolved function symfileline: source lines of kernel addresses are not known at run "
        "time yet; symdata(), print_syms() and print_backtrace() name function and offset, from which addr2line or "
        "gdb finds the line: identifier 'symfileline' at <input>:1:23\n"
        "        source: probe begin { println(symfileline(1)) println(task_backtrace(1)) }\n"
        "                                      ^\n"
        "\n"
        "semantic error: unresolved function task_backtrace: stacks of other tasks are not walked; backtrace() in "
        "a probe that the task itself hits gives its stack: identifier 'task_backtrace' at :1:47\n"
        "        source: probe begin { println(symfileline(1)) println(task_backtrace(1)) }\n"
        "                                                              ^\n"
        "\n");
}

TEST(ResolveMessages, UnusedFunction) {
    EXPECT_EQ(diagnose("function f() { g() }\n"
                       "function g() { }\n"
                       "probe begin { }"),
              "WARNING: Eliding unused function 'f': identifier 'f' at <input>:1:10\n"
              " source: function f() { g() }\n"
              "                  ^\n"
              "WARNING: Eliding unused function 'g': identifier 'g' at :2:10\n"
              " source: function g() { }\n"
              "                  ^\n");
}

TEST(ResolveMessages, UnusedGlobal) {
    EXPECT_EQ(diagnose("global used, unused\n"
                       "probe begin { println(used++) }"),
              "WARNING: Eliding unused variable 'unused': identifier 'unused' at <input>:1:14\n"
              " source: global used, unused\n"
              "                      ^\n");
}

TEST(ResolveMessages, WrongArgumentCount) {
    EXPECT_EQ(diagnose("function f(x) { return x }\n"
                       "function f(x, y, z) { return x }\n"
                       "probe begin { println(f(1, 2)); println(one()) }",
                       {{"o.stp", "function one(a) { return a }"}}),
              "semantic error: function f takes 1 or 3 arguments, called with 2: identifier 'f' at <input>:3:23\n"
              "        source: probe begin { println(f(1, 2)); println(one()) }\n"
              "                                      ^\n"
              "\n"
              "semantic error: declared here: identifier 'f' at :1:10\n"
              "        source: function f(x) { return x }\n"
              "                         ^\n"
              "\n"
              "semantic error: declared here: identifier 'f' at :2:10\n"
              "        source: function f(x, y, z) { return x }\n"
              "                         ^\n"
              "\n"
              "semantic error: function one takes 1 argument, called with 0: identifier 'one' at :3:41\n"
              "        source: probe begin { println(f(1, 2)); println(one()) }\n"
              "                                                        ^\n"
              "\n"
              "semantic error: declared here: identifier 'one' at DIR/o.stp:1:10\n"
              "        source: function one(a) { return a }\n"
              "                         ^\n"
              "\n");
}

}  // namespace
}  // namespace tapir::resolve
