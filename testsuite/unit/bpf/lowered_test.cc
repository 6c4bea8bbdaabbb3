// SPDX-License-Identifier: GPL-2.0-or-later
// The runtime as BPF computes what the same C computes as native code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>

#include "bpf/link/bpf_interpreter.h"
#include "bpf/link/image.h"
#include "testsuite/trees.h"

extern "C" {
#include <tapir/fp.h>
#include <tapir/stat.h>
#include <tapir/string.h>
#include <tapir/text.h>
void tapir_slot_variance_add(u64 *state, s64 value);
}

namespace tapir::bpf {
namespace {

constexpr uint64_t kArenaBytes = uint64_t{1} << 20, kRoom = 512, kMost = 10'000'000;

// The object's data at its addresses, and functions that are called there. Behind the data are a frame and memory for
// tests.
class Lowered : public testing::Test {
  protected:
    void SetUp() override {
#ifdef TAPIR_TESTS_SANITIZED
        GTEST_SKIP() << "AddressSanitizer keeps its own data where arenas lie";
#endif
        std::string path = build_dir() + "/lib/tapir_bpf.o";
        if (!std::filesystem::exists(path))
            GTEST_SKIP() << "the runtime for BPF was not built: no clang and LLVM of the version it needs";
        std::vector<Object> objects(2);
        std::string error;
        ASSERT_TRUE(read_object(path, objects[0], error)) << error;
        ASSERT_TRUE(read_object(build_dir() + "/lib/tapir_bpf_module.o", objects[1], error)) << error;
        ASSERT_TRUE(image_.link(std::move(objects), error)) << error;
        auto *want = reinterpret_cast<void *>(kArenaBase);
        ASSERT_EQ(
            mmap(want, kArenaBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
            want);
        mapped_ = true;
        std::memcpy(reinterpret_cast<void *>(kArenaFirst), image_.bytes().data(), image_.bytes().size());
        top_ = kArenaFirst + (image_.bytes().size() + 63) / 64 * 64;
        frame_ = room(16384);
    }

    void TearDown() override {
        if (mapped_) munmap(reinterpret_cast<void *>(kArenaBase), kArenaBytes);
    }

    char *room(uint64_t bytes) {
        uint64_t at = top_;
        top_ += (bytes + 63) / 64 * 64;
        return reinterpret_cast<char *>(at);
    }

    char *text(const std::string &s) {
        char *at = room(kRoom);
        std::memset(at, 0, kRoom);
        std::memcpy(at, s.data(), s.size());
        return at;
    }

    template <typename... T>
    uint64_t call(const std::string &name, T... values) {
        return call_with(name, {word(values)...});
    }

    uint64_t call_with(const std::string &name, std::vector<uint64_t> values) {
        const Function *function = image_.function(name);
        if (!function) {
            ADD_FAILURE() << "there is no " << name << "()";
            return 0;
        }
        // Arguments beyond the registers lie at the start of the frame.
        Interpreter::Arguments registers = {};
        unsigned direct = function->registers - (function->framed ? 1 : 0);
        for (size_t i = 0; i < values.size(); i++) {
            if (i < direct) {
                registers[i] = values[i];
            } else {
                std::memcpy(frame_ + (i - direct) * 8, &values[i], 8);
            }
        }
        if (function->framed) registers[direct] = word(frame_);
        Function entry;
        entry.name = "entry";
        entry.returns = true;
        entry.code = {make(kCall, 0, kCallsFunction), make(kExit, 0)};
        entry.references = {{0, name, -1, 0}};
        Program program;
        std::string error;
        if (!image_.make_program(entry, program, error)) ADD_FAILURE() << error;
        Interpreter interpreter(program, kArenaFirst, kArenaBase + kArenaBytes, nullptr);
        uint64_t result = 0;
        if (!interpreter.run(registers, kMost, result, error)) ADD_FAILURE() << error;
        return result;
    }

    template <typename T>
    static uint64_t word(T value) {
        if constexpr (std::is_pointer_v<T>)
            return reinterpret_cast<uint64_t>(value);
        else
            return static_cast<uint64_t>(value);
    }

    // Numbers of all magnitudes, and patterns of doubles among them.
    int64_t number() {
        uint64_t n = random_();
        return static_cast<int64_t>(random_() % 3 ? n >> random_() % 64 : n) * (random_() % 2 ? 1 : -1);
    }

    std::string letters() {
        std::string s;
        for (uint64_t i = random_() % 40; i > 0; i--)
            s += static_cast<char>('a' + random_() % 3);
        return s;
    }

    Image image_;
    std::mt19937_64 random_{20261201};

  private:
    bool mapped_ = false;
    uint64_t top_ = 0;
    char *frame_ = nullptr;
};

TEST_F(Lowered, NumbersWithFractions) {
    for (int i = 0; i < 2000; i++) {
        int64_t a = number(), b = number();
        SCOPED_TRACE(std::to_string(a) + " " + std::to_string(b));
        ASSERT_EQ(call("tapir_fp_add", a, b), word(tapir_fp_add(a, b)));
        ASSERT_EQ(call("tapir_fp_sub", a, b), word(tapir_fp_sub(a, b)));
        ASSERT_EQ(call("tapir_fp_mul", a, b), word(tapir_fp_mul(a, b)));
        ASSERT_EQ(call("tapir_fp_div", a, b), word(tapir_fp_div(a, b)));
        ASSERT_EQ(call("tapir_fp_sqrt", a), word(tapir_fp_sqrt(a)));
        ASSERT_EQ(call("tapir_fp_from_long", a), word(tapir_fp_from_long(a)));
        ASSERT_EQ(call("tapir_fp_lt", a, b) & 1, word(tapir_fp_lt(a, b)));
    }
}

TEST_F(Lowered, TextsOfNumbersWithFractions) {
    char *lowered = room(kRoom), native[kRoom];
    for (int i = 0; i < 300; i++) {
        int64_t a = number(), precision = static_cast<int64_t>(random_() % 20);
        call("tapir_fp_to_string", lowered, a, precision, unsigned{kRoom});
        tapir_fp_to_string(native, a, precision, kRoom);
        ASSERT_STREQ(lowered, native) << a;
        ASSERT_EQ(call("tapir_fp_from_string", lowered, unsigned{kRoom}), word(tapir_fp_from_string(native, kRoom)))
            << native;
    }
}

// Sums of squares have 192 bits, of products of 128.
TEST_F(Lowered, MomentsOfAVariance) {
    constexpr size_t kBytes = TAPIR_VARIANCE_WORDS * 8;
    char *lowered = room(kBytes);
    u64 native[TAPIR_VARIANCE_WORDS] = {};
    std::memset(lowered, 0, kBytes);
    for (int i = 0; i < 2000; i++) {
        int64_t value = number();
        call("tapir_slot_variance_add", lowered, value);
        tapir_slot_variance_add(native, value);
        ASSERT_EQ(std::memcmp(lowered, native, kBytes), 0) << "after " << i << ": " << value;
    }
}

TEST_F(Lowered, ComparedCopiedAndReplacedTexts) {
    char *a = room(kRoom), *b = room(kRoom), *to = room(kRoom), native[kRoom];
    for (int i = 0; i < 500; i++) {
        std::string first = letters(), second = random_() % 4 ? letters() : first;
        std::memset(a, 0, kRoom);
        std::memset(b, 0, kRoom);
        std::memcpy(a, first.data(), first.size());
        std::memcpy(b, second.data(), second.size());
        auto order = static_cast<int64_t>(call("tapir_str_compare", a, b, unsigned{kRoom}));
        ASSERT_EQ((order > 0) - (order < 0), (first > second) - (first < second)) << first << " " << second;
        call("tapir_str_copy", to, a, unsigned{kRoom});
        ASSERT_STREQ(to, first.c_str());
        call("tapir_str_concat", to, a, b, unsigned{24});
        tapir_str_concat(native, a, b, 24);
        ASSERT_STREQ(to, native);
    }
}

TEST_F(Lowered, NumbersOfTexts) {
    char *s = room(kRoom);
    for (int i = 0; i < 500; i++) {
        int64_t n = number();
        std::snprintf(s, kRoom, i % 2 ? "%lld" : "0x%llx", static_cast<long long>(n));
        ASSERT_EQ(call("tapir_str_to_long", s, i % 2 ? 10 : 16, unsigned{kRoom}),
                  word(int64_t{tapir_str_to_long(s, i % 2 ? 10 : 16, kRoom)}))
            << s;
    }
}

TEST_F(Lowered, BucketsOfHistograms) {
    auto *hist = reinterpret_cast<tapir_hist_desc *>(room(sizeof(tapir_hist_desc)));
    for (const tapir_hist_desc &desc :
         {tapir_hist_desc{TAPIR_HIST_LOG, 0, 0, 0, 128, 0}, tapir_hist_desc{TAPIR_HIST_LINEAR, -50, 450, 7, 74, 0}}) {
        std::memcpy(hist, &desc, sizeof(desc));
        for (int i = 0; i < 500; i++) {
            int64_t value = number() >> random_() % 60;
            u32 bucket = tapir_hist_index(&desc, value);
            ASSERT_EQ(static_cast<u32>(call("tapir_hist_index", hist, value)), bucket) << value;
            ASSERT_EQ(call("tapir_hist_low", hist, bucket), word(int64_t{tapir_hist_low(&desc, bucket)})) << bucket;
        }
    }
}

// Arguments of any number lie in the frame; the C library has the text.
TEST_F(Lowered, FormatsAsTheLibraryDoes) {
    char *to = room(kRoom), *name = text("reader"), expected[kRoom];
    for (int i = 0; i < 200; i++) {
        int64_t n = number();
        auto small = static_cast<int>(number());
        std::snprintf(expected, sizeof(expected), "%s: %lld, 0x%llx, %d, [%-8d] %05u %c%%", name,
                      static_cast<long long>(n), static_cast<unsigned long long>(n), small, small % 1000,
                      static_cast<unsigned>(i), 'x');
        call("tapir_format", to, unsigned{kRoom}, text("%s: %lld, 0x%llx, %d, [%-8d] %05u %c%%"), name, n, n, small,
             small % 1000, i, int{'x'});
        ASSERT_STREQ(to, expected);
    }
}

TEST_F(Lowered, MemoryOfOthersIsAnError) {
    std::string s = "outside";
    Function entry;
    entry.name = "entry";
    entry.code = {make(kCall, 0, kCallsFunction), make(kExit, 0)};
    entry.references = {{0, "tapir_strlen", -1, 0}};
    Program program;
    std::string error;
    ASSERT_TRUE(image_.make_program(entry, program, error)) << error;
    Interpreter interpreter(program, kArenaFirst, kArenaBase + kArenaBytes, nullptr);
    uint64_t result = 0;
    EXPECT_FALSE(interpreter.run({kArenaBase + 16, 100}, kMost, result, error));
    EXPECT_THAT(error, testing::StartsWith("reads what is not the program's (tapir_strlen() at instruction "));
    EXPECT_FALSE(interpreter.run({word(text(s)), 100}, 3, result, error));
    EXPECT_THAT(error, testing::HasSubstr("the program takes too long"));
}

}  // namespace
}  // namespace tapir::bpf
