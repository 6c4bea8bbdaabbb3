// SPDX-License-Identifier: GPL-2.0-or-later
// The small parts: processes, hashes, features, versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "../said.h"
#include "build/build_command.h"
#include "build/compiler.h"
#include "build/features.h"
#include "build/versions.h"
#include "common/files.h"
#include "common/hash.h"

namespace tapir::build {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(HashTest, KnownValueAndFieldBorders) {
    EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_NE(Hasher().add("ab").add("c").hex(), Hasher().add("a").add("bc").hex());
    EXPECT_NE(Hasher().add("a").hex(), Hasher().add("a").add("").hex());
    EXPECT_EQ(Hasher().add("a").add("b").hex(), Hasher().add("a").add("b").hex());
}

TEST(BuildCommand, StatusOutputAndPlace) {
    const Outcome<Result> result =
        run({{"sh", "-c", "echo out; echo err >&2; pwd; echo $EXTRA; exit 3"}, "/usr", {"EXTRA=more"}});
    ASSERT_TRUE(result) << said(result);
    EXPECT_EQ(result->ending.words(), "with status 3");
    EXPECT_EQ(result->output, "out\nerr\n/usr\nmore\n");
    EXPECT_EQ(result->text(), "out\nerr\n/usr\nmore");
    EXPECT_EQ(tag_of(run({{"tapir-no-such-program"}, "", {}})), "program-missing");
}

TEST(BuildCommand, KeepsMakeVariablesAway) {
    setenv("MAKEFLAGS", "-k", 1);
    setenv("CROSS_COMPILE", "arm-", 1);
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    setenv("TAPIR_TEST_KEPT", "yes", 1);
    EXPECT_EQ(run({{"sh", "-c", "echo $MAKEFLAGS,$CROSS_COMPILE,$LC_ALL,$TAPIR_TEST_KEPT"}, "", {}})->output,
              ",,C,yes\n");
}

// A system of one static program.
class OtherSystem : public testing::Test {
  protected:
    void SetUp() override {
        system_ = *make_directory(std::filesystem::temp_directory_path(), "tapir-system-");
        std::filesystem::create_directories(system_ + "/usr/bin");
        std::filesystem::create_directories(system_ + "/etc");
        const Outcome<std::string> busybox = find_program("busybox");
        ASSERT_TRUE(busybox) << said(busybox);
        std::filesystem::copy_file(*busybox, system_ + "/usr/bin/busybox");
        std::filesystem::create_symlink("busybox", system_ + "/usr/bin/sh");
        // Leads nowhere on this machine.
        std::filesystem::create_symlink("/etc/tools/gcc-99", system_ + "/usr/bin/gcc-99");
        EXPECT_TRUE(write_file(system_ + "/etc/name", "the other\n"));
    }
    void TearDown() override { std::filesystem::remove_all(system_); }
    Command command(const std::string &text) const { return {{"sh", "-c", text}, "", {}, system_}; }
    // The system, as a tool chain in this cache.
    std::string tool_chain(const std::string &cache) const {
        const std::string place = cache + "/toolchains/later";
        std::filesystem::create_directories(cache + "/toolchains");
        std::filesystem::create_directory_symlink(system_, place);
        return place;
    }
    target::Kernel kernel_of(const std::string &config) const {
        target::Kernel kernel;
        kernel.build_dir = system_ + "/headers";
        std::filesystem::create_directories(kernel.build_dir);
        EXPECT_TRUE(write_file(kernel.build_dir + "/.config", config));
        return kernel;
    }
    std::string system_;
};

TEST_F(OtherSystem, StandsInThisOnesPlaceForACommand) {
    Command in_system = command("busybox cat /etc/name; busybox ls /usr/bin; pwd; echo $EXTRA $PATH; exit 3");
    in_system.cwd = system_;
    in_system.environment = {"EXTRA=more"};
    const Outcome<Result> result = run(in_system);
    ASSERT_TRUE(result) << said(result);
    EXPECT_EQ(result->output, "the other\nbusybox\ngcc-99\nsh\n" + system_ +
                                  "\nmore /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n");
    EXPECT_EQ(result->ending.status, 3);
    // Only for that command.
    EXPECT_NE(run({{"ls", "/usr/bin"}, "", {}, ""})->output, "busybox\ngcc-99\nsh\n");
}

TEST_F(OtherSystem, SharesWhatDoesNotBelongToASystem) {
    ASSERT_TRUE(run(command("echo text >" + system_ + "/made"))->ok());
    EXPECT_EQ(read_file(system_ + "/made"), "text\n");
    EXPECT_TRUE(hidden_by_system("/usr/src/linux-headers-x"));
    EXPECT_FALSE(hidden_by_system(system_));
    EXPECT_FALSE(hidden_by_system("/usrlocal"));
}

TEST_F(OtherSystem, SaysWhatIsNotThere) {
    EXPECT_EQ(said(run({{"make"}, "", {}, system_})),
              "cannot start 'make': it is in no directory of $PATH; install it");
    Command nowhere = command("true");
    nowhere.cwd = "/no/such/place";
    EXPECT_EQ(said(run(nowhere)), "cannot start 'sh': /no/such/place: No such file or directory");
}

TEST_F(OtherSystem, IsChosenForItsCompiler) {
    const std::string cache = system_ + "/cache", place = tool_chain(cache);
    const target::Kernel kernel = kernel_of("CONFIG_CC_VERSION_TEXT=\"x86_64-linux-gnu-gcc-99 (Fake) 99.1\"\n");
    const Compiler compiler = choose_compiler(kernel, cache);
    EXPECT_EQ(compiler.system, place);
    EXPECT_EQ(compiler.program, place + "/usr/bin/gcc-99");
    EXPECT_THAT(compiler.make_args, testing::ElementsAre("CC=gcc-99"));
    EXPECT_FALSE(compiler.substitute);
    // Without it: this machine's.
    const Compiler own = choose_compiler(kernel, cache + "/none");
    EXPECT_EQ(own.system, "");
    EXPECT_TRUE(own.substitute);
    EXPECT_EQ(own.program, *find_program("gcc"));
}

// Only LLVM's version is known of it; the other system has that, this one has another or none.
TEST_F(OtherSystem, IsChosenForItsClang) {
    const std::string cache = system_ + "/cache", place = tool_chain(cache);
    const target::Kernel kernel =
        kernel_of("CONFIG_CC_VERSION_TEXT=\"Debian clang version 99.0.6 (Fake)\"\nCONFIG_CC_IS_CLANG=y\n");
    std::filesystem::create_symlink("busybox", system_ + "/usr/bin/clang-99");
    const std::string path = getenv("PATH");
    setenv("PATH", "/nowhere", 1);
    const Compiler compiler = choose_compiler(kernel, cache);
    std::filesystem::rename(system_ + "/usr/bin/clang-99", system_ + "/usr/bin/clang");
    const Compiler plain = choose_compiler(kernel, cache);
    setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(compiler.wanted, "clang-99");
    EXPECT_EQ(compiler.program, place + "/usr/bin/clang-99");
    EXPECT_THAT(compiler.make_args, testing::ElementsAre("LLVM=1", "CC=clang-99"));
    EXPECT_FALSE(compiler.substitute);
    EXPECT_EQ(plain.program, place + "/usr/bin/clang");
    EXPECT_THAT(plain.make_args, testing::ElementsAre("LLVM=1"));
    EXPECT_FALSE(plain.substitute);
}

constexpr char kList[] =
    "# comment\n"
    "A\tstdlib.h\textern void f(int); f(1);\n"
    "B\tstdlib.h,stdio.h\textern int f(char *); missing_function(f);\n"
    "C\tno/such_header.h\t;\n"
    "D\tstdio.h\tmissing_function(0); (void)stdout;\n"
    "E\tstdio.h,+exported\t(void)stdout;\n"
    "F\tstdio.h,+hidden\t(void)stdout;\n"
    "G\tstdio.h\tint x = MISSING_CONSTANT; (void)x;\n"
    "broken line\n";

class FeaturesTest : public testing::TestWithParam<const char *> {
  protected:
    void SetUp() override {
        if (!find_program(GetParam())) GTEST_SKIP() << "no " << GetParam();
        top_ = *make_directory(std::filesystem::temp_directory_path(), "tapir-features-");
    }
    void TearDown() override {
        if (!top_.empty()) std::filesystem::remove_all(top_);
    }

    // Compiles the generated files with make, on this machine's headers.
    Outcome<Result> answer(std::string source, const std::vector<FeatureTest> &tests) {
        constexpr std::string_view kModule = "#include <linux/module.h>\n";
        EXPECT_TRUE(source.starts_with(kModule));
        source = source.substr(kModule.size());
        EXPECT_TRUE(write_file(top_ + "/features.c", source));
        EXPECT_TRUE(write_file(top_ + "/features.tsv", feature_table(tests)));
        EXPECT_TRUE(write_file(top_ + "/features.awk", kFeatureAwk));
        return run({{"sh", "-c",
                     GetParam() + (" " + std::string(kFeatureFlags)) + " " +
                         std::string(GetParam() == std::string("gcc") ? kFeatureFlagsOfGcc : kFeatureFlagsOfClang) +
                         " -Wall features.c 2>log; awk -v log_file=log -f features.awk features.tsv log"},
                    top_,
                    {}});
    }

    std::string top_;
};

INSTANTIATE_TEST_SUITE_P(Compilers, FeaturesTest, testing::Values("gcc", "clang"));

TEST_P(FeaturesTest, AnswersManyTestsInOneCompilation) {
    auto tests = parse_feature_list(kList);
    ASSERT_EQ(tests.size(), 7u);
    const Outcome<Result> result = answer(feature_source(tests, "0x0\texported\tvmlinux\tEXPORT_SYMBOL\t\n"), tests);
    ASSERT_TRUE(result) << said(result);
    EXPECT_TRUE(result->ok());
    EXPECT_EQ(
        result->output,
        "/* Generated: what the headers of this kernel have. */\n#define A 1\n#define B 0\n#define C 0\n#define D 0\n"
        "#define E 1\n#define F 0\n#define G 0\n");
}

TEST_P(FeaturesTest, ConcludesNothingFromBrokenHeaders) {
    auto tests = parse_feature_list(kList);
    const Outcome<Result> result =
        answer("#include <linux/module.h>\nint broken(;\n" + feature_source(tests, ""), tests);
    ASSERT_TRUE(result) << said(result);
    EXPECT_EQ(result->ending.status, 1);
    EXPECT_THAT(result->output, HasSubstr("features.c:1:"));
    EXPECT_THAT(result->output, Not(HasSubstr("#define")));
}

TEST(VersionsTest, FindsExportsAndWritesTheirVersions) {
    auto exports = target::find_exports(
        "0x11111111\tone\tvmlinux\tEXPORT_SYMBOL\t\n0x22222222\ttwo\tdrivers/x/"
        "x\tEXPORT_SYMBOL_GPL\tSPACE_X\n0x3\tthree\tvmlinux\t"
        "EXPORT_SYMBOL\t\n",
        {"two", "one", "four"});
    ASSERT_EQ(exports.size(), 2u);
    EXPECT_EQ(exports[1].module, "drivers/x/x");
    EXPECT_EQ(version_source(exports, true),
              "struct version { unsigned long crc; char name[64 - sizeof(unsigned long)]; };\n"
              "static const struct version versions[] __attribute__((used, section(\"__versions\"))) = {\n"
              "\t{ 0x11111111, \"one\" },\n\t{ 0x22222222, \"two\" },\n};\n"
              "static const char space0[] __attribute__((used, section(\".modinfo\"), aligned(1))) = "
              "\"import_ns=SPACE_X\";\n");
    EXPECT_THAT(version_source(exports, false), Not(HasSubstr("__versions")));
}

}  // namespace
}  // namespace tapir::build
