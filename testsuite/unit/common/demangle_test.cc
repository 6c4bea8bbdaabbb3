// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/demangle.h"

#include <gtest/gtest.h>

namespace tapir {
namespace {

TEST(Demangle, Cxx) {
    EXPECT_EQ(demangle("_ZNK6shapes6Circle4areaEiPKc"), "shapes::Circle::area(int, char const*) const");
    EXPECT_EQ(demangle("_Z7biggestIiET_S0_S0_"), "int biggest<int>(int, int)");
    EXPECT_EQ(demangle("_ZN3FooC4Ei"), "Foo::Foo(int)");
    EXPECT_EQ(demangle("_Zli3_kmy"), "operator\"\"_km(unsigned long long)");
    EXPECT_EQ(demangle("main"), "");
    EXPECT_EQ(demangle("_Zzz"), "");
    EXPECT_EQ(demangle(""), "");
}

// pair<T, T> of what came before, again and again: neither time nor text may follow.
TEST(Demangle, DoubledCxx) {
    std::string inner = "_Z1fSt4pairI", outer = "iiE";
    for (const char digit : std::string("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
        inner += "S_I";
        outer += std::string("S") + digit + "_E";
    }
    EXPECT_EQ(demangle(inner + outer), "");
    EXPECT_EQ(demangle("_Z1fSt4pairIS_IiiES0_E"), "f(std::pair<std::pair<int, int>, std::pair<int, int> >)");
}

// Suffixes that compilers add to copies and parts of functions.
TEST(Demangle, Clones) {
    EXPECT_EQ(demangle("_ZN2ns1fEi.cold"), "ns::f(int) [clone .cold]");
    EXPECT_EQ(demangle("_ZN2ns1fEi.part.0"), "ns::f(int) [clone .part.0]");
}

TEST(Demangle, RustsOlderScheme) {
    EXPECT_EQ(demangle("_ZN2sh3geo6Circle4grow17hda57e57010cba563E"), "sh::geo::Circle::grow");
    EXPECT_EQ(demangle("_ZN50_$LT$sh..geo..Circle$u20$as$u20$sh..geo..Shape$GT$4area17hd0e600e57e4e3657E"),
              "<sh::geo::Circle as sh::geo::Shape>::area");
    EXPECT_EQ(
        demangle("_ZN2sh64_$LT$impl$u20$core..fmt..Display$u20$for$u20$sh..geo..Circle$GT$3fmt17h1fbc995df400d564E"),
        "sh::<impl core::fmt::Display for sh::geo::Circle>::fmt");
    EXPECT_EQ(demangle("_ZN1a1b17h1fbc995df400d5zzE"), "a::b::h1fbc995df400d5zz");  // no hash: C++
}

TEST(Demangle, RustsScheme0) {
    EXPECT_EQ(demangle("_RNvNtCsgEmfK2I1SDS_4core3fmt5write"), "core::fmt::write");
    EXPECT_EQ(demangle("_RNvXs_NtCslNYArtu3iFV_5alloc5allocNtB4_6GlobalNtNtCsgEmfK2I1SDS_4core5alloc9Allocator4grow"),
              "<alloc::alloc::Global as core::alloc::Allocator>::grow");
    EXPECT_EQ(demangle("_RINvNtC3std3mem8align_ofNtNtC3std3mem12DiscriminantE"),
              "std::mem::align_of<std::mem::Discriminant>");
    EXPECT_EQ(demangle("_RNCNvC2sh4main0B3_"), "sh::main::{closure#0}");
    EXPECT_EQ(demangle("_RNCNvC2sh4mains_0"), "sh::main::{closure#1}");
    EXPECT_EQ(demangle("_RINvC1a1fTlRShQbEKj7b_E"), "a::f<(i32, &[u8], &mut bool), 123>");
    EXPECT_EQ(demangle("_RINvC1a1fFUKCmEyE"), "a::f<unsafe extern \"C\" fn(u32) -> u64>");
    EXPECT_EQ(demangle("_RINvC1a1fDNtC1a5TraitEL_E"), "a::f<dyn a::Trait>");
    EXPECT_EQ(demangle("_RNvC1a1f.llvm.123"), "a::f");
}

// References back double the name each time; neither time nor text may follow.
TEST(Demangle, DamagedRust) {
    for (const char *symbol :
         {"_R", "_RNvC1a", "_RNvC9a1f", "_RB_", "_RNvB0_1f", "_RINvC1a1f", "_RNvC99999999999999999999a1f", "_RMs"})
        EXPECT_EQ(demangle(symbol), "") << symbol;
    std::string nested = "_RINvC1a1f";
    for (int i = 0; i < 5000; ++i)
        nested += "R";
    EXPECT_EQ(demangle(nested + "lE"), "");
    // f<(T, T)> of what came before, again and again.
    std::string doubled = "_RINvC1a1fT";
    size_t before = doubled.size() - 2;
    const char *const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    doubled += "llE";
    before -= 1;
    for (int i = 0; i < 40 && before + 1 < 62; ++i) {
        const size_t at = doubled.size() - 2;
        doubled += std::string("TB") + digits[before] + "_B" + digits[before] + "_E";
        before = at - 1;
    }
    EXPECT_LE(demangle(doubled + "E").size(), size_t{64} << 10);
}

}  // namespace
}  // namespace tapir
