// SPDX-License-Identifier: GPL-2.0-or-later
// Interpreters are known by their symbols, and variables are found where the linker and the kernel have put them.
#include "unwind/interpreter_file.h"

#include <gtest/gtest.h>
#include <link.h>

#include "load.h"

extern "C" {
// This program is an interpreter.
[[gnu::used]] long tapir_test_runtime = 5;
extern const int tapir_test_version[2];
[[gnu::used]] const int tapir_test_version[2] = {3, 1};
[[gnu::used]] long tapir_test_zeros[4];
[[gnu::used]] thread_local long tapir_test_thread = 1;
}

namespace tapir::unwind {
namespace {

const Interpreter kOther = {"Other", "all", "other libother", "", {"tapir_test_no_such", "tapir_test_runtime"}};
const Interpreter kTest = {
    "Test",
    "all",
    "test_unwind libc",
    "",
    {"tapir_test_runtime", "tapir_test_version", "tapir_test_nothing", "tapir_test_zeros", "tapir_test_thread"}};

TEST(InterpreterFile, VariablesAreWhereTheProgramHasThem) {
    FileImage image;
    ASSERT_EQ(image.open("/proc/self/exe"), 0);
    const tapir_file_interpreter found = interpreter_of(image, {kOther, kTest});
    ASSERT_EQ(found.number, 2u);
    uint64_t moved = 0;
    dl_iterate_phdr(
        [](dl_phdr_info *info, size_t, void *to) {
            *static_cast<uint64_t *>(to) = info->dlpi_addr;
            return 1;  // the program is the first
        },
        &moved);
    EXPECT_EQ(found.variables[0] + moved, reinterpret_cast<uint64_t>(&tapir_test_runtime));
    EXPECT_EQ(found.variables[1] + moved, reinterpret_cast<uint64_t>(tapir_test_version));
    EXPECT_EQ(found.variables[2], 0u);
    EXPECT_EQ(found.variables[3] + moved, reinterpret_cast<uint64_t>(tapir_test_zeros));
    EXPECT_EQ(found.variables[4], 0u) << "a variable of threads has no address";
    EXPECT_EQ(found.contents[0], 5u);
    EXPECT_EQ(found.contents[1], 3u | uint64_t{1} << 32);
    EXPECT_EQ(found.contents[3], 0u) << "the file has nothing of what begins as 0";
}

// By either kind of mapping, as the kernel tells them: that of the file's first bytes, and that of code.
TEST(InterpreterFile, MappingsTellHowFarItWasMoved) {
    FileImage image;
    ASSERT_EQ(image.open("/proc/self/exe"), 0);
    const tapir_file_interpreter found = interpreter_of(image, {kTest});
    const auto address = reinterpret_cast<uint64_t>(&tapir_test_runtime);
    char path[4096] = {}, line[8192];
    ASSERT_GT(readlink("/proc/self/exe", path, sizeof path - 1), 0);
    FILE *maps = fopen("/proc/self/maps", "r");
    ASSERT_TRUE(maps);
    unsigned looked = 0;
    while (fgets(line, sizeof line, maps)) {
        unsigned long start = 0, place = 0;
        char rights[8] = {};
        if (!strstr(line, path) || sscanf(line, "%lx-%*x %7s %lx", &start, rights, &place) != 3) continue;
        const bool code = rights[2] == 'x';
        if (!code && place) continue;
        EXPECT_EQ(found.variables[0] + start - place - (code ? found.bias : found.lead), address) << line;
        ++looked;
    }
    fclose(maps);
    EXPECT_GE(looked, 1u);
}

TEST(InterpreterFile, NamesAloneMakeNone) {
    FileImage program, library;
    ASSERT_EQ(program.open("/proc/self/exe"), 0);
    const std::string path = library_path("libc.so.6");
    ASSERT_EQ(library.open(path), 0);
    EXPECT_EQ(interpreter_of(library, {kOther, kTest}).number, 0u);
    EXPECT_EQ(interpreter_of(program, {}).number, 0u);
    // A library with the name, and a program that needs it and has it, too.
    const Alike alike = interpreter_alike(library, path, {kOther, kTest});
    EXPECT_EQ(alike.number, 2u);
    EXPECT_FALSE(alike.starts);
    const Alike starts = interpreter_alike(program, "/usr/bin/test_unwind", {kOther, kTest});
    EXPECT_EQ(starts.number, 2u);
    EXPECT_TRUE(starts.starts);
    EXPECT_EQ(interpreter_alike(program, "/usr/other/test", {kOther, kTest}).number, 0u);
    MemoryImage text("#!/bin/sh\n");
    EXPECT_EQ(interpreter_alike(text, "/usr/bin/other", {kOther}).number, 0u) << "a script is no program";
}

// Names as distributions, pyenv and the projects themselves give them.
TEST(InterpreterFile, ANameIsOneOnlyBeforeAVersion) {
    const std::vector<Interpreter> all = {{"Python", "", "python libpython pypy libpypy", "", {}},
                                          {"PHP", "", "php php-cgi php-fpm libphp", "", {}},
                                          {"Perl", "", "perl libperl", "", {}},
                                          {"Ruby", "", "ruby libruby", "", {}},
                                          {"Lua", "", "lua luajit liblua libluajit", "", {}}};
    FileImage program;
    ASSERT_EQ(program.open("/proc/self/exe"), 0);
    const auto alike = [&](const std::string &name) { return interpreter_alike(program, "/opt/" + name, all).number; };
    for (const char *name :
         {"python", "python3", "python3.11", "python3.11-dbg", "python2.7", "python3.7m", "python3.13t", "pypy",
          "pypy3", "pypy3.9", "pypy-c", "pypy3-c", "libpython3.11.so.1.0", "libpython3.so", "libpython3.8d.so.1.0",
          "libpython3.7m.so.1.0", "libpypy3-c.so", "libpypy3.9-c.so"})
        EXPECT_EQ(alike(name), 1u) << name;
    for (const char *name : {"php", "php8.2", "php-cgi8.2", "php-fpm8.2", "php-fpm", "libphp.so", "libphp8.2.so"})
        EXPECT_EQ(alike(name), 2u) << name;
    for (const char *name : {"perl", "perl5.36.0", "perl5.36-x86_64-linux-gnu", "libperl.so.5.36", "libperl.so.5.36.0"})
        EXPECT_EQ(alike(name), 3u) << name;
    for (const char *name : {"ruby", "ruby3.1", "libruby-3.1.so.3.1", "libruby.so.2.7.0"})
        EXPECT_EQ(alike(name), 4u) << name;
    for (const char *name : {"lua", "lua5.3", "lua53", "luajit", "luajit-2.1.0-beta3", "liblua5.3.so.0.0.0",
                             "liblua5.3-c++.so.0", "libluajit-5.1.so.2.1.0"})
        EXPECT_EQ(alike(name), 5u) << name;
    for (const char *name : {"pythonic", "python-shop", "python3-shop", "python3.11-config", "python.bin", "mypython3",
                             "libpythonic.so.1", "phpdoc", "php-parser", "perlite", "rubyripper", "luac5.3", "luakit",
                             "lua-language-server", "luatex", "libluajson.so"})
        EXPECT_EQ(alike(name), 0u) << name;
}

TEST(InterpreterFile, NamesOfSymbolsEnd) {
    const std::string names =
        "main@@V1" + std::string(1, '\0') + std::string(kLongestName, 'x') + std::string(1, '\0') + "open";
    EXPECT_EQ(symbol_name(names, 0), "main");
    EXPECT_EQ(symbol_name(names, 9), "") << "too long";
    EXPECT_EQ(symbol_name(names, 10).size(), kLongestName - 1);
    EXPECT_EQ(symbol_name(names, static_cast<uint32_t>(names.size()) - 4), "") << "without an end";
    EXPECT_EQ(symbol_name(names, static_cast<uint32_t>(names.size())), "");
}

}  // namespace
}  // namespace tapir::unwind
