// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/functions.h"

#include <gmock/gmock.h>

#include "compiled_programs.h"

namespace tapir::dwarf {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(FunctionPattern, Refused) {
    const std::pair<const char *, const char *> texts[] = {
        {"", "a function's name is missing"},
        {"@file.c", "a function's name is missing"},
        {"f@", "a source file's name is missing after '@'"},
        {"f@:3", "a source file's name is missing after '@'"},
        {"f@file.c:", "lines are given as :N, :N-M, :N,M-O, :* or +N"},
        {"f@file.c:x", "lines are given as :N, :N-M, :N,M-O, :* or +N"},
        {"f@file.c:9-3", "lines are given as :N, :N-M, :N,M-O, :* or +N"},
        {"f@file.c+", "lines are given as :N, :N-M, :N,M-O, :* or +N"},
    };
    for (const auto &[text, expected] : texts) {
        std::string error;
        EXPECT_FALSE(parse_function_pattern(text, error)) << text;
        EXPECT_EQ(error, expected) << text;
    }
}

TEST(FunctionPattern, FilesMatchFromASlashOn) {
    EXPECT_TRUE(file_matches("/usr/src/fs/read_write.c", "fs/read_write.c"));
    EXPECT_TRUE(file_matches("/usr/src/fs/read_write.c", "read_write.c"));
    EXPECT_TRUE(file_matches("/usr/src/fs/read_write.c", "fs/*.c"));
    EXPECT_FALSE(file_matches("/usr/src/fs/read_write.c", "write.c"));
    EXPECT_FALSE(file_matches("", "*"));
}

class Functions : public Programs {
  protected:
    Functions() {
        object_ = open(compile("-g -O1 -fno-ipa-ra -fno-ipa-sra -fno-ipa-cp"));
        index_ = Index::open(*object_, "");
    }
    std::vector<CodeSite> functions(const std::string &text, FindOptions options = {}) {
        return find_functions(*object_, *index_, pattern(text), options);
    }
    std::vector<std::string> callees(const std::string &of, const std::string &name, int64_t depth = 1) {
        return names(find_callees(*object_, *index_, functions(of), name, depth));
    }
    std::unique_ptr<Object> object_;
    std::unique_ptr<Index> index_;
};

TEST_F(Functions, ByALineOfTheirs) {
    EXPECT_THAT(names(functions("*@program.c:16")), ElementsAre("outer:12"));
    EXPECT_THAT(names(functions("*@program.c:12")), ElementsAre("outer:12"));
    EXPECT_THAT(names(functions("*@program.c:2")), IsEmpty());
}

TEST_F(Functions, Statements) {
    const auto lines = [&](const std::string &text) {
        return names(find_statements(*object_, *index_, pattern(text)).sites);
    };
    EXPECT_THAT(lines("helper@program.c:9"), ElementsAre("helper:9"));
    EXPECT_THAT(lines("helper@program.c+1"), ElementsAre("helper:9"));
    EXPECT_THAT(lines("helper@program.c:9-10"), ElementsAre("helper:9", "helper:10"));
    EXPECT_THAT(lines("outer@*:*"), Contains("outer:15"));
    EXPECT_THAT(lines("*@program.c:13,18-18"), ElementsAre("outer:13", "outer:18"));
    const FoundStatements none = find_statements(*object_, *index_, pattern("outer@program.c:14"));
    EXPECT_THAT(none.sites, IsEmpty());
    EXPECT_THAT(none.nearest, ElementsAre(13, 15));
}

TEST_F(Functions, Labels) {
    const auto found = find_labels(*object_, *index_, pattern("outer"), "o*");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].label, "out");
    EXPECT_GT(found[0].pc, functions("outer")[0].pc);
    EXPECT_THAT(find_labels(*object_, *index_, pattern("helper"), "*"), IsEmpty());
}

TEST_F(Functions, Callees) {
    EXPECT_THAT(callees("outer", "helper"), ElementsAre("helper:8"));
    EXPECT_THAT(callees("outer", "twice"), ElementsAre("twice:4"));
    EXPECT_THAT(callees("outer", "*"), ElementsAre("helper:8", "twice:4"));
    EXPECT_THAT(callees("main", "*"), ElementsAre("outer:12", "outer:12"));  // two calls
    EXPECT_THAT(callees("main", "helper"), IsEmpty());
    EXPECT_THAT(callees("main", "helper", 2), ElementsAre("helper:8"));
    EXPECT_THAT(callees("helper", "*"), IsEmpty());
}

// The call instruction is where it is said to be: its target is the callee.
TEST_F(Functions, CallsAreProbedAtTheCallInstruction) {
#ifdef __x86_64__
    const std::string file = read("program");
    const std::vector<CodeSite> calls = find_callees(*object_, *index_, functions("main"), "outer", 1);
    ASSERT_EQ(calls.size(), 2u);
    for (const CodeSite &site : calls) {
        // An executable without relocation has its text at address - 0x400000.
        const uint64_t offset = site.call - 0x400000;
        ASSERT_LT(offset + 5, file.size());
        EXPECT_EQ(static_cast<unsigned char>(file[offset]), 0xe8);
        int32_t distance = 0;
        memcpy(&distance, file.data() + offset + 1, sizeof distance);
        EXPECT_EQ(site.call + 5 + static_cast<int64_t>(distance), site.pc);
    }
#else
    GTEST_SKIP() << "knows x86-64 instructions only";
#endif
}

// A compiler may put unlikely code elsewhere; the function still begins where its symbol is.
TEST_F(Programs, FunctionsInTwoPartsBeginAtTheirSymbol) {
    write("source/program.c",
          "__attribute__((cold, noinline)) void bad(int v) { __asm__ volatile(\"\" : : \"r\"(v)); }\n"
          "__attribute__((noinline)) int split(int v) { if (v > 100) { bad(v); bad(v + 1); v = 7; } return v * 3; }\n"
          "int main(int argc, char **argv) { (void)argv; return split(argc); }\n");
    const auto object = open(compile("-g -O2 -freorder-blocks-and-partition"));
    ASSERT_TRUE(run("readelf -sW program | grep -q split.cold")) << "the function is not in two parts";
    const auto index = Index::open(*object, "");
    const std::vector<CodeSite> sites = find_functions(*object, *index, pattern("split"), {});
    ASSERT_EQ(sites.size(), 1u);
    EXPECT_EQ(sites[0].pc, object->symbol_address("split"));
}

// A call begins at one place, even if the compiler has split the function.
TEST_F(Programs, CallsOfSplitFunctionsBeginOnce) {
    write("source/program.c",
          "volatile int sink;\n"
          "__attribute__((noinline)) void work(int v) { sink = v; }\n"
          "int early(int v) {\n"
          "    if (v <= 3) return 0;\n"
          "    work(v); work(v + 1); work(v + 2); work(v * 3); work(v * 5); work(v * 7); work(v ^ 9);\n"
          "    return v;\n"
          "}\n"
          "__attribute__((noinline)) _Bool valid(int *e) { return *e > sink; }\n"
          "static inline void again(int *e) {\n"
          "    if (!valid(e)) return;\n"
          "    e[0] = e[1] = sink;\n"
          "}\n"
          "__attribute__((noinline)) void uses(int *e) { again(e); work(0); }\n"
          "__attribute__((noinline)) void uses_too(int *e) { again(e); work(1); }\n"
          "static int down(int v) {\n"
          "    if (v < 1) return 0;\n"
          "    work(v);\n"
          "    return down(v - 1) + down(v - 2) + 1;\n"
          "}\n"
          "int main(int argc, char **argv) {\n"
          "    int a[8] = {argc}, n = 0;\n"
          "    for (int i = 0; i < argc * 10; i++) { n += early(i); uses(a); uses_too(a + 4); }\n"
          "    return n + early(argc) + down(argc) > 1000 + (argv != 0);\n"
          "}\n");
    const auto object = open(compile("-g -O2"));
    ASSERT_TRUE(object->symbol_address("early.part.0")) << "the function is not in two pieces";
    const auto index = Index::open(*object, "");
    const auto find = [&](const char *name, bool parts) {
        return find_functions(*object, *index, pattern(name), {true, true, false, parts});
    };
    const auto places = [](const std::vector<CodeSite> &sites, uint64_t pc) {
        return std::count_if(sites.begin(), sites.end(), [&](const CodeSite &site) { return site.pc == pc; });
    };
    const uint64_t part = *object->symbol_address("early.part.0"), whole = *object->symbol_address("early");
    EXPECT_EQ(places(find("early", false), part), 0);
    EXPECT_EQ(places(find("early", false), whole), 1);
    EXPECT_EQ(places(find("early", true), part), 1);
    EXPECT_EQ(find("again", false).size(), 2u);
    // Into itself it is inlined because it calls itself.
    EXPECT_GT(find("down", false).size(), 2u);
    // Its code has lines that are nowhere else.
    EXPECT_EQ(find_statements(*object, *index, pattern("early@*:5")).sites.size(), 1u);
}

TEST_F(Functions, AtAddresses) {
    const CodeSite entry = functions("outer")[0];
    EXPECT_TRUE(site_at(*object_, *index_, entry.pc).at_entry);
    EXPECT_EQ(site_at(*object_, *index_, entry.pc + 3).name, "outer");
    EXPECT_FALSE(site_at(*object_, *index_, entry.pc + 3).at_entry);
    EXPECT_EQ(site_at(*object_, *index_, 16).name, "");
    EXPECT_EQ(site_at(*object_, *index_, UINT64_MAX).name, "");
}

TEST_F(Functions, OfCxx) {
    write("source/shapes.cc",
          "volatile int sink;\n"
          "namespace shapes {\n"
          "struct Circle { int radius; int area() const; };\n"
          "__attribute__((noinline)) int Circle::area() const { sink = radius; return radius * radius; }\n"
          "}\n"
          "int main(int argc, char **) { return shapes::Circle{argc}.area(); }\n");
    ASSERT_TRUE(run("g++ -g -O1 -o shapes source/shapes.cc")) << read("log");
    const auto object = open(path("shapes"));
    const auto index = Index::open(*object, "");
    const auto found = find_functions(*object, *index, pattern("area"), {});
    ASSERT_EQ(names(found), std::vector<std::string>{"shapes::Circle::area:4"});
    EXPECT_EQ(index->text(index->functions("area")[0].linkage_name), "_ZNK6shapes6Circle4areaEv");
    EXPECT_EQ(index->types("Circle").size(), 1u);
}

}  // namespace
}  // namespace tapir::dwarf
