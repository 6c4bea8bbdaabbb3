// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstring>
#include <memory>
#include <random>

#include "fixture.h"
#include "map_internal.h"

namespace tapir::test {
namespace {

// A text at every alignment, at the end of an allocation, so that AddressSanitizer sees writes past it.
class Placed {
  public:
    Placed(const std::string &text, size_t shift)
        : size_(shift + text.size() + 1), memory_(new char[size_]), text_(memory_.get() + shift) {
        memcpy(text_, text.c_str(), text.size() + 1);
    }
    operator char *() { return text_; }

  private:
    size_t size_;
    std::unique_ptr<char[]> memory_;
    char *text_;
};

std::string random_text(std::mt19937 &random, size_t length) {
    std::string s;
    for (size_t i = 0; i < length; i++)
        s += static_cast<char>(random() % 255 + 1);
    return s;
}

TEST(String, LengthAtEveryAlignment) {
    std::mt19937 random(1);
    for (size_t shift = 0; shift < 9; shift++) {
        for (size_t length = 0; length < 40; length++) {
            Placed s(random_text(random, length), shift);
            EXPECT_EQ(tapir_strlen(s, 128), length);
            EXPECT_EQ(tapir_strlen(s, 16), std::min<size_t>(length, 15));
            EXPECT_EQ(tapir_strlen(s, 1), 0u);
        }
    }
}

TEST(String, LengthTakesBytes0x80And0x01ForWhatTheyAre) {
    for (const char *s : {"\x80\x80\x80\x80\x80\x80\x80\x80", "\x01\x01\x01\x01\x01\x01\x01\x01",
                          "\x01\x80\xff\x7f\x01\x80\xff\x7f\x01"})
        EXPECT_EQ(tapir_strlen(s, 128), strlen(s));
}

TEST(String, CopyCutsAtCapacity) {
    std::mt19937 random(2);
    for (size_t shift = 0; shift < 8; shift++) {
        for (size_t length = 0; length < 150; length++) {
            std::string text = random_text(random, length);
            Placed source(text, shift);
            Buffer to;
            memset(to.text, 'x', Buffer::cap);
            tapir_str_copy(to.text, source, Buffer::cap);
            EXPECT_EQ(std::string(to.text), text.substr(0, Buffer::cap - 1));
        }
    }
}

TEST(String, CopyStaysInsideAnyCapacity) {
    for (u32 cap = 1; cap < 40; cap++) {
        std::unique_ptr<char[]> to(new char[cap]);
        tapir_str_copy(to.get(), "0123456789012345678901234567890123456789", cap);
        EXPECT_EQ(strlen(to.get()), cap - 1);
    }
}

TEST(String, CopyOntoItself) {
    Buffer b;
    strcpy(b.text, "same");
    tapir_str_copy(b.text, b.text, Buffer::cap);
    EXPECT_STREQ(b.text, "same");
}

TEST(String, ConcatAndAppendAgainstTheObvious) {
    std::mt19937 random(3);
    for (int round = 0; round < 3000; round++) {
        std::string a = random_text(random, random() % 100), b = random_text(random, random() % 100);
        std::string both = (a + b).substr(0, Buffer::cap - 1);
        Buffer x, y, to;
        strcpy(x.text, a.c_str());
        strcpy(y.text, b.c_str());
        tapir_str_concat(to.text, x.text, y.text, Buffer::cap);
        EXPECT_EQ(std::string(to.text), both);
        Buffer same = x;
        tapir_str_concat(same.text, same.text, y.text, Buffer::cap);  // dst is a
        EXPECT_EQ(std::string(same.text), both);
        same = y;
        tapir_str_concat(same.text, x.text, same.text, Buffer::cap);  // dst is b
        EXPECT_EQ(std::string(same.text), both);
        same = x;
        tapir_str_append(same.text, y.text, Buffer::cap);
        EXPECT_EQ(std::string(same.text), both);
        same = x;
        tapir_str_concat(same.text, same.text, same.text, Buffer::cap);  // dst is both
        EXPECT_EQ(std::string(same.text), (a + a).substr(0, Buffer::cap - 1));
        same = x;
        tapir_str_append(same.text, same.text, Buffer::cap);
        EXPECT_EQ(std::string(same.text), (a + a).substr(0, Buffer::cap - 1));
    }
}

TEST(String, CompareIsByUnsignedBytes) {
    EXPECT_LT(tapir_str_compare("abc", "abd", 128), 0);
    EXPECT_GT(tapir_str_compare("b", "abc", 128), 0);
    EXPECT_LT(tapir_str_compare("ab", "abc", 128), 0);
    EXPECT_GT(tapir_str_compare("\xff", "a", 128), 0);
    EXPECT_EQ(tapir_str_compare("", "", 128), 0);
    EXPECT_LT(tapir_str_compare("", "a", 128), 0);
    EXPECT_EQ(tapir_str_compare("0123456789abcdefX", "0123456789abcdefY", 16), 0);  // only cap - 1 bytes count
    EXPECT_EQ(tapir_str_compare("0123456789abcdX", "0123456789abcdY", 16), -1);
}

TEST(String, CompareAgainstTheObvious) {
    std::mt19937 random(4);
    for (int round = 0; round < 20000; round++) {
        std::string a = random_text(random, random() % 20);
        std::string b = random() % 2 ? a : a.substr(0, random() % (a.size() + 1)) + random_text(random, random() % 3);
        Placed x(a, random() % 8), y(b, random() % 8);
        s64 got = tapir_str_compare(x, y, 128);
        int want = strcmp(a.c_str(), b.c_str());
        EXPECT_EQ(got < 0, want < 0);
        EXPECT_EQ(got > 0, want > 0);
    }
}

TEST(String, HashDependsOnTheTextOnly) {
    std::mt19937 random(5);
    for (int round = 0; round < 1000; round++) {
        std::string text = random_text(random, random() % 60);
        Placed first(text, 0);
        u64 hash = tapir_hash_string(0, first, 128);
        for (size_t shift = 1; shift < 8; shift++) {
            Placed other(text, shift);
            EXPECT_EQ(tapir_hash_string(0, other, 128), hash);
        }
        Placed longer(text + "!", 0);
        EXPECT_NE(tapir_hash_string(0, longer, 128), hash);
    }
}

}  // namespace
}  // namespace tapir::test
