// SPDX-License-Identifier: GPL-2.0-or-later
#include "ledger_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "../said.h"
#include "common/files.h"

namespace tapir::staprun {
namespace {

class StaprunLedgerFile : public testing::Test {
  protected:
    StaprunLedgerFile() {
        std::string pattern = testing::TempDir() + "tapir-ledger-XXXXXX";
        directory_ = mkdtemp(pattern.data());
        path_ = directory_ + "/ledger.json";
    }
    ~StaprunLedgerFile() override { std::filesystem::remove_all(directory_); }
    std::string content() { return read_file(path_).value_or("none"); }

    std::string directory_, path_;
    Ledger ledger_;
};

TEST_F(StaprunLedgerFile, WhatCannotBeWrittenIsKnownBefore) {
    LedgerFile missing, directory;
    const std::string path = directory_ + "/nowhere/ledger.json";
    EXPECT_EQ("Couldn't write ledger '" + path + "': No such file or directory", said(missing.open(path)));
    EXPECT_EQ("Couldn't write ledger '" + directory_ + "': Is a directory", said(directory.open(directory_)));
}

TEST_F(StaprunLedgerFile, KeepsWhatItHasUntilItIsWritten) {
    std::ofstream(path_) << std::string(100000, 'x');
    {
        LedgerFile file;
        EXPECT_EQ("", said(file.open(path_)));
        EXPECT_EQ(100000u, content().size());
    }
    EXPECT_EQ(100000u, content().size());
    LedgerFile file;
    EXPECT_EQ("", said(file.open(path_)));
    EXPECT_EQ("", said(file.write(ledger_)));
    EXPECT_EQ(ledger_.json(), content());
}

// Not even an empty one is left by a session that did not begin.
TEST_F(StaprunLedgerFile, IsNotThereWithoutASession) {
    {
        LedgerFile file;
        EXPECT_EQ("", said(file.open(path_)));
        EXPECT_EQ("", content());
    }
    EXPECT_EQ("none", content());
    {
        LedgerFile file;
        EXPECT_EQ("", said(file.open(path_)));
        EXPECT_EQ("", said(file.write(ledger_)));
    }
    EXPECT_EQ(ledger_.json(), content());
}

TEST_F(StaprunLedgerFile, AFullDiskIsAFailure) {
    LedgerFile file;
    EXPECT_EQ("", said(file.open("/dev/full")));
    EXPECT_EQ("Couldn't write ledger '/dev/full': No space left on device", said(file.write(ledger_)));
}

// The reader of a pipe may come late.
TEST_F(StaprunLedgerFile, APipeIsNotWaitedForBefore) {
    ASSERT_EQ(0, mkfifo(path_.c_str(), 0600));
    LedgerFile file;
    EXPECT_EQ("", said(file.open(path_)));
    const int reader = open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    EXPECT_EQ("", said(file.write(ledger_)));
    std::string text;
    EXPECT_EQ(0, read_descriptor(reader, 1 << 20, text));
    EXPECT_EQ(ledger_.json(), text);
    close(reader);
}

}  // namespace
}  // namespace tapir::staprun
