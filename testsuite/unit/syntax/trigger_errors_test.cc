// SPDX-License-Identifier: GPL-2.0-or-later
// The text of the diagnostics of pass 1 about @trigger, @after and @recall, and what they become.
#include <gtest/gtest.h>

#include "parse.h"

namespace tapir::syntax {
namespace {

std::string first_line(const std::string &text) {
    const std::string all = Parsed(text).messages();
    return all.substr(0, all.find('\n'));
}
// A trigger with these parts.
std::string of_trigger(const std::string &parts) {
    return first_line("probe p { @trigger(slow, " + parts + ") }");
}
std::string of_recall(const std::string &parts) {
    return first_line("probe p { @recall(ring, " + parts + ") }");
}

std::string body(const Parsed &parsed) {
    return ast::print(*parsed.file->probes.at(0)->body);
}

TEST(Triggers, BecomeAStatement) {
    const Parsed parsed(
        "probe p { @trigger(slow, x > 5, \"%d\", x, for=\"2ms\", limit=\"10/h\", thread = t) { y = 1 } }");
    EXPECT_EQ(parsed.messages(), "");
    const std::string text = body(parsed);
    EXPECT_NE(text.find("if (__trigger_held("), std::string::npos) << text;
    EXPECT_NE(text.find(", ((x > 5) && 1), 2000000) && __trigger_fires("), std::string::npos) << text;
    EXPECT_NE(text.find(", \"slow\", 10, 3600000000000))"), std::string::npos) << text;
    EXPECT_NE(text.find("@trigger(\"%d\", execname(), pid(), tid(), gettimeofday_ns(), __trigger_suppressed("),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("y = 1"), std::string::npos) << text;
    EXPECT_EQ(
        parsed.printed(),
        "probe p {\n    @trigger ( slow , x > 5 , \"%d\" , x , for = \"2ms\" , limit = \"10/h\" , thread = t ) {\n"
        "        (y = 1);\n    }\n}\n");
}

TEST(Triggers, ArmProbesAfterThem) {
    const Parsed parsed("probe a if (@after(slow)) { }\nprobe p { @trigger(slow, 1) }");
    EXPECT_EQ(parsed.messages(), "");
    ASSERT_EQ(parsed.file->globals.size(), 1u);
    EXPECT_EQ(parsed.file->globals[0]->name, "__after_slow");
    EXPECT_NE(ast::print(*parsed.file->probes.at(1)->body).find("__after_slow = 1"), std::string::npos);
}

TEST(Triggers, RecallPrintsBack) {
    const Parsed parsed("probe p { @recall(\"ring\", 100, \"%d of %x\", a, b + 1) @recall_cpu(c, 1, \"x\") }");
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_EQ(
        parsed.printed(),
        "probe p {\n    @recall(\"ring\", 100, \"%d of %x\", a, (b + 1));\n    @recall_cpu(\"c\", 1, \"x\");\n}\n");
    ASSERT_EQ(parsed.file->rings.size(), 2u);
    EXPECT_EQ(parsed.file->rings[0].events, 100u);
    EXPECT_TRUE(parsed.file->rings[1].of_cpu);
}

TEST(ParseError, TriggerArgument) {
    EXPECT_EQ(Parsed("probe p { @trigger(slow, x, for=\"5x\") }").messages(),
              "parse error: '5x' is not a time\n"
              "         at: string '\"5x\"' at x.stp:1:33\n"
              "     source: probe p { @trigger(slow, x, for=\"5x\") }\n"
              "                                             ^\n"
              "       help: for=\"5s\"; units are ns, us, ms, s, m and h; a number without a text is in ns\n"
              "\n");
    EXPECT_EQ(of_trigger("x, limit=\"10\""), "parse error: '10' is not a limit");
    EXPECT_EQ(of_trigger("x, limit=\"0/h\""), "parse error: '0/h' is not a limit");
    EXPECT_EQ(of_trigger("x, for=\"99999999999h\""), "parse error: '99999999999h' is not a time");
    EXPECT_EQ(of_trigger("x, for=1, for=2"), "parse error: a trigger has one for=");
    EXPECT_EQ(of_trigger("x, limit=1, limit=2"), "parse error: a trigger has one limit=");
    EXPECT_EQ(of_trigger("for=1"), "parse error: a trigger needs a condition");
    EXPECT_EQ(of_trigger("x, tid = 5"), "parse error: a trigger has no argument 'tid'");
    EXPECT_EQ(of_trigger("x, y"), "parse error: behind the condition stands a literal format string");
    EXPECT_EQ(of_trigger("x, \"%d\""), "parse error: this format prints 1 value, and there are 0");
    EXPECT_EQ(of_trigger("x, \"%d %s\", y"), "parse error: this format prints 2 values, and there is 1");
    EXPECT_EQ(of_trigger("x, \"a\\n\""), "parse error: this text is part of one line, and has no newline");
    EXPECT_EQ(of_trigger("x, \"%100d\", y"), "parse error: a width or precision here is a number of at most 64");
    EXPECT_EQ(of_trigger("x, \"%m\", y"), "parse error: %m, %M and %b have no use here");
    EXPECT_EQ(of_trigger("x, \"" + std::string(513, 'x') + "\""), "parse error: this text is longer than 512 bytes");
    EXPECT_EQ(first_line("probe p { @trigger(\"a b\", x) }"),
              "parse error: the name of a trigger has 1 to 32 letters, digits and underscores");
    std::string format, values;
    for (int i = 0; i < 28; i++)
        format += "%d", values += ", y";
    EXPECT_EQ(of_trigger("x, \"" + format + "\"" + values), "parse error: a trigger prints 27 values at most");
}

TEST(ParseError, TriggerTwice) {
    EXPECT_EQ(Parsed("probe p { @trigger(slow, x) @trigger(\"slow\", y) }").messages(),
              "parse error: there is a trigger 'slow' already\n"
              "         at: string '\"slow\"' at x.stp:1:38\n"
              "     source: probe p { @trigger(slow, x) @trigger(\"slow\", y) }\n"
              "                                                  ^\n"
              "       help: a function that several probes call may have it\n"
              "\n");
    std::string many;
    for (int i = 0; i < 65; i++)
        many += "@trigger(t" + std::to_string(i) + ", x) ";
    EXPECT_EQ(first_line("probe p { " + many + "}"), "parse error: a script has 64 triggers at most");
}

TEST(ParseError, TriggerUnknown) {
    EXPECT_EQ(Parsed("probe a if (@after(slo)) { }\nprobe p { @trigger(slow, x) }").messages(),
              "parse error: the script has no trigger 'slo' (similar: slow)\n"
              "         at: identifier 'slo' at x.stp:1:20\n"
              "     source: probe a if (@after(slo)) { }\n"
              "                                ^\n"
              "       help: @trigger(slo, CONDITION) in a handler makes one\n"
              "\n");
}

TEST(ParseError, RecallArgument) {
    EXPECT_EQ(Parsed("probe p { @recall(ring, 1025, \"x\") }").messages(),
              "parse error: a ring keeps 1 to 1024 events\n"
              "         at: number '1025' at x.stp:1:25\n"
              "     source: probe p { @recall(ring, 1025, \"x\") }\n"
              "                                     ^\n"
              "\n");
    EXPECT_EQ(of_recall("0, \"x\""), "parse error: a ring keeps 1 to 1024 events");
    EXPECT_EQ(of_recall("5, x"), "parse error: behind the number of events stands a literal format string");
    EXPECT_EQ(of_recall("5, \"%s\", x"), "parse error: an event has room for numbers only: %d, %u, %x, %p, %c");
    EXPECT_EQ(of_recall("5, \"%d%d%d%d\", a, b, c, d"), "parse error: an event has room for 3 numbers");
    EXPECT_EQ(of_recall("5, \"%d\", a, b"), "parse error: this format prints 1 value, and there are 2");
    EXPECT_EQ(first_line("probe p { @recall(\"\", 5, \"x\") }"),
              "parse error: the name of a ring has 1 to 32 letters, digits and underscores");
}

TEST(ParseError, RecallDiffers) {
    EXPECT_EQ(Parsed("probe p { @recall(ring, 5, \"x\") @recall(ring, 6, \"y\") }").messages(),
              "parse error: the ring 'ring' keeps 5 events elsewhere\n"
              "         at: number '6' at x.stp:1:47\n"
              "     source: probe p { @recall(ring, 5, \"x\") @recall(ring, 6, \"y\") }\n"
              "                                                           ^\n"
              "       help: all @recall of a ring name the same number\n"
              "\n");
    EXPECT_EQ(first_line("probe p { @recall(ring, 5, \"x\") @recall_cpu(ring, 5, \"y\") }"),
              "parse error: the ring 'ring' is a thread's elsewhere");
}

}  // namespace
}  // namespace tapir::syntax
