// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/unpacked_core.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/files.h"
#include "common/run_program.h"

namespace tapir::target {
namespace {

class UnpackedCoreTest : public testing::Test {
  protected:
    ~UnpackedCoreTest() override { std::filesystem::remove_all(directory_); }

    std::string write(const std::string &name, const std::string &content) {
        std::filesystem::create_directories(directory_);
        std::ofstream(directory_ + "/" + name, std::ios::binary) << content;
        return directory_ + "/" + name;
    }
    // By a program; "": it is not here.
    std::string compressed(const std::string &program, const std::string &content) {
        const std::string path = write("plain", content);
        Collected out;
        Program run{{program, "-c", path}};
        run.output = Stream::collected(out);
        const Outcome<Ending> ended = run_program(run);
        return ended && ended->good() ? write(program, out.text) : "";
    }

    std::string directory_ = testing::TempDir() + "/tapir-unpacked." + std::to_string(getpid());
};

std::string why(const Outcome<UnpackedCore> &core) {
    return core ? "unpacked" : core.fault().message();
}

TEST_F(UnpackedCoreTest, ByMagicNumbers) {
    const std::string content = std::string(100000, 0) + "between" + std::string(9000, 0) + "end" + std::string(5, 0);
    int tried = 0;
    for (const char *program : {"gzip", "xz", "zstd", "lz4"}) {
        const std::string path = compressed(program, content);
        if (path.empty()) continue;
        ++tried;
        const Outcome<UnpackedCore> core = unpack_core(path, 1 << 20);
        ASSERT_TRUE(core) << core.fault().message();
        EXPECT_EQ("", core->warning);
        EXPECT_EQ(content, read_file(core->path)) << program;
        EXPECT_EQ(path +
                      " unpacks to more than 0 GB, and may have been made to fill the disk; --max-core-size=GB "
                      "allows more",
                  why(unpack_core(path, content.size() - 1)));
    }
    EXPECT_GT(tried, 0);
}

TEST_F(UnpackedCoreTest, WhatIsNotCompressedStaysWhereItIs) {
    const std::string path = write("core",
                                   "\x7f"
                                   "ELF");
    const Outcome<UnpackedCore> core = unpack_core(path, 1);
    ASSERT_TRUE(core);
    EXPECT_EQ(path, core->path);
    EXPECT_EQ(-1, core->file.get());
    const Outcome<UnpackedCore> none = unpack_core(path + ".none", 1);
    ASSERT_TRUE(none);
    EXPECT_EQ(path + ".none", none->path);
}

TEST_F(UnpackedCoreTest, CutAndDamaged) {
    std::string random(1 << 20, 0);
    uint32_t state = 7;
    for (char &byte : random)
        byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
    const std::string path = compressed("gzip", random);
    ASSERT_NE("", path);
    const std::string whole = *read_file(path);
    const Outcome<UnpackedCore> cut = unpack_core(write("cut", whole.substr(0, whole.size() / 2)), 1 << 30);
    ASSERT_TRUE(cut) << cut.fault().message();
    EXPECT_NE(std::string::npos, cut->warning.find("cut ends too early, or is damaged ("));
    const std::string part = *read_file(cut->path);
    EXPECT_GT(part.size(), random.size() / 4);
    EXPECT_EQ(random.substr(0, part.size()), part);
    EXPECT_NE(std::string::npos,
              why(unpack_core(write("bad", std::string("\x28\xb5\x2f\xfd") + std::string(3, '\xff')), 1 << 30))
                  .find("cannot be unpacked"));
}

std::string piece(uint64_t place, const std::string &bytes, uint64_t size) {
    std::string text;
    for (const uint64_t number : {place, size})
        for (int shift = 56; shift >= 0; shift -= 8)
            text.push_back(static_cast<char>(number >> shift));
    return text + bytes;
}

std::string piece(uint64_t place, const std::string &bytes) {
    return piece(place, bytes, bytes.size());
}

std::string flattened(const std::string &pieces) {
    std::string head = "makedumpfile";
    head.resize(4096);
    return head + pieces;
}

// As makedumpfile and QEMU write them: the first piece once more at the end.
TEST_F(UnpackedCoreTest, Pieces) {
    const std::string end = piece(UINT64_MAX, "", UINT64_MAX), page(4096, 'p');
    const std::string pieces = piece(0, page) + piece(8192, "later") + piece(4096, std::string(4096, 0)) +
                               piece(0, std::string(4000, 0)) + piece(100, "again");
    std::string content = std::string(4000, 0) + std::string(96, 'p') + std::string(4096, 0) + "later";
    content.replace(100, 5, "again");
    const std::string path = write("flattened", flattened(pieces + end) + "what follows is none of it");
    const Outcome<UnpackedCore> core = unpack_core(path, 1 << 20);
    ASSERT_TRUE(core) << core.fault().message();
    EXPECT_EQ("", core->warning);
    EXPECT_EQ(content, read_file(core->path));
    const std::string packed = compressed("gzip", flattened(pieces + end));
    const Outcome<UnpackedCore> both = unpack_core(packed, 1 << 20);
    ASSERT_TRUE(both) << both.fault().message();
    EXPECT_EQ(content, read_file(both->path));
    const Outcome<UnpackedCore> cut = unpack_core(write("cut", flattened(pieces)), 1 << 20);
    ASSERT_TRUE(cut) << cut.fault().message();
    EXPECT_EQ(directory_ + "/cut ends too early; what is in front of that is used", cut->warning);
    EXPECT_EQ(content, read_file(cut->path));
    for (const uint64_t place : {uint64_t{1} << 20, uint64_t{1} << 63, UINT64_MAX, UINT64_MAX - 5})
        EXPECT_NE(std::string::npos,
                  why(unpack_core(write("far", flattened(piece(place, "x"))), 1 << 20)).find(" unpacks to more than "))
            << place;
    const Outcome<UnpackedCore> huge = unpack_core(write("huge", flattened(piece(0, "x", UINT64_MAX))), 1 << 20);
    EXPECT_EQ(directory_ + "/huge ends too early; what is in front of that is used", huge->warning);
}

}  // namespace
}  // namespace tapir::target
