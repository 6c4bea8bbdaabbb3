// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/results.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "../said.h"
#include "../trust/authority.h"
#include "common/files.h"
#include "common/hash.h"

namespace tapir::server {
namespace {

namespace fs = std::filesystem;

class StoredResults : public ::testing::Test {
  protected:
    trust::Folder folder_;
    Results results_{folder_.path() + "/results", 1 << 20};

    static Result result(const std::string &module = std::string("a\nb\0c", 5)) {
        Result out;
        out.key = sha256(module);
        out.name = "stap_x";
        out.release = "6.1";
        out.sha256 = sha256(module);
        out.messages = "WARNING: \xff\n";
        out.guru = true;
        out.tapset_sets = {"net"};
        out.module = module;
        return out;
    }
    std::string entry(const Result &of) { return folder_.path() + "/results/" + of.key.substr(0, 2) + "/" + of.key; }
};

TEST_F(StoredResults, ComeBackWhole) {
    const Result stored = result();
    EXPECT_FALSE(results_.find(stored.key));
    ASSERT_EQ("", said(results_.store(stored)));
    const auto found = results_.find(stored.key);
    ASSERT_TRUE(found);
    EXPECT_EQ(stored.module, found->module);
    EXPECT_EQ("stap_x", found->name);
    EXPECT_EQ(stored.tapset_sets, found->tapset_sets);
    EXPECT_TRUE(found->guru);
}

TEST_F(StoredResults, KeysAreNoPaths) {
    for (const char *key : {"", "..", "../../../../etc/passwd", "A"})
        EXPECT_FALSE(results_.find(key)) << key;
    EXPECT_FALSE(is_key(std::string(63, 'a') + "/"));
    EXPECT_FALSE(is_key(std::string(64, 'A')));
    EXPECT_TRUE(is_key(std::string(64, 'a')));
}

TEST_F(StoredResults, DamagedOnesAreNotServed) {
    const Result stored = result();
    ASSERT_EQ("", said(results_.store(stored)));
    std::string bytes = *read_file(entry(stored) + "/result");
    bytes.back() ^= 1;
    EXPECT_TRUE(write_file(entry(stored) + "/result", bytes));
    EXPECT_FALSE(results_.find(stored.key));
}

TEST_F(StoredResults, AnEntryUnderAnotherKeyIsNotServed) {
    const Result one = result("one"), two = result("two");
    ASSERT_EQ("", said(results_.store(one)));
    fs::create_directories(fs::path(entry(two)).parent_path());
    fs::copy(entry(one), entry(two));
    EXPECT_FALSE(results_.find(two.key));
    EXPECT_TRUE(results_.find(one.key));
}

TEST_F(StoredResults, LinksAreNotFollowed) {
    const Result stored = result();
    ASSERT_EQ("", said(results_.store(stored)));
    // The target of the link is a good result, so only the link itself is wrong.
    const std::string elsewhere = folder_.path() + "/elsewhere";
    fs::rename(entry(stored), elsewhere);
    fs::create_directory_symlink(elsewhere, entry(stored));
    EXPECT_FALSE(results_.find(stored.key));
    fs::remove(entry(stored));
    fs::create_directory(entry(stored));
    fs::copy(elsewhere + "/seal", entry(stored) + "/seal");
    fs::create_symlink(elsewhere + "/result", entry(stored) + "/result");
    EXPECT_FALSE(results_.find(stored.key));
}

TEST(SerializedResult, DamagedTextIsRefused) {
    for (const char *text : {"", "{}", "{}\n", "[]\nx", "{\"key\": 1}\n"})
        EXPECT_FALSE(parse_result(text)) << text;
}

}  // namespace
}  // namespace tapir::server
