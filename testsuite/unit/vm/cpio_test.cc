// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/cpio.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace tapir::vm {
namespace {

struct Entry {
    std::string name, bytes;
    unsigned mode, inode, links;
};

// Reads an archive by the format's definition, checking alignment on the way.
std::vector<Entry> parse(const std::string &archive) {
    std::vector<Entry> entries;
    size_t at = 0;
    auto align = [&at] { at = (at + 3) & ~size_t{3}; };
    while (at + 110 <= archive.size()) {
        EXPECT_EQ(archive.substr(at, 6), "070701");
        auto field = [&](int index) { return strtoul(archive.substr(at + 6 + index * 8, 8).c_str(), nullptr, 16); };
        size_t size = field(6), name_size = field(11);
        Entry entry{archive.substr(at + 110, name_size - 1), "", unsigned(field(1)), unsigned(field(0)),
                    unsigned(field(4))};
        EXPECT_EQ(archive[at + 110 + name_size - 1], '\0');
        at += 110 + name_size;
        align();
        entry.bytes = archive.substr(at, size);
        at += size;
        align();
        entries.push_back(entry);
    }
    EXPECT_EQ(at, archive.size());
    return entries;
}

TEST(Cpio, HoldsFilesOfEverySizeAndTheTrailer) {
    for (size_t size = 0; size < 9; ++size) {
        CpioArchive archive;
        std::string bytes(size, 'x');
        archive.add_directory("dev");
        archive.add_file("init", bytes, 0755);
        archive.add_file("a/longer-name", bytes + "\n");
        std::vector<Entry> entries = parse(archive.finish());
        ASSERT_EQ(entries.size(), 4u);
        EXPECT_EQ(entries[0].name, "dev");
        EXPECT_EQ(entries[0].mode, 0040755u);
        EXPECT_EQ(entries[0].links, 2u);
        EXPECT_EQ(entries[1].name, "init");
        EXPECT_EQ(entries[1].mode, 0100755u);
        EXPECT_EQ(entries[1].bytes, bytes);
        EXPECT_EQ(entries[2].mode, 0100644u);
        EXPECT_EQ(entries[2].bytes, bytes + "\n");
        EXPECT_NE(entries[1].inode, entries[2].inode);
        EXPECT_EQ(entries[3].name, "TRAILER!!!");
        EXPECT_EQ(entries[3].bytes, "");
    }
}

TEST(Cpio, KeepsZeroBytes) {
    CpioArchive archive;
    std::string bytes("a\0b\0", 4);
    archive.add_file("x", bytes);
    EXPECT_EQ(parse(archive.finish())[0].bytes, bytes);
}

}  // namespace
}  // namespace tapir::vm
