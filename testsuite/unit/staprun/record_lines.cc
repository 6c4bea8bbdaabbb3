// SPDX-License-Identifier: GPL-2.0-or-later
#include "record_lines.h"

#include <gtest/gtest.h>
#include <tapir/hist_shape.h>

#include "fake.h"

namespace tapir::staprun {
namespace {

std::string format_piece(u8 conv, const std::string &literal = "", u8 flags = 0) {
    tapir_piece p = {};
    p.conv = conv;
    p.flags = flags;
    p.width = p.precision = TAPIR_FMT_UNSET;
    p.literal = static_cast<u32>(literal.size());
    return std::string(reinterpret_cast<const char *>(&p), sizeof p) + literal;
}

std::string bytes_of(u64 n, size_t bytes = 8) {
    return {reinterpret_cast<const char *>(&n), bytes};
}

std::string with_nul(const std::string &text) {
    return text + '\0';
}

const std::string kString = format_piece(TAPIR_CONV_STRING), kNumber = format_piece(TAPIR_CONV_DECIMAL);

std::string literal(const std::string &text, u8 flags = 0) {
    return format_piece(TAPIR_CONV_LITERAL, text, flags);
}

class StaprunRecordLines : public testing::Test {
  protected:
    void SetUp() override {
        control.formats = {
            literal("pid=") + kNumber + literal(" name=") + kString + literal("\n"),
            literal("part ") + kNumber,
            literal("pairs[", TAPIR_FMT_ROW) + kNumber + literal(",\"") + kString + literal("\"]=") + kNumber +
                literal("\n"),
            literal("times", TAPIR_FMT_ROW) + literal(" @count=") + kNumber + literal(" @min=") + kNumber +
                literal(" @max=") + kNumber + literal(" @sum=") + kNumber + literal(" @avg=") + kNumber + literal("\n"),
            literal(std::string("lat\0device\0name\0\0p99\0ms\0a \"device\"\0", 35), TAPIR_FMT_TABLE) + kString +
                kNumber,
            literal(std::string("ops\0n\0\0\0", 8), TAPIR_FMT_TABLE) + kNumber,
            literal(std::string("bad\0n\0\0", 7), TAPIR_FMT_TABLE) + kNumber,
            literal("none @count=0\n", TAPIR_FMT_ROW),
        };
    }
    std::string printed(const std::string &payload, uint8_t type = TAPIR_REC_PRINT) {
        Record record;
        record.time = 5;
        record.cpu = 1;
        record.type = type;
        record.payload = payload;
        return std::string(lines.printed(record));
    }
    std::string row(const std::string &device, int64_t p99) {
        return bytes_of(4, 2) + with_nul(device) + bytes_of(static_cast<u64>(p99));
    }

    FakeControl control;
    ItemTexts texts{control, [] { return false; }, [] { return -1; }};
    RecordLines lines{texts, TAPIR_FORM_JSON, 0};
};

TEST_F(StaprunRecordLines, EachLineIsARecord) {
    EXPECT_EQ(
        "{\"v\":1,\"type\":\"print\",\"t\":5,\"cpu\":1,\"text\":\"one\\n\"}\n"
        "{\"v\":1,\"type\":\"print\",\"t\":5,\"cpu\":1,\"text\":\"\\n\"}\n"
        "{\"v\":1,\"type\":\"print\",\"t\":5,\"cpu\":1,\"text\":\"rest\"}\n",
        printed("one\n\nrest", TAPIR_REC_DATA));
    EXPECT_EQ("", printed("", TAPIR_REC_DATA));
}

TEST_F(StaprunRecordLines, ALineOfOnePrintfHasItsArguments) {
    const std::string item = bytes_of(0, 2) + bytes_of(static_cast<u64>(-7)) + with_nul("a\"\\\n\x01\x7f");
    EXPECT_EQ("{\"v\":1,\"type\":\"print\",\"t\":5,\"cpu\":1,\"text\":\"pid=-7 name=x\\n\",\"args\":[-7,\"x\"]}\n",
              printed(bytes_of(0, 2) + bytes_of(static_cast<u64>(-7)) + with_nul("x")));
    // Two lines are two records, without.
    EXPECT_EQ(
        "{\"v\":1,\"type\":\"print\",\"t\":5,\"cpu\":1,\"text\":\"pid=-7 name=a\\\"\\\\\\n\"}\n"
        "{\"v\":1,\"type\":\"print\",\"t\":5,\"cpu\":1,\"text\":\"\\u0001\\u007f\\n\"}\n",
        printed(item));
    // A part of a line belongs to what follows.
    EXPECT_EQ("{\"v\":1,\"type\":\"print\",\"t\":5,\"cpu\":1,\"text\":\"part 3pid=1 name=\\n\"}\n",
              printed(bytes_of(1, 2) + bytes_of(3) + bytes_of(0, 2) + bytes_of(1) + with_nul("")));
}

TEST_F(StaprunRecordLines, StringsThatAreNotUtf8AreWrittenByteByByte) {
    EXPECT_EQ(
        "{\"v\":1,\"type\":\"print\",\"t\":5,\"cpu\":1,\"text\":\"pid=1 name=\xc3\xbc\xe2\x80\xa8\\n\","
        "\"args\":[1,\"\xc3\xbc\xe2\x80\xa8\"]}\n",
        printed(bytes_of(0, 2) + bytes_of(1) + with_nul("\xc3\xbc\xe2\x80\xa8")));
    EXPECT_EQ(
        "{\"v\":1,\"type\":\"print\",\"t\":5,\"cpu\":1,\"text\":\"pid=1 name=\\u00c3\\u00bc\\u00ff\\n\","
        "\"args\":[1,\"\\u00c3\\u00bc\\u00ff\"],\"latin1\":true}\n",
        printed(bytes_of(0, 2) + bytes_of(1) + with_nul("\xc3\xbc\xff")));
    // Cut, too long, a surrogate, beyond the last one, and a byte that only continues.
    for (const char *odd : {"\xc3", "\xe2\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"})
        EXPECT_NE(std::string::npos, printed(odd, TAPIR_REC_DATA).find(",\"latin1\":true}")) << odd;
}

TEST_F(StaprunRecordLines, GlobalsAreValues) {
    EXPECT_EQ("{\"v\":1,\"type\":\"value\",\"t\":5,\"cpu\":1,\"name\":\"pairs\",\"keys\":[1,\"k\"],\"value\":-2}\n",
              printed(bytes_of(2, 2) + bytes_of(1) + with_nul("k") + bytes_of(static_cast<u64>(-2))));
    EXPECT_EQ(
        "{\"v\":1,\"type\":\"value\",\"t\":5,\"cpu\":1,\"name\":\"times\",\"count\":4,\"sum\":10,\"min\":1,"
        "\"avg\":2,\"max\":5}\n",
        printed(bytes_of(3, 2) + bytes_of(4) + bytes_of(1) + bytes_of(5) + bytes_of(10) + bytes_of(2)));
    EXPECT_EQ("{\"v\":1,\"type\":\"value\",\"t\":5,\"cpu\":1,\"name\":\"none\",\"count\":0}\n",
              printed(bytes_of(7, 2)));
}

TEST_F(StaprunRecordLines, TablesTellTheirColumnsOnce) {
    EXPECT_EQ(
        "{\"v\":1,\"type\":\"table\",\"t\":5,\"cpu\":1,\"name\":\"lat\",\"columns\":[{\"name\":\"device\","
        "\"unit\":\"name\"},{\"name\":\"p99\",\"unit\":\"ms\",\"subject\":\"a \\\"device\\\"\"}]}\n"
        "{\"v\":1,\"type\":\"row\",\"t\":5,\"cpu\":1,\"table\":\"lat\",\"row\":{\"device\":\"sda\",\"p99\":12}}\n"
        "{\"v\":1,\"type\":\"row\",\"t\":5,\"cpu\":1,\"table\":\"lat\",\"row\":{\"device\":\"sdb\",\"p99\":-1}}\n",
        printed(row("sda", 12) + row("sdb", -1)));
    EXPECT_EQ("{\"v\":1,\"type\":\"row\",\"t\":5,\"cpu\":1,\"table\":\"lat\",\"row\":{\"device\":\"sda\",\"p99\":1}}\n",
              printed(row("sda", 1)));
    EXPECT_EQ(
        "{\"v\":1,\"type\":\"row\",\"t\":5,\"cpu\":1,\"table\":\"lat\",\"row\":{\"device\":\"sda\",\"p99\":null}}\n",
        printed(row("sda", TAPIR_NO_VALUE)));
}

TEST_F(StaprunRecordLines, DamagedItemsAreCounted) {
    const std::string bad = bytes_of(6, 2) + bytes_of(1);
    EXPECT_EQ("", printed(bad));
    EXPECT_EQ(bad.size(), texts.bytes_damaged());
    EXPECT_EQ("", printed(bytes_of(99, 2) + bytes_of(1)));
    EXPECT_EQ(2 * bad.size(), texts.bytes_damaged());
}

TEST_F(StaprunRecordLines, HistogramsHaveTheBucketsThatCount) {
    tapir_item_histogram head = {};
    head.item = TAPIR_ITEM_HISTOGRAM;
    head.type = TAPIR_HIST_LINEAR;
    head.flags = TAPIR_HISTOGRAM_ENDS;
    head.nkeys = 1;
    head.low = 0;
    head.high = 20;
    head.width = 10;
    head.buckets = 5;
    head.pairs = 3;
    head.sum = 42;
    head.min = -3;
    head.max = 40;
    std::string rest = with_nul("ms") + with_nul("waits") + std::string(1, char{TAPIR_STRING}) + with_nul("k");
    // The first bucket, then one left out, the third, and the last.
    rest += std::string("\0\1\1\2\1\3", 6);
    head.bytes = static_cast<u16>(sizeof head + rest.size());
    EXPECT_EQ(
        "{\"v\":1,\"type\":\"hist\",\"t\":5,\"cpu\":1,\"name\":\"waits\",\"keys\":[\"k\"],\"unit\":\"ms\","
        "\"scale\":\"linear\",\"count\":6,\"sum\":42,\"min\":-3,\"max\":40,"
        "\"buckets\":[[-9223372036854775808,-1,1],[10,19,2],[30,9223372036854775807,3]]}\n",
        printed(std::string(reinterpret_cast<const char *>(&head), sizeof head) + rest));
    // Without a unit, of a script that does not ask for the least and the largest; text before it is a record of its
    // own.
    head.flags = TAPIR_HISTOGRAM_TEXT;
    rest.erase(0, 2);
    head.bytes = static_cast<u16>(sizeof head + rest.size());
    EXPECT_EQ(
        "{\"v\":1,\"type\":\"print\",\"t\":5,\"cpu\":1,\"text\":\"part 3\"}\n"
        "{\"v\":1,\"type\":\"hist\",\"t\":5,\"cpu\":1,\"name\":\"waits\",\"keys\":[\"k\"],"
        "\"scale\":\"linear\",\"count\":6,\"sum\":42,"
        "\"buckets\":[[-9223372036854775808,-1,1],[10,19,2],[30,9223372036854775807,3]]}\n",
        printed(bytes_of(1, 2) + bytes_of(3) + std::string(reinterpret_cast<const char *>(&head), sizeof head) + rest));
}

TEST_F(StaprunRecordLines, MessagesAndOtherRecords) {
    EXPECT_EQ("{\"v\":1,\"type\":\"error\",\"t\":9,\"text\":\"wrong \\\"x\\\"\"}\n",
              lines.message({9, -1}, "error", "wrong \"x\""));
    EXPECT_EQ(
        "{\"v\":1,\"type\":\"loss\",\"t\":9,\"count\":18446744073709551615}\n",
        lines.other({9, -1}, "loss", [](tapir_json *json) { tapir_json_unsigned_member(json, "count", UINT64_MAX); }));
}

TEST_F(StaprunRecordLines, CsvHasTablesAlone) {
    RecordLines csv{texts, TAPIR_FORM_CSV, 0};
    const auto print = [&csv](const std::string &payload, uint8_t type = TAPIR_REC_PRINT) {
        Record record;
        record.time = 5;
        record.type = type;
        record.payload = payload;
        return std::string(csv.printed(record));
    };
    EXPECT_EQ("t (ns),device,p99 (ms)\r\n5,sda,12\r\n5,\"a,\"\"b\"\"\n\",-1\r\n",
              print(row("sda", 12) + row("a,\"b\"\n", -1)));
    EXPECT_EQ("5,,0\r\n", print(row("", 0)));
    EXPECT_EQ("5,sda,\r\n", print(row("sda", TAPIR_NO_VALUE)));
    EXPECT_FALSE(csv.left_out());
    EXPECT_EQ("", print("text\n", TAPIR_REC_DATA));
    EXPECT_TRUE(csv.left_out());
    EXPECT_EQ("", csv.message({9, -1}, "error", "wrong"));
}

// With several tables, lines say which they are of.
TEST_F(StaprunRecordLines, CsvOfSeveralTablesNamesThem) {
    RecordLines csv{texts, TAPIR_FORM_CSV, 6};
    Record record;
    record.time = 5;
    record.type = TAPIR_REC_PRINT;
    const std::string payload = row("sda", 12) + bytes_of(5, 2) + bytes_of(1) + row("sdb", 3);
    record.payload = payload;
    EXPECT_EQ("lat,t (ns),device,p99 (ms)\r\nlat,5,sda,12\r\nops,t (ns),n\r\nops,5,1\r\nlat,5,sdb,3\r\n",
              csv.printed(record));
}

}  // namespace
}  // namespace tapir::staprun
