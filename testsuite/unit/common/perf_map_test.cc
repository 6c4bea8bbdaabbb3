// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/perf_map.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "common/descriptor.h"

namespace tapir {
namespace {

namespace fs = std::filesystem;

TEST(PerfMap, HasNamesOfAddresses) {
    const PerfMap map = PerfMap::parse("1000 10 LazyCompile:*weigh /srv/shop.js:12\n0x2000 0x1 b\n");
    EXPECT_EQ(map.size(), 2u);
    EXPECT_EQ(map.name(0x0fff), "");
    EXPECT_EQ(map.name(0x1000), "LazyCompile:*weigh /srv/shop.js:12");
    EXPECT_EQ(map.name(0x100f), "LazyCompile:*weigh /srv/shop.js:12");
    EXPECT_EQ(map.name(0x1010), "");
    EXPECT_EQ(map.name(0x2000), "b");
    EXPECT_EQ(map.name(0x2001), "");
    EXPECT_EQ(PerfMap::parse("").name(0), "");
}

TEST(PerfMap, TakesTheLaterOfTwoThatOverlap) {
    const PerfMap map = PerfMap::parse("100 100 old\n140 20 middle\n1f0 20 end\n80 90 begin\n");
    EXPECT_EQ(map.name(0xff), "begin");
    EXPECT_EQ(map.name(0x10f), "begin");
    EXPECT_EQ(map.name(0x110), "old");
    EXPECT_EQ(map.name(0x140), "middle");
    EXPECT_EQ(map.name(0x160), "old");
    EXPECT_EQ(map.name(0x1ef), "old");
    EXPECT_EQ(map.name(0x1f0), "end");
    EXPECT_EQ(map.name(0x20f), "end");
    EXPECT_EQ(PerfMap::parse("100 10 a\n120 10 b\n90 200 all\n").size(), 1u);
}

TEST(PerfMap, LeavesOutWhatIsNoLine) {
    const PerfMap map = PerfMap::parse(
        "\n\n100\n100 10\n100 10 \nxyz 10 a\n100 g a\n100 0 a\n-100 10 a\n"
        "ffffffffffffffff 10 a\n10000000000000000 1 a\n 100 10 a\n200 10 last");
    EXPECT_EQ(map.size(), 1u);
    EXPECT_EQ(map.name(0x200), "last");
}

TEST(PerfMap, CleansNames) {
    using namespace std::string_view_literals;
    EXPECT_EQ(PerfMap::parse("1 1 a\tb\x1b[31m\0c\x7f\r\n"sv).name(1), "a?b?[31m?c?");
    EXPECT_EQ(PerfMap::parse("1 1 Größe;x\n").name(1), "Größe;x");
    EXPECT_EQ(PerfMap::parse("1 1 " + std::string(5000, 'x')).name(1).size(), PerfMap::kMaxName);
}

// Against a table of every address.
TEST(PerfMap, AgreesWithAddressByAddress) {
    std::mt19937 random(7);
    for (int round = 0; round < 50; ++round) {
        std::map<uint64_t, std::string> expected;
        std::string text;
        char line[64];
        for (int i = 0; i < 40; ++i) {
            const auto start = static_cast<unsigned>(random() % 200), bytes = static_cast<unsigned>(random() % 40);
            snprintf(line, sizeof(line), "%x %x n%d\n", start, bytes, i);
            text += line;
            for (unsigned at = start; at < start + bytes; ++at)
                expected[at] = "n" + std::to_string(i);
        }
        const PerfMap map = PerfMap::parse(text);
        for (uint64_t at = 0; at < 300; ++at)
            ASSERT_EQ(map.name(at), expected.count(at) ? expected[at] : "") << text << at;
    }
}

TEST(PerfMap, ReadsOnlyWhatTheProcessCanHaveWritten) {
    std::string pattern = testing::TempDir() + "tapir-map-XXXXXX";
    const fs::path directory = mkdtemp(pattern.data());
    const std::string path = directory / "perf-1.map";
    std::ofstream(path) << "10 10 mine\n";
    const auto why = [&](uid_t owner) {
        const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
        const Outcome<PerfMap> map = PerfMap::read(file.get(), path, owner);
        return map ? std::string(map->name(0x10)) : map.fault().text;
    };
    ASSERT_EQ(chmod(path.c_str(), 0644), 0);
    EXPECT_EQ(why(getuid()), "mine");
    // Only root can give files away, and root's own are good for everybody.
    if (getuid() == 0) {
        EXPECT_EQ(why(1234), "mine");
        ASSERT_EQ(chown(path.c_str(), 1234, static_cast<gid_t>(-1)), 0);
        EXPECT_EQ(why(1234), "mine");
        EXPECT_EQ(why(1235), path + ": somebody else than the process's user owns it");
    } else {
        EXPECT_EQ(why(getuid() + 1), path + ": somebody else than the process's user owns it");
    }
    const uid_t owner = getuid() == 0 ? 1234 : getuid();
    ASSERT_EQ(chmod(path.c_str(), 0666), 0);
    EXPECT_EQ(why(owner), path + ": others can write to it");
    fs::remove(path);
    EXPECT_EQ(why(getuid()), path + ": Bad file descriptor");
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_EQ(why(getuid()), path + ": it is not a regular file");
    fs::remove_all(directory);
}

}  // namespace
}  // namespace tapir
