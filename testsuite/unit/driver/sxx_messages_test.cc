// SPDX-License-Identifier: GPL-2.0-or-later
// Scripts of stap++, from their options on.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "driver/script_text.h"
#include "driver/sxx_script.h"
#include "options/options.h"

namespace tapir::driver {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class Sxx : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "tapir-sxx-XXXXXX";
        ASSERT_TRUE(mkdtemp(pattern.data()));
        directory_ = pattern;
        unsetenv("SXX_PATH");
    }
    void TearDown() override {
        unsetenv("SXX_PATH");
        fs::remove_all(directory_);
    }
    std::string write(const std::string &name, const std::string &text) const {
        const fs::path path = directory_ + "/" + name;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text;
        return path;
    }
    // Returns the script of a command line as it is rewritten, or what is asked for, and then the messages.
    std::string run(const Words &words) {
        Diagnostics diagnostics;
        const Options options = parse_options(words, diagnostics);
        const auto backend = choose_backend(options, diagnostics);
        State state(options, *backend, diagnostics);
        state.sources = read_sources(options, diagnostics);
        std::string made;
        if (!diagnostics.has_errors()) made = expand_sxx(state).value_or("");
        if (made.empty() && !diagnostics.has_errors()) made = state.sources.front()->text();
        for (const auto &text : state.used_texts)
            made += "{" + fs::path(text->name()).filename().string() + ": " + std::string(text->text()) + "}";
        std::string said = render_all(diagnostics, true);
        for (size_t at; (at = said.find(directory_)) != std::string::npos;)
            said.replace(at, directory_.size(), "HERE");
        return diagnostics.has_errors() ? said : made + (said.empty() ? "" : "\n" + said);
    }

    std::string directory_;
};

TEST_F(Sxx, SxxArgumentUnused) {
    const std::string script = write("t.sxx", "$^arg_limit $^arg_time :default(3)");
    EXPECT_EQ(run({script, "--arg", "limit=1", "--arg", "tim=2"}),
              "1 3\n"
              "WARNING: the script does not use the argument 'tim' (--arg tim=2) (similar: time)\n"
              "   help: the script takes: limit, time (--args has their defaults)\n");
    EXPECT_EQ(run({write("n.sxx", "x"), "--arg", "tim=2"}),
              "x\n"
              "WARNING: the script does not use the argument 'tim' (--arg tim=2)\n"
              "   help: the script takes no arguments\n");
}

TEST_F(Sxx, SxxArgumentUnknown) {
    const std::string script = write("t.sxx", "$^arg_limit :default(1)");
    EXPECT_EQ(run({script, "--limt=1"}),
              "ERROR: neither the script nor stap knows the option --limt (similar: limit).\n"
              " help: the script takes: limit (--args has their defaults)\n");
    EXPECT_EQ(run({script, "--mastr", "1"}),
              "ERROR: neither the script nor stap knows the option --mastr (similar: --master).\n"
              " help: the script takes: limit (--args has their defaults)\n");
    EXPECT_EQ(run({script, "--limit=5"}), "5");
}

TEST_F(Sxx, UsageErrorOfProcessesAndPrograms) {
    const std::string script = write("t.sxx", "$^exec_path");
    EXPECT_EQ(run({script, "--exec", directory_ + "/none"}), "ERROR: --exec: there is no file 'HERE/none'.\n");
    write("bin/server", "");
    EXPECT_EQ(run({script, "--exec", directory_ + "/bin/servr"}),
              "ERROR: --exec: there is no file 'HERE/bin/servr' (similar: HERE/bin/server).\n");
    EXPECT_EQ(run({script, "--exec", script}).substr(0, 39), "ERROR: --exec: 'HERE/t.sxx' is no progr");
    const pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    const std::string number = std::to_string(child), self = std::to_string(getpid());
    const std::string program = fs::read_symlink("/proc/self/exe");
    write("all.sxx", "$^exec_path|$^target|$^pid_ok");
    EXPECT_EQ(run({directory_ + "/all.sxx", "-x", number}), program + "|" + number + "|pid() == target()");
    EXPECT_EQ(run({directory_ + "/all.sxx", "--master", self}), program + "|" + number + "|(pid() == " + number + ")");
    EXPECT_EQ(run({directory_ + "/all.sxx", "--exec", "/bin/ls"}), "/bin/ls|ANY|1");
    EXPECT_EQ(run({directory_ + "/all.sxx", "--exec", "/bin/ls", "-x", number}),
              "/bin/ls|" + number + "|pid() == target()");
    EXPECT_EQ(run({script, "--master", number}), "ERROR: --master: process " + number +
                                                     " has no child processes.\n help: -x " + number +
                                                     " is about the process itself\n");
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_EQ(run({script, "-x", number}), "ERROR: -x: there is no process " + number + ".\n");
    EXPECT_EQ(run({script, "--sample-pid", number}), "ERROR: --sample-pid: there is no process " + number + ".\n");
    // The C library of this process is one that it has mapped.
    EXPECT_EQ(run({write("l.sxx", "$^libc_path"), "--sample-pid", self}),
              fs::canonical("/lib/x86_64-linux-gnu/libc.so.6"));
}

TEST_F(Sxx, SxxLibraryMissing) {
    write("given/a/b.sxx", "1");
    write("named/a/c.sxx", "2");
    write("tapset/d.sxx", "3 $^arg_n");
    const std::string script = write("samples/t.sxx", "@use a.b, a.c, d");
    setenv("SXX_PATH", ("/nowhere::" + directory_ + "/named").c_str(), 1);
    EXPECT_EQ(run({script, "-I", directory_ + "/given", "--n", "4"}), "{b.sxx: 1}{c.sxx: 2}{d.sxx: 3 4}");
    unsetenv("SXX_PATH");
    EXPECT_EQ(run({script, "-I", directory_ + "/given", "--n=4"}),
              "parse error: there is no library 'a.c'\n"
              "         at: identifier 'a.c' at HERE/samples/t.sxx:1:11\n"
              "     source: @use a.b, a.c, d\n"
              "                       ^\n"
              "       help: similar: a.b\n"
              "\n");
    EXPECT_EQ(
        run({script, "--n=4"}),
        "parse error: there is no library 'a.b'\n"
        "         at: identifier 'a.b' at HERE/samples/t.sxx:1:6\n"
        "     source: @use a.b, a.c, d\n"
        "                  ^\n"
        "       help: it would be a file a/b.sxx in ., HERE/samples/../tapset; -I DIR and the variable SXX_PATH add "
        "more\n"
        "\n"
        "parse error: there is no library 'a.c'\n"
        "         at: identifier 'a.c' at :1:11\n"
        "     source: @use a.b, a.c, d\n"
        "                       ^\n"
        "       help: it would be a file a/c.sxx in ., HERE/samples/../tapset; -I DIR and the variable SXX_PATH add "
        "more\n"
        "\n");
}

TEST_F(Sxx, WhatIsAskedForIsPrinted) {
    const std::string script = write("t.sxx", "#!x\n$^arg_b $^arg_a :default(1)\n");
    EXPECT_EQ(run({script, "--args"}), "\t--arg a=VALUE (default: 1)\n\t--arg b=VALUE\n");
    EXPECT_EQ(run({script, "--dump-src", "--b=2"}), "#!/usr/bin/env stap\n2 1\n");
    EXPECT_EQ(run({"--sxx", "-e", "[$^arg_b]", "--b=2"}), "[2]");
}

}  // namespace
}  // namespace tapir::driver
