// SPDX-License-Identifier: GPL-2.0-or-later
// Members of values that have got a type.
#include "resolve/autocast.h"

#include "fake_scope.h"
#include "resolve/names.h"

namespace tapir::resolve {
namespace {

class Autocast : public testing::Test, protected AtPlace {
  protected:
    Autocast() {
        scope.parameter("p", scope.types.self_, FakeScope::in_register(5));
        scope.parameter("n", scope.types.int_, FakeScope::in_register(4));
        scope.local("here", scope.types.thing_, FakeScope::on_stack(16));
    }

    static ContextOptions context(const TargetPlace &place) {
        ContextOptions options;
        options.place = place;
        options.put_off = true;
        return options;
    }

    // The body of the probe of a script when all is resolved, or messages.
    std::string body(const std::string &text) {
        pass.options.guru = place.guru;
        std::vector<std::unique_ptr<ast::File>> files;
        files.push_back(pass.parse(text));
        ast::File &script = *files.front();
        Declarations declarations({&script}, pass.library(), pass.diagnostics);
        NameContext names{declarations, pass.diagnostics, place.guru, {}, {}, {}, {}};
        std::vector<std::unique_ptr<Handler>> handlers;
        handlers.push_back(std::make_unique<Handler>());
        Handler &handler = *handlers.back();
        handler.body = std::make_unique<ast::Block>(script.probes[0]->at);
        handler.body->body.push_back(std::move(script.probes[0]->body));
        resolve_context(handler.body->body[0], context(place), pass.diagnostics);
        BodyResolver resolver(names, handler.locals);
        resolver.set_file(script);
        resolver.body(*handler.body);
        std::vector<std::unique_ptr<BodyResolver>> functions;
        for (const auto &function : script.functions) {
            resolve_context(function->body, context(place), pass.diagnostics);
            functions.push_back(std::make_unique<BodyResolver>(names, function->locals));
            BodyResolver &inside = *functions.back();
            inside.set_file(script);
            inside.add_parameters(function->params);
            inside.body(*function->body);
        }
        TargetPlace general = place;
        general.scope = nullptr;
        ContextOptions options = context(general);
        options.skip_bad = skip_bad;
        const AutocastNames later{[](ast::Expr &) {}, [&](ast::Stmt &stmt) { names.resume(stmt); },
                                  [&](ast::Expr &expr) { names.resume(expr); }};
        const AutocastBodies bodies{names.functions, handlers};
        report_several(resolve_autocasts(bodies, options, later, pass.diagnostics), bodies, pass.diagnostics);
        ReportedPlaces reported_places;
        report_missing(*handler.body, reported_places, pass.diagnostics);
        for (const ast::Function *function : names.functions)
            report_missing(*function->body, reported_places, pass.diagnostics);
        const std::string reported = pass.reported();
        pass.diagnostics.drop_since(0);
        if (!reported.empty()) return reported.substr(0, reported.find('\n'));
        std::string result;
        for (const ast::StmtPtr &part : static_cast<ast::Block &>(*handler.body->body[0]).body)
            result += ast::print(*part);
        return result;
    }
};

TEST_F(Autocast, LocalsKnowWhatTheyPointTo) {
    EXPECT_EQ("(q = @kregister(5));\nprintln(@kderef(2, (q + 4)));\n",
              body("probe begin { q = $p println(q->small) }"));
    EXPECT_EQ("(q = (@kregister(7) + 16));\nprintln(@kderef(2, (q + 4)));\n",
              body("probe begin { q = &$here println(q->small) }"));
    EXPECT_EQ("(q = (+x));\nprintln(@kderef(2, (q + 4)));\n",
              body("global x probe begin { q = @cast(x, \"thing\") println(q->small) }"));
}

TEST_F(Autocast, AMemberGivesTheNextValueItsType) {
    EXPECT_EQ("(q = @kregister(5));\n(r = @kderef(8, (q + 8)));\nprintln(@kderef(1, (r + 7)));\n",
              body("probe begin { q = $p r = q->next println(r->byte) }"));
}

TEST_F(Autocast, FunctionsAndConditionalsPassThemOn) {
    EXPECT_EQ("println(@kderef(2, ((n ? @kregister(5) : 0) + 4)));\n",
              body("global n probe begin { println((n ? $p : 0)->small) }"));
    EXPECT_EQ("println(@kderef(2, (f() + 4)));\n",
              body("function f() { return @cast(1, \"thing\") } probe begin { println(f()->small) }"));
}

TEST_F(Autocast, GlobalsParametersAndArraysPassThemOn) {
    EXPECT_EQ("(g = @kregister(5));\nprintln(@kderef(2, (g + 4)));\n",
              body("global g probe begin { g = $p println(g->small) }"));
    EXPECT_EQ("(g[1] = @kregister(5));\nprintln(@kderef(2, (g[2] + 4)));\n",
              body("global g probe begin { g[1] = $p println(g[2]->small) }"));
    EXPECT_EQ("println(f(@kregister(5)));\n", body("function f(q) { return q->small } probe begin { println(f($p)) }"));
    EXPECT_EQ("(g[@kregister(5)]++);\nforeach ([k] in g)\n    println(@kderef(2, (k + 4)));\n",
              body("global g probe begin { g[$p]++ foreach (k in g) println(k->small) }"));
}

TEST_F(Autocast, WhatDefinedDecidesAgainstGivesNoType) {
    EXPECT_EQ("(q = @kregister(5));\n(r = q);\nprintln(@kderef(2, (r + 4)));\n",
              body("probe begin { q = $p if (@defined(q->none)) r = &q->number else r = q println(r->small) }"));
    EXPECT_EQ("(q = @kregister(5));\nprintln(@kderef(2, (q + 4)));\n",
              body("probe begin { q = $p println((@defined(q->none) ? $gone : q)->small) }"));
    EXPECT_EQ("(q = @kregister(5));\nprintln(@kderef(2, (q + 4)));\n",
              body("probe begin { q = $p println((@defined(q->small) ? q : $gone)->small) }"));
}

// q's second type is known only when the first has been used to find it.
TEST_F(Autocast, AnotherTypeThatComesToLightLateIsNoticed) {
    EXPECT_EQ(
        "semantic error: this value has more than one type, 'struct thing*' and 'int*': which one it is here is not "
        "known; use @cast: operator '->' at <input>:1:27",
        body("probe begin { q = $p r = q->next q = &r->number println(q) }"));
}

TEST_F(Autocast, ElementsAndText) {
    EXPECT_EQ("(q = @kregister(5));\nprintln(((@kderef(1, ((q + 32) + 3)) << 56) >> 56));\n",
              body("probe begin { q = $p println(q->name[3]) }"));
    EXPECT_EQ("(q = @kregister(5));\nprintln(__pretty_1(q));\n", body("probe begin { q = $p println(q->name$) }"));
}

TEST_F(Autocast, Addresses) {
    EXPECT_EQ("(q = @kregister(5));\n(r = (q + 8));\nprintln(@kderef(2, (@kderef(8, (q + 8)) + 4)));\n",
              body("probe begin { q = $p r = &q->next println(q->next->small) }"));
    EXPECT_EQ("(q = (+x));\nprintln(@kderef(2, (q + 4)));\n",
              body("global x probe begin { q = &@cast(x, \"box\")->inside println(q->small) }"));
    EXPECT_EQ("semantic error: a bit-field has no address: operator '->' at <input>:1:28",
              body("probe begin { q = $p r = &q->low }"));
}

TEST_F(Autocast, Writing) {
    EXPECT_EQ("semantic error: write to target variable not permitted; need stap -g: operator '->' at <input>:1:23",
              body("probe begin { q = $p q->number = 1 }"));
    place.guru = true;
    EXPECT_EQ("(q = @kregister(5));\n(@kderef(4, q) = 1);\n", body("probe begin { q = $p q->number = 1 }"));
    EXPECT_EQ("semantic error: target variables are assigned with plain = only: operator '+=' at <input>:1:32",
              body("probe begin { q = $p q->number += 1 }"));
}

TEST_F(Autocast, DefinedKnowsTheirMembers) {
    EXPECT_EQ("(q = @kregister(5));\nprintln(@kderef(2, (q + 4)));\n",
              body("probe begin { q = $p println(@defined(q->small) ? q->small : q->smaller) }"));
    EXPECT_EQ("(q = @kregister(5));\nprintln(@kderef(2, (q + 4)));\n",
              body("probe begin { q = $p if (@defined(q->smaller)) println(q->smaller) else println(q->small) }"));
    EXPECT_EQ("(q = @kregister(5));\nprintln((1 + 0));\n",
              body("probe begin { q = $p println(@defined(q->next->byte) + @defined(q->next->none)) }"));
    EXPECT_EQ("(q = @kregister(5));\nprintln(0, 1);\n",
              body("probe begin { q = $p println(@defined(q->none) && q->none, @defined(q->small) || q->none) }"));
    EXPECT_EQ("println(f(1));\n",
              body("function f(a) { p = @cast(a, \"thing\") if (@defined(p->none)) return p->none return p->small } "
                   "probe begin { println(f(1)) }"));
}

TEST_F(Autocast, TheBranchThatIsLeftGivesTypes) {
    EXPECT_EQ("(q = @kregister(5));\n(r = @kderef(8, (q + 8)));\nprintln(@kderef(1, (r + 7)));\n",
              body("probe begin { q = $p if (@defined(q->none)) r = q->none else r = q->next println(r->byte) }"));
    // A variable without any type is not defined, and the consequences are found.
    EXPECT_EQ(
        "(q = @kregister(5));\n(r = @kderef(8, (q + 8)));\nprintln(1);\n",
        body("probe begin { q = $p if (@defined(n->none)) r = n->none else r = q->next println(@defined(r->byte)) }"));
}

// Neither names nor target variables, arrays or statistics of what is dropped are looked for.
TEST_F(Autocast, DefinedGuardsWhatItDecidesAgainst) {
    const std::string left = "(q = @kregister(5));\nprintln(@kderef(2, (q + 4)));\n";
    for (const char *guarded : {"println($gone)", "println(gone(1))", "gone[1] = gone2[2] + $gone->x", "delete gone",
                                "println(q->none + gone())", "foreach (k in gone) gone()", "println(@var(\"gone\"))",
                                "println(@cast(0, \"gone\")->x)", "$gone = 1", "gone <<< gone()"}) {
        const std::string other = " else println(q->small) }";
        EXPECT_EQ(left, body(std::string("probe begin { q = $p if (@defined(q->none)) { ") + guarded + " }" + other));
        EXPECT_EQ(left, body(std::string("probe begin { q = $p if (@defined(q->none) && gone(1)) { ") + guarded + " }" +
                             other));
        EXPECT_EQ(left, body(std::string("probe begin { q = $p if (!(!@defined(q->none) || $gone)) { ") + guarded +
                             " }" + other));
        EXPECT_EQ("(q = @kregister(5));\n{\n}\nprintln(@kderef(2, (q + 4)));\n",
                  body(std::string("probe begin { q = $p while (@defined(q->none)) { ") + guarded +
                       " } println(q->small) }"));
    }
    EXPECT_EQ(left, body("probe begin { q = $p println(@defined(q->none) ? gone($gone) : q->small) }"));
    EXPECT_EQ(left, body("probe begin { q = $p println(@defined(q->none) ? gone($gone) : "
                         "@defined(q->next->none) ? $gone : q->small) }"));
    EXPECT_EQ("(q = @kregister(5));\n;\nprintln(1);\n",
              body("probe begin { q = $p @defined(q->none) && gone() println(!@defined(q->none) || gone()) }"));
}

// Names in code that stays are looked up, and see the variables around them.
TEST_F(Autocast, DefinedKeepsWhatItDecidesFor) {
    EXPECT_EQ("(q = @kregister(5));\n{\n    (r = @kderef(8, (q + 8)));\n}\nprintln(@kderef(1, (r + 7)));\n",
              body("probe begin { q = $p if (@defined(q->next)) { r = q->next } println(r->byte) }"));
    EXPECT_EQ("semantic error: unresolved function gone: identifier 'gone' at <input>:1:53",
              body("probe begin { q = $p if (@defined(q->next)) println(gone()) }"));
    EXPECT_EQ(
        "semantic error: unable to find local 'gone' (alternatives: $p, $n, $here): identifier '$gone' at "
        "<input>:1:54",
        body("probe begin { q = $p if (!@defined(q->none)) println($gone) }"));
}

TEST_F(Autocast, DefinedDecidesByAnyArithmetic) {
    for (const char *no : {"@defined($gone) == 1", "@defined($gone) + 0", "@defined($gone) & 1", "1 - @defined($p)",
                           "@defined($p) < @defined($gone)", "~@defined($p) == 0", "n && @defined($gone)",
                           "@defined(q->none) * 2", "@defined(q->none) != 0", "n && @defined(q->none)"})
        EXPECT_EQ("(q = @kregister(5));\nprintln(2);\n", body(std::string("probe begin { q = $p if (") + no +
                                                              ") println($gone->x + gone()) else println(2) }"));
    // The effects of the condition stay.
    EXPECT_EQ("(q = @kregister(5));\n{\n    ((n++) && 0);\n    println(2);\n}\n",
              body("probe begin { q = $p if (n++ && @defined($gone)) println($gone) else println(2) }"));
}

TEST_F(Autocast, BadOnesAreSkippedOnRequest) {
    skip_bad = true;
    EXPECT_EQ(
        "WARNING: unable to find member 'nmber' for struct thing (alternatives: number); it reads as 0: operator '->' "
        "at "
        "<input>:1:31",
        body("probe begin { q = $p println(q->nmber) }"));
}

TEST_F(Autocast, WhatHasNoTypeIsRefused) {
    const std::string unknown = "semantic error: what this value points to is not known: ",
                      at = "; use @cast: operator '->' at <input>:";
    EXPECT_EQ(unknown + "nothing that has a type is assigned to it" + at + "1:24",
              body("probe begin { println(q->small) }"));
    EXPECT_EQ(unknown + "nothing that has a type is assigned to it" + at + "1:31",
              body("probe begin { q = $n println(q->small) }"));
    EXPECT_EQ(unknown + "the function 'f' returns a number without a type" + at + "1:59",
              body("function f(a) { return a + 1 } probe begin { println(f($p)->small) }"));
    EXPECT_EQ(unknown + "it has no type" + at + "1:31", body("probe begin { println(($p + 8)->small) }"));
    EXPECT_EQ(
        "semantic error: this value has more than one type, 'struct thing*' and 'char[8]*': which one it is here is "
        "not "
        "known; use @cast: operator '->' at <input>:1:44",
        body("probe begin { q = $p q = $p->name println(q->small) }"));
    EXPECT_EQ(
        "semantic error: unable to find member 'nmber' for struct thing (alternatives: number): operator '->' at "
        "<input>:1:31",
        body("probe begin { q = $p println(q->nmber) }"));
}

}  // namespace
}  // namespace tapir::resolve
