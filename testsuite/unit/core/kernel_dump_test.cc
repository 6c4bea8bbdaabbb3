// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/kernel_dump.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core_writer.h"

namespace tapir::core {
namespace {

constexpr uint64_t kTextStart = 0xffffffff81000000, kDirect = 0xffff888000000000, kVirtual = 0xffffc90000000000;

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

    // With one byte of the file turned over meanwhile.
    void open_damaged(size_t place, uint64_t address) {
        std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
        const auto turn = [&] {
            file.seekg(static_cast<std::streamoff>(place));
            const char byte = static_cast<char>(file.get() ^ 0xff);
            file.seekp(static_cast<std::streamoff>(place));
            file.put(byte).flush();
        };
        turn();
        const Outcome<std::unique_ptr<KernelDump>> dump = KernelDump::open(path_);
        char bytes[8];
        if (dump) (*dump)->read(bytes, address, sizeof bytes);
        KernelDump::is_one(path_);
        turn();
    }

    std::string path_ = testing::TempDir() + "/tapir-kernel-dump." + std::to_string(getpid());
};

const std::string kFacts =
    "OSRELEASE=6.1.0-test\nBUILD-ID=0123abcd\nSYMBOL(_stext)=ffffffff81000000\n"
    "SYMBOL(init_top_pgt)=ffffffff82001000\nNUMBER(phys_base)=-33554432\n";

std::string facts(const std::string &more = "") {
    return note(0, kFacts + more, "VMCOREINFO");
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
    write(core_of(facts(), {{kTextStart, 4096, text, PF_R | PF_X, UINT64_MAX}, {0x1000, 4096, "user", PF_R}}));
    EXPECT_TRUE(KernelDump::is_one(path_));
    Outcome<std::unique_ptr<KernelDump>> dump = KernelDump::open(path_);
    ASSERT_TRUE(dump) << dump.fault().message();
    EXPECT_EQ("6.1.0-test", (*dump)->release());
    EXPECT_EQ("0123abcd", (*dump)->build_id());
    EXPECT_EQ(kTextStart, (*dump)->symbol("_stext"));
    EXPECT_FALSE((*dump)->symbol("nothing"));
    EXPECT_EQ("tttt", read(**dump, kTextStart + 4092, 4));
    EXPECT_EQ("not known", read(**dump, kTextStart + 4093, 4));
    EXPECT_EQ("not known", read(**dump, 0x1000, 4));
    char string[8];
    EXPECT_EQ(7, (*dump)->read_string(string, kTextStart, sizeof string));
    EXPECT_EQ(-1, (*dump)->read_string(string, kDirect, sizeof string));
    EXPECT_STREQ("", string);
}

// Seven pages of physical memory; the kernel's page tables begin at 0x1000, which is init_top_pgt - __START_KERNEL_map
// + phys_base.
std::string physical_memory(uint64_t encrypted = 0) {
    std::string tables(4096, 0);
    const auto enter = [&](uint64_t address, uint64_t entry) {
        entry |= encrypted;
        std::memcpy(tables.data() + ((address >> 39) & 511) * 8, &entry, sizeof entry);
    };
    enter(kVirtual, 0x2000 | 1);
    enter(kDirect, 0x5000 | 1);
    std::string memory = std::string(0x1000, 0) + tables;
    memory += table(kVirtual, 30, encrypted | 0x3000 | 1) + table(kVirtual, 21, encrypted | 0x4000 | 1);
    memory += table(kVirtual, 12, encrypted | 0x6000 | 1 | uint64_t{1} << 63);
    memory += table(kDirect, 30, encrypted | 0x0 | 1 | 1 << 7);  // a page of 1 GB
    return memory + std::string("in the last page\0", 17) + std::string(4096 - 17, 'x');
}

void expect_physical_memory(KernelDump &dump) {
    char string[32];
    EXPECT_EQ(16, dump.read_string(string, kVirtual, sizeof string));
    EXPECT_STREQ("in the last page", string);
    EXPECT_EQ("in the", read(dump, kDirect + 0x6000, 6));
    EXPECT_EQ("not known", read(dump, kVirtual + 0x1000, 1));
    EXPECT_EQ("not known", read(dump, kTextStart, 1));
    EXPECT_EQ("not known", read(dump, kDirect + 0x7000, 1));
}

// QEMU's dumps have physical addresses only.
TEST_F(KernelDumpTest, PageTables) {
    const std::string memory = physical_memory();
    write(core_of(facts(), {{0, memory.size(), memory, PF_R, 0}}));
    Outcome<std::unique_ptr<KernelDump>> dump = KernelDump::open(path_);
    ASSERT_TRUE(dump) << dump.fault().message();
    expect_physical_memory(**dump);
}

// AMD's processors have a bit in each entry that says that the memory is encrypted (SME).
TEST_F(KernelDumpTest, PageTablesOfEncryptedMemory) {
    for (const unsigned bit : {47, 51}) {
        const uint64_t mask = uint64_t{1} << bit;
        const std::string memory = physical_memory(mask);
        write(core_of(facts("NUMBER(sme_mask)=" + std::to_string(mask) + "\n"), {{0, memory.size(), memory, PF_R, 0}}));
        Outcome<std::unique_ptr<KernelDump>> dump = KernelDump::open(path_);
        ASSERT_TRUE(dump) << dump.fault().message();
        expect_physical_memory(**dump);
    }
}

// Each entry of each table leads back to the first one.
TEST_F(KernelDumpTest, PageTablesInACircle) {
    std::string tables;
    for (int i = 0; i < 512; ++i)
        tables += bytes_of(uint64_t{0x1000 | 1});
    const std::string memory = std::string(0x1000, 0) + tables;
    write(core_of(facts("NUMBER(pgtable_l5_enabled)=1\n"), {{0, memory.size(), memory, PF_R, 0}}));
    Outcome<std::unique_ptr<KernelDump>> dump = KernelDump::open(path_);
    ASSERT_TRUE(dump) << dump.fault().message();
    EXPECT_EQ(std::string("\x01\x10\0", 3), read(**dump, kVirtual, 3));
    char string[8];
    EXPECT_EQ(2, (*dump)->read_string(string, UINT64_MAX - 7, sizeof string));
}

class KdumpTest : public KernelDumpTest {
  protected:
    void SetUp() override {
        if (!KdumpReader::missing().empty()) GTEST_SKIP() << KdumpReader::missing();
    }
    static std::map<uint32_t, std::string> pages() {
        std::map<uint32_t, std::string> pages;
        const std::string memory = physical_memory();
        for (uint32_t i = 1; i < memory.size() / 4096; ++i)
            pages[i] = memory.substr(size_t{i} * 4096, 4096);
        return pages;
    }
};

TEST_F(KdumpTest, PageTables) {
    write(kdump_of(kFacts, pages()));
    EXPECT_TRUE(KernelDump::is_one(path_));
    Outcome<std::unique_ptr<KernelDump>> dump = KernelDump::open(path_);
    ASSERT_TRUE(dump) << dump.fault().message();
    EXPECT_EQ("6.1.0-test", (*dump)->release());
    EXPECT_EQ("0123abcd", (*dump)->build_id());
    expect_physical_memory(**dump);
    EXPECT_EQ("not known", read(**dump, kDirect, 1)) << "a page that was left out";
}

TEST_F(KdumpTest, Refusals) {
    EXPECT_EQ(path_ +
                  " does not identify its kernel: VMCOREINFO is missing; QEMU needs '-device vmcoreinfo', and its "
                  "guest the module qemu_fw_cfg",
              why(kdump_of("", pages())));
    EXPECT_EQ(path_ +
                  " is of another architecture (aarch64); analyse it on a machine of that architecture; of x86-64 it "
                  "can be read",
              why(kdump_of(kFacts, pages(), "aarch64")));
    const std::string whole = kdump_of(kFacts, pages());
    EXPECT_EQ(path_ + " ends within its header", why(whole.substr(0, 4096 + 103)));
    EXPECT_EQ(path_ + " ends within the list of its pages", why(whole.substr(0, 4 * 4096 - 1)));
    EXPECT_EQ(path_ + " ends within what it tells of its kernel", why(whole.substr(0, whole.size() - 1)));
    const auto with = [&](size_t at, uint32_t value) {
        std::string bytes = whole;
        std::memcpy(bytes.data() + at, &value, sizeof value);
        return why(bytes);
    };
    EXPECT_EQ(path_ + " has blocks of another size", with(428, 0));
    EXPECT_EQ(path_ + " has blocks of another size", with(428, 8192));
    EXPECT_EQ(path_ + " has blocks of another size", with(432, 0));
    EXPECT_EQ(path_ + " ends within the list of its pages", with(432, 0x7fffffff));
    EXPECT_EQ(path_ + " ends within the list of its pages", with(436, 0xffffffff));
    EXPECT_EQ(path_ + " has more pages than it lists", with(440, 0xffffffff));
    EXPECT_EQ(path_ + " ends within what it tells of its kernel", with(4096 + 32, 0xfffffff0));
    EXPECT_EQ(path_ + " ends within what it tells of its kernel", with(4096 + 44, 1));
    EXPECT_EQ(path_ + " ends within its notes", with(4096 + 60, 1));
    EXPECT_EQ(path_ + " ends within its notes", with(4096 + 76, 1));
    EXPECT_EQ(path_ + " has more pages than it lists", with(4096 + 100, 1));
}

// Any places and sizes of pages: no crash, and an end.
TEST_F(KdumpTest, Damaged) {
    write(kdump_of(kFacts, pages()));
    const auto damage = [&](size_t from, size_t end) {
        for (size_t i = from; i < end; ++i)
            open_damaged(i, kVirtual);
    };
    damage(428, 448);                // sizes in the header
    damage(4096 + 32, 4096 + 48);    // what it tells
    damage(2 * 4096, 2 * 4096 + 1);  // both lists of pages
    damage(3 * 4096, 3 * 4096 + 1);
    damage(4 * 4096, 4 * 4096 + 24);  // the first page's place and size
}

TEST_F(KernelDumpTest, Refusals) {
    EXPECT_EQ(path_ +
                  " does not identify its kernel: VMCOREINFO is missing; QEMU needs '-device vmcoreinfo', and its "
                  "guest the module qemu_fw_cfg",
              why(core_of(note(0, "state", "QEMU"), {{0, 4096, "x"}})));
    EXPECT_TRUE(KernelDump::is_one(path_));
    std::string flattened = "makedumpfile";
    flattened.resize(4096);
    EXPECT_EQ(path_ +
                  " is a dump that was written to a pipe (flattened); stap --core puts it in order, or "
                  "'makedumpfile -R'",
              why(flattened));
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

// Any headers: no crash, and an end.
TEST_F(KernelDumpTest, DamagedHeaders) {
    write(core_of(facts(), {{kTextStart, 4096, std::string(4096, 't')}, {0, 4096, "p"}}));
    for (size_t i = 0; i < 64 + 3 * sizeof(Elf64_Phdr); ++i)
        open_damaged(i, kTextStart);
}

}  // namespace
}  // namespace tapir::core
