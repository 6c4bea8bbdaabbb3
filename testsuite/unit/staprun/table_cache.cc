// SPDX-License-Identifier: GPL-2.0-or-later
#include "table_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "unwind/unwind_table.h"

namespace tapir::staprun {
namespace {

class StaprunTableCache : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = std::filesystem::temp_directory_path() / "tapir-cache-XXXXXX";
        ASSERT_TRUE(mkdtemp(pattern.data()));
        root_ = pattern;
        program_ = root_ / "program";
        std::filesystem::copy_file("/proc/self/exe", program_);
        open_program();
        unwind::FileImage image;
        unwind::TableOptions options;
        options.path = program_;
        unwind::TableFacts facts;
        ASSERT_EQ(0, image.open(file_));
        ASSERT_EQ("", unwind::make_table(image, options, table_, facts));
    }
    void TearDown() override {
        close(file_);
        std::filesystem::remove_all(root_);
    }
    void open_program() {
        if (file_ >= 0) close(file_);
        file_ = open(program_.c_str(), O_RDONLY | O_CLOEXEC);
        ASSERT_GE(file_, 0);
    }
    std::string directory() const { return root_ / "a/cache"; }
    std::string loaded(const std::string &flavour = "x") {
        std::string block;
        return TableCache(directory(), flavour).load(file_, program_, block) ? block : "";
    }
    void store() { TableCache(directory(), "x").store(file_, program_, table_.block()); }
    std::filesystem::path only_entry() { return std::filesystem::directory_iterator(directory())->path(); }

    std::filesystem::path root_, program_;
    int file_ = -1;
    unwind::Table table_;
};

TEST_F(StaprunTableCache, GivesWhatWasStored) {
    EXPECT_EQ("", loaded());
    store();
    EXPECT_EQ(table_.block(), loaded());
    struct stat status = {};
    ASSERT_EQ(0, stat(directory().c_str(), &status));
    EXPECT_EQ(0700u, status.st_mode & 0777);
}

TEST_F(StaprunTableCache, AnotherFlavourOrPathIsAnotherTable) {
    store();
    EXPECT_EQ("", loaded("y"));
    std::string block;
    EXPECT_FALSE(TableCache(directory(), "x").load(file_, "/elsewhere", block));
}

TEST_F(StaprunTableCache, AFileThatChangedHasNone) {
    store();
    std::ofstream(program_, std::ios::app) << "x";
    EXPECT_EQ("", loaded());
    store();
    EXPECT_NE("", loaded());
    // Its mode is no matter of its content, but who can tell by the time of change.
    ASSERT_EQ(0, chmod(program_.c_str(), 0700));
    EXPECT_EQ("", loaded());
}

TEST_F(StaprunTableCache, DamagedEntriesAreNotTaken) {
    store();
    const std::filesystem::path entry = only_entry();
    std::string good;
    {
        std::ifstream in(entry, std::ios::binary);
        good.assign(std::istreambuf_iterator<char>(in), {});
    }
    std::string flipped = good;
    flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 1);
    for (const std::string &bad : {std::string(), std::string("x"), good.substr(0, 30), good.substr(0, 200),
                                   good.substr(0, good.size() - 8), good + "12345678", flipped}) {
        std::ofstream(entry, std::ios::binary | std::ios::trunc) << bad;
        EXPECT_EQ("", loaded()) << bad.size();
    }
    std::ofstream(entry, std::ios::binary | std::ios::trunc) << good;
    EXPECT_EQ(table_.block(), loaded());
}

// A user who can write there could forge other users' stacks.
TEST_F(StaprunTableCache, OthersDirectoriesAreNotUsed) {
    std::filesystem::create_directories(directory());
    ASSERT_EQ(0, chmod(directory().c_str(), 0770));
    store();
    EXPECT_TRUE(std::filesystem::is_empty(directory()));
    TableCache nowhere("", "x");
    nowhere.store(file_, program_, table_.block());
    std::string block;
    EXPECT_FALSE(nowhere.load(file_, program_, block));
}

}  // namespace
}  // namespace tapir::staprun
