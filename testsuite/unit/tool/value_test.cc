// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include <filesystem>

#include "../said.h"
#include "heads.h"

namespace tapir::tool {
namespace {

Option option_of(const std::string &initial, const std::string &spec) {
    const Read read = read_option(initial, spec + " -- x");
    EXPECT_EQ(read.messages, "");
    return read.head->options.at(0);
}

// The value, or why it is none.
std::string value_of(const Option &option, const std::string &text) {
    const Outcome<std::string> value = read_value(option, text);
    return value ? *value : "! " + said(value);
}

TEST(Value, Numbers) {
    const Option number = option_of("0", "number");
    EXPECT_EQ(value_of(number, "-9223372036854775808"), "-9223372036854775808");
    EXPECT_EQ(value_of(number, "0x10"), "16");
    EXPECT_EQ(value_of(number, "9223372036854775808"), "! it does not fit 64 bits");
    for (const char *text : {"", "1x", " 1", "1 ", "--1", "0x", "1.0", "1e3"})
        EXPECT_EQ(value_of(number, text), "! it should be a whole number") << text;
    const Option small = option_of("5", "in 1..10");
    EXPECT_EQ(value_of(small, "10"), "10");
    EXPECT_EQ(value_of(small, "11"), "! it should be 1 to 10");
    EXPECT_EQ(value_of(option_of("5", "in 1.."), "0"), "! it should be at least 1");
    EXPECT_EQ(value_of(option_of("5", "in ..9"), "10"), "! it should be at most 9");
}

TEST(Value, Durations) {
    const Option us = option_of("0", "duration in us");
    EXPECT_EQ(value_of(us, "7"), "7");
    EXPECT_EQ(value_of(us, "10ms"), "10000");
    EXPECT_EQ(value_of(us, "1.5s"), "1500000");
    EXPECT_EQ(value_of(us, "2min"), "120000000");
    EXPECT_EQ(value_of(us, "2000ns"), "2");
    EXPECT_EQ(value_of(us, "1h"), "3600000000");
    EXPECT_EQ(value_of(us, "0.000001s"), "1");
    EXPECT_EQ(value_of(us, "-1.5ms"), "! it should be at least 0");
    EXPECT_EQ(value_of(option_of("0", "duration in us in -1s..1s"), "-1.5ms"), "-1500");
    EXPECT_EQ(value_of(us, "1500ns"), "! it is finer than the us in which it is kept");
    EXPECT_EQ(value_of(us, "9999999999h"), "! it does not fit 64 bits");
    for (const char *text : {"", "ms", "1 ms", "1d", "1.ms.", "1.5.2s", "0.0000000001s", "10MS"})
        EXPECT_THAT(value_of(us, text), ::testing::StartsWith("! it should be a time such as 10ms")) << text;
    EXPECT_EQ(value_of(option_of("0", "duration in s in 0..1h"), "61m"), "! it should be 0 to 1h");
}

TEST(Value, ExpressionsAndPointsAreRead) {
    const Option regex = option_of("\".*\"", "regex");
    EXPECT_EQ(value_of(regex, "^a|b$"), "^a|b$");
    EXPECT_EQ(value_of(regex, "a["), "! unclosed character class at character 2");
    const Option points = option_of("\"begin\"", "points");
    for (const char *text : {"vfs.read", "vfs.read.return, timer.s(1)", "process(\"/bin/a\").function(\"f\")?",
                             "kernel.{trace(\"a\"),function(\"b\")}", "@mine"})
        EXPECT_EQ(value_of(points, text), text);
    for (const char *text : {"}", "vfs.read {", "vfs.read { exit() } probe vfs.write", "vfs read", "vfs.read {} //"})
        EXPECT_EQ(value_of(points, text), "! it should be probe points, by commas") << text;
}

TEST(Value, Sizes) {
    const Option size = option_of("0", "size");
    EXPECT_EQ(value_of(size, "4096"), "4096");
    EXPECT_EQ(value_of(size, "4k"), "4096");
    EXPECT_EQ(value_of(size, "-1"), "! it should be at least 0");
    EXPECT_EQ(value_of(size, "4KiB"), "4096");
    EXPECT_EQ(value_of(size, "1.5M"), "1572864");
    EXPECT_EQ(value_of(size, "2G"), "2147483648");
    EXPECT_EQ(value_of(size, "1T"), "1099511627776");
    EXPECT_EQ(value_of(size, "0.3"), "! it is finer than the bytes in which it is kept");
    EXPECT_THAT(value_of(size, "4q"), ::testing::StartsWith("! it should be a size in bytes"));
}

TEST(Value, OthersAndLists) {
    EXPECT_EQ(value_of(option_of("0", "percent in 0..100"), "5%"), "5");
    EXPECT_EQ(value_of(option_of("0", "percent in 0..100"), "101%"), "! it should be 0% to 100%");
    EXPECT_EQ(value_of(option_of("0", "percent"), "5.5%"), "! it should be a whole number of percent");
    const Option choice = option_of("\"any\"", "any|sleep|disk");
    EXPECT_EQ(value_of(choice, "disk"), "disk");
    EXPECT_EQ(value_of(choice, "slep"), "! it should be any, sleep or disk (similar: sleep)");
    EXPECT_EQ(value_of(option_of("\"\"", "path"), "a/../b"), (std::filesystem::current_path() / "b").string());
    EXPECT_EQ(value_of(option_of("\"\"", "path"), ""), "! a path is not empty");
    EXPECT_EQ(value_of(option_of("\"\"", "text"), "a,b c"), "a,b c");
    const Option pids = option_of("\"\"", "pid...");
    EXPECT_EQ(value_of(pids, "1,0x2,3"), "1,2,3");
    EXPECT_EQ(value_of(pids, "1,,3"), "! it should be a process ID");
    EXPECT_EQ(value_of(pids, "0"), "! it should be 1 to 4194304");
    EXPECT_EQ(value_of(option_of("\"\"", "text"), std::string("a\0b", 3)), "! it has a zero byte");
}

// Numbers that --help shows read back as the same value.
TEST(Value, ShownNumbersReadBack) {
    for (const char *spec : {"duration in ns", "duration in us", "duration in s", "size", "percent", "number"}) {
        const Option option = option_of("0", spec);
        for (const int64_t value : {0LL, 1LL, 60LL, 1000LL, 1024LL, 1500LL, 3600LL, 1048576LL, 90'000'000LL})
            EXPECT_EQ(value_of(option, shown_number(option, value)), std::to_string(value)) << spec;
    }
    EXPECT_EQ(shown_number(option_of("0", "duration in us"), 90'000'000), "90s");
    EXPECT_EQ(shown_number(option_of("0", "size"), 1 << 20), "1M");
}

}  // namespace
}  // namespace tapir::tool
