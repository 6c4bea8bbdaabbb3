// SPDX-License-Identifier: GPL-2.0-or-later
// The results of inference, as -p2 shows them.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "infer_script.h"
#include "unit/target/btf_writer.h"

namespace tapir::types {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Infer, TypesOfGlobalsComeFromTheirUse) {
    EXPECT_EQ(show("global a, b[10], c%[5], d, e = \"x\", f\n"
                   "probe begin { a = 1; b[\"x\", 2] = \"y\"; c[1] <<< 3; d <<< 4; f[e] = a; println(a, b[\"x\", 2], "
                   "@count(c[1]), @sum(d), f[\"\"]) }"),
              "# globals\na:long\nb[10]:string [string, long]\nc%[5]:stats [long]\nd:stats\ne:string\nf:long [string]\n"
              "# probes\nbegin /* <- begin */\n");
}

TEST(Infer, TypesTravelThroughCallsInBothDirections) {
    EXPECT_EQ(show("function id(x) { return x }\nfunction twice(x) { return id(x) . id(x) }\nfunction nothing(x) { "
                   "println(x) }\n"
                   "probe begin { v = twice(\"a\"); nothing(v) }"),
              "# functions\nid:string (x:string)\ntwice:string (x:string)\nnothing:unknown (x:string)\n"
              "# probes\nbegin /* <- begin */\n  # locals\n  v:string\n");
}

TEST(Infer, RecursionEnds) {
    EXPECT_EQ(show("function fact(n) { return n < 2 ? 1 : n * fact(n - 1) }\nprobe begin { println(fact(5)) }"),
              "# functions\nfact:long (n:long)\n# probes\nbegin /* <- begin */\n");
}

TEST(Infer, ALaterUseSettlesAnEarlierOne) {
    EXPECT_EQ(show("global g\nprobe begin { x = g; y = x }\nprobe end { g = \"s\" }\nprobe never { println(g) }"),
              "# globals\ng:string\n# probes\nbegin /* <- begin */\n  # locals\n  x:string\n  y:string\n"
              "end /* <- end */\nnever /* <- never */\n");
}

TEST(Infer, LoopsBindKeysAndValues) {
    EXPECT_EQ(show("global a\nprobe begin { a[\"x\", 1] = 2; foreach (v = [s, n] in a) println(s, n, v) }"),
              "# globals\na:long [string, long]\n# probes\nbegin /* <- begin */\n  # locals\n  s:string\n  n:long\n  "
              "v:long\n");
    EXPECT_EQ(show("global s\nprobe begin { s <<< 1; foreach (b in @hist_log(s)) println(b, @hist_log(s)[b]) }"),
              "# globals\ns:stats\n# probes\nbegin /* <- begin */\n  # locals\n  b:long\n");
}

TEST(Infer, TernaryAndAssignmentsAreValues) {
    EXPECT_EQ(show("probe begin { a = b = 1 ? \"x\" : \"y\"; c = (a . b) == \"xx\"; d = !c; println(a, b, c, d) }"),
              "# probes\nbegin /* <- begin */\n  # locals\n  b:string\n  a:string\n  c:long\n  d:long\n");
}

TEST(Infer, CaughtErrorsAreStrings) {
    EXPECT_EQ(show("probe begin { try { x = 1 / 0 } catch (e) { println(e, x) } }"),
              "# probes\nbegin /* <- begin */\n  # locals\n  x:long\n  e:string\n");
}

TEST(Infer, EmbeddedCFunctionsTakeTheirDeclaredTypes) {
    EXPECT_EQ(show("probe begin { println(f(1, \"x\")); p(3) }", false,
                   {{"c.stp",
                     "function f:string (a:long, b:string) %{ STAP_RETVALUE[0] = 0; %}\nfunction p(x) %{ "
                     "(void)STAP_ARG_x; %}"}}),
              "# functions\nf:string (a:long, b:string)\np:unknown (x:long)\n# probes\nbegin /* <- begin */\n");
}

TEST(Infer, OverloadsShareTheirTypes) {
    EXPECT_EQ(show("function f(x) { if (x == \"\") next; return 1 }\nfunction f(x) { return 2 }\nprobe begin { "
                   "println(f(\"a\")) }"),
              "# functions\nf:long (x:string)\nf__2:long (x:string)\n# probes\nbegin /* <- begin */\n");
}

TEST(Infer, DeletedOrTestedGlobalsNeedNoValue) {
    EXPECT_EQ(show("global a\nprobe begin { a[1] = 1; delete a; if (2 in a) delete a[2]; if ([*] in a) next }"),
              "# globals\na:long [long]\n# probes\nbegin /* <- begin */\n");
}

TEST(Infer, StatisticsKeepWhatIsAskedOfThem) {
    Pass2 pass;
    ASSERT_TRUE(infer_script(
        pass,
        "global a, b, c, d\n"
        "probe begin { a <<< 1; b <<< 1; c <<< 1; d[1] <<< 1 }\n"
        "probe end { println(@avg(a)); println(@max(b), @variance(b, 5)); print(@hist_linear(c, -10, 90, 10))\n"
        "  print(@hist_log(c)); print(@hist_loglinear(c, 0, 6, 20)); print(@hist_log(c)); println(@median(c))\n"
        "  foreach (k in d @min-) println(k) }"));
    const ast::StatUse &a = pass.program->globals[0]->stat, &b = pass.program->globals[1]->stat;
    const ast::StatUse &c = pass.program->globals[2]->stat, &d = pass.program->globals[3]->stat;
    EXPECT_TRUE(a.count && a.sum && !a.min_max && !a.variance && !a.sketch && a.hists.empty());
    EXPECT_TRUE(b.min_max && b.variance && !b.sum);
    using Kind = ast::HistShape::Kind;
    EXPECT_THAT(c.hists, ElementsAre(ast::HistShape{Kind::Linear, -10, 90, 10}, ast::HistShape{},
                                     ast::HistShape{Kind::LogLinear, 0, 6, 20}));
    EXPECT_TRUE(c.sketch);
    EXPECT_TRUE(d.min_max && !d.count);
}

TEST(Autoprint, GlobalsThatAreNeverReadArePrintedAtTheEnd) {
    EXPECT_EQ(
        show("global n, s, st, a, unread_array\nprobe begin { n++; s = \"x\"; st <<< 1; a[1, \"k\"] = \"v\"; "
             "unread_array[2] <<< 5 }",
             true),
        "# globals\nn:long\ns:string\nst:stats\na:string [long, string]\nunread_array:stats [long]\n"
        "# probes\nbegin /* <- begin */\n"
        "{\n    {\n        (n++);\n        (s = \"x\");\n        (st <<< 1);\n        (a[1, \"k\"] = \"v\");\n        "
        "(unread_array[2] <<< 5);\n    }\n}\n"
        "end /* <- end */\n{\n    printf(\"n=%d\\n\", n);\n}\n"
        "end /* <- end */\n{\n    printf(\"s=\\\"%s\\\"\\n\", s);\n}\n"
        "end /* <- end */\n{\n    if (@count(st))\n"
        "        printf(\"st @count=%d @min=%d @max=%d @sum=%d @avg=%d\\n\", @count(st), @min(st), @max(st), "
        "@sum(st), @avg(st));\n"
        "    else\n        printf(\"st @count=0\\n\");\n}\n"
        "end /* <- end */\n  # locals\n  key1:long\n  key2:string\n"
        "{\n    foreach ([key1, key2] in a-)\n        printf(\"a[%d,\\\"%s\\\"]=\\\"%s\\\"\\n\", key1, key2, a[key1, "
        "key2]);\n}\n"
        "end /* <- end */\n  # locals\n  key1:long\n"
        "{\n    foreach ([key1] in unread_array-)\n        if (@count(unread_array[key1]))\n"
        "            printf(\"unread_array[%d] @count=%d @min=%d @max=%d @sum=%d @avg=%d\\n\", key1, "
        "@count(unread_array[key1]), "
        "@min(unread_array[key1]), @max(unread_array[key1]), @sum(unread_array[key1]), @avg(unread_array[key1]));\n"
        "        else\n            printf(\"unread_array[%d] @count=0\\n\", key1);\n}\n");
}

TEST(Autoprint, NotForGlobalsOfTapsetsNorWhenSwitchedOff) {
    Pass2 pass(Tapsets{{"lib.stp", "global g\nfunction f() { g++ }"}});
    ASSERT_TRUE(infer_script(pass, "probe begin { f() }"));
    EXPECT_EQ(pass.program->handlers.size(), 1u);
    Pass2 off;
    ASSERT_TRUE(infer_script(off, "global g\nprobe begin { g++ }", {false}));
    EXPECT_EQ(off.program->handlers.size(), 1u);
}

TEST(Autoprint, CountsWhatItReads) {
    Pass2 pass;
    ASSERT_TRUE(infer_script(pass, "global s\nprobe begin { s <<< 1 }"));
    const ast::StatUse &use = pass.program->globals[0]->stat;
    EXPECT_TRUE(use.count && use.sum && use.min_max);
}

TEST(Report, BodiesAndConditionsAndEmbeddedCode) {
    EXPECT_EQ(show("global on = 1\nfunction f(x) { return x }\nprobe begin if (on) { println(f(2)) }", true),
              "# globals\non:long = 1\n# functions\nf:long (x:long)\n{\n    return x;\n}\n"
              "# probes\nbegin /* <- begin */\n  # condition\n  on\n{\n    {\n        println(f(2));\n    }\n}\n");
}

TEST(Report, FunctionWildcardsSayHowMany) {
    EXPECT_EQ(show("probe kernel.function(\"vfs_*\") { }"),
              "# probes\nkernel.function(\"vfs_open\") and 2 more /* <- kernel.function(\"vfs_*\") */\n");
    EXPECT_EQ(show("probe v { }", false, {{"v.stp", "probe v = kernel.function(\"vfs_read\") { }"}}),
              "# probes\nkernel.function(\"vfs_read\") /* <- kernel.function(\"vfs_read\") <- v */\n");
}

std::vector<std::string> list(const std::string &pattern, bool variables, bool instances = false) {
    Pass2 pass(Tapsets{{"v.stp",
                        "probe vfs.read = kernel.function(\"vfs_read\") { name = \"read\"; size = 1; _x = name }\n"
                        "probe vfs.both = vfs.read, begin { more = 1 }\n"
                        "probe vfs.gone = kernel.function(\"missing\") { }"}});
    return list_probes(pass.parse("probe " + pattern + " { }"), pass.library(), pass.options, variables, instances);
}

TEST(Report, ListsPointsAndAliases) {
    EXPECT_THAT(list("kernel.function(\"vfs_*\")", false),
                ElementsAre("kernel.function(\"vfs_open\")", "kernel.function(\"vfs_read\")",
                            "kernel.function(\"vfs_write\")"));
    EXPECT_THAT(list("vfs.*", false), ElementsAre("vfs.both", "vfs.read"));
    EXPECT_THAT(list("vfs.*.call", false), ElementsAre("vfs.both.call", "vfs.read.call"));
    EXPECT_THAT(list("b*", false), ElementsAre("begin"));
    EXPECT_THAT(list("nothing", false), IsEmpty());
    EXPECT_THAT(list("kernel.function(\"none*\")", false), IsEmpty());
}

// With BTF of a kernel made for tests, which has vfs_read() and vfs_write() with the same parameters.
TEST(Report, ListsTargetVariablesWithTheirTypes) {
    std::string root = std::filesystem::temp_directory_path() / "tapir-list-XXXXXX";
    ASSERT_NE(mkdtemp(root.data()), nullptr);
    std::filesystem::create_directories(root + "/sys/kernel/btf");
    target::BtfWriter kernel;
    kernel.sample();
    std::ofstream(root + "/sys/kernel/btf/vmlinux") << kernel.blob();
    target::DebugSources sources;
    sources.release = "1.2.3";
    sources.root = root;
    sources.arch = "x86_64";
    sources.running = true;
    const target::DebugInfo debug(std::move(sources));
    const auto listed = [&](const std::string &point) {
        Pass2 pass(Tapsets{
            {"v.stp", "probe either = kernel.function(\"vfs_read\"), kernel.trace(\"file_opened\") { x = 1 }"}});
        pass.options.debug = &debug;
        return list_probes(pass.parse("probe " + point + " { }"), pass.library(), pass.options, true);
    };
    const std::string parameters = "$file:struct file* $buf:char* $count:unsigned int $pos:loff_t*";
    EXPECT_THAT(listed("kernel.function(\"vfs_[rw]*\")"), ElementsAre("kernel.function(\"vfs_read\") " + parameters,
                                                                      "kernel.function(\"vfs_write\") " + parameters));
    EXPECT_THAT(listed("kernel.function(\"vfs_read\").return"),
                ElementsAre("kernel.function(\"vfs_read\").return $return:long int " + parameters));
    EXPECT_THAT(listed("kernel.trace(\"*\")"),
                ElementsAre("kernel.trace(\"file_opened\") $on:_Bool $file:struct file*"));
    // Variables that all points have.
    EXPECT_THAT(listed("either"), ElementsAre("either x:long $file:struct file*"));
    std::filesystem::remove_all(root);
}

TEST(Report, ListsTheVariablesAllExpansionsProvide) {
    EXPECT_THAT(list("vfs.read", true), ElementsAre("vfs.read name:string size:long _x:string"));
    EXPECT_THAT(list("vfs.both", true), ElementsAre("vfs.both more:long"));
}

TEST(Report, ListsEveryInstance) {
    EXPECT_THAT(list("kernel.function(\"vfs_r*\")", false, true),
                ElementsAre("kernel.function(\"vfs_read\") /* pc=vfs_read+0x0 */"));
    EXPECT_THAT(
        list("vfs.b*", true, true),
        ElementsAre("vfs.both more:long", "vfs.both /* pc=vfs_read+0x0 */ name:string size:long _x:string more:long"));
}

class WrittenAliases final : public library::AliasSource {
  public:
    std::span<const std::string_view> roots() const override { return kRoots; }
    const std::vector<Name> &names(std::string_view) override { return names_; }
    std::string text(const std::string &dotted) override {
        return "probe " + dotted + " = begin { }\n" + (dotted == "w.one" ? "probe w.one = end { }\n" : "");
    }

  private:
    static constexpr std::string_view kRoots[] = {"w"};
    const std::vector<Name> names_ = {{"w.one", true}, {"w.again", false}};
};

TEST(Report, DumpsFunctionsAndAliases) {
    Pass2 pass(Tapsets{
        {"v.stp",
         "function f:long (a:string, b) %{ /* unprivileged */ /* pure */ STAP_RETVALUE = 1; %}\nfunction _g() { }\n"
         "private function h() { }\nprobe a.b = begin?, end! { }\nprobe _c = begin { }"}});
    EXPECT_THAT(dump_functions(pass.library(), false), ElementsAre("f:long (a:string, b:unknown) /* unprivileged */"));
    EXPECT_THAT(dump_functions(pass.library(), true),
                ElementsAre("_g:unknown ()", "f:long (a:string, b:unknown) /* unprivileged */ /* pure */"));
    pass.library().add_aliases(std::make_unique<WrittenAliases>());
    EXPECT_THAT(dump_aliases(pass.library(), false), ElementsAre("a.b = begin?, end!", "w.one = begin", "w.one = end"));
    EXPECT_THAT(dump_aliases(pass.library(), true),
                ElementsAre("_c = begin", "a.b = begin?, end!", "w.again = begin", "w.one = begin", "w.one = end"));
}

}  // namespace
}  // namespace tapir::types
