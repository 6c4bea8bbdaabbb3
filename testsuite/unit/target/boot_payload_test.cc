// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/boot_payload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <cstring>
#include <filesystem>

#include "common/files.h"
#include "target/symbol_readers.h"

namespace tapir::target {
namespace {

// One set-up sector after the first, then a gap, the payload, and the size that the build appends.
std::string bz_image(const std::string &payload) {
    const std::string packed = payload + "size";
    std::string image(1024, '\0');
    image[0x1f1] = 1;
    memcpy(image.data() + 0x202, "HdrS", 4);
    const uint16_t version = 0x20f;
    memcpy(image.data() + 0x206, &version, sizeof version);
    const uint32_t place[] = {16, static_cast<uint32_t>(packed.size())};
    memcpy(image.data() + 0x248, place, sizeof place);
    return image + std::string(16, 'g') + packed;
}

std::string zstd(const std::string &text) {
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    const size_t size = ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3);
    EXPECT_FALSE(ZSTD_isError(size));
    packed.resize(size);
    return packed;
}

TEST(FindPayload, StaysInsideTheImage) {
    const std::string image = bz_image(std::string("\xfd"
                                                   "7zXZ\0",
                                                   6) +
                                       std::string(100, 'x'));
    const auto payload = find_payload(image);
    ASSERT_TRUE(payload);
    EXPECT_EQ(payload->tool, "xz");
    EXPECT_EQ(payload->bytes.size(), 106u);
    for (size_t length = 0; length < image.size(); ++length)
        EXPECT_FALSE(find_payload(image.substr(0, length)));
}

TEST(UnpackZstd, GivesTheWholeOrNothing) {
    const std::string text = std::string(300000, 'a') + "end", packed = zstd(text);
    const std::string image = bz_image(packed);
    const auto payload = find_payload(image);
    ASSERT_TRUE(payload);
    EXPECT_EQ(payload->tool, "zstd");
    EXPECT_EQ(unpack_zstd(payload->bytes), text);
    for (size_t length = 0; length < packed.size(); ++length)
        EXPECT_FALSE(unpack_zstd(packed.substr(0, length))) << length;
    std::string damaged = packed;
    damaged[5] ^= 0x40;
    EXPECT_NE(unpack_zstd(damaged), text);
    EXPECT_FALSE(
        unpack_zstd("\x7f"
                    "ELF"));
}

TEST(UnpackZstd, LetsKernelsAndModulesBeRead) {
    const std::string directory = *make_directory(std::filesystem::temp_directory_path(), "tapir-zstd-");
    const std::string program = zstd(*read_file("/proc/self/exe"));
    EXPECT_TRUE(write_file(directory + "/vmlinuz", bz_image(program)));
    EXPECT_TRUE(write_file(directory + "/module.ko.zst", program));
    EXPECT_THAT(read_kernel_file(directory + "/vmlinuz"), testing::Contains("main"));
    EXPECT_THAT(read_kernel_file(directory + "/module.ko.zst"), testing::Contains("main"));
    std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace tapir::target
