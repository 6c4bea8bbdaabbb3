// SPDX-License-Identifier: GPL-2.0-or-later
// Which commands are left to a shell, against what two shells know without a program of that name.
#include "common/command_words.h"

#include <gtest/gtest.h>

#include <sstream>

#include "common/find_program.h"
#include "common/run_program.h"

namespace tapir {
namespace {

std::string words_of(const std::string &command) {
    std::vector<std::string> words;
    if (!split_words(command, words)) return "shell";
    std::string out;
    for (const std::string &word : words)
        out += "[" + word + "]";
    return out;
}

TEST(CommandWords, AreSplit) {
    EXPECT_EQ("[ls][-l][/tmp]", words_of("  ls -l\t/tmp "));
    EXPECT_EQ("[a b][c\"d][][e f]", words_of("'a b' \"c\\\"d\" '' e\\ f"));
    EXPECT_EQ("[a\\n]", words_of("\"a\\n\""));
    EXPECT_EQ("[./x=y]", words_of("./x=y"));
    EXPECT_EQ("[a][b=c]", words_of("a b=c"));
    EXPECT_EQ("[$x|y]", words_of("'$x|y'"));
}

TEST(CommandWords, TheRestIsLeftToAShell) {
    for (const char *command : {"a | b", "a;b", "a && b", "a > f", "echo $HOME", "echo `x`", "echo \"$x\"", "ls *.c",
                                "~/x", "X=1 a", "a 'unfinished", "a \\", "(a)", "a # b", ""})
        EXPECT_EQ("shell", words_of(command)) << command;
}

// The words that bash completes as its own and that sh knows, too.
TEST(CommandWords, OfShellsAreLeftToThem) {
    const Outcome<std::string> list = output_of({"bash", "-c", "compgen -b; compgen -k"});
    if (!list) GTEST_SKIP() << list.fault().text;
    std::istringstream lines(*list);
    size_t known = 0;
    for (std::string word; std::getline(lines, word);) {
        if (word == "[" || word == "[[") continue;  // characters of patterns
        if (find_program(word)) {
            EXPECT_EQ("[" + word + "][x]", words_of(word + " x"));
        } else if (output_of({"sh", "-c", "command -v -- \"$1\"", "sh", word})) {
            EXPECT_EQ("shell", words_of(word + " x")) << word;
            known++;
        }
    }
    EXPECT_GT(known, 30u);
}

// "kill", "time" and others that shells have as well are programs here, or nothing at all.
TEST(CommandWords, NoProgramIsLeftToAShell) {
    for (const char *word : {"kill", "echo", "test", "printf", "time", "env", "sh", "exit3", "./exit", "/bin/cd"})
        EXPECT_EQ("[" + std::string(word) + "][3]", words_of(std::string(word) + " 3"));
}

}  // namespace
}  // namespace tapir
