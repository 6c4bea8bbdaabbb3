// SPDX-License-Identifier: GPL-2.0-or-later
// Software floating point against the machine's.
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "fixture.h"

extern "C" {
#include <tapir/fp.h>
}

namespace tapir::test {
namespace {

constexpr int kRandomValues = 200000;

s64 bits(double d) {
    return std::bit_cast<s64>(d);
}
double number(s64 b) {
    return std::bit_cast<double>(b);
}

bool same(double got, double want) {
    return std::isnan(want) ? std::isnan(got) : bits(got) == bits(want);
}

// Patterns of all kinds: limits, small numbers, near neighbours of powers of two, and noise.
class Numbers {
  public:
    double operator()() {
        static const double special[] = {0.0,
                                         1.0,
                                         2.0,
                                         0.5,
                                         1.5,
                                         3.0,
                                         1e300,
                                         1e-300,
                                         4.9406564584124654e-324,
                                         2.2250738585072014e-308,
                                         2.2250738585072009e-308,
                                         1.7976931348623157e308,
                                         9007199254740993.0,
                                         HUGE_VAL};
        double d;
        switch (random_() % 6) {
            case 0:
                d = special[random_() % std::size(special)];
                break;
            case 1:
                d = static_cast<double>(static_cast<s64>(random_()) >> random_() % 64);
                break;
            case 2:
                d = std::ldexp(1.0, static_cast<int>(random_() % 2200) - 1100);
                for (u64 n = random_() % 3; n > 0; n--)
                    d = std::nextafter(d, random_() % 2 ? 0.0 : HUGE_VAL);
                break;
            case 3:
                d = std::ldexp(static_cast<double>(random_() % 1024), static_cast<int>(random_() % 20) - 10);
                break;
            case 4:
                d = number(static_cast<s64>(random_() & ((1ull << 52) - 1)));  // subnormal
                break;
            default:
                d = number(static_cast<s64>(random_()));
        }
        return random_() % 2 ? -d : d;
    }
    double near(double d) { return random_() % 2 ? (*this)() : std::nextafter(d * 2, (*this)()); }

  private:
    std::mt19937_64 random_{42};
};

TEST(Fp, ArithmeticAgainstTheMachine) {
    Numbers next;
    for (int i = 0; i < kRandomValues; i++) {
        double a = next(), b = next.near(a);
        ASSERT_TRUE(same(number(tapir_fp_add(bits(a), bits(b))), a + b)) << a << " + " << b;
        ASSERT_TRUE(same(number(tapir_fp_sub(bits(a), bits(b))), a - b)) << a << " - " << b;
        ASSERT_TRUE(same(number(tapir_fp_mul(bits(a), bits(b))), a * b)) << a << " * " << b;
        ASSERT_TRUE(same(number(tapir_fp_div(bits(a), bits(b))), a / b)) << a << " / " << b;
        ASSERT_TRUE(same(number(tapir_fp_sqrt(bits(a))), std::sqrt(a))) << "sqrt " << a;
        ASSERT_EQ(tapir_fp_eq(bits(a), bits(b)), a == b);
        ASSERT_EQ(tapir_fp_lt(bits(a), bits(b)), a < b) << a << " < " << b;
        ASSERT_EQ(tapir_fp_le(bits(a), bits(b)), a <= b);
    }
}

TEST(Fp, RemainderAgainstTheMachine) {
    Numbers next;
    for (int i = 0; i < kRandomValues / 10; i++) {
        double a = next(), b = next.near(a);
        double want = std::remainder(a, b);
        if (want == 0) want = std::copysign(want, a);  // as the standard says; a C library may forget it
        ASSERT_TRUE(same(number(tapir_fp_rem(bits(a), bits(b))), want)) << a << " rem " << b;
    }
}

TEST(Fp, NansAreQuiet) {
    s64 signalling = 0x7ff0000000000001;
    for (s64 n : {tapir_fp_add(signalling, 0), tapir_fp_sub(0, signalling), tapir_fp_mul(signalling, 0),
                  tapir_fp_div(0, signalling), tapir_fp_sqrt(signalling), tapir_fp_rem(signalling, bits(1)),
                  tapir_fp_from_single(0x7f800001)})
        EXPECT_EQ(n & 0x7ff8000000000000, 0x7ff8000000000000);
    EXPECT_EQ(tapir_fp_eq(signalling, signalling), 0);
}

TEST(Fp, FromIntegersAndSingles) {
    std::mt19937_64 random(3);
    for (int i = 0; i < kRandomValues; i++) {
        s64 n = static_cast<s64>(random()) >> random() % 64;
        ASSERT_EQ(tapir_fp_from_long(n), bits(static_cast<double>(n))) << n;
        u32 pattern = static_cast<u32>(random() >> random() % 33);
        if (i % 2) pattern |= 1u << 31;
        ASSERT_TRUE(same(number(tapir_fp_from_single(pattern)), static_cast<double>(std::bit_cast<float>(pattern))))
            << pattern;
    }
    for (s64 n : {s64{0}, s64{INT64_MIN}, s64{INT64_MAX}, s64{-1}})
        EXPECT_EQ(tapir_fp_from_long(n), bits(static_cast<double>(n)));
}

TEST(Fp, ToIntegersInEveryRounding) {
    Numbers next;
    for (int i = 0; i < kRandomValues; i++) {
        double a = next();
        double odd = std::fmod(std::floor(a), 2) ? std::floor(a) : std::ceil(a);
        double rounded[] = {
            std::nearbyint(a), std::trunc(a), std::floor(a), std::ceil(a), std::round(a), std::nearbyint(a), odd};
        for (s64 mode = 0; mode < 7; mode++) {
            double d = rounded[mode];
            s64 want = std::isnan(d) ? INT64_MIN
                       : d >= 0x1p63 ? INT64_MAX
                       : d < -0x1p63 ? INT64_MIN
                                     : static_cast<s64>(d);
            ASSERT_EQ(tapir_fp_to_long(bits(a), mode), want) << a << " rounding " << mode;
        }
    }
}

TEST(Fp, ToTextAgainstTheCLibrary) {
    Numbers next;
    char want[512];
    alignas(8) char got[512];
    for (int i = 0; i < 20000; i++) {
        double a = next();
        int precision = i % 25;
        snprintf(want, sizeof(want), "%.*f", precision, a);
        if (std::isnan(a)) strcpy(want, "nan");
        tapir_fp_to_string(got, bits(a), precision, sizeof(got));
        ASSERT_STREQ(got, want) << a << " to " << precision;
    }
    for (double a : {0.5, 1.5, 2.5, 9.5, 99.5, 0.125, 0.375, 999.9995, 0.05, 1e22}) {
        for (int precision : {0, 1, 2, 3}) {
            snprintf(want, sizeof(want), "%.*f", precision, a);
            tapir_fp_to_string(got, bits(a), precision, sizeof(got));
            EXPECT_STREQ(got, want);
        }
    }
}

TEST(Fp, ToTextStaysInsideItsBuffer) {
    for (u32 cap = 1; cap < 40; cap++) {
        for (double a : {1.7976931348623157e308, -99.999999, 0.0, -HUGE_VAL, 999999.9999}) {
            std::vector<char> got(cap);
            tapir_fp_to_string(got.data(), bits(a), 500, cap);
            EXPECT_LT(strlen(got.data()), cap);
        }
    }
}

TEST(Fp, FromTextAgainstTheCLibrary) {
    Numbers next;
    std::mt19937_64 random(4);
    char text[64];
    for (int i = 0; i < kRandomValues / 4; i++) {
        double a = next();
        if (!std::isfinite(a)) continue;
        snprintf(text, sizeof(text), i % 2 ? "%.17g" : "%.25e", a);
        ASSERT_EQ(tapir_fp_from_string(text, 64), bits(strtod(text, nullptr))) << text;
        snprintf(text, sizeof(text), "%llu.%llue%d", static_cast<unsigned long long>(random() >> random() % 64),
                 static_cast<unsigned long long>(random() >> random() % 64), static_cast<int>(random() % 700) - 350);
        ASSERT_EQ(tapir_fp_from_string(text, 64), bits(strtod(text, nullptr))) << text;
    }
}

TEST(Fp, FromTextForms) {
    struct {
        const char *text;
        double want;
    } cases[] = {{"", 0.0},
                 {"abc", 0.0},
                 {"-", 0.0},
                 {".", 0.0},
                 {"-0", -0.0},
                 {"0.0", 0.0},
                 {" \t42x", 42.0},
                 {"+.5", 0.5},
                 {"5.", 5.0},
                 {"1e", 1.0},
                 {"1e+", 1.0},
                 {"1.5E3", 1500.0},
                 {"1e-2z", 0.01},
                 {"inf", HUGE_VAL},
                 {"-Infinity", -HUGE_VAL},
                 {"1e999999999999", HUGE_VAL},
                 {"-1e-999999999999", -0.0},
                 {"0e99999", 0.0},
                 {"1.2.3", 1.2},
                 {"123456789012345678901234567890123456789012345678901234567890",
                  123456789012345678901234567890123456789012345678901234567890.0},
                 {"0.000000000000000000000000000000000000000000000000001", 1e-51}};
    for (const auto &test : cases)
        EXPECT_EQ(tapir_fp_from_string(test.text, 128), bits(test.want)) << test.text;
    EXPECT_TRUE(std::isnan(number(tapir_fp_from_string("NaN", 128))));
}

}  // namespace
}  // namespace tapir::test
