// SPDX-License-Identifier: GPL-2.0-or-later
#include "tool/about.h"

#include <gmock/gmock.h>

#include "heads.h"
#include "tool/script.h"

namespace tapir::tool {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char *kAboutScript =
    "@tool(\"t (tee)\", \"Trying: why?\", \"t -m 1ms\\nt 'syscall.*'\")\n"
    "@option(min_wait, 2000, \"-m: duration in us in 0..1h -- ignore shorter waits\")\n"
    "@option(state, \"any\", \"any|disk -- what it waits in\")\n"
    "@option(errors, 1, \"-e: flag -- count errors\")\n"
    "@option(hz, 99, \"number -- samples a second\")\n"
    "@option(where, \"begin\", \"<POINT> points -- where to look\")\n"
    "probe timer.hz(hz) { println(min_wait, state, errors) } probe @where { }\n";

TEST(About, Help) {
    const Read read = read_text(kAboutScript);
    const std::string help = help_text(*read.head);
    EXPECT_THAT(
        help, ::testing::StartsWith("t - why?\n"
                                    "\n"
                                    "Usage: t [options] [POINT]\n"
                                    "\n"
                                    "Words:\n"
                                    "  POINT                   where to look (default begin; another value rebuilds)\n"
                                    "\n"
                                    "Options of t:\n"
                                    "  -m, --min-wait=TIME     ignore shorter waits (0 to 1h; default 2ms)\n"
                                    "      --state=any|disk    what it waits in (default any)\n"
                                    "  -e, --[no-]errors       count errors (default on)\n"
                                    "      --hz=N              samples a second (default 99)\n"
                                    "\n"));
    EXPECT_THAT(help, ::testing::EndsWith("\nExamples:\n  t -m 1ms\n  t 'syscall.*'\n"));
    for (size_t at = 0; at < help.size(); at = help.find('\n', at) + 1)
        EXPECT_LE(help.find('\n', at) - at, 80u) << help.substr(at, 90);
}

TEST(About, DescribeIsOneObject) {
    const std::string text = describe_text(*read_text(kAboutScript).head);
    EXPECT_THAT(text, ::testing::StartsWith("{\"v\":1,\"name\":\"t\",\"aliases\":[\"tee\"],\"group\":\"Trying\","));
    EXPECT_THAT(text, HasSubstr("{\"name\":\"min-wait\",\"global\":\"min_wait\",\"type\":\"duration\",\"letter\":\"m\","
                                "\"unit\":\"us\",\"least\":0,\"most\":3600000000,\"default\":2000,"));
    EXPECT_THAT(text, HasSubstr("\"type\":\"flag\",\"letter\":\"e\",\"default\":true,"));
    EXPECT_THAT(text, HasSubstr("\"choices\":[\"any\",\"disk\"],\"default\":\"any\","));
}

TEST(About, ListsByGroupAndWord) {
    Diagnostics diagnostics;
    const auto first = script_of_text(kAboutScript, diagnostics);
    const auto second = script_of_text("@tool(\"offcpu\", \"Waiting: where do threads wait?\", \"\")", diagnostics);
    EXPECT_EQ(list_text({second, first}, "", 80),
              "Trying\n  t       why? (tee)\n\nWaiting\n  offcpu  where do threads wait?\n");
    EXPECT_EQ(list_text({second, first}, "THREADS", 80), "Waiting\n  offcpu  where do threads wait?\n");
    EXPECT_EQ(list_text({second, first}, "tee", 80), "Trying\n  t  why? (tee)\n");
    EXPECT_EQ(list_text({second, first}, "zebra", 80), "");
}

TEST(About, ManPageHasEveryOption) {
    const std::string page = man_text(*read_text(kAboutScript).head, "1.2");
    EXPECT_THAT(page,
                ::testing::StartsWith(".TH \"T\" 1 \"\" \"Tapir 1.2\" \"Tools of Tapir\"\n.SH NAME\nt \\- why?\n"));
    EXPECT_THAT(page, HasSubstr("\\fB\\-m\\fR, \\fB\\-\\-min\\-wait\\fR=\\fITIME\\fR\n"));
}

}  // namespace
}  // namespace tapir::tool
