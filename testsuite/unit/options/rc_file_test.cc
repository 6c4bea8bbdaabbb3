// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/rc_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "options/options.h"

namespace tapir::driver {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class RcFiles : public testing::Test {
  protected:
    RcFiles() {
        char name[] = "/tmp/rc-test-XXXXXX";
        directory_ = mkdtemp(name);
        path_ = directory_ + "/rc";
    }
    ~RcFiles() override { fs::remove_all(directory_); }

    void write(const std::string &text) const { std::ofstream(path_) << text; }

    // The options of the file and of a command line; what is wrong with them in `said_`.
    Options parsed(const Words &args) {
        Diagnostics diagnostics;
        const RcFile rc = read_rc_file(path_, diagnostics);
        const Options options = parse_options(args, diagnostics, rc);
        said_ = render_all(diagnostics, true);
        return options;
    }

    std::string refused(const std::string &text) {
        write(text);
        parsed({"s.stp"});
        for (size_t at = said_.find(path_); at != std::string::npos; at = said_.find(path_))
            said_.replace(at, path_.size(), "RC");
        return said_;
    }

    std::string directory_, path_, said_;
};

TEST_F(RcFiles, OptionsComeBeforeThoseOfTheCommandLine) {
    write(
        "# what I always want\n\n-v -D MAXACTION=5000   # more\n\t-I '/my tapsets'\n--suppress-time-limits -g\n-p4\n");
    const Options o = parsed({"-p2", "-I", "/mine", "-D", "MAXACTION=7", "s.stp"});
    EXPECT_EQ(said_, "");
    EXPECT_EQ(o.verbosity[1], 1);
    EXPECT_EQ(o.include_dirs, (Words{"/my tapsets", "/mine"}));
    ASSERT_EQ(o.defines.size(), 2u);
    EXPECT_EQ(o.defines[0].value, "5000");
    EXPECT_EQ(o.defines[1].value, "7");
    EXPECT_TRUE(o.suppress_time_limits);
    EXPECT_EQ(o.last_pass, 2);
    EXPECT_EQ(o.script_file, "s.stp");
    EXPECT_EQ(o.raw, (Words{"-p2", "-I", "/mine", "-D", "MAXACTION=7", "s.stp"}));
}

TEST_F(RcFiles, WordsAreThoseOfAShell) {
    setenv("RC_TEST_VARIABLE", "/a b", 1);
    write("-I \"$RC_TEST_VARIABLE/c\" -I '$x#y' -I a\\ b#c");
    const Options o = parsed({"s.stp"});
    EXPECT_EQ(said_, "");
    EXPECT_EQ(o.include_dirs, (Words{"/a b/c", "$x#y", "a b#c"}));
}

TEST_F(RcFiles, NoFileIsNoOptions) {
    EXPECT_EQ(parsed({"s.stp"}).verbosity[1], 0);
    EXPECT_EQ(said_, "");
    fs::create_directory(path_);
    parsed({"s.stp"});
    EXPECT_EQ(said_, "ERROR: Cannot read options from " + path_ + ": Is a directory.\n");
}

TEST_F(RcFiles, PlaceOfTheDirectory) {
    setenv("SYSTEMTAP_DIR", "/somewhere", 1);
    EXPECT_EQ(rc_path(), "/somewhere/rc");
    unsetenv("SYSTEMTAP_DIR");
    const char *home = std::getenv("HOME");
    const std::string before = home ? home : "";
    setenv("HOME", "/home/me", 1);
    EXPECT_EQ(rc_path(), "/home/me/.systemtap/rc");
    unsetenv("HOME");
    EXPECT_EQ(rc_path(), "");
    if (home) setenv("HOME", before.c_str(), 1);
}

TEST_F(RcFiles, WrongOptionsAreShownWhereTheyStand) {
    EXPECT_EQ(refused("-v\n  -v --frobnicate -w\n"),
              "ERROR: Unknown option '--frobnicate': string '--frobnicate' at RC:2:6\n"
              "source:   -v --frobnicate -w\n"
              "             ^\n");
    EXPECT_EQ(refused("-T soon\n"),
              "ERROR: Invalid timeout 'soon' (should be a positive number of seconds): string '-T' at RC:1:1\n"
              "source: -T soon\n"
              "        ^\n");
    EXPECT_EQ(refused("-v script.stp\n"),
              "ERROR: Expected an option: string 'script.stp' at RC:1:4\n"
              "source: -v script.stp\n"
              "           ^\n");
    EXPECT_EQ(refused("\n-v --doctor\n"),
              "ERROR: This option is for a command line: here it would change what every command does: "
              "string '--doctor' at RC:2:4\n"
              "source: -v --doctor\n"
              "           ^\n");
}

TEST_F(RcFiles, LinesThatCannotBeSplit) {
    EXPECT_EQ(refused("-v 'x\n"),
              "ERROR: a quote or brace has no end: string '' at RC:1:1\n"
              "source: -v 'x\n"
              "        ^\n");
    EXPECT_EQ(refused("-G x=$(id)\n"),
              "ERROR: a command's output cannot be used here; only $NAME is replaced: string '' at RC:1:1\n"
              "source: -G x=$(id)\n"
              "        ^\n");
    EXPECT_EQ(refused("-v ; -w\n"),
              "ERROR: one of the characters | & ; < > ( ) { } is not quoted: string '' at RC:1:1\n"
              "source: -v ; -w\n"
              "        ^\n");
    EXPECT_EQ(refused("-I $NO_SUCH_VARIABLE_HERE\n"),
              "ERROR: a variable that is not set: string '$' at RC:1:4\n"
              "source: -I $NO_SUCH_VARIABLE_HERE\n"
              "           ^\n");
}

}  // namespace
}  // namespace tapir::driver
