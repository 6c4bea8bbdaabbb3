// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor.h"

#include <gtest/gtest.h>
#include <tapir/abi.h>

#include "fake.h"
#include "item_texts.h"

namespace tapir::staprun {
namespace {

class StaprunMonitor : public testing::Test {
  protected:
    StaprunMonitor() : messages([this](std::string_view text) { said += text; }) {
        for (const char *point : {"syscall.read", "timer.ms(__refresh_ms)", "end"}) {
            tapir_ioc_probe probe = {};
            probe.index = static_cast<u32>(control.probes.size());
            strcpy(probe.point, point);
            control.probes.push_back(probe);
        }
        control.probes[1].flags = TAPIR_PROBE_SYNTHETIC;
        add_global("n", TAPIR_GLOBAL_LONG, 1);
        add_global("__reset_n", TAPIR_GLOBAL_LONG, 0);
        add_global("by", TAPIR_GLOBAL_MAP, 1);
        control.hello_flags = TAPIR_HELLO_SWITCHES;
        control.hello(hello);
        monitor = std::make_unique<Monitor>(control, hello, messages);
    }

    void add_global(const char *name, unsigned kind, unsigned monitored) {
        tapir_ioc_lock row = {};
        row.index = static_cast<u32>(control.locks.size());
        row.kind = static_cast<u8>(kind);
        row.monitored = static_cast<u8>(monitored);
        if (kind == TAPIR_GLOBAL_MAP) row.value_type = TAPIR_STAT, row.keys = 2, row.elements = 5, row.most = 2048;
        strcpy(row.name, name);
        control.locks.push_back(row);
    }

    // The records that the call adds, without the members that all records have.
    std::string told(const std::function<void(Monitor &, const Monitor::Add &)> &act) {
        std::string text;
        act(*monitor, [&](const char *type, const RecordLines::Members &members) {
            const std::string line(lines.other({1, -1}, type, members));
            text += line.substr(line.find("\"type\""));
        });
        return text;
    }
    std::string tell() {
        return told([this](Monitor &m, const Monitor::Add &add) { m.tell(control.probes, add); });
    }
    std::string obey(const std::string &command) {
        return told([&](Monitor &m, const Monitor::Add &add) { m.obey(command, add); });
    }

    FakeControl control;
    std::string said;
    Messages messages;
    ItemTexts items{control, [] { return false; }, [] { return -1; }};
    RecordLines lines{items, TAPIR_FORM_JSON, 0};
    tapir_ioc_hello hello = {};
    std::unique_ptr<Monitor> monitor;
};

std::string probe_record(int index, bool on, const std::string &point, int hits) {
    return R"("type":"probe","t":1,"index":)" + std::to_string(index) + R"(,"on":)" + (on ? "true" : "false") +
           R"(,"probe":{"point": ")" + point + R"(", "where": "", "attached": 0, "hits": )" + std::to_string(hits) +
           R"(, "handled": 0, "skipped": {"reentry": 0, "lock": 0, "stack": 0, "state": 0}, "missed": 0, "errors": 0, )" +
           R"("time_ns": {"hits": 0, "min": 0, "max": 0, "sum": 0}, "overhead_ns": 0}})"
           "\n";
}

const char kN[] = R"("type":"global","t":1,"name":"n","kind":"number","resets":true})"
                  "\n";
std::string by_record(int elements) {
    return R"("type":"global","t":1,"name":"by","kind":"array","resets":false,"of":"statistic","keys":2,"elements":)" +
           std::to_string(elements) + ",\"most\":2048}\n";
}

TEST_F(StaprunMonitor, WhatChangedIsToldAndTheTranslatorsProbesAreNot) {
    EXPECT_EQ(probe_record(0, true, "syscall.read", 0) + probe_record(2, true, "end", 0) + kN + by_record(5), tell());
    EXPECT_EQ("", tell());
    control.probes[0].hits = 9;
    control.probes[1].hits = 9;
    EXPECT_EQ(probe_record(0, true, "syscall.read", 9), tell());
    control.locks[2].elements = 6;
    control.locks[2].contended = 3;  // that alone is nothing new
    EXPECT_EQ(by_record(6), tell());
    control.locks[2].contended = 4;
    EXPECT_EQ("", tell());
    EXPECT_EQ("", said);
}

TEST_F(StaprunMonitor, ProbesAreSwitched) {
    tell();
    EXPECT_EQ(probe_record(2, false, "end", 0), obey("probe 2 off"));
    EXPECT_EQ("", tell());
    EXPECT_EQ(probe_record(2, true, "end", 0), obey("probe 2 on"));
    EXPECT_EQ(probe_record(0, false, "syscall.read", 0) + probe_record(2, false, "end", 0), obey("probes off"));
    EXPECT_EQ(probe_record(0, true, "syscall.read", 0) + probe_record(2, true, "end", 0), obey("probes on"));
    EXPECT_EQ("", said);
    for (const char *wrong : {"probe 1 off", "probe 3 off", "probe -1 off", "probe 0", "probe 0 offline", "probes of"})
        EXPECT_EQ("", obey(wrong)) << wrong;
    EXPECT_EQ(
        "WARNING: probe 1 is not switched: the script has none of this index\n"
        "WARNING: probe 3 is not switched: the script has none of this index\n"
        "WARNING: 'probe -1 off' is not understood: write 'probe INDEX on' or 'probe INDEX off'\n"
        "WARNING: 'probe 0' is not understood: write 'probe INDEX on' or 'probe INDEX off'\n"
        "WARNING: 'probe 0 offline' is not understood: write 'probe INDEX on' or 'probe INDEX off'\n"
        "WARNING: 'probes of' is not understood: write 'probes on' or 'probes off'\n",
        said);
    said.clear();
    control.switch_error = EBUSY;
    EXPECT_EQ("", obey("probe 0 off"));
    EXPECT_EQ("", obey("probes off"));
    EXPECT_EQ(
        "WARNING: probe 0 is not switched: the session does not run\n"
        "WARNING: probes are not switched: Device or resource busy\n",
        said);
}

TEST_F(StaprunMonitor, GlobalsAreResetByTheirHandlers) {
    const std::string done = "\"type\":\"reset\",\"t\":1,\"name\":\"n\"}\n";
    EXPECT_EQ(done, obey("reset n"));
    EXPECT_EQ(done, obey("reset"));
    EXPECT_EQ((std::vector<std::string>{"__reset_n=1", "__reset_n=1"}), control.globals_set);
    EXPECT_EQ("", said);
    EXPECT_EQ("", obey("reset by"));
    EXPECT_EQ("", obey("reset "));
    EXPECT_EQ(
        "WARNING: 'by' is not reset: it is not a global that the script writes to\n"
        "WARNING: '' is not reset: it is not a global that the script writes to\n",
        said);
}

TEST_F(StaprunMonitor, KnowsItsCommandsAndModules) {
    for (const char *command : {"reset", "reset x", "probe 1 on", "probes off"})
        EXPECT_TRUE(Monitor::knows(command)) << command;
    for (const char *command : {"stop", "set a=1", "resets", "probe", "probes"})
        EXPECT_FALSE(Monitor::knows(command)) << command;
    EXPECT_TRUE(Monitor::serves(hello));
    hello.flags = 0;
    EXPECT_FALSE(Monitor::serves(hello));
}

}  // namespace
}  // namespace tapir::staprun
