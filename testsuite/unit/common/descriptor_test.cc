// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "common/files.h"

namespace tapir {
namespace {

bool is_open(int fd) {
    return fcntl(fd, F_GETFD) >= 0;
}

TEST(Descriptor, ClosesWhatItHas) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    {
        const Descriptor first(ends[0]);
        Descriptor second(ends[1]);
        Descriptor moved(std::move(second));
        EXPECT_EQ(second.get(), -1);
        EXPECT_EQ(moved.release(), ends[1]);
    }
    EXPECT_FALSE(is_open(ends[0]));
    EXPECT_TRUE(is_open(ends[1]));
    Descriptor last(ends[1]);
    errno = EXDEV;
    last.reset();
    EXPECT_EQ(errno, EXDEV);
    EXPECT_FALSE(is_open(ends[1]));
}

TEST(Descriptor, FilesInMemory) {
    std::string text(1 << 20, 'x');
    text[5] = '\0';
    const Descriptor file = memory_file("test", text), empty = memory_file("empty", "");
    ASSERT_GE(file.get(), kLowestKeptDescriptor);
    ASSERT_GE(empty.get(), kLowestKeptDescriptor);
    EXPECT_NE(fcntl(file.get(), F_GETFD) & FD_CLOEXEC, 0);
    std::string read;
    EXPECT_EQ(read_descriptor(file.get(), SIZE_MAX, read), 0);
    EXPECT_EQ(read, text);
}

TEST(Descriptor, Pipes) {
    Descriptor read, write;
    ASSERT_TRUE(make_pipe(read, write));
    for (const int fd : {read.get(), write.get()}) {
        EXPECT_GE(fd, kLowestKeptDescriptor);
        EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
    }
    EXPECT_TRUE(write_all(write.get(), "through"));
    write.reset();
    std::string text;
    EXPECT_EQ(read_descriptor(read.get(), SIZE_MAX, text), 0);
    EXPECT_EQ(text, "through");
}

TEST(Descriptor, SaysWhyThereIsNone) {
    errno = 0;
    EXPECT_EQ(kept_duplicate(-1).get(), -1);
    EXPECT_EQ(errno, EBADF);
    errno = 0;
    EXPECT_EQ(memory_file(std::string(300, 'n').c_str(), "").get(), -1);
    EXPECT_EQ(errno, EINVAL);
}

}  // namespace
}  // namespace tapir
