// SPDX-License-Identifier: GPL-2.0-or-later
// Why a function or a statement cannot be probed where there is debug information: whole messages.
#include <gmock/gmock.h>

#include <cstdlib>

#include "pass2.h"

namespace tapir::resolve {
namespace {

namespace fs = std::filesystem;

// Linked as a kernel is; lines matter.
constexpr const char *kKernel =
    "asm(\".text\\n.globl _stext\\n_stext: nop\\n\"\n"                                                           // 1
    "    \".section .init.text,\\\"ax\\\"\\n.globl _sinittext\\n_sinittext: nop\\n\"\n"                          // 2
    "    \".section .noinstr.text,\\\"ax\\\"\\n.globl __noinstr_text_start\\n__noinstr_text_start: nop\\n\"\n"   // 3
    "    \".section .kprobes.text,\\\"ax\\\"\\n.globl __kprobes_text_start\\n__kprobes_text_start: nop\\n\"\n"   // 4
    "    \".section .entry.text,\\\"ax\\\"\\n.globl __entry_text_start\\n__entry_text_start: nop\\n.text\");\n"  // 5
    "#define IN(s) __attribute__((noinline, used, section(s)))\n"                                                // 6
    "volatile int sink;\n"                                                                                       // 7
    "static inline __attribute__((always_inline)) int twice(int v) { sink = v; return v * 2; }\n"                // 8
    "static __attribute__((noinline)) int helper(int v) { sink = v; return v + 1; }\n"                           // 9
    "int vfs_read(int count) {\n"                                                                                // 10
    "    int got = twice(count);\n"                                                                              // 11
    "\n"                                                                                                         // 12
    "    if (got > 7) goto out;\n"                                                                               // 13
    "    got += helper(got);\n"                                                                                  // 14
    "    sink = got;\n"                                                                                          // 15
    "out:\n"                                                                                                     // 16
    "    sink = 1;\n"                                                                                            // 17
    "    return got;\n"                                                                                          // 18
    "}\n"                                                                                                        // 19
    "IN(\".init.text\") void start_kernel(void) { sink = 1; }\n"
    "IN(\".init.text\") void start_more(void) { sink = 2; }\n"
    "IN(\".noinstr.text\") void exc_page_fault(void) { sink = 1; }\n"
    "IN(\".kprobes.text\") void kprobe_handler(void) { sink = 1; }\n"
    "IN(\".entry.text\") void entry_code(void) { sink = 1; }\n"
    "__attribute__((noinline)) int many(int a, int b, int c, int d, int e, int f, int g) {"
    " sink = a + b + c + d + e + f + g; return g; }\n"
    "int caller(int n) { sink = many(n, 2, 3, 4, 5, 6, n) + 1; return sink; }\n"
    "asm(\".section .init.text,\\\"ax\\\"\\n.globl _einittext\\n_einittext: nop\\n\"\n"
    "    \".section .noinstr.text,\\\"ax\\\"\\n.globl __noinstr_text_end\\n__noinstr_text_end: nop\\n\"\n"
    "    \".section .kprobes.text,\\\"ax\\\"\\n.globl __kprobes_text_end\\n__kprobes_text_end: nop\\n\"\n"
    "    \".section .entry.text,\\\"ax\\\"\\n.globl __entry_text_end\\n__entry_text_end: nop\\n.text\");\n";

constexpr const char *kModule =
    "volatile int seen;\n"
    "int dummy_xmit(int length) { seen = length; return 0; }\n";

// A kernel with debug information, two modules of which one has some, and one that is only listed.
class Machine : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        std::string pattern = testing::TempDir() + "tapir-machine-XXXXXX";
        root_ = mkdtemp(pattern.data());
        fs::create_directories(root_ / "debug/boot");
        fs::create_directories(root_ / "source/fs");
        fs::create_directories(root_ / "lib/modules/test/kernel");
        write("source/fs/read_write.c", kKernel);
        write("source/fs/dummy.c", kModule);
        write("source/fs/twin.c",
              std::string(kModule) + "static __attribute__((noinline, used)) void both(void) { seen = 1; }\n");
        const std::string gcc =
            "cd " + (root_ / "source").string() +
            " && gcc -g -O2 -fno-toplevel-reorder -fno-ipa-sra -fno-ipa-cp -fcf-protection=none -no-pie ";
        compiled_ = run(gcc +
                        "-nostdlib -static -Wl,-e,_stext -Wl,-z,noseparate-code -o ../debug/boot/vmlinux-test "
                        "fs/read_write.c") &&
                    run(gcc + "-c -o ../lib/modules/test/kernel/dummy.ko fs/dummy.c") &&
                    run(gcc + "-g0 -c -o ../lib/modules/test/kernel/plain.ko fs/dummy.c") &&
                    run(gcc + "-g0 -Ddummy_xmit=first -Dseen=one -c -o first.o fs/twin.c") &&
                    run(gcc + "-g0 -Ddummy_xmit=second -Dseen=two -c -o second.o fs/twin.c") &&
                    run("cd " + (root_ / "source").string() +
                        " && ld -r -o ../lib/modules/test/kernel/twin.ko first.o second.o");
        write("lib/modules/test/modules.dep",
              "kernel/dummy.ko:\nkernel/plain.ko:\nkernel/twin.ko:\nkernel/gone.ko:\nkernel/half.ko:\n");
    }
    static void TearDownTestSuite() { fs::remove_all(root_); }
    void SetUp() override { ASSERT_TRUE(compiled_); }

    static void write(const std::string &name, const std::string &content) { std::ofstream(root_ / name) << content; }
    static bool run(const std::string &command) { return std::system(command.c_str()) == 0; }

    // The messages for a probe of this point; with the temporary directory as ROOT.
    static std::string why(const std::string &point, const std::string &body = "") {
        Pass2 pass;
        target::DebugSources sources;
        sources.release = "test";
        sources.root = root_;
        sources.debug_dir = root_ / "debug";
        sources.arch = "x86_64";
        const target::DebugInfo debug(sources);
        pass.options.debug = &debug;
        pass.elaborate({"probe " + point + " { " + body + " }"});
        std::string text = pass.reported();
        for (const auto &[place, name] : {std::pair((root_ / "source/").string(), ""), {root_.string(), "ROOT"}})
            for (size_t at; (at = text.find(place)) != std::string::npos;)
                text.replace(at, place.size(), name);
        return text;
    }

    // The text of why() for a point that fails for this reason at a component of this text.
    static std::string refused(const std::string &point, const std::string &reason, const std::string &at,
                               const std::string &body = "") {
        const std::string line = "        source: probe " + point + " { " + body + " }\n";
        const std::string space(16, ' ');
        const auto caret = [&](size_t column) { return space + std::string(column - 1, ' ') + "^\n\n"; };
        const size_t column = 7 + point.find(at);
        const std::string kind = at[0] == '"' ? "string '" : at[0] >= '0' && at[0] <= '9' ? "number '" : "identifier '";
        const std::string first = point.substr(0, point.find_first_of(".("));
        return "semantic error: while resolving probe point: identifier '" + first + "' at <input>:1:7\n" + line +
               caret(7) + "semantic error: " + reason + ": " + kind + at + "' at :1:" + std::to_string(column) + "\n" +
               line + caret(column);
    }

    static inline fs::path root_;
    static inline bool compiled_ = false;
};

#define EXPECT_REFUSED(point, reason, at) EXPECT_EQ(why(point), refused(point, reason, at))

TEST_F(Machine, NamesThatAreNotThere) {
    EXPECT_REFUSED("kernel.function(\"vfs_raed\")", "no match (similar functions: vfs_read)", "\"vfs_raed\"");
    EXPECT_REFUSED("kernel.function(\"xyz_*\")", "no match", "\"xyz_*\"");
    EXPECT_REFUSED("kernel.function(\"vfs_read@fs/open.c\")", "no match (similar functions: vfs_read@fs/read_write.c)",
                   "\"vfs_read@fs/open.c\"");
    EXPECT_REFUSED("kernel.statement(\"vfs_raed@fs/read_write.c:11\")", "no match (similar functions: vfs_read)",
                   "\"vfs_raed@fs/read_write.c:11\"");
}

TEST_F(Machine, PatternsThatAreNone) {
    EXPECT_REFUSED("kernel.function(\"@fs/read_write.c\")", "a function's name is missing", "\"@fs/read_write.c\"");
    EXPECT_REFUSED("kernel.function(\"vfs_read@\")", "a source file's name is missing after '@'", "\"vfs_read@\"");
    EXPECT_REFUSED("kernel.statement(\"vfs_read@fs/read_write.c:x\")", "lines are given as :N, :N-M, :N,M-O, :* or +N",
                   "\"vfs_read@fs/read_write.c:x\"");
}

// A pattern means the forms that exist, of those that could.
TEST_F(Machine, PatternsOfForms) {
    for (const char *function : {"vfs_read", "helper", "twice", "vfs_*", "*@fs/read_write.c"})
        EXPECT_EQ(why("kernel.function(\"" + std::string(function) + "\").*"), "");
    EXPECT_THAT(why("kernel.function(\"nothing\").*"), testing::HasSubstr("no match"));
    // Each of a list is a point of its own.
    EXPECT_THAT(why("kernel.function(\"helper\").{call,inline}"), testing::HasSubstr("inlined nowhere"));
}

TEST_F(Machine, FunctionsThatAreNotOfThisForm) {
    EXPECT_REFUSED("kernel.function(\"twice\").call",
                   "'twice' is inlined wherever it is called and has no code of its own: use .inline", "\"twice\"");
    EXPECT_REFUSED(
        "kernel.function(\"twice\").return",
        "'twice' is inlined wherever it is called and has no code of its own: use .inline, which has no return",
        "\"twice\"");
    EXPECT_REFUSED("kernel.function(\"vfs_*\").inline",
                   "each function that matches has code of its own and is inlined nowhere: leave out .inline",
                   "\"vfs_*\"");
    EXPECT_REFUSED("kernel.function(\"helper\").exported",
                   "'helper' is static, other source files cannot call it: leave out .exported", "\"helper\"");
    EXPECT_REFUSED("kernel.function(\"vfs_read@fs/read_write.c:200\")",
                   "'vfs_read' has no code of this line; it is declared at fs/read_write.c:10",
                   "\"vfs_read@fs/read_write.c:200\"");
    EXPECT_REFUSED("kernel.function(\"*@fs/read_write.c:200\")", "no function that matches has code of this line",
                   "\"*@fs/read_write.c:200\"");
}

TEST_F(Machine, CodeThatMayNotBeProbed) {
    const std::string init =
        "'start_kernel' cannot be probed: it is needed only while the kernel starts, and its memory is used for other "
        "things afterwards";
    EXPECT_REFUSED("kernel.function(\"start_kernel\")", init, "\"start_kernel\"");
    EXPECT_REFUSED("kernel.function(\"start_*\")", init + " (as all 2 places that match)", "\"start_*\"");
    EXPECT_REFUSED("kernel.function(\"exc_page_fault\")",
                   "'exc_page_fault' cannot be probed: the kernel marks it noinstr: it runs where no probe may",
                   "\"exc_page_fault\"");
    EXPECT_REFUSED("kernel.function(\"kprobe_handler\").return",
                   "'kprobe_handler' cannot be probed: the kernel marks it __kprobes: probes themselves use it",
                   "\"kprobe_handler\"");
    EXPECT_REFUSED("kernel.function(\"entry_code\")",
                   "'entry_code' cannot be probed: it is the kernel's entry code, which runs where no probe may",
                   "\"entry_code\"");
}

TEST_F(Machine, Statements) {
    EXPECT_REFUSED("kernel.statement(\"vfs_read@fs/read_write.c:16\")",
                   "no statement begins at this line; lines nearby that have some: 15 17 (or add .nearest)",
                   "\"vfs_read@fs/read_write.c:16\"");
    EXPECT_REFUSED("kernel.statement(16)", "the debug information has no function with code at this address", "16");
}

TEST_F(Machine, CalleesAndLabels) {
    EXPECT_REFUSED("kernel.function(\"vfs_read\").callee(\"helpre\")", "no such callee (callees: helper, twice)",
                   "\"helpre\"");
    EXPECT_REFUSED("kernel.function(\"helper\").callees", "the debug information knows of no call in this function",
                   "callees");
    EXPECT_REFUSED("kernel.function(\"vfs_read\").callees(0)", "callees are at least 1 call away", "0");
    EXPECT_REFUSED("kernel.function(\"vfs_read\").label(\"in\")", "no such label (labels: out)", "\"in\"");
    EXPECT_REFUSED("kernel.function(\"helper\").label(\"out\")", "the function has no labels with code", "\"out\"");
}

TEST_F(Machine, VariablesThatAreElsewhere) {
    EXPECT_EQ(why("kernel.function(\"vfs_read\").call", "println($got)"),
              "semantic error: 'got' cannot be read: it is optimized out here; lines of fs/read_write.c where it can "
              "be read: "
              "13-15, 17-18: identifier '$got' at <input>:1:50\n"
              "        source: probe kernel.function(\"vfs_read\").call { println($got) }\n"
              "                                                                 ^\n"
              "\n");
}

TEST_F(Machine, ArgumentsOnTheStackOfACall) {
    EXPECT_EQ(why("kernel.function(\"caller\").callee(\"many\")", "println($g)"), "");
}

TEST_F(Machine, Modules) {
    EXPECT_REFUSED("module(\"dummy\").function(\"dummy_xmti\")", "no match (similar functions: dummy_xmit)",
                   "\"dummy_xmti\"");
    EXPECT_REFUSED("module(\"dummy\").function(\"vfs_raed\")", "no match", "\"vfs_raed\"");
    EXPECT_REFUSED("module(\"*\").function(\"dummy_xmti\")", "no match (similar functions: dummy_xmit)",
                   "\"dummy_xmti\"");
    EXPECT_REFUSED("module(\"*\").function(\"vfs_raed\")", "no match", "\"vfs_raed\"");
    EXPECT_REFUSED("module(\"dumy\").function(\"dummy_xmit\")", "kernel test has no module 'dumy' (similar: dummy)",
                   "\"dumy\"");
    EXPECT_REFUSED("module(\"x*\").function(\"dummy_xmit\")", "no module of this kernel matches", "\"x*\"");
    EXPECT_EQ("",
              why("module(\"plain\").function(\"dummy_xmit\").call, module(\"plain\").function(\"dummy_*\").return"));
    EXPECT_EQ("", why("module(\"twin\").function(\"*\")"));
    EXPECT_REFUSED("module(\"plain\").function(\"dummy_xmti\")", "no match (similar functions: dummy_xmit)",
                   "\"dummy_xmti\"");
    EXPECT_REFUSED("module(\"plain\").function(\"x*\")", "no match", "\"x*\"");
    EXPECT_REFUSED("module(\"twin\").function(\"both\")",
                   "several functions have this name, which only debug information tells apart: no debug information "
                   "for module 'twin' of kernel test: install the debug information of the distribution's kernel test "
                   "(ROOT/lib/modules/test/kernel/twin.ko has no debug information)",
                   "\"both\"");
    EXPECT_REFUSED("module(\"plain\").function(\"dummy_xmit@fs/dummy.c\")",
                   "source files in function patterns are found by debug information: no debug information for module "
                   "'plain' of kernel test: install the debug information of the distribution's kernel test "
                   "(ROOT/lib/modules/test/kernel/plain.ko has no debug information)",
                   "\"dummy_xmit@fs/dummy.c\"");
    EXPECT_REFUSED("module(\"plain\").function(\"dummy_xmit\").inline",
                   "no debug information for module 'plain' of kernel test: install the debug information of the "
                   "distribution's kernel test "
                   "(ROOT/lib/modules/test/kernel/plain.ko has no debug information)",
                   "\"plain\"");
    EXPECT_REFUSED("module(\"gone\").function(\"dummy_xmit\")",
                   "no debug information for module 'gone' of kernel test: install the debug information of the "
                   "distribution's kernel test "
                   "(ROOT/lib/modules/test/kernel/gone.ko: cannot be opened)",
                   "\"gone\"");
    EXPECT_REFUSED("module(\"g*\").function(\"dummy_xmit\")",
                   "no debug information for module 'gone' of kernel test: install the debug information of the "
                   "distribution's kernel test "
                   "(ROOT/lib/modules/test/kernel/gone.ko: cannot be opened)",
                   "\"g*\"");
    // Some of the matching modules may have no debug information.
    EXPECT_EQ("", why("module(\"p*\").function(\"dummy_xmit\")"));
    EXPECT_REFUSED("module(\"p*\").function(\"vfs_raed\")", "no match", "\"vfs_raed\"");
    EXPECT_EQ(why("module(\"*\").function(\"dummy_xmit\")", "println($length)"),
              "WARNING: modules that match have such functions but no debug information, and are not probed: plain. "
              "Install it, or name these modules in probes of their own: string '\"*\"' at <input>:1:14\n"
              " source: probe module(\"*\").function(\"dummy_xmit\") { println($length) }\n"
              "                      ^\n");
    EXPECT_REFUSED("kprobe.module(\"dummy\").function(\"dummy_*\")",
                   "wildcards in modules need debug information: use module(\"dummy\").function(\"dummy_*\")",
                   "\"dummy_*\"");
    EXPECT_REFUSED("kprobe.module(\"plain\").function(\"dummy_xmti\")", "no match (similar functions: dummy_xmit)",
                   "\"dummy_xmti\"");
    EXPECT_EQ(why("kprobe.module(\"plain\").function(\"dummy_xmit\")"), "");
    EXPECT_EQ(
        why("kprobe.module(\"plain\").function(\"dummy_xmti\")!, kprobe.module(\"plain\").function(\"dummy_xmit\")"),
        "");
    // Nothing is known of what it has.
    EXPECT_EQ(why("kprobe.module(\"gone\").function(\"dummy_xmti\")"), "");
}

// Half of its debug information was in a file that is not there.
TEST_F(Machine, ModuleWithoutItsSupplement) {
    if (!run("dwz --version >/dev/null 2>&1")) GTEST_SKIP() << "dwz is not installed";
    write("source/half.c", std::string(kModule) + "int main(void) { return dummy_xmit(1); }\n");
    ASSERT_TRUE(run("cd " + (root_ / "source").string() +
                    " && gcc -g -O2 -o half half.c && cp half other && dwz -m common half other && rm common && "
                    "mv half ../lib/modules/test/kernel/half.ko"));
    std::string text = why("module(\"half\").statement(\"dummy_xmit@*\")");
    const std::string before = "supplement common (build-id ";
    const size_t at = text.find(before);
    ASSERT_NE(at, std::string::npos) << text;
    text.replace(at + before.size(), text.find(')', at) - at - before.size(), "ID");
    EXPECT_EQ(
        text,
        refused("module(\"half\").statement(\"dummy_xmit@*\")",
                "no debug information for module 'half' of kernel test: install the debug information of "
                "the distribution's kernel test (the debug information of ROOT/lib/modules/test/kernel/half.ko is "
                "only complete with the supplement common (build-id ID), which is missing)",
                "\"half\""));
}

}  // namespace
}  // namespace tapir::resolve
