// SPDX-License-Identifier: GPL-2.0-or-later
// Runs each file of cases/ (see runner.h for their form) end to end, and compares the IR of each golden/ir/NAME.stp
// with NAME.ir; TAPIR_UPDATE_GOLDEN=1 writes the latter anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "random_program.h"
#include "runner.h"
#include "testsuite/trees.h"
#include "translate.h"

namespace tapir::native {
namespace {

namespace fs = std::filesystem;

class CaseTest : public testing::Test {
  public:
    explicit CaseTest(std::string path) : path_(std::move(path)) {}

    void TestBody() override { check(parse_case(read_file(path_))); }

  private:
    std::string path_;
};

class GoldenIrTest : public testing::Test {
  public:
    explicit GoldenIrTest(std::string path) : path_(std::move(path)) {}

    void TestBody() override {
        Settings settings;
        settings.guru = true;
        Translation t = translate(read_file(path_), settings);
        ASSERT_TRUE(t.ok) << t.diagnostics;
        std::string golden = fs::path(path_).replace_extension(".ir");
        if (std::getenv("TAPIR_UPDATE_GOLDEN")) std::ofstream(golden) << t.ir;
        EXPECT_EQ(read_file(golden), t.ir);
    }

  private:
    std::string path_;
};

// Random programs against an evaluator of the test's own. TAPIR_RANDOM_SCRIPTS=N and TAPIR_RANDOM_SEED=S run N scripts
// of 50 programs each from seed S on. Nearly all the time goes into the C compiler: TAPIR_RANDOM_CC="clang -O0 -w"
// takes less than half of gcc's.
TEST(Differential, RandomPrograms) {
    auto setting = [](const char *name, int fallback) {
        const char *text = std::getenv(name);
        return text ? std::atoi(text) : fallback;
    };
    int first = setting("TAPIR_RANDOM_SEED", 1), scripts = setting("TAPIR_RANDOM_SCRIPTS", 2);
    const char *compiler = std::getenv("TAPIR_RANDOM_CC");
    Settings settings;
    settings.defines = {
        {"MAXSTRINGLEN", std::to_string(kRandomStringCapacity)}, {"MAXACTION", "1000000"}, {"MAXNESTING", "20"}};
    settings.autoprint = false;
    for (int seed = first; seed < first + scripts; seed++) {
        RandomScript script = random_script(static_cast<uint64_t>(seed), 50);
        settings.unoptimized = seed % 2;
        Translation t = translate(script.text, settings);
        ASSERT_TRUE(t.ok) << "seed " << seed << "\n" << t.diagnostics << script.text;
        Outcome ran = run_native(t.c, "", seed % 16 == 0 ? kStrictCompiler : compiler ? compiler : "cc -O0 -w");
        ASSERT_EQ(script.expected, ran.out) << "seed " << seed << "\n" << script.text << ran.err;
    }
}

// Registers one test for each file of `directory` with this extension.
template <class Test>
void add_tests(const char *suite, const std::string &directory, const char *extension) {
    std::vector<std::string> paths;
    for (const auto &entry : fs::directory_iterator(tapir::source_dir() + "/testsuite/" + directory))
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
