// SPDX-License-Identifier: GPL-2.0-or-later
#include <cinttypes>
#include <cstring>
#include <random>

#include "fixture.h"

namespace tapir::test {
namespace {

constexpr s64 kMin = INT64_MIN, kMax = INT64_MAX;

tapir_fmt fmt(u8 conv, u32 flags = 0, s32 width = TAPIR_FMT_UNSET, s32 precision = TAPIR_FMT_UNSET) {
    tapir_fmt f = {};
    f.conv = conv;
    f.flags = static_cast<u8>(flags);
    f.width = width;
    f.precision = precision;
    return f;
}

class Format : public Runtime {
  protected:
    std::string print(const tapir_fmt &f, std::vector<tapir_val> args) {
        tapir_printf(c_, &f, 1, args.data(), nullptr);
        std::string printed(c_->out, c_->out_len);
        c_->out_len = 0;
        if (printed.size() < Buffer::cap && printed.find('\0') == std::string::npos) {
            Buffer b;
            tapir_sprintf(c_, b.text, Buffer::cap, &f, 1, args.data(), nullptr);
            EXPECT_EQ(printed, b.text);
        }
        return printed;
    }
};

TEST_F(Format, DecimalLimits) {
    EXPECT_EQ(print(fmt(TAPIR_CONV_DECIMAL), {val(kMin)}), "-9223372036854775808");
    EXPECT_EQ(print(fmt(TAPIR_CONV_DECIMAL), {val(kMax)}), "9223372036854775807");
    EXPECT_EQ(print(fmt(TAPIR_CONV_DECIMAL), {val(s64{0})}), "0");
    EXPECT_EQ(print(fmt(TAPIR_CONV_UNSIGNED), {val(s64{-1})}), "18446744073709551615");
    EXPECT_EQ(print(fmt(TAPIR_CONV_HEX), {val(s64{-1})}), "ffffffffffffffff");
    EXPECT_EQ(print(fmt(TAPIR_CONV_HEX_UPPER), {val(s64{0xabc})}), "ABC");
    EXPECT_EQ(print(fmt(TAPIR_CONV_OCTAL), {val(s64{-1})}), "1777777777777777777777");
}

TEST_F(Format, PrefixesAndPointers) {
    EXPECT_EQ(print(fmt(TAPIR_CONV_POINTER), {val(s64{0x12ab})}), "0x12ab");
    EXPECT_EQ(print(fmt(TAPIR_CONV_POINTER), {val(s64{0})}), "0x0");
    EXPECT_EQ(print(fmt(TAPIR_CONV_HEX, TAPIR_FMT_ALTERNATE), {val(s64{0})}), "0x0");
    EXPECT_EQ(print(fmt(TAPIR_CONV_HEX_UPPER, TAPIR_FMT_ALTERNATE), {val(s64{255})}), "0XFF");
    EXPECT_EQ(print(fmt(TAPIR_CONV_OCTAL, TAPIR_FMT_ALTERNATE), {val(s64{8})}), "010");
    EXPECT_EQ(print(fmt(TAPIR_CONV_OCTAL, TAPIR_FMT_ALTERNATE), {val(s64{0})}), "0");
    EXPECT_EQ(print(fmt(TAPIR_CONV_HEX, TAPIR_FMT_ALTERNATE | TAPIR_FMT_ZERO, 8), {val(s64{1})}), "0x000001");
    EXPECT_EQ(print(fmt(TAPIR_CONV_POINTER, TAPIR_FMT_LEFT, 8), {val(s64{1})}), "0x1     ");
}

// Everything C prints the same way, against the C library. With a precision C does not pad with zeros, SystemTap does.
TEST_F(Format, NumbersAgainstTheCLibrary) {
    struct {
        u8 conv;
        const char *letter;
    } convs[] = {{TAPIR_CONV_DECIMAL, PRId64},
                 {TAPIR_CONV_UNSIGNED, PRIu64},
                 {TAPIR_CONV_HEX, PRIx64},
                 {TAPIR_CONV_HEX_UPPER, PRIX64},
                 {TAPIR_CONV_OCTAL, PRIo64}};
    struct {
        u32 flag;
        const char *text;
    } flags[] = {{0, ""}, {TAPIR_FMT_ZERO, "0"}, {TAPIR_FMT_PLUS, "+"}, {TAPIR_FMT_LEFT, "-"}, {TAPIR_FMT_SPACE, " "}};
    const s64 values[] = {0, 1, -1, 7, 123456789, -987654321, kMin, kMax};
    for (const auto &conv : convs) {
        for (const auto &flag : flags) {
            for (int width : {-1, 0, 1, 5, 25}) {
                for (int precision : {-1, 0, 1, 5, 30}) {
                    for (s64 n : values) {
                        std::string spec = std::string("%") + flag.text;
                        if (width > 0) spec += std::to_string(width);
                        if (precision >= 0) spec.append(".").append(std::to_string(precision));
                        spec += conv.letter;
                        char want[100];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
                        snprintf(want, sizeof(want), spec.c_str(), n);
#pragma GCC diagnostic pop
                        if (flag.flag == TAPIR_FMT_ZERO && precision >= 0)
                            for (char *c = want; *c == ' ' || *c == '-'; c++) {
                                if (*c == ' ') *c = '0';
                                if (*c == '-') std::swap(*c, want[0]);
                            }
                        EXPECT_EQ(print(fmt(conv.conv, flag.flag, width, precision), {val(n)}), want)
                            << spec << " of " << n;
                    }
                }
            }
        }
    }
}

TEST_F(Format, Strings) {
    EXPECT_EQ(print(fmt(TAPIR_CONV_STRING), {val("text")}), "text");
    EXPECT_EQ(print(fmt(TAPIR_CONV_STRING, 0, 7), {val("text")}), "   text");
    EXPECT_EQ(print(fmt(TAPIR_CONV_STRING, TAPIR_FMT_LEFT, 7), {val("text")}), "text   ");
    EXPECT_EQ(print(fmt(TAPIR_CONV_STRING, 0, 7, 2), {val("text")}), "     te");
    EXPECT_EQ(print(fmt(TAPIR_CONV_STRING, 0, -1, 0), {val("text")}), "");
    EXPECT_EQ(print(fmt(TAPIR_CONV_STRING, 0, 2), {val("text")}), "text");
    EXPECT_EQ(print(fmt(TAPIR_CONV_STRING, TAPIR_FMT_ALTERNATE), {val("text")}), "text");
    EXPECT_EQ(print(fmt(TAPIR_CONV_STRING), {val(static_cast<const char *>(nullptr))}), "<NULL>");
    EXPECT_EQ(print(fmt(TAPIR_CONV_STRING, TAPIR_FMT_LEFT, 100), {val("a")}), std::string("a").append(99, ' '));
}

TEST_F(Format, Characters) {
    EXPECT_EQ(print(fmt(TAPIR_CONV_CHAR), {val(s64{'A'})}), "A");
    EXPECT_EQ(print(fmt(TAPIR_CONV_CHAR, 0, 3), {val(s64{'A'})}), "  A");
    EXPECT_EQ(print(fmt(TAPIR_CONV_CHAR, TAPIR_FMT_LEFT, 3), {val(s64{'A'})}), "A  ");
    EXPECT_EQ(print(fmt(TAPIR_CONV_CHAR), {val(s64{0})}), std::string(1, '\0'));
    EXPECT_EQ(print(fmt(TAPIR_CONV_CHAR), {val(s64{0x141})}), "A");
    const char *want[] = {"\\a", "\\b", "\\t", "\\n", "\\v", "\\f", "\\r"};
    for (s64 i = 0; i < 7; i++)
        EXPECT_EQ(print(fmt(TAPIR_CONV_CHAR, TAPIR_FMT_ALTERNATE), {val(s64{7 + i})}), want[i]);
    EXPECT_EQ(print(fmt(TAPIR_CONV_CHAR, TAPIR_FMT_ALTERNATE), {val(s64{'A'})}), "A");
    EXPECT_EQ(print(fmt(TAPIR_CONV_CHAR, TAPIR_FMT_ALTERNATE), {val(s64{0})}), "\\000");
    EXPECT_EQ(print(fmt(TAPIR_CONV_CHAR, TAPIR_FMT_ALTERNATE), {val(s64{0xff})}), "\\377");
    EXPECT_EQ(print(fmt(TAPIR_CONV_CHAR, TAPIR_FMT_ALTERNATE), {val(s64{'\''})}), "\\'");
    EXPECT_EQ(print(fmt(TAPIR_CONV_CHAR, TAPIR_FMT_ALTERNATE), {val(s64{'\\'})}), "\\\\");
}

TEST_F(Format, BinaryIsTheLowBytesInTheMachinesOrder) {
    const s64 n = 0x0807060504030201;
    EXPECT_EQ(print(fmt(TAPIR_CONV_BINARY), {val(n)}), "\x01\x02\x03\x04\x05\x06\x07\x08");
    EXPECT_EQ(print(fmt(TAPIR_CONV_BINARY, 0, 1), {val(n)}), "\x01");
    EXPECT_EQ(print(fmt(TAPIR_CONV_BINARY, 0, 2), {val(n)}), "\x01\x02");
    EXPECT_EQ(print(fmt(TAPIR_CONV_BINARY, 0, 4), {val(n)}), "\x01\x02\x03\x04");
    EXPECT_EQ(print(fmt(TAPIR_CONV_BINARY, 0, 8), {val(n)}), "\x01\x02\x03\x04\x05\x06\x07\x08");
    EXPECT_EQ(print(fmt(TAPIR_CONV_BINARY, 0, 3), {val(n)}).size(), 8u);
}

// As SystemTap's notes of its version 1.4 say: a width or a precision alone is both, NULs fill a larger width, and
// numbers of bytes that there are not count as none.
TEST_F(Format, BinaryHasAPrecision) {
    const s64 n = 0x0807060504030201;
    const std::string bytes = "\x01\x02\x03\x04\x05\x06\x07\x08";
    const auto nuls = [](size_t count) { return std::string(count, '\0'); };
    for (int precision : {1, 2, 4, 8}) {
        const std::string low = bytes.substr(0, static_cast<size_t>(precision));
        EXPECT_EQ(print(fmt(TAPIR_CONV_BINARY, 0, -1, precision), {val(n)}), low) << precision;
        EXPECT_EQ(print(fmt(TAPIR_CONV_BINARY, 0, 1, precision), {val(n)}), low) << precision;
        EXPECT_EQ(print(fmt(TAPIR_CONV_BINARY, 0, precision, precision), {val(n)}), low) << precision;
        EXPECT_EQ(print(fmt(TAPIR_CONV_BINARY, 0, precision + 3, precision), {val(n)}), nuls(3) + low) << precision;
        EXPECT_EQ(print(fmt(TAPIR_CONV_BINARY, TAPIR_FMT_LEFT, precision + 3, precision), {val(n)}), low + nuls(3));
    }
    for (int precision : {0, 3, 5, 6, 7, 9, 100}) {
        EXPECT_EQ(print(fmt(TAPIR_CONV_BINARY, 0, -1, precision), {val(n)}), bytes) << precision;
        EXPECT_EQ(print(fmt(TAPIR_CONV_BINARY, 0, 2, precision), {val(n)}), bytes.substr(0, 2)) << precision;
    }
    EXPECT_EQ(print(fmt(TAPIR_CONV_BINARY, 0, 16), {val(n)}), nuls(8) + bytes);
}

TEST_F(Format, NoArgumentMakesTheOutputUnbounded) {
    for (s64 n : {kMax, s64{INT32_MAX}, s64{TAPIR_OUTPUT_MAX} + 1}) {
        tapir_val args[] = {val(n), val(s64{7})};
        for (u32 star : {TAPIR_FMT_WIDTH_ARG, TAPIR_FMT_PRECISION_ARG}) {
            tapir_fmt f = fmt(TAPIR_CONV_DECIMAL, star);
            tapir_printf(c_, &f, 1, args, nullptr);
            std::string printed = finish();
            EXPECT_EQ(printed.back(), '7');
            EXPECT_LE(printed.size(), TAPIR_OUTPUT_MAX + 1u);
        }
    }
}

TEST_F(Format, StarArgumentsComeBeforeTheValue) {
    EXPECT_EQ(print(fmt(TAPIR_CONV_DECIMAL, TAPIR_FMT_WIDTH_ARG), {val(s64{5}), val(s64{42})}), "   42");
    EXPECT_EQ(print(fmt(TAPIR_CONV_DECIMAL, TAPIR_FMT_WIDTH_ARG), {val(s64{-5}), val(s64{42})}), "42   ");
    EXPECT_EQ(print(fmt(TAPIR_CONV_STRING, TAPIR_FMT_WIDTH_ARG | TAPIR_FMT_PRECISION_ARG),
                    {val(s64{6}), val(s64{3}), val("abcdef")}),
              "   abc");
    EXPECT_EQ(print(fmt(TAPIR_CONV_STRING, TAPIR_FMT_PRECISION_ARG), {val(s64{-7}), val("abcdef")}), "abcdef");
    EXPECT_EQ(print(fmt(TAPIR_CONV_DECIMAL, TAPIR_FMT_WIDTH_ARG), {val(s64{0}), val(s64{42})}), "42");
}

TEST_F(Format, AbsurdWidthsAreBounded) {
    for (s64 n : {kMin, kMax, s64{1} << 32, -(s64{1} << 32)}) {
        tapir_fmt f = fmt(TAPIR_CONV_DECIMAL, TAPIR_FMT_WIDTH_ARG | TAPIR_FMT_PRECISION_ARG);
        tapir_val args[] = {val(n), val(s64{3}), val(s64{1})};
        tapir_printf(c_, &f, 1, args, nullptr);
        EXPECT_LE(finish().size(), TAPIR_OUTPUT_MAX);
    }
}

TEST_F(Format, LiteralsMayContainNul) {
    tapir_fmt f[2] = {fmt(TAPIR_CONV_LITERAL), fmt(TAPIR_CONV_DECIMAL)};
    f[0].literal = "a\0b";
    f[0].literal_len = 3;
    tapir_val args[] = {val(s64{9})};
    tapir_printf(c_, f, 2, args, nullptr);
    EXPECT_EQ(finish(), std::string("a\0b9", 4));
}

TEST_F(Format, SprintfCutsAtTheCapacity) {
    tapir_fmt f[2] = {fmt(TAPIR_CONV_STRING), fmt(TAPIR_CONV_DECIMAL, TAPIR_FMT_ZERO, 100)};
    tapir_val args[] = {val("0123456789"), val(s64{7})};
    Buffer b;
    tapir_sprintf(c_, b.text, 16, f, 2, args, nullptr);
    EXPECT_STREQ(b.text, "012345678900000");
    tapir_sprintf(c_, b.text, 16, f, 0, args, nullptr);
    EXPECT_STREQ(b.text, "");
}

// STAP_ERROR and STAP_PRINTF take C's formats.
class CFormat : public Runtime {};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
#define EXPECT_AS_C(...)                                        \
    do {                                                        \
        char want_[200], got_[200];                             \
        snprintf(want_, sizeof(want_), __VA_ARGS__);            \
        u32 n_ = tapir_format(got_, sizeof(got_), __VA_ARGS__); \
        EXPECT_STREQ(got_, want_);                              \
        EXPECT_EQ(n_, strlen(want_));                           \
        tapir_outf(c_, __VA_ARGS__);                            \
        EXPECT_EQ(finish(), want_);                             \
    } while (0)

TEST_F(CFormat, AgainstTheCLibrary) {
    EXPECT_AS_C("plain");
    EXPECT_AS_C("%d|%i|%u|%x|%X|%o", -1, -2, 3u, 255u, 255u, 8u);
    EXPECT_AS_C("%ld|%lu|%llx|%lld", -1l, ~0ul, 0xabcdef0123456789ull, INT64_MIN);
    EXPECT_AS_C("%hhd|%hd|%hhu|%hu", 300, 70000, 300, 70000);
    EXPECT_AS_C("%zu|%zd|%jd|%td", sizeof(int), static_cast<ssize_t>(-5), static_cast<intmax_t>(-6),
                static_cast<ptrdiff_t>(7));
    EXPECT_AS_C("%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d", 42, 42, 42, 42, 42, 42, 42);
    EXPECT_AS_C("%#x|%#o|%-#8x|", 255, 8, 16);
    EXPECT_AS_C("%*d|%-*d|%*d|%.*s", 6, 1, 6, 2, -6, 3, 2, "abc");
    EXPECT_AS_C("%s|%10s|%-10s|%.2s|", "text", "text", "text", "text");
    EXPECT_AS_C("%c|%3c|%-3c|%%|100%%", 'x', 'y', 'z');
    EXPECT_AS_C("%p", reinterpret_cast<void *>(0x1234));
}

TEST_F(CFormat, WhatItDoesNotKnowIsShown) {
    tapir_outf(c_, "%d %f and %d", 1, 2, 3);
    EXPECT_EQ(finish(), "1 %f and %d");
    tapir_outf(c_, "%d%", 1);
    EXPECT_EQ(finish(), "1%");
}

TEST_F(CFormat, IsCutAndBounded) {
    char small[8];
    volatile int absurd = INT32_MIN;
    EXPECT_EQ(tapir_format(small, sizeof(small), "%s", "0123456789"), 7u);
    EXPECT_STREQ(small, "0123456");
    EXPECT_EQ(tapir_format(small, sizeof(small), "%2000000000d", 1), 7u);
    EXPECT_EQ(tapir_format(small, sizeof(small), "%*d", absurd, 1), 7u);
    EXPECT_EQ(tapir_format(small, 1, "%d", 12), 0u);
}
#pragma GCC diagnostic pop

class Memory : public Format {};

TEST_F(Memory, DumpsRawAndHex) {
    const unsigned char data[] = {0x00, 0x7f, 0xff, 'z', 0x10};
    s64 at = static_cast<s64>(reinterpret_cast<uintptr_t>(data));
    EXPECT_EQ(print(fmt(TAPIR_CONV_MEMORY_HEX, 0, -1, 5), {val(at)}), "007fff7a10");
    EXPECT_EQ(print(fmt(TAPIR_CONV_MEMORY_HEX), {val(at)}), "00");
    EXPECT_EQ(print(fmt(TAPIR_CONV_MEMORY, 0, -1, 5), {val(at)}), std::string(reinterpret_cast<const char *>(data), 5));
    EXPECT_EQ(print(fmt(TAPIR_CONV_MEMORY_HEX, 0, 6, 1), {val(at + 1)}), "    7f");
    EXPECT_EQ(print(fmt(TAPIR_CONV_MEMORY_HEX, TAPIR_FMT_LEFT, 6, 1), {val(at + 1)}), "7f    ");
    EXPECT_EQ(print(fmt(TAPIR_CONV_MEMORY_HEX, TAPIR_FMT_ALTERNATE, -1, 2), {val(at + 1)}), "7fff");
    EXPECT_EQ(print(fmt(TAPIR_CONV_MEMORY_HEX, TAPIR_FMT_PRECISION_ARG), {val(s64{3}), val(at)}), "007fff");
}

TEST_F(Memory, APageIsTheMost) {
    static const char page[4096] = {};
    const tapir_site site = {"identifier 'printf' at t.stp:1:1"};
    s64 at = static_cast<s64>(reinterpret_cast<uintptr_t>(page));
    EXPECT_EQ(print(fmt(TAPIR_CONV_MEMORY_HEX, 0, -1, 4096), {val(at)}).size(), 8192u);
    tapir_fmt f = fmt(TAPIR_CONV_MEMORY, 0, -1, 4097);
    tapir_val args[] = {val(at)};
    tapir_printf(c_, &f, 1, args, &site);
    EXPECT_STREQ(c_->message, "4097 is too many bytes for a memory dump");
    EXPECT_EQ(c_->site, &site);
    c_->failed = 0;
    f = fmt(TAPIR_CONV_MEMORY, TAPIR_FMT_PRECISION_ARG);
    tapir_val stars[] = {val(s64{1} << 40), val(at)};
    tapir_printf(c_, &f, 1, stars, &site);
    EXPECT_TRUE(c_->failed);
}

TEST_F(Memory, FaultsAreErrors) {
    tapir_fmt f = fmt(TAPIR_CONV_MEMORY, 0, -1, 8);
    tapir_val args[] = {val(s64{0x10})};
    tapir_printf(c_, &f, 1, args, nullptr);
    EXPECT_STREQ(c_->message, "read fault [man error::fault] at 0x10");
}

TEST_F(Memory, TheNthReadFails) {
    static const char data[200] = {};
    tapir_fmt f = fmt(TAPIR_CONV_MEMORY, 0, -1, 200);
    tapir_val args[] = {val(static_cast<s64>(reinterpret_cast<uintptr_t>(data)))};
    for (u64 n = 1; n <= 5; n++) {
        tapir_host.fail_read = n;
        tapir_printf(c_, &f, 1, args, nullptr);
        EXPECT_EQ(c_->failed, n <= 4 ? TAPIR_FAIL_ERROR : TAPIR_FAIL_NONE) << n;
        c_->failed = 0;
        c_->out_len = 0;
    }
}

class Output : public Runtime {};

TEST_F(Output, PrintsNumbersAndStrings) {
    tapir_print_long(c_, kMin);
    tapir_print_string(c_, " and ");
    tapir_print_long(c_, 42);
    EXPECT_EQ(finish(), "-9223372036854775808 and 42");
    EXPECT_EQ(finish(), "");
}

TEST_F(Output, LinesStayWholeInRecords) {
    std::string all;
    for (int i = 0; i < 3000; i++) {
        std::string line = "line number ";
        line.append(std::to_string(i)).append(i % 90, '.').append("\n");
        tapir_print_string(c_, line.c_str());
        all += line;
    }
    tapir_handler_finish(c_);
    ASSERT_GT(records_.size(), 10u);
    std::string joined;
    for (const Record &record : records_) {
        EXPECT_EQ(record.text.back(), '\n');
        EXPECT_LE(record.text.size(), TAPIR_OUTPUT_MAX);
        joined += record.text;
    }
    EXPECT_EQ(joined, all);
}

TEST_F(Output, ALineLongerThanTheBufferIsNotLost) {
    std::string all;
    for (int i = 0; i < 2000; i++) {
        std::string piece = std::to_string(i);
        piece += ' ';
        tapir_print_string(c_, piece.c_str());
        all += piece;
    }
    std::string big(20000, 'b');
    tapir_print_bytes(c_, big.data(), static_cast<u32>(big.size()));
    EXPECT_EQ(finish(), all + big);
}

TEST_F(Output, RandomPiecesArriveInOrder) {
    std::mt19937 random(6);
    for (int round = 0; round < 50; round++) {
        std::string all;
        while (all.size() < 40000) {
            std::string piece;
            for (size_t n = random() % (random() % 10 ? 60 : 9000); n > 0; n--)
                piece += random() % 50 ? 'a' + static_cast<char>(random() % 26) : '\n';
            tapir_print_bytes(c_, piece.data(), static_cast<u32>(piece.size()));
            all += piece;
        }
        ASSERT_EQ(finish(), all);
    }
}

TEST_F(Output, WarningsGoTheirOwnWay) {
    tapir_warn(c_, "watch out");
    tapir_warnf(c_, "%d of %s", 3, "them");
    ASSERT_EQ(records_.size(), 2u);
    EXPECT_EQ(records_[0].type, TAPIR_REC_WARNING);
    EXPECT_EQ(records_[0].text, "watch out");
    EXPECT_EQ(records_[1].text, "3 of them");
}

}  // namespace
}  // namespace tapir::test
