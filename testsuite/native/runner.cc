// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "testsuite/trees.h"

namespace tapir::native {

namespace fs = std::filesystem;

Settings parse_options(const std::string &text) {
    Settings settings;
    std::istringstream words(text);
    bool args = false;
    for (std::string word; words >> word;) {
        if (args) {
            settings.args.push_back(word);
        } else if (word == "--") {
            args = true;
        } else if (word == "-g") {
            settings.guru = true;
        } else if (word == "--refresh") {
            settings.refresh = true;
        } else if (word == "--monitor") {
            settings.monitor = true;
        } else if (word == "-u") {
            settings.unoptimized = true;
        } else if (word == "--suppress-time-limits") {
            settings.suppress_time_limits = true;
        } else if (word.rfind("--compatible=", 0) == 0) {
            settings.compatible = word.substr(word.find('=') + 1);
        } else if (word.rfind("-D", 0) == 0) {
            size_t equals = word.find('=');
            settings.defines[word.substr(2, equals - 2)] = equals == std::string::npos ? "" : word.substr(equals + 1);
        } else {
            ADD_FAILURE() << "unknown option " << word;
        }
    }
    return settings;
}

Case parse_case(const std::string &text) {
    Case c;
    std::string *section = nullptr;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("### ", 0) != 0) {
            if (section) *section += line + "\n";
            continue;
        }
        std::istringstream words(line.substr(4));
        std::string name, rest;
        words >> name;
        std::getline(words, rest);
        section = nullptr;
        if (name == "options") {
            auto tapsets = std::move(c.settings.tapsets);
            c.settings = parse_options(rest);
            c.settings.tapsets = std::move(tapsets);
        } else if (name == "tapset") {
            rest.erase(0, rest.find_first_not_of(' '));
            section = &c.settings.tapsets[rest];
        } else if (name == "run")
            c.run = rest;
        else if (name == "status")
            c.status = std::stoi(rest);
        else if (name == "script")
            section = &c.script;
        else if (name == "stdout")
            section = &c.out;
        else if (name == "stderr")
            section = &c.err;
        else
            ADD_FAILURE() << "unknown section " << name;
    }
    return c;
}

Outcome run_native(const std::string &c_text, const std::string &arguments, const std::string &compiler) {
    Outcome outcome;
    std::string dir = fs::temp_directory_path() / ("tapir-native-" + std::to_string(getpid()));
    fs::create_directories(dir);
    std::ofstream(dir + "/script.c") << c_text;
    const std::string flags = " -std=gnu89 -I" + tapir::source_dir() + "/runtime/include ";
    const std::string files = "-o " + dir + "/script " + dir + "/script.c " TAPIR_NATIVE_LINK;
    // Sanitized libraries need their own compiler for linking; the other one only checks the C code.
    const std::string linking = TAPIR_NATIVE_COMPILER;
    const std::string compile =
        linking.empty() ? compiler + flags + files
                        : compiler + flags + "-fsyntax-only " + dir + "/script.c && " + linking + flags + files;
    if (std::system(compile.c_str()) != 0) {
        ADD_FAILURE() << "the emitted C does not compile:\n" << c_text;
        return outcome;
    }
    std::string command =
        "LC_ALL=C.UTF-8 " + dir + "/script " + arguments + " >" + dir + "/out 2>" + dir + "/err </dev/null";
    int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status)) << "killed by a signal";
    outcome = {WEXITSTATUS(status), read_file(dir + "/out"), read_file(dir + "/err")};
    fs::remove_all(dir);
    return outcome;
}

void check(const Case &c) {
    Translation t = translate(c.script, c.settings);
    if (!t.ok || c.check_only) {
        EXPECT_EQ(c.err, t.diagnostics);
        EXPECT_EQ("", c.out);
        EXPECT_EQ(c.status, t.ok ? 0 : 1);
        return;
    }
    Outcome ran = run_native(t.c, c.run);
    EXPECT_EQ(c.status, ran.status);
    // Records have the time.
    if (c.run.find("-f ") != std::string::npos)
        ran.out = std::regex_replace(ran.out, std::regex("(\"t\":)[0-9]+"), "$010");
    EXPECT_EQ(c.out, ran.out);
    EXPECT_EQ(c.err, t.diagnostics + ran.err);
}

}  // namespace tapir::native
