// SPDX-License-Identifier: GPL-2.0-or-later
// A stripped program of Go against the same with symbols and debug information: both are read by the same rules in the
// end, but what the rules come from are nm and Go's linker on one side, the tables of Go's runtime on the other.
#include "unwind/go_functions.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "common/files.h"
#include "load.h"

namespace tapir::unwind {
namespace {

namespace fs = std::filesystem;

constexpr char kProgram[] = R"(package main

import ("fmt"; "os"; "strings")

type shape interface { area() float64 }
type square struct { side float64 }
func (s square) area() float64 { return s.side * s.side }
//go:noinline
func sum[T int | float64](all []T) (n T) { for _, one := range all { n += one }; return }
//go:noinline
func deep(n int) int { var room [64]int; if n > 0 { room[n&63] = deep(n-1) }; return room[n&63] + 1 }
func main() {
	defer func() { fmt.Println(recover()) }()
	var s shape = square{float64(len(os.Args))}
	done := make(chan int)
	go func() { done <- deep(10) }()
	fmt.Println(strings.Repeat("x", <-done), s.area(), sum([]int{1, 2}), sum([]float64{3}))
	panic("end")
}
)";

// A small program, to be compiled quickly for programs of another kind.
constexpr char kSmall[] = R"(package main

//go:noinline
func deep(n int) int { var room [64]int; if n > 0 { room[n&63] = deep(n-1) }; return room[n&63] + 1 }
func main() { done := make(chan int); go func() { done <- deep(10) }(); println(<-done) }
)";

class GoFunctionsTest : public testing::Test {
  protected:
    GoFunctionsTest() {
        std::string pattern = testing::TempDir() + "tapir-go-XXXXXX";
        directory_ = fs::canonical(mkdtemp(pattern.data())).string();
        std::ofstream(directory_ + "/program.go") << kProgram;
        std::ofstream(directory_ + "/small.go") << kSmall;
    }
    ~GoFunctionsTest() override { fs::remove_all(directory_); }
    void SetUp() override {
        if (system("command -v go >/dev/null") != 0) GTEST_SKIP() << "the Go compiler is not there";
    }
    std::string build(const std::string &name, const std::string &options, const std::string &environment = "",
                      const std::string &source = "program.go") {
        const std::string command = "cd " + directory_ +
                                    " && export GO111MODULE=off CGO_ENABLED=0 GOCACHE=" + directory_ +
                                    "/cache GOTMPDIR=" + directory_ + " && " + environment + " go build -o " + name +
                                    " " + options + " " + source + " >log 2>&1";
        EXPECT_EQ(system(command.c_str()), 0) << command;
        return directory_ + "/" + name;
    }
    // Addresses, sizes and names of functions.
    std::map<uint64_t, std::pair<uint64_t, std::set<std::string>>> by_nm(const std::string &path) {
        std::map<uint64_t, std::pair<uint64_t, std::set<std::string>>> found;
        std::ignore = system(("nm -S --defined-only " + path + " >" + directory_ + "/symbols").c_str());
        std::ifstream in(directory_ + "/symbols");
        for (std::string line; std::getline(in, line);) {
            // "0000000000401000 000000000000005b T runtime.text", or without a size
            std::istringstream words(line);
            std::string address, size, kind, name;
            if (!(words >> address >> size >> kind) || size.size() != 16 || (kind != "T" && kind != "t")) continue;
            std::getline(words >> std::ws, name);
            if (name.ends_with(".abi0")) name.resize(name.size() - 5);
            name = without_types(name);
            auto &known = found[std::stoull(address, nullptr, 16)];
            known.first = std::stoull(size, nullptr, 16);
            known.second.insert(name);
        }
        return found;
    }
    // Each function has its name, its size and, at each instruction, the same way to its caller.
    void compare(const std::string &whole_path, const std::string &bare_path) {
        const Object whole(whole_path), bare(bare_path);
        ASSERT_EQ(whole.why + bare.why, "");
        const GoFunctions functions(bare.file);
        const auto known = by_nm(whole_path);
        std::map<uint64_t, const GoFunction *> found;
        for (const GoFunction &function : functions.all())
            found[function.start] = &function;
        unsigned compared = 0, different = 0, assembly = 0;
        for (const auto &[address, symbol] : known) {
            if (!symbol.first || symbol.second.count("runtime.etext")) continue;
            const auto function = found.find(address);
            if (function == found.end()) {
                // Data between functions.
                if (symbol.second.count("go.buildid") || symbol.second.count("go:buildid")) continue;
                ADD_FAILURE() << "no " << *symbol.second.begin();
                continue;
            }
            compared++;
            const std::string name = without_types(std::string(function->second->name));
            if (!symbol.second.count(name)) ADD_FAILURE() << name << " instead of " << *symbol.second.begin();
            const bool mark = name.starts_with("go:textfips");
            EXPECT_TRUE(mark || function->second->bytes == symbol.first) << name << ' ' << function->second->bytes;
            const std::string source = file_at(whole, address);
            const bool is_assembly = function->second->source == GoSource::Assembly;
            EXPECT_TRUE(source.empty() || is_assembly == source.ends_with(".s")) << name << " of " << source;
            assembly += is_assembly;
            // Go's linker for AArch64 marks it as never called. The kernel calls it, and handlers return to the vDSO.
            if (name == "runtime.sigtramp") continue;
            for (uint64_t at = address; at < address + symbol.first; at++)
                if (rule(whole, at) != rule(bare, at) && ++different < 10)
                    ADD_FAILURE() << name << "+" << at - address << ": " << rule(bare, at) << "instead of "
                                  << rule(whole, at);
        }
        EXPECT_GT(compared, 1000u);
        EXPECT_EQ(different, 0u);
        EXPECT_GT(assembly, 20u);
        EXPECT_EQ(name_at(bare, "main.deep", known), "main.deep");
    }
    // Removes the text between brackets, which the tables leave out.
    static std::string without_types(const std::string &name) {
        return std::regex_replace(name, std::regex("\\[.*\\]"), "[...]");
    }
    // The source file, by debug information. "" where that names none.
    static std::string file_at(const Object &object, uint64_t address) {
        const auto place = object.file.place_of(address);
        const tapir_unwind_table &table = object.table.header();
        const tapir_unwind_line *line = place ? tapir_unwind_find_line(&table, static_cast<uint32_t>(*place)) : nullptr;
        return line && line->line ? tapir_unwind_string(&table, line->file) : "";
    }
    static std::string rule(const Object &object, uint64_t address) {
        const auto place = object.file.place_of(address);
        const tapir_unwind_table &table = object.table.header();
        const tapir_unwind_rule *found =
            place ? tapir_unwind_find_rule(&table, static_cast<uint32_t>(*place)) : nullptr;
        if (!found) return "nothing";
        std::ostringstream text;
        // Which form the rule has makes no difference.
        text << int{found->cfa} << " r" << int{found->base} << "+" << found->offset << "+" << found->add << " flags "
             << (found->flags & ~TAPIR_RULE_PLAIN);
        for (unsigned i = 0; i < found->nsaved; i++) {
            const tapir_unwind_saved &saved = tapir_unwind_saved_of(&table)[found->saved + i];
            // Go's linker says that the caller's stack pointer is the CFA, which goes without saying.
            if (saved.reg == tapir_unwind_stack_register(table.machine) && saved.how == TAPIR_SAVED_VALUE) continue;
            text << " r" << int{saved.reg} << " how " << int{saved.how} << " " << saved.offset;
        }
        return text.str();
    }
    template <class Known>
    static std::string name_at(const Object &object, const std::string &name, const Known &known) {
        for (const auto &[address, symbol] : known) {
            if (!symbol.second.count(name)) continue;
            const tapir_unwind_table &table = object.table.header();
            const auto place = object.file.place_of(address);
            const tapir_unwind_symbol *found =
                place ? tapir_unwind_find_symbol(&table, static_cast<uint32_t>(*place)) : nullptr;
            return found ? tapir_unwind_string(&table, found->name) : "nothing";
        }
        return "not in the program";
    }

    std::string directory_;
};

TEST_F(GoFunctionsTest, AreThoseOfTheSymbols) {
    compare(build("whole", ""), build("bare", "-ldflags='-s -w'"));
}

// The first code's address is written by the dynamic linker.
TEST_F(GoFunctionsTest, AreThoseOfTheSymbolsInRelocatablePrograms) {
    compare(build("whole", "-buildmode=pie", "", "small.go"),
            build("bare", "-buildmode=pie -ldflags='-s -w'", "", "small.go"));
}

TEST_F(GoFunctionsTest, AreThoseOfTheSymbolsOnAArch64) {
    compare(build("whole", "", "GOARCH=arm64", "small.go"),
            build("bare", "-ldflags='-s -w'", "GOARCH=arm64", "small.go"));
}

// Go's own linker takes C in.
TEST_F(GoFunctionsTest, KnowWhatIsNotGo) {
    std::ofstream(directory_ + "/c.go") << "package main\n"
                                           "// __attribute__((noinline)) static int weigh(int n) { return n * 3; }\n"
                                           "import \"C\"\n"
                                           "func main() { println(C.weigh(2)) }\n";
    const Object bare(build("bare", "-ldflags='-s -w -linkmode=internal'", "CGO_ENABLED=1", "c.go"));
    // The system's linker puts the table among other data.
    const Object whole_pie(build("whole_pie", "-buildmode=pie", "CGO_ENABLED=1", "c.go"));
    const Object pie(build("pie", "-buildmode=pie -ldflags='-s -w'", "CGO_ENABLED=1", "c.go"));
    ASSERT_EQ(pie.why + whole_pie.why, "");
    EXPECT_FALSE(pie.file.section(".data.rel.ro.gopclntab"));
    const auto known = by_nm(directory_ + "/whole_pie");
    unsigned compared = 0;
    const GoFunctions of_pie(pie.file);
    for (const GoFunction &function : of_pie.all()) {
        const auto symbol = known.find(function.start);
        const std::string name = without_types(std::string(function.name));
        ASSERT_TRUE(symbol != known.end() && symbol->second.second.count(name)) << name;
        compared++;
    }
    EXPECT_GT(compared, 500u);
    ASSERT_EQ(bare.why, "");
    const GoFunctions functions(bare.file);
    std::map<std::string_view, GoSource> found;
    for (const GoFunction &function : functions.all())
        found.emplace(function.name, function.source);
    EXPECT_EQ(found.count("weigh") ? found["weigh"] : GoSource::Go, GoSource::C);
    EXPECT_EQ(found.count("main.main") ? found["main.main"] : GoSource::C, GoSource::Go);
    EXPECT_EQ(found.count("runtime.memmove") ? found["runtime.memmove"] : GoSource::C, GoSource::Assembly);
}

// Since Go 1.26 a section of its own tells where code begins. The test writes one over other data of a program that is
// not run.
TEST_F(GoFunctionsTest, CodeBeginsWhereTheModuleSays) {
    const std::string path = build("bare", "-ldflags='-s -w'");
    ASSERT_EQ(system(("objcopy --rename-section .noptrdata=.go.module " + path).c_str()), 0);
    std::string content = *read_file(path);
    uint64_t table = 0, module = 0, table_address = 0, code = 0;
    size_t count = 0;
    {
        MemoryImage image(content);
        ElfFile file;
        ASSERT_EQ(file.parse(image), "");
        ASSERT_TRUE(file.section(".gopclntab") && file.section(".go.module"));
        table = file.section(".gopclntab")->place;
        table_address = file.section(".gopclntab")->address;
        module = file.section(".go.module")->place;
        count = GoFunctions(file).all().size();
        memcpy(&code, &content[table + 24], sizeof code);
    }
    const auto functions = [&](uint64_t begin) {
        memset(&content[table + 24], 0, sizeof code);
        memcpy(&content[module], &table_address, sizeof table_address);
        memcpy(&content[module + 160], &code, sizeof code);
        memcpy(&content[module + 176], &begin, sizeof begin);
        MemoryImage image(content);
        ElfFile file;
        EXPECT_EQ(file.parse(image), "");
        return GoFunctions(file).all().size();
    };
    EXPECT_GT(count, 1000u);
    EXPECT_EQ(functions(code), count);
    EXPECT_EQ(functions(code + 16), 0u) << "of a layout that is not known";
}

// Files with any content.
TEST_F(GoFunctionsTest, DamageIsHarmless) {
    const std::string path = build("bare", "-ldflags='-s -w'");
    const std::string content = *read_file(path);
    MemoryImage image(content);
    ElfFile file;
    ASSERT_EQ(file.parse(image), "");
    const Section *section = file.section(".gopclntab");
    ASSERT_TRUE(section);
    uint64_t random = 1, functions = 0;
    for (unsigned round = 0; round < 200; round++) {
        std::string damaged = content;
        for (unsigned i = 0; i < 1 + round % 20; i++) {
            random = random * 6364136223846793005 + 1442695040888963407;
            // The header half of the time.
            const uint64_t within = (random >> 33) % (round % 2 ? 72 : section->bytes);
            damaged[section->place + within] = static_cast<char>(random >> 20);
        }
        MemoryImage other(damaged);
        ElfFile again;
        if (!again.parse(other).empty()) continue;
        uint64_t end = 0;
        const GoFunctions read(again);
        for (const GoFunction &function : read.all()) {
            EXPECT_GE(function.start, end);
            end = function.start + function.bytes;
            EXPECT_TRUE(again.place_of(function.start));
        }
        functions += read.all().size();
        // It reads all code, which takes half a second with sanitizers: one damaged header of eight, one damaged
        // section of eight.
        if (round / 2 % 8) continue;
        Table table;
        TableFacts facts;
        EXPECT_EQ(make_table(other, {}, table, facts), "");
    }
    EXPECT_GT(functions, 1000u);
}

}  // namespace
}  // namespace tapir::unwind
