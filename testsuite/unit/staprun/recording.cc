// SPDX-License-Identifier: GPL-2.0-or-later
// The capture that --record makes of a module's stacks and samples, as stap-report reads it.
#include "recording.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <tapir/unwind.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "capture/capture_reader.h"
#include "common/plain_text.h"
#include "fake.h"
#include "kernel_functions.h"

namespace tapir::staprun {
namespace {

template <typename T>
void append(std::string &rows, const T &value) {
    rows.append(reinterpret_cast<const char *>(&value), sizeof value);
}

void add_stack(std::string &rows, uint64_t number, u8 kernel_end, u8 user_end, const std::vector<u64> &frames) {
    tapir_bulk_stack head = {};
    head.number = number;
    head.frames = static_cast<u16>(frames.size());
    head.kernel_end = kernel_end;
    head.user_end = user_end;
    head.process = 42;
    head.owner = getuid();
    append(rows, head);
    for (u64 frame : frames)
        append(rows, frame);
}

void add_sample(std::string &rows, tapir_bulk_sample sample, const std::string &label) {
    sample.label_bytes = static_cast<u32>(label.size());
    append(rows, sample);
    rows += label;
    rows.resize((rows.size() + 7) & ~size_t{7});
}

// The capture that is written of a module's state.
capture::Capture recorded(FakeControl &control, uint64_t refused = 0, const MadeCode &made = MadeCode("/none", "/none"),
                          KernelPlaces places = KernelPlaces::Addresses, const char *symbols = "/none") {
    char path[] = "/tmp/tapir-record-XXXXXX";
    close(mkstemp(path));
    tapir_ioc_hello hello = {};
    control.hello(hello);
    hello.flags = TAPIR_HELLO_STACKS;
    control.stacks_row.refused = refused;
    Ledger ledger;
    EXPECT_EQ(0, ledger.collect(control, hello));
    Recording recording;
    EXPECT_TRUE(recording.open(path, places, symbols));
    const Outcome<void> written = recording.write(control, ledger, nullptr, "script", "finished", made);
    EXPECT_TRUE(written) << written.fault().message();
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    Outcome<capture::Capture> read = capture::read_capture(file);
    close(file);
    unlink(path);
    EXPECT_TRUE(read);
    return read ? std::move(*read) : capture::Capture();
}

TEST(StaprunRecording, HasStacksAndSamples) {
    FakeControl control;
    snprintf(control.profile_row.title, sizeof control.profile_row.title, "off-CPU time");
    snprintf(control.profile_row.unit, sizeof control.profile_row.unit, "microseconds");
    const u64 place = TAPIR_FRAME_IN_OBJECT | u64{3} << TAPIR_FRAME_OBJECT | TAPIR_FRAME_CALLED | 0x1234;
    add_stack(control.bulk_rows[TAPIR_BULK_STACKS], 8, TAPIR_UNWIND_COMPLETE, TAPIR_UNWIND_NO_OBJECT,
              {0xffffffff81000010, 0xffffffff81000020, place, 0x7f0000001000});
    add_stack(control.bulk_rows[TAPIR_BULK_STACKS], 100, TAPIR_UNWIND_MORE, TAPIR_UNWIND_CUT, {place});
    add_sample(control.bulk_rows[TAPIR_BULK_SAMPLES], {8, 0, 5, 500, 0, 0, 0}, "");
    add_sample(control.bulk_rows[TAPIR_BULK_SAMPLES], {100, 8, 2, -7, 0, 0, 0}, "sleeping");
    add_sample(control.bulk_rows[TAPIR_BULK_SAMPLES], {1, 0, 9, 9, 0, 0, 0}, "");
    add_sample(control.bulk_rows[TAPIR_BULK_SAMPLES], {100, 0, 1, 1, 0, 1, 0}, "sleeping");
    control.cut_row.samples = 4;
    const capture::Capture capture = recorded(control, 9);
    EXPECT_EQ("", capture.damage);
    EXPECT_EQ("finished", capture.how);
    EXPECT_EQ("off-CPU time", capture.meta.title);
    EXPECT_EQ("microseconds", capture.meta.unit);
    ASSERT_EQ(3u, capture.stacks.size());
    const capture::Stack &stack = capture.stacks[capture.stack_by_id.at(8)];
    ASSERT_EQ(4u, stack.frames.size());
    EXPECT_EQ(capture::FrameKind::Kernel, stack.frames[0].kind);
    EXPECT_EQ(0, stack.frames[0].flags);
    EXPECT_EQ(capture::kFrameCalled, stack.frames[1].flags);
    EXPECT_EQ(capture::FrameKind::File, stack.frames[2].kind);
    EXPECT_EQ(3u, stack.frames[2].object);
    EXPECT_EQ(0x1234u, stack.frames[2].place);
    EXPECT_EQ(capture::kFrameCalled, stack.frames[2].flags);
    EXPECT_EQ(capture::FrameKind::Memory, stack.frames[3].kind);
    EXPECT_EQ(42u, stack.frames[3].object);
    EXPECT_EQ(capture::End::NoObject, stack.user);
    EXPECT_EQ(capture::End::Cut, capture.stacks[capture.stack_by_id.at(100)].user);
    EXPECT_EQ(capture::End::TableFull, capture.stacks[capture.stack_by_id.at(1)].user);
    ASSERT_EQ(4u, capture.samples.size());
    EXPECT_EQ("label", capture.samples[1].labels.at(0).key);
    EXPECT_EQ("frames", capture.samples[3].labels.at(0).key);
    EXPECT_EQ(500, capture.samples[0].sum);
    EXPECT_TRUE(capture.samples[0].labels.empty());
    EXPECT_EQ(8u, capture.samples[1].waker);
    EXPECT_EQ(-7, capture.samples[1].sum);
    ASSERT_EQ(1u, capture.samples[1].labels.size());
    EXPECT_EQ("sleeping", capture.samples[1].labels[0].text);
    EXPECT_EQ(9u, capture.losses[static_cast<size_t>(capture::Loss::StackTable)]);
    EXPECT_EQ(4u, capture.losses[static_cast<size_t>(capture::Loss::Array)]);
}

// Files of a process that lives, in its own namespaces, and of one that has ended.
TEST(StaprunRecording, NamesCodeThatProcessesHaveMade) {
    char pattern[] = "/tmp/tapir-made-XXXXXX";
    const std::filesystem::path directory = mkdtemp(pattern);
    std::filesystem::create_directories(directory / "proc/42/root/tmp");
    std::filesystem::create_directories(directory / "tmp");
    std::ofstream(directory / "proc/42/status") << "Name:\tx\nNSpid:\t42\t7\nUid:\t0\n";
    std::ofstream(directory / "proc/42/root/tmp/perf-7.map") << "7f0000001000 10 inner\n7f0000001010 10 outer\n";
    const MadeCode made(directory / "proc", directory / "tmp");
    FakeControl control;
    std::string &stacks = control.bulk_rows[TAPIR_BULK_STACKS];
    add_stack(stacks, 8, TAPIR_UNWIND_MORE, TAPIR_UNWIND_COMPLETE, {0x7f0000001010, 0x7f0000001020, 0x7f0000001010});
    add_sample(control.bulk_rows[TAPIR_BULK_SAMPLES], {8, 0, 1, 1, 0, 0, 0}, "");
    // The first frame is where it ran, the others are behind calls.
    const auto names = [&] {
        std::string all;
        const capture::Capture capture = recorded(control, 0, made);
        for (const capture::Frame &frame : capture.stacks[capture.stack_by_id.at(8)].frames) {
            const auto found = capture.names.find(capture::key_of(frame));
            all += (found == capture.names.end() ? "?" : found->second[0].name) + " ";
        }
        for (const capture::Message &message : capture.messages)
            all += message.text;
        return all;
    };
    EXPECT_EQ("outer outer inner ", names());
    std::filesystem::remove_all(directory / "proc");
    EXPECT_EQ("? ? ? ", names());
    const std::filesystem::path left = directory / "tmp/perf-42.map";
    std::ofstream(left) << "7f0000001010 10 left\n";
    EXPECT_EQ("left left ? ", names());
    // A process in a PID namespace, by the module's view of it: in the /tmp that it shared with this program,
    // or in that of another process of its namespace.
    tapir_bulk_stack inner = {};
    memcpy(&inner, stacks.data(), sizeof inner);
    inner.own = 7;
    inner.space = 4026532201;
    memcpy(stacks.data(), &inner, sizeof inner);
    std::filesystem::remove(left);
    EXPECT_EQ("? ? ? ", names());
    std::ofstream(directory / "tmp/perf-7.map") << "7f0000001010 10 shared\n";
    EXPECT_EQ("shared shared ? ", names());
    for (const auto &[process, space] : {std::pair{"50", "4026532200"}, {"51", "4026532201"}}) {
        const std::filesystem::path other = directory / "proc" / process;
        std::filesystem::create_directories(other / "root/tmp");
        std::filesystem::create_directories(other / "ns");
        std::filesystem::create_symlink(std::string("pid:[") + space + "]", other / "ns/pid");
        std::ofstream(other / "root/tmp/perf-7.map") << "7f0000001010 10 of-" << process << "\n";
    }
    EXPECT_EQ("of-51 of-51 ? ", names());
    // The number is another process's by now.
    std::filesystem::create_directories(directory / "proc/42/root/tmp");
    std::ofstream(directory / "proc/42/status") << "Name:\ty\nNSpid:\t42\n";
    std::ofstream(directory / "proc/42/root/tmp/perf-42.map") << "7f0000001010 10 wrong\n";
    EXPECT_EQ("of-51 of-51 ? ", names());
    std::filesystem::remove_all(directory / "proc");
    std::filesystem::remove(directory / "tmp/perf-7.map");
    std::ofstream(left) << "7f0000001010 10 left\n";
    std::filesystem::permissions(left, std::filesystem::perms::others_write, std::filesystem::perm_options::add);
    EXPECT_EQ("? ? ? names of code that is in no file: " + left.string() + ": others can write to it", names());
    std::filesystem::rename(left, directory / "aside");
    std::filesystem::create_symlink(directory / "aside", left);
    EXPECT_EQ("? ? ? names of code that is in no file: " + left.string() + ": it is not a regular file", names());
    std::filesystem::remove_all(directory);
}

TEST(StaprunRecording, OfAScriptWithoutStacksIsEmpty) {
    FakeControl control;
    control.profile_error = ENOTTY;
    const capture::Capture capture = recorded(control);
    EXPECT_TRUE(capture.stacks.empty());
    EXPECT_TRUE(capture.samples.empty());
    EXPECT_EQ("finished", capture.how);
}

// Users who may not see the kernel's addresses get names, and can tell places apart.
TEST(StaprunRecording, HidesWhereTheKernelIs) {
    char symbols[] = "/tmp/tapir-symbols-XXXXXX";
    close(mkstemp(symbols));
    std::ofstream(symbols) << "ffffffff81000000 T first\nffffffff81000100 T second\n";
    FakeControl control;
    add_stack(control.bulk_rows[TAPIR_BULK_STACKS], 8, TAPIR_UNWIND_COMPLETE, TAPIR_UNWIND_MORE,
              {0xffffffff81000120, 0xffffffff81000010, 0xffffffff81000120});
    add_stack(control.bulk_rows[TAPIR_BULK_STACKS], 9, TAPIR_UNWIND_COMPLETE, TAPIR_UNWIND_MORE,
              {0xffffffff81000008, 0xffffffff81000010});
    const auto told = [&](KernelPlaces places) {
        std::string all;
        const capture::Capture capture = recorded(control, 0, MadeCode("/none", "/none"), places, symbols);
        for (const uint64_t id : {8, 9})
            for (const capture::Frame &frame : capture.stacks[capture.stack_by_id.at(id)].frames) {
                const capture::Function &function = capture.names.at(capture::key_of(frame)).at(0);
                all += format("%llx %s %llx, ", static_cast<unsigned long long>(frame.place), function.name.c_str(),
                              static_cast<unsigned long long>(function.start));
            }
        return all;
    };
    EXPECT_EQ("1 second 0, 2 first 0, 1 second 0, 3 first 0, 2 first 0, ", told(KernelPlaces::Numbers));
    EXPECT_EQ(
        "ffffffff81000120 second ffffffff81000100, ffffffff81000010 first ffffffff81000000, "
        "ffffffff81000120 second ffffffff81000100, ffffffff81000008 first ffffffff81000000, "
        "ffffffff81000010 first ffffffff81000000, ",
        told(KernelPlaces::Addresses));
    unlink(symbols);
}

TEST(StaprunRecording, KnowsWhoSeesAddresses) {
    EXPECT_FALSE(has_addresses(""));
    EXPECT_FALSE(has_addresses("0000000000000000 A fixed\n0000000000000000 T first\n00000000000"));
    EXPECT_FALSE(has_addresses("0000000000000000 T first\nffffffff81"));
    EXPECT_TRUE(has_addresses("0000000000000000 A fixed\nffffffff81000000 T first\n"));
    EXPECT_FALSE(sees_kernel_addresses("/no/such/file"));
    EXPECT_FALSE(sees_kernel_addresses("/dev/null"));
}

// A user who leaves a running session gets no capture, and least of all one that looks complete.
TEST(StaprunRecording, OfASessionThatRunsIsNone) {
    char path[] = "/tmp/tapir-record-XXXXXX";
    close(mkstemp(path));
    FakeControl control;
    control.profile_error = EBUSY;
    Recording recording;
    ASSERT_TRUE(recording.open(path));
    const Outcome<void> written = recording.write(control, Ledger(), nullptr, "script", "interrupted");
    ASSERT_FALSE(written);
    EXPECT_EQ("the session was left before it had ended: its samples are lost", written.fault().message());
    EXPECT_FALSE(recording.is_open());
    EXPECT_EQ(-1, access(path, F_OK));
    // The file with that name is another user's by then.
    Recording other;
    ASSERT_TRUE(other.open(path));
    ASSERT_EQ(0, unlink(path));
    std::ofstream(path) << "new";
    other.discard();
    EXPECT_EQ(0, access(path, F_OK));
    unlink(path);
}

TEST(StaprunRecording, TimesHaveThreadsAndProcessors) {
    FakeControl control;
    add_stack(control.bulk_rows[TAPIR_BULK_STACKS], 8, TAPIR_UNWIND_COMPLETE, TAPIR_UNWIND_MORE, {0xffffffff81000010});
    tapir_bulk_time row = {};
    row.time = INT64_MAX;
    row.stack = 8;
    row.value = 3;
    row.pid = 41;
    row.tid = 42;
    row.cpu = 5;
    snprintf(row.comm, sizeof row.comm, "worker");
    append(control.bulk_rows[TAPIR_BULK_TIMES], row);
    add_sample(control.bulk_rows[TAPIR_BULK_SAMPLES], {8, 0, 1, 3, 0, 0, 0}, "");
    const capture::Capture capture = recorded(control);
    ASSERT_EQ(1u, capture.samples.size());
    std::string labels;
    for (const capture::Label &label : capture.samples[0].labels)
        labels += label.key + "=" + (label.text.empty() ? std::to_string(label.number) : label.text) + " ";
    EXPECT_EQ("pid=41 tid=42 cpu=5 comm=worker ", labels);
}

// Such a sum is any number.
TEST(StaprunRecording, SumsThatOverflowAreLost) {
    FakeControl control;
    add_stack(control.bulk_rows[TAPIR_BULK_STACKS], 8, TAPIR_UNWIND_COMPLETE, TAPIR_UNWIND_MORE, {0xffffffff81000010});
    add_sample(control.bulk_rows[TAPIR_BULK_SAMPLES], {8, 0, 6, -4611686018427387904, 0, 0, 1}, "");
    const capture::Capture capture = recorded(control);
    EXPECT_TRUE(capture.samples.empty());
    EXPECT_EQ(6u, capture.losses[static_cast<size_t>(capture::Loss::Overflow)]);
}

// A killed session leaves the facts from its beginning, in a file without a seal.
TEST(StaprunRecording, IsNotSealedBeforeItsEnd) {
    char path[] = "/tmp/tapir-record-XXXXXX";
    close(mkstemp(path));
    {
        Recording recording;
        ASSERT_TRUE(recording.open(path));
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        const Outcome<capture::Capture> read = capture::read_capture(file);
        close(file);
        ASSERT_TRUE(read) << read.fault().message();
        EXPECT_EQ("", read->how);
        EXPECT_NE("", read->damage);
        EXPECT_NE("", read->meta.kernel);
    }
    EXPECT_EQ(-1, access(path, F_OK));
}

TEST(StaprunRecording, KnowsTheLinkThatWasStarted) {
    char pattern[] = "/tmp/tapir-started-XXXXXX";
    const std::filesystem::path directory = mkdtemp(pattern);
    for (const char *name : {"check", "other"}) {
        std::ofstream(directory / name) << "#!/bin/sh\n";
        std::filesystem::permissions(directory / name, std::filesystem::perms::owner_all);
    }
    std::filesystem::create_symlink("check", directory / "server");
    std::filesystem::create_symlink("other", directory / "first");
    std::filesystem::create_symlink("other", directory / "second");
    std::filesystem::create_directories(directory / "proc/7");
    std::ofstream(directory / "proc/7/cmdline") << directory.string() << "/server 127.0.0.1:6379";
    const std::string check = directory / "check", other = directory / "other", proc = directory / "proc";
    EXPECT_EQ(directory / "server", started_name(find_started_names("", proc), check));
    const StartedNames of_command =
        find_started_names("env " + (directory / "server").string() + " 'x y'", "/no/such/folder");
    EXPECT_EQ(directory / "server", started_name(of_command, check));
    EXPECT_EQ("", started_name(of_command, other));
    // By which of them it is not known.
    const StartedNames both = find_started_names(
        (directory / "first").string() + " " + (directory / "second").string() + " " + check, "/no/such/folder");
    EXPECT_EQ("", started_name(both, other));
    EXPECT_EQ("", started_name(both, check));
    std::filesystem::remove_all(directory);
}

TEST(StaprunRecording, KnowsOfWhatItIs) {
    char pattern[] = "/tmp/tapir-origin-XXXXXX";
    const std::filesystem::path directory = mkdtemp(pattern);
    for (const char *name : {"orders", "timeout"}) {
        std::ofstream(directory / name) << "#!/bin/sh\n";
        std::filesystem::permissions(directory / name, std::filesystem::perms::owner_all);
    }
    std::filesystem::create_symlink("orders", directory / "shop");
    const std::string orders = directory / "orders", shop = directory / "shop", timeout = directory / "timeout";
    SessionOrigin origin = find_origin("stap -c x", shop + " 60 'a b'", 0);
    EXPECT_EQ("stap -c x", origin.command);
    EXPECT_EQ(shop + " 60 'a b'", origin.target);
    EXPECT_EQ(shop, origin.program);
    EXPECT_EQ(0u, origin.pid);
    // A program that starts another one is not the origin.
    EXPECT_EQ(orders, find_origin("", timeout + " 5 " + orders + " 60", 0).program);
    EXPECT_EQ(timeout, find_origin("", timeout + " 5", 0).program);
    // Only a shell knows what this is.
    EXPECT_EQ("", find_origin("", "cd / && " + orders + " | cat", 0).program);
    EXPECT_EQ("", find_origin("", "", 0).target);
    EXPECT_EQ(4096u, find_origin(std::string(1'000'000, 'x'), std::string(1'000'000, 'y'), 0).target.size());
    const std::string proc = directory / "proc";
    std::filesystem::create_directories(proc + "/7");
    std::ofstream(proc + "/7/cmdline") << shop << '\0' << "a b" << '\0' << "60" << '\0';
    std::filesystem::create_symlink(orders, proc + "/7/exe");
    origin = find_origin("", "", 7, proc);
    EXPECT_EQ(shop + " 'a b' 60", origin.target);
    EXPECT_EQ(shop, origin.program) << "by the link";
    EXPECT_EQ(7u, origin.pid);
    std::filesystem::remove_all(proc + "/7");
    // Programs that show their state there have one text.
    std::filesystem::create_directories(proc + "/8");
    std::ofstream(proc + "/8/cmdline") << "orders *:6379" << std::string(9, '\0');
    std::filesystem::create_symlink(orders, proc + "/8/exe");
    origin = find_origin("", "", 8, proc);
    EXPECT_EQ("orders *:6379", origin.target);
    EXPECT_EQ(orders, origin.program);
    EXPECT_EQ("", find_origin("", "", 9, proc).program);
    std::filesystem::remove_all(directory);
}

// The facts that are written first, and hold to the end.
TEST(StaprunRecording, HasItsOriginAndZone) {
    char path[] = "/tmp/tapir-record-XXXXXX";
    close(mkstemp(path));
    const char *const zone = getenv("TZ");
    const std::string kept = zone ? zone : "";
    setenv("TZ", "XYZ-3:30", 1);
    tzset();
    {
        Recording recording;
        recording.describe({"stap -x 7 s.stp", "./orders 60", "/srv/orders", 7});
        ASSERT_TRUE(recording.open(path));
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        const Outcome<capture::Capture> read = capture::read_capture(file);
        close(file);
        ASSERT_TRUE(read);
        EXPECT_EQ("stap -x 7 s.stp", read->meta.command);
        EXPECT_EQ("./orders 60", read->meta.target);
        EXPECT_EQ("/srv/orders", read->meta.program);
        EXPECT_EQ(7u, read->meta.pid);
        EXPECT_EQ(12'600, read->meta.zone) << "three hours and a half ahead of UTC";
    }
    zone ? setenv("TZ", kept.c_str(), 1) : unsetenv("TZ");
    tzset();
}

TEST(StaprunRecording, TellsWhyThereIsNone) {
    Recording recording;
    const Outcome<void> opened = recording.open("/no/such/folder/x");
    ASSERT_FALSE(opened);
    EXPECT_EQ("Couldn't write capture '/no/such/folder/x': No such file or directory", opened.fault().message());
}

TEST(StaprunRecording, NamesFunctionsOfTheKernel) {
    const std::string symbols =
        "ffffffffc0000100 t inside\t[module]\n"
        "ffffffff81000000 T first\n"
        "ffffffff81000100 t second\n"
        "ffffffff81000100 T second_alias\n"
        "ffffffff81000180 d data\n"
        "damaged\n"
        "ffffffff8100";
    const std::vector<KernelFunction> found = kernel_functions(
        {0xffffffff81000000, 0xffffffff810000ff, 0xffffffff81000190, 0xffffffffc0000108, 0x10}, symbols);
    ASSERT_EQ(5u, found.size());
    EXPECT_EQ("first", found[0].name);
    EXPECT_EQ("first", found[1].name);
    EXPECT_EQ("second", found[2].name);
    EXPECT_EQ(0xffffffff81000100u, found[2].start);
    EXPECT_EQ("inside [module]", found[3].name);
    EXPECT_EQ("", found[4].name);
}

}  // namespace
}  // namespace tapir::staprun
