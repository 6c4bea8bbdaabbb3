// SPDX-License-Identifier: GPL-2.0-or-later
#include "ir/thinning.h"

#include <set>

#include "../optimize/typed_program.h"
#include "ir/lower.h"

namespace tapir {
namespace {

const std::string kTid = "function tid:long() %{ /* pure */ STAP_RETVALUE = 1; %} ";
const std::string kOne = "probe timer.profile ", kOther = "probe perf.type(1).config(0) ";

struct Thinned {
    explicit Thinned(const std::string &script, bool weighted = true)
        : typed((script.find("tid()") == std::string::npos ? "" : kTid) + script) {
        ir::LowerOptions options;
        options.weighted = weighted;
        module = ir::lower(*typed.program, options, typed.diagnostics);
        EXPECT_FALSE(typed.diagnostics.has_errors()) << render_all(typed.diagnostics, false);
    }
    // The globals that get weights.
    std::string weighted() const {
        std::set<std::string> names;
        const auto look = [&](const ir::Body &body) {
            for (const ir::Inst &inst : body.code)
                if (inst.weighted) names.insert(module.globals[static_cast<size_t>(inst.global)].name);
        };
        for (const ir::Handler &h : module.handlers)
            look(h.body);
        for (const ir::Function &f : module.functions)
            look(f.body);
        std::string out;
        for (const std::string &name : names)
            out += name + " ";
        return out;
    }
    // By handler: its number, and > if it follows.
    std::string pairs() const {
        std::string out;
        for (const ir::Handler &h : module.handlers)
            out += std::to_string(h.pair) + (h.follows ? "> " : " ");
        return out;
    }
    test::TypedProgram typed;
    ir::Module module;
};

TEST(Thinning, SamplesAndAdditionsAreWeighted) {
    Thinned t("global s, a, n, m " + kOne +
              "{ s <<< 1; a[tid()] <<< 2; n++; m[tid()] += 3 } probe end { println(n, m[1]) }");
    EXPECT_EQ("a m n s ", t.weighted());
    EXPECT_FALSE(t.module.handlers[0].leaf);
    EXPECT_TRUE(t.module.weighted);
}

TEST(Thinning, NothingIsWithoutABudget) {
    Thinned t("global s, n " + kOne + "{ s <<< 1; n++ }", false);
    EXPECT_EQ("", t.weighted());
    EXPECT_TRUE(t.module.handlers[0].leaf);
    EXPECT_FALSE(t.module.weighted);
}

// Numbers that such probes look at, set or take from are theirs.
TEST(Thinning, NumbersThatProbesUseOtherwiseAreNot) {
    Thinned t("global id, seen, in_flight, last, up " + kOne +
              "{ x = id++; if (seen < 5) seen++; in_flight++; last = x; up += 2 } " + kOther +
              "{ in_flight--; println(last) }");
    EXPECT_EQ("up ", t.weighted());
}

TEST(Thinning, FunctionsAddForTheirCallers) {
    Thinned t("global n, k function add() { n++ } function look() { return k } " + kOne + "{ add(); k++; look() }");
    EXPECT_EQ("n ", t.weighted());
}

// Timers come at their own rate, and may do with the numbers what they like.
TEST(Thinning, TimersMayReset) {
    Thinned t("global n, ticks " + kOne + "{ n++ } probe timer.s(1) { println(n); n = 0; ticks++ }");
    EXPECT_EQ("n ", t.weighted());
}

TEST(Thinning, PairsByTheThread) {
    Thinned t("global t, s " + kOne + "{ t[tid()] = 5 } " + kOther +
              "{ if (tid() in t) { s <<< t[tid()]; delete t[tid()] } } probe timer.s(1) { println(1) }");
    EXPECT_EQ("1 1> 0 ", t.pairs());
}

TEST(Thinning, AVariableMayHoldTheThread) {
    Thinned t("global t " + kOne + "{ id = tid(); t[id, 1] = 5 } " + kOther +
              "{ id = tid(); if (t[id, 1]) delete t[id, 1] }");
    EXPECT_EQ("1 1> ", t.pairs());
}

TEST(Thinning, OtherKeysMakeNoPair) {
    Thinned by_number("global t " + kOne + "{ t[7] = tid() } " + kOther + "{ println(t[7]) }");
    EXPECT_EQ("0 0 ", by_number.pairs());
    Thinned mixed("global t " + kOne + "{ t[tid()] = 5 } " + kOther + "{ println(t[7]) }");
    EXPECT_EQ("0 0 ", mixed.pairs());
    Thinned changing("global t " + kOne + "{ id = tid(); id = id + 1; t[id] = 5 } " + kOther + "{ println(t[tid()]) }");
    EXPECT_EQ("0 0 ", changing.pairs());
}

// Counts by the thread, and a probe that compares its own hits.
TEST(Thinning, OneSideAloneIsNoPair) {
    Thinned counts("global t " + kOne + "{ t[tid()] = 1 } probe end { foreach (id in t) println(id) }");
    EXPECT_EQ("0 0 ", counts.pairs());
    Thinned own("global t " + kOne + "{ if (t[tid()]) println(1); t[tid()] = 5 }");
    EXPECT_EQ("0 ", own.pairs());
}

TEST(Thinning, ChainsAreOneAndOthersAreApart) {
    Thinned t("global a, b, c " + kOne + "{ a[tid()] = 1 } " + kOther + "{ b[tid()] = a[tid()] } " + kOne +
              "{ println(b[tid()]) } " + kOther + "{ c[tid()] = 3 } " + kOne + "{ delete c[tid()] }");
    EXPECT_EQ("1 1> 1> 2 2> ", t.pairs());
}

// The one that finds counts more than what the other has left, which is off.
TEST(Thinning, AProbeThatIsOffHoldsNoOther) {
    const std::string finds = kOther + "{ s <<< 1; delete t[tid()] } ";
    Thinned off("global t, s, on = 1 " + kOne + "if (on) { t[tid()] = 5 } " + finds);
    EXPECT_EQ("0 0 ", off.pairs());
    Thinned other("global t, s, on = 1 " + kOne + "if (on) { t[tid()] = 5 } " + kOne + "{ t[tid()] = 6 } " + finds);
    EXPECT_EQ("1 1 1> ", other.pairs());
}

TEST(Thinning, FunctionsMayHoldASide) {
    Thinned t("global t function begin() { t[tid()] = 1 } function finish() { delete t[tid()] } " + kOne +
              "{ begin() } " + kOther + "{ finish() }");
    EXPECT_EQ("1 1> ", t.pairs());
}

}  // namespace
}  // namespace tapir
