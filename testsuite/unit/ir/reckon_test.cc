// SPDX-License-Identifier: GPL-2.0-or-later
// The estimated work of a script's parts. An operation without a charge fails here.
#include "ir/reckon.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "../optimize/typed_program.h"
#include "ir/lower.h"
#include "testsuite/trees.h"

namespace tapir {
namespace {

int64_t work(const ir::Body &body) {
    int64_t sum = 0;
    for (const ir::Inst &inst : body.code)
        if (inst.op == ir::Op::Work) sum += inst.a.n;
    return sum;
}

size_t looks(const ir::Body &body) {
    return static_cast<size_t>(std::count_if(body.code.begin(), body.code.end(),
                                             [](const ir::Inst &inst) { return inst.op == ir::Op::Work; }));
}

ir::Module lowered(const std::string &script, const ir::LowerOptions &options = {}) {
    std::string functions;
    if (script.find("length(") != std::string::npos)
        functions += "function length:long (s:string) %{ /* pure */ STAP_RETVALUE = s != NULL; %} ";
    if (script.find("same(") != std::string::npos) functions += "function same(x) { return x } ";
    test::TypedProgram typed(functions + script);
    return ir::lower(*typed.program, options, typed.diagnostics);
}

std::string terms(int count, const std::string &term) {
    std::string list = term;
    for (int i = 1; i < count; ++i)
        list += " + " + term;
    return list;
}

const std::string kProbe = "global s, t, n probe timer.hz(1) { s = \"\" t = \"\" n = 0 ";
// Does the C of a file define the function itself? Definitions begin a line.
bool defines(const std::string &text, const std::string &name) {
    return std::regex_search(text, std::regex("(^|\\n)[A-Za-z][^\\n;=]*[ *]" + name + "\\("));
}

// Every function of the runtime that the library's C calls is in the table.
TEST(Work, LibrarysCallsAreKnown) {
    size_t calls = 0;
    for (const auto &entry : std::filesystem::directory_iterator(source_dir() + "/tapsets")) {
        if (entry.path().extension() != ".stp") continue;
        std::ifstream file(entry.path());
        std::stringstream text;
        text << file.rdbuf();
        const std::string all = text.str();
        for (size_t at = all.find("%{"); at != std::string::npos; at = all.find("%{", at)) {
            const size_t end = all.find("%}", at);
            for (const std::string &name : ir::runtime_calls(all.substr(at, end - at))) {
                if (defines(all, name)) continue;
                EXPECT_GE(ir::runtime_work(name), 0) << name << " in " << entry.path();
                calls++;
            }
            at = end;
        }
    }
    EXPECT_GT(calls, 300u);
}

TEST(Work, OrdinaryStatementsAreNotCharged) {
    for (const char *statement : {"n++", "n = n * 3 + 1", "if (s == \"cat\") n++", "printf(\"%d %d\\n\", n, n)"})
        EXPECT_EQ(looks(lowered(kProbe + "for (i = 0; i < n; i++) " + statement + " }").handlers.at(0).body), 0u)
            << statement;
}

// A short handler without loops needs no look, even if its statements take long.
TEST(Work, SmallHandlersAreNotCharged) {
    const std::string little = "n = (s == t) + (s . t == t) ";
    std::string many;
    for (int i = 0; i < 30; ++i)
        many += little;
    EXPECT_EQ(looks(lowered(kProbe + little + "}").handlers.at(0).body), 0u);
    EXPECT_EQ(looks(lowered(kProbe + many + "}").handlers.at(0).body), 30u);
}

// A thousand of anything are charged, and looked at in between.
TEST(Work, WideExpressionsAreCharged) {
    for (const char *term : {"n / i", "(s == t)", "length(s . t)", "length(sprintf(\"%s\", s))", "length(s)",
                             "(i ? n / i : i / n)", "(i && n / i || i / n)"}) {
        const ir::Module one = lowered(kProbe + "for (i = 1; i < 9; i++) n = " + terms(300, term) + " }");
        const ir::Module many = lowered(kProbe + "for (i = 1; i < 9; i++) n = " + terms(900, term) + " }");
        EXPECT_GT(work(one.handlers.at(0).body) * 4, work(many.handlers.at(0).body)) << term;
        EXPECT_LT(work(one.handlers.at(0).body) * 2, work(many.handlers.at(0).body)) << term;
        const int64_t all = work(many.handlers.at(0).body);
        EXPECT_GE(static_cast<int64_t>(looks(many.handlers.at(0).body)),
                  all > ir::kLongWork ? all / (2 * ir::kWorkAtOnce) : 1)
            << term;
    }
}

// Conditions and steps are charged in each turn, and each way through a long expression by itself.
TEST(Work, TurnsAndBranchesAreCharged) {
    const std::string wide = terms(300, "length(s)");
    for (const std::string &statement :
         {"while (" + wide + ") n++", "for (i = 1; n; i = " + wide + ") n++", "if (" + wide + ") n++",
          "n = i ? " + wide + " : 1", "n = i ? 1 : " + wide, "n = i && " + wide, "same(" + wide + ")"}) {
        const ir::Module m = lowered(kProbe + "i = 1 " + statement + " }");
        EXPECT_GT(work(m.handlers.at(0).body), 300 * 500) << statement.substr(0, 20);
        EXPECT_GT(looks(m.handlers.at(0).body), 2u) << statement.substr(0, 20);
    }
}

// Functions that can end so say it, so that their callers notice.
TEST(Work, FunctionsThatTakeLongCanFail) {
    const ir::Module m = lowered("function f(i) { x = " + terms(900, "100 / (i + 1)") +
                                 " return x } function g(i) { return i }" + kProbe + "n = f(n) + g(n) }");
    for (const ir::Function &f : m.functions)
        if (!f.embedded) {
            EXPECT_EQ(f.can_fail, looks(f.body) > 0) << f.name;
        }
}

// Long strings are looked at where they are made; how long they are is known there.
TEST(Work, LongStringsAreLookedAt) {
    const std::string script = kProbe + "s = s . t if (s == t) n++ }";
    EXPECT_EQ(looks(lowered(script).handlers.at(0).body), 0u);
    ir::LowerOptions options;
    options.defines["MAXSTRINGLEN"] = "32768";
    EXPECT_GT(looks(lowered(script, options).handlers.at(0).body), 3u);
}

TEST(Work, EmbeddedCSaysWhatItTakes) {
    const auto cost = [](const std::string &code) {
        test::TypedProgram typed("function f() %{ " + code + " %} probe begin { f() }");
        return ir::embedded_work(*typed.program->functions.at(0));
    };
    EXPECT_EQ(cost("/* pragma:work:70000 */ spin();"), 70000);
    EXPECT_GT(cost("for (;;) ;"), cost(";"));
    EXPECT_GT(cost(";"), 0);
}

}  // namespace
}  // namespace tapir
