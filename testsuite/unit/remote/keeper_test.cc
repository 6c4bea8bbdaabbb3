// SPDX-License-Identifier: GPL-2.0-or-later
#include "remote/keeper.h"

#include <gtest/gtest.h>

namespace tapir::remote {
namespace {

// A login shell may be csh, where ! is special even between quotes, but not before a blank, and a line cannot be
// continued, or fish, where backslashes are special before ' and another one.
TEST(RemoteKeeper, IsOneQuotedWordForAnyShell) {
    for (const std::string &command : {keeper_command("abc", 5), upload_command("/tmp/tapir-abc", "stap_x.ko")}) {
        ASSERT_TRUE(command.starts_with("exec sh -c '") && command.ends_with("'")) << command;
        const std::string word = command.substr(12, command.size() - 13);
        EXPECT_EQ(std::string::npos, word.find_first_of("'\n"));
        for (size_t at = 0; (at = word.find('!', at)) != std::string::npos; ++at)
            EXPECT_EQ(' ', word[at + 1]) << word.substr(at);
        EXPECT_EQ(std::string::npos, word.find("\\\\"));
    }
}

TEST(RemoteKeeper, TakesFactsAmongOtherThings) {
    Facts facts;
    for (const char *line : {"Welcome!", "T1 release 6.1.0-56-amd64", "T1 machine x86_64", "T2 release wrong",
                             "T1 version #1 SMP Debian", "T1 uid 0", "T1 directory /tmp/tapir-T1",
                             "T1 staprun /usr/bin/staprun", "T1 answer one", "T1 answer two", "T1 surprise x"})
        EXPECT_FALSE(take_fact(line, "T1", facts)) << line;
    EXPECT_FALSE(take_fact("ready", "T1", facts));
    EXPECT_TRUE(take_fact("T1 ready", "T1", facts));
    EXPECT_EQ("6.1.0-56-amd64", facts.release);
    EXPECT_EQ("x86_64", facts.machine);
    EXPECT_EQ("#1 SMP Debian", facts.version);
    EXPECT_EQ("0", facts.uid);
    EXPECT_EQ("/tmp/tapir-T1", facts.directory);
    EXPECT_EQ("/usr/bin/staprun", facts.staprun);
    EXPECT_EQ("one\ntwo\n", facts.staprun_version);
}

TEST(RemoteKeeper, QuotesWhatIsRun) {
    EXPECT_EQ("run '/tmp/d/staprun' '-G' 'a=it'\\''s' 'two'\"$n\"'lines' ''\n",
              run_line("/tmp/d/staprun", {"-G", "a=it's", "two\nlines", ""}));
}

TEST(RemoteKeeper, FindsTheBuildIdAmongNotes) {
    const std::string other = "06 00 00 00 04 00 00 00 01 01 00 00 4c 69 6e 75 78 00 00 00 aa bb cc dd ";
    EXPECT_EQ("", build_id_of_hex_notes(""));
    EXPECT_EQ("", build_id_of_hex_notes(other));
    EXPECT_EQ("", build_id_of_hex_notes("04 00 00 00 ff ff ff ff 03 00 00 00 47 4e 55 00"));
    EXPECT_EQ("", build_id_of_hex_notes("04 00 00"));
    EXPECT_EQ("1ead0f", build_id_of_hex_notes(other + "04000000 03000000 03000000 47 4e 55 00 1e ad 0f 00"));
}

}  // namespace
}  // namespace tapir::remote
