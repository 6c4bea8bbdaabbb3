// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that use $variables: one for each meaning, and what is said where there is none.
#include "resolve/place_functions.h"

#include <algorithm>
#include <cstdlib>

#include "ast/walk.h"
#include "pass2.h"

namespace tapir::resolve {
namespace {

namespace fs = std::filesystem;

constexpr const char *kProgram =
    "volatile long sink;\n"
    "struct in { int a; struct in *next; };\n"
    "__attribute__((noinline)) long one(struct in *p, int count) { sink = p->a + count; return sink; }\n"
    "__attribute__((noinline)) long same(struct in *p, int count) { sink = p->a - count; return sink; }\n"
    "__attribute__((noinline)) long two(struct in *p, long length) { sink = p->a + length; return sink; }\n"
    "int main(void) { struct in i = {1, 0}; return one(&i, 7) + same(&i, 7) + two(&i, 8); }\n";

class PlaceFunctionsTest : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        std::string pattern = testing::TempDir() + "tapir-place-XXXXXX";
        root_ = mkdtemp(pattern.data());
        std::ofstream(root_ / "p.c") << kProgram;
        compiled_ = std::system(("cd " + root_.string() + " && gcc -g -O1 -o p p.c").c_str()) == 0;
    }
    static void TearDownTestSuite() { fs::remove_all(root_); }
    void SetUp() override {
        ASSERT_TRUE(compiled_);
        target::DebugSources sources;
        sources.release = "test";
        sources.root = root_ / "none";
        sources.debug_dir = root_ / "none";
        debug_ = std::make_unique<target::DebugInfo>(sources);
        pass_.options.debug = debug_.get();
    }

    // A script in which ONE, SAME and TWO are probe points; what is reported, with PATH for the program's.
    std::string elaborate(std::string text) {
        for (const auto &[word, name] : {std::pair("ONE", "one"), {"SAME", "same"}, {"TWO", "two"}})
            replace(text, word, point(name));
        program_ = &pass_.elaborate({text});
        std::string reported = pass_.reported();
        replace(reported, (root_ / "p").string(), "PATH");
        return reported;
    }
    static std::string point(const std::string &name) {
        return "process(\"" + (root_ / "p").string() + "\").function(\"" + name + "\")";
    }
    static void replace(std::string &text, const std::string &what, const std::string &by) {
        for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
            text.replace(at, what.size(), by);
    }

    // The functions of the script of one name in the program, as they begin: "f(x)".
    std::vector<std::string> functions(const std::string &name) const {
        std::vector<std::string> found;
        for (const ast::Function *function : program_->functions) {
            if (function->name != name) continue;
            std::string text = function->unique_name + "(";
            for (const ast::Param &parameter : function->params)
                text += (text.back() == '(' ? "" : ", ") + parameter.name;
            found.push_back(text + ")");
        }
        return found;
    }
    // The calls of the n-th handler, in order, with numbers of arguments: "f__2/1".
    std::vector<std::string> calls(size_t handler) const { return calls(*program_->handlers.at(handler)->body); }
    static std::vector<std::string> calls(const ast::Stmt &body) {
        std::vector<std::string> found;
        ast::each_expr(body, [&](const ast::Expr &e) {
            if (e.kind != ast::ExprKind::Call) return;
            const auto &call = static_cast<const ast::Call &>(e);
            for (const ast::Function *candidate : call.candidates)
                found.push_back(candidate->unique_name + "/" + std::to_string(call.args.size()));
        });
        return found;
    }
    const ast::Function &function(const std::string &unique_name) const {
        return **std::find_if(program_->functions.begin(), program_->functions.end(),
                              [&](const ast::Function *f) { return f->unique_name == unique_name; });
    }

    using Texts = std::vector<std::string>;
    Pass2 pass_;
    std::unique_ptr<target::DebugInfo> debug_;
    const Program *program_ = nullptr;

  private:
    static inline fs::path root_;
    static inline bool compiled_ = false;
};

TEST_F(PlaceFunctionsTest, EachProbeHasItsOwnMeaning) {
    EXPECT_EQ("", elaborate("function f() { return @defined($count) ? $count : $length }\n"
                            "probe ONE { println(f()) } probe TWO { println(f()) }"));
    EXPECT_EQ((Texts{"f()", "f__2()"}), functions("f"));
    EXPECT_EQ(Texts{"f/0"}, calls(0));
    EXPECT_EQ(Texts{"f__2/0"}, calls(1));
    EXPECT_NE(ast::print(*function("f").body), ast::print(*function("f__2").body));
}

TEST_F(PlaceFunctionsTest, OneMeaningIsOneFunction) {
    EXPECT_EQ("", elaborate("function f() { return $p->a } function g(x) { return x + 1 }\n"
                            "probe ONE { println(f(), g(1)) } probe SAME { println(g(f())) } probe TWO { f() }"));
    EXPECT_EQ(Texts{"f()"}, functions("f"));
    EXPECT_EQ(Texts{"g(x)"}, functions("g"));
}

TEST_F(PlaceFunctionsTest, FunctionsThatCallSuchFunctionsAreSuch) {
    EXPECT_EQ("", elaborate("function f() { return @defined($count) } function g() { return f() }\n"
                            "function h(x) { return x ? h(x - 1) : g() }\n"
                            "probe ONE { println(h(1)) } probe TWO { println(h(2)) }"));
    EXPECT_EQ((Texts{"h(x)", "h__2(x)"}), functions("h"));
    EXPECT_EQ((Texts{"h__2/1", "g__2/0"}), calls(*function("h__2").body));
    EXPECT_EQ((Texts{"f__2/0"}), calls(*function("g__2").body));
    EXPECT_EQ("{\n    return 1;\n}\n", ast::print(*function("f").body));
    EXPECT_EQ("{\n    return 0;\n}\n", ast::print(*function("f__2").body));
}

TEST_F(PlaceFunctionsTest, FunctionsThatCallEachOther) {
    EXPECT_EQ("", elaborate("function f(n) { if (n) g(n - 1) println(@defined($count)) } function g(n) { f(n) }\n"
                            "probe ONE { f(1) } probe TWO { g(1) }"));
    EXPECT_EQ((Texts{"g/1"}), calls(*function("f").body));
    EXPECT_EQ((Texts{"f/1"}), calls(*function("g").body));
    EXPECT_EQ((Texts{"f__2/1"}), calls(*function("g__2").body));
    EXPECT_EQ((Texts{"g__2/1"}), calls(*function("f__2").body));
}

TEST_F(PlaceFunctionsTest, WhatTheEntryLeavesIsHandedOn) {
    EXPECT_EQ("", elaborate("global k function f(x) { return x + $count + $return } function g() { return f(1) }\n"
                            "function e() { return $p->a + k }\n"
                            "probe ONE.return { println(g()); println(@entry(e())); println($p->a); k++ }"));
    EXPECT_EQ(Texts{"f(x, @entry2)"}, functions("f"));
    EXPECT_EQ(Texts{"g(@entry2)"}, functions("g"));
    EXPECT_EQ(Texts{"e()"}, functions("e"));
    EXPECT_EQ(Texts{"e/0"}, calls(0));  // of the entry
    EXPECT_EQ(Texts{"g/1"}, calls(1));
    EXPECT_EQ(Texts{"f/2"}, calls(*function("g").body));
}

TEST_F(PlaceFunctionsTest, OverloadsAreTriedWithTheSameArguments) {
    pass_.options.guru = true;
    EXPECT_EQ("", elaborate("function f(x) { if (x) next println($count) } function f(x) %{ %}\n"
                            "probe ONE.return { f(1) }"));
    EXPECT_EQ((Texts{"f(x, @entry0)", "f__2(x, @entry0)"}), functions("f"));
    EXPECT_EQ((Texts{"f/2", "f__2/2"}), calls(1));
}

TEST_F(PlaceFunctionsTest, NobodyCallsIt) {
    EXPECT_EQ(
        "WARNING: Eliding unused function 'f': identifier 'f' at <input>:1:10\n"
        " source: function f() { println($count, $$vars) } probe begin { println(1) }\n"
        "                  ^\n",
        elaborate("function f() { println($count, $$vars) } probe begin { println(1) }"));
}

TEST_F(PlaceFunctionsTest, MessagesNameTheWay) {
    EXPECT_EQ(
        "semantic error: unable to find local 'count' (alternatives: $p, $length): identifier '$count' at "
        "<input>:1:23\n"
        "        source: function f() { return $count }\n"
        "                                      ^\n"
        "\n"
        "semantic error: function 'f' is called here: identifier 'f' at :2:24\n"
        "        source: function g() { println(f()) }\n"
        "                                       ^\n"
        "\n"
        "semantic error: function 'g' is called here: identifier 'g' at :4:2\n"
        "        source:  g() }\n"
        "                 ^\n"
        "\n"
        "semantic error: for the probe process(\"PATH\").function(\"two\"): keyword 'probe' at :3:1\n"
        "        source: probe process(\"PATH\").function(\"two\") {\n"
        "                ^\n"
        "\n",
        elaborate("function f() { return $count }\n"
                  "function g() { println(f()) }\n"
                  "probe TWO {\n"
                  " g() }\n"
                  "probe ONE { g() }"));
}

TEST_F(PlaceFunctionsTest, BadOnesAreSkippedOnRequest) {
    pass_.options.skip_badvars = true;
    EXPECT_EQ(
        "WARNING: unable to find local 'none' (alternatives: $p, $count); it reads as 0: identifier '$none' at "
        "<input>:1:23\n"
        " source: function f() { return $none }\n"
        "                               ^\n"
        "WARNING: function 'f' is called here: identifier 'f' at :3:12\n"
        " source:  { println(f()) }\n"
        "                    ^\n"
        "WARNING: for the probe process(\"PATH\").function(\"one\"): keyword 'probe' at :2:1\n"
        " source: probe process(\"PATH\").function(\"one\")\n"
        "         ^\n",
        elaborate("function f() { return $none }\nprobe ONE\n { println(f()) }"));
}

TEST_F(PlaceFunctionsTest, WhatNeverRunsNeedNotBeThere) {
    pass_.options.drop_unused = true;
    const std::string written =
        "function f() { if (0 || @defined($length)) { println($length, gone()) } x = $none return 1 }\n"
        "function g() { if (@defined(h(1))) return h(1) return f() } function h() { return $none }\n";
    elaborate(written + "probe ONE { println(f(), g()) }");
    EXPECT_FALSE(pass_.diagnostics.has_errors());
    EXPECT_EQ(Texts{"f()"}, functions("f"));
    EXPECT_EQ("{\n    return 1;\n}\n", ast::print(*function("f").body));
}

TEST_F(PlaceFunctionsTest, WritingNeedsGuru) {
    const std::string script = "function f(v) { $count = v }\nprobe ONE\n{ f(1) }";
    EXPECT_EQ(
        "semantic error: write to target variable not permitted; need stap -g: identifier '$count' at <input>:1:17\n"
        "        source: function f(v) { $count = v }\n"
        "                                ^\n"
        "\n"
        "semantic error: function 'f' is called here: identifier 'f' at :3:3\n"
        "        source: { f(1) }\n"
        "                  ^\n"
        "\n"
        "semantic error: for the probe process(\"PATH\").function(\"one\"): keyword 'probe' at :2:1\n"
        "        source: probe process(\"PATH\").function(\"one\")\n"
        "                ^\n"
        "\n",
        elaborate(script));
    pass_.diagnostics.drop_since(0);
    pass_.options.guru = true;
    EXPECT_EQ("", elaborate(script));
}

TEST(PlaceFunctionsOfTapsets, SeeTheirOwnFile) {
    Pass2 pass(Tapsets{{"t.stp",
                        "private global kept\n"
                        "private function inner() { kept++ return @defined($x) }\n"
                        "function of_tapset() { return inner() + kept }\n"}});
    pass.elaborate({"global kept probe begin { kept = 1 println(of_tapset(), kept) }"});
    EXPECT_EQ("", pass.reported());
    std::string names;
    for (const ast::Function *function : pass.program->functions)
        names += function->unique_name + " " + ast::print(*function->body);
    EXPECT_EQ("of_tapset {\n    return (inner() + kept);\n}\ninner {\n    (kept++);\n    return 0;\n}\n", names);
    EXPECT_EQ(2U, pass.program->globals.size());
}

TEST(CallNeedsTest, LongChainsAreLookedAtOnce) {
    std::string text = "function f0() { return $x }\n";
    const int last = 20000;
    for (int i = 1; i <= last; ++i)
        text += "function f" + std::to_string(i) + "() { return f" + std::to_string(i - 1) + "() }\n";
    Pass2 pass;
    auto file = pass.parse(text + "function g() { return 1 } function h() { return @cast(1, \"t\")->a + g() }\n");
    Declarations declarations({file.get()}, pass.library(), pass.diagnostics);
    CallNeeds needs(declarations);
    const auto of = [&](const std::string &name) { return needs.of(*declarations.functions(name, *file).front()); };
    EXPECT_EQ(Needs::Place, of("f" + std::to_string(last)));
    EXPECT_EQ(Needs::Place, of("f0"));
    EXPECT_EQ(Needs::Nothing, of("g"));
    EXPECT_EQ(Needs::Module, of("h"));
}

}  // namespace
}  // namespace tapir::resolve
