// SPDX-License-Identifier: GPL-2.0-or-later
// A session with --monitor: its probes and globals as tables, and the keys that change them.
#include <gtest/gtest.h>

#include "common/glyphs.h"
#include "live/display.h"

namespace tapir::live {
namespace {

class LiveMonitor : public testing::Test {
  protected:
    LiveMonitor() { take("meta", R"("command":"stap --monitor t.stp","kernel":"6.1.0-5","staprun":4711)"); }
    void take(const std::string &type, const std::string &members) {
        model.take(R"({"v":1,"type":")" + type + R"(","t":)" + std::to_string(time) + "," + members + "}");
    }
    void probe(int index, const std::string &point, int hits, bool on = true, int lock = 0, int timed = 0) {
        take("probe", R"("index":)" + std::to_string(index) + R"(,"on":)" + (on ? "true" : "false") +
                          R"(,"probe":{"point":")" + point + R"(","where":"t.stp:)" + std::to_string(index + 1) +
                          R"(:1","attached":1,"hits":)" + std::to_string(hits) + R"(,"handled":)" +
                          std::to_string(hits - lock) + R"(,"skipped":{"reentry":0,"lock":)" + std::to_string(lock) +
                          R"(,"stack":0,"state":0},"missed":0,"errors":0,"time_ns":{"hits":)" + std::to_string(timed) +
                          R"(,"min":)" + (timed ? "100" : "0") + R"(,"max":)" + (timed ? "5000" : "0") + R"(,"sum":)" +
                          std::to_string(timed * 1500) + R"(},"overhead_ns":7})");
    }
    void array(const std::string &name, int elements) {
        take("global", R"("name":")" + name + R"(","kind":"array","resets":true,"of":"number","keys":2,"elements":)" +
                           std::to_string(elements) + R"(,"most":2048)");
    }
    void mark(const std::string &name, int keys) {
        take("row", R"("table":"globals","row":{"name":")" + name + R"(","keys":)" + std::to_string(keys) + "}");
    }
    void refresh() {
        time += 1000000000;
        take("refresh",
             R"("hits":77,"lost_hits":0,"errors":0,"lost_records":0,"module_bytes":262144,"array_bytes":4096)");
    }
    // Three probes and three globals, the second of which nothing writes to.
    void usual() {
        probe(0, "syscall.read", 40, true, 2, 10);
        probe(2, "timer.s(1)", 3);
        probe(3, "syscall.write", 50);
        array("by", 2);
        take("global", R"("name":"fixed","kind":"number","resets":false)");
        take("global", R"("name":"n","kind":"number","resets":true)");
        mark("by", 2);
        take("value", R"("name":"by","keys":["cat",7],"value":30)");
        take("value", R"("name":"by","keys":["ls",8],"value":1000)");
        mark("fixed", 0);
        take("value", R"("name":"fixed","value":3)");
        mark("n", 0);
        take("value", R"("name":"n","value":90)");
        refresh();
    }
    std::vector<std::string> screen(size_t rows = 24, size_t width = 80) {
        std::vector<std::string> texts;
        for (const Line &line : display.screen(model, rows, {width, true})) {
            EXPECT_LE(columns(line.text), width);
            texts.push_back(line.text);
        }
        EXPECT_EQ(rows, texts.size());
        return texts;
    }
    // The one line that contains the text.
    std::string line(const std::string &text, size_t rows = 24, size_t width = 80) {
        std::string found;
        for (const std::string &one : screen(rows, width))
            if (one.find(text) != std::string::npos) found = found.empty() ? one : "several";
        return found;
    }
    // The line that begins with the name.
    std::string row(const std::string &name, size_t rows = 24, size_t width = 80) {
        for (const std::string &one : screen(rows, width))
            if (one.starts_with(name + " ")) return one;
        return {};
    }
    std::string command(const std::string &keys) {
        for (const char key : keys)
            EXPECT_TRUE(display.press(key));
        return display.take_command();
    }

    uint64_t time = 1000000000;
    Model model;
    Display display{{"t.stp", 1000, 0}};
};

TEST_F(LiveMonitor, ProbesAndGlobalsAreRows) {
    usual();
    const auto lines = screen(24, 130);
    EXPECT_EQ("kernel 6.1.0-5  staprun 4711  module 256 KiB  arrays 4 KiB", lines[1]);
    EXPECT_EQ("probes: 3; times of 10 of 93 hits", lines[2]);
    EXPECT_EQ("    #  PROBE          STATE    HITS   SKIPS     AVG     MIN    MAX  REASONS   WHERE", lines[3]);
    EXPECT_EQ("    0  syscall.read   on         40       2  1.5 µs  100 ns   5 µs  lock 2    t.stp:1:1", lines[4]);
    EXPECT_EQ("    2  timer.s(1)     on          3       0                                   t.stp:3:1", lines[5]);
    EXPECT_EQ("GLOBAL   TYPE               SIZE  VALUE", line("GLOBAL", 24, 130));
    EXPECT_EQ("by       array of numbers      2  cat,7=30  ls,8=1,000", row("by", 24, 130));
    EXPECT_EQ("n        number                   90", row("n", 24, 130));
}

TEST_F(LiveMonitor, ValuesAreThoseOfTheLastRefresh) {
    usual();
    array("by", 0);
    mark("by", 2);
    probe(0, "syscall.read", 41);
    take("value", R"("name":"n","value":91)");
    refresh();
    EXPECT_NE(std::string::npos, line("array of").find("    0"));
    EXPECT_EQ(std::string::npos, line("array of").find("cat"));
    EXPECT_NE(std::string::npos, line("syscall.read").find("   41 "));
    EXPECT_NE(std::string::npos, row("n").find("91"));
    // At the end all elements are told once more, without a mark.
    for (int i = 0; i < 30; i++)
        take("value", R"("name":"by","keys":["k)" + std::to_string(i) + R"(",1],"value":1)");
    take("value", R"("name":"by","keys":["k0",1],"value":5)");
    model.finish();
    EXPECT_NE(std::string::npos, line("array of", 24, 400).find("k0,1=5  k1,1=1"));
    EXPECT_EQ(std::string::npos, line("array of", 24, 400).find("k20"));
}

TEST_F(LiveMonitor, AStatisticHasItsFigures) {
    take("global", R"("name":"s","kind":"statistic","resets":true)");
    take("value", R"("name":"s","count":2,"sum":10,"min":4,"avg":5,"max":6)");
    refresh();
    EXPECT_NE(std::string::npos, line("statistic").find("count 2 sum 10 min 4 avg 5 max 6"));
}

TEST_F(LiveMonitor, KeysSwitchTheChosenProbe) {
    usual();
    screen();
    EXPECT_EQ("probe 0 off", command("t"));
    EXPECT_EQ("probe 0 off", command("\n"));
    EXPECT_EQ("", display.take_command());
    display.press(kKeyDown);
    display.press('j');
    EXPECT_EQ("probe 3 off", command("t"));
    display.press('j');
    EXPECT_EQ("probe 3 off", command("t")) << "it is the last one";
    probe(3, "syscall.write", 50, false);
    EXPECT_NE(std::string::npos, line("syscall.write").find(" off ")) << "before the next refresh";
    EXPECT_EQ("probe 3 on", command("t"));
    EXPECT_EQ("probes on", command("T"));
    refresh();
    EXPECT_EQ("probes: 3, 1 off; times of 10 of 93 hits", screen()[2]);
    probe(3, "syscall.write", 50);
    screen();
    EXPECT_EQ("probes off", command("T"));
    // The row is the one that keys mean, wherever it stands.
    for (const char key : std::string("ssss"))
        display.press(key);
    EXPECT_EQ(4u, screen()[4].find("3  syscall.write")) << "by hits, most first";
    EXPECT_EQ("probe 3 off", command("t"));
    display.press(kKeyDown);
    EXPECT_EQ("probe 0 off", command("t"));
    for (const char key : std::string("/time\n"))
        display.press(key);
    EXPECT_EQ("", line("syscall.read"));
    EXPECT_EQ("probe 2 off", command("t")) << "the first of those that are there";
}

TEST_F(LiveMonitor, KeysBeforeTheFirstRefreshDoNothing) {
    probe(0, "syscall.read", 1);
    screen();
    for (const char key : std::string("tTr"))
        EXPECT_TRUE(display.press(key));
    EXPECT_EQ("", display.take_command());
    refresh();
    EXPECT_NE("", line("syscall.read"));
    EXPECT_EQ("probes off", command("T"));
}

TEST_F(LiveMonitor, FiltersDoNotMeanTheScriptsName) {
    usual();
    screen();
    for (const char key : std::string("/stp\n"))
        display.press(key);
    EXPECT_EQ("", line("syscall.read"));
    for (const char key : std::string("\033/lock\n"))
        display.press(key);
    EXPECT_NE("", line("syscall.read")) << "a reason of a skip";
}

TEST_F(LiveMonitor, ValuesAreCutAtTheirEnds) {
    array("by", 12);
    mark("by", 2);
    for (int i = 10; i < 22; i++)
        take("value", R"("name":"by","keys":["k)" + std::to_string(i) + R"(",1],"value":5)");
    refresh();
    const std::string full = row("by", 24, 200);
    EXPECT_TRUE(
        full.ends_with("     12  k10,1=5  k11,1=5  k12,1=5  k13,1=5  k14,1=5  k15,1=5  k16,1=5  k17,1=5  k18,1=5  "
                       "k19,1=5  k20,1=5  k21,1=5"))
        << full;
    for (size_t width = 60; width < full.size(); width++)
        EXPECT_EQ(full.substr(0, width - 1) + "…", row("by", 24, width));
    EXPECT_EQ(full, row("by", 24, full.size()));
}

TEST_F(LiveMonitor, FactsOfTheSessionGoAsAWhole) {
    usual();
    EXPECT_EQ("kernel 6.1.0-5  staprun 4711  module 256 KiB", screen(24, 50)[1]);
    EXPECT_EQ("kernel 6.1.0-5", screen(24, 20)[1]);
}

TEST_F(LiveMonitor, KeysResetTheChosenGlobal) {
    usual();
    screen();
    EXPECT_EQ("", command("r")) << "a probe is chosen";
    EXPECT_EQ("reset", command("R"));
    display.press('\t');
    EXPECT_EQ("reset by", command("r"));
    EXPECT_EQ("", command("t"));
    display.press(kKeyEnd);
    EXPECT_EQ("reset n", command("r"));
    display.press(kKeyUp);
    EXPECT_NE("", line("fixed: number, the script does not write to it"));
}

TEST_F(LiveMonitor, TheNoteTellsWhySkipsWere) {
    usual();
    EXPECT_EQ("t.stp:1:1: 1 place, skipped: lock 2, 10 timed", screen()[22]);
    display.press(kKeyDown);
    EXPECT_EQ("t.stp:3:1: 1 place, no hit skipped, 0 timed", screen()[22]);
}

TEST_F(LiveMonitor, PagesAreTablesAndOutput) {
    usual();
    for (int i = 0; i < 50; i++)
        take("print", R"("text":"line )" + std::to_string(i) + R"(\n")");
    EXPECT_NE("", line("line 49"));
    EXPECT_NE("", line("PROBE"));
    display.press('2');
    EXPECT_NE("", line("BY")) << "an element in each row";
    EXPECT_EQ("", line("PROBE"));
    display.press('v');
    EXPECT_EQ("", line("BY"));
    EXPECT_EQ("line 49", screen()[22]);
    EXPECT_EQ("line 29", screen()[2]);
    display.press(kKeyHome);
    EXPECT_EQ("line 0", screen()[2]);
    display.press(kKeyEnd);
    EXPECT_EQ("line 49", screen()[22]);
    display.press('k');
    EXPECT_EQ("line 48", screen()[22]);
    display.press('v');
    EXPECT_NE("", line("PROBE"));
    display.press('3');
    display.press('1');
    EXPECT_EQ("probe 0 off", command("t"));
}

TEST_F(LiveMonitor, NarrowScreensKeepNamesAndHits) {
    probe(0, R"(process(\"/usr/lib/x86_64-linux-gnu/libc.so.6\").function(\"malloc\"))", 40, true, 2, 10);
    array("by", 2);
    refresh();
    const std::string head = line("PROBE", 20, 60), cut = line("process", 20, 60);
    EXPECT_NE(std::string::npos, head.find("HITS")) << head;
    EXPECT_EQ(std::string::npos, head.find("WHERE")) << head;
    EXPECT_NE(std::string::npos, cut.find("…")) << cut;
    EXPECT_NE(std::string::npos, cut.find("  40")) << cut;
    for (size_t rows = 0; rows < 30; rows++)
        for (const size_t width : {20, 60, 80, 200})
            screen(rows, width);
}

TEST_F(LiveMonitor, WhatIsNoTerminalGetsBlocks) {
    usual();
    const std::string first = display.changes_text(model, {100, true});
    EXPECT_NE(std::string::npos, first.find("\nprobes: 3; times of 10 of 93 hits\n")) << first;
    EXPECT_NE(std::string::npos, first.find("\nglobals: 3\n")) << first;
    EXPECT_EQ(std::string::npos, first.find("VALUE\nfixed")) << first;
}

TEST_F(LiveMonitor, TextsOfTheSessionAreHarmless) {
    probe(0, R"(evil\u001b[2J)", 1);
    take("global", R"("name":"e","kind":"text","resets":true)");
    take("value", R"("name":"e","value":"\u001b]0;owned\u0007")");
    refresh();
    for (const std::string &text : screen())
        for (const char c : text)
            EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << text;
    EXPECT_NE("", line("\\x1b]0;owned\\x07"));
}

TEST_F(LiveMonitor, RecordsThatAreNoneDoNoHarm) {
    for (const char *members : {R"("index":0)", R"("index":"x","on":1,"probe":[])", R"("index":0,"on":true,"probe":3)",
                                R"("index":0,"on":true,"probe":{"skipped":[1],"time_ns":"x","hits":"y"})"})
        take("probe", members);
    for (const char *members : {R"("name":3)", R"("name":"x","kind":"array","elements":"y","resets":"no")"})
        take("global", members);
    refresh();
    screen();
    EXPECT_TRUE(model.monitors());
}

}  // namespace
}  // namespace tapir::live
