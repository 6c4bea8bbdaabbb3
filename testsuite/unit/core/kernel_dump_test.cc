// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/kernel_dump.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core_writer.h"

namespace tapir::core {
namespace {

constexpr uint64_t kText = 0xffffffff81000000, kDirect = 0xffff888000000000, kVirtual = 0xffffc90000000000;

class KernelDumpTest : public testing::Test {
  protected:
    ~KernelDumpTest() override { std::filesystem::remove(path_); }

    const std::string &write(const std::string &bytes) {
        std::ofstream(path_, std::ios::binary) << bytes;
        return path_;
    }
    std::string why(const std::string &bytes) {
        const Outcome<std::unique_ptr<KernelDump>> dump = KernelDump::open(write(bytes));
        return dump ? "taken" : dump.fault().message();
    }

    std::string path_ = testing::TempDir() + "/tapir-kernel-dump." + std::to_string(getpid());
};

std::string facts(const std::string &more = "") {
    return note(0,
                "OSRELEASE=6.1.0-test\nBUILD-ID=0123abcd\nSYMBOL(_stext)=ffffffff81000000\n"
                "SYMBOL(init_top_pgt)=ffffffff82001000\nNUMBER(phys_base)=-33554432\n" +
                    more,
                "VMCOREINFO");
}

std::string read(KernelDump &dump, uint64_t at, uint32_t length) {
    std::string text(length, '?');
    return dump.read(text.data(), at, length) ? text : "not known";
}

// One page table of 4096 bytes with one entry.
std::string table(uint64_t address, unsigned shift, uint64_t entry) {
    std::string page(4096, 0);
    std::memcpy(page.data() + ((address >> shift) & 511) * 8, &entry, sizeof entry);
    return page;
}

TEST_F(KernelDumpTest, RangesOfAddresses) {
    const std::string text(4096, 't');
    write(core_of(facts(), {{kText, 4096, text, PF_R | PF_X, UINT64_MAX}, {0x1000, 4096, "user", PF_R}}));
    EXPECT_TRUE(KernelDump::is_one(path_));
    Outcome<std::unique_ptr<KernelDump>> dump = KernelDump::open(path_);
    ASSERT_TRUE(dump) << dump.fault().message();
    EXPECT_EQ("6.1.0-test", (*dump)->release());
    EXPECT_EQ("0123abcd", (*dump)->build_id());
    EXPECT_EQ(kText, (*dump)->symbol("_stext"));
    EXPECT_FALSE((*dump)->symbol("nothing"));
    EXPECT_EQ("tttt", read(**dump, kText + 4092, 4));
    EXPECT_EQ("not known", read(**dump, kText + 4093, 4));
    EXPECT_EQ("not known", read(**dump, 0x1000, 4));
    char string[8];
    EXPECT_EQ(7, (*dump)->read_string(string, kText, sizeof string));
    EXPECT_EQ(-1, (*dump)->read_string(string, kDirect, sizeof string));
    EXPECT_STREQ("", string);
}

// QEMU's dumps have physical addresses only: the kernel's page tables are at 0x1000.
TEST_F(KernelDumpTest, PageTables) {
    // They are at init_top_pgt - __START_KERNEL_map + phys_base.
    std::string tables(4096, 0);
    const auto enter = [&](uint64_t address, uint64_t entry) {
        std::memcpy(tables.data() + ((address >> 39) & 511) * 8, &entry, sizeof entry);
    };
    enter(kVirtual, 0x2000 | 1);
    enter(kDirect, 0x5000 | 1);
    std::string memory = std::string(0x1000, 0) + tables;
    memory += table(kVirtual, 30, 0x3000 | 1) + table(kVirtual, 21, 0x4000 | 1);
    memory += table(kVirtual, 12, 0x6000 | 1 | uint64_t{1} << 63);
    memory += table(kDirect, 30, 0x0 | 1 | 1 << 7);  // a page of 1 GB
    memory += std::string("in the last page\0", 17) + std::string(4096 - 17, 'x');
    write(core_of(facts(), {{0, memory.size(), memory, PF_R, 0}}));
    Outcome<std::unique_ptr<KernelDump>> dump = KernelDump::open(path_);
    ASSERT_TRUE(dump) << dump.fault().message();
    char string[32];
    EXPECT_EQ(16, (*dump)->read_string(string, kVirtual, sizeof string));
    EXPECT_STREQ("in the last page", string);
    EXPECT_EQ("in the", read(**dump, kDirect + 0x6000, 6));
    EXPECT_EQ("not known", read(**dump, kVirtual + 0x1000, 1));
    EXPECT_EQ("not known", read(**dump, kText, 1));
    EXPECT_EQ("not known", read(**dump, kDirect + 0x7000, 1));
}

TEST_F(KernelDumpTest, Refusals) {
    EXPECT_EQ(path_ +
                  " does not tell of which kernel it is (VMCOREINFO); QEMU needs '-device vmcoreinfo', and its guest "
                  "the module qemu_fw_cfg",
              why(core_of(note(0, "state", "QEMU"), {{0, 4096, "x"}})));
    EXPECT_TRUE(KernelDump::is_one(path_));
    std::string kdump = "KDUMP   ";
    kdump.resize(4096);
    EXPECT_EQ(path_ +
                  " is a dump in the format of kdump, and only ELF dumps can be read; 'makedumpfile -E' and QEMU's "
                  "dump-guest-memory without -z write those",
              why(kdump));
    EXPECT_TRUE(KernelDump::is_one(path_));
    std::string foreign = core_of(facts(), {});
    foreign[18] = static_cast<char>(EM_AARCH64);
    EXPECT_EQ(0u, why(foreign).find(path_ + " is of another architecture (ELF machine 183)"));
    EXPECT_EQ(path_ + " ends within its header", why("ELF"));
    EXPECT_FALSE(KernelDump::is_one(path_));
    // Cores of processes are none, nor is what is not there.
    write(core_of(thread_note(7, 16), {}));
    EXPECT_FALSE(KernelDump::is_one(path_));
    EXPECT_FALSE(KernelDump::is_one(path_ + ".none"));
}

// Whatever the headers say: no crash, and an end.
TEST_F(KernelDumpTest, DamagedHeaders) {
    const std::string whole = core_of(facts(), {{kText, 4096, std::string(4096, 't')}, {0, 4096, "p"}});
    for (size_t i = 0; i < 64 + 3 * sizeof(Elf64_Phdr); ++i) {
        std::string bytes = whole;
        bytes[i] = static_cast<char>(bytes[i] ^ 0xff);
        Outcome<std::unique_ptr<KernelDump>> dump = KernelDump::open(write(bytes));
        if (dump) read(**dump, kText, 8);
        KernelDump::is_one(path_);
    }
}

}  // namespace
}  // namespace tapir::core
