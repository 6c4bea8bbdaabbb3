// SPDX-License-Identifier: GPL-2.0-or-later
#include "names/type_spelling.h"

#include <gtest/gtest.h>

namespace tapir {
namespace {

// Spellings of one type by different writers: a person, GCC's debug information, Clang's, and the demangler.
struct Spelling {
    const char *one, *other;
};

TEST(TypeSpelling, OfOneThingIsOne) {
    const Spelling cases[] = {
        {"<unsigned>", "<unsigned int>"},
        {"<unsigned long>", "<long unsigned int>"},
        {"<unsigned long int>", "<long unsigned int>"},
        {"<long long>", "<long long int>"},
        {"<short unsigned int>", "<unsigned short>"},
        {"<unsigned char>", "<uint8_t>"},
        {"<std::size_t, int64_t>", "<unsigned long, long>"},
        {"<__int128 unsigned>", "<unsigned __int128>"},
        {"<signed>", "<int>"},
        {"<long double>", "<double long>"},
        {"<const char *>", "<char const*>"},
        {"<const volatile int>", "<volatile const int>"},
        {"<const std::vector<const int*>&>", "<std::vector<int const*> const&>"},
        {"<char const* const>", "<const char* const>"},
        {"<3ul>", "<3>"},
        {"<0x10>", "<16U>"},
        {"<'a'>", "<(char)97>"},
        {"<'\\n'>", "<(char)10>"},
        {"<'\\x41'>", "<65>"},
        {"<true>", "<(bool)1>"},
        {"<-1>", "<(signed char)-1>"},
        {"<(Color)1>", "<1>"},
        {"<(& ns::f)>", "<&(ns::f(int))>"},
        {"<&ns::f>", "<(&ns::f)>"},
        {"<struct Item>", "<Item>"},
        {"<(anonymous namespace)::Item>", "<{anonymous}::Item>"},
        {"<std::list<int> >", "<std::__cxx11::list<int>>"},
        {"<std::string>", "<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > >"},
        {"<std::ostream &>", "<std::basic_ostream<char, std::char_traits<char> >&>"},
        {"<void (*)(int)>", "<void(*)(int)>"},
        {"<void (void)>", "<void ()>"},
        {"(void)", "()"},
        {"(const int, char *const)", "(int, char*)"},
        {"(int) const", "(int)const"},
        {"<std::nullptr_t>", "<decltype(nullptr)>"},
    };
    for (const Spelling &c : cases)
        EXPECT_EQ(type_spelling(c.one), type_spelling(c.other)) << c.one << "\n" << c.other;
}

TEST(TypeSpelling, OfDifferentThingsIsDifferent) {
    const Spelling cases[] = {
        {"<int>", "<unsigned>"},
        {"<long>", "<long long>"},
        {"<char>", "<signed char>"},
        {"<&str>", "<str>"},
        {"<const char*>", "<char*>"},
        {"<int, int>", "<int>"},
        {"<*const u8>", "<*mut u8>"},
        {"<u8>", "<u16>"},
        {"<&'a str>", "<&'static str>"},
        {"<a::Item>", "<b::Item>"},
        {"(int*)", "(int)"},
        {"<&(A, B)>", "<&(A, C)>"},
    };
    for (const Spelling &c : cases)
        EXPECT_NE(type_spelling(c.one), type_spelling(c.other)) << c.one;
}

bool stands(const char *wanted, const char *name) {
    return stands_for(type_spelling(wanted), type_spelling(name));
}

TEST(TypeSpelling, WhatMayBeLeftOut) {
    EXPECT_TRUE(stands("<int>", "<int, std::allocator<int> >"));
    EXPECT_TRUE(stands("<int, std::vector<int>>",
                       "<int, std::vector<int, std::allocator<int>>, std::less<int>, std::allocator<char>>"));
    EXPECT_TRUE(stands("<geo::Item>", "<geo::v2::Item>"));
    EXPECT_TRUE(stands("<Item>", "<geo::v2::Item>"));
    EXPECT_TRUE(stands("<Item*>", "<geo::v2::Item*>"));
    EXPECT_FALSE(stands("<v2::geo::Item>", "<geo::v2::Item>"));
    EXPECT_FALSE(stands("<geo::Item>", "<geo::v2::Items>"));
    EXPECT_FALSE(stands("<geo::Item>", "<geo::v2::Item*>"));
    EXPECT_FALSE(stands("<int, long>", "<int>"));
    EXPECT_FALSE(stands("<int>", "<long, int>"));
    EXPECT_FALSE(stands("<int", "<int>"));
}

// Texts with any damage.
TEST(TypeSpelling, DamagedTexts) {
    for (const char *text : {"<", ">", "((((", "<'", "<'\\", "<a::", "<::>", "<,>", "<const", "<const>", "<&(", "<(&",
                             "->", "<\"x\">", "<(char)", "<0x>", "<9999999999999999999999>"})
        EXPECT_EQ(type_spelling(type_spelling(text)), type_spelling(text)) << text;
    const std::string deep(10'000, '<');
    EXPECT_EQ(type_spelling(deep).size(), deep.size());
}

}  // namespace
}  // namespace tapir
