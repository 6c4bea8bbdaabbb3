// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "../said.h"
#include "common/files.h"
#include "common/hash.h"

namespace tapir::build {
namespace {

namespace fs = std::filesystem;

std::string key(int number) {
    return sha256(std::to_string(number));
}

class CacheTest : public testing::Test {
  protected:
    void SetUp() override { top_ = *make_directory(fs::temp_directory_path(), "tapir-cache-"); }
    void TearDown() override { fs::remove_all(top_); }

    Cache cache(CacheMode mode = CacheMode::Use, uint64_t limit = 1 << 20) const {
        return Cache(top_ + "/modules", mode, limit);
    }
    size_t entries() const {
        size_t count = 0;
        for (const auto &file : fs::recursive_directory_iterator(top_))
            count += file.path().filename() == "m.ko";
        return count;
    }
    // Makes an entry look as if it was last used some seconds ago.
    void age(const std::string &file, int seconds) const {
        fs::path seal = fs::path(file).parent_path() / "seal";
        fs::last_write_time(seal, fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
    }

    std::string top_;
};

TEST_F(CacheTest, KeepsAndFinds) {
    Cache one = cache();
    EXPECT_FALSE(one.find(key(1)));
    const Outcome<std::string> stored = one.store(key(1), "m.ko", "bytes");
    ASSERT_TRUE(stored) << said(stored);
    EXPECT_EQ(fs::path(*stored).filename(), "m.ko");
    EXPECT_EQ(cache().find(key(1)), *stored);
    EXPECT_EQ(cache().find_text(key(1)), "bytes");
    EXPECT_FALSE(cache().find(key(2)));
}

TEST_F(CacheTest, FirstWriterWins) {
    ASSERT_TRUE(cache().store(key(1), "m.ko", "first"));
    ASSERT_TRUE(cache().store(key(1), "m.ko", "second"));
    EXPECT_EQ(cache().find_text(key(1)), "first");
}

TEST_F(CacheTest, DamageIsFoundAndRepaired) {
    std::string file = *cache().store(key(1), "m.ko", "some bytes");
    for (const char *damage : {"some bytez", "some", ""}) {
        ASSERT_TRUE(write_file(file, damage));
        EXPECT_FALSE(cache().find(key(1))) << damage;
        ASSERT_TRUE(cache().store(key(1), "m.ko", "some bytes"));
        EXPECT_EQ(cache().find_text(key(1)), "some bytes");
    }
    // A damaged entry that no caller looked up first is replaced as well.
    ASSERT_TRUE(write_file(file, "bad"));
    ASSERT_TRUE(cache().store(key(1), "m.ko", "some bytes"));
    EXPECT_EQ(cache().find_text(key(1)), "some bytes");
    ASSERT_TRUE(write_file(fs::path(file).parent_path() / "seal", "nonsense"));
    EXPECT_FALSE(cache().find(key(1)));
    // A seal cannot name a file elsewhere.
    ASSERT_TRUE(cache().store(key(2), "m.ko", "x"));
    ASSERT_TRUE(write_file(top_ + "/secret", "s"));
    ASSERT_TRUE(write_file(top_ + "/modules/" + key(2).substr(0, 2) + "/" + key(2) + "/seal",
                           sha256("s") + " ../../../secret"));
    EXPECT_FALSE(cache().find(key(2)));
}

TEST_F(CacheTest, PoisonReplacesDisabledDoesNothing) {
    ASSERT_TRUE(cache().store(key(1), "m.ko", "old"));
    Cache poison = cache(CacheMode::Poison);
    EXPECT_FALSE(poison.find(key(1)));
    ASSERT_TRUE(poison.store(key(1), "m.ko", "new"));
    EXPECT_EQ(cache().find_text(key(1)), "new");
    Cache disabled = cache(CacheMode::Disabled);
    EXPECT_FALSE(disabled.find(key(1)));
    EXPECT_FALSE(disabled.store(key(2), "m.ko", "x"));
    EXPECT_EQ(entries(), 1u);
}

TEST_F(CacheTest, EvictsTheLeastRecentlyUsed) {
    // Each entry takes two blocks: 8 KB; room for eight.
    for (int i = 0; i < 8; i++)
        age(*cache(CacheMode::Use, 64 << 10).store(key(i), "m.ko", "x"), 100 - i);
    EXPECT_EQ(entries(), 8u);
    ASSERT_TRUE(cache().find(key(0)));  // now the most recently used
    ASSERT_TRUE(cache(CacheMode::Use, 64 << 10).store(key(8), "m.ko", "x"));
    EXPECT_EQ(entries(), 6u) << "down to three quarters";
    EXPECT_TRUE(cache().find(key(0)));
    for (int i = 1; i <= 3; i++)
        EXPECT_FALSE(cache().find(key(i))) << i;
    for (int i = 4; i <= 8; i++)
        EXPECT_TRUE(cache().find(key(i))) << i;
}

TEST_F(CacheTest, OneEntryLargerThanTheLimitStays) {
    auto file = cache(CacheMode::Use, 1000).store(key(1), "m.ko", std::string(5000, 'x'));
    ASSERT_TRUE(file);
    EXPECT_TRUE(fs::exists(*file));
}

TEST_F(CacheTest, RecountsWhenTheTotalIsLost) {
    for (int i = 0; i < 4; i++)
        ASSERT_TRUE(cache().store(key(i), "m.ko", "x"));
    EXPECT_EQ(read_file(top_ + "/modules/total"), "32768");
    ASSERT_TRUE(write_file(top_ + "/modules/total", "garbage"));
    ASSERT_TRUE(cache().store(key(5), "m.ko", "x"));
    EXPECT_EQ(read_file(top_ + "/modules/total"), "40960");
}

TEST_F(CacheTest, NotCached) {
    // A file where a directory should be: also root cannot write below it.
    ASSERT_TRUE(write_file(top_ + "/modules", ""));
    Cache blocked = cache();
    EXPECT_FALSE(blocked.find(key(1)));
    EXPECT_EQ(tagged(blocked.store(key(1), "m.ko", "x")),
              "not-cached: " + top_ + "/modules/" + key(1).substr(0, 2) + ": Not a directory");
    EXPECT_EQ(tagged(cache(CacheMode::Disabled).store(key(1), "m.ko", "x")), "not-cached: the cache is disabled");
}

TEST_F(CacheTest, ReadableThoughNotWritable) {
    std::string file = *cache().store(key(1), "m.ko", "x");
    fs::path entry = fs::path(file).parent_path();
    chmod(top_.c_str(), 0755);
    pid_t child = fork();
    if (child == 0) {
        // An ordinary user looking at somebody else's cache.
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(3);
        Cache other = cache();
        bool found = other.find(key(1)).has_value();
        bool stored = static_cast<bool>(other.store(key(7), "m.ko", "y"));
        _exit(found && (!stored || geteuid() != 65534) ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(fs::exists(entry));
}

// Sixteen processes store and look up the same few keys while entries are evicted and damaged; every entry found is
// whole.
TEST_F(CacheTest, ManyProcesses) {
    constexpr int kProcesses = 16, kRounds = 60, kKeys = 12;
    auto bytes = [](int number) {
        return std::string(static_cast<size_t>(3000 + number), static_cast<char>('a' + number));
    };
    for (int p = 0; p < kProcesses; p++) {
        if (fork() != 0) continue;
        int bad = 0;
        for (int round = 0; round < kRounds; round++) {
            int number = (p * 7 + round * 5) % kKeys;
            Cache mine = cache(CacheMode::Use, 64 << 10);
            if (auto text = mine.find_text(key(number))) {
                bad += *text != bytes(number);
                auto file = mine.find(key(number));
                // Another process may have removed it meanwhile.
                if (file && round % 11 == p % 11) (void)write_file(*file, "damage");
            } else if (!mine.store(key(number), "m.ko", bytes(number))) {
                // Two processes may both be repairing one entry; it must not stay broken.
                continue;
            }
        }
        _exit(bad != 0);
    }
    for (int p = 0; p < kProcesses; p++) {
        int status = 0;
        wait(&status);
        EXPECT_EQ(status, 0);
    }
    for (int number = 0; number < kKeys; number++)
        if (!cache().find(key(number))) {
            EXPECT_TRUE(cache().store(key(number), "m.ko", bytes(number)));
            EXPECT_EQ(cache().find_text(key(number)), bytes(number));
        }
}

TEST_F(CacheTest, LimitFromFileAndEnvironment) {
    unsetenv("TAPIR_CACHE_MB");
    EXPECT_EQ(configured_cache_limit(top_), 256u << 20);
    ASSERT_TRUE(write_file(top_ + "/limit_mb", "10\n"));
    EXPECT_EQ(configured_cache_limit(top_), 10u << 20);
    setenv("TAPIR_CACHE_MB", "3", 1);
    EXPECT_EQ(configured_cache_limit(top_), 3u << 20);
    setenv("TAPIR_CACHE_MB", "many", 1);
    EXPECT_EQ(configured_cache_limit(top_), 10u << 20);
    unsetenv("TAPIR_CACHE_MB");
}

TEST_F(CacheTest, CleanKeepsKernels) {
    ASSERT_TRUE(cache().store(key(1), "m.ko", "x"));
    fs::create_directories(top_ + "/kernels/6.1.0");
    fs::create_directories(top_ + "/templates/t");
    fs::create_directories(top_ + "/kernels/.fetch-6.1.0.abcdef/root");
    fs::create_directories(top_ + "/kernels/.fetch-5.10.0.abcdef/root");
    fs::create_directories(top_ + "/modules-served/x");
    const FileLock runs(top_ + "/kernels/.lock-5.10.0");
    for (const char *file : {"/symbols-6.1.0-0011", "/tapset-index-22", "/tapset-catalogue-33", "/limit_mb", "/mine"})
        ASSERT_TRUE(write_file(top_ + file, "1"));
    EXPECT_EQ(said(clean_cache(top_)), "");
    EXPECT_FALSE(fs::exists(top_ + "/symbols-6.1.0-0011"));
    EXPECT_FALSE(fs::exists(top_ + "/tapset-index-22"));
    EXPECT_FALSE(fs::exists(top_ + "/tapset-catalogue-33"));
    EXPECT_TRUE(fs::exists(top_ + "/limit_mb"));
    EXPECT_TRUE(fs::exists(top_ + "/mine"));
    EXPECT_FALSE(fs::exists(top_ + "/modules"));
    EXPECT_FALSE(fs::exists(top_ + "/templates"));
    EXPECT_FALSE(fs::exists(top_ + "/modules-served"));
    EXPECT_TRUE(fs::exists(top_ + "/kernels/6.1.0"));
    EXPECT_FALSE(fs::exists(top_ + "/kernels/.fetch-6.1.0.abcdef"));
    EXPECT_TRUE(fs::exists(top_ + "/kernels/.fetch-5.10.0.abcdef"));  // is being fetched
    EXPECT_EQ(said(clean_cache(top_ + "/none")), "");
}

}  // namespace
}  // namespace tapir::build
