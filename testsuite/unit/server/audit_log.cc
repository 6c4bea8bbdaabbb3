// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/audit_log.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "../said.h"
#include "../trust/authority.h"
#include "common/files.h"

namespace tapir::server {
namespace {

namespace fs = std::filesystem;

TEST(AuditLog, GoesOnWithWhatIsOpen) {
    trust::Folder folder;
    const std::string directory = folder.path() + "/log", path = directory + "/audit.log";
    AuditLog log;
    log.write("nowhere\n");
    EXPECT_EQ(path + ": No such file or directory", said(log.open(path)));
    fs::create_directory(directory);
    EXPECT_EQ("", said(log.open(path)));
    log.write("one\n");
    EXPECT_EQ("one\n", read_file(path).value_or("-"));
    EXPECT_EQ(fs::perms(0600), fs::status(path).permissions());
    // Moved away: until it is opened anew, what comes goes there.
    fs::rename(path, path + ".1");
    log.write("two\n");
    EXPECT_EQ("", said(log.reopen()));
    log.write("three\n");
    EXPECT_EQ("one\ntwo\n", read_file(path + ".1").value_or("-"));
    EXPECT_EQ("three\n", read_file(path).value_or("-"));
    // Where it cannot be opened, the one that is open stays.
    fs::rename(directory, folder.path() + "/moved");
    EXPECT_EQ(path + ": No such file or directory", said(log.reopen()));
    log.write("four\n");
    EXPECT_EQ("three\nfour\n", read_file(folder.path() + "/moved/audit.log").value_or("-"));
}

TEST(AuditLog, FollowsNoLinks) {
    trust::Folder folder;
    folder.write("elsewhere", "");
    fs::create_symlink(folder.path() + "/elsewhere", folder.path() + "/audit.log");
    AuditLog log;
    EXPECT_NE("", said(log.open(folder.path() + "/audit.log")));
}

}  // namespace
}  // namespace tapir::server
