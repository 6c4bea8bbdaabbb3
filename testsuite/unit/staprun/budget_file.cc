// SPDX-License-Identifier: GPL-2.0-or-later
#include "budget_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "../said.h"
#include "common/plain_text.h"
#include "fake.h"

namespace tapir::staprun {
namespace {

class BudgetFileTest : public testing::Test {
  protected:
    BudgetFileTest() {
        std::string pattern = "/dev/shm/tapir-budget-XXXXXX";
        folder_ = mkdtemp(pattern.data());
        path_ = folder_ + "/budget";
        control_.hello_cpus = 3;
    }
    ~BudgetFileTest() override { std::filesystem::remove_all(folder_); }

    std::string said_of(const std::string &path) { return said(share_budget(control_, path)); }
    std::string refusal(const std::string &why) const {
        return format("--budget-file: '%s' %s", path_.c_str(), why.c_str());
    }

    FakeControl control_;
    std::string folder_, path_;
};

TEST_F(BudgetFileTest, IsMadeOnceAndForItsOwner) {
    EXPECT_EQ(said_of(path_), "");
    struct stat status = {};
    ASSERT_EQ(stat(path_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0600u);
    EXPECT_EQ(status.st_size, 64 + 3 * 64);
    ASSERT_EQ(control_.budgets.size(), 1u);
    EXPECT_EQ(control_.budgets[0].bytes, 64u + 3 * 64);
    EXPECT_EQ(control_.budgets[0].address % 4096, 0u);
    // The words of sessions stay.
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(64);
    file.put('x');
    file.close();
    EXPECT_EQ(said_of(path_), "");
    std::ifstream again(path_, std::ios::binary);
    again.seekg(64);
    EXPECT_EQ(again.get(), 'x');
}

TEST_F(BudgetFileTest, OtherFilesAreRefused) {
    const std::string other =
        refusal("is no budget file of this kernel's processors; remove it, or name another one: staprun makes it");
    std::ofstream(path_) << "something else";
    chmod(path_.c_str(), 0600);
    EXPECT_EQ(said_of(path_), other);
    std::ofstream(path_) << std::string(1000, 'x');
    EXPECT_EQ(said_of(path_), other);
    std::filesystem::remove(path_);
    EXPECT_EQ(said_of(path_), "");
    control_.hello_cpus = 2;
    EXPECT_EQ(said_of(path_), other);
    control_.hello_cpus = 4;
    EXPECT_EQ(said_of(path_), other);
    EXPECT_EQ(control_.budgets.size(), 1u);
}

TEST_F(BudgetFileTest, FilesThatOthersCanWriteAreRefused) {
    EXPECT_EQ(said_of(path_), "");
    chmod(path_.c_str(), 0620);
    EXPECT_EQ(said_of(path_),
              refusal("can be written by others, who could make the budget wrong; chmod go-w keeps them out"));
    std::filesystem::remove(path_);
    std::filesystem::create_symlink("/dev/null", path_);
    EXPECT_EQ(said_of(path_), refusal("is a symbolic link; name the file itself"));
    std::filesystem::remove(path_);
    std::filesystem::create_directory(path_);
    EXPECT_EQ(said_of(path_), refusal("cannot be opened: Is a directory"));
    std::filesystem::remove(path_);
    ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
    EXPECT_EQ(said_of(path_), refusal("is no regular file"));
}

TEST_F(BudgetFileTest, SaysWhatIsWrongElsewhere) {
    EXPECT_EQ(said_of("/no/such/file"), "--budget-file: '/no/such/file' cannot be opened: No such file or directory");
    control_.budget_error = ENOMEM;
    EXPECT_EQ(said_of(path_), refusal("is refused by the module: Cannot allocate memory"));
}

}  // namespace
}  // namespace tapir::staprun
