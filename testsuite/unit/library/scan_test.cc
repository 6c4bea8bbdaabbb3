// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "library/tapset_index.h"

namespace tapir::library {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Scan, FindsFunctionsGlobalsAliasesAndMacros) {
    Names names = scan(R"(
// function commented()
# global commented
/* probe commented = begin { } */
global a, b[10], c% = 1, d = "x; global no"
private global e
private f
function g:long (x) { return x }
private function h() %{ /* } */ STAP_RETVALUE = '{'; %}
probe vfs.read = kernel.function("vfs_read") { global_looking = 1; if (x) { y } }
probe vfs.write += kernel.function("vfs_write") { }
probe begin { function_like() }
@define M(a) %( @a %)
@define N %( 1 %)
)");
    EXPECT_THAT(names.functions, ElementsAre("g", "h"));
    EXPECT_THAT(names.globals, ElementsAre("a", "b", "c", "d", "e", "f"));
    EXPECT_THAT(names.aliases, ElementsAre("vfs.read", "vfs.write"));
    EXPECT_THAT(names.macros, ElementsAre("M", "N"));
}

TEST(Scan, AnInterpreterHasAFunction) {
    Names names = scan("@interpreter(\"A\", \"\", \"\", \"\", \"a\", f)\nfunction f() { return \"\" }\n");
    EXPECT_THAT(names.functions, ElementsAre("__frames_of", "f"));
}

TEST(Scan, AToolIsNoPartOfTheLibrary) {
    const Names names = scan("@tool(\"t\", \"Files: which?\", \"t\")\nglobal text\nfunction note() { }\n");
    EXPECT_THAT(names.globals, IsEmpty());
    EXPECT_THAT(names.functions, IsEmpty());
    EXPECT_THAT(scan("@define tool(n, q, e) %( %)\nglobal x").globals, ElementsAre("x"));
}

TEST(Scan, NamesOfAllBranchesOfConditionalsAreThere) {
    Names names =
        scan("%( kernel_v >= \"5\" %?\nfunction f() { if (1) {\n%:\nfunction f() { {\n%)\n} }\nfunction g() { }\n");
    EXPECT_THAT(names.functions, ElementsAre("f", "f", "g"));
}

TEST(Scan, AliasesMayHaveArgumentsAndSeveralNames) {
    EXPECT_THAT(scan("probe a.b(1).c = d(\"x\") = begin { }\nprobe e += f, g { }\nprobe h(1), i = 2").aliases,
                ElementsAre("a.b.c", "d", "e"));
    EXPECT_THAT(scan("probe a(").aliases, IsEmpty());
}

TEST(Scan, BrokenTextIsNotFatal) {
    EXPECT_THAT(scan("function").functions, IsEmpty());
    EXPECT_THAT(scan("global").globals, IsEmpty());
    EXPECT_THAT(scan("probe a.b").aliases, IsEmpty());
    EXPECT_THAT(scan("\"open").functions, IsEmpty());
    EXPECT_THAT(scan("%{ open").functions, IsEmpty());
    EXPECT_THAT(scan("/* open").functions, IsEmpty());
    EXPECT_THAT(scan("function f() } } } global x").globals, ElementsAre("x"));
}

}  // namespace
}  // namespace tapir::library
