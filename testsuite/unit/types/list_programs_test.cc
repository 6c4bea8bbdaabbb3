// SPDX-License-Identifier: GPL-2.0-or-later
// -l and -L of places in programs that the test compiles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "../resolve/pass2.h"
#include "types/listings.h"

namespace tapir::types {
namespace {

namespace fs = std::filesystem;
using resolve::Pass2;
using testing::ElementsAre;
using testing::IsEmpty;

// Lines matter.
constexpr char kProgram[] =
    "#include \"mark.h\"\n"                                                 // 1
    "struct pair { int a; long b; };\n"                                     // 2
    "extern long away(long);\n"                                             // 3
    "static inline __attribute__((always_inline)) long twice(int n) {\n"    // 4
    "    return 2L * n;\n"                                                  // 5
    "}\n"                                                                   // 6
    "__attribute__((noinline)) long sum(struct pair *pair, int extra) {\n"  // 7
    "    long local = away(pair->b);\n"                                     // 8
    "    MARK(local);\n"                                                    // 9
    "    return local + twice(extra);\n"                                    // 10
    "}\n"                                                                   // 11
    "int summit(void) { return 1; }\n";                                     // 12
// The compiler describes `size` in the function, and not in its copy.
constexpr char kInlined[] =
    "#include \"mark.h\"\n"                                                 // 1
    "struct size { int wide, high; };\n"                                    // 2
    "static inline __attribute__((always_inline)) int area(int scale) {\n"  // 3
    "    const struct size size = {2, 21};\n"                               // 4
    "    int depth = 7;\n"                                                  // 5
    "    MARK((long)scale);\n"                                              // 6
    "    return scale * size.wide * size.high + depth;\n"                   // 7
    "}\n"                                                                   // 8
    "int volume(int scale) { return area(scale + 1); }\n";                  // 9
constexpr char kMark[] =
    "#define MARK(value) __asm__ volatile(\"990: nop\\n\"\\\n"
    "    \".pushsection .note.stapsdt,\\\"?\\\",\\\"note\\\"\\n.balign 4\\n.4byte 992f-991f, 994f-993f, 3\\n\"\\\n"
    "    \"991: .asciz \\\"stapsdt\\\"\\n992: .balign 4\\n993: .8byte 990b\\n.8byte 0\\n.8byte 0\\n\"\\\n"
    "    \".asciz \\\"adder\\\"\\n.asciz \\\"added\\\"\\n.asciz \\\"-8@%0\\\"\\n994: .balign 4\\n.popsection\\n\" : : "
    "\"r\"(value))\n";

class ListPrograms : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        std::string pattern = testing::TempDir() + "tapir-list-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        directory_ = fs::canonical(pattern).string();
        std::ofstream(directory_ + "/sum.c") << kProgram;
        std::ofstream(directory_ + "/inlined.c") << kInlined;
        std::ofstream(directory_ + "/mark.h") << kMark;
        const std::string link = "gcc -shared -fPIC -nostdlib -fcf-protection=none -Wl,-z,lazy ";
        ASSERT_EQ(
            system(
                ("cd " + directory_ + " && " + link + "-O2 -g -o libsum.so sum.c && cp libsum.so libsum2.so && " +
                 link + "-O2 -g -o libinlined.so inlined.c && strip -g -o libplain.so libsum.so && " +
                 "echo 'void _start(void) {}' >start.c && " +
                 "gcc -nostdlib -nostartfiles -Wl,-rpath,'$ORIGIN' -Wl,--no-as-needed,--unresolved-symbols=ignore-all "
                 "-o start start.c -L. -lsum")
                    .c_str()),
            0);
    }
    static void TearDownTestSuite() { fs::remove_all(directory_); }

    // In points and lines the directory is "@".
    static std::string replaced(std::string text, const std::string &from, const std::string &to) {
        for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
            text.replace(at, from.size(), to);
        return text;
    }
    static std::vector<std::string> list(const std::string &point, bool variables) {
        target::DebugSources sources;
        sources.arch = "x86_64";
        const target::DebugInfo debug(std::move(sources));
        Pass2 pass;
        pass.options.debug = &debug;
        std::vector<std::string> lines =
            list_probes(pass.parse("probe " + replaced(point, "@/", directory_ + "/") + " { }"), pass.library(),
                        pass.options, variables);
        for (std::string &line : lines)
            line = replaced(line, directory_ + "/", "@/");
        return lines;
    }

    static std::string directory_;
};
std::string ListPrograms::directory_;

TEST_F(ListPrograms, Functions) {
    EXPECT_THAT(list("process(\"@/libsum.so\").function(\"*\")", false),
                ElementsAre("process(\"@/libsum.so\").function(\"sum@@/sum.c:7\")",
                            "process(\"@/libsum.so\").function(\"summit@@/sum.c:12\")",
                            "process(\"@/libsum.so\").function(\"twice@@/sum.c:4\")"));
    EXPECT_THAT(list("process(\"@/libsum.so\").function(\"sum\").return", true),
                ElementsAre("process(\"@/libsum.so\").function(\"sum@@/sum.c:7\").return $return:long int "
                            "$pair:struct pair* $extra:int"));
    EXPECT_THAT(list("process(\"@/libsum.so\").function(\"t*\").inline", true),
                ElementsAre("process(\"@/libsum.so\").function(\"twice@@/sum.c:4\").inline $n:int"));
}

TEST_F(ListPrograms, Statements) {
    EXPECT_THAT(list("process(\"@/libsum.so\").statement(\"sum@sum.c:8\")", true),
                ElementsAre("process(\"@/libsum.so\").statement(\"sum@@/sum.c:8\") $pair:struct pair* $extra:int "
                            "$local:long int"));
    EXPECT_THAT(list("process(\"@/libsum.so\").statement(\"summit@*:*\")", false),
                ElementsAre("process(\"@/libsum.so\").statement(\"summit@@/sum.c:12\")"));
}

TEST_F(ListPrograms, MarksAndPltEntries) {
    EXPECT_THAT(list("process(\"@/libsum.so\").mark(\"*\")", true),
                ElementsAre("process(\"@/libsum.so\").provider(\"adder\").mark(\"added\") $arg1:int64_t "
                            "$pair:struct pair* $extra:int $local:long int"));
    // With what can be read at the place of the mark, also what the compiler has replaced by a constant.
    EXPECT_THAT(list("process(\"@/libinlined.so\").mark(\"*\")", true),
                ElementsAre("process(\"@/libinlined.so\").provider(\"adder\").mark(\"added\") $arg1:int64_t "
                            "$scale:int $depth:int $size:const struct size"));
    EXPECT_THAT(list("process(\"@/libinlined.so\").function(\"area\").inline", true),
                ElementsAre("process(\"@/libinlined.so\").function(\"area@@/inlined.c:3\").inline $scale:int "
                            "$depth:int $size:const struct size"));
    EXPECT_THAT(list("process(\"@/libsum.so\").plt", true), ElementsAre("process(\"@/libsum.so\").plt(\"away\")"));
    EXPECT_THAT(list("process(\"@/libsum.so\").plt(\"a*\").return", true),
                ElementsAre("process(\"@/libsum.so\").plt(\"away\").return $return:int64_t"));
}

TEST_F(ListPrograms, LibrariesAndPatternsOfPaths) {
    EXPECT_THAT(list("process(\"@/start\").library(\"libsum.so\").function(\"summit\")", false),
                ElementsAre("process(\"@/start\").library(\"@/libsum.so\").function(\"summit@@/sum.c:12\")"));
    EXPECT_THAT(list("process(\"@/libsum*.so\").function(\"sum\")", false),
                ElementsAre("process(\"@/libsum.so\").function(\"sum@@/sum.c:7\")",
                            "process(\"@/libsum2.so\").function(\"sum@@/sum.c:7\")"));
}

TEST_F(ListPrograms, WithoutDebugInformationItsSymbols) {
    EXPECT_THAT(
        list("process(\"@/libplain.so\").function(\"*\")", true),
        ElementsAre("process(\"@/libplain.so\").function(\"sum\")", "process(\"@/libplain.so\").function(\"summit\")"));
    EXPECT_THAT(list("process(\"@/libplain.so\").statement(\"*@*:*\")", false), IsEmpty());
    EXPECT_THAT(list("process(\"@/none\").function(\"*\")", false), IsEmpty());
}

}  // namespace
}  // namespace tapir::types
