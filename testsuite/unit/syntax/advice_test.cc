// SPDX-License-Identifier: GPL-2.0-or-later
// Advice below an error of the grammar.
#include <gtest/gtest.h>

#include "parse.h"

namespace tapir::syntax {
namespace {

// Returns the advice of a script's first message; "" if it has none.
std::string advice(const std::string &script) {
    const std::string said = errors(script), help = "help: ";
    const size_t at = said.find(help);
    return at == std::string::npos ? "" : said.substr(at + help.size(), said.find('\n', at) - at - help.size());
}

TEST(Advice, FractionsOfTimers) {
    const std::string plain = "numbers are whole: there are no fractions";
    EXPECT_EQ(advice("probe timer.s(1.5) {}"), plain + "; write timer.ms(1500)");
    EXPECT_EQ(advice("probe timer.s(0.25) {}"), plain + "; write timer.ms(250)");
    EXPECT_EQ(advice("probe timer.sec(0.0005) {}"), plain + "; write timer.us(500)");
    EXPECT_EQ(advice("probe timer.ms(2.5) {}"), plain + "; write timer.us(2500)");
    EXPECT_EQ(advice("probe timer.usec(10.125) {}"), plain + "; write timer.ns(10125)");
    EXPECT_EQ(advice("probe timer.ns(1.5) {}"), plain);
    EXPECT_EQ(advice("probe timer.hz(1.5) {}"), plain);
}

TEST(Advice, DeclarationsInLoops) {
    for (const char *type : {"int", "size_t", "var", "let", "auto"})
        EXPECT_EQ(advice("probe p { for (" + std::string(type) + " i = 0; i < 3; i++) f(i) }"),
                  "local variables need no declaration: for (i = ...; CONDITION; STEP)")
            << type;
}

TEST(Advice, AssignmentsAsConditions) {
    EXPECT_EQ(advice("probe p { if (f() = \"cat\") g() }"), "'==' compares; '=' assigns to a variable");
    EXPECT_EQ(advice("probe p { f() += 2 }"), "");
}

}  // namespace
}  // namespace tapir::syntax
