// SPDX-License-Identifier: GPL-2.0-or-later
// Options for scripts of stap++.
#include "options/sxx_options.h"

#include <gtest/gtest.h>

#include "command_line.h"

namespace tapir::driver {
namespace {

// "name=value (as given)", one a line.
std::string arguments(const Words &args) {
    std::string all;
    for (const SxxArgument &argument : parsed(args).sxx.arguments)
        all += argument.name + "=" + argument.value + " (" + argument.given_as + ")\n";
    return all;
}

TEST(SxxOptions, AScriptIsOneByItsNameOrByAnOption) {
    EXPECT_TRUE(parsed({"a/b.sxx"}).sxx.on);
    EXPECT_FALSE(parsed({"b.stp"}).sxx.on);
    EXPECT_FALSE(parsed({"b.stp", "c.sxx"}).sxx.on);
    EXPECT_TRUE(parsed({"--sxx", "b.stp"}).sxx.on);
    EXPECT_TRUE(parsed({"--sxx", "-e", "x"}).sxx.on);
    EXPECT_TRUE(parsed({"-", "--sxx"}).sxx.on);
    for (const Words &words : {Words{"--help"}, Words{"--doctor"}, Words{"-l", "begin"}}) {
        const Options o = parsed(with_sxx(words));
        EXPECT_FALSE(o.sxx.on) << words.front();
        EXPECT_TRUE(o.defines.empty()) << words.front();
    }
}

TEST(SxxOptions, WhatTheyNeed) {
    const Options o = parsed({"b.sxx", "--exec=/bin/ls", "--master", "12", "--sample-pid=13", "--dump-src"});
    EXPECT_EQ(o.program, "/bin/ls");
    EXPECT_EQ(o.sxx.master_pid, 12);
    EXPECT_EQ(o.sxx.sample_pid, 13);
    EXPECT_TRUE(o.sxx.dump);
    EXPECT_TRUE(parsed({"--args", "b.sxx"}).sxx.list_arguments);
    EXPECT_EQ(parsed({"b.sxx", "-x", "12", "--snapshot", "--exec", "ls"}).program, "ls");
}

TEST(SxxOptions, ArgumentsAreOptionsToo) {
    EXPECT_EQ(arguments({"b.sxx", "--arg", "limit=10", "--arg=a=b=c", "--arg", "e="}),
              "limit=10 (--arg limit=10)\na=b=c (--arg a=b=c)\ne= (--arg e=)\n");
    EXPECT_EQ(arguments({"-v", "b.sxx", "--limit=10", "--min-time", "5", "-x", "7", "--e="}),
              "limit=10 (--limit=10)\nmin_time=5 (--min-time=5)\ne= (--e=)\n");
    EXPECT_EQ(arguments({"--sxx", "--limit=10", "-e", "x", "--", "--u=3"}), "limit=10 (--limit=10)\n");
    // An option of stap stays one.
    EXPECT_EQ(parsed({"b.sxx", "--ledger=f", "--times=5", "--arg", "times=6"}).ledger, "f");
    const Options o = parsed({"b.sxx", "--limit", "10", "rest"});
    EXPECT_EQ(o.script_file, "b.sxx");
    EXPECT_EQ(o.script_args, Words{"rest"});
}

TEST(SxxOptions, HandlersMayDoMore) {
    const auto limit = [](const Words &args) {
        std::string all;
        for (const NameValue &define : parsed(args).defines)
            all += define.name + "=" + define.value + ";";
        return all;
    };
    EXPECT_EQ(limit({"b.sxx"}), "MAXACTION=100000;");
    EXPECT_EQ(limit({"b.sxx", "-DMAXACTION=5"}), "MAXACTION=5;");
    EXPECT_EQ(limit({"b.stp"}), "");
}

TEST(SxxOptions, CalledAsStapxx) {
    for (const char *name : {"stap++", "./stap++", "/opt/bin/stap++"})
        EXPECT_TRUE(is_stapxx(name)) << name;
    for (const char *name : {"stap", "stap++/stap", "mystap++", "stap++.sh", ""})
        EXPECT_FALSE(is_stapxx(name)) << name;
    EXPECT_EQ(with_sxx({"a"}), (Words{"--sxx", "a"}));
    EXPECT_EQ(with_sxx({}), Words{"--sxx"});
}

TEST(SxxOptions, UsageErrorOfArguments) {
    EXPECT_EQ(told({"b.sxx", "--arg", "limit"}), "Invalid --arg argument 'limit' (should be NAME=VALUE).\n");
    EXPECT_EQ(told({"b.sxx", "--arg", "a-b=1"}), "Invalid --arg argument 'a-b=1' (should be NAME=VALUE).\n");
    EXPECT_EQ(told({"b.sxx", "--mastr", "-v"}),
              "The option --mastr has no value (similar: --master).\n"
              "help: an argument of the script has one: --mastr=VALUE, or --arg mastr=VALUE\n");
    EXPECT_EQ(told({"b.sxx", "--master", "nginx"}),
              "Invalid process ID 'nginx' (--master).\n"
              "help: a process is named by its number: --master $(pgrep -o -x nginx); process(\"PATH\") in a script is "
              "every process of a program\n");
    EXPECT_EQ(told({"b.sxx", "--sample-pid=0"}), "Invalid process ID '0' (--sample-pid).\n");
    // Before the script they are none.
    EXPECT_EQ(told({"--limit=3", "b.sxx"}).substr(0, 25), "Unknown option '--limit'.");
}

TEST(SxxOptions, UsageErrorOfOptionsThatExcludeEachOther) {
    const std::string elsewhere =
        "The options --arg, --args, --dump-src, --master and --sample-pid are for scripts of stap++: files *.sxx, or "
        "others with --sxx.\n";
    for (const char *option : {"--args", "--dump-src", "--arg=a=1", "--master=1", "--sample-pid=1"})
        EXPECT_EQ(told({option, "b.stp"}), elsewhere) << option;
    EXPECT_EQ(told({"--exec=/bin/ls", "b.stp"}), "The --sysroot and --exec options are for core files (--core).\n");
    EXPECT_EQ(told({"b.sxx", "-x1", "--master=2"}), "The -x and --master options exclude each other.\n");
    EXPECT_EQ(told({"b.sxx", "--args", "--dump-src"}), "The --args and --dump-src options exclude each other.\n");
    EXPECT_EQ(told({"b.sxx", "--args", "--arg", "a=1"}),
              "The --args option only lists the script's arguments: they take no values with it.\n");
    for (const char *where : {"--vm", "--remote=host"})
        EXPECT_EQ(told({"b.sxx", where, "-x1"}),
                  "The options -x, --master and --sample-pid name processes of this machine, which guests (--vm) and "
                  "other hosts (--remote) do not have: name the program, --exec=PATH.\n");
    EXPECT_EQ(told({"b.sxx", "--remote=host", "--args"}),
              "The options --args and --dump-src have no use with --remote.\n");
}

}  // namespace
}  // namespace tapir::driver
