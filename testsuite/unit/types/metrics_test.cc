// SPDX-License-Identifier: GPL-2.0-or-later
// Metrics: the globals that fit, and the handlers that tell them.
#include "infer_script.h"

namespace tapir::types {
namespace {

std::string without_place(const std::string &text) {
    const std::string all = diagnose_types(text);
    return all.substr(0, all.find(": identifier"));
}

TEST(TypeMessages, MetricGlobal) {
    EXPECT_EQ(diagnose_types("global hits\n"
                             "@metric(hist, counter, \"Hits\", \"\")\n"
                             "probe begin { hits++ }"),
              "semantic error: no global 'hist' is declared (similar: hits): identifier 'hist' at <input>:2:9\n"
              "        source: @metric(hist, counter, \"Hits\", \"\")\n"
              "                        ^\n"
              "\n");
    // Behind a warning that the global is not used.
    EXPECT_NE(diagnose_types("global a\n@metric(a, gauge, \"A\", \"\")\nprobe begin { }")
                  .find("semantic error: no probe uses the global 'a', which is to be a metric: identifier 'a' at"),
              std::string::npos);
    EXPECT_EQ(diagnose_types("global a\n@metric(a, histogram, \"A\", \"us\")\nprobe begin { a++ }"),
              "semantic error: 'a' is a number, and a histogram needs a statistic: identifier 'a' at <input>:2:9\n"
              "        source: @metric(a, histogram, \"A\", \"us\")\n"
              "                        ^\n"
              "          help: add samples with 'a <<< n'\n"
              "\n");
    EXPECT_EQ(without_place("global a\n@metric(a, gauge, \"A\", \"\")\nprobe begin { a = \"x\" }"),
              "semantic error: 'a' is a text, and the value of a metric is a number");
    EXPECT_EQ(without_place("global a\n@metric(a, gauge, \"A\", \"\", \"k\")\nprobe begin { a[1] <<< 1 }"),
              "semantic error: 'a' is an array of statistics, and the value of a gauge is a number");
    EXPECT_EQ(without_place("global a\n@metric(a, counter, \"A\", \"\")\nprobe begin { a[1, 2]++ }"),
              "semantic error: 'a' has 2 keys, and this metric has no labels");
    EXPECT_EQ(without_place("global a\n@metric(a, counter, \"A\", \"\", \"k\")\nprobe begin { a++ }"),
              "semantic error: 'a' has no keys, and this metric has 1 label");
}

std::string bodies(const std::string &text) {
    Pass2 pass;
    TypeOptions options;
    options.autoprint = false;
    options.metrics = true;
    return infer_script(pass, text, options) ? print_program(*pass.program, true) : pass.reported();
}

TEST(Metrics, AreToldAtTheEndAndWhenAskedFor) {
    const std::string text =
        bodies("global calls\n@metric(calls, counter, \"Calls\", \"\", \"program\")\nprobe begin { calls[\"x\"]++ }");
    EXPECT_NE(text.find("__metric_calls"), std::string::npos) << text;
    EXPECT_NE(text.find("timer.ms(10)"), std::string::npos) << text;
    EXPECT_NE(text.find("foreach ([key1] in calls-"), std::string::npos) << text;
}

TEST(Metrics, AHistogramHasTheShapeThatTheScriptPrints) {
    const std::string text = bodies(
        "global took\n@metric(took, histogram, \"Time\", \"us\")\n"
        "probe begin { took <<< 1 }\nprobe end { print(@hist_linear(took, 0, 100, 10)) }");
    EXPECT_NE(text.find("@hist_linear(took, 0, 100, 10, \"us of a sample\")"), std::string::npos) << text;
}

}  // namespace
}  // namespace tapir::types
