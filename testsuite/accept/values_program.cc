// SPDX-License-Identifier: GPL-2.0-or-later
// What values.py stops in: optimized code with all kinds of variables. It runs on a stack of its own, takes memory from
// an array, and has its own memcpy() and the like, so that addresses and registers are the same on each processor.
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <numeric>
#include <string>
#include <vector>

extern "C" {
#include <tapir/fp.h>

void tapir_str_copy(char *dst, const char *src, u32 cap) {
    u32 length = 0;
    for (; length + 1 < cap && src[length]; length++)
        dst[length] = src[length];
    dst[length] = 0;
}
}

namespace {

alignas(64) char stack[1 << 18];
alignas(64) char arena[1 << 20];
size_t taken;
ucontext_t outside, inside;

}  // namespace

void *operator new(size_t size) {
    void *block = arena + taken;
    taken += (size + 15) & ~size_t{15};
    return block;
}
void operator delete(void *) noexcept {}
void operator delete(void *, size_t) noexcept {}

enum class Shade : uint8_t { Dark = 3, Bright = 250 };

struct Extent {
    int16_t low;
    uint8_t high;
    bool closed;
    int32_t weight;
};

struct Base {
    virtual ~Base() = default;
    virtual long area(int scale) const = 0;
    unsigned tag : 5, rest : 27;
    Extent extent;
};

struct Square : Base {
    long side = 4;
    long area(int scale) const override;
};

struct Tree {
    Tree *left, *right;
    int key;
    signed char depth;
    Shade shade;
};

volatile long sink;

__attribute__((noinline)) long Square::area(int scale) const {
    long sum = 0;
    for (int i = 0; i < scale; i++) {
        const long step = side * i + extent.low;
        sum += step % 7 == 3 ? step : -step;
    }
    return sum + tag;
}

// A structure in registers.
__attribute__((noinline)) Extent widen(Extent extent, int by) {
    const int low = extent.low - by, high = extent.high + by;
    extent.low = static_cast<int16_t>(low);
    extent.high = static_cast<uint8_t>(high > 255 ? 255 : high);
    extent.closed = !extent.closed;
    extent.weight += by * 3;
    sink = extent.weight;
    return extent;
}

__attribute__((noinline)) Tree *insert(Tree *tree, int key, int depth) {
    if (!tree) {
        const Shade shade = key % 2 ? Shade::Dark : Shade::Bright;
        return new Tree{nullptr, nullptr, key, static_cast<signed char>(-depth), shade};
    }
    Tree *&child = key < tree->key ? tree->left : tree->right;
    child = insert(child, key, depth + 1);
    return tree;
}

__attribute__((noinline)) int height(const Tree *tree) {
    if (!tree) return 0;
    const int left = height(tree->left), right = height(tree->right);
    return 1 + (left > right ? left : right);
}

static uint32_t mix(uint32_t seed, unsigned char byte) {
    seed ^= byte;
    seed *= 16777619u;
    return seed ^ seed >> 13;
}

__attribute__((noinline)) uint64_t hash(const char *text, size_t length, uint64_t seed) {
    uint32_t low = static_cast<uint32_t>(seed), high = static_cast<uint32_t>(seed >> 32);
    for (size_t i = 0; i < length; i++) {
        low = mix(low, static_cast<unsigned char>(text[i]));
        if (i % 3 == 1) high = mix(high, static_cast<unsigned char>(text[length - 1 - i]));
    }
    return static_cast<uint64_t>(high) << 32 | low;
}

template <typename Number, size_t Count>
__attribute__((noinline)) Number spread(const std::array<Number, Count> &values, Number unit) {
    Number lowest = values[0], highest = values[0];
    for (const Number &value : values) {
        lowest = std::min(lowest, value);
        highest = std::max(highest, value);
    }
    const Number width = highest - lowest;
    return static_cast<Number>(width / unit);
}

__attribute__((noinline)) long sort_some(std::vector<int> values, bool descending) {
    std::sort(values.begin(), values.end(), [&](int a, int b) { return descending ? a > b : a < b; });
    long weighted = 0;
    for (size_t i = 0; i < values.size(); i++)
        weighted += static_cast<long>(i) * values[i];
    return weighted;
}

__attribute__((noinline)) int count_words(const std::string &text) {
    std::map<std::string, int> words;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find(' ', at), text.size());
        words[text.substr(at, end - at)]++;
        at = end + 1;
    }
    int most = 0;
    for (const auto &[word, count] : words)
        most = std::max(most, count * static_cast<int>(word.size()));
    return most;
}

__attribute__((noinline)) long long divide(__int128 whole, long by, int *rest) {
    const __int128 quotient = whole / by;
    *rest = static_cast<int>(whole - quotient * by);
    return static_cast<long long>(quotient);
}

static void work() {
    static const int kKeys[] = {50, 20, 70, 10, 30, 60, 80, 25, 35, 65};
    Square square;
    square.tag = 9;
    square.rest = 1000;
    square.extent = {-5, 200, true, 77};
    const Base &base = square;
    sink = base.area(6);
    square.extent = widen(square.extent, 12);
    square.extent = widen(widen(square.extent, -3), 100);
    Tree *tree = nullptr;
    for (int key : kKeys)
        tree = insert(tree, key, 0);
    sink = height(tree);
    static const char kText[] = "one two three two one two four";
    sink = static_cast<long>(hash(kText, sizeof kText - 1, 0x123456789abcdefull));
    sink = spread<short, 4>({4, -300, 17, 900}, 7);
    sink = static_cast<long>(spread<uint64_t, 3>({1ull << 40, 5, 1ull << 50}, 1000));
    std::vector<int> values(40);
    std::iota(values.begin(), values.end(), -13);
    for (int &value : values)
        value = value * 7919 % 101;
    sink = sort_some(values, false) + sort_some(values, true);
    sink = count_words(kText);
    int rest = 0;
    sink = divide(static_cast<__int128>(1) << 80, 1000007, &rest) + rest;
    char text[64];
    s64 number = tapir_fp_from_long(355);
    number = tapir_fp_div(number, tapir_fp_from_long(113));
    number = tapir_fp_sqrt(tapir_fp_mul(number, tapir_fp_add(number, tapir_fp_sub(number, tapir_fp_from_long(1)))));
    tapir_fp_to_string(text, number, 9, sizeof text);
    sink = tapir_fp_from_string("-2718.281828e-3", sizeof text);
    sink = tapir_fp_rem(tapir_fp_from_long(1000), number) + tapir_fp_to_long(number, 0) + text[3];
}

int main() {
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof stack;
    inside.uc_link = &outside;
    makecontext(&inside, work, 0);
    return swapcontext(&outside, &inside);
}
