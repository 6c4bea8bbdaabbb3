// SPDX-License-Identifier: GPL-2.0-or-later
// Options, pressure and folders of stap-watch.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <utime.h>

#include <filesystem>

#include "common/files.h"
#include "watch/kept_captures.h"
#include "watch/pressure.h"
#include "watch/watch_options.h"

namespace tapir::watch {
namespace {

namespace fs = std::filesystem;

std::string fault_of(const std::vector<std::string> &words) {
    const Outcome<Options> options = parse_options(words);
    return options ? "" : options.fault().text;
}

TEST(WatchOptions, AllOfThem) {
    const Outcome<Options> o = parse_options({"oncpu", "--folder=/f", "--every=90s", "offcpu -p 4711", "--keep=7",
                                              "--keep-size=3", "--keep-age=2d", "--hz=49", "--budget=1%",
                                              "--on=cpu some 15%", "--on=memory full 0.5% 4s", "oncpu"});
    ASSERT_TRUE(o) << o.fault().message();
    ASSERT_EQ(o->tools.size(), 3u);
    EXPECT_EQ(o->tools[0].name, "oncpu");
    EXPECT_EQ(o->tools[1].name, "offcpu-p-4711");
    EXPECT_EQ(o->tools[1].words, (std::vector<std::string>{"offcpu", "-p", "4711"}));
    EXPECT_EQ(o->tools[2].name, "oncpu-2");
    EXPECT_EQ(o->folder, "/f");
    EXPECT_EQ(o->every_ms, 90'000u);
    EXPECT_EQ(o->keeping.captures, 7u);
    EXPECT_EQ(o->keeping.bytes, 3u << 20);
    EXPECT_EQ(o->keeping.seconds, 2u * 86400);
    EXPECT_EQ(o->hz, 49u);
    EXPECT_EQ(o->budget, "1%");
    ASSERT_EQ(o->on.size(), 2u);
    EXPECT_EQ(o->on[0].text(), "cpu some 15% 2s");
    EXPECT_EQ(o->on[1].stall_us, 20'000u);
    EXPECT_EQ(parse_options({"--status"})->action, Options::Action::Status);
    EXPECT_EQ(parse_options({"--stop", "--folder", "/x"})->action, Options::Action::Stop);
    EXPECT_EQ(parse_options({"--help"})->action, Options::Action::Help);
    EXPECT_EQ(parse_options({"--version"})->action, Options::Action::Version);
    EXPECT_EQ(parse_options({"a", "--budget=none"})->budget, "");
    EXPECT_EQ(parse_options({"a", "--budget=none"})->budget_of_one(), "");
    EXPECT_EQ(parse_options({"a"})->budget_of_one(), "0.2%");
    EXPECT_EQ(parse_options({"a", "b"})->budget_of_one(), "0.1%");
    EXPECT_EQ(parse_options({"a", "b", "c", "--budget=5"})->budget_of_one(), "1.66%");
    const Outcome<Options> usual = parse_options({"../my tools/x.stp"});
    ASSERT_TRUE(usual);
    EXPECT_EQ(usual->folder, "/var/lib/tapir/watch");
    EXPECT_EQ(usual->hz, 19u);
    EXPECT_EQ(usual->budget, "0.2%");
}

TEST(WatchOptions, WhatIsWrong) {
    EXPECT_EQ(fault_of({}), "which tool is to watch?");
    EXPECT_EQ(fault_of({"a", "--what"}), "there is no option '--what'");
    EXPECT_EQ(fault_of({"a", "--every"}), "'--every' lacks its value");
    EXPECT_EQ(fault_of({"a", "--every=0.5s"}),
              "--every=0.5s: it takes a time such as 90s, 10m or 2h, from 1s to 86400s");
    EXPECT_EQ(fault_of({"a", "--keep=many"}), "--keep=many: it takes a number from 0 to 1000000");
    EXPECT_EQ(fault_of({"a", "--hz=0"}), "--hz=0: it takes a number from 1 to 10000");
    EXPECT_EQ(fault_of({"a", "b", "--budget=0.01%"}),
              "--budget=0.01%: each of the 2 tools takes 0.01 percent at least");
    EXPECT_EQ(fault_of({"a", "--budget=200"}), "--budget=200: it takes 0.01 to 100 percent, or none");
    EXPECT_EQ(fault_of({"a; b"}), "'a; b' is no tool with options: quotes, blanks and words are all that it may have");
    EXPECT_EQ(fault_of({"--status", "a"}), "--status and --stop are about all tools of the folder");
    for (const char *wrong : {"cpu", "cpu some", "cpu most 5%", "disk some 5%", "cpu some 0%", "cpu some 5% 20s",
                              "cpu some 5% 100ms", "cpu some 5% 2s 3s"})
        EXPECT_EQ(fault_of({"a", std::string("--on=") + wrong}), std::string("'") + wrong + "' is no pressure");
}

TEST(WatchOptions, Durations) {
    EXPECT_EQ(read_duration("10"), 10'000u);
    EXPECT_EQ(read_duration("1.5h"), 5'400'000u);
    EXPECT_EQ(read_duration("250ms"), 250u);
    EXPECT_EQ(read_duration("2min"), 120'000u);
    for (const char *wrong : {"", "x", "-5s", "5w", "1e12"})
        EXPECT_EQ(read_duration(wrong), std::nullopt) << wrong;
}

class Folder : public ::testing::Test {
  protected:
    void write(const std::string &name, size_t bytes, time_t written = 0) {
        ASSERT_TRUE(write_file(path(name), std::string(bytes, 'x')));
        const utimbuf times{written, written};
        if (written) {
            ASSERT_EQ(utime(path(name).c_str(), &times), 0);
        }
    }
    std::string names() const {
        std::vector<std::string> all;
        for (const auto &entry : fs::directory_iterator(path("")))
            all.push_back(entry.path().filename());
        std::sort(all.begin(), all.end());
        std::string out;
        for (const std::string &name : all)
            out += name + " ";
        return out;
    }
    std::string path(const std::string &name) const { return directory_.path() + "/f/" + name; }
    TemporaryDirectory directory_{*make_directory(temporary_root(), "tapir-watch")};
};

constexpr time_t kNow = 1'000'000'000;  // 2001-09-09 01:46:40

TEST_F(Folder, ASessionGetsItsName) {
    KeptCaptures kept(directory_.path() + "/f", {});
    ASSERT_TRUE(kept.open(kNow));
    EXPECT_EQ(names(), "");
    const Outcome<bool> none = kept.rotate(kNow, kNow);
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none);
    for (int i = 0; i < 2; i++) {
        write(".running.tapir", 100);
        EXPECT_EQ(kept.running_bytes(), 100u);
        write(".running.json", 10);
        ASSERT_TRUE(kept.rotate(kNow, kNow));
    }
    EXPECT_EQ(names(),
              "20010909T014640Z-1.json 20010909T014640Z-1.tapir 20010909T014640Z.json 20010909T014640Z.tapir ");
    EXPECT_EQ(kept.captures(), 2u);
    EXPECT_EQ(kept.bytes(), 200u);
    EXPECT_EQ(kept.running_bytes(), 0u);
}

TEST_F(Folder, WhatAKilledSessionLeftIsKept) {
    KeptCaptures kept(directory_.path() + "/f", {});
    ASSERT_TRUE(kept.open(kNow));
    write(".running.tapir", 100, kNow + 5);
    ASSERT_TRUE(kept.open(kNow + 60));
    EXPECT_EQ(names(), "20010909T014645Z.tapir ");
    // A head without a block is nothing.
    write(".running.tapir", 12);
    ASSERT_TRUE(kept.open(kNow + 60));
    EXPECT_EQ(names(), "20010909T014645Z.tapir ");
}

TEST_F(Folder, TheOldestGoFirst) {
    const auto rotate = [&](KeptCaptures &kept, int count) {
        for (int i = 0; i < count; i++) {
            write(".running.tapir", 1000, kNow + 60 * (i + 1));
            write(".running.json", 10);
            ASSERT_TRUE(kept.rotate(kNow + 60 * i, kNow + 60 * (i + 1)));
        }
    };
    const std::string last_two =
        "20010909T014840Z.json 20010909T014840Z.tapir 20010909T014940Z.json 20010909T014940Z.tapir ";
    {
        KeptCaptures kept(directory_.path() + "/f", {2, 0, 0});
        ASSERT_TRUE(kept.open(kNow));
        rotate(kept, 4);
        EXPECT_EQ(names(), last_two);
    }
    fs::remove_all(path(""));
    {
        KeptCaptures kept(directory_.path() + "/f", {0, 2500, 0});
        ASSERT_TRUE(kept.open(kNow));
        rotate(kept, 4);
        EXPECT_EQ(names(), last_two);
        EXPECT_EQ(kept.bytes(), 2000u);
    }
    fs::remove_all(path(""));
    {
        KeptCaptures kept(directory_.path() + "/f", {0, 0, 60});
        ASSERT_TRUE(kept.open(kNow));
        rotate(kept, 4);
        EXPECT_EQ(names(), last_two);
        write("other", 5);
        ASSERT_TRUE(kept.open(kNow + 100'000));
        EXPECT_EQ(names(), "other ");
    }
    KeptCaptures kept(directory_.path() + "/f", {0, 10, 0});
    rotate(kept, 2);
    EXPECT_EQ(kept.captures(), 1u) << "the last one stays";
}

TEST_F(Folder, APressureThatTheKernelDoesNotKnow) {
    fs::create_directories(path(""));
    const Outcome<Pressure> pressure = read_pressure("io some 20%");
    ASSERT_TRUE(pressure);
    const Outcome<Descriptor> missing = watch_pressure(*pressure, directory_.path() + "/f");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.fault().hint, "the kernel needs CONFIG_PSI, and psi=1 where it is off by default");
    write("io", 0);
    ASSERT_TRUE(watch_pressure(*pressure, directory_.path() + "/f"));
    EXPECT_EQ(*read_file(path("io")), std::string("some 400000 2000000\0", 20));
}

}  // namespace
}  // namespace tapir::watch
