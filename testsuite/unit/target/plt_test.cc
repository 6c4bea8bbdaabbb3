// SPDX-License-Identifier: GPL-2.0-or-later
// PLT entries of programs that the tests link in every way; what objdump says of them is the measure.
#include "target/plt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace tapir::target {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr char kCallsOfPlt[] =
    "extern int first(int), second(int);\n"
    "int (*taken)(int);\n"
    "int calls(int a) { taken = second; return first(a) + second(a); }\n";

class PltTest : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        std::string pattern = testing::TempDir() + "tapir-plt-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        directory_ = pattern;
        std::ofstream(directory_ + "/calls.c") << kCallsOfPlt;
        std::ofstream(directory_ + "/start.c") << "void _start(void) {}\n";
    }
    static void TearDownTestSuite() { fs::remove_all(directory_); }

    static bool run(const std::string &command) {
        return system(("cd " + directory_ + " && " + command + " >log 2>&1").c_str()) == 0;
    }
    // Null, with a failure, when it does not become a program.
    std::unique_ptr<dwarf::Object> link(const std::string &options, const std::string &source = "calls.c") {
        std::string error;
        std::unique_ptr<dwarf::Object> object;
        if (run("gcc -O1 -fPIC -nostdlib -o linked " + source + " " + options))
            object = dwarf::Object::open(directory_ + "/linked", error);
        EXPECT_TRUE(object) << options << ": " << error;
        return object;
    }
    // "first 0x1020"
    static std::vector<std::string> texts(const dwarf::Object &object) {
        std::vector<std::string> lines;
        for (const PltEntry &entry : read_plt(object)) {
            char address[24];
            std::snprintf(address, sizeof address, " 0x%llx", static_cast<unsigned long long>(entry.address));
            lines.push_back(entry.name + address);
        }
        return lines;
    }
    static std::vector<std::string> by_objdump() {
        EXPECT_TRUE(run("objdump -d linked | sed -nE 's/^0*([0-9a-f]+) <([a-z]+)@plt>:$/\\2 0x\\1/p'"));
        std::ifstream in(directory_ + "/log");
        std::vector<std::string> lines;
        for (std::string line; std::getline(in, line);)
            lines.push_back(line);
        return lines;
    }
    void expect_same(const std::string &options, const std::string &section) {
        const auto object = link(options);
        if (!object) return;
        EXPECT_TRUE(run("readelf -SW linked | grep -q ' " + section + " '")) << section;
        const auto expected = by_objdump();
        EXPECT_EQ(expected.size(), 2u) << options;
        EXPECT_EQ(texts(*object), expected);
    }

    static std::string directory_;
};
std::string PltTest::directory_;

TEST_F(PltTest, Lazy) {
    expect_same("-shared -Wl,-z,lazy -fcf-protection=none", ".plt");
}

TEST_F(PltTest, WithLandingPadsTheSecondTableIsCalled) {
    expect_same("-shared -Wl,-z,lazy -fcf-protection=full -Wl,-z,ibtplt", ".plt.sec");
}

TEST_F(PltTest, BoundAtStart) {
    expect_same("-shared -Wl,-z,now -fcf-protection=none", ".plt.got");
}

TEST_F(PltTest, BoundAtStartWithLandingPads) {
    expect_same("-shared -Wl,-z,now -fcf-protection=full -Wl,-z,ibtplt", ".plt.got");
}

TEST_F(PltTest, ThirtyTwoBits) {
    expect_same("-m32 -shared -Wl,-z,lazy -fcf-protection=none", ".plt");
}

TEST_F(PltTest, Aarch64) {
    if (!run("clang --target=aarch64-linux-gnu -O1 -fPIC -nostdlib -shared -fuse-ld=lld -o linked calls.c"))
        GTEST_SKIP() << "no clang and lld for AArch64";
    std::string error;
    const auto object = dwarf::Object::open(directory_ + "/linked", error);
    ASSERT_TRUE(object) << error;
    const std::vector<PltEntry> entries = read_plt(*object);
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_THAT((std::vector{entries[0].name, entries[1].name}), testing::UnorderedElementsAre("first", "second"));
    EXPECT_EQ(entries[1].address, entries[0].address + 16);
}

TEST_F(PltTest, NoneAndWhy) {
    const auto without = link("-shared -fno-plt");
    ASSERT_TRUE(without);
    EXPECT_THAT(texts(*without), ElementsAre());
    EXPECT_TRUE(is_imported(*without, "first"));
    EXPECT_FALSE(is_imported(*without, "calls"));
    EXPECT_EQ(why_no_plt(*without),
              "it calls functions of other files by way of the global offset table alone (-fno-plt); probe them in "
              "their libraries: .library(\"LIBRARY\").function(\"NAME\")");
    const auto fixed = link("-static", "start.c");
    ASSERT_TRUE(fixed);
    EXPECT_EQ(why_no_plt(*fixed), "it is linked statically; use .function");
    const auto alone = link("-shared", "start.c");
    ASSERT_TRUE(alone);
    EXPECT_EQ(why_no_plt(*alone), "it calls no function of another file");
}

TEST_F(PltTest, FunctionsChosenAtStartHaveTheNameOfTheirResolver) {
    std::ofstream(directory_ + "/choose.c")
        << "static int one(int a) { return a; }\n"
           "static int (*resolve(void))(int) { return one; }\n"
           "int chosen(int) __attribute__((ifunc(\"resolve\"), visibility(\"hidden\")));\n"
           "int calls(int a) { return chosen(a); }\n";
    const auto object = link("-shared", "choose.c");
    ASSERT_TRUE(object);
    const auto entries = read_plt(*object);
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_THAT(entries[0].name, testing::AnyOf("chosen", "resolve"));
}

}  // namespace
}  // namespace tapir::target
