// SPDX-License-Identifier: GPL-2.0-or-later
// stap-prep: names on its command line, what scripts need, sizes as apt has them, and what it says of this machine.
#include <gtest/gtest.h>
#include <sys/utsname.h>

#include <filesystem>
#include <sstream>

#include "common/files.h"
#include "common/find_program.h"
#include "common/run_program.h"
#include "common/size_text.h"
#include "prep/apt.h"
#include "prep/prep.h"
#include "syntax/parser.h"
#include "testsuite/trees.h"
#include "testsuite/unit/debuginfod/stand_in.h"

namespace tapir::prep {
namespace {

TEST(PrepOptions, TellScriptsReleasesAndProgramsApart) {
    const Outcome<PrepOptions> options =
        parse_options({"-n", "a/b.stp", "6.1.0-57-amd64", "nginx", "./7zip", "--kernel-debug"});
    ASSERT_TRUE(options);
    EXPECT_TRUE(options->only_say && options->kernel_debug && !options->yes);
    EXPECT_EQ(options->release, "6.1.0-57-amd64");
    EXPECT_EQ(options->scripts, std::vector<std::string>{"a/b.stp"});
    EXPECT_EQ(options->programs, (std::vector<std::string>{"nginx", "./7zip"}));
    EXPECT_FALSE(options->server);
    EXPECT_EQ(parse_options({"--use-server"})->server, "");
    EXPECT_EQ(parse_options({"--use-server=build"})->server, "build");
    EXPECT_EQ(parse_options({"--release=6.1.0-1-amd64", "--yes", "--user"})->release, "6.1.0-1-amd64");
    for (const std::vector<std::string> &wrong : std::vector<std::vector<std::string>>{
             {"--dry-run", "-y"}, {"6.1.0-1-amd64", "6.1.0-2-amd64"}, {"--nosuch"}, {""}}) {
        const Outcome<PrepOptions> refused = parse_options(wrong);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.fault().tag, FaultTag::Misuse);
    }
}

ScriptNeeds needs_of(const std::string &text) {
    const SourceFile source("script.stp", text, Origin::UserScript);
    Diagnostics diagnostics;
    ScriptNeeds needs;
    add_needs(*syntax::parse(source, {}, diagnostics), needs);
    return needs;
}

TEST(ScriptNeeds, AreThoseOfProbePoints) {
    const ScriptNeeds needs = needs_of(
        "probe process(\"nginx\").function(\"main\"), process(\"/usr/bin/x\").library(\"libc.so.6\").function(\"f\"),\n"
        "  process(\"nginx\").mark(\"m\"), process(\"/opt/*\").begin, process.end { exit() }\n"
        "probe kernel.function(\"vfs_read\"), module(\"ext4\").function(\"g\") { println($$parms) }\n");
    EXPECT_EQ(needs.programs, (std::vector<std::string>{"nginx", "/usr/bin/x", "libc.so.6"}));
    EXPECT_EQ(needs.reason, "");
    EXPECT_TRUE(needs.modules.empty());
    const ScriptNeeds deeper = needs_of(
        "probe module(\"ext4\").statement(\"*@fs/ext4/inode.c:100\") { }\n"
        "probe kernel.function(\"vfs_read\").inline { }\n");
    EXPECT_EQ(deeper.reason, "module(\"ext4\").statement(\"*@fs/ext4/inode.c:100\")");
    EXPECT_EQ(deeper.modules, std::vector<std::string>{"ext4"});
    EXPECT_EQ(needs_of("probe begin {").programs.size(), 0u);
}

TEST(DebugSources, AreThoseOfTheArchivesThatAptKnows) {
    EXPECT_EQ(debug_sources("http://mirror.example/debian bookworm\nhttp://mirror.example/debian bookworm-updates\n"
                            "http://mirror.example/debian-security/ bookworm-security\nhttps://other.example x\n"),
              "Types: deb\nURIs: http://mirror.example/debian-debug\nSuites: bookworm-debug\nComponents: main\n"
              "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n\n"
              "Types: deb\nURIs: http://mirror.example/debian-security-debug\nSuites: bookworm-security-debug\n"
              "Components: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n");
    EXPECT_EQ(
        debug_sources("http://mirror.example/debian bookworm\nhttp://mirror.example/debian-debug bookworm-debug\n"),
        "");
    EXPECT_EQ(debug_sources("http://mirror.example/ubuntu jammy\n"), "");
}

// The sum that apt-get itself prints.
TEST(Download, HasTheSizesOfApt) {
    if (!find_program("apt-cache")) GTEST_SKIP() << "apt is not installed";
    const std::map<std::string, PackageSize> sizes = sizes_of({"gdb", "no-such-package"});
    if (sizes.empty()) GTEST_SKIP() << "apt has no index of packages";
    ASSERT_EQ(sizes.size(), 1u);
    const Outcome<std::string> shown = output_of({"apt-cache", "show", "--no-all-versions", "gdb"});
    ASSERT_TRUE(shown);
    EXPECT_NE(shown->find("\nSize: " + std::to_string(sizes.at("gdb").bytes) + "\n"), std::string::npos);
    EXPECT_NE(shown->find("\nInstalled-Size: " + std::to_string(sizes.at("gdb").installed / 1024) + "\n"),
              std::string::npos);
}

class StapPrep : public testing::Test {
  protected:
    int run(std::vector<std::string> arguments) {
        output_ = {};
        errors_ = {};
        arguments.insert(arguments.begin(), build_dir() + "/bin/stap-prep");
        Program program{std::move(arguments)};
        program.directory = directory_.path();
        program.environment = environment_with({"DEBUGINFOD_CACHE_PATH=" + directory_.path() + "/cache"});
        program.output = Stream::collected(output_);
        program.errors = Stream::collected(errors_);
        const Outcome<Ending> ended = run_program(program);
        return ended ? ended->code() : -1;
    }
    bool prints(const std::string &text) const { return output_.text.find(text) != std::string::npos; }

    Collected output_, errors_;
    TemporaryDirectory directory_{*make_directory(temporary_root(), "tapir-prep")};
};

TEST_F(StapPrep, SaysWhatIsMissingOfAProgram) {
    // A program with debug information, and the same without.
    const std::string whole = directory_.path() + "/whole", bare = directory_.path() + "/bare";
    ASSERT_TRUE(write_file(directory_.path() + "/p.c", "int main() { return 0; }\n"));
    ASSERT_TRUE(
        output_of({"gcc", "-g", "-Wl,--build-id=0x00112233445566778899aabb", "-o", whole, directory_.path() + "/p.c"}));
    ASSERT_TRUE(output_of({"strip", "-o", bare, whole}));
    EXPECT_EQ(run({"-n", whole, bare}), 1);
    EXPECT_TRUE(prints(whole + "\n  there    debug information: " + whole + "\n")) << output_.text;
    EXPECT_TRUE(prints(bare + "\n  missing  debug information: no package has this file: compile it with -g, and do "
                              "not strip it\n"))
        << output_.text;
    // From the cache of debuginfod.
    const std::string kept = directory_.path() + "/cache/00112233445566778899aabb";
    std::filesystem::create_directories(kept);
    std::filesystem::copy_file(whole, kept + "/debuginfo");
    run({"-n", bare});
    EXPECT_TRUE(prints(bare + "\n  there    debug information: " + kept + "/debuginfo\n")) << output_.text;
}

TEST_F(StapPrep, FetchesFilesThatOnlyServersHave) {
    ASSERT_TRUE(write_file(directory_.path() + "/p.c", "int main() { return 0; }\n"));
    const std::string whole = directory_.path() + "/whole", bare = directory_.path() + "/bare";
    ASSERT_TRUE(
        output_of({"gcc", "-g", "-Wl,--build-id=0x00112233445566778899aabb", "-o", whole, directory_.path() + "/p.c"}));
    ASSERT_TRUE(output_of({"strip", "-o", bare, whole}));
    const std::string file = read_file(whole).value_or("");
    debuginfod::StandIn server([&file](const std::string &) { return debuginfod::http_answer("200 OK", file); });
    setenv("DEBUGINFOD_URLS", server.url().c_str(), 1);
    run({"-n", bare});
    EXPECT_TRUE(prints(bare + "\n  missing  debug information: build-id 00112233445566778899aabb of " + server.url() +
                       ", " + size_text(file.size()) + "\n"))
        << output_.text << errors_.text;
    EXPECT_TRUE(prints("\nFrom servers: 1 file, " + size_text(file.size()) + "\n")) << output_.text;
    const std::string kept = directory_.path() + "/cache/00112233445566778899aabb/debuginfo";
    EXPECT_FALSE(is_file(kept));
    // The kernel's headers may be missing here, and would be installed.
    run({"-y", "1.2.3-nosuch", bare});
    EXPECT_EQ(read_file(kept), file) << output_.text << errors_.text;
    unsetenv("DEBUGINFOD_URLS");
}

TEST_F(StapPrep, NamesPackagesThatAptKnows) {
    utsname names = {};
    ASSERT_EQ(uname(&names), 0);
    run({"-n"});
    EXPECT_TRUE(output_.text.starts_with(std::string("kernel ") + names.release + "\n")) << output_.text;
    ASSERT_TRUE(write_file(directory_.path() + "/a.stp", "probe process(\"nosuchprogram\").begin { exit() }\n"));
    EXPECT_EQ(run({"a.stp", "1.2.3-nosuch"}), 1);
    EXPECT_TRUE(prints("kernel 1.2.3-nosuch\n  missing  headers: ")) << output_.text;
    EXPECT_NE(errors_.text.find("there is no program nosuchprogram"), std::string::npos) << errors_.text;
    EXPECT_EQ(run({"b.stp"}), 1);
    EXPECT_NE(errors_.text.find("cannot read the script b.stp"), std::string::npos) << errors_.text;
}

}  // namespace
}  // namespace tapir::prep
