// SPDX-License-Identifier: GPL-2.0-or-later
#include "names/qualified_name.h"

#include <gmock/gmock.h>

namespace tapir {
namespace {

using testing::ElementsAre;
using Mode = NamePattern::Mode;

TEST(QualifiedName, Split) {
    EXPECT_THAT(split_name("f").parts, ElementsAre("f"));
    EXPECT_THAT(split_name("ns::Class<a::b, c>::method").parts, ElementsAre("ns", "Class<a::b, c>", "method"));
    EXPECT_TRUE(split_name("::main").from_global);
    EXPECT_THAT(split_name("(anonymous namespace)::f(int, (x)y) const").parts,
                ElementsAre("(anonymous namespace)", "f"));
    EXPECT_EQ(split_name("(anonymous namespace)::f(int, (x)y) const").parameters, "(int, (x)y) const");
    EXPECT_THAT(split_name("A::operator()(int)").parts, ElementsAre("A", "operator()"));
    EXPECT_THAT(split_name("operator<< <std::x>(int)").parts, ElementsAre("operator<< <std::x>"));
    EXPECT_THAT(split_name("A::operator->").parts, ElementsAre("A", "operator->"));
    EXPECT_THAT(split_name("main(int, char**)::<lambda(int)>::operator()").parts,
                ElementsAre("main(int, char**)", "<lambda(int)>", "operator()"));
    EXPECT_THAT(split_name("<sh::Circle as sh::Shape>::area").parts, ElementsAre("<sh::Circle as sh::Shape>", "area"));
    EXPECT_THAT(split_name("apply<fn(i32) -> a::b>").parts, ElementsAre("apply<fn(i32) -> a::b>"));
    EXPECT_THAT(split_name("").parts, ElementsAre(""));
    EXPECT_THAT(split_name("a::").parts, ElementsAre("a", ""));
    EXPECT_THAT(split_name("a<((").parts, ElementsAre("a<(("));
    EXPECT_THAT(split_demangled("std::vector<int> ns::f<int>(int)").parts, ElementsAre("ns", "f<int>"));
    EXPECT_THAT(split_demangled("A::operator unsigned long()").parts, ElementsAre("A", "operator unsigned long"));
    EXPECT_THAT(split_demangled("void* operator new(unsigned long)").parts, ElementsAre("operator new"));
    EXPECT_THAT(split_demangled("int operators<int>(int)").parts, ElementsAre("operators<int>"));
    EXPECT_THAT(split_demangled("A::operator int() const").parts, ElementsAre("A", "operator int"));
}

TEST(QualifiedName, TemplateArguments) {
    EXPECT_EQ(without_template_arguments("max<int>"), "max");
    EXPECT_EQ(without_template_arguments("operator<"), "operator<");
    EXPECT_EQ(without_template_arguments("operator<=>"), "operator<=>");
    EXPECT_EQ(without_template_arguments("operator<< <int>"), "operator<<");
    EXPECT_EQ(without_template_arguments("operator()<int>"), "operator()");
    EXPECT_EQ(without_template_arguments("<lambda(int)>"), "<lambda(int)>");
    EXPECT_EQ(without_template_arguments(""), "");
}

bool matches(std::string_view pattern, std::string_view name, Mode mode = Mode::Literal, uint64_t inlined = 0) {
    const QualifiedName split = split_name(name);
    const NamePattern wanted(pattern);
    return wanted.matches(split.parts, mode, inlined) && wanted.matches_parameters(split.parameters, mode);
}

TEST(NamePattern, AnyTailOfAName) {
    EXPECT_TRUE(matches("method", "ns::Class::method"));
    EXPECT_TRUE(matches("Class::method", "ns::Class::method"));
    EXPECT_TRUE(matches("ns::Class::method", "ns::Class::method"));
    EXPECT_FALSE(matches("ns::method", "ns::Class::method"));
    EXPECT_FALSE(matches("ass::method", "ns::Class::method"));
    EXPECT_FALSE(matches("x::ns::Class::method", "ns::Class::method"));
    EXPECT_FALSE(matches("::method", "ns::Class::method"));
    EXPECT_TRUE(matches("::ns::Class::method", "ns::Class::method"));
    EXPECT_TRUE(matches("::main", "main"));
}

TEST(NamePattern, Wildcards) {
    EXPECT_TRUE(matches("*::method", "ns::Class::method"));
    EXPECT_TRUE(matches("*::method", "method"));
    EXPECT_TRUE(matches("ns::*", "ns::f"));
    EXPECT_TRUE(matches("ns::*", "ns::Class::method"));
    EXPECT_FALSE(matches("ns::*", "other::f"));
    EXPECT_TRUE(matches("ns::*::method", "ns::A::B::method"));
    EXPECT_TRUE(matches("ns::*::*::method", "ns::A::B::method"));
    EXPECT_TRUE(matches("ns::C*::m*", "ns::Class::method"));
    EXPECT_FALSE(matches("ns::C*::m*", "ns::Class::Inner::method"));
    EXPECT_TRUE(matches("*", "ns::Class::method"));
    EXPECT_TRUE(matches("max*", "max<int>"));
    EXPECT_TRUE(matches("*x", "max<int>"));
}

TEST(NamePattern, TemplatesAndSpaces) {
    EXPECT_TRUE(matches("max", "max<int>"));
    EXPECT_TRUE(matches("max<int>", "max<int>"));
    EXPECT_FALSE(matches("max<int>", "max<long>"));
    EXPECT_TRUE(matches("vector::push_back", "std::vector<int, std::allocator<int> >::push_back"));
    EXPECT_TRUE(matches("std::vector<int,std::allocator<int>>::push_back",
                        "std::vector<int, std::allocator<int> >::push_back"));
    EXPECT_TRUE(matches("max<unsigned int>", "max<unsigned  int>"));
    EXPECT_FALSE(matches("max<int*>", "max<int, int>"));
    EXPECT_TRUE(matches("max<int*>", "max<int, int>", Mode::Wild));
    EXPECT_TRUE(matches("operator<<", "ns::operator<<"));
    EXPECT_TRUE(matches("operator<<", "operator<< <int>"));
    EXPECT_FALSE(matches("operator<", "operator<<"));
    EXPECT_FALSE(matches("operator*", "operator*="));
    EXPECT_TRUE(matches("operator*", "operator*=", Mode::Wild));
    EXPECT_TRUE(matches("operator[]", "V::operator[]"));
    EXPECT_TRUE(matches("~Foo", "ns::Foo::~Foo"));
}

TEST(NamePattern, ScopesThatNeedNotBeWritten) {
    EXPECT_TRUE(matches("std::basic_string::append", "std::__cxx11::basic_string<char>::append"));
    EXPECT_TRUE(matches("ns::hidden", "ns::(anonymous namespace)::hidden"));
    EXPECT_TRUE(matches("::hidden", "(anonymous namespace)::hidden"));
    EXPECT_TRUE(matches("(anonymous namespace)::hidden", "ns::(anonymous namespace)::hidden"));
    EXPECT_TRUE(matches("geo::area", "sh::geo::{impl#1}::area"));
    EXPECT_TRUE(matches("geo::{impl#1}::area", "sh::geo::{impl#1}::area"));
}

TEST(NamePattern, InlineNamespaces) {
    EXPECT_FALSE(matches("geo::Box::area", "geo::v2::Box<int>::area"));
    EXPECT_TRUE(matches("geo::Box::area", "geo::v2::Box<int>::area", Mode::Literal, 2));
    EXPECT_TRUE(matches("geo::v2::Box::area", "geo::v2::Box<int>::area", Mode::Literal, 2));
    EXPECT_TRUE(matches("::geo::Box::area", "geo::v2::Box<int>::area", Mode::Literal, 2));
    EXPECT_FALSE(matches("v2::geo::area", "geo::v2::area", Mode::Literal, 2));
    EXPECT_TRUE(matches("::area", "v2::area", Mode::Exact, 1));
}

TEST(NamePattern, LooseTemplateArguments) {
    EXPECT_FALSE(matches("vector<int>::size", "std::vector<int, std::allocator<int> >::size"));
    EXPECT_TRUE(matches("vector<int>::size", "std::vector<int, std::allocator<int> >::size", Mode::Loose));
    EXPECT_FALSE(matches("vector<long>::size", "std::vector<int, std::allocator<int> >::size", Mode::Loose));
    EXPECT_TRUE(matches("max<Item>", "max<geo::v2::Item>", Mode::Loose));
    EXPECT_FALSE(matches("m*<Item>", "max<geo::v2::Item>", Mode::Loose));
}

// Go's receivers are in parentheses.
TEST(QualifiedName, Receivers) {
    EXPECT_THAT(split_name("main.(*Job).Weigh").parts, ElementsAre("main.(*Job).Weigh"));
    EXPECT_EQ(split_name("main.(*Job).Weigh").parameters, "");
    EXPECT_TRUE(matches("main.(*Job).W*", "main.(*Job).Weigh"));
    EXPECT_TRUE(NamePattern("main.(*Job).Weigh").is_open(Mode::Literal));
}

TEST(QualifiedName, Bare) {
    const auto bare = [](std::string_view name, uint64_t inlined = 0) {
        const BareName made = bare_name(split_name(name).parts, inlined);
        return made.text + " " + std::to_string(made.arguments);
    };
    EXPECT_EQ(bare("f"), "f 0");
    EXPECT_EQ(bare("std::__cxx11::list<int>::size"), "std::list::size 2");
    EXPECT_EQ(bare("geo::v2::max<int>", 2), "geo::max 1");
    EXPECT_EQ(without_abi_tags("std::to_string[abi:cxx11](int)"), "std::to_string(int)");
    EXPECT_EQ(without_abi_tags("a[3]"), "a[3]");
}

TEST(NamePattern, ImplBlocks) {
    EXPECT_TRUE(matches("<Circle as Shape>::area", "<sh::geo::Circle as sh::geo::Shape>::area"));
    EXPECT_TRUE(matches("<sh::geo::Circle as sh::geo::Shape>::area", "<sh::geo::Circle as sh::geo::Shape>::area"));
    EXPECT_TRUE(matches("<impl Display for Circle>::fmt", "sh::<impl core::fmt::Display for sh::geo::Circle>::fmt"));
    EXPECT_FALSE(matches("<Square as Shape>::area", "<sh::geo::Circle as sh::geo::Shape>::area"));
    EXPECT_TRUE(NamePattern("<Circle as Shape>::area").needs_linkage_name());
}

TEST(NamePattern, Parameters) {
    EXPECT_TRUE(matches("f", "f(int)"));
    EXPECT_TRUE(matches("f(int)", "f(int)"));
    EXPECT_FALSE(matches("f(int)", "f(long)"));
    EXPECT_TRUE(matches("f(int, const char *)", "f(int, char const*)"));
    EXPECT_TRUE(matches("f(const std::vector<int> &)", "f(std::vector<int> const&)"));
    EXPECT_TRUE(matches("f(unsigned)", "f(unsigned int)"));
    EXPECT_TRUE(matches("f()", "f()"));
    EXPECT_TRUE(matches("f(void)", "f()"));
    EXPECT_TRUE(matches("f()", "f() const"));
    EXPECT_FALSE(matches("f() const", "f()"));
    EXPECT_TRUE(matches("f(const std::string&)",
                        "f(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)"));
    EXPECT_FALSE(matches("f(char*)", "f(char, int)"));
    EXPECT_FALSE(matches("f(char*)", "f(char, int)", Mode::Wild));
    EXPECT_TRUE(matches("f(char, *)", "f(char, int)", Mode::Wild));
    EXPECT_TRUE(matches("f(*)", "f()", Mode::Wild));
    EXPECT_TRUE(NamePattern("f(char, *)").has_literals());
}

// The parts from which the search in an index and among symbols starts.
TEST(NamePattern, WhatItNeeds) {
    EXPECT_EQ(NamePattern("ns::max<int>").base(), "max");
    EXPECT_FALSE(NamePattern("*::method").last_is_open(Mode::Literal));
    EXPECT_TRUE(NamePattern("ns::m*").last_is_open(Mode::Literal));
    EXPECT_FALSE(NamePattern("operator*").last_is_open(Mode::Literal));
    EXPECT_TRUE(NamePattern("operator*").last_is_open(Mode::Wild));
    EXPECT_EQ(NamePattern("ns::Class::~Class").identifier(), "Class");
    EXPECT_EQ(NamePattern("operator<<").identifier(), "");
    EXPECT_EQ(NamePattern("operator new").identifier(), "");
    EXPECT_EQ(NamePattern("std::f").identifier(), "f");
    EXPECT_EQ(NamePattern("std::allocator<char>::allocator").identifier(), "");
    EXPECT_EQ(NamePattern("m*").identifier(), "");
    EXPECT_TRUE(NamePattern("main").is_plain());
    EXPECT_FALSE(NamePattern("a::main").is_plain());
}

// The time is linear in the length of any name.
TEST(NamePattern, LongNames) {
    std::string scopes, arguments = "x<";
    for (int i = 0; i < 1000; ++i)
        scopes += "__a::";
    for (int i = 0; i < 10'000; ++i)
        arguments += "p<";
    EXPECT_FALSE(matches("*::__a::*::__a::*::b", scopes + "c"));
    EXPECT_FALSE(matches(arguments, "x<int>"));
    EXPECT_TRUE(matches(arguments, arguments));
}

}  // namespace
}  // namespace tapir
