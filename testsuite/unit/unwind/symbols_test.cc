// SPDX-License-Identifier: GPL-2.0-or-later
// Names of addresses, of code and of data, against what nm says of the same file.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "load.h"
#include "unwind/object_symbols.h"

namespace tapir::unwind {
namespace {

namespace fs = std::filesystem;

TableOptions mangled() {
    TableOptions options;
    options.mangled = true;
    return options;
}

struct Known {
    uint64_t size = 0;
    std::set<std::string> names;
};

// By address: of what is code or data of the file itself.
std::map<uint64_t, Known> by_nm(const std::string &options, const std::string &path) {
    std::map<uint64_t, Known> found;
    FILE *pipe = popen(("nm --defined-only -f sysv " + options + " " + path + " 2>/dev/null").c_str(), "r");
    char line[4096];
    while (pipe && fgets(line, sizeof line, pipe)) {
        // "name |address|class|type|size|line|section"
        std::istringstream in(line);
        std::string name, address, kind, type, size;
        for (std::string *word : {&name, &address, &kind, &type, &size}) {
            std::getline(in, *word, '|');
            word->erase(std::remove(word->begin(), word->end(), ' '), word->end());
        }
        // Labels may be behind the end of a section. The code at an IFUNC may have a name of its own, in a debug file.
        const bool label = (type == "NOTYPE" && size.empty()) || (type == "<OSspecific>:10" && options == "-D");
        if (address.size() != 16 || type == "TLS" || type == "SECTION" || type == "FILE" || label) continue;
        if (std::string("tTwWiuVvdDbBrR").find(kind) == std::string::npos) continue;
        Known &known = found[std::stoull(address, nullptr, 16)];
        known.size = std::max<uint64_t>(known.size, size.empty() ? 0 : std::stoull(size, nullptr, 16));
        known.names.insert(name.substr(0, name.find('@', 1)));
    }
    if (pipe) pclose(pipe);
    return found;
}

// The results of c++filt for names, by the name.
std::map<std::string, std::string> by_filter(const std::set<std::string> &names) {
    std::string pattern = testing::TempDir() + "tapir-names-XXXXXX";
    const std::string directory = mkdtemp(pattern.data());
    std::ofstream out(directory + "/names");
    for (const std::string &name : names)
        out << name << '\n';
    out.close();
    std::map<std::string, std::string> found;
    if (system(("c++filt -i <" + directory + "/names >" + directory + "/shown").c_str()) != 0) return {};
    std::ifstream in(directory + "/shown");
    std::string line;
    for (const std::string &name : names)
        if (std::getline(in, line)) found[name] = line;
    fs::remove_all(directory);
    return found;
}

// "name+offset", as a script sees it.
std::string name_at(const Object &object, uint64_t address) {
    const auto place = object.file.loaded_place_of(address);
    const tapir_unwind_table &table = object.table.header();
    const tapir_unwind_symbol *symbol = place ? tapir_unwind_find_symbol(&table, static_cast<u32>(*place)) : nullptr;
    if (!symbol) return "";
    EXPECT_LT(*place, table.end);
    return std::string(tapir_unwind_string(&table, symbol->name)) + "+" + std::to_string(*place - symbol->place);
}

// Each address of something with a size has one of its names, at its beginning and at its end.
void expect_names(const std::string &path, const std::string &options, size_t at_least) {
    const Object object(path, mangled());
    ASSERT_EQ(object.why, "");
    const std::map<uint64_t, Known> known = by_nm(options, path);
    EXPECT_GE(known.size(), at_least) << path;
    uint64_t covered = 0;
    unsigned different = 0;
    for (const auto &[address, symbol] : known) {
        const uint64_t last = address + (symbol.size ? symbol.size - 1 : 0);
        const auto next = known.upper_bound(address);
        const bool overlaps = address < covered || (next != known.end() && next->first <= last);
        covered = std::max(covered, last + 1);
        for (uint64_t at : {address, last}) {
            if (overlaps && at == last) continue;
            const std::string name = name_at(object, at);
            const std::string bare = name.substr(0, name.rfind('+'));
            if (symbol.names.count(bare) && name.ends_with("+" + std::to_string(at - address))) continue;
            if (different++ < 10)
                ADD_FAILURE() << path << " at " << std::hex << at << ": " << name << " instead of "
                              << *symbol.names.begin();
        }
    }
}

TEST(Symbols, AreThoseOfNm) {
    expect_names(library_path("libc.so.6"), "-D", 2000);
    expect_names(library_path("libstdc++.so.6"), "-D", 3000);
    expect_names(UNWIND_PROGRAM, "", 20);
    expect_names(fs::read_symlink("/proc/self/exe"), "", 1000);
}

// Each name that is shown is what c++filt -i makes of the one that is in the file, but for those that are too long.
TEST(Symbols, AreDemangledAsByCxxfilt) {
    for (const std::string &path : {library_path("libstdc++.so.6"), fs::read_symlink("/proc/self/exe").string()}) {
        const Object raw(path, mangled()), object(path);
        ASSERT_EQ(raw.why + object.why, "");
        const tapir_unwind_table &before = raw.table.header(), &after = object.table.header();
        ASSERT_EQ(before.nsymbols, after.nsymbols);
        const auto name = [](const tapir_unwind_table &table, u32 i) {
            return std::string(tapir_unwind_string(&table, tapir_unwind_symbols(&table)[i].name));
        };
        std::set<std::string> names;
        for (u32 i = 0; i < before.nsymbols; ++i)
            names.insert(name(before, i));
        const std::map<std::string, std::string> filtered = by_filter(names);
        ASSERT_EQ(filtered.size(), names.size());
        // binutils writes a space there, the compiler's library does not.
        const std::regex spaced_literal("operator\"\" ");
        unsigned changed = 0, different = 0;
        for (u32 i = 0; i < before.nsymbols; ++i) {
            const std::string was = name(before, i), is = name(after, i);
            const std::string expected = std::regex_replace(filtered.at(was), spaced_literal, "operator\"\"");
            EXPECT_LE(is.size(), std::max(kMaxDemangled, was.size()));
            if (is != was) ++changed;
            if (is == (expected.size() > kMaxDemangled ? was : expected)) continue;
            if (different++ < 5) ADD_FAILURE() << was << " is shown as " << is << " instead of " << expected;
        }
        EXPECT_GT(changed, 1000u) << path;
        EXPECT_EQ(different, 0u) << path;
    }
}

// Variables of each kind of section; in front of one a symbol without a size, as linkers put them.
constexpr char kSymbolsProgram[] = R"(
int first_bss[4], second_bss; static char large_bss[100000]; int in_data = 5; static volatile int local_data = 6;
const int in_rodata = 7; const char *const relocated = "x"; __thread int thread_local_one;
__asm__(".data\n.balign 64\n.globl nothing\n.type nothing,@object\n.size nothing,0\nnothing:\n.space 64\n"
        ".globl something\n.type something,@object\n.size something,8\nsomething: .quad 1\n.quad 2\n"
        ".section .bss\n.globl bss_label\nbss_label:\n.text\n"
        ".globl label\nlabel: nop\n nop\n ret\n.globl whole\n.type whole,@function\nwhole: nop\ninner: nop\n ret\n"
        ".size whole,.-whole\n");
int main(int argc, char **argv) { large_bss[argc] = 1; second_bss = first_bss[1] + in_data + local_data + in_rodata;
    return large_bss[second_bss & 1] + relocated[0] + thread_local_one + !argv; }
)";

class Data : public testing::Test {
  protected:
    Data() {
        std::string pattern = testing::TempDir() + "tapir-symbols-XXXXXX";
        directory_ = fs::canonical(mkdtemp(pattern.data())).string();
        std::ofstream(directory_ + "/program.c") << kSymbolsProgram;
    }
    ~Data() override { fs::remove_all(directory_); }
    uint64_t address(const std::string &name) {
        for (const auto &[at, known] : all_)
            if (known.count(name)) return at;
        ADD_FAILURE() << name;
        return 0;
    }
    void read_all(const std::string &path) {
        FILE *pipe = popen(("nm " + path).c_str(), "r");
        char line[4096];
        while (pipe && fgets(line, sizeof line, pipe)) {
            std::istringstream in(line);
            std::string at, kind, name;
            if (in >> at >> kind >> name && at.size() == 16) all_[std::stoull(at, nullptr, 16)].insert(name);
        }
        if (pipe) pclose(pipe);
    }

    std::string directory_;
    std::map<uint64_t, std::set<std::string>> all_;
};

TEST_F(Data, HasTheNamesOfItsVariables) {
    for (const char *options : {"-O1", "-O1 -static", "-O1 -fuse-ld=lld", "-O1 -no-pie"}) {
        const std::string path = directory_ + "/program";
        fs::remove(path);
        all_.clear();
        if (system(("cd " + directory_ + " && gcc " + options + " -o program program.c 2>/dev/null").c_str()) != 0)
            continue;  // without this linker
        expect_names(path, "", 10);
        read_all(path);
        const Object object(path);
        for (const char *name : {"first_bss", "second_bss", "large_bss", "in_data", "local_data", "in_rodata",
                                 "relocated", "something", "main"})
            EXPECT_EQ(name_at(object, address(name)), std::string(name) + "+0") << options;
        EXPECT_EQ(name_at(object, address("first_bss") + 12), "first_bss+12") << options;
        EXPECT_EQ(name_at(object, address("large_bss") + 99999), "large_bss+99999") << options;
        // Nothing is known of what is behind it.
        EXPECT_EQ(name_at(object, address("nothing")), "nothing+0") << options;
        EXPECT_EQ(name_at(object, address("nothing") + 8), "") << options;
        EXPECT_EQ(name_at(object, address("something") + 8), "") << options;
        // A label of code goes as far as the next symbol, but is not seen within a function.
        EXPECT_EQ(name_at(object, address("label") + 2), "label+2") << options;
        EXPECT_EQ(name_at(object, address("whole") + 1), "whole+1") << options;
    }
}

// Labels without a size, of which some are global and stay when the library is stripped. What begins with "un" belongs
// to none of those.
constexpr char kLabels[] = R"(
        .text
        .globl plain, loops, calls, leaves, switches, jumps, ends, large, vectors, last
        .type plain,@function
        .type loops,@function
        .type ends,@function
plain:  mov %rdi, %rax
        ret
un1:    xor %eax, %eax
        ret
loops:  test %rdi, %rdi
        je 2f
        .p2align 4
1:      dec %rdi
        jne 1b
        jmp 3f
        .p2align 5
2:      mov $1, %eax
3:      ret
un2:    mov $2, %eax
        jmp 3b
calls:  sub $8, %rsp
        call un1
        call *%rax
        add $8, %rsp
        ret
un3:    syscall
        hlt
leaves: mov (%rdi), %rbx
        jmp *56(%rdi)
un4:    call *%rdi
        ret
switches: lea 6f(%rip), %rax
        movslq (%rax,%rdi,4), %rcx
        add %rax, %rcx
        jmp *%rcx
4:      mov $3, %eax
        ret
5:      mov $4, %eax
        ret
6:      .long 4b-6b, 5b-6b
jumps:  jmp un1
un5:    mov $5, %eax
        ret
ends:   mov $6, %edi
        call un1
un_fill: .p2align 4
un6:    mov $7, %eax
        ret
large:  .rept 3000
        add $1, %rax
        .endr
        ret
un7:    ret
vectors: vaddps %ymm0, %ymm1, %ymm2
        vpaddd 64(%rdi), %zmm1, %zmm2{%k1}
        vzeroupper
        ret
un8:    ret
last:   ud2
un9:    ret
)";

// The layout is that of nm before stripping.
TEST_F(Data, LabelsOfStrippedLibrariesEndWhereTheirCodeDoes) {
    std::ofstream(directory_ + "/labels.s") << kLabels;
    ASSERT_EQ(system(("cd " + directory_ + " && gcc -shared -nostdlib -Wl,--build-id=none -o whole.so labels.s && " +
                      "strip -o stripped.so whole.so")
                         .c_str()),
              0);
    read_all(directory_ + "/whole.so");
    const uint64_t first = address("plain"), end = address("un9") + 1;
    const Object whole(directory_ + "/whole.so"), stripped(directory_ + "/stripped.so");
    ASSERT_EQ(stripped.file.section(".symtab"), nullptr);
    unsigned different = 0;
    for (uint64_t at = first; at < end; at++) {
        const auto label = std::prev(all_.upper_bound(at));
        const std::string name = *label->second.begin(), expected = name + "+" + std::to_string(at - label->first);
        const bool is_left = name.starts_with("un");
        const std::string in_whole = name_at(whole, at), in_stripped = name_at(stripped, at);
        if (in_whole == expected && in_stripped == (is_left ? "" : expected)) continue;
        if (different++ < 10) ADD_FAILURE() << expected << ": " << in_whole << ", stripped " << in_stripped;
    }
}

// By address: what objdump calls the entries of linkage tables.
std::map<uint64_t, std::string> linkage_by_objdump(const std::string &path) {
    std::map<uint64_t, std::string> found;
    FILE *pipe = popen(("objdump -d " + path + " 2>/dev/null").c_str(), "r");
    char line[4096];
    while (pipe && fgets(line, sizeof line, pipe)) {
        // "0000000000001030 <puts@plt>:"
        static const std::regex kEntry("^([0-9a-f]{16}) <([^*>]*)@plt>:\n$");
        std::cmatch match;
        if (std::regex_match(line, match, kEntry)) found[std::stoull(match[1].str(), nullptr, 16)] = match[2].str();
    }
    if (pipe) pclose(pipe);
    return found;
}

void expect_linkage(const std::string &path, size_t at_least) {
    const Object object(path, mangled());
    ASSERT_EQ(object.why, "");
    const std::map<uint64_t, std::string> known = linkage_by_objdump(path);
    EXPECT_GE(known.size(), at_least) << path;
    for (const auto &[address, name] : known) {
        EXPECT_EQ(name_at(object, address), name.substr(0, name.find('@')) + "@plt+0") << path;
        EXPECT_EQ(name_at(object, address + 7), name.substr(0, name.find('@')) + "@plt+7") << path;
    }
}

TEST_F(Data, HasTheNamesOfLinkageTableEntriesThatObjdumpHas) {
    std::ofstream(directory_ + "/calls.c")
        << "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
           "int main(int argc, char **argv) { char *text = malloc(argc + 9); puts(strcpy(text, argv[0]));"
           "void *(*copy)(void *, const void *, size_t) = memcpy; copy(text, *argv, 1); free(text); return getpid(); "
           "}\n";
    for (const char *options : {"-O1", "-O1 -Wl,-z,lazy", "-O1 -Wl,-z,now -no-pie", "-O1 -fuse-ld=lld",
                                "-O1 -fcf-protection -Wl,-z,ibtplt -Wl,-z,lazy"}) {
        fs::remove(directory_ + "/calls");
        if (system(("cd " + directory_ + " && gcc -w " + options + " -o calls calls.c 2>/dev/null").c_str()) != 0)
            continue;  // without this linker
        SCOPED_TRACE(options);
        expect_linkage(directory_ + "/calls", 4);
    }
    expect_linkage(library_path("libstdc++.so.6"), 500);
}

// Nothing in the file names them but the code that chooses one.
TEST_F(Data, HasTheNamesOfFunctionsThatAreChosenAtStart) {
    std::ofstream(directory_ + "/chosen.c")
        << "static int one(void) { return 1; }\nstatic int (*choose(void))(void) { return one; }\n"
           "int chosen(void) __attribute__((ifunc(\"choose\")));\nint main(void) { return chosen(); }\n";
    ASSERT_EQ(system(("cd " + directory_ + " && gcc -O1 -static -o chosen chosen.c").c_str()), 0);
    const Object object(directory_ + "/chosen");
    const tapir_unwind_table &table = object.table.header();
    std::set<std::string> names;
    for (u32 i = 0; i < table.nsymbols; ++i)
        names.insert(tapir_unwind_string(&table, tapir_unwind_symbols(&table)[i].name));
    EXPECT_TRUE(names.count("chosen@plt"));
    EXPECT_TRUE(names.count("memcpy@plt") || names.count("strlen@plt"));
}

}  // namespace
}  // namespace tapir::unwind
