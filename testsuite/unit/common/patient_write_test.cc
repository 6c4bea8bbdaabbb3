// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/patient_write.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "common/descriptor.h"

namespace tapir {
namespace {

const std::string kMuch(1 << 20, 'x');

// Reads what is there, as a reader does that the writer waits for.
size_t drain(int fd) {
    std::string some(1 << 20, '\0');
    const ssize_t got = read(fd, some.data(), some.size());
    return got > 0 ? static_cast<size_t>(got) : 0;
}

class PatientWrite : public testing::TestWithParam<bool> {
  protected:
    PatientWrite() {
        EXPECT_TRUE(make_pipe(read_, write_));
        if (GetParam()) fcntl(write_.get(), F_SETFL, O_NONBLOCK);
    }
    Descriptor read_, write_;
};

TEST_P(PatientWrite, WaitsForTheReader) {
    size_t written = 0, seen = 0;
    const WriteResult result = write_patiently(
        write_.get(), kMuch, [&](int) { return seen += drain(read_.get()), true; }, written);
    EXPECT_EQ(result, WriteResult::Ok);
    EXPECT_EQ(written, kMuch.size());
    EXPECT_EQ(seen + drain(read_.get()), kMuch.size());
}

TEST_P(PatientWrite, GivesUp) {
    size_t written = 0;
    EXPECT_EQ(write_patiently(
                  write_.get(), kMuch, [](int) { return false; }, written),
              WriteResult::GaveUp);
    EXPECT_EQ(written, drain(read_.get()));
    EXPECT_GT(written, 0u);
    EXPECT_LT(written, kMuch.size());
}

TEST_P(PatientWrite, SaysThatNobodyReads) {
    std::signal(SIGPIPE, SIG_IGN);
    read_.reset();
    size_t written = 0;
    EXPECT_EQ(write_patiently(
                  write_.get(), "x", [](int) { return true; }, written),
              WriteResult::Failed);
    EXPECT_EQ(errno, EPIPE);
    std::signal(SIGPIPE, SIG_DFL);
}

INSTANTIATE_TEST_SUITE_P(BlockingOrNot, PatientWrite, testing::Bool());

TEST(PatientWriteElsewhere, SocketsAndFiles) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    const Descriptor first(ends[0]);
    Descriptor second(ends[1]);
    size_t written = 0;
    EXPECT_EQ(write_patiently(
                  first.get(), kMuch, [](int) { return false; }, written),
              WriteResult::GaveUp);
    second.reset();
    EXPECT_EQ(write_at_once(first.get(), "x"), -1) << "and no SIGPIPE";
    const Descriptor file = memory_file("file", ""), full(open("/dev/full", O_WRONLY | O_CLOEXEC));
    EXPECT_EQ(write_patiently(
                  file.get(), kMuch, [](int) { return false; }, written),
              WriteResult::Ok);
    EXPECT_EQ(write_patiently(
                  full.get(), "x", [](int) { return true; }, written),
              WriteResult::Failed);
    EXPECT_EQ(errno, ENOSPC);
}

}  // namespace
}  // namespace tapir
