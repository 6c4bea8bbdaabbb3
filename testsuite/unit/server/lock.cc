// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/lock.h"

#include <gtest/gtest.h>
#include <sys/file.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "../trust/authority.h"

namespace tapir::server {
namespace {

namespace fs = std::filesystem;

TEST(Lock, IsWaitedForOnlySoLong) {
    trust::Folder folder;
    const std::string path = folder.path() + "/lock";
    const std::chrono::seconds none(0), long_time(1000);
    const auto first = std::make_unique<PatientLock>(path, LOCK_SH, none, nullptr);
    EXPECT_TRUE(first->held());
    EXPECT_TRUE(PatientLock(path, LOCK_SH, none, nullptr).held());
    EXPECT_FALSE(PatientLock(path, LOCK_EX, none, nullptr).held());
    EXPECT_FALSE(PatientLock(path, LOCK_EX, long_time, [] { return true; }).held());
    EXPECT_FALSE(PatientLock(folder.path() + "/none/lock", LOCK_EX, none, nullptr).held());
}

TEST(Lock, SweepsDraftsThatNobodyWorksOn) {
    trust::Folder folder;
    const std::string gate = folder.path() + "/gate", place = folder.path() + "/place";
    fs::create_directories(place + "/.new-left/below");
    fs::create_directories(place + "/whole");
    std::ofstream(place + "/.new-file") << "text";
    Draft directory = draft_directory(gate, place, ".new-"), file = draft_file(gate, place, ".new-");
    ASSERT_TRUE(fs::is_directory(directory.path));
    ASSERT_TRUE(fs::is_regular_file(file.path));
    EXPECT_EQ(2u, sweep_drafts(gate, place, ".new-"));
    EXPECT_FALSE(fs::exists(place + "/.new-left"));
    EXPECT_TRUE(fs::exists(place + "/whole"));
    EXPECT_TRUE(fs::exists(directory.path));
    // A second user of the draft has a lock as good.
    {
        const Descriptor other = share_draft(file.path);
        file.lock.reset();
        EXPECT_EQ(0u, sweep_drafts(gate, place, ".new-"));
    }
    directory.lock.reset();
    EXPECT_EQ(2u, sweep_drafts(gate, place, ".new-"));
    EXPECT_EQ("", draft_directory(gate, folder.path() + "/none", ".new-").path);
    EXPECT_EQ("", draft_file(gate, folder.path() + "/none", ".new-").path);
}

}  // namespace
}  // namespace tapir::server
