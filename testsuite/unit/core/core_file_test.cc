// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/core_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "core/notes.h"
#include "core_writer.h"

namespace tapir::core {
namespace {

Fault fault_of(const std::string &bytes) {
    const Outcome<CoreFile> core = CoreFile::parse(bytes);
    if (core) {
        ADD_FAILURE() << "it is taken";
        return {FaultTag::Misuse, ""};
    }
    return core.fault();
}

std::string changed(std::string bytes, size_t at, char value) {
    bytes[at] = value;
    return bytes;
}

TEST(CoreFile, CoreUnreadable) {
    const Outcome<CoreFile> missing = CoreFile::open("/nowhere/core");
    ASSERT_FALSE(missing);
    EXPECT_EQ(FaultTag::CoreUnreadable, missing.fault().tag);
    EXPECT_EQ("the core file /nowhere/core cannot be read: No such file or directory", missing.fault().message());
    const Outcome<CoreFile> device = CoreFile::open("/dev/null");
    ASSERT_FALSE(device);
    EXPECT_EQ("the core file /dev/null cannot be read: it is not a regular file", device.fault().message());
}

TEST(CoreFile, CoreNotOne) {
    EXPECT_EQ("it is not a core file: it is not an ELF file", fault_of("").message());
    EXPECT_EQ("it is not a core file: it is not an ELF file", fault_of("#!/bin/sh\necho and so on\n").message());
    const Fault program = fault_of(program_of("1234"));
    EXPECT_EQ(FaultTag::CoreNotOne, program.tag);
    EXPECT_EQ("it is not a core file; it is a program or library", program.message());
}

TEST(CoreFile, CoreForeign) {
    const std::string core = core_of("", {});
    const Fault narrow = fault_of(changed(core, EI_CLASS, ELFCLASS32));
    EXPECT_EQ(FaultTag::CoreForeign, narrow.tag);
    EXPECT_EQ("it is of a 32-bit process; only cores of 64-bit processes can be read", narrow.message());
    EXPECT_EQ("it is of a big-endian machine; analyse it on such a machine",
              fault_of(changed(core, EI_DATA, ELFDATA2MSB)).message());
    EXPECT_EQ(
        "it is of another architecture (ELF machine 183); analyse it on a machine of that architecture; of x86-64 it "
        "can be read",
        fault_of(changed(core, offsetof(Elf64_Ehdr, e_machine), static_cast<char>(EM_AARCH64))).message());
}

TEST(CoreFile, CoreDamaged) {
    const std::string core = core_of(thread_note(1, 2), {{0x1000, 0x1000, "abc"}});
    EXPECT_EQ("it ends within its header", fault_of(core.substr(0, 40)).message());
    const Fault fault = fault_of(core.substr(0, sizeof(Elf64_Ehdr) + 60));
    EXPECT_EQ(FaultTag::CoreDamaged, fault.tag);
    EXPECT_EQ("it ends within the list of its segments", fault.message());
    EXPECT_EQ("it has segments of another size",
              fault_of(changed(core, offsetof(Elf64_Ehdr, e_phentsize), 1)).message());
}

TEST(CoreFile, SegmentsAreSortedAndDoNotOverlap) {
    const std::string bytes = core_of("", {{0x5000, 0x1000, "five"},
                                           {0x1000, 0x2000, "one", PF_R | PF_X},
                                           {0x2000, 0x1000, "over"},
                                           {0xfffffffffffff000, 0x2000, "around"},
                                           {0x9000, 2, "more than it has room for"}});
    const Outcome<CoreFile> core = CoreFile::parse(bytes);
    ASSERT_TRUE(core);
    ASSERT_EQ(3u, core->segments().size());
    EXPECT_EQ(0x1000u, core->segments()[0].start);
    EXPECT_TRUE(core->segments()[0].executable);
    EXPECT_EQ("one", core->segments()[0].content);
    EXPECT_EQ("five", core->segments()[1].content);
    EXPECT_FALSE(core->segments()[1].executable);
    EXPECT_EQ("mo", core->segments()[2].content);
    EXPECT_EQ(0u, core->missing_bytes());
}

// Each missing byte of the content is counted; the headers are needed.
TEST(CoreFile, CutOff) {
    const std::string bytes = core_of(thread_note(1, 2), {{0x1000, 0x1000, std::string(100, 'a')}});
    for (size_t less = 0; less <= 100; ++less) {
        const Outcome<CoreFile> core = CoreFile::parse(std::string_view(bytes).substr(0, bytes.size() - less));
        ASSERT_TRUE(core);
        EXPECT_EQ(less, core->missing_bytes());
        EXPECT_EQ(100 - less, core->segments()[0].content.size());
        EXPECT_EQ(100u, core->segments()[0].dumped);
        EXPECT_EQ(1u, read_notes(core->notes()).threads.size());
    }
    for (size_t size = 0; size < bytes.size() - 100; ++size) {
        const Outcome<CoreFile> core = CoreFile::parse(std::string_view(bytes).substr(0, size));
        if (core) {
            EXPECT_LE(read_notes(core->notes()).threads.size(), 1u);
        }
    }
}

TEST(CoreFile, MoreSegmentsThanTheHeaderCanCount) {
    std::vector<WrittenSegment> segments;
    for (uint64_t i = 0; i < 70000; ++i)
        segments.push_back({0x10000 + i * 0x2000, 0x1000, i % 1000 ? "" : "x"});
    const std::string bytes = core_of(thread_note(1, 2), segments, true);
    const Outcome<CoreFile> core = CoreFile::parse(bytes);
    ASSERT_TRUE(core);
    EXPECT_EQ(70000u, core->segments().size());
    // The number is at the end of the file and is the first to be lost.
    const Outcome<CoreFile> cut = CoreFile::parse(std::string_view(bytes).substr(0, bytes.size() - 100));
    ASSERT_TRUE(cut);
    EXPECT_EQ(70000u, cut->segments().size());
}

TEST(Notes, Threads) {
    const std::string notes = thread_note(7, 0x401000, 0x7f00, SIGSEGV) + thread_note(8, 0x402000);
    const std::string_view list[] = {notes};
    const Notes read = read_notes(list);
    ASSERT_EQ(2u, read.threads.size());
    EXPECT_EQ(7, read.threads[0].id);
    EXPECT_EQ(0x401000u, read.threads[0].place());
    EXPECT_EQ(0x7f00u, read.threads[0].thread_pointer());
    EXPECT_EQ(0x7000u, read.threads[0].register_value(7));
    EXPECT_EQ(0x401000u, read.threads[0].register_value(16));
    EXPECT_EQ(SIGSEGV, read.signal);
    EXPECT_EQ(3, read.group);
    EXPECT_EQ(4, read.session);
    EXPECT_EQ(7, read.pid);  // without NT_PRPSINFO
}

TEST(Notes, Process) {
    elf_prpsinfo info = {};
    info.pr_pid = 10;
    info.pr_ppid = 9;
    info.pr_uid = 1000;
    info.pr_gid = 1001;
    std::memcpy(info.pr_fname, "sixteen-letters!", 16);
    std::memset(info.pr_psargs, 'a', sizeof info.pr_psargs);
    siginfo_t signal = {};
    signal.si_signo = SIGSEGV;
    signal.si_code = SEGV_MAPERR;
    signal.si_addr = reinterpret_cast<void *>(0x10);
    siginfo_t other = signal;
    other.si_code = SEGV_ACCERR;
    const std::string notes = thread_note(10, 1) + note(NT_PRPSINFO, bytes_of(info)) +
                              note(NT_SIGINFO, bytes_of(signal)) + auxiliary_note({{AT_EUID, 5}, {AT_ENTRY, 77}}) +
                              thread_note(11, 1) + note(NT_SIGINFO, bytes_of(other)) + note(NT_PRSTATUS, "", "LINUX");
    const std::string_view list[] = {notes};
    const Notes read = read_notes(list);
    EXPECT_EQ(10, read.pid);
    EXPECT_EQ(9, read.parent);
    EXPECT_EQ(1000, read.uid);
    EXPECT_EQ(1001, read.gid);
    EXPECT_EQ(5, read.euid);
    EXPECT_EQ(1001, read.egid);
    EXPECT_EQ("sixteen-letters!", read.name);
    EXPECT_EQ(std::string(80, 'a'), read.arguments);
    EXPECT_EQ(SEGV_MAPERR, read.signal_code);
    EXPECT_EQ(0x10u, read.signal_address);
    EXPECT_EQ(77u, read.auxiliary.at(AT_ENTRY));
}

TEST(Notes, Files) {
    const std::string notes = files_note({{0x5000, 0x6000, 0x1000, "/b"},
                                          {0x1000, 0x3000, 0, "/a (deleted)"},
                                          {0x2000, 0x4000, 0, "/over"},
                                          {0x8000, 0x8000, 0, "/empty"},
                                          {0x9000, 0xa000, 0, "/b"}});
    const std::string_view list[] = {notes};
    const Notes read = read_notes(list);
    ASSERT_EQ(3u, read.mappings.size());
    EXPECT_EQ("/a", read.files[read.mappings[0].file]);
    EXPECT_EQ("/b", read.files[read.mappings[1].file]);
    EXPECT_EQ(0x1000u, read.mappings[1].place);
    EXPECT_EQ(read.mappings[1].file, read.mappings[2].file);
}

// Whole notes are read, even beside cut or invented ones.
TEST(Notes, Damaged) {
    const std::string whole = thread_note(7, 1) + files_note({{0x1000, 0x2000, 0, "/a"}, {0x3000, 0x4000, 0, "/b"}});
    for (size_t size = 0; size <= whole.size(); ++size) {
        const std::string part = whole.substr(0, size);
        const std::string_view list[] = {part};
        const Notes read = read_notes(list);
        EXPECT_EQ(size < thread_note(7, 1).size() ? 0u : 1u, read.threads.size()) << size;
        EXPECT_LE(read.mappings.size(), 2u);
    }
    std::string many = bytes_of(uint64_t{0} - 1) + bytes_of(uint64_t{4096});
    std::string huge = bytes_of(uint64_t{1}) + bytes_of(~uint64_t{0}) + bytes_of(uint64_t{1}) + bytes_of(uint64_t{2}) +
                       bytes_of(uint64_t{3}) + std::string("/x\0", 3);
    for (const std::string &content : {many, huge, std::string(8, 'x')}) {
        const std::string text = note(NT_FILE, content);
        const std::string_view list[] = {text};
        EXPECT_TRUE(read_notes(list).mappings.empty());
    }
}

}  // namespace
}  // namespace tapir::core
