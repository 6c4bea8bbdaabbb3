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
#include "sample_program.h"

namespace tapir::dwarf {

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
