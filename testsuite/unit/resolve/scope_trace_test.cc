// SPDX-License-Identifier: GPL-2.0-or-later
// Which places have the same meaning.
#include "resolve/scope_trace.h"

#include <gtest/gtest.h>

namespace tapir::resolve {
namespace {

// A function with one parameter, which counts the questions.
class OneParameter : public target::Scope {
  public:
    OneParameter(std::string name, int64_t in_register, ctypes::TypeId type = 1) : type_(type) {
        parameter_.name = std::move(name);
        parameter_.place.kind = ctypes::Place::Kind::Register;
        parameter_.place.term = ctypes::register_term(in_register);
    }
    std::vector<target::Variable> variables() const override { return {parameter_}; }
    std::optional<target::Variable> find(std::string_view name) const override {
        ++asked_;
        return name == parameter_.name ? std::optional(parameter_) : std::nullopt;
    }
    std::optional<ctypes::Type> result() const override { return ctypes::Type{nullptr, type_}; }
    std::optional<ctypes::Type> find_type(std::string_view) const override { return std::nullopt; }
    std::optional<int64_t> find_enumerator(std::string_view) const override { return std::nullopt; }
    std::optional<target::Anchor> anchor(uint64_t) const override { return std::nullopt; }
    std::string source() const override { return "test"; }

    target::Variable parameter_;
    ctypes::TypeId type_;
    mutable int asked_ = 0;
};

// As a body would: "@defined($file) ? $file : $return".
void ask(const target::Scope &scope) {
    if (!scope.find("file")) scope.result();
}

void learn(ScopeTraces &traces, const target::Scope &scope, size_t outcome) {
    const TracedScope traced(scope);
    ask(traced);
    traces.add(traced.steps(), outcome);
}

TEST(ScopeTraces, PlacesThatAnswerAlikeAreOne) {
    ScopeTraces traces;
    const OneParameter first("file", 5), same("file", 5), elsewhere("file", 4), other("inode", 5),
        result("inode", 5, 2);
    EXPECT_EQ(traces.find(first), std::nullopt);
    learn(traces, first, 7);
    EXPECT_EQ(traces.find(same), 7u);
    EXPECT_EQ(traces.find(elsewhere), std::nullopt);
    EXPECT_EQ(traces.find(other), std::nullopt);
    learn(traces, other, 8);
    learn(traces, elsewhere, 9);
    EXPECT_EQ(traces.find(other), 8u);
    EXPECT_EQ(traces.find(elsewhere), 9u);
    // Where there is no $file its result counts, where there is one it does not.
    EXPECT_EQ(traces.find(result), std::nullopt);
    EXPECT_EQ(traces.find(OneParameter("file", 5, 2)), 7u);
}

TEST(ScopeTraces, ABodyThatAsksNothingIsTheSameEverywhere) {
    ScopeTraces traces;
    const OneParameter one("file", 5);
    traces.add(TracedScope(one).steps(), 3);
    EXPECT_EQ(traces.find(OneParameter("inode", 4)), 3u);
    EXPECT_EQ(one.asked_, 0);
}

TEST(ScopeTraces, TypesAndPiecesCount) {
    OneParameter whole("file", 5), pieces("file", 5), cut("file", 5);
    pieces.parameter_.place = ctypes::absent("");
    pieces.parameter_.place.kind = ctypes::Place::Kind::Pieces;
    pieces.parameter_.place.pieces = {{whole.parameter_.place, 4}, {whole.parameter_.place, 4}};
    cut.parameter_.place = pieces.parameter_.place;
    cut.parameter_.place.pieces[1].bytes = 2;
    const ScopeQuestion question{ScopeQuestion::Kind::Find, "file", 0};
    EXPECT_EQ(question.answer(whole), question.answer(OneParameter("file", 5)));
    EXPECT_NE(question.answer(whole), question.answer(pieces));
    EXPECT_NE(question.answer(pieces), question.answer(cut));
    cut.parameter_.place = pieces.parameter_.place;
    EXPECT_EQ(question.answer(pieces), question.answer(cut));
    cut.parameter_.type.id = 2;
    EXPECT_NE(question.answer(pieces), question.answer(cut));
}

// A location that is written out without end is not compared.
TEST(ScopeTraces, HugeLocationsAreDifferent) {
    OneParameter huge("file", 5);
    for (int i = 0; i < 40; ++i)
        huge.parameter_.place.term =
            ctypes::make_term(ctypes::TermOp::Multiply, huge.parameter_.place.term, huge.parameter_.place.term);
    const ScopeQuestion question{ScopeQuestion::Kind::Find, "file", 0};
    EXPECT_NE(question.answer(huge), question.answer(huge));
}

class Named : public OneParameter {
  public:
    Named(std::string name, std::string system, std::string provider, bool user)
        : OneParameter("file", 5),
          name_(std::move(name)),
          system_(std::move(system)),
          provider_(std::move(provider)),
          user_(user) {}
    std::string probe_name() const override { return name_; }
    std::optional<std::string> probe_system() const override { return system_; }
    std::optional<std::string> probe_provider() const override { return provider_; }
    bool user() const override { return user_; }

  private:
    std::string name_, system_, provider_;
    bool user_;
};

TEST(ScopeTraces, NamesOfAProbeArePassedOnAndCount) {
    const Named scope("switch", "sched", "clock", true);
    const TracedScope traced(scope);
    EXPECT_EQ(traced.probe_name(), "switch");
    EXPECT_EQ(traced.probe_system(), "sched");
    EXPECT_EQ(traced.probe_provider(), "clock");
    EXPECT_TRUE(traced.user());
    ScopeTraces traces;
    traces.add(traced.steps(), 1);
    EXPECT_EQ(traces.find(Named("switch", "sched", "clock", true)), 1u);
    EXPECT_EQ(traces.find(Named("wakeup", "sched", "clock", true)), std::nullopt);
    EXPECT_EQ(traces.find(Named("switch", "irq", "clock", true)), std::nullopt);
    EXPECT_EQ(traces.find(Named("switch", "sched", "other", true)), std::nullopt);
    EXPECT_EQ(traces.find(Named("switch", "sched", "clock", false)), std::nullopt);
}

}  // namespace
}  // namespace tapir::resolve
