// SPDX-License-Identifier: GPL-2.0-or-later
// Source lines as addr2line has them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "load.h"

namespace tapir::unwind {
namespace {

class Folder {
  public:
    Folder() {
        char name[] = "/tmp/unwind_lines_XXXXXX";
        path_ = mkdtemp(name);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    std::string operator/(const std::string &name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

// "FILE:LINE" or "".
std::vector<std::string> by_addr2line(const std::string &path, const std::vector<uint64_t> &addresses,
                                      const Folder &folder) {
    std::ofstream list(folder / "addresses");
    for (const uint64_t address : addresses)
        list << std::hex << address << '\n';
    list.close();
    std::vector<std::string> found;
    FILE *pipe = popen(("addr2line -e " + path + " <" + (folder / "addresses")).c_str(), "r");
    char line[4096];
    while (pipe && fgets(line, sizeof line, pipe)) {
        const std::string text(line, std::string(line).find_first_of(" \n"));
        found.push_back(text[0] == '?' || text.ends_with(":?") || text.ends_with(":0") ? "" : text);
    }
    if (pipe) pclose(pipe);
    return found;
}

std::string by_table(const tapir_unwind_table &table, uint64_t address) {
    const tapir_unwind_line *line = tapir_unwind_find_line(&table, static_cast<u32>(address - table.bias));
    return line ? tapir_unwind_string(&table, line->file) + (":" + std::to_string(line->line)) : "";
}

// Every place at which a line begins or ends, and those next to it.
void expect_as_addr2line(const std::string &path, size_t at_least) {
    const Object object(path);
    ASSERT_EQ(object.why, "");
    const tapir_unwind_table &table = object.table.header();
    ASSERT_GE(table.nlines, at_least) << path;
    std::vector<uint64_t> addresses;
    for (u32 i = 0; i < table.nlines; i++)
        for (const u32 place : {tapir_unwind_lines(&table)[i].place, tapir_unwind_lines(&table)[i].place + 1})
            addresses.push_back(uint64_t{place} + table.bias);
    const Folder folder;
    const std::vector<std::string> expected = by_addr2line(path, addresses, folder);
    ASSERT_EQ(expected.size(), addresses.size());
    size_t different = 0, known = 0;
    for (size_t i = 0; i < addresses.size(); i++) {
        const std::string found = by_table(table, addresses[i]);
        known += !found.empty();
        // Before DWARF 5 the folder of the compilation is elsewhere.
        const bool same = found.empty() == expected[i].empty() && expected[i].ends_with(found);
        if (!same && ++different < 5)
            ADD_FAILURE() << path << " 0x" << std::hex << addresses[i] << ": " << found << ", not " << expected[i];
    }
    EXPECT_EQ(different, 0u) << "of " << addresses.size();
    EXPECT_GE(known, at_least);
}

constexpr char kSource[] =
    "#include \"sub/twice.h\"\n"
    "int counted;\n"
    "__attribute__((noinline)) int count(int n)\n"
    "{\n"
    "    for (int i = 0; i < n; i++)\n"
    "        counted += twice(i);\n"
    "    return counted;\n"
    "}\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "    return count(argc) + twice(argc);\n"
    "}\n";

// Compiled with these flags; "" if the compiler does not take them.
std::string compiled(const Folder &folder, const std::string &compiler, const std::string &flags) {
    std::filesystem::create_directories(folder / "sub");
    std::ofstream(folder / "sub/twice.h")
        << "static inline int twice(int n)\n{\n    __asm__ volatile(\"\" : \"+r\"(n));\n    return n * 2;\n}\n";
    std::ofstream(folder / "source.c") << kSource;
    const std::string path = folder / "program";
    const std::string command =
        "cd " + (folder / "") + " && " + compiler + " -O2 " + flags + " -o program source.c 2>errors";
    return system(command.c_str()) == 0 ? path : std::string();
}

TEST(Lines, OfThePrograms) {
    expect_as_addr2line(UNWIND_PROGRAM, 200);
    expect_as_addr2line(UNWIND_PLUGIN, 50);
}

TEST(Lines, OfEveryVersion) {
    for (const char *compiler : {"gcc", "clang"}) {
        if (system((std::string("command -v ") + compiler + " >/dev/null").c_str()) != 0) continue;
        for (const char *flags : {"-gdwarf-2", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5", "-g -gz", "-gdwarf-4 -gz=zlib",
                                  "-gdwarf-5 -ffunction-sections -Wl,--gc-sections"}) {
            const Folder folder;
            const std::string path = compiled(folder, compiler, flags);
            ASSERT_NE(path, "") << compiler << " " << flags;
            expect_as_addr2line(path, 6);
            const Object object(path);
            EXPECT_TRUE(std::string(object.table.block()).find("twice.h") != std::string::npos) << flags;
        }
    }
}

TEST(Lines, OfASeparateFile) {
    const Folder folder;
    const std::string path = compiled(folder, "gcc", "-g");
    ASSERT_NE(path, "");
    const Object whole(path);
    ASSERT_EQ(system(("cd " + (folder / "") +
                      " && objcopy --only-keep-debug --compress-debug-sections=zlib program program.debug && "
                      "objcopy --strip-all --add-gnu-debuglink=program.debug program && mkdir .debug && "
                      "mv program.debug .debug")
                         .c_str()),
              0);
    const Object stripped(path);
    ASSERT_EQ(stripped.why, "");
    const tapir_unwind_table &a = whole.table.header(), &b = stripped.table.header();
    ASSERT_GE(a.nlines, 6u);
    ASSERT_EQ(b.nlines, a.nlines);
    EXPECT_EQ(b.nsymbols, a.nsymbols);
    for (u32 i = 0; i < a.nlines; i++)
        EXPECT_EQ(by_table(b, uint64_t{tapir_unwind_lines(&b)[i].place} + b.bias),
                  by_table(a, uint64_t{tapir_unwind_lines(&a)[i].place} + a.bias));
    EXPECT_STREQ(tapir_unwind_string(&b, b.build_id), whole.file.build_id().c_str());
    EXPECT_GE(whole.file.build_id().size(), 32u);
}

// Call frame information of a compressed .debug_frame.
TEST(Lines, RowsOfACompressedSection) {
    const Folder folder;
    const std::string flags = "-g -fno-asynchronous-unwind-tables -fno-exceptions";
    const Object plain(compiled(folder, "gcc", flags));
    const Object compressed(compiled(folder, "gcc", flags + " -gz=zlib -Wl,--compress-debug-sections=zlib"));
    ASSERT_EQ(plain.why, "");
    const Section *section = compressed.file.section(".debug_frame");
    ASSERT_NE(section, nullptr);
    ASSERT_NE(section->flags & 0x800, 0u);
    ASSERT_GE(plain.table.header().nrows, 5u);
    EXPECT_EQ(compressed.table.header().nrows, plain.table.header().nrows);
}

// A damaged one counts as absent.
TEST(Lines, NoRowsOfADamagedSection) {
    const Folder folder;
    const std::string flags =
        "-g -fno-asynchronous-unwind-tables -fno-exceptions -gz=zlib -Wl,--compress-debug-sections=zlib";
    const std::string path = compiled(folder, "gcc", flags);
    uint64_t place = 0, bytes = 0;
    {
        const Object whole(path);
        const Section *section = whole.file.section(".debug_frame");
        ASSERT_NE(section, nullptr);
        place = section->place, bytes = section->bytes;
        EXPECT_FALSE(whole.file.content(*section).empty());
    }
    constexpr uint64_t kHeader = 24;  // Elf64_Chdr
    ASSERT_GT(bytes, kHeader + 8);
    for (const uint64_t at : {uint64_t{9}, kHeader, (kHeader + bytes) / 2, bytes - 1}) {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(static_cast<std::streamoff>(place + at));
        const char old = static_cast<char>(file.get()), changed = static_cast<char>(old ^ 0x55);
        file.seekp(static_cast<std::streamoff>(place + at));
        file.put(changed);
        file.flush();
        const Object damaged(path);
        const Section *section = damaged.file.section(".debug_frame");
        ASSERT_NE(section, nullptr);
        EXPECT_TRUE(damaged.file.content(*section).empty()) << at;
        file.seekp(static_cast<std::streamoff>(place + at));
        file.put(old);
    }
}

}  // namespace
}  // namespace tapir::unwind
