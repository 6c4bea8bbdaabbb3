// SPDX-License-Identifier: GPL-2.0-or-later
// A reader reads all that a writer wrote; it notices every cut and change.
#include <gtest/gtest.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <string>
#include <thread>

#include "capture/capture_reader.h"
#include "capture/capture_writer.h"
#include "common/descriptor.h"

namespace tapir::capture {
namespace {

Write to_string(std::string &out) {
    return [&out](std::string_view bytes) {
        out += bytes;
        return true;
    };
}

Frame file_frame(uint32_t object, uint64_t place, uint8_t flags = 0) {
    return {FrameKind::File, flags, object, place, ""};
}

void write_some(Writer &writer) {
    Meta meta;
    meta.script = "offcpu.stp";
    meta.title = "off-CPU";
    meta.unit = "microseconds";
    meta.hz = 997;
    meta.cpus = 4;
    meta.command = "stap --record run.tapir -c './orders 60' offcpu.stp";
    meta.target = "./orders 60";
    meta.program = "/srv/orders";
    meta.pid = 411;
    meta.zone = -3600;
    writer.meta(meta);
    Meta later;
    later.duration = 5'000'000'000;
    writer.meta(later);
    writer.object({7, "/usr/bin/true", "0123abcd", 0x1000, "/usr/bin/started"});
    writer.sample({2, 0, 3, -40, 0, {{"comm", "nginx", 0}, {"tid", "", -5}}});
    writer.sample({99, 0, 1, 1, 0, {}});
    Stack stack{2, End::Complete, End::Cut, {}};
    stack.frames = {{FrameKind::Kernel, 0, 0, 0xffffffff81000010, ""},
                    {FrameKind::Kernel, kFrameCalled, 0, 0xffffffff80fffff0, ""},
                    file_frame(7, 0x12345),
                    {FrameKind::Memory, kFrameCalled, 4242, 0x7f0012345678, ""},
                    {FrameKind::Text, 0, 0, 0, "handler.py:serve"}};
    writer.stack(stack);
    writer.name(file_frame(7, 0x12345), {{"_Z3foov", "foo.cc", 12, 0x12300}, {"main", "", 0, 0}});
    writer.name(file_frame(7, 0x54321), {}, "Pattern.match");
    writer.text(17, "hello\n");
    const Table ops{"ops", {{"name", "name", "", true}, {"count", "us", "a call", false}}, {}};
    const Table none{"none", {{"n", "", "", false}}, {}};
    writer.table(none);
    writer.table(ops);
    writer.row(ops, {{"read", "1"}, 1000, 3, true, false, 0});
    writer.row(none, {{"-9223372036854775808"}, 1001, -1, false, true, 0});
    writer.row(ops, {{"", "2"}, 1002, 0, false, false, 0});
    writer.probe({"timer.profile", 100, {{"busy", 3}}});
    writer.loss({Loss::Output, 12});
    writer.loss({Loss::Output, 5});
    writer.message(Severity::Error, "division by 0");
}

std::string sealed() {
    std::string bytes;
    Writer writer(to_string(bytes));
    write_some(writer);
    EXPECT_TRUE(writer.finish("interrupted"));
    return bytes;
}

TEST(Capture, ReadsWhatWasWritten) {
    const Outcome<Capture> read = parse_capture(sealed());
    ASSERT_TRUE(read) << read.fault().message();
    EXPECT_EQ(read->how, "interrupted");
    EXPECT_EQ(read->damage, "");
    EXPECT_EQ(read->meta.title, "off-CPU");
    EXPECT_EQ(read->meta.duration, 5'000'000'000u);
    EXPECT_EQ(read->meta.hz, 997u);
    EXPECT_EQ(read->meta.command, "stap --record run.tapir -c './orders 60' offcpu.stp");
    EXPECT_EQ(read->meta.target, "./orders 60");
    EXPECT_EQ(read->meta.program, "/srv/orders");
    EXPECT_EQ(read->meta.pid, 411u);
    EXPECT_EQ(read->meta.zone, -3600);
    EXPECT_EQ(read->objects.at(7).build_id, "0123abcd");
    EXPECT_EQ(read->objects.at(7).bias, 0x1000u);
    EXPECT_EQ(read->objects.at(7).started, "/usr/bin/started");
    ASSERT_EQ(read->stacks.size(), 2u);
    EXPECT_EQ(read->stacks[1].id, kMissingStack);
    EXPECT_EQ(read->stacks[1].user, End::Missing);
    const Stack &stack = read->stacks[0];
    EXPECT_EQ(stack.kernel, End::Complete);
    EXPECT_EQ(stack.user, End::Cut);
    ASSERT_EQ(stack.frames.size(), 5u);
    EXPECT_EQ(stack.frames[1].place, 0xffffffff80fffff0u);
    EXPECT_EQ(stack.frames[1].flags, kFrameCalled);
    EXPECT_EQ(stack.frames[3].object, 4242u);
    EXPECT_EQ(stack.frames[3].place, 0x7f0012345678u);
    EXPECT_EQ(stack.frames[4].text, "handler.py:serve");
    EXPECT_EQ(read->builtins.at(key_of(file_frame(7, 0x54321))), "Pattern.match");
    EXPECT_EQ(read->builtins.size(), 1u);
    const std::vector<Function> &functions = read->names.at(key_of(stack.frames[2]));
    ASSERT_EQ(functions.size(), 2u);
    EXPECT_EQ(functions[0].file, "foo.cc");
    EXPECT_EQ(functions[1].name, "main");
    ASSERT_EQ(read->samples.size(), 2u);
    EXPECT_EQ(read->samples[1].stack, kMissingStack);
    EXPECT_EQ(read->samples[0].sum, -40);
    EXPECT_EQ(read->samples[0].labels[0].text, "nginx");
    EXPECT_EQ(read->samples[0].labels[1].number, -5);
    EXPECT_EQ(read->texts.at(0).bytes, "hello\n");
    ASSERT_EQ(read->tables.size(), 2u);
    const Table &none = read->tables[0], &ops = read->tables[1];
    ASSERT_EQ(ops.columns.size(), 2u);
    EXPECT_EQ(ops.columns[0].unit, "name");
    EXPECT_TRUE(ops.columns[0].is_text);
    EXPECT_EQ(ops.columns[1].subject, "a call");
    EXPECT_FALSE(ops.columns[1].is_text);
    ASSERT_EQ(ops.rows.size(), 2u);
    EXPECT_EQ(ops.rows[1].cells, (std::vector<std::string>{"", "2"}));
    EXPECT_EQ(ops.rows[0].time, 1000u);
    EXPECT_EQ(ops.rows[0].cpu, 3);
    EXPECT_TRUE(ops.rows[0].begins_block && !ops.rows[0].after_other);
    EXPECT_EQ(none.rows.at(0).cells.at(0), "-9223372036854775808");
    EXPECT_EQ(none.rows[0].cpu, -1);
    EXPECT_TRUE(!none.rows[0].begins_block && none.rows[0].after_other);
    EXPECT_EQ(none.rows[0].number, 1u);
    EXPECT_EQ(ops.rows[1].number, 2u);
    EXPECT_EQ(read->unknown, 0u);
    EXPECT_EQ(read->probes.at(0).skipped.at(0).count, 3u);
    EXPECT_EQ(read->losses[static_cast<size_t>(Loss::Output)], 17u);
    EXPECT_EQ(read->messages.at(0).text, "division by 0");
}

TEST(Capture, CutAnywhereIsNotSealed) {
    const std::string bytes = sealed();
    for (size_t size = 12; size < bytes.size(); size++) {
        const Outcome<Capture> read = parse_capture(std::string_view(bytes).substr(0, size));
        ASSERT_TRUE(read) << size;
        EXPECT_EQ(read->how, "") << size;
        EXPECT_EQ(read->damage, "it is cut off: the program that wrote it was killed, or is not done yet") << size;
    }
}

TEST(Capture, EveryChangedByteIsNoticed) {
    const std::string bytes = sealed();
    for (size_t at = 12; at < bytes.size(); at++) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ 0x15);
        const Outcome<Capture> read = parse_capture(changed);
        ASSERT_TRUE(read);
        EXPECT_NE(read->damage, "") << at;
        EXPECT_EQ(read->how, "") << at;
    }
    EXPECT_EQ(parse_capture(bytes + "x")->damage, "something follows its end");
}

TEST(Capture, LostBlockIsNoticed) {
    std::string bytes;
    Writer writer(to_string(bytes));
    writer.text(1, "one");
    ASSERT_TRUE(writer.flush());
    const size_t first = bytes.size();
    writer.text(2, "two");
    ASSERT_TRUE(writer.flush());
    const size_t second = bytes.size();
    ASSERT_TRUE(writer.finish("finished"));
    const Outcome<Capture> read = parse_capture(bytes.substr(0, first) + bytes.substr(second));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->damage, "it is damaged");
    EXPECT_EQ(parse_capture(bytes)->texts.size(), 2u);
}

TEST(Capture, CaptureUnusable) {
    EXPECT_EQ(parse_capture("").fault().message(), "this is empty, not a capture");
    EXPECT_EQ(parse_capture("#!/bin/sh\necho hello\n").fault().message(),
              "this is not a capture; 'stap --record=FILE SCRIPT' makes one");
    std::string newer = sealed();
    newer[8] = 2;
    EXPECT_EQ(parse_capture(newer).fault().message(), "the capture has version 2, this program reads 1");
    EXPECT_EQ(parse_capture(newer).fault().tag, FaultTag::CaptureUnusable);
}

std::string leb128(uint64_t value) {
    std::string out;
    for (; value > 127; value >>= 7)
        out += static_cast<char>(value | 128);
    return out + static_cast<char>(value);
}

std::string raw_record(RecordType type, const std::string &content) {
    return static_cast<char>(type) + leb128(content.size()) + content;
}

// As other programs write it, which may not know the limits.
Outcome<Capture> of_records(const std::string &records, uint64_t count) {
    const std::string block = records + raw_record(RecordType::End, leb128(count) + leb128(0) + leb128(1) + "x");
    std::string bytes(kMagic, sizeof kMagic), stored(ZSTD_compressBound(block.size()), '\0');
    stored.resize(ZSTD_compress(stored.data(), stored.size(), block.data(), block.size(), 1));
    for (const size_t number : {size_t{kVersion}, stored.size(), block.size()})
        for (int byte = 0; byte < 4; byte++)
            bytes += static_cast<char>(number >> 8 * byte);
    return parse_capture(bytes + stored);
}

std::string plain(const std::string &text) {
    return leb128(0) + leb128(text.size()) + text;
}

TEST(Capture, RecordsOfUnknownKindsAreCounted) {
    const Outcome<Capture> read = of_records(
        raw_record(static_cast<RecordType>(99), "news") + raw_record(RecordType::Message, leb128(0) + plain("m")), 2);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->damage, "");
    EXPECT_EQ(read->unknown, 1u);
    EXPECT_EQ(read->messages.size(), 1u);
}

// The format had tables of texts alone before.
TEST(Capture, TablesWithoutUnitsAreTexts) {
    const std::string head = plain("ops") + leb128(2) + plain("name") + plain("count");
    const Outcome<Capture> read = of_records(
        raw_record(RecordType::Table, head) + raw_record(RecordType::Row, leb128(2) + plain("read") + plain("1")), 2);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->damage, "");
    ASSERT_EQ(read->tables.size(), 1u);
    EXPECT_EQ(read->tables[0].columns.at(1).unit, "text");
    EXPECT_EQ(read->tables[0].rows.at(0).cells.at(1), "1");
    EXPECT_TRUE(read->tables[0].rows[0].begins_block);
}

TEST(Capture, RowsFitTheirTables) {
    const std::string head = plain("ops") + leb128(1) + plain("n") + plain("") + plain("") + leb128(0);
    const auto damage_of = [&](const std::string &cells) {
        return of_records(raw_record(RecordType::Table, head) + raw_record(RecordType::Row, cells), 2)->damage;
    };
    EXPECT_EQ(damage_of(leb128(1) + plain("-7")), "");
    EXPECT_EQ(damage_of(leb128(1) + plain("seven")), "it is damaged");
    EXPECT_EQ(damage_of(leb128(1) + plain("7x")), "it is damaged");
    EXPECT_EQ(damage_of(leb128(1) + plain("99999999999999999999")), "it is damaged");
    EXPECT_EQ(damage_of(leb128(2) + plain("7") + plain("8")), "it is damaged");
    std::string cells = leb128(33);
    for (int i = 0; i < 33; i++)
        cells += plain("1");
    EXPECT_EQ(damage_of(cells), "it has 33 cells in one row, more than the limit of 32");
}

TEST(Capture, StacksBeyondTheLimitAreCut) {
    for (const size_t count : {kFrames, kFrames + 1, size_t{70000}}) {
        // The last frame's name is one that a later record refers to.
        std::string frames;
        for (size_t i = 0; i + 1 < count; i++)
            frames += leb128(3) + leb128(0) + leb128(1) + "f";
        frames += leb128(3) + leb128(1) + leb128(4) + "main";
        const std::string message = leb128(0) + leb128(2);
        const Outcome<Capture> read =
            of_records(raw_record(RecordType::Stack, leb128(7) + leb128(0) + leb128(1) + leb128(count) + frames) +
                           raw_record(RecordType::Message, message),
                       2);
        ASSERT_TRUE(read);
        EXPECT_EQ(read->damage, "");
        ASSERT_EQ(read->stacks.size(), 1u);
        EXPECT_EQ(read->stacks[0].frames.size(), kFrames);
        EXPECT_EQ(read->stacks[0].user, count > kFrames ? End::Cut : End::Complete);
        EXPECT_EQ(read->messages.at(0).text, "main");
    }
}

TEST(Capture, LimitsAreNamed) {
    std::string labels;
    for (int i = 0; i < 33; i++)
        labels += leb128(0) + leb128(1) + "k" + leb128(0) + leb128(1) + "v";
    const std::string sample = leb128(0) + leb128(0) + leb128(1) + leb128(2) + leb128(0) + leb128(33) + labels;
    EXPECT_EQ(of_records(raw_record(RecordType::Sample, sample), 1)->damage,
              "it has 33 labels of one sample, more than the limit of 32");
    // One that is longer than its record is something else.
    EXPECT_EQ(of_records(raw_record(RecordType::Sample, sample.substr(0, 9)), 1)->damage, "it is damaged");
}

TEST(Capture, SizesAreBounded) {
    std::string bytes;
    Writer writer(to_string(bytes));
    Stack stack{1, End::None, End::Complete, {}};
    for (size_t i = 0; i < kFrames + 10; i++)
        stack.frames.push_back({FrameKind::Text, 0, 0, 0, std::string(1000, 'x') + std::to_string(i)});
    writer.stack(stack);
    writer.sample(
        {1, 0, 1, 1, 0, std::vector<Label>(100, Label{std::string(100000, 'k'), std::string(100000, 't'), 0})});
    writer.text(0, std::string(10'000'000, 'a'));
    writer.message(Severity::Warning, std::string(10'000'000, 'b'));
    ASSERT_TRUE(writer.finish("finished"));
    EXPECT_LT(bytes.size(), 1'000'000u);
    const Outcome<Capture> read = parse_capture(bytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->damage, "");
    ASSERT_EQ(read->stacks.size(), 1u);
    EXPECT_EQ(read->stacks[0].frames.size(), kFrames);
    EXPECT_EQ(read->stacks[0].user, End::Limit);
    EXPECT_EQ(read->samples.at(0).labels.size(), kLabels);
    std::string text;
    for (const Text &part : read->texts)
        text += part.bytes;
    EXPECT_EQ(text.size(), 10'000'000u);
}

// A small file that becomes large, such as 300 texts of 4 MB in 50 kB, is read up to a limit that goes with its size.
TEST(Capture, MemoryOfTheReaderIsBounded) {
    std::string bytes;
    Writer writer(to_string(bytes));
    const std::string text(4'000'000, 'x');
    for (unsigned i = 0; i < 300; i++)
        writer.text(i, text);
    ASSERT_TRUE(writer.finish("finished"));
    EXPECT_LT(bytes.size(), 300'000u);
    const Outcome<Capture> read = parse_capture(bytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->damage, "it takes more memory than captures of its size do");
    size_t kept = 0;
    for (const Text &part : read->texts)
        kept += part.bytes.size();
    EXPECT_GT(kept, 50'000'000u);
    EXPECT_LT(kept, 64u << 20 | 200 * bytes.size());
}

TEST(Capture, ManyStringsStayBounded) {
    std::string bytes;
    Writer writer(to_string(bytes));
    writer.stack({1, End::None, End::Complete, {file_frame(1, 1)}});
    for (size_t i = 0; i < kInternedStrings + 1000; i++)
        writer.sample({1, 0, 1, 1, 0, {{"request", "/page/" + std::to_string(i), 0}}});
    ASSERT_TRUE(writer.finish("finished"));
    const Outcome<Capture> read = parse_capture(bytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->damage, "");
    EXPECT_EQ(read->samples.at(kInternedStrings + 999).labels.at(0).text,
              "/page/" + std::to_string(kInternedStrings + 999));
}

TEST(Capture, GoesThroughAPipe) {
    Descriptor in, out;
    ASSERT_TRUE(make_pipe(in, out));
    std::thread thread([&out] {
        Writer writer(to_descriptor(out.get()));
        write_some(writer);
        writer.flush();
        writer.text(0, std::string(1'000'000, 'z'));
        EXPECT_TRUE(writer.finish("finished"));
        out.reset();
    });
    const Outcome<Capture> read = read_capture(in.get());
    thread.join();
    ASSERT_TRUE(read);
    EXPECT_EQ(read->how, "finished");
    EXPECT_EQ(read->stacks.size(), 2u);
}

TEST(Capture, FailedWriteIsTold) {
    int calls = 0;
    Writer writer([&calls](std::string_view) {
        calls++;
        errno = ENOSPC;
        return false;
    });
    write_some(writer);
    EXPECT_FALSE(writer.flush());
    write_some(writer);
    EXPECT_FALSE(writer.flush());
    EXPECT_EQ(calls, 1);
    const Outcome<void> finished = writer.finish("finished");
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.fault().message(), "the capture cannot be written: No space left on device");
}

}  // namespace
}  // namespace tapir::capture
