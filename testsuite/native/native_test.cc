// SPDX-License-Identifier: GPL-2.0-or-later
// Runs scripts end to end on this machine: script, C, gcc together with the native runtime, process. Each file of
// cases/ is one test:
//
//     ### options -DMAXACTION=500 -g -u -- script arguments
//     ### run -n 2 -m 1000            arguments of the program
//     ### script
//     ...
//     ### stdout
//     ...
//     ### stderr
//     ...
//     ### status 1
//
// Absent stdout, stderr: nothing is printed there. Absent status: 0.
//
// And compares the IR of each golden/ir/NAME.stp with NAME.ir; TAPIR_UPDATE_GOLDEN=1 writes the latter anew.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "random_program.h"
#include "translate.h"

namespace tapir::native {
namespace {

namespace fs = std::filesystem;

struct Case {
    Settings settings;
    std::string run, script, out, err;
    int status = 0;
};

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
        } else if (word == "-u") {
            settings.unoptimized = true;
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
        if (name == "options")
            c.settings = parse_options(rest);
        else if (name == "run")
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

struct Outcome {
    int status = -1;
    std::string out, err;
};

// Compiles and runs a translated script.
Outcome run_native(const std::string &c_text, const std::string &arguments, const std::string &level = "-O1") {
    Outcome outcome;
    std::string dir = fs::temp_directory_path() / ("tapir-native-" + std::to_string(getpid()));
    fs::create_directories(dir);
    std::ofstream(dir + "/script.c") << c_text;
    std::string compile = "cc -std=gnu89 " + level +
                          " -Wall -Wundef -Wstrict-prototypes -Wno-trigraphs -Wno-unused-result -Werror "
                          "-I" TAPIR_SOURCE_DIR "/runtime/include -o " +
                          dir + "/script " + dir + "/script.c " TAPIR_NATIVE_LINK;
    if (std::system(compile.c_str()) != 0) {
        ADD_FAILURE() << "the emitted C does not compile:\n" << c_text;
        return outcome;
    }
    std::string command = dir + "/script " + arguments + " >" + dir + "/out 2>" + dir + "/err </dev/null";
    int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status)) << "killed by a signal";
    outcome = {WEXITSTATUS(status), read_file(dir + "/out"), read_file(dir + "/err")};
    fs::remove_all(dir);
    return outcome;
}

class CaseTest : public testing::Test {
  public:
    explicit CaseTest(std::string path) : path_(std::move(path)) {}

    void TestBody() override {
        Case c = parse_case(read_file(path_));
        Translation t = translate(c.script, c.settings);
        if (!t.ok) {
            EXPECT_EQ(t.diagnostics, c.err);
            EXPECT_EQ(1, c.status);
            return;
        }
        Outcome ran = run_native(t.c, c.run);
        EXPECT_EQ(c.status, ran.status);
        EXPECT_EQ(c.out, ran.out);
        EXPECT_EQ(c.err, t.diagnostics + ran.err);
    }

  private:
    std::string path_;
};

class GoldenIrTest : public testing::Test {
  public:
    explicit GoldenIrTest(std::string path) : path_(std::move(path)) {}

    void TestBody() override {
        Translation t = translate(read_file(path_), {});
        ASSERT_TRUE(t.ok) << t.diagnostics;
        std::string golden = fs::path(path_).replace_extension(".ir");
        if (std::getenv("TAPIR_UPDATE_GOLDEN")) std::ofstream(golden) << t.ir;
        EXPECT_EQ(read_file(golden), t.ir);
    }

  private:
    std::string path_;
};

// Random programs against an evaluator of the test's own. TAPIR_RANDOM_SCRIPTS=N and TAPIR_RANDOM_SEED=S run N scripts
// of 50 programs each from seed S on.
TEST(Differential, RandomPrograms) {
    auto setting = [](const char *name, int fallback) {
        const char *text = std::getenv(name);
        return text ? std::atoi(text) : fallback;
    };
    int first = setting("TAPIR_RANDOM_SEED", 1), scripts = setting("TAPIR_RANDOM_SCRIPTS", 2);
    Settings settings;
    settings.defines = {{"MAXSTRINGLEN", std::to_string(kRandomStringCapacity)}, {"MAXACTION", "1000000"}};
    for (int seed = first; seed < first + scripts; seed++) {
        RandomScript script = random_script(static_cast<uint64_t>(seed), 50);
        settings.unoptimized = seed % 2;
        Translation t = translate(script.text, settings);
        ASSERT_TRUE(t.ok) << "seed " << seed << "\n" << t.diagnostics << script.text;
        Outcome ran = run_native(t.c, "", seed % 8 == 0 ? "-O2" : "-O0");
        ASSERT_EQ(script.expected, ran.out) << "seed " << seed << "\n" << script.text << ran.err;
    }
}

// Registers one test for each file of `directory` with this extension.
template <class Test>
void add_tests(const char *suite, const std::string &directory, const char *extension) {
    std::vector<std::string> paths;
    for (const auto &entry : fs::directory_iterator(TAPIR_SOURCE_DIR "/testsuite/" + directory))
        if (entry.path().extension() == extension) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const std::string &path : paths)
        testing::RegisterTest(suite, fs::path(path).stem().c_str(), nullptr, nullptr, path.c_str(), 1,
                              [path]() -> testing::Test * { return new Test(path); });
}

}  // namespace
}  // namespace tapir::native

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    tapir::native::add_tests<tapir::native::CaseTest>("Native", "native/cases", ".case");
    tapir::native::add_tests<tapir::native::GoldenIrTest>("GoldenIr", "golden/ir", ".stp");
    return RUN_ALL_TESTS();
}
