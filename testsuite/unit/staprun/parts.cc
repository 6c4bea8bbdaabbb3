// SPDX-License-Identifier: GPL-2.0-or-later
// The small parts: messages, words of a command, symbols, numbers.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "../patience.h"
#include "../said.h"
#include "common/plain_text.h"
#include "fake.h"
#include "local_time.h"
#include "messages.h"
#include "symbol_addresses.h"
#include "target_command.h"
#include "way_out.h"

namespace tapir::staprun {
namespace {

TEST(StaprunMessages, WarningsOnceUnlessVerbose) {
    std::string said;
    Messages messages([&](std::string_view text) { said += text; });
    messages.warning("a");
    messages.warning("a\n");
    messages.warning("a");
    EXPECT_EQ("WARNING: a\nWARNING: a\n", said);
    EXPECT_FALSE(messages.seen_error());
    said.clear();
    Messages::Style verbose;
    verbose.verbose = 1;
    messages.set_style(verbose);
    messages.warning("a");
    messages.error("b");
    messages.error("b");
    EXPECT_EQ("WARNING: a\nERROR: b\nERROR: b\n", said);
    EXPECT_TRUE(messages.seen_error());
}

TEST(StaprunMessages, SuppressedAndColored) {
    std::string said;
    Messages messages([&](std::string_view text) { said += text; });
    Messages::Style style;
    style.no_warnings = true;
    unsetenv("SYSTEMTAP_COLORS");
    style.screen.colors = Colors(Coloring::Always, -1);
    messages.set_style(style);
    messages.warning("a");
    messages.error("b");
    messages.say("c");
    EXPECT_EQ("\033[01;31mERROR\033[0m: b\nc\n", said);
}

TEST(StaprunMessages, HelpOnce) {
    std::string said;
    Messages messages([&](std::string_view text) { said += text; });
    for (const char *error : {"division by 0 near operator '/'", "division by 0 near operator '%'", "my own error"}) {
        messages.error(error);
        messages.help(advice_for(error));
    }
    EXPECT_EQ(
        "ERROR: division by 0 near operator '/'\n"
        "help: test the divisor before, or catch the error: try { ... } catch { ... }\n"
        "ERROR: division by 0 near operator '%'\nERROR: my own error\n",
        said);
    for (const char *limit :
         {"MAXACTION exceeded near", "MAXTIME exceeded near", "MAXNESTING exceeded near",
          "Array overflow, check MAXMAPENTRIES", "Array overflow, check size limit (4)",
          "Array overflow, no memory for more than 9 elements of 'a'", "Array overflow, no element of 'a' is free yet",
          "Skipped too many probes, check MAXSKIPPED"})
        EXPECT_TRUE(advice_for(limit).ends_with(" [man error::limits]")) << limit;
}

TEST(StaprunMessages, TableFull) {
    std::string said;
    Messages messages([&](std::string_view text) { said += text; });
    for (int i = 0; i < 1024; i++)
        messages.warning(std::to_string(i));
    said.clear();
    messages.warning("1023");
    messages.warning("x");
    messages.warning("x");
    EXPECT_EQ("WARNING deduplication table full\nWARNING: x\nWARNING: x\n", said);
}

TEST(StaprunChild, SetUpFailed) {
    EXPECT_EQ("", said(check_command("ls -l")));
    EXPECT_EQ("", said(check_command("no-such-program | cat")));
    EXPECT_EQ("", said(check_command("exit 3")));
    EXPECT_EQ("Couldn't run 'no-such-program': command not found", said(check_command("no-such-program -x")));
    EXPECT_EQ("Couldn't run '/no/such': No such file or directory", said(check_command("/no/such")));
    EXPECT_EQ("Couldn't run '/etc/passwd': Permission denied", said(check_command("/etc/passwd")));
}

TEST(StaprunChild, TargetWaitsForRelease) {
    char name[] = "/tmp/staprun-child-XXXXXX";
    close(mkstemp(name));
    unlink(name);
    TargetCommand target;
    ASSERT_EQ("", said(target.prepare(std::string("touch ") + name)));
    usleep(50000);
    EXPECT_NE(0, access(name, F_OK));
    target.release();
    EXPECT_TRUE(tests::patiently(5, [&] { return target.reap(), target.ended(); }));
    EXPECT_EQ("", target.failure());
    EXPECT_EQ(0, access(name, F_OK));
    unlink(name);
}

TEST(StaprunChild, TargetWithoutNewPrivileges) {
    for (const bool unprivileged : {false, true}) {
        TargetCommand target;
        ASSERT_EQ("", said(target.prepare("grep -q 'NoNewPrivs:.1' /proc/self/status", unprivileged)));
        target.release();
        EXPECT_TRUE(tests::patiently(5, [&] { return target.reap(), target.ended(); }));
        EXPECT_EQ(unprivileged || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? "" : "with status 1", target.failure());
    }
}

// By a shell, as there is no such program.
TEST(StaprunChild, CommandOfShellsIsRunByOne) {
    TargetCommand target;
    ASSERT_EQ("", said(target.prepare("exit 3")));
    target.release();
    EXPECT_TRUE(tests::patiently(5, [&] { return target.reap(), target.ended(); }));
    EXPECT_EQ("with status 3", target.failure());
}

TEST(StaprunChild, NeverReleasedTargetJustGoesAway) {
    TargetCommand target;
    ASSERT_EQ("", said(target.prepare("touch /nonexistent/never")));
    target.terminate();
    EXPECT_TRUE(target.ended());
    EXPECT_EQ("", target.failure());
}

TEST(StaprunChild, TerminateEndsARunningTarget) {
    TargetCommand target;
    ASSERT_EQ("", said(target.prepare("sleep 1000")));
    pid_t pid = target.pid();
    target.release();
    usleep(50000);
    target.terminate();
    EXPECT_EQ(-1, kill(pid, 0));
    EXPECT_EQ("", target.failure());
}

TEST(StaprunChild, KilledTargetIsReported) {
    TargetCommand target;
    ASSERT_EQ("", said(target.prepare("kill -9 $$")));
    target.release();
    EXPECT_TRUE(tests::patiently(5, [&] { return target.reap(), target.ended(); }));
    EXPECT_EQ("with signal 9 (Killed)", target.failure());
}

TEST(StaprunSymbols, OnePassInPieces) {
    const std::string table =
        "ffffffff81000000 T startup_64\n"
        "ffffffff81001000 t twice\n"
        "ffffffff81002000 D data_symbol\n"
        "ffffffff81002800 b both\n"
        "ffffffff81003000 t twice\n"
        "ffffffffc0000000 t of_module\t[ext4]\n"
        "ffffffffc0001000 t both\t[ext4]\n"
        "ffffffff81004000 W both\n"
        "garbage line\n"
        "zz T bad\n"
        "ffffffff81005000 T last";
    for (size_t piece : {size_t{1}, size_t{7}, table.size()}) {
        SymbolScan scan({"startup_64", "twice", "data_symbol", "of_module", "both", "missing", "last", "twice"});
        for (size_t at = 0; at < table.size(); at += piece)
            scan.feed(std::string_view(table).substr(at, piece));
        scan.feed("\n");
        EXPECT_EQ(0xffffffff81000000u, scan.address(0));
        EXPECT_EQ(0xffffffff81001000u, scan.address(1));
        EXPECT_EQ(0xffffffff81002000u, scan.address(2));
        EXPECT_EQ(0xffffffffc0000000u, scan.address(3));
        EXPECT_EQ(0xffffffff81004000u, scan.address(4));
        EXPECT_EQ(0u, scan.address(5));
        EXPECT_EQ(0xffffffff81005000u, scan.address(6));
        EXPECT_EQ(0xffffffff81001000u, scan.address(7));
        EXPECT_FALSE(scan.addresses_hidden());
    }
}

TEST(StaprunSymbols, HiddenAddresses) {
    SymbolScan scan({"a"});
    EXPECT_FALSE(scan.addresses_hidden());
    scan.feed("0000000000000000 T a\n0000000000000000 T b\n");
    EXPECT_TRUE(scan.addresses_hidden());
}

TEST(StaprunSymbols, SymbolsHidden) {
    const std::string path = testing::TempDir() + "tapir-kallsyms-" + std::to_string(getpid());
    std::ofstream(path) << "0000000000000000 T schedule\n0000000000000000 D jiffies\n";
    FakeControl control;
    control.symbols = {"schedule"};
    EXPECT_EQ("symbols-hidden: " + path + " shows no addresses (kernel.kptr_restrict is 2?)",
              tagged(resolve_symbols(control, 1, path.c_str())));
    unlink(path.c_str());
}

TEST(StaprunText, TimeZone) {
    setenv("TZ", "XXX-5:30", 1);
    tzset();
    EXPECT_EQ(-19800, seconds_west_of_utc(0));
    EXPECT_EQ("XXX", zone_name(0));
    setenv("TZ", "UTC", 1);
    tzset();
    EXPECT_EQ(0, seconds_west_of_utc(0));
}

}  // namespace
}  // namespace tapir::staprun
