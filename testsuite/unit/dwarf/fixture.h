// SPDX-License-Identifier: GPL-2.0-or-later
// Programs with debug information, compiled by the tests.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "dwarf/functions.h"

namespace tapir::dwarf {

// Lines matter: tests name them.
inline const char *const kProgram =
    "typedef struct point { int x, y; } point_t;\n"                              // 1
    "enum colour { RED = 1, GREEN = -2 };\n"                                     // 2
    "volatile int sink;\n"                                                       // 3
    "static inline __attribute__((always_inline)) int twice(int value) {\n"      // 4
    "    sink = value;\n"                                                        // 5
    "    return value * 2;\n"                                                    // 6
    "}\n"                                                                        // 7
    "static __attribute__((noinline)) int helper(int a, int b) {\n"              // 8
    "    sink = a;\n"                                                            // 9
    "    return a - b;\n"                                                        // 10
    "}\n"                                                                        // 11
    "__attribute__((noinline)) int outer(int count, point_t *p) {\n"             // 12
    "    int local = helper(count, p->x);\n"                                     // 13
    "\n"                                                                         // 14
    "    if (local == 7) goto out;\n"                                            // 15
    "    sink = twice(local);\n"                                                 // 16
    "out:\n"                                                                     // 17
    "    sink = p->y;\n"                                                         // 18
    "    return sink + local;\n"                                                 // 19
    "}\n"                                                                        // 20
    "int main(int argc, char **argv) {\n"                                        // 21
    "    point_t p = {argc, RED};\n"                                             // 22
    "    return outer(argc, &p) + outer(2, &p) + (argv[0] ? 0 : (int)GREEN);\n"  // 23
    "}\n";                                                                       // 24

class Programs : public testing::Test {
  protected:
    Programs() {
        std::string pattern = testing::TempDir() + "tapir-dwarf-XXXXXX";
        directory_ = mkdtemp(pattern.data());
        std::filesystem::create_directory(directory_ + "/source");
        write("source/program.c", kProgram);
    }
    ~Programs() override { std::filesystem::remove_all(directory_); }

    std::string path(const std::string &name) const { return directory_ + "/" + name; }
    void write(const std::string &name, const std::string &content) { std::ofstream(path(name)) << content; }
    std::string read(const std::string &name) {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    // In the directory; false when it fails.
    bool run(const std::string &command) {
        return system(("cd " + directory_ + " && " + command + " >log 2>&1").c_str()) == 0;
    }
    // Compiles the program; its path.
    std::string compile(const std::string &options, const std::string &name = "program") {
        if (!run("gcc -fcf-protection=none -no-pie " + options + " -o " + name + " source/program.c"))
            ADD_FAILURE() << options << "\n" << read("log");
        return path(name);
    }

    std::unique_ptr<Object> open(const std::string &file, const std::string &debug_path = ":.debug:/usr/lib/debug") {
        std::string error;
        auto object = Object::open(file, error, debug_path);
        EXPECT_TRUE(object) << error;
        return object;
    }
    static FunctionPattern pattern(const std::string &text) {
        std::string error;
        const auto parsed = parse_function_pattern(text, error);
        EXPECT_TRUE(parsed) << text << ": " << error;
        return parsed.value_or(FunctionPattern{});
    }
    static std::vector<std::string> names(const std::vector<CodeSite> &sites) {
        std::vector<std::string> found;
        for (const CodeSite &site : sites)
            found.push_back(site.name + ":" + std::to_string(site.line));
        return found;
    }

    std::string directory_;
};

}  // namespace tapir::dwarf
