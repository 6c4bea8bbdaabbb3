// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/shell_words.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "testsuite/trees.h"

namespace tapir::driver {
namespace {

using Words = std::vector<std::string>;

ShellCompletion complete(const Words &words) {
    return complete_words(words, {source_dir() + "/tools"});
}

Words words_of(const Words &typed) {
    Words words;
    for (const ShellWord &word : complete(typed).words)
        words.push_back(word.word);
    return words;
}

TEST(ShellWords, KnowValuesOfOptions) {
    EXPECT_EQ(words_of({"--format=j"}), Words{"--format=json"});
    EXPECT_EQ(words_of({"--format", "j"}), Words{"json"});
    EXPECT_EQ(words_of({"-kp", "4"}), Words{"4"});
    EXPECT_EQ(words_of({"--snapshot=r"}), Words{"--snapshot=run"});
    EXPECT_EQ(words_of({"--sign-key=n"}), Words{"--sign-key=none"});
    EXPECT_EQ(words_of({"--no-such=j"}), Words{});
    EXPECT_EQ(words_of({"--", "--for"}), Words{});
}

TEST(ShellWords, LeaveFilesToTheShell) {
    const ShellCompletion core = complete({"--core=/tm"});
    EXPECT_EQ(core.fill, Fill::Files);
    EXPECT_EQ(core.prefix, "--core=");
    EXPECT_EQ(core.value, "/tm");
    EXPECT_EQ(complete({"-I", "x"}).fill, Fill::Directories);
    EXPECT_EQ(complete({"-ko/tmp"}).prefix, "-ko");
    EXPECT_EQ(complete({"a.stp", "b"}).fill, Fill::Files);
    EXPECT_EQ(complete({"run", "x"}).fill, Fill::Nothing);
    EXPECT_EQ(complete({"run", "./x"}).fill, Fill::Files);
    EXPECT_EQ(complete({"--remote", "x"}).fill, Fill::Hosts);
    EXPECT_EQ(complete({}).words.size(), 0U);
}

TEST(ShellWords, KnowWhatScriptsAreAbout) {
    const ShellCompletion points = complete({"-I", "mine", "-r6.1.0", "-L", "vfs."});
    EXPECT_EQ(points.fill, Fill::Points);
    EXPECT_EQ(points.value, "vfs.");
    EXPECT_EQ(points.include_dirs, Words{"mine"});
    EXPECT_EQ(points.release, "6.1.0");
    EXPECT_EQ(complete({"-gv", "-eprobe "}).fill, Fill::Script);
    EXPECT_EQ(complete({"-e", "probe begin { }", "a"}).fill, Fill::Files);
}

TEST(ShellWords, KnowTools) {
    EXPECT_EQ(words_of({"run", "offc"}), (Words{"offcpu", "offcputime"}));
    EXPECT_EQ(words_of({"-v", "run", "offcpu", "--state=sl"}), Words{"--state=sleep"});
    EXPECT_EQ(words_of({"run", "offcpu", "--no-such"}), Words{});
    EXPECT_EQ(words_of({"run", "no-such", "--state"}), Words{});
    EXPECT_EQ(complete({"run", "offcpu", "-p", ""}).fill, Fill::Processes);
    // Each option of the tool's own help.
    const Words all = words_of({"run", "offcpu", "--"});
    for (const char *option : {"--min=", "--state=", "--pid=", "--help", "--format="})
        EXPECT_TRUE(std::ranges::find(all, option) != all.end()) << option;
}

}  // namespace
}  // namespace tapir::driver
