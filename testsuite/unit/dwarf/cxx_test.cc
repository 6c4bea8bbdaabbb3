// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of C++ by their names, however the debug information was made.
#include "cxx.h"

#include <gmock/gmock.h>

#include "compiled_programs.h"

namespace tapir::dwarf {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;

struct Build {
    const char *name, *commands;  // that make "shapes" from shapes.cc
    const char *needs = "true";
};

class CxxNames : public Programs, public testing::WithParamInterface<Build> {
  protected:
    void SetUp() override {
        write("shapes.cc", kCxxProgram);
        if (!run(GetParam().needs)) GTEST_SKIP() << GetParam().needs << " fails";
        ASSERT_TRUE(run(GetParam().commands)) << read("log");
        object_ = open(path("shapes"));
        index_ = Index::open(*object_, "");
        ASSERT_TRUE(index_);
    }
    std::vector<std::string> calls(const std::string &text) {
        return names(find_functions(*object_, *index_, pattern(text), {}));
    }
    std::vector<std::string> inlines(const std::string &text) {
        return names(find_functions(*object_, *index_, pattern(text), {false, true, false}));
    }
    std::unique_ptr<Object> object_;
    std::unique_ptr<Index> index_;
};

TEST_P(CxxNames, ByScopes) {
    EXPECT_THAT(calls("shapes::Circle::area"), ElementsAre("shapes::Circle::area:24", "shapes::Circle::area:25"));
    EXPECT_THAT(calls("Circle::area"), ElementsAre("shapes::Circle::area:24", "shapes::Circle::area:25"));
    EXPECT_THAT(calls("*::area"), IsSupersetOf({"shapes::Circle::area:24", "shapes::Circle::area:25"}));
    EXPECT_THAT(calls("::area"), IsEmpty());
    EXPECT_THAT(calls("shapes::*"), IsSupersetOf({"shapes::Circle::area:24", "shapes::operator<<:26"}));
    EXPECT_THAT(calls("shapes::operator<<"), ElementsAre("shapes::operator<<:26"));
    EXPECT_THAT(calls("hidden"), ElementsAre("(anonymous namespace)::hidden:30"));
    EXPECT_THAT(calls("(anonymous namespace)::hidden"), ElementsAre("(anonymous namespace)::hidden:30"));
    EXPECT_THAT(calls("::main"), ElementsAre("main:38"));
    EXPECT_THAT(calls("main(int, char**)"), ElementsAre("main:38"));
}

TEST_P(CxxNames, ConstructorsAndDestructors) {
    std::vector<std::string> places = calls("Circle::Circle");
    for (const std::string &place : inlines("Circle::Circle"))
        places.push_back(place);
    EXPECT_THAT(places, Contains("shapes::Circle::Circle:20"));
    EXPECT_THAT(calls("~Circle"), Contains("shapes::Circle::~Circle:23"));
}

TEST_P(CxxNames, Overloads) {
    EXPECT_THAT(calls("shapes::Circle::area() const"), ElementsAre("shapes::Circle::area:24"));
    EXPECT_THAT(calls("Circle::area(int, const char *)"), ElementsAre("shapes::Circle::area:25"));
    EXPECT_THAT(calls("Circle::area(int, char*)"), IsEmpty());
    EXPECT_THAT(calls("Circle::area(int, *)"), ElementsAre("shapes::Circle::area:25"));
    EXPECT_THAT(calls("_ZNK6shapes6Circle4areaEv"), ElementsAre("shapes::Circle::area:24"));
    EXPECT_THAT(calls("_ZNK6shapes6Circle4area*"), ElementsAre("shapes::Circle::area:24", "shapes::Circle::area:25"));
}

TEST_P(CxxNames, Templates) {
    EXPECT_THAT(calls("biggest<int>"), ElementsAre("biggest<int>:32"));
    EXPECT_EQ(calls("biggest").size(), 2u);
    EXPECT_EQ(calls("biggest*").size(), 2u);
    EXPECT_EQ(calls("Circle::scaled").size(), 1u);
}

TEST_P(CxxNames, Lambdas) {
    EXPECT_THAT(calls("main::*"), ElementsAre(testing::HasSubstr("main::<lambda>::operator()")));
    EXPECT_EQ(calls("operator()"), calls("main::*"));
}

TEST_P(CxxNames, Inlined) {
    EXPECT_THAT(inlines("shapes::inlined"), ElementsAre("shapes::inlined:27"));
    EXPECT_THAT(calls("shapes::inlined"), IsEmpty());
}

// Statements of a function that is declared in its class, and of one in a scope.
TEST_P(CxxNames, Statements) {
    const auto lines = [&](const std::string &text) {
        return names(find_statements(*object_, *index_, pattern(text)).sites);
    };
    EXPECT_THAT(lines("*@shapes.cc:26"), Contains("shapes::operator<<:26"));
    EXPECT_THAT(lines("by_reference@shapes.cc:34-35"), ElementsAre("by_reference:34", "by_reference:35"));
    EXPECT_THAT(lines("shapes::Circle::Circle@shapes.cc:21"), Contains("shapes::Circle::Circle:21"));
}

TEST_P(CxxNames, Callees) {
    const auto callees = names(find_callees(*object_, *index_, find_functions(*object_, *index_, pattern("hidden"), {}),
                                            "shapes::inlined", 1));
    EXPECT_THAT(callees, ElementsAre("shapes::inlined:27"));
}

// Names of types and members in scripts, as the index and the types have them.
TEST_P(CxxNames, Types) {
    const Types types(*object_, *index_);
    const auto find = [&](const char *name) {
        const auto id = types.find_type(name);
        return id ? ctypes::type_name({&types, *id}) : "";
    };
    EXPECT_EQ(find("shapes::Circle"), "struct shapes::Circle");
    EXPECT_EQ(find("struct Circle"), "struct shapes::Circle");
    EXPECT_EQ(find("Circle::Inner"), "struct shapes::Circle::Inner");
    EXPECT_EQ(find("enum shapes::Colour"), "enum shapes::Colour");
    EXPECT_EQ(find("::Circle"), "");
    EXPECT_EQ(find("*::Circle"), "");
    const auto inner = types.find_type_from("Inner", "shapes::Circle::area");
    ASSERT_TRUE(inner);
    EXPECT_EQ(ctypes::type_name({&types, *inner}), "struct shapes::Circle::Inner");

    const ctypes::Type circle{&types, types.find_type("shapes::Circle").value_or(0)};
    EXPECT_TRUE(types.is_copied_by_function(circle.id));
    EXPECT_FALSE(types.is_copied_by_function(types.find_type("Circle::Inner").value_or(0)));
    const auto id = ctypes::find_member(circle, "id");  // of a base class
    ASSERT_TRUE(id);
    EXPECT_EQ(id->bit_offset, 8u * 8);
    EXPECT_TRUE(id->computed.empty());
    const auto shared = ctypes::find_member(circle, "shared");
    ASSERT_TRUE(shared);
    ASSERT_EQ(shared->computed.size(), 1u);
    EXPECT_EQ(shared->computed[0].byte_offset, 0u);
    // Before the offset to the top and the type information.
    EXPECT_EQ(ctypes::term_text(*shared->computed[0].address), "(object + u64[(u64[object] + -24)])");
    EXPECT_EQ(shared->bit_offset, 8u * 8);
    EXPECT_EQ(ctypes::type_name(ctypes::find_member(circle, "fraction")->type), "float");
    const auto limit = ctypes::find_member(circle, "kLimit");
    ASSERT_TRUE(limit && limit->place);
    EXPECT_EQ(ctypes::term_text(*limit->place->term), "12");
}

TEST_P(CxxNames, References) {
    const Types types(*object_, *index_);
    const auto sites = find_functions(*object_, *index_, pattern("by_reference"), {});
    ASSERT_EQ(sites.size(), 1u);
    std::vector<std::string> parameters;
    for (const ScopeVariable &variable : parameters_of(*object_, sites[0]))
        parameters.push_back(ctypes::type_name(type_of_variable(*object_, types, variable)) + " " + variable.name);
    EXPECT_THAT(parameters,
                testing::UnorderedElementsAre("int& x", "const struct shapes::Circle& c", "struct shapes::Circle&& m"));
}

INSTANTIATE_TEST_SUITE_P(
    Builds, CxxNames,
    testing::Values(Build{"Dwarf5", "g++ -g -gdwarf-5 -O2 -o shapes shapes.cc"},
                    Build{"Dwarf4", "g++ -g -gdwarf-4 -O2 -o shapes shapes.cc"},
                    Build{"TypeUnits", "g++ -g -gdwarf-4 -fdebug-types-section -O2 -o shapes shapes.cc"},
                    Build{"WholeProgram", "g++ -g -O2 -flto -o shapes shapes.cc"},
                    Build{"Compressed", "g++ -g -O2 -gz -o shapes shapes.cc"},
                    Build{"Dwz", "g++ -g -O2 -o shapes shapes.cc && cp shapes more && dwz -m common shapes more",
                          "dwz --version"},
                    Build{"Clang", "clang++ -g -O2 -o shapes shapes.cc", "clang++ --version"}),
    [](const auto &build) { return std::string(build.param.name); });

// Names that are too long to write by hand, but that real programs have.
TEST_F(Programs, VeryLongNamesOfTemplates) {
    write("long.cc",
          "template <typename A, typename B> struct Pair { static int f(A *, B *) { return sizeof(A); } };\n"
          "typedef Pair<int, long> T0; typedef Pair<T0, T0> T1; typedef Pair<T1, T1> T2; typedef Pair<T2, T2> T3;\n"
          "typedef Pair<T3, T3> T4; typedef Pair<T4, T4> T5; typedef Pair<T5, T5> T6; typedef Pair<T6, T6> T7;\n"
          "typedef Pair<T7, T7> T8; typedef Pair<T8, T8> T9;\n"
          "int main() { return T9::f(0, 0) + T8::f(0, 0); }\n");
    ASSERT_TRUE(run("g++ -g -O0 -o long long.cc")) << read("log");
    const auto object = open(path("long"));
    const auto index = Index::open(*object, "");
    ASSERT_TRUE(index);
    const auto sites = find_functions(*object, *index, pattern("Pair::f"), {});
    ASSERT_EQ(sites.size(), 2u);
    EXPECT_GT(sites[0].name.size(), size_t{8} << 10);
    EXPECT_EQ(find_functions(*object, *index, pattern(sites[0].name), {}).size(), 1u);
    // Each name is there once, with any content of its scope.
    EXPECT_LT(index->bytes(), size_t{200} << 10);
}

}  // namespace
}  // namespace tapir::dwarf
