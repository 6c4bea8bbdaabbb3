// SPDX-License-Identifier: GPL-2.0-or-later
// Functions by symbols, and by what debug information and symbols say together. `nm` says where each is.
#include <gmock/gmock.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "compiled_programs.h"

namespace tapir::dwarf {
namespace {

// Two versions of one name, an alias, a function in assembler, and one that is chosen at start.
constexpr char kLibrary[] = R"(
int sink;
__attribute__((noinline)) int old_open(int bytes) { return sink = bytes; }
__attribute__((noinline)) int new_open(int bytes) { return sink = bytes + 1; }
__asm__(".symver old_open, opened@V1\n.symver new_open, opened@@V2");
__attribute__((noinline)) int __libc_take(long bytes) { return sink = (int)bytes; }
int take(long bytes) __attribute__((alias("__libc_take")));
static __attribute__((noinline)) int hidden(int a) { return sink = a; }
int calls(int a) { return hidden(a); }
__asm__(".text\n.globl bare\n.type bare,@function\nbare: ret\n.size bare,.-bare\n"
        ".type \"odd@name\",@function\n\"odd@name\": ret\n.size \"odd@name\",.-\"odd@name\"\n");
static int __pick_fast(int a) { return a; }
static int __pick_slow(int a) { return a + 1; }
static int (*choose(void))(int) { return sink ? __pick_fast : __pick_slow; }
int pick(int a) __attribute__((ifunc("choose")));
)";

class Symbols : public Programs {
  protected:
    void SetUp() override {
        write("library.c", kLibrary);
        write("versions", "V1 { global: *; };\nV2 { } V1;\n");
        ASSERT_TRUE(
            run("gcc -shared -fPIC -O2 -g -fcf-protection=none -Wl,--version-script=versions -Wl,--build-id "
                "-o whole.so library.c && mkdir -p debug && "
                "objcopy --only-keep-debug whole.so debug/library.so.debug && "
                "objcopy --strip-all --add-gnu-debuglink=debug/library.so.debug whole.so library.so && "
                "cp library.so bare.so && objcopy --remove-section=.gnu_debuglink bare.so"))
            << read("log");
    }

    // Name without version -> addresses, of functions in .dynsym or .symtab.
    std::multimap<std::string, uint64_t> by_nm(const std::string &options, const std::string &file) {
        EXPECT_TRUE(run("nm --defined-only " + options + " " + file + " >nm.out && cat nm.out")) << read("log");
        std::istringstream lines(read("nm.out"));
        std::multimap<std::string, uint64_t> found;
        for (std::string address, kind, name; lines >> address >> kind >> name;)
            if (std::string_view("tTwWi").find(kind) != std::string_view::npos)
                found.emplace(std::regex_replace(name, std::regex("@@?V[12]$"), ""), std::stoull(address, nullptr, 16));
        return found;
    }

    void use(const std::string &file) {
        object_ = open(path(file), ":.debug:" + path("debug"));
        index_ = Index::open(*object_, "");
    }

    std::unique_ptr<Object> object_;
    std::unique_ptr<Index> index_;
};

// Of several names of a place the one that other files use.
TEST_F(Symbols, TheNameOfAPlace) {
    use("whole.so");
    const auto symbol = object_->symbols().symbol_at(by_nm("", "whole.so").find("take")->second + 1);
    ASSERT_TRUE(symbol);
    EXPECT_EQ(symbol->symbol, "take");
    EXPECT_EQ(symbol->offset, 1u);
}

}  // namespace
}  // namespace tapir::dwarf
