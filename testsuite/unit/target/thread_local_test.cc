// SPDX-License-Identifier: GPL-2.0-or-later
// How thread-local variables of objects that the test compiles are found.
#include "target/thread_local.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace tapir::target {
namespace {

namespace fs = std::filesystem;
using Kind = ThreadBlock::Kind;

class ThreadLocal : public testing::Test {
  protected:
    void SetUp() override {
        char name[] = "/tmp/tapir-thread-local-XXXXXX";
        ASSERT_NE(mkdtemp(name), nullptr);
        directory_ = name;
        std::ofstream(directory_ / "a.c") << "__thread long first[3] = {1};\n"
                                             "static __thread int wide __attribute__((aligned(64))) = 2;\n"
                                             "int *address(void) { return first[2] ? &wide : (int *)first; }\n";
        std::ofstream(directory_ / "main.c") << "int *address(void); int main(void) { return *address(); }\n";
    }
    void TearDown() override { fs::remove_all(directory_); }

    ThreadBlock block(const std::string &flags) {
        const std::string command = "cd '" + directory_.string() + "' && gcc -O1 -o object " + flags;
        EXPECT_EQ(system(command.c_str()), 0) << command;
        std::string error;
        const auto object = dwarf::Object::open((directory_ / "object").string(), error);
        return object ? find_thread_block(*object) : ThreadBlock{.why = error};
    }

    fs::path directory_;
};

TEST_F(ThreadLocal, ProgramsHaveTheirBlockAtAFixedOffset) {
#ifndef __x86_64__
    GTEST_SKIP() << "numbers of x86-64";
#endif
    for (const char *flags : {"a.c main.c -pie -fPIE", "a.c main.c -no-pie", "a.c main.c -static"}) {
        const ThreadBlock found = block(flags);
        EXPECT_EQ(found.kind, Kind::Program) << flags << found.why;
        EXPECT_EQ(found.thread_pointer, 58);
        EXPECT_LE(found.offset, -64) << flags;
        EXPECT_EQ(found.offset % 64, 0) << flags;
    }
}

TEST_F(ThreadLocal, LibrariesHaveAWordThatTells) {
#ifndef __x86_64__
    GTEST_SKIP() << "relocations of x86-64";
#endif
    const ThreadBlock vector = block("a.c -shared -fPIC -mtls-dialect=gnu");
    EXPECT_EQ(vector.kind, Kind::Module) << vector.why;
    EXPECT_EQ(vector.vector, 8);
    EXPECT_NE(vector.word, 0u);
    const ThreadBlock offset = block("a.c -shared -fPIC -ftls-model=initial-exec");
    EXPECT_EQ(offset.kind, Kind::Offset) << offset.why;
    EXPECT_NE(offset.word, 0u);
}

TEST_F(ThreadLocal, SaysWhyThereIsNone) {
    EXPECT_EQ(block("main.c -shared -fPIC").why, "the file has no thread-local storage");
#ifdef __x86_64__
    EXPECT_EQ(block("a.c -shared -fPIC -mtls-dialect=gnu2").why,
              "it is thread-local, and the library has no word that tells where (it may use TLS descriptors)");
#endif
}

}  // namespace
}  // namespace tapir::target
