// SPDX-License-Identifier: GPL-2.0-or-later
#include "exporter/script_settings.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tapir::exporter {
namespace {

std::string words_of(const std::string &text) {
    const Outcome<ScriptSettings> settings = parse_settings("x", text);
    if (!settings) return settings.fault().message();
    std::string words;
    for (const std::string &word : settings->words)
        words += (words.empty() ? "" : " ") + word;
    return words;
}

TEST(ExporterSettings, NameAScriptOrATool) {
    EXPECT_EQ(words_of("# reads\nscript=/a/b.stp\noption=-DMAXSTRINGLEN=64\nargument=5\n"),
              "-DMAXSTRINGLEN=64 /a/b.stp 5");
    EXPECT_EQ(words_of("tool=offcpu\noption=--min=1ms\nargument=x"), "run offcpu --min=1ms x");
    EXPECT_EQ(parse_settings("x", "tool=offcpu\nstart=boot\nseries=7")->series, 7u);
    EXPECT_TRUE(parse_settings("x", "tool=offcpu\nstart=boot")->at_start);
    EXPECT_FALSE(parse_settings("x", "tool=offcpu")->at_start);
}

TEST(ExporterSettings, WhatIsWrongIsSaidWithItsLine) {
    EXPECT_EQ(words_of(""), "it takes either script= or tool=");
    EXPECT_EQ(words_of("tool=a\nscript=/b"), "it takes either script= or tool=");
    EXPECT_EQ(words_of("\nscript=b.stp"), "line 2: script= takes an absolute path");
    EXPECT_EQ(words_of("tool=../x"), "line 1: tool= takes the name of a tool");
    EXPECT_EQ(words_of("option=x"), "line 1: option= takes an option of stap");
    EXPECT_EQ(words_of("option=--format=csv"), "line 1: '--format=csv' is no option for a script of the exporter");
    EXPECT_EQ(words_of("option=-ofile"), "line 1: '-ofile' is no option for a script of the exporter");
    EXPECT_EQ(words_of("argument=--remote=x"), "line 1: '--remote=x' is no option for a script of the exporter");
    EXPECT_EQ(words_of("start=now"), "line 1: start= takes 'demand' or 'boot'");
    EXPECT_EQ(words_of("series=0"), "line 1: series= takes 1 to 100000");
    EXPECT_EQ(words_of("color=1"),
              "line 1: 'color' is no setting: script=, tool=, option=, argument=, start= and series= are");
}

TEST(ExporterSettings, AWrongFileDoesNotHoldTheOthers) {
    const std::string folder = testing::TempDir() + "exporter.d";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    for (const auto &[name, text] : {std::pair{"a-b.conf", "tool=one\n"},
                                     {"a_b.conf", "tool=two\n"},
                                     {"bad.conf", "nonsense\n"},
                                     {"other.txt", "nonsense\n"},
                                     {"z.conf", "tool=three\n"}})
        std::ofstream(folder + "/" + name) << text;
    std::vector<std::string> said;
    const auto settings = read_folder(folder, [&](const std::string &text) { said.push_back(text); });
    ASSERT_TRUE(settings);
    ASSERT_EQ(settings->size(), 2u);
    EXPECT_EQ((*settings)[0].name, "a-b");
    EXPECT_EQ((*settings)[1].name, "z");
    EXPECT_EQ(said, (std::vector<std::string>{
                        folder + "/a_b.conf: its metrics would have the names of those of a-b.conf",
                        folder + "/bad.conf: line 1: 'nonsense' is no setting: script=, tool=, option=, argument=, "
                                 "start= and series= are"}));
    EXPECT_EQ(read_folder(folder + "/none", [](const std::string &) {}).fault().message(),
              "cannot read the folder '" + folder + "/none': No such file or directory");
}

}  // namespace
}  // namespace tapir::exporter
