// SPDX-License-Identifier: GPL-2.0-or-later
#include "tool/words.h"

#include <gmock/gmock.h>

#include "heads.h"

namespace tapir::tool {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr const char *kWordScript =
    "@tool(\"t\", \"why?\", \"\")\n"
    "@option(min_wait, 0, \"-m: duration in us -- ignore shorter waits\")\n"
    "@option(errors, 1, \"-e: flag -- count errors\")\n"
    "@option(ids, \"\", \"pid... -- these\")\n"
    "@option(file, \"\", \"<FILE> text required -- the file\")\n"
    "@option(more, \"\", \"<MORE>... text -- others\")\n"
    "probe begin { println(min_wait, errors, ids, file, more) }\n";

class ToolWords : public ::testing::Test {
  protected:
    Words read(const std::vector<std::string> &words) {
        Diagnostics diagnostics;
        Words result = read_words(*script_.head, words, given_, diagnostics);
        messages_ = render_all(diagnostics, true);
        return result;
    }

    Read script_ = read_text(kWordScript);
    GivenValues given_;
    std::string messages_;
};

TEST_F(ToolWords, ValuesByNameLetterAndPlace) {
    EXPECT_EQ(script_.messages, "");
    const Words words = read({"--min-wait=3ms", "-e", "f", "--ids", "1,2", "a", "--ids=3", "b"});
    EXPECT_EQ(messages_, "");
    EXPECT_THAT(words.values, ElementsAre(Pair("errors", "1"), Pair("file", "f"), Pair("ids", "1,2,3"),
                                          Pair("min_wait", "3000"), Pair("more", "a,b")));
    EXPECT_THAT(read({"-m5", "--no-errors", "--", "-f"}).values,
                ElementsAre(Pair("errors", "0"), Pair("file", "-f"), Pair("min_wait", "5")));
    EXPECT_EQ(messages_, "");
}

TEST_F(ToolWords, OptionsOfEveryTool) {
    const Words words = read({"f", "-x", "1", "-p", "-42", "-c", "sleep 1", "-T5", "--vm", "-o", "a.html", "-v", "-v"});
    EXPECT_EQ(messages_, "");
    EXPECT_THAT(words.driver,
                ElementsAre(Pair("pid", "1"), Pair("pid", "-42"), Pair("command", "sleep 1"), Pair("duration", "5"),
                            Pair("vm", "default"), Pair("output", "a.html"), Pair("verbose", ""), Pair("verbose", "")));
}

TEST_F(ToolWords, AsksNeedNothingElse) {
    EXPECT_EQ(read({"--help"}).ask, Ask::Help);
    EXPECT_EQ(read({"-h"}).ask, Ask::Help);
    EXPECT_EQ(read({"--man"}).ask, Ask::Man);
    EXPECT_EQ(read({"--describe"}).ask, Ask::Describe);
    EXPECT_EQ(read({"--completion", "zsh"}).shell, "zsh");
    EXPECT_EQ(messages_, "");
}

TEST_F(ToolWords, RefusesWithThePlaceOfTheOption) {
    read({"f", "--min-wait=x"});
    EXPECT_THAT(messages_, HasSubstr("ERROR: Invalid value 'x' for --min-wait: it should be a time"));
    EXPECT_THAT(messages_, HasSubstr("at t.stp:2:9\n"));
    EXPECT_THAT(messages_, HasSubstr("source: @option(min_wait, 0, \"-m: duration in us -- ignore shorter waits\")\n"));
    const std::pair<std::vector<std::string>, const char *> cases[] = {
        {{"f", "--min=3"}, "t has no option '--min' (similar: --min-wait, --min-quality)."},
        {{"f", "--min-wai=3"}, "t has no option '--min-wai' (similar: --min-wait"},
        {{"f", "--min-wait"}, "the required argument for option '--min-wait' is missing."},
        {{"f", "-m1", "-m2"}, "Option --min-wait is given twice, with the values '1' and '2'"},
        {{"f", "-e", "--no-errors"}, "Option --no-errors is given twice, with the values '1' and '0'"},
        {{}, "t needs a word: FILE (the file)"},
        {{"--completion=ksh"}, "There is no completion for 'ksh' (--completion): shells are bash, zsh and fish."},
    };
    for (const auto &[words, message] : cases) {
        read(words);
        EXPECT_THAT(messages_, HasSubstr(message));
    }
}

TEST_F(ToolWords, AnOptionMayBeCalledWord) {
    script_ = read_text("@option(word, \"\", \"-- x\") @option(other, \"\", \"<OTHER> -- x\")");
    EXPECT_THAT(read({"--word", "a", "b"}).values, ElementsAre(Pair("other", "b"), Pair("word", "a")));
    EXPECT_EQ(messages_, "");
}

// A build server gets all values so, those of required words, too.
TEST_F(ToolWords, ValuesBeforeTheNameCount) {
    given_ = {{"file", "g"}, {"min-wait", "3ms"}};
    EXPECT_THAT(read({"-m", "1ms"}).values, ElementsAre(Pair("file", "g"), Pair("min_wait", "1000")));
    EXPECT_EQ(messages_, "");
    given_ = {{"file", "g"}, {"min_wait", "x"}};
    read({});
    EXPECT_THAT(messages_, HasSubstr("for --min-wait: it should be a time such as 10ms or 1.5s (ns, us, ms, s, m, h; "
                                     "without a unit: us): identifier 'min_wait' at t.stp:2:9\n"));
}

TEST_F(ToolWords, PlainWordsAreArguments) {
    script_ = read_text("@tool(\"t\", \"why?\", \"\") probe begin { println(@1) }");
    EXPECT_THAT(read({"a", "b"}).arguments, ElementsAre("a", "b"));
    script_ = read_text("@tool(\"t\", \"why?\", \"\") probe begin { println(1) }");
    read({"a"});
    EXPECT_THAT(messages_, HasSubstr("t has no use for the word 'a'."));
}

}  // namespace
}  // namespace tapir::tool
