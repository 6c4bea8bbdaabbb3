// SPDX-License-Identifier: GPL-2.0-or-later
// The whole text of the diagnostics of pass 1 about @metric, and what it becomes.
#include <gtest/gtest.h>

#include "parse.h"

namespace tapir::syntax {
namespace {

std::string opening_line(const std::string &text) {
    const std::string all = Parsed(text).messages();
    return all.substr(0, all.find('\n'));
}

TEST(Metrics, HaveANameAKindAHelpAUnitAndLabels) {
    const Parsed parsed(
        "@metric(reads, counter, \"Reads of files\", \"\")\n"
        "@metric(took, histogram, \"Time of \" \"a read\", \"us\", \"device\", \"op\")\n"
        "global reads, took\n");
    EXPECT_EQ(parsed.messages(), "");
    ASSERT_EQ(parsed.file->metrics.size(), 2u);
    const ast::Metric &took = parsed.file->metrics[1];
    EXPECT_EQ(took.name, "took");
    EXPECT_EQ(took.kind, ast::Metric::Kind::Histogram);
    EXPECT_EQ(took.help, "Time of a read");
    EXPECT_EQ(took.unit, "us");
    EXPECT_EQ(took.labels, (std::vector<std::string>{"device", "op"}));
    EXPECT_EQ(parsed.printed(),
              "@metric(reads, counter, \"Reads of files\", \"\")\n"
              "@metric(took, histogram, \"Time of a read\", \"us\", \"device\", \"op\")\n"
              "global reads\nglobal took\n");
}

TEST(ParseError, MetricDeclaration) {
    EXPECT_EQ(Parsed("@metric(a, meter, \"A\", \"\")").messages(),
              "parse error: a metric is no 'meter'\n"
              "         at: identifier 'meter' at x.stp:1:12\n"
              "     source: @metric(a, meter, \"A\", \"\")\n"
              "                        ^\n"
              "       help: it is a counter, a gauge or a histogram\n"
              "\n");
    EXPECT_EQ(opening_line("@metric(a_count, gauge, \"A\", \"\")"),
              "parse error: the name of a metric cannot end with '_count', which samples of histograms and counters "
              "have");
    EXPECT_EQ(opening_line("@metric(a, gauge, \"A\", \"\")\n@metric(a, gauge, \"A\", \"\")"),
              "parse error: there is a metric 'a' already");
    EXPECT_EQ(opening_line("@metric(" + std::string(55, 'a') + ", gauge, \"A\", \"\")"),
              "parse error: the name of a metric has 54 bytes at most");
    EXPECT_EQ(opening_line("@metric(a, gauge, \"\", \"\")"), "parse error: a metric needs a text that says what it is");
    EXPECT_EQ(opening_line("@metric(a, gauge, \"" + std::string(129, 'h') + "\", \"\")"),
              "parse error: the text of a metric has 128 bytes at most");
    EXPECT_EQ(opening_line("@metric(a, gauge, \"A\\n\", \"\")"),
              "parse error: this text has characters that no line can have");
    EXPECT_EQ(opening_line("@metric(a, gauge, \"A\", \"us of a read\")"),
              "parse error: 'us of a read' is not a unit of a metric: a unit is a word, '%' or nothing");
    EXPECT_EQ(opening_line("@metric(a, gauge, \"A\", \"" + std::string(33, 'u') + "\")"),
              "parse error: the unit of a metric has 32 bytes at most");
    EXPECT_EQ(opening_line("@metric(a, gauge, \"A\", \"\", \"a-b\")"),
              "parse error: 'a-b' cannot be the name of a label: letters, digits and '_'");
    EXPECT_EQ(opening_line("@metric(a, gauge, \"A\", \"\", \"le\")"),
              "parse error: 'le' is a label that monitoring systems set by themselves");
    EXPECT_EQ(opening_line("@metric(a, gauge, \"A\", \"\", \"x\", \"x\")"),
              "parse error: the metric has a label 'x' already");
    EXPECT_EQ(opening_line("@metric(a, gauge, \"A\", \"\", \"" + std::string(65, 'l') + "\")"),
              "parse error: the name of a label has 64 bytes at most");
}

}  // namespace
}  // namespace tapir::syntax
