// SPDX-License-Identifier: GPL-2.0-or-later
// stap-watch with a stand-in for stap, which lies beside it: sessions, leftovers, failures, status, the end.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "../patience.h"
#include "common/files.h"
#include "common/process.h"
#include "common/run_program.h"
#include "testsuite/trees.h"

namespace tapir::watch {
namespace {

namespace fs = std::filesystem;

// A session takes the time that the file "pause" says, writes its arguments to its capture, and ends as "status" says.
// clang-format off
constexpr char kStap[] = R"sh(#!/bin/sh
here=$(dirname "$0")
case "$*" in
*--describe) echo '{"options":[{"name":"hz","type":"number","least":1}]}' && exit ;;
esac
for word; do case $word in --record=*) file=${word#--record=} ;; esac; done
trap 'kill $!; printf "%40s %s\n" end "$*" >>"$file"; exit 0' TERM
echo "$*" >>"$here/commands"
printf '%40s %s\n' begin "$*" >"$file"
sleep "$(cat "$here/pause")" & wait $!
status=$(cat "$here/status")
[ "$status" = 0 ] || { echo "it went wrong" >&2; rm "$file"; exit "$status"; }
printf '%40s %s\n' end "$*" >>"$file"
)sh";
// clang-format on

class Watching : public ::testing::Test {
  protected:
    void SetUp() override {
        fs::copy_file(build_dir() + "/bin/stap-watch", path("stap-watch"));
        ASSERT_TRUE(write_file(path("stap"), kStap, 0755));
        set("pause", "0.1");
        set("status", "0");
    }
    void set(const std::string &name, const std::string &value) { ASSERT_TRUE(replace_file(path(name), value)); }
    void begin(std::vector<std::string> words) {
        words.insert(words.begin(), path("stap-watch"));
        words.push_back("--folder=" + path("f"));
        program_ = Program{std::move(words)};
        program_.errors = Stream::collected(errors_);
        ASSERT_TRUE(watch_.start(program_));
    }
    int ask(const std::string &option) {
        output_.text.clear();
        Program program{{path("stap-watch"), option, "--folder=" + path("f")}};
        program.output = Stream::collected(output_);
        program.errors = Stream::with_output();
        const Outcome<Ending> ended = run_program(program);
        return ended ? ended->code() : -1;
    }
    size_t captures(const std::string &tool = "oncpu") const {
        size_t count = 0;
        std::error_code error;
        for (fs::directory_iterator at(path("f/" + tool), error), end; !error && at != end; at.increment(error))
            count += at->path().filename().string()[0] != '.' && at->path().extension() == ".tapir";
        return count;
    }
    bool have(size_t count) {
        return tests::patiently(20, [&] {
            watch_.collect(0);
            return captures() >= count;
        });
    }
    void end(int status) {
        while (watch_.collect(-1))
            ;
        watch_.wait();
        EXPECT_EQ(watch_.ending().code(), status) << errors_.text;
    }
    std::string path(const std::string &name) const { return directory_.path() + "/" + name; }

    TemporaryDirectory directory_{*make_directory(temporary_root(), "tapir-watch")};
    Collected errors_, output_;
    Program program_;
    Process watch_;
};

TEST_F(Watching, SessionsFollowEachOther) {
    begin({"oncpu", "--keep=3", "--every=7s"});
    ASSERT_TRUE(have(3)) << errors_.text;
    EXPECT_EQ(ask("--status"), 0);
    EXPECT_NE(output_.text.find("\noncpu "), std::string::npos) << output_.text;
    EXPECT_EQ(ask("--stop"), 0) << output_.text;
    end(0);
    EXPECT_EQ(captures(), 3u);
    EXPECT_FALSE(fs::exists(path("f/oncpu/.running.tapir")));
    for (const auto &entry : fs::directory_iterator(path("f/oncpu")))
        EXPECT_NE(read_file(entry.path())->find(" end "), std::string::npos) << entry.path();
    const std::string commands = *read_file(path("commands"));
    EXPECT_EQ(commands.substr(0, commands.find('\n')), "run -m watch_oncpu --record=" + path("f/oncpu/.running.tapir") +
                                                           " --ledger=" + path("f/oncpu/.running.json") +
                                                           " --budget=0.2% oncpu --hz=19 --duration=7");
    EXPECT_EQ(ask("--status"), 1);
    EXPECT_EQ(ask("--stop"), 1);
    EXPECT_EQ(output_.text.find("stap-watch: nothing watches for"), 0u) << output_.text;
}

TEST_F(Watching, WhatWasKilledIsTakenOver) {
    set("pause", "1000");
    begin({"oncpu"});
    ASSERT_TRUE(tests::patiently(20, [&] { return fs::exists(path("f/oncpu/.running.tapir")); }));
    EXPECT_EQ(ask("oncpu"), 1);
    EXPECT_NE(output_.text.find("another stap-watch watches"), std::string::npos) << output_.text;
    watch_.kill();
    EXPECT_EQ(captures(), 0u);
    watch_.forget();
    set("pause", "0.1");
    begin({"oncpu"});
    ASSERT_TRUE(have(2)) << errors_.text;
    watch_.signal(SIGTERM);
    end(0);
}

TEST_F(Watching, ASignalEndsTheSessionWithItsCapture) {
    set("pause", "1000");
    begin({"oncpu", "'offcpu' -p 1", "--budget=none"});
    ASSERT_TRUE(tests::patiently(20, [&] {
        return fs::exists(path("f/oncpu/.running.tapir")) && fs::exists(path("f/offcpu-p-1/.running.tapir"));
    }));
    watch_.signal(SIGINT);
    end(0);
    EXPECT_EQ(captures(), 1u);
    EXPECT_EQ(captures("offcpu-p-1"), 1u);
}

TEST_F(Watching, FailuresAreToldAndTriedAgain) {
    set("status", "1");
    begin({"oncpu"});
    ASSERT_TRUE(tests::patiently(20, [&] {
        watch_.collect(100);
        return errors_.text.find("begins in 2 s") != std::string::npos;
    })) << errors_.text;
    EXPECT_NE(errors_.text.find("stap-watch: oncpu: it went wrong\nstap-watch: oncpu: its session ended with status 1: "
                                "it went wrong; the next session begins in 1 s\n"),
              std::string::npos)
        << errors_.text;
    EXPECT_EQ(ask("--status"), 0);
    EXPECT_NE(output_.text.find("resting"), std::string::npos) << output_.text;
    EXPECT_NE(output_.text.find("its session ended with status 1: it went wrong"), std::string::npos) << output_.text;
    set("status", "0");
    EXPECT_TRUE(have(2)) << errors_.text;
    watch_.signal(SIGTERM);
    end(0);
}

}  // namespace
}  // namespace tapir::watch
