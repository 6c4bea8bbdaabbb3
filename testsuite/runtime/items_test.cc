// SPDX-License-Identifier: GPL-2.0-or-later
// Output for which the loader makes the text: the text is the same, however it was printed.
#include <cerrno>
#include <cstring>
#include <random>

#include "fixture.h"

extern "C" {
#include "items/item_text.h"
}

namespace tapir::test {
namespace {

// A format with what its pieces point to.
struct Made {
    std::vector<std::string> literals;
    std::vector<tapir_fmt> pieces;
    std::vector<u8> kinds;  // conversion of each argument
};

class Items : public Runtime {
  protected:
    void SetUp() override {
        Runtime::SetUp();
        saved_ = tapir_test_module;
    }
    void TearDown() override {
        tapir_test_module = saved_;
        Runtime::TearDown();
    }

    void set_formats(const std::vector<Made> &made) {
        formats_.clear();
        for (const Made &m : made) {
            tapir_item_format f = {};
            f.pieces = m.pieces.data();
            f.npieces = static_cast<u16>(m.pieces.size());
            f.number = static_cast<u16>(formats_.size());
            f.nargs = static_cast<u8>(m.kinds.size());
            for (size_t i = 0; i < m.kinds.size(); i++)
                if (m.kinds[i] == TAPIR_CONV_STRING) f.strings |= 1u << i;
            const tapir_fmt &last = m.pieces.back();
            f.ends_line = last.literal_len && last.literal[last.literal_len - 1] == '\n';
            formats_.push_back(f);
        }
        tapir_test_module.formats = formats_.data();
        tapir_test_module.nformats = static_cast<u32>(formats_.size());
    }

    // The text of a record of items, by the descriptions of their formats.
    std::string text_of(const std::string &items) {
        std::string all;
        for (u32 at = 0, bytes = 0; at < items.size(); at += bytes) {
            bytes = tapir_item_bytes(formats_.data(), static_cast<u32>(formats_.size()), items.data() + at,
                                     static_cast<u32>(items.size()) - at);
            if (!bytes) {
                ADD_FAILURE() << "no item at " << at;
                return all;
            }
            u16 number;
            memcpy(&number, items.data() + at, sizeof(number));
            if (number == TAPIR_ITEM_TEXT) {
                EXPECT_GT(bytes, TAPIR_ITEM_TEXT_BYTES);
                all += items.substr(at + TAPIR_ITEM_TEXT_BYTES, bytes - TAPIR_ITEM_TEXT_BYTES);
                continue;
            }
            std::string description(tapir_format_bytes(&formats_[number]), '\0');
            tapir_format_describe(&formats_[number], description.data());
            tapir_item_format read;
            EXPECT_EQ(tapir_format_read(description.data(), static_cast<u32>(description.size()), &read), 0);
            EXPECT_EQ(read.strings, formats_[number].strings);
            EXPECT_EQ(read.nargs, formats_[number].nargs);
            EXPECT_EQ(read.ends_line, formats_[number].ends_line);
            std::string text(tapir_item_text_most(&read, bytes), '\0');
            text.resize(tapir_item_text(&read, items.data() + at, bytes, text.data(), static_cast<u32>(text.size())));
            tapir_format_free(&read);
            all += text;
        }
        return all;
    }

    // Ends the handler; the text of all its records.
    std::string finish_text() {
        tapir_handler_finish(c_);
        tapir_handler_start(c_, c_->probe, 1000);
        std::string all;
        for (const Record &record : records_) {
            EXPECT_LE(record.text.size(), TAPIR_OUTPUT_MAX);
            EXPECT_FALSE(record.text.empty());
            all += record.type == TAPIR_REC_PRINT ? text_of(record.text) : record.text;
        }
        records_.clear();
        return all;
    }

    std::vector<tapir_item_format> formats_;
    struct tapir_module saved_ = {};
};

Made random_format(std::mt19937 &random) {
    static const u8 convs[] = {TAPIR_CONV_DECIMAL, TAPIR_CONV_UNSIGNED, TAPIR_CONV_HEX,    TAPIR_CONV_HEX_UPPER,
                               TAPIR_CONV_OCTAL,   TAPIR_CONV_POINTER,  TAPIR_CONV_STRING, TAPIR_CONV_STRING,
                               TAPIR_CONV_CHAR,    TAPIR_CONV_BINARY,   TAPIR_CONV_DECIMAL};
    static const u8 flags[] = {
        0, 0, TAPIR_FMT_ZERO, TAPIR_FMT_PLUS, TAPIR_FMT_LEFT, TAPIR_FMT_SPACE, TAPIR_FMT_ALTERNATE};
    Made m;
    for (size_t n = 1 + random() % 6; n > 0; n--) {
        tapir_fmt f = {};
        f.conv = convs[random() % std::size(convs)];
        f.width = f.precision = TAPIR_FMT_UNSET;
        if (random() % 2) {
            f.flags = flags[random() % std::size(flags)];
            if (random() % 2) f.width = static_cast<s32>(random() % 30);
            if (random() % 3 == 0) f.precision = static_cast<s32>(random() % 25);
        }
        m.kinds.push_back(f.conv);
        m.pieces.push_back(f);
        std::string literal;
        for (size_t k = random() % 8; k > 0; k--)
            literal += static_cast<char>(random() % 30 ? ' ' + random() % 90 : random() % 2 ? 0 : 255);
        if (n == 1 && random() % 4) literal += '\n';
        if (literal.empty()) continue;
        m.literals.push_back(literal);
        f = {};
        f.conv = TAPIR_CONV_LITERAL;
        f.width = f.precision = TAPIR_FMT_UNSET;
        m.pieces.push_back(f);
    }
    size_t literal = 0;
    for (tapir_fmt &f : m.pieces) {
        if (f.conv != TAPIR_CONV_LITERAL) continue;
        f.literal = m.literals[literal].data();
        f.literal_len = static_cast<u32>(m.literals[literal++].size());
    }
    return m;
}

std::vector<Made> random_formats(std::mt19937 &random, size_t count) {
    std::vector<Made> made;
    for (size_t i = 0; i < count; i++)
        made.push_back(random_format(random));
    for (Made &m : made) {  // the strings may have moved with their vector
        size_t literal = 0;
        for (tapir_fmt &f : m.pieces)
            if (f.conv == TAPIR_CONV_LITERAL) f.literal = m.literals[literal++].data();
    }
    return made;
}

std::string random_text(std::mt19937 &random) {
    std::string text;
    const size_t length = random() % 20 ? random() % 24 : random() % (2 * Buffer::cap);
    while (text.size() < length)
        text += static_cast<char>(random() % 12 ? 1 + random() % 255 : '\n');
    return text;
}

// Random printing, once as items and once as text.
TEST_F(Items, AnyPrintingGivesTheTextThatHandlersMake) {
    std::mt19937 random(12);
    for (int round = 0; round < 300; round++) {
        const std::vector<Made> made = random_formats(random, 1 + random() % 8);
        set_formats(made);
        const u32 seed = random();
        std::string text[2];
        for (int items = 0; items < 2; items++) {
            std::mt19937 steps(seed);
            for (size_t n = steps() % (round % 10 ? 12 : 900); n > 0; n--) {
                const size_t which = steps() % made.size();
                const Made &m = made[which];
                std::vector<std::string> texts(m.kinds.size());
                std::vector<tapir_val> args;
                for (size_t i = 0; i < m.kinds.size(); i++) {
                    texts[i].assign(steps() % 8, 'x');  // any alignment
                    const size_t offset = texts[i].size();
                    texts[i] += random_text(steps);
                    const s64 numbers[] = {0, -1, INT64_MIN, INT64_MAX, static_cast<s64>(steps())};
                    args.push_back(m.kinds[i] != TAPIR_CONV_STRING ? val(numbers[steps() % 5])
                                   : steps() % 30 == 0             ? val(static_cast<const char *>(nullptr))
                                                                   : val(texts[i].c_str() + offset));
                }
                const u32 how = steps() % 10;
                const std::string raw = random_text(steps);
                const u32 pieces = static_cast<u32>(m.pieces.size());
                if (how == 0)
                    tapir_print_bytes(c_, raw.data(), static_cast<u32>(raw.size()));
                else if (how == 1)
                    tapir_print_long(c_, static_cast<s64>(n));
                else if (how == 2)
                    tapir_output_flush(c_);
                else if (how == 3 || !items)
                    tapir_printf(c_, m.pieces.data(), pieces, args.data(), nullptr);
                else
                    tapir_print(c_, &formats_[which], args.data());
            }
            text[items] = finish_text();
        }
        ASSERT_EQ(text[0], text[1]) << "round " << round;
    }
}

Made simple_format(const char *end) {
    Made m;
    m.literals = {end};
    tapir_fmt f = {};
    f.width = f.precision = TAPIR_FMT_UNSET;
    f.conv = TAPIR_CONV_STRING;
    m.pieces.push_back(f);
    f.conv = TAPIR_CONV_DECIMAL;
    m.pieces.push_back(f);
    f.conv = TAPIR_CONV_LITERAL;
    f.literal_len = static_cast<u32>(strlen(end));
    m.pieces.push_back(f);
    m.kinds = {TAPIR_CONV_STRING, TAPIR_CONV_DECIMAL};
    return m;
}

TEST_F(Items, RecordsHaveNumbersAndValuesOnly) {
    std::vector<Made> made = {simple_format("\n")};
    made[0].pieces[2].literal = made[0].literals[0].data();
    set_formats(made);
    const tapir_val args[] = {val("swapper"), val(s64{42})};
    tapir_print(c_, &formats_[0], args);
    tapir_handler_finish(c_);
    ASSERT_EQ(records_.size(), 1u);
    EXPECT_EQ(records_[0].type, TAPIR_REC_PRINT);
    EXPECT_EQ(records_[0].text, std::string("\0\0swapper\0\x2a\0\0\0\0\0\0\0", 18));
    EXPECT_EQ(c_->out_len, 0u);
}

TEST_F(Items, OneHandlersOutputIsOneRecordInOrder) {
    std::vector<Made> made = {simple_format(".")};
    made[0].pieces[2].literal = made[0].literals[0].data();
    set_formats(made);
    const tapir_val args[] = {val("a"), val(s64{1})};
    tapir_print_string(c_, "first ");
    tapir_print(c_, &formats_[0], args);
    tapir_print_string(c_, "then ");
    tapir_print_long(c_, -7);
    tapir_print_string(c_, "");
    tapir_print(c_, &formats_[0], args);
    tapir_print(c_, &formats_[0], args);
    tapir_print_string(c_, "");
    tapir_handler_finish(c_);
    ASSERT_EQ(records_.size(), 1u);
    EXPECT_EQ(records_[0].type, TAPIR_REC_PRINT);
    EXPECT_EQ(text_of(records_[0].text), "first a1.then -7a1.a1.");
}

TEST_F(Items, LinesStayWholeInRecords) {
    std::vector<Made> made = {simple_format("\n"), simple_format("+")};
    for (Made &m : made)
        m.pieces[2].literal = m.literals[0].data();
    set_formats(made);
    std::string all;
    for (s64 i = 0; i < 5000; i++) {
        const std::string name(static_cast<size_t>(i % 50), 'n');
        const tapir_val args[] = {val(name.c_str()), val(i)};
        tapir_print(c_, &formats_[i % 3 != 0], args);
        all += name + std::to_string(i) + (i % 3 ? "+" : "\n");
        if (i % 7 == 0) tapir_print_string(c_, "text\nand ");
        if (i % 7 == 0) all += "text\nand ";
    }
    tapir_handler_finish(c_);
    ASSERT_GT(records_.size(), 10u);
    std::string joined;
    for (size_t i = 0; i < records_.size(); i++) {
        const std::string text = text_of(records_[i].text);
        EXPECT_TRUE(i + 1 == records_.size() || text.back() == '\n') << i;
        joined += text;
    }
    EXPECT_EQ(joined, all);
}

TEST_F(Items, AnItemLongerThanARecordIsText) {
    Made m;
    tapir_fmt f = {};
    f.conv = TAPIR_CONV_STRING;
    f.width = f.precision = TAPIR_FMT_UNSET;
    m.pieces.assign(TAPIR_ITEM_ARGS, f);
    m.kinds.assign(TAPIR_ITEM_ARGS, TAPIR_CONV_STRING);
    const std::vector<Made> made = {m};
    set_formats(made);
    tapir_test_module.string_cap = 512;
    const std::string part(511, 'p');
    const std::vector<tapir_val> args(TAPIR_ITEM_ARGS, val(part.c_str()));
    std::string all;
    for (u32 i = 0; i < TAPIR_ITEM_ARGS; i++)
        all += part;
    tapir_print_string(c_, "before ");
    for (int i = 0; i < 40; i++)
        tapir_print(c_, &formats_[0], args.data());
    std::string want = "before ";
    for (int i = 0; i < 40; i++)
        want += all;
    EXPECT_EQ(finish_text(), want);
}

TEST_F(Items, StringsEndWhereTheyWouldBeCut) {
    std::vector<Made> made = {simple_format("\n")};
    made[0].pieces[2].literal = made[0].literals[0].data();
    set_formats(made);
    const std::string big(3 * Buffer::cap, 'b');
    const tapir_val args[] = {val(big.c_str()), val(s64{5})};
    tapir_print(c_, &formats_[0], args);
    EXPECT_EQ(finish_text(), big.substr(0, Buffer::cap - 1) + "5\n");
}

std::string piece_of(u8 conv, s32 width, s32 precision, const std::string &literal = "", u8 flags = 0) {
    tapir_piece piece = {};
    piece.conv = conv;
    piece.flags = flags;
    piece.width = width;
    piece.precision = precision;
    piece.literal = static_cast<u32>(literal.size());
    return std::string(reinterpret_cast<const char *>(&piece), sizeof(piece)) + literal;
}

int read_error(const std::string &description) {
    tapir_item_format f;
    const int error = tapir_format_read(description.data(), static_cast<u32>(description.size()), &f);
    if (!error) tapir_format_free(&f);
    return error;
}

TEST(ItemFormats, DescriptionsAreChecked) {
    EXPECT_EQ(read_error(piece_of(TAPIR_CONV_DECIMAL, -1, -1)), 0);
    EXPECT_EQ(read_error(piece_of(TAPIR_CONV_LITERAL, -1, -1, std::string(TAPIR_ITEM_SPREAD, 'x'))), 0);
    EXPECT_EQ(read_error(piece_of(TAPIR_CONV_LITERAL, -1, -1, std::string(TAPIR_ITEM_SPREAD + 1, 'x'))), -EINVAL);
    EXPECT_EQ(read_error(piece_of(TAPIR_CONV_MEMORY, -1, -1)), -EINVAL);
    EXPECT_EQ(read_error(piece_of(200, -1, -1)), -EINVAL);
    EXPECT_EQ(read_error(piece_of(TAPIR_CONV_DECIMAL, -1, -1, "", TAPIR_FMT_WIDTH_ARG)), -EINVAL);
    EXPECT_EQ(read_error(piece_of(TAPIR_CONV_DECIMAL, -1, -1, "x")), -EINVAL);
    EXPECT_EQ(read_error(piece_of(TAPIR_CONV_DECIMAL, INT32_MAX, -1)), -EINVAL);
    EXPECT_EQ(read_error(piece_of(TAPIR_CONV_DECIMAL, -1, INT32_MAX)), -EINVAL);
    EXPECT_EQ(read_error(piece_of(TAPIR_CONV_DECIMAL, INT32_MIN, -1)), -EINVAL);
    EXPECT_EQ(read_error(piece_of(TAPIR_CONV_STRING, -1, INT32_MAX)), 0);
    EXPECT_EQ(read_error(piece_of(TAPIR_CONV_LITERAL, -1, -1, "cut").substr(0, sizeof(tapir_piece) + 2)), -EINVAL);
    EXPECT_EQ(read_error(piece_of(TAPIR_CONV_DECIMAL, -1, -1) + "more"), -EINVAL);
    std::string many;
    for (u32 i = 0; i < TAPIR_ITEM_ARGS; i++)
        many += piece_of(TAPIR_CONV_STRING, -1, -1);
    EXPECT_EQ(read_error(many), 0);
    EXPECT_EQ(read_error(many + piece_of(TAPIR_CONV_STRING, -1, -1)), -EINVAL);
}

}  // namespace
}  // namespace tapir::test
