// SPDX-License-Identifier: GPL-2.0-or-later
// Advice on options that do not exist, and on values that an option does not take.
#include "options/option_mistakes.h"

#include <gtest/gtest.h>

#include "command_line.h"

namespace tapir::driver {
namespace {

TEST(OptionMistakes, UsageErrorOfAbbreviations) {
    // The beginning of one option's name is none.
    EXPECT_EQ(
        told({"a.stp", "--time=5"}),
        "Unknown option '--time' (similar: --times).\n"
        "help: -T SECONDS ends the session after so long; an argument of the script goes behind --: stap a.stp -- "
        "--time=5\n");
    EXPECT_EQ(told({"--check", "a.stp"}),
              "Unknown option '--check' (similar: --check-version, --check-all).\n"
              "help: -p2 checks a script without building it; --doctor checks the machine\n");
    EXPECT_EQ(told({"--vm-cpu=3", "a.stp"}), "Unknown option '--vm-cpu' (similar: --vm-cpus).\n");
    EXPECT_EQ(told({"-e", "probe begin {}", "--colo=never"}),
              "Unknown option '--colo' (similar: --color, --colour, --cost).\n"
              "help: an argument of the script goes behind --: stap -e 'SCRIPT' -- --colo=never\n");
    EXPECT_EQ(told({"a.stp", "--", "--time=5", "-x"}), "");
    EXPECT_EQ(told({"a.stp", "-x", "3", "--times=5", "-c"}), "The required argument for option '-c' is missing.\n");
    EXPECT_EQ(told({"a.stp", "--frequency", "9"}),
              "Unknown option '--frequency'.\n"
              "help: an argument of the script goes behind --: stap a.stp -- --frequency\n");
    EXPECT_EQ(told({"a.stp", "-n", "9"}),
              "Unknown option '-n'.\n"
              "help: an argument of the script goes behind --: stap a.stp -- -n\n");
}

TEST(OptionMistakes, UsageErrorOfOtherTools) {
    EXPECT_EQ(told({"--flamegraph=x.html", "a.stp"}),
              "Unknown option '--flamegraph'.\n"
              "help: a flame graph is an output file: -o x.html, of a script with @sample\n");
    EXPECT_EQ(told({"--pid", "3", "a.stp"}), "Unknown option '--pid'.\nhelp: -x PID makes target() that process\n");
    EXPECT_EQ(told({"--duration=5", "a.stp"}),
              "Unknown option '--duration'.\nhelp: -T SECONDS ends the session after so long\n");
}

TEST(OptionMistakes, UsageErrorOfRepetition) {
    EXPECT_EQ(told({"-x", "1", "-x", "2", "a.stp"}),
              "Option -x is given twice, with '1' and '2'.\n"
              "help: one process is the target; in handlers, (pid() == 1 || pid() == 2) is true for two\n");
    EXPECT_EQ(told({"-o", "a", "s", "-o", "b"}),
              "Option -o is given twice, with 'a' and 'b'.\nhelp: there is one output file\n");
    EXPECT_EQ(told({"--core=a", "s", "--core", "b"}),
              "Option --core is given twice, with 'a' and 'b'.\nhelp: a script looks at one core file\n");
    EXPECT_EQ(told({"-T", "3", "s", "-T", "3"}), "");
    EXPECT_EQ(told({"-v", "-v", "-G", "a=1", "-G", "b=2", "-D", "A=1", "-D", "B=2", "s"}), "");
}

TEST(OptionMistakes, UsageErrorOfProcesses) {
    EXPECT_EQ(told({"-x", "nginx", "s"}),
              "Invalid process ID 'nginx' (-x).\n"
              "help: a process is named by its number: -x $(pgrep -o -x nginx); process(\"PATH\") in a script is every "
              "process of a program\n");
    EXPECT_EQ(told({"-x", "", "s"}),
              "Invalid process ID '' (-x).\nhelp: there is no number; if pgrep was to find it, no such process runs\n");
    EXPECT_EQ(told({"-x", "12\n13", "s"}), "Invalid process ID '12\n13' (-x).\nhelp: give one process: -x 12\n");
    EXPECT_EQ(told({"-x", "0", "s"}), "Invalid process ID '0' (-x).\n");
}

TEST(OptionMistakes, UsageErrorOfTimes) {
    const auto help = [](const std::string &value) {
        const std::string all = told({"-T", value, "s"});
        const size_t at = all.find("help: ");
        return at == std::string::npos ? "" : all.substr(at + 6, all.size() - at - 7);
    };
    const std::string whole = "Invalid timeout '5s' (should be a positive number of seconds).\n";
    EXPECT_EQ(told({"-T", "5s", "s"}), whole + "help: the number has no unit: -T 5\n");
    EXPECT_EQ(help("1.5 min"), "the number has no unit: -T 90");
    EXPECT_EQ(help("250ms"), "the number has no unit: -T 0.25");
    EXPECT_EQ(help("2h"), "the number has no unit: -T 7200");
    EXPECT_EQ(help("5x"), "");
    EXPECT_EQ(help("soon"), "");
}

}  // namespace
}  // namespace tapir::driver
