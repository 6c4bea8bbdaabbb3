// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/boot_image.h"

#include <elf.h>

#include <cstring>

#include "test_directory.h"

namespace tapir::vm {
namespace {

// An ELF file whose only segment is a note of the given type and owner.
std::string kernel_with_note(uint32_t type, const char *owner) {
    Elf64_Ehdr header{};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_phoff = sizeof header;
    header.e_phnum = 1;
    Elf64_Phdr segment{};
    segment.p_type = PT_NOTE;
    segment.p_offset = sizeof header + sizeof segment;
    Elf64_Nhdr first{4, 0, 1}, note{4, 4, type};
    std::string notes(reinterpret_cast<char *>(&first), sizeof first);
    notes += std::string("GNU\0", 4);
    notes.append(reinterpret_cast<char *>(&note), sizeof note);
    notes += std::string(owner, 4) + "addr";
    segment.p_filesz = notes.size();
    return std::string(reinterpret_cast<char *>(&header), sizeof header) +
           std::string(reinterpret_cast<char *>(&segment), sizeof segment) + notes;
}

std::string bz_image(const std::string &payload) {
    std::string image(1024, '\0');
    image[0x1f1] = 1;
    memcpy(&image[0x202], "HdrS\x0f\x02", 6);
    uint32_t offset = 16, length = payload.size();
    memcpy(&image[0x248], &offset, 4);
    memcpy(&image[0x24c], &length, 4);
    return image + std::string(16, 'c') + payload + "tail";
}

class BootImage : public Sandbox {
  protected:
    std::string packed(const std::string &kernel, const std::string &tool) {
        write("k", kernel);
        std::string command = "/usr/bin/" + tool + " -c " + (dir_ / "k").string() + " >" + (dir_ / "p").string();
        EXPECT_EQ(system(command.c_str()), 0);
        return read("p") + (tool == "gzip" ? "" : "size");
    }
    std::string booted() {
        std::string path = boot_image(dir_ / "vmlinuz", "6.1", dir_ / "cache");
        return path == dir_ / "vmlinuz" ? "itself" : path;
    }
};

TEST_F(BootImage, UnpacksOnce) {
    std::string kernel = kernel_with_note(18, "Xen");
    for (const char *tool : {"xz", "gzip"}) {
        std::filesystem::remove_all(dir_ / "cache");
        std::filesystem::remove(dir_ / "bin" / tool);
        link_tool(tool);
        write("vmlinuz", bz_image(packed(kernel, tool)));
        std::string path = booted();
        ASSERT_NE(path, "itself") << tool;
        std::filesystem::remove(dir_ / "bin" / tool);
        EXPECT_EQ(booted(), path) << "from the cache, without the tool";
        EXPECT_EQ(read(std::filesystem::relative(path, dir_)), kernel);
    }
}

TEST_F(BootImage, ReplacesTheOneOfAnOlderPackage) {
    link_tool("xz");
    write("vmlinuz", bz_image(packed(kernel_with_note(18, "Xen"), "xz")));
    std::string old_path = booted();
    write("vmlinuz", bz_image(packed(kernel_with_note(18, "Xen") + "longer", "xz")));
    EXPECT_NE(booted(), old_path);
    EXPECT_FALSE(std::filesystem::exists(old_path));
}

TEST_F(BootImage, BootsThePackedOneOtherwise) {
    write("vmlinuz", bz_image(packed(kernel_with_note(18, "Xen"), "xz")));
    EXPECT_EQ(booted(), "itself") << "no xz";
    link_tool("xz");
    EXPECT_NE(booted(), "itself") << "a missing tool is not remembered";
    write("vmlinuz", bz_image(packed(kernel_with_note(17, "Xen"), "xz")));
    EXPECT_EQ(booted(), "itself") << "no entry";
    EXPECT_EQ(booted(), "itself") << "remembered";
    write("vmlinuz", bz_image("\x02\x21\x4c\x18 lz4 payload which is not known"));
    EXPECT_EQ(booted(), "itself");
    write("vmlinuz", "short");
    EXPECT_EQ(booted(), "itself");
}

TEST(PvhEntry, NeedsTheRightNote) {
    EXPECT_TRUE(has_pvh_entry(kernel_with_note(18, "Xen")));
    EXPECT_FALSE(has_pvh_entry(kernel_with_note(18, "GNU")));
    EXPECT_FALSE(has_pvh_entry(kernel_with_note(3, "Xen")));
    std::string whole = kernel_with_note(18, "Xen");
    for (size_t length = 0; length < whole.size(); ++length)
        EXPECT_FALSE(has_pvh_entry(whole.substr(0, length)));
}

}  // namespace
}  // namespace tapir::vm
