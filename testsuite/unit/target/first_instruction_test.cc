// SPDX-License-Identifier: GPL-2.0-or-later
// Where parameters are at the first instruction of functions that compilers have made, against the text of the ABI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "target/debug_info.h"
#include "target/entry_arguments.h"

namespace tapir::target {
namespace {

namespace fs = std::filesystem;
using ctypes::Place;
using testing::ElementsAre;

class FirstInstruction : public testing::Test {
  protected:
    void SetUp() override {
#ifndef __x86_64__
        GTEST_SKIP() << "registers of x86-64";
#endif
        char name[] = "/tmp/tapir-first-instruction-XXXXXX";
        ASSERT_NE(mkdtemp(name), nullptr);
        directory_ = name;
    }
    void TearDown() override {
        if (!directory_.empty()) fs::remove_all(directory_);
    }

    // False where there is no such compiler.
    bool build(const std::string &command, const std::string &name, const char *source) {
        const std::string compiler = command.substr(0, command.find(' '));
        if (system((compiler + " --version >/dev/null 2>&1").c_str()) != 0) return false;
        std::ofstream(directory_ / name) << source;
        const std::string whole =
            "cd '" + directory_.string() + "' && " + command + " -g -o program " + name + " >log 2>&1";
        EXPECT_EQ(system(whole.c_str()), 0) << whole;
        std::string error;
        debug_ = std::make_unique<DebugInfo>(DebugSources{});
        object_ = debug_->program((directory_ / "program").string(), error);
        EXPECT_TRUE(object_ && object_->index) << error;
        return object_ && object_->index;
    }

    dwarf::CodeSite site(const std::string &function) const {
        std::string error;
        const auto sites = dwarf::find_functions(*object_->object, *object_->index,
                                                 *dwarf::parse_function_pattern(function, error), {});
        EXPECT_EQ(sites.size(), 1u) << function;
        return sites.empty() ? dwarf::CodeSite{} : sites[0];
    }

    std::vector<std::string> places(const dwarf::CodeSite &at, bool parameters = true) const {
        std::vector<std::string> texts;
        for (const Variable &variable : make_scope(*object_, at)->variables())
            if (variable.parameter == parameters) texts.push_back(variable.name + text(variable.place));
        return texts;
    }
    std::vector<std::string> places(const std::string &function) const {
        return places(site(function));
    }

    static std::string text(const Place &place) {
        if (place.kind == Place::Kind::Absent) return place.later ? " later" : " absent";
        if (place.kind == Place::Kind::Pieces) {
            std::string all;
            for (const ctypes::Piece &piece : place.pieces)
                all += text(piece.place);
            return all;
        }
        return (place.kind == Place::Kind::Memory ? " at " : " ") + ctypes::term_text(*place.term);
    }

    fs::path directory_;
    std::unique_ptr<DebugInfo> debug_;
    const DebugObject *object_ = nullptr;
};

constexpr const char *kC =
    "struct two { long a; int b; }; struct three { long a, b, c; };\n"
    "volatile long sink;\n"
    "__attribute__((noinline)) void keep(const void *p) { __asm__ volatile(\"\" : : \"r\"(p) : \"memory\"); }\n"
    "static __attribute__((noinline)) long f(int a, char *s, struct two t, struct three h, short c, char d, long e) {\n"
    "    char local[8]; keep(local); keep(&a); keep(&s); keep(&t); keep(&h); keep(&c); keep(&d); keep(&e);\n"
    "    return *s + c + sink; }\n"
    "__attribute__((noinline)) struct three g(int a, long double b, double c, int d, __int128 e, int x, int y) {\n"
    "    struct three r = {a, d, e}; keep(&r); keep(&a); keep(&b); keep(&c); keep(&d); keep(&e); keep(&x); keep(&y);\n"
    "    return r; }\n"
    "int main(int argc, char **argv) { struct two t = {argc, argc + 1}; struct three h = {1, argc, 3};\n"
    "    return f(argc, argv[0], t, h, argc, argc, argc) + g(argc, 2, 3, argc, argc, argc, argc).a; }\n";

// LLVM does not describe what a method's body does not use if it is passed by an address.
TEST_F(FirstInstruction, OfAMethodThatIsNotDescribedWhole) {
    constexpr const char *kSource =
        "__attribute__((noinline)) void keep(const void *p) { __asm__ volatile(\"\" : : \"r\"(p) : \"memory\"); }\n"
        "struct moved { short a; moved() = default; moved(const moved &o) { keep(&o); } };\n"
        "struct S { int own; long one(moved m, long a) { keep(&a); return own; }\n"
        "    long two(long a, moved m, moved n, long b) { keep(&a); keep(&n); keep(&b); return own; } };\n"
        "int main() { moved m; S s = {1}; return s.one(m, 2) + s.two(3, m, m, 4); }\n";
    for (const char *compiler : {"g++ -O0", "clang++ -O0", "clang++ -O0 -gdwarf-4"}) {
        if (!build(compiler, "m.cc", kSource)) continue;
        EXPECT_THAT(places("S::one"), testing::Contains("a reg1")) << compiler;
        // Which of the two is missing is not told.
        EXPECT_THAT(places("S::two"), testing::AnyOf(testing::IsSupersetOf({"a reg4", "b reg8"}),
                                                     testing::IsSupersetOf({"a later", "b later"})))
            << compiler;
    }
}

// C has large values themselves on the stack, Rust their addresses where registers do not suffice
// (accept/parameters.py).
TEST_F(FirstInstruction, OfRustThatOthersCall) {
    constexpr const char *kSource =
        "use std::hint::black_box;\n"
        "#[repr(C)] #[derive(Clone, Copy)] pub struct Large { a: u64, b: u64, c: u64 }\n"
        "#[no_mangle] #[inline(never)] pub extern \"C\" fn outside(p: Large, q: u64) { black_box(&p); black_box(&q); "
        "}\n"
        "#[inline(never)] pub extern \"C\" fn callback(p: Large, q: u64) { black_box(&p); black_box(&q); }\n"
        "fn main() { let l = black_box(Large { a: 1, b: 2, c: 3 }); outside(l, 4); callback(l, 4) }\n";
    if (!build("rustc -O -A warnings", "r.rs", kSource)) GTEST_SKIP() << "no rustc";
    for (const char *function : {"outside", "r::callback"}) {
        std::string error;
        const auto sites = dwarf::find_functions(*object_->object, *object_->index,
                                                 *dwarf::parse_function_pattern(function, error), {});
        ASSERT_EQ(sites.size(), 1u) << function;
        EXPECT_THAT(places(sites[0]), testing::Contains("p at (reg7 + 8)")) << function;
    }
}

// LLVM before 18 splits integers of 16 bytes between the last register and the stack; GCC does not.
TEST_F(FirstInstruction, OfWideIntegersThatDoNotFit) {
    constexpr const char *kSource =
        "__attribute__((noinline)) int f(long a, long b, long c, long d, long e, __int128 w, char x) {\n"
        "    volatile long s = a + b + c + d + e; volatile __int128 v = w; volatile char k = x; return s + v + k; }\n"
        "int main() { return f(1, 2, 3, 4, 5, 6, 7); }\n";
    const auto whole = testing::IsSupersetOf({"w at (reg7 + 8)", "x reg9"});
    const auto split = testing::IsSupersetOf({"w reg9 at (reg7 + 8)", "x at (reg7 + 16)"});
    if (build("gcc -O0", "w.c", kSource)) {
        EXPECT_THAT(places("f"), whole);
    }
    if (build("clang -O0", "w.c", kSource)) {
        EXPECT_THAT(places("f"), testing::AnyOf(whole, split));
    }
}

// System V ABI, AMD64 supplement, section 3.2.3.
TEST_F(FirstInstruction, OfC) {
    for (const char *compiler :
         {"gcc -O0", "gcc -O1", "gcc -O2", "gcc -O1 -fno-var-tracking", "gcc -O0 -fomit-frame-pointer",
          "gcc -O0 -gdwarf-3", "gcc -O0 -gdwarf-2 -gstrict-dwarf", "clang -O0", "clang -O1", "clang -O2"}) {
        if (!build(compiler, "c.c", kC)) continue;
        // LLVM's callers in the same file need not pass what a function does not use, so what optimized code of it says
        // nothing of is not known.
        const std::string_view command = compiler;
        const bool may_lack = command.starts_with("clang") && !command.ends_with("-O0");
        const auto is = [&](const std::string &place) {
            const std::string name = place.substr(0, 1);
            return may_lack ? testing::AnyOf(place, name + " absent", name + " later")
                            : testing::AnyOf(place, place, place);
        };
        EXPECT_THAT(places("f"), ElementsAre(is("a reg5"), is("s reg4"), is("t reg1 reg2"), is("h at (reg7 + 8)"),
                                             is("c reg8"), is("d reg9"), is("e at (reg7 + 32)")))
            << compiler;
        // The address of the result comes first.
        EXPECT_THAT(places("g"), ElementsAre(is("a reg4"), is("b at (reg7 + 8)"), testing::_, is("d reg1"),
                                             is("e reg2 reg8"), is("x reg9"), is("y at (reg7 + 24)")))
            << compiler;
    }
}

// Functions that align their stack keep variables at offsets to the stack pointer, which at the entry is another one.
TEST_F(FirstInstruction, OfAlignedFrames) {
    constexpr const char *kAligned =
        "struct s { unsigned a, b; char c; }; volatile long sink;\n"
        "__attribute__((noinline)) void keep(const void *p) { __asm__ volatile(\"\" : : \"r\"(p) : \"memory\"); }\n"
        "__attribute__((noinline)) int f(long a, struct s t, long b, __int128 c) {\n"
        "    keep(&t); keep(&a); keep(&b); keep(&c); return sink; }\n"
        "int main(int argc, char **argv) { struct s s = {argc, 2, 3}; return f(argc, s, argc, argc); }\n";
    for (const char *compiler : {"gcc -O2 -mstackrealign", "gcc -O2 -mstackrealign -fno-var-tracking"}) {
        if (!build(compiler, "c.c", kAligned)) continue;
        EXPECT_THAT(places("f"), ElementsAre("a reg5", "t reg4 reg1", "b reg2", "c reg8 reg9")) << compiler;
    }
}

// LLVM moves what all calls pass into the function, and what follows takes its place. That a parameter is in the frame
// proves nothing, but one that follows it where the rules have it does.
TEST_F(FirstInstruction, OfConstantsThatAreNotPassed) {
    constexpr const char *kConstants =
        "volatile long sink; struct s { _Bool a; };\n"
        "__attribute__((noinline)) void keep(const void *p) { __asm__ volatile(\"\" : : \"r\"(p) : \"memory\"); }\n"
        "static __attribute__((noinline)) long f(struct s a) { keep(&a); return sink; }\n"
        "static __attribute__((noinline)) long g(long a, long b) { keep(&a); keep(&b); return sink; }\n"
        "static __attribute__((noinline)) long h(long a, long b, long c) { keep(&a); keep(&b); return sink + c; }\n"
        "int main(int argc, char **argv) { struct s s = {0};\n"
        "    return f(s) + f(s) + g(7, argc) + g(7, argc + 1) + h(argc, argc, argc) + h(3, 4, 5); }\n";
    if (!build("clang -O2", "c.c", kConstants)) GTEST_SKIP() << "no clang";
    EXPECT_THAT(places("f"), ElementsAre("a later"));
    EXPECT_EQ(make_scope(*object_, site("f"))->variables().front().place.why,
              "where the debug information has it, it is only once the function has begun to run");
    EXPECT_THAT(places("g"), ElementsAre("a 7", "b reg5"));
    EXPECT_THAT(places("h"), ElementsAre("a reg5", "b reg4", "c reg1"));
}

// Descriptions may begin behind these instructions. The values are already there at the entry.
TEST_F(FirstInstruction, BeforeInstructionsThatChangeNothing) {
    constexpr const char *kLoop =
        "volatile long sink;\n"
        "__attribute__((noinline)) void keep(const void *p) { __asm__ volatile(\"\" : : \"r\"(p) : \"memory\"); }\n"
        "__attribute__((noinline)) long f(char *p, long n) { while (n--) keep(p++); return sink; }\n"
        "static __attribute__((noinline)) long g(char *p, long n) { while (n--) keep(p++); return sink; }\n"
        "int main(int argc, char **argv) { return f(argv[0], argc) + g(argv[0], 2 * argc); }\n";
    for (const char *options : {"", " -fcf-protection=branch", " -fpatchable-function-entry=5"}) {
        if (!build(std::string("clang -O2") + options, "c.c", kLoop)) GTEST_SKIP() << "no clang";
        // Its n is described as it is after n--.
        EXPECT_THAT(places("f"), ElementsAre("p reg5", "n reg4")) << options;
        EXPECT_THAT(places("g"), ElementsAre("p reg5", "n later")) << options;
    }
}

TEST_F(FirstInstruction, LocalsHaveNoValue) {
    for (const char *compiler : {"gcc -O0", "clang -O0"}) {
        if (!build(compiler, "c.c", kC)) continue;
        EXPECT_THAT(places(site("f"), false), ElementsAre("local later")) << compiler;
        const auto behind = behind_prologue(*object_, site("f"));
        ASSERT_TRUE(behind) << compiler;
        EXPECT_FALSE(behind->at_entry);
        const auto there = places(*behind, false);
        ASSERT_EQ(there.size(), 1u);
        EXPECT_THAT(there[0], testing::StartsWith("local at (reg")) << compiler;
    }
}

// The arguments of a call, while its instruction has not pushed the return address.
TEST_F(FirstInstruction, OfCallees) {
    if (!build("gcc -O0", "c.c", kC)) GTEST_SKIP() << "no compiler";
    auto calls = dwarf::find_callees(*object_->object, *object_->index, {site("main")}, "f", 1);
    if (calls.empty()) {  // without optimization nothing is said of calls
        ASSERT_TRUE(build("gcc -O1", "c.c", kC));
        calls = dwarf::find_callees(*object_->object, *object_->index, {site("main")}, "f", 1);
    }
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_THAT(places(calls[0]),
                ElementsAre("a reg5", "s reg4", "t reg1 reg2", "h at reg7", "c reg8", "d reg9", "e at (reg7 + 24)"));
}

// Itanium C++ ABI: what copying takes a function for is passed by its address; a reference is an address.
TEST_F(FirstInstruction, OfCxx) {
    constexpr const char *kCxx =
        "volatile long sink;\n"
        "__attribute__((noinline)) void keep(const void *p) { __asm__ volatile(\"\" : : \"r\"(p) : \"memory\"); }\n"
        "struct Copied { int n; Copied(int m) : n(m) {} Copied(const Copied &o) : n(o.n) { keep(this); } };\n"
        "struct Base { virtual ~Base() {} int base = 1; };\n"
        "struct Virtual : virtual Base { int own; __attribute__((noinline)) Virtual(int a, short b) : own(a) {\n"
        "    keep(&a); keep(&b); } };\n"
        "struct Derived : Virtual { Derived(int a) : Virtual(a, 2) { keep(this); } };\n"
        "struct K { int own; __attribute__((noinline)) long method(int a, const int &r, Copied c, bool d) const {\n"
        "    keep(&a); keep(&r); keep(&c); keep(&d); const K *const self = this; keep(&self); return r + sink; } };\n"
        "int main(int argc, char **) { K k{argc}; Derived d(argc); int n = argc;\n"
        "    return k.method(1, n, Copied(argc), true) + d.own; }\n";
    for (const char *compiler : {"g++ -O0", "g++ -O0 -gdwarf-4", "clang++ -O0"}) {
        if (!build(compiler, "c.cc", kCxx)) continue;
        EXPECT_THAT(places("K::method"), ElementsAre("this reg5", "a reg4", "r reg1", "c at reg2", "d reg8"))
            << compiler;
        std::string error;
        const auto constructors = dwarf::find_functions(*object_->object, *object_->index,
                                                        *dwarf::parse_function_pattern("Virtual::Virtual", error), {});
        for (const dwarf::CodeSite &one : constructors) {
            auto found = places(one);
            std::erase_if(found, [](const std::string &text) { return text.find("vtt") != std::string::npos; });
            // The constructor of a base gets the table of virtual tables behind the object.
            const bool of_base =
                object_->object->symbols().functions_at(one.pc)[0].find("C2") != std::string_view::npos;
            if (of_base)
                EXPECT_THAT(found, ElementsAre("this reg5", "a reg1", "b reg2")) << compiler;
            else
                EXPECT_THAT(found, ElementsAre("this reg5", "a reg4", "b reg1")) << compiler;
        }
    }
}

// Rust documents no convention: numbers and pairs of numbers are in as many registers, larger values at an address.
TEST_F(FirstInstruction, OfRust) {
    constexpr const char *kRust =
        "use std::hint::black_box;\n"
        "pub struct Large { a: u64, b: u16, c: u64 }\n"
        "#[inline(never)] fn f(a: u8, s: &str, l: Large, o: Option<u32>, p: Option<&u8>, t: (u16,)) -> Large {\n"
        "    black_box(&a); black_box(&s); black_box(&l); black_box(&o); black_box(&p); black_box(&t); l }\n"
        "fn main() { let l = Large { a: 1, b: 2, c: 3 };\n"
        "    let r = f(1, \"text\", l, Some(7), Some(&3), (4,)); black_box(r.a + r.b as u64 + r.c); }\n";
    if (!build("rustc", "r.rs", kRust)) GTEST_SKIP() << "no rustc";
    // The address of the result is the first.
    EXPECT_THAT(places("f"), ElementsAre("a reg4", "s reg1 reg2", "l at reg8", "o reg9 at (reg7 + 8)",
                                         "p at (reg7 + 16)", "t at (reg7 + 24)"));
}

// Where the end of a prologue is not marked, nor known by the lines of code without optimization, it is not guessed.
TEST_F(FirstInstruction, PrologueOfOptimizedCode) {
    ASSERT_TRUE(build("gcc -O2", "c.c", kC));
    EXPECT_FALSE(behind_prologue(*object_, site("g")));
    ASSERT_TRUE(build("gcc -O0", "c.c", kC));
    EXPECT_TRUE(behind_prologue(*object_, site("g")));
}

}  // namespace
}  // namespace tapir::target
