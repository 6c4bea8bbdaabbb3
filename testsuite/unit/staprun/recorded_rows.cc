// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of tables in captures: stap-report prints them as the run did, byte for byte.
#include "recorded_rows.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "common/files.h"
#include "common/run_program.h"
#include "fake.h"
#include "module_stream.h"
#include "testsuite/trees.h"

namespace tapir::staprun {
namespace {

std::string described(u8 conv, const std::string &literal = "", u8 flags = 0) {
    tapir_piece p = {};
    p.conv = conv;
    p.flags = flags;
    p.width = p.precision = TAPIR_FMT_UNSET;
    p.literal = static_cast<u32>(literal.size());
    return std::string(reinterpret_cast<const char *>(&p), sizeof p) + literal;
}

std::string little_endian(u64 n, size_t bytes = 8) {
    return {reinterpret_cast<const char *>(&n), bytes};
}

struct Printed {
    std::string run, table;
};

class StaprunRecordedRows : public testing::Test {
  protected:
    static constexpr char kDevices[] = "lat\0device\0name\0\0p99\0us\0a request\0";
    static constexpr char kCounts[] = "ops\0pid\0id\0\0calls\0\0\0";

    void add_rows(FakeControl &control) {
        const std::string text = described(TAPIR_CONV_STRING), decimal = described(TAPIR_CONV_DECIMAL);
        control.formats = {
            described(TAPIR_CONV_LITERAL, std::string(kDevices, sizeof kDevices - 1), TAPIR_FMT_TABLE) + text + decimal,
            described(TAPIR_CONV_LITERAL, std::string(kCounts, sizeof kCounts - 1), TAPIR_FMT_TABLE) + decimal +
                decimal,
            described(TAPIR_CONV_LITERAL, "x\n"),
        };
        const auto device = [](const std::string &name, int64_t p99) {
            return little_endian(0, 2) + name + '\0' + little_endian(static_cast<u64>(p99));
        };
        const auto count = [](int64_t pid, int64_t calls) {
            return little_endian(1, 2) + little_endian(static_cast<u64>(pid)) + little_endian(static_cast<u64>(calls));
        };
        const auto print = [&](uint64_t time, const std::string &items) {
            control.add(TAPIR_STREAM_DATA, 0, time, items, TAPIR_REC_PRINT);
        };
        // Two blocks, of which the second is wider; two tables in one; other output, within a block and apart.
        print(10, device("sda", 14120) + device("nvme0n1", 96));
        print(20, device("a device with a long name", 1234567890123) + device("a,\"b\"", -5));
        print(30, device("vda", 1) + count(4711, 1234567) + count(1, -1) + device("vdb", 2));
        if (other_output) {
            print(40, count(2, 20) + little_endian(2, 2) + count(3, INT64_MIN));
            control.add(TAPIR_STREAM_DATA, 0, 50, "hello\n");
        }
        print(60, count(4, 40));
        print(70, device("\xff odd", 9));
        control.snapshot_time = 1000;
    }
    // Prints in this form: the run, and stap-report from its capture.
    Printed printed(tapir_form form, const std::string &name) {
        FakeControl control;
        FakeEvents events;
        add_rows(control);
        control.state = TAPIR_STATE_DONE;
        const std::string out = directory.path() + "/out", capture = directory.path() + "/capture";
        Output output(OutputSettings{out, false, 0, 0}, [](int) { return true; });
        EXPECT_TRUE(output.open());
        Recording recording;
        EXPECT_TRUE(recording.open(capture));
        RecordedRows rows(recording);
        Messages messages([](std::string_view) {});
        TargetCommand target;
        ShellCommands shell;
        ModuleStream::Parts parts{control, events, output, messages, target, shell};
        parts.form = form;
        parts.formats = static_cast<unsigned>(control.formats.size());
        parts.rows = &rows;
        ModuleStream stream(parts, 1, 0, [] {});
        EXPECT_EQ(ModuleStream::End::Done, stream.run());
        EXPECT_EQ(other_output ? 12u : 10u, rows.count());
        tapir_ioc_hello hello = {};
        control.hello(hello);
        Ledger ledger;
        EXPECT_EQ(0, ledger.collect(control, hello));
        EXPECT_TRUE(recording.write(control, ledger, nullptr, "script", "finished"));
        return {*read_file(out), report({"--table", "--format=" + name})};
    }
    std::string report(std::vector<std::string> arguments, int status = 0) {
        Collected text, errors;
        arguments.insert(arguments.begin(), {build_dir() + "/bin/stap-report", directory.path() + "/capture"});
        Program program{std::move(arguments)};
        program.output = Stream::collected(text);
        program.errors = Stream::collected(errors);
        const Outcome<Ending> ended = run_program(program);
        EXPECT_TRUE(ended && ended->code() == status) << errors.text;
        said = errors.text;
        return text.text;
    }

    TemporaryDirectory directory{*make_directory(temporary_root(), "tapir-rows")};
    bool other_output = false;
    std::string said;
};

TEST_F(StaprunRecordedRows, ArePrintedAsTheRunDid) {
    for (const auto &[form, name] : {std::pair{TAPIR_FORM_TEXT, "text"}, {TAPIR_FORM_CSV, "csv"}}) {
        const Printed printed = this->printed(form, name);
        EXPECT_EQ(printed.run, printed.table);
        EXPECT_NE(std::string::npos, printed.table.find("vda")) << printed.table;
    }
}

// Lines of the run that are of its tables.
std::string lines_with(const std::string &text, const std::vector<std::string> &words) {
    std::string out;
    for (size_t at = 0, end; at < text.size(); at = end) {
        end = text.find('\n', at) + 1;
        const std::string line = text.substr(at, end - at);
        for (const std::string &word : words)
            if (line.find(word) != std::string::npos) {
                out += line;
                break;
            }
    }
    return out;
}

TEST_F(StaprunRecordedRows, OtherOutputIsLeftOut) {
    other_output = true;
    const Printed json = printed(TAPIR_FORM_JSON, "json");
    EXPECT_EQ(lines_with(json.run, {"\"type\":\"table\"", "\"type\":\"row\""}), json.table);
    EXPECT_NE(json.run, json.table);
    const Printed text = printed(TAPIR_FORM_TEXT, "text");
    EXPECT_EQ(lines_with(text.run, {"  "}), lines_with(text.table, {"  "}));
    const Printed csv = printed(TAPIR_FORM_CSV, "csv");
    EXPECT_EQ(csv.run, csv.table);
}

TEST_F(StaprunRecordedRows, AreSortedAndChosen) {
    printed(TAPIR_FORM_TEXT, "text");
    EXPECT_EQ("t (ns),device,p99 (us)\r\n20,a device with a long name,1234567890123\r\n10,sda,14120\r\n",
              report({"--table=lat", "--format=csv", "--sort=p99", "--top=2"}));
    EXPECT_EQ("t (ns),device,p99 (us)\r\n20,\"a,\"\"b\"\"\",-5\r\n",
              report({"--table=lat", "--format=csv", "--sort=-p99", "--top=1"}));
    EXPECT_EQ("t (ns),device,p99 (us)\r\n30,vda,1\r\n30,vdb,2\r\n",
              report({"--table=lat", "--format=csv", "--match=^vd", "--sort=device"}));
    // IDs are in their order.
    EXPECT_EQ("t (ns),pid,calls\r\n30,1,-1\r\n60,4,40\r\n30,4711,1234567\r\n",
              report({"--table=ops", "--format=csv", "--sort=pid"}));
    report({"--table=nothing"}, 1);
    EXPECT_NE(std::string::npos, said.find("there is no table 'nothing' (there are: lat, ops)")) << said;
    report({"--table", "--sort=nothing"}, 1);
    EXPECT_NE(std::string::npos, said.find("there is no column 'nothing' (there are: device, p99, pid, calls)"))
        << said;
    report({"--table", "--format=svg"}, 1);
    report({"--sort=p99"}, 1);
    report({"--table", "--match=("}, 1);
}

TEST_F(StaprunRecordedRows, AreFlushedOnceASecond) {
    FakeControl control;
    add_rows(control);
    Recording recording;
    ASSERT_TRUE(recording.open(directory.path() + "/capture"));
    RecordedRows rows(recording);
    ItemTexts items(
        control, [] { return false; }, [] { return -1; });
    items.watch([&](const Item &item) { rows.take(item); });
    EXPECT_EQ(UINT64_MAX, rows.due());
    const std::string payload = little_endian(1, 2) + little_endian(1) + little_endian(2);
    const auto held = [&] { return report({"--table", "--format=csv", "--accept-partial"}).size(); };
    items.text(payload);
    rows.flush(5000000000);
    const size_t first = held();
    EXPECT_GT(first, 0u);
    items.text(payload);
    EXPECT_EQ(6000000000, rows.due());
    rows.flush(5999999999);
    EXPECT_EQ(first, held());
    rows.flush(6000000000);
    EXPECT_GT(held(), first);
    EXPECT_EQ(UINT64_MAX, rows.due());
}

TEST_F(StaprunRecordedRows, CutCapturesGiveWhatTheyHold) {
    Recording recording;
    const std::string path = directory.path() + "/capture";
    ASSERT_TRUE(recording.open(path));
    const capture::Table table{"ops", {{"calls", "", "", false}}, {}};
    recording.row(table, {{"7"}, 5, 0, true, false, 0});
    recording.flush();
    EXPECT_EQ("   CALLS\n       7\n", report({"--table"}, 3));
    EXPECT_NE(std::string::npos, said.find("the capture is not sealed")) << said;
    EXPECT_EQ("   CALLS\n       7\n", report({"--table", "--accept-partial"}));
    EXPECT_EQ("", said);
    ASSERT_TRUE(write_file(path, read_file(path)->substr(0, 60)));
    EXPECT_EQ("", report({"--table"}, 3));
}

}  // namespace
}  // namespace tapir::staprun
