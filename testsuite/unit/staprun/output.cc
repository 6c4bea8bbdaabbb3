// SPDX-License-Identifier: GPL-2.0-or-later
#include "output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>

#include "../said.h"
#include "common/files.h"
#include "common/plain_text.h"
#include "local_time.h"

namespace tapir::staprun {
namespace {

constexpr uint64_t kMegabyte = 1 << 20;

// Works in a folder of its own.
class StaprunOutput : public testing::Test {
  protected:
    void SetUp() override {
        char name[] = "/tmp/staprun-test-XXXXXX";
        ASSERT_NE(nullptr, mkdtemp(name));
        folder_ = name;
        signal(SIGPIPE, SIG_IGN);
    }
    void TearDown() override { ASSERT_EQ(0, system(("rm -r " + folder_).c_str())); }
    std::string path(const std::string &name) const { return folder_ + "/" + name; }
    std::string content(const std::string &name) const {
        std::string text;
        int error = read_file(path(name).c_str(), 1 << 30, text);
        return error ? format("(%s)", strerror(error)) : text;
    }
    bool exists(const std::string &name) const { return access(path(name).c_str(), F_OK) == 0; }
    static bool never(int) {
        ADD_FAILURE() << "a file never makes anybody wait";
        return false;
    }

    std::string folder_;
};

TEST_F(StaprunOutput, WritesWholeFile) {
    Output output({path("out"), false, 0, 0}, never);
    ASSERT_EQ("", said(output.open()));
    EXPECT_TRUE(output.write(0, "one "));
    EXPECT_TRUE(output.write(5, "two\n"));
    EXPECT_TRUE(output.flush());
    EXPECT_EQ("one two\n", content("out"));
    EXPECT_EQ(8u, output.bytes_written());
    EXPECT_EQ(path("out"), output.first_name());
    EXPECT_EQ(-1, output.stdout_descriptor());
}

TEST_F(StaprunOutput, NameIsExpanded) {
    setenv("TZ", "UTC", 1);
    EXPECT_EQ("a-1970-%", expand_time("a-%Y-%%", 0));
    EXPECT_EQ("plain", expand_time("plain", 0));
    EXPECT_EQ("", expand_time("%Z", 0) == "UTC" ? "" : "no UTC");
    Output output({path("o%Y"), false, 0, 0}, never);
    ASSERT_EQ("", said(output.open()));
    EXPECT_EQ(path(expand_time("o%Y", time(nullptr))), output.first_name());
}

TEST_F(StaprunOutput, CannotOpen) {
    Output output({path("no/such/out"), false, 0, 0}, never);
    EXPECT_EQ("Couldn't open output file '" + path("no/such/out") + "': No such file or directory",
              said(output.open()));
    Output bulk({path("no/such/out"), true, 0, 0}, never);
    EXPECT_EQ("Couldn't write output files in '" + path("no/such/") + "': No such file or directory",
              said(bulk.open()));
}

TEST_F(StaprunOutput, RotatesAtRecordsAndKeepsTheLast) {
    Output output({path("r"), false, kMegabyte, 2}, never);
    ASSERT_EQ("", said(output.open()));
    std::string record(kMegabyte / 4 + 1, 'x');
    for (int i = 0; i < 10; i++) {
        record[0] = static_cast<char>('0' + i);
        EXPECT_TRUE(output.write(0, record));
    }
    EXPECT_TRUE(output.flush());
    // Three records fit into a file: 0-2, 3-5, 6-8, 9; the last two files are kept.
    EXPECT_FALSE(exists("r.0"));
    EXPECT_FALSE(exists("r.1"));
    EXPECT_EQ(3 * record.size(), content("r.2").size());
    EXPECT_EQ('6', content("r.2")[0]);
    EXPECT_EQ(record.size(), content("r.3").size());
    EXPECT_EQ('9', content("r.3")[0]);
    EXPECT_FALSE(exists("r.4"));
    EXPECT_FALSE(exists("r"));
}

TEST_F(StaprunOutput, RecordLargerThanTheLimitGetsAFileOfItsOwn) {
    Output output({path("r"), false, 10, 0}, never);
    ASSERT_EQ("", said(output.open()));
    output.write(0, std::string(25, 'a'));
    output.write(0, std::string(5, 'b'));
    output.flush();
    EXPECT_EQ(std::string(25, 'a'), content("r.0"));
    EXPECT_EQ(std::string(5, 'b'), content("r.1"));
}

TEST_F(StaprunOutput, BulkMakesAFilePerCpu) {
    Output output({path("b"), true, 0, 0}, never);
    ASSERT_EQ("", said(output.open()));
    output.write(0, "zero");
    output.write(7, "seven");
    output.write(0, "0");
    output.flush();
    EXPECT_EQ("zero0", content("b_0"));
    EXPECT_EQ("seven", content("b_7"));
    EXPECT_FALSE(exists("b"));
    EXPECT_FALSE(exists("b_1"));
}

TEST_F(StaprunOutput, BulkRotates) {
    Output output({path("b"), true, 4, 0}, never);
    ASSERT_EQ("", said(output.open()));
    output.write(1, "1111");
    output.write(1, "2");
    output.write(2, "3");
    output.flush();
    EXPECT_EQ("1111", content("b_1.0"));
    EXPECT_EQ("2", content("b_1.1"));
    EXPECT_EQ("3", content("b_2.0"));
}

TEST_F(StaprunOutput, BulkLosesOnlyWhatOneFileCannotTake) {
    ASSERT_EQ(0, mkdir(path("b_7").c_str(), 0755));
    Output output({path("b"), true, 0, 0}, never);
    ASSERT_EQ("", said(output.open()));
    EXPECT_TRUE(output.write(0, "zero"));
    EXPECT_FALSE(output.write(7, "seven"));
    EXPECT_TRUE(output.write(0, "0"));
    EXPECT_TRUE(output.write(1, "one"));
    EXPECT_FALSE(output.write(7, "7"));
    EXPECT_FALSE(output.flush());
    EXPECT_EQ("Couldn't open output file '" + path("b_7") + "': Is a directory", output.failure());
    EXPECT_EQ("zero0", content("b_0"));
    EXPECT_EQ("one", content("b_1"));
    EXPECT_EQ(8u, output.bytes_written());
    EXPECT_EQ(6u, output.bytes_lost());
}

TEST_F(StaprunOutput, SwitchGoesOnAfterAFileThatCannotBeOpened) {
    Output output({path("b"), true, 0, 0}, never);
    ASSERT_EQ("", said(output.open()));
    output.write(0, "zero");
    output.write(7, "seven");
    output.flush();
    output.write(0, "0");
    output.write(7, "7");
    for (const char *name : {"b_0", "b_7"})
        ASSERT_EQ(0, rename(path(name).c_str(), path(std::string(name) + ".old").c_str()));
    ASSERT_EQ(0, mkdir(path("b_0").c_str(), 0755));
    EXPECT_TRUE(output.switch_files());
    output.write(0, "lost");
    output.write(7, "new");
    EXPECT_FALSE(output.flush());
    EXPECT_EQ("Couldn't open output file '" + path("b_0") + "': Is a directory", output.failure());
    EXPECT_EQ("zero0", content("b_0.old"));
    EXPECT_EQ("seven7", content("b_7.old"));
    EXPECT_EQ("new", content("b_7"));
    EXPECT_EQ(4u, output.bytes_lost());
}

TEST_F(StaprunOutput, SwitchAfterTheFileWasMovedAway) {
    Output output({path("log"), false, 0, 0}, never);
    ASSERT_EQ("", said(output.open()));
    output.write(0, "old");
    ASSERT_EQ(0, rename(path("log").c_str(), path("log.old").c_str()));
    EXPECT_TRUE(output.switch_files());
    output.write(0, "new");
    output.flush();
    EXPECT_EQ("old", content("log.old"));
    EXPECT_EQ("new", content("log"));
}

TEST_F(StaprunOutput, SwitchWithoutMovingAppends) {
    Output output({path("log"), false, 0, 0}, never);
    ASSERT_EQ("", said(output.open()));
    output.write(0, "old");
    EXPECT_TRUE(output.switch_files());
    output.write(0, "new");
    output.flush();
    EXPECT_EQ("oldnew", content("log"));
}

TEST_F(StaprunOutput, SwitchNumbersTheFilesOfASeries) {
    Output output({path("s"), false, kMegabyte, 0}, never);
    ASSERT_EQ("", said(output.open()));
    output.write(0, "0");
    EXPECT_TRUE(output.switch_files());
    output.write(0, "1");
    output.flush();
    EXPECT_EQ("0", content("s.0"));
    EXPECT_EQ("1", content("s.1"));
}

TEST_F(StaprunOutput, DiskFullIsCounted) {
    Output output({"/dev/full", false, 0, 0}, never);
    ASSERT_EQ("", said(output.open()));
    EXPECT_TRUE(output.write(0, "lost"));
    EXPECT_FALSE(output.flush());
    EXPECT_TRUE(output.failed());
    EXPECT_FALSE(output.reader_gone());
    EXPECT_EQ("Couldn't write to output file '/dev/full': No space left on device", output.failure());
    EXPECT_FALSE(output.write(0, "and more"));
    EXPECT_EQ(0u, output.bytes_written());
    EXPECT_EQ(12u, output.bytes_lost());
}

// stdout replaced by one end of a pipe.
class StaprunPipe : public StaprunOutput {
  protected:
    void SetUp() override {
        StaprunOutput::SetUp();
        ASSERT_EQ(0, pipe(ends_));
        saved_ = dup(1);
        dup2(ends_[1], 1);
        close(ends_[1]);
    }
    void TearDown() override {
        restore();
        if (ends_[0] >= 0) close(ends_[0]);
        StaprunOutput::TearDown();
    }
    void restore() {
        if (saved_ < 0) return;
        dup2(saved_, 1);
        close(saved_);
        saved_ = -1;
    }
    int ends_[2];
    int saved_ = -1;
};

TEST_F(StaprunPipe, SlowReaderGetsEverything) {
    std::string received;
    int waits = 0;
    Output output({}, [&](int fd) {
        EXPECT_GE(fd, 0);
        waits++;
        char chunk[5000];
        ssize_t got = read(ends_[0], chunk, sizeof chunk);
        received.append(chunk, got > 0 ? static_cast<size_t>(got) : 0);
        return true;
    });
    ASSERT_EQ("", said(output.open()));
    EXPECT_NE(-1, output.stdout_descriptor());
    std::string sent;
    for (int i = 0; i < 30000; i++) {
        std::string line = format("line %d\n", i);
        sent += line;
        ASSERT_TRUE(output.write(0, line));
    }
    ASSERT_TRUE(output.flush());
    restore();
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    char chunk[65536];
    ssize_t got;
    while ((got = read(ends_[0], chunk, sizeof chunk)) > 0)
        received.append(chunk, static_cast<size_t>(got));
    EXPECT_GT(waits, 0);
    EXPECT_EQ(sent, received);
    EXPECT_EQ(sent.size(), output.bytes_written());
    EXPECT_EQ(0u, output.bytes_lost());
}

TEST_F(StaprunPipe, GivingUpCountsTheRest) {
    Output output({}, [](int) { return false; });
    ASSERT_EQ("", said(output.open()));
    std::string chunk(50000, 'x');
    uint64_t sent = 0;
    while (!output.failed()) {
        output.write(0, chunk);
        sent += chunk.size();
    }
    restore();
    EXPECT_EQ(sent, output.bytes_written() + output.bytes_lost());
    EXPECT_GT(output.bytes_lost(), 0u);
}

TEST_F(StaprunPipe, ReaderGone) {
    Output output({}, never);
    ASSERT_EQ("", said(output.open()));
    close(ends_[0]);
    ends_[0] = -1;
    output.write(0, "x");
    EXPECT_FALSE(output.flush());
    restore();
    EXPECT_TRUE(output.reader_gone());
    EXPECT_EQ("Couldn't write to stdout: Broken pipe", output.failure());
    EXPECT_EQ(1u, output.bytes_lost());
}

}  // namespace
}  // namespace tapir::staprun
