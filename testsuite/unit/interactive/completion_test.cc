// SPDX-License-Identifier: GPL-2.0-or-later
#include "interactive/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "common/files.h"

namespace tapir::interactive {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class InteractiveCompletion : public testing::Test {
  protected:
    InteractiveCompletion()
        : completion_(definitions_, [this](const std::vector<std::string> &arguments) { return list(arguments); }) {}

    std::string list(const std::vector<std::string> &arguments) {
        asked_.push_back(arguments[0]);
        if (arguments[0] == "--dump-functions")
            return "execname:string () /* pure */\nexit:unknown ()\npid:long (task:long)\n";
        if (arguments[0] == "--dump-probe-aliases") return "vfs.read = kernel.function(\"vfs_read\")\nvfs.write = x\n";
        if (arguments[0] == "--dump-probe-types")
            return "begin\nkernel.function(string)\nkernel.function(string).return\ntimer.ms(number)\ntimer.s(number)"
                   "\n";
        return arguments[1] == "vfs.read" ? "vfs.read name:string pos:long $file:struct file* $pos:loff_t* odd\n" : "";
    }
    std::vector<std::string> words(const std::string &line, const std::string &before = "") {
        return completion_.complete(before, line).words;
    }

    Definitions definitions_;
    std::vector<std::string> asked_;
    Completion completion_;
};

TEST_F(InteractiveCompletion, OfNames) {
    definitions_.add(part("global exits function example() { } @define extra %( 1 %)"));
    EXPECT_THAT(words("ex"), ElementsAre("example()", "execname()", "exit()", "exits"));
    EXPECT_THAT(words("x = exe"), ElementsAre("execname()"));
    EXPECT_EQ(completion_.complete("", "x = exe").begin, 4u);
    EXPECT_THAT(words("@ex"), ElementsAre("@extra"));
    EXPECT_THAT(words("print(@hist_lo"), ElementsAre("@hist_log", "@hist_loglinear"));
    EXPECT_THAT(words("wh"), ElementsAre("while"));
    EXPECT_THAT(words("nothing_of_it"), IsEmpty());
    EXPECT_EQ(asked_.size(), 3u);
}

TEST_F(InteractiveCompletion, OfCommands) {
    definitions_.add(part("global number probe vfs.read { }"));
    EXPECT_THAT(words("qu"), ElementsAre("quit"));
    EXPECT_THAT(words("qu", "1 +\n"), IsEmpty());
    EXPECT_THAT(words("delete "), ElementsAre("number", "vfs.read"));
    EXPECT_THAT(words("edit v"), ElementsAre("vfs.read"));
    EXPECT_THAT(words("x qu"), IsEmpty());
}

TEST_F(InteractiveCompletion, OfPoints) {
    definitions_.add(part("probe mine = begin { x = 1 }"));
    EXPECT_THAT(words("probe "), ElementsAre("begin", "kernel.", "mine", "timer.", "vfs."));
    EXPECT_THAT(words("probe vfs."), ElementsAre("vfs.read", "vfs.write"));
    EXPECT_THAT(words("probe begin, t"), ElementsAre("timer."));
    EXPECT_THAT(words("timer.", "probe begin,\n"), ElementsAre("timer.ms(", "timer.s("));
    EXPECT_THAT(words("probe kernel.f"), ElementsAre("kernel.function(\""));
    EXPECT_EQ(completion_.complete("", "probe begin, vfs.r").begin, 13u);
}

TEST_F(InteractiveCompletion, OfVariables) {
    EXPECT_THAT(words("probe vfs.read { println($"), ElementsAre("$file", "$pos"));
    EXPECT_THAT(words("p", "probe vfs.read {\n"), ElementsAre("pid(", "pos", "print", "print_char", "printd",
                                                              "printdln", "printf", "println", "private", "probe"));
    EXPECT_THAT(words("probe vfs.write { $"), IsEmpty());
    EXPECT_THAT(words("println($"), IsEmpty());
    EXPECT_THAT(asked_, ElementsAre("--dump-functions", "--dump-probe-aliases", "--dump-probe-types", "-L", "-L"));
}

TEST_F(InteractiveCompletion, OfFiles) {
    const Outcome<std::string> made = make_directory(temporary_root(), "completion-");
    ASSERT_TRUE(made);
    const TemporaryDirectory folder(*made);
    ASSERT_TRUE(write_file(folder.path() + "/one.stp", ""));
    ASSERT_TRUE(write_file(folder.path() + "/other.stp", ""));
    std::filesystem::create_directory(folder.path() + "/on");
    EXPECT_THAT(words("load " + folder.path() + "/o"),
                ElementsAre(folder.path() + "/on/", folder.path() + "/one.stp", folder.path() + "/other.stp"));
    EXPECT_THAT(words("save " + folder.path() + "/oth"), ElementsAre(folder.path() + "/other.stp"));
    EXPECT_THAT(words("load /no/such/folder/"), IsEmpty());
    EXPECT_THAT(asked_, IsEmpty());
}

}  // namespace
}  // namespace tapir::interactive
