// SPDX-License-Identifier: GPL-2.0-or-later
// Where functions are left: of small pieces of assembly, whose answers are known by their labels, and of what compilers
// make.
#include "target/function_exits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "target/code_image.h"
#include "target/debug_info.h"
#include "target/go_calls.h"
#include "target/stripped.h"

namespace tapir::target {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FunctionExitsTest : public testing::Test {
  protected:
    void SetUp() override {
#ifndef __x86_64__
        GTEST_SKIP() << "code of x86-64";
#endif
        char name[] = "/tmp/tapir-function-exits-XXXXXX";
        ASSERT_NE(mkdtemp(name), nullptr);
        directory_ = name;
    }
    void TearDown() override {
        if (!directory_.empty()) fs::remove_all(directory_);
    }

    // False where there is no such compiler.
    bool build(const std::string &command, const std::string &name, const std::string &source) {
        const std::string compiler = command.substr(0, command.find(' '));
        if (system(("command -v " + compiler + " >/dev/null 2>&1").c_str()) != 0) return false;
        std::ofstream(directory_ / name) << source;
        const std::string whole = "cd '" + directory_.string() + "' && " + command + " " + name + " >log 2>&1";
        EXPECT_EQ(system(whole.c_str()), 0) << whole;
        open("program");
        return object_ != nullptr;
    }
    void open(const std::string &name) {
        std::string error;
        debug_ = std::make_unique<DebugInfo>(DebugSources{});
        object_ = debug_->program((directory_ / name).string(), error);
        ASSERT_TRUE(object_) << error;
    }
    // Code in .text and data in .rodata, linked as a library.
    bool assemble(const std::string &text, const std::string &data = "") {
        return build("gcc -shared -nostdlib -o program", "code.s",
                     ".text\n" + text + ".section .rodata,\"a\"\n.p2align 3\n" + data +
                         ".section .note.GNU-stack,\"\",@progbits\n");
    }
    static std::string function(const std::string &name, const std::string &body) {
        return ".globl " + name + "\n.type " + name + ",@function\n" + name + ":\n.cfi_startproc\n" + body +
               ".cfi_endproc\n.size " + name + ", .-" + name + "\n";
    }

    uint64_t address(const std::string &name) const {
        const auto found = object_->object->symbols().functions_named(name);
        if (!found.empty()) return found[0]->address;
        const auto labelled = object_->object->symbol_address(name);
        EXPECT_TRUE(labelled) << name;
        return labelled.value_or(0);
    }
    FunctionExits exits(const std::string &name) const {
        return function_exits(*object_, address(name));
    }

    fs::path directory_;
    std::unique_ptr<DebugInfo> debug_;
    const DebugObject *object_ = nullptr;
};

TEST_F(FunctionExitsTest, EveryFormOfReturn) {
    if (!assemble(function("f",
                           "test %edi, %edi\nje 1f\njs 2f\nr1: ret\n1: r2: rep ret\n2: dec %edi\njz 3f\nr3: ret $8\n"
                           "3: r4: bnd ret\n")))
        return;
    const FunctionExits found = exits("f");
    EXPECT_EQ(found.why_not, "");
    EXPECT_THAT(found.returns, ElementsAre(address("r1"), address("r2"), address("r3"), address("r4")));
    ASSERT_EQ(found.parts.size(), 1u);
    EXPECT_EQ(found.parts[0].first, address("f"));
}

TEST_F(FunctionExitsTest, OtherWaysOut) {
    if (!assemble(function("tail", "test %edi, %edi\nje 1f\nret\n1: jmp g\n") + function("g", "nop\nret\n") +
                  function("pointer", "test %edi, %edi\nje 1f\nret\n1: jmp *%rsi\n") +
                  function("slot", "jmp *8(%rdi)\n") + function("far", "lretq\n") +
                  function("through", "xor %eax, %eax\n") + function("behind", "ret\n") +
                  function("inner", "call 1f\nret\n1: ret\n") + function("conditional", "cmp $1, %edi\nja g\nret\n")))
        return;
    EXPECT_THAT(exits("tail").why_not,
                testing::MatchesRegex("it ends by a jump to 'g' at 0x[0-9a-f]+, so that its result "
                                      "comes from elsewhere"));
    EXPECT_THAT(exits("tail").returns, IsEmpty());
    EXPECT_THAT(exits("conditional").why_not, HasSubstr("it ends by a jump to 'g'"));
    EXPECT_THAT(exits("pointer").why_not, HasSubstr("through a pointer"));
    EXPECT_THAT(exits("slot").why_not, HasSubstr("through a pointer"));
    EXPECT_THAT(exits("far").why_not, HasSubstr("a return of another kind"));
    EXPECT_THAT(exits("through").why_not, HasSubstr("it goes on into 'behind'"));
    EXPECT_THAT(exits("inner").why_not, HasSubstr("it calls a part of itself"));
    EXPECT_EQ(exits("g").returns.size(), 1u);
}

TEST_F(FunctionExitsTest, JumpToTheEntryIsTold) {
    ASSERT_TRUE(assemble(function("loop", "dec %edi\njne loop\nret\n") +
                         function("calls", "dec %edi\nje 1f\ncall calls\n1: ret\n")));
    EXPECT_EQ(exits("loop").why_not, "");
    EXPECT_TRUE(exits("loop").comes_back);
    EXPECT_FALSE(exits("calls").comes_back);
}

TEST_F(FunctionExitsTest, NoReturnIsAnAnswer) {
    if (!assemble(function("loops", "1: jmp 1b\n") + function("traps", "ud2\n") +
                  function("leaves", "push %rax\ncall gone\nnop\nnop\n") + function("gone", "hlt\n") +
                  function("again", "dec %edi\njnz again\nret\n")))
        return;
    for (const char *name : {"loops", "traps", "leaves"}) {
        EXPECT_EQ(exits(name).why_not, "") << name;
        EXPECT_THAT(exits(name).returns, IsEmpty()) << name;
    }
    // To its own entry: the same call goes on.
    EXPECT_EQ(exits("again").why_not, "");
    EXPECT_EQ(exits("again").returns.size(), 1u);
}

TEST_F(FunctionExitsTest, JumpsOverAPrefix) {
    if (!assemble(function("f", "je 1f\nlock\n1: xadd %eax, (%rdi)\nret\n"))) return;
    EXPECT_EQ(exits("f").why_not, "");
    EXPECT_EQ(exits("f").returns.size(), 1u);
    // A return is not executed where its uprobe is.
    if (!assemble(function("f", "je 1f\njmp 2f\n1: .byte 0xf3\n2: ret\n"))) return;
    EXPECT_THAT(exits("f").why_not, HasSubstr("behind the prefix of its return"));
}

TEST_F(FunctionExitsTest, DataAmongTheCode) {
    if (!assemble(function("skips", "jmp 1f\n.byte 0xc3, 0xc3\n1: ret\n") +
                  function("misleads", "jmp 1f\n.byte 0x48, 0xb8\n1: ret\nnop\nnop\nnop\nnop\nnop\nnop\nnop\n") +
                  function("filled", "jmp 1f\n.p2align 4\n1: ret\nint3\nint3\n.zero 13\n") +
                  function("unknown", "jmp 1f\n.byte 0x06\n1: ret\n")))
        return;
    EXPECT_THAT(exits("skips").why_not, HasSubstr("is reached is not known"));
    EXPECT_THAT(exits("misleads").why_not, HasSubstr("stap cannot tell its code at"));
    EXPECT_THAT(exits("unknown").why_not, HasSubstr("is not understood"));
    EXPECT_EQ(exits("filled").why_not, "");
    EXPECT_EQ(exits("filled").returns.size(), 1u);
}

constexpr const char *kCases = "a: r1: ret\nb: nop\nr2: ret\nc: nop\nnop\nr3: ret\nd: jmp a\n";

TEST_F(FunctionExitsTest, TablesOfOffsets) {
    const std::string head = "cmp $3, %edi\nja d\nlea table(%rip), %rdx\nmovslq (%rdx,%rdi,4), %rax\n";
    const std::string table = "table: .long a-table, b-table, c-table, a-table\n";
    for (const std::string jump : {"add %rdx, %rax\njmp *%rax\n", "add %rdx, %rax\nnotrack jmp *%rax\n",
                                   "add %rax, %rdx\njmp *%rdx\n", "lea (%rdx,%rax), %rcx\njmp *%rcx\n"}) {
        if (!assemble(function("f", head + jump + kCases), table)) return;
        const FunctionExits found = exits("f");
        EXPECT_EQ(found.why_not, "") << jump;
        EXPECT_THAT(found.returns, ElementsAre(address("r1"), address("r2"), address("r3"))) << jump;
    }
}

// The table's address may have been loaded long before.
TEST_F(FunctionExitsTest, TablesInLoops) {
    if (!assemble(function("f",
                           "push %rbx\nlea table(%rip), %rbx\nloop: call *%rsi\ncmp $2, %eax\nja d\n"
                           "movslq (%rbx,%rax,4), %rax\nadd %rbx, %rax\njmp *%rax\n" +
                               std::string(kCases)),
                  "table: .long a-table, b-table, c-table\n.long 0x7fffffff\n"))
        return;
    EXPECT_EQ(exits("f").why_not, "");
    EXPECT_EQ(exits("f").returns.size(), 3u);
}

TEST_F(FunctionExitsTest, TablesOfAddresses) {
    // With relocations in a library, whole in a program that is not moved.
    const std::string cases = kCases;
    if (!assemble(function("f", "cmp $2, %edi\nja d\nlea table(%rip), %rdx\njmp *(%rdx,%rdi,8)\n" + cases) +
                      function("g", "lea pointers(%rip), %rdx\njmp *(%rdx,%rdi,8)\n"),
                  ".section .data.rel.ro,\"aw\"\ntable: .quad a, b, c\npointers: .quad f, g\n"))
        return;
    EXPECT_EQ(exits("f").why_not, "");
    EXPECT_EQ(exits("f").returns.size(), 3u);
    EXPECT_THAT(exits("g").why_not, HasSubstr("through a pointer"));
    ASSERT_TRUE(build("gcc -static -nostdlib -no-pie -Wl,-e,f -o program", "code.s",
                      function("f", "cmp $2, %edi\nja d\njmp *table(,%rdi,8)\n" + cases) +
                          ".section .rodata\ntable: .quad a, b, c\n"));
    EXPECT_EQ(exits("f").why_not, "");
    EXPECT_EQ(exits("f").returns.size(), 3u);
}

TEST_F(FunctionExitsTest, TablesThatLeadOut) {
    if (!assemble(function("f",
                           "cmp $3, %edi\nja d\nlea table(%rip), %rdx\nmovslq (%rdx,%rdi,4), %rax\n"
                           "add %rdx, %rax\njmp *%rax\n" +
                               std::string(kCases)) +
                      function("g", "other: ret\n"),
                  "table: .long a-table, b-table, c-table, other-table\n"))
        return;
    EXPECT_THAT(exits("f").why_not, HasSubstr("which leads out of it"));
}

TEST_F(FunctionExitsTest, ColdParts) {
    const std::string code = function("f", "test %edi, %edi\nje f.cold\n1: back: r1: ret\n") +
                             function("unlikely", "ret\n") +
                             ".type f.cold,@function\nf.cold:\n.cfi_startproc\ncmp $1, %esi\nje back\nr2: ret\n"
                             ".cfi_endproc\n.size f.cold, .-f.cold\n";
    if (!assemble(code)) return;
    const FunctionExits found = exits("f");
    EXPECT_EQ(found.why_not, "");
    EXPECT_THAT(found.returns, ElementsAre(address("r1"), address("r2")));
    EXPECT_EQ(found.parts.size(), 2u);
    const auto expected = found.returns;
    const uint64_t f = address("f");
    // Without its name it is a part because it comes back.
    ASSERT_EQ(system(("strip '" + (directory_ / "program").string() + "'").c_str()), 0);
    open("program");
    EXPECT_EQ(function_exits(*object_, f).why_not, "");
    EXPECT_EQ(function_exits(*object_, f).returns, expected);
}

// In stripped files only call frame information has functions without a name.
TEST_F(FunctionExitsTest, NamelessFunctionsAreNoParts) {
    const std::string local = ".type g,@function\ng:\n.cfi_startproc\nnop\nret\n.cfi_endproc\n.size g, .-g\n";
    const std::string part =
        "\n.type h,@function\nh:\n.cfi_startproc\n.cfi_def_cfa_offset 16\npop %rax\nret\n.cfi_endproc\n";
    if (!assemble(function("f", "test %edi, %edi\nje g\nret\n") + local +
                  function("framed", "push %rax\n.cfi_def_cfa_offset 16\ntest %edi, %edi\nje h\npop %rax\nret\n") +
                  part))
        return;
    ASSERT_EQ(system(("strip '" + (directory_ / "program").string() + "'").c_str()), 0);
    open("program");
    EXPECT_THAT(exits("f").why_not, HasSubstr("whose code has no name"));
    EXPECT_EQ(exits("framed").why_not, "");
    EXPECT_EQ(exits("framed").returns.size(), 2u);
}

TEST_F(FunctionExitsTest, CodeThatOthersJumpInto) {
    if (!assemble(function("f", "nop\nmiddle: nop\nret\n") + function("g", "test %edi, %edi\nje middle\nret\n") +
                  function("h", "nop\ninner: ret\n") + function("i", "call inner\nret\n") +
                  function("k", "nop\nret\n") + function("l", "jmp k\n")))
        return;
    EXPECT_THAT(exits("f").why_not, HasSubstr("jumps into it"));
    EXPECT_THAT(exits("h").why_not, HasSubstr("other code calls the part of it"));
    EXPECT_EQ(exits("i").why_not, "");
    EXPECT_EQ(exits("k").why_not, "");
}

TEST_F(FunctionExitsTest, WhereSymbolsHaveNoSize) {
    if (!assemble(".globl f\n.type f,@function\nf:\n.cfi_startproc\nnop\nr1: ret\n.cfi_endproc\n"
                  ".globl g\n.type g,@function\ng:\nnop\nret\n"))
        return;
    EXPECT_THAT(exits("f").returns, ElementsAre(address("r1")));
    EXPECT_EQ(exits("g").why_not, "where it ends is not known");
}

// A lock is an instruction of its own to some assemblers, with a line of its own.
TEST_F(FunctionExitsTest, LinesWithinInstructions) {
    const auto source = [](const char *bytes) {
        return std::string("int f(int n) {\n __asm__ volatile(\".loc 1 1\\n\" \"") + bytes +
               "\" : \"+r\"(n) : : \"memory\", \"cc\");\n return n;\n}\nint main(void) { return f(1); }\n";
    };
    if (!build("gcc -O1 -g -fno-inline -o program", "p.c", source(".byte 0xf0\\n.loc 1 2\\n.byte 1, 0x3c, 0x24\\n")))
        return;
    EXPECT_EQ(exits("f").why_not, "");
    ASSERT_TRUE(
        build("gcc -O1 -g -fno-inline -o program", "p.c", source(".byte 0xb8, 1\\n.loc 1 2\\n.byte 0, 0, 0\\n")));
    EXPECT_THAT(exits("f").why_not, HasSubstr("stap cannot tell its code at"));
}

constexpr const char *kSwitches =
    "extern int sink(int); int cases(int n, int *p) { switch (n) { case 0: return p[3]; case 1: return sink(4); case "
    "2:\n"
    "  p[1] = 3; return 9; case 3: return p[7] * 3; case 4: sink(1); return 0; case 5: return n * *p; case 6:\n"
    "  return sink(p[2]) + 1; } return -1; }\n"
    "long wide(unsigned long n) { long x = 1; switch (n % 13) { case 0: x = 7; case 1: x += n; break; case 2: x = 3 * "
    "n;\n"
    "  break; case 3: return 5; case 4: x = sink(9); break; case 6: x ^= n; default: x++; } return x; }\n"
    "int sink(int n) { static volatile int last; last = n; return last; }\n"
    "int main(int argc, char **argv) { (void)argv; int p[9] = {argc}; return cases(argc, p) + wide(argc); }\n";

TEST_F(FunctionExitsTest, WhatCompilersMakeOfC) {
    for (const std::string compiler : {"gcc", "clang"})
        for (const char *options :
             {"-O0 -g", "-O1 -g", "-O2 -g -fno-optimize-sibling-calls", "-Os -g -fno-optimize-sibling-calls", "-O1",
              "-O2 -fno-optimize-sibling-calls", "-O2 -fno-optimize-sibling-calls -fcf-protection",
              "-O2 -fno-optimize-sibling-calls -no-pie -fno-pie", "-O1 -s -rdynamic -fno-optimize-sibling-calls"}) {
            if (!build(compiler + " " + options + " -fno-inline -o program", "p.c", kSwitches)) continue;
            for (const char *function : {"cases", "wide"}) {
                const FunctionExits found = exits(function);
                EXPECT_EQ(found.why_not, "") << function << " of " << compiler << options;
                EXPECT_FALSE(found.returns.empty()) << function << " of " << compiler << options;
            }
        }
}

TEST_F(FunctionExitsTest, HandlersOfExceptionsReturn) {
    constexpr const char *kSource =
        "extern \"C\" __attribute__((noinline)) int may(int n) { if (n > 2) throw n; return n; }\n"
        "extern \"C\" __attribute__((noinline)) int tries(int n) {\n"
        "    try { return may(n); } catch (int caught) { return caught * 3; } }\n"
        "int main(int argc, char **) { return tries(argc); }\n";
    for (const char *command :
         {"g++ -O2 -g", "g++ -O2 -s -rdynamic", "g++ -O2", "clang++ -O2", "g++ -O0 -s -rdynamic"}) {
        if (!build(std::string(command) + " -o program", "p.cc", kSource)) continue;
        const FunctionExits found = exits("tries");
        EXPECT_EQ(found.why_not, "") << command;
        EXPECT_GE(found.returns.size(), 1u) << command;
        for (const uint64_t at : found.returns) {
            unsigned char byte[1];
            EXPECT_TRUE(object_->object->read_code(at, byte) && byte[0] == 0xc3);
        }
    }
}

TEST_F(FunctionExitsTest, OfGoAndRust) {
    constexpr const char *kGo =
        "package main\nimport \"fmt\"\n//go:noinline\nfunc weigh(s []int, n int) int {\n var big [64]int\n"
        " for i, v := range s { big[i&63] += v }\n if n > 3 { return big[n&63] }\n fmt.Println(big)\n return n }\n"
        "//go:noinline\nfunc guard(n int) int {\n defer func() { recover() }()\n if n > 3 { panic(n) }\n return n }\n"
        "func main() { fmt.Println(weigh([]int{1, 2}, 3), guard(2)) }\n";
    std::vector<uint64_t> returns;
    for (const char *options : {"", "-ldflags=-w", "'-ldflags=-s -w'"}) {
        if (!build(std::string("go build -o program ") + options, "p.go", kGo)) continue;
        const FunctionExits found = exits("main.weigh");
        EXPECT_EQ(found.why_not, "") << options;
        EXPECT_GE(found.returns.size(), 1u) << options;
        if (returns.empty()) returns = found.returns;
        // Stripping moves no code.
        EXPECT_EQ(found.returns, returns) << options;
        // Go's runtime returns to code behind a panic that nothing else reaches.
        EXPECT_EQ(exits("main.guard").why_not, "") << options;
        for (const auto &[name, key] :
             {std::pair("main.weigh", GoCallKey::Goroutine), std::pair("runtime.memmove", GoCallKey::Stack)}) {
            dwarf::CodeSite site;
            site.pc = object_->object->symbol_address(name).value_or(0);
            EXPECT_TRUE(is_go(*object_, site)) << name << options;
            EXPECT_EQ(go_call_key(*object_, site), key) << name << options;
        }
        EXPECT_FALSE(is_stripped(*object_)) << options;
    }
    // As of a version without the table.
    if (!returns.empty() &&
        build("go build -o program -ldflags=-w p.go && objcopy --rename-section .gopclntab=.other program #", "p.go",
              kGo)) {
        dwarf::CodeSite site;
        site.pc = address("main.weigh");
        EXPECT_TRUE(is_go(*object_, site));
        EXPECT_EQ(go_call_key(*object_, site), GoCallKey::Unknown);
    }
    constexpr const char *kRust =
        "#[no_mangle] #[inline(never)] pub extern \"C\" fn weigh(a: &[u8; 4], n: usize) -> u32 {\n"
        " if n > 9 { return 3; } println!(\"{}\", n); a[n] as u32 }\n"
        "fn main() { println!(\"{}\", weigh(&[1, 2, 3, 4], std::env::args().count())); }\n";
    for (const char *options : {"-O -g", "-O"}) {
        if (!build(std::string("rustc ") + options + " -o program", "p.rs", kRust)) continue;
        EXPECT_EQ(exits("weigh").why_not, "") << options;
        EXPECT_GE(exits("weigh").returns.size(), 1u) << options;
    }
}

}  // namespace
}  // namespace tapir::target
