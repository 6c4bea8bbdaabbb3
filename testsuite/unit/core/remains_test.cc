// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/remains.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/files.h"
#include "core_writer.h"

namespace tapir::core {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kCode = 0x400000, kData = 0x600000;

class RemainsTest : public testing::Test {
  protected:
    RemainsTest()
        : directory_(fs::canonical(fs::temp_directory_path()).string() + "/tapir-core-" + std::to_string(getpid())) {
        fs::create_directories(directory_);
    }
    ~RemainsTest() override { fs::remove_all(directory_); }

    std::string write(const std::string &name, const std::string &content) {
        const std::string path = directory_ + "/" + name;
        fs::create_directories(fs::path(path).parent_path());
        std::ofstream(path, std::ios::binary) << content;
        return path;
    }

    // A process with a file of two pages at kCode, whose first page is in the core up to `dumped`, and data.
    std::string core_with(const std::string &path, const std::string &page, size_t dumped = 4096) {
        return core_of(thread_note(7, kCode) + files_note({{kCode, kCode + 0x2000, 0, path}}) +
                           auxiliary_note({{AT_PHDR, kCode + 64}, {AT_ENTRY, kCode + 0x1000}}),
                       {{kCode, 0x2000, page.substr(0, dumped), PF_R | PF_X},
                        {kData, 0x1000, std::string("data\0more", 9), PF_R | PF_W}});
    }

    std::unique_ptr<Remains> open(const std::string &bytes, RemainsOptions options = {}) {
        bytes_ = bytes;
        options.warn = [this](const std::string &text) { warnings_ += text + "\n"; };
        Outcome<CoreFile> core = CoreFile::parse(bytes_);
        if (!core) return nullptr;
        Outcome<std::unique_ptr<Remains>> process = Remains::of(std::move(*core), std::move(options));
        return process ? std::move(*process) : nullptr;
    }

    std::string directory_, bytes_, warnings_;
};

std::string read(Remains &process, uint64_t at, uint32_t length) {
    std::string text(length, '?');
    return process.read(text.data(), at, length) ? text : "not known";
}

TEST_F(RemainsTest, CoreEmpty) {
    const std::string bytes = core_of("", {{0x1000, 0x1000, "abc"}});
    Outcome<CoreFile> core = CoreFile::parse(bytes);
    ASSERT_TRUE(core);
    const Outcome<std::unique_ptr<Remains>> process = Remains::of(std::move(*core), {});
    ASSERT_FALSE(process);
    EXPECT_EQ(FaultTag::CoreEmpty, process.fault().tag);
    EXPECT_EQ("tells of no thread of a process; it may be the dump of a kernel", process.fault().message());
    const Outcome<std::unique_ptr<Remains>> by_name = Remains::open(write("core", bytes), {});
    ASSERT_FALSE(by_name);
    EXPECT_EQ(directory_ + "/core tells of no thread of a process; it may be the dump of a kernel",
              by_name.fault().message());
}

TEST_F(RemainsTest, ReadsWhatTheCoreHas) {
    const auto process = open(core_with("/nowhere/program", program_of("abcd")));
    ASSERT_TRUE(process);
    EXPECT_EQ("data", read(*process, kData, 4));
    EXPECT_EQ("re", read(*process, kData + 7, 2));
    EXPECT_EQ("not known", read(*process, kData + 7, 3));
    EXPECT_EQ("not known", read(*process, 0, 1));
    EXPECT_EQ("not known", read(*process, ~uint64_t{0} - 1, 8));
    char text[8];
    EXPECT_EQ(4, process->read_string(text, kData, sizeof text));
    EXPECT_STREQ("data", text);
    EXPECT_EQ(2, process->read_string(text, kData, 3));
    EXPECT_STREQ("da", text);
    EXPECT_EQ(-1, process->read_string(text, kData + 5, sizeof text));  // no NUL up to the end
    EXPECT_STREQ("", text);
    EXPECT_EQ("", warnings_);
    EXPECT_EQ(0u, process->program());
}

TEST_F(RemainsTest, TheRestIsInTheFile) {
    const std::string page = program_of("abcd");
    const std::string path = write("program", page + std::string(4096, 'c'));
    const auto process = open(core_with(path, page));
    ASSERT_TRUE(process);
    EXPECT_EQ("cccc", read(*process, kCode + 0x1000, 4));
    EXPECT_EQ("ppcc", read(*process, kCode + 0xffe, 4));
    EXPECT_EQ("not known", read(*process, kCode + 0x1ffe, 4));
    EXPECT_EQ("61626364", process->build_id_in_memory(0));
    EXPECT_EQ(path, *process->local_path(0));
    EXPECT_EQ("", warnings_);
}

// A written part that was then cut off is not read from the file.
TEST_F(RemainsTest, WhatWasCutOffIsNotKnown) {
    const std::string page = program_of("abcd"), path = write("program", page + std::string(4096, 'c'));
    std::string bytes = core_of(thread_note(7, kCode) + files_note({{kCode, kCode + 0x2000, 0, path}}),
                                {{kCode, 0x2000, page + std::string(4096, 'w')}});
    bytes.resize(bytes.size() - 4000);
    const auto process = open(bytes);
    ASSERT_TRUE(process);
    EXPECT_EQ("the core file is cut off: 4000 bytes of the process's memory are not there\n", warnings_);
    EXPECT_EQ("wwww", read(*process, kCode + 0x1000, 4));
    EXPECT_EQ("not known", read(*process, kCode + 0x1100, 4));
}

TEST_F(RemainsTest, MappedMissing) {
    const auto process = open(core_with("/nowhere/program", program_of("abcd")));
    ASSERT_TRUE(process);
    EXPECT_EQ("not known", read(*process, kCode + 0x1000, 4));
    EXPECT_EQ("not known", read(*process, kCode + 0x1000, 4));
    const std::string text =
        "the process had mapped /nowhere/program (build-id 61626364), and /nowhere/program cannot be opened: No such "
        "file or directory; --sysroot=DIR names a directory with the process's files, --exec=FILE its program";
    EXPECT_EQ(text + "\n", warnings_);
    const Outcome<std::string> path = process->local_path(0);
    ASSERT_FALSE(path);
    EXPECT_EQ(FaultTag::MappedMissing, path.fault().tag);
    EXPECT_EQ(text, path.fault().message());
}

TEST_F(RemainsTest, MappedOther) {
    const std::string path = write("program", program_of("efgh") + std::string(4096, 'c'));
    const auto process = open(core_with(path, program_of("abcd")));
    ASSERT_TRUE(process);
    EXPECT_EQ("not known", read(*process, kCode + 0x1000, 4));
    const std::string text = path +
                             " is another build (65666768) than the process's (61626364); it is not used; "
                             "--sysroot=DIR names a directory with the process's files, --exec=FILE its program";
    EXPECT_EQ(text + "\n", warnings_);
    const Outcome<std::string> local = process->local_path(0);
    ASSERT_FALSE(local);
    EXPECT_EQ(FaultTag::MappedOther, local.fault().tag);
    EXPECT_EQ(text, local.fault().message());
}

TEST_F(RemainsTest, WithoutBuildIdsTheBeginningsAreCompared) {
    const std::string page = program_of("");
    const std::string same = write("same", page + "c"), other = write("other", program_of("", 'q') + "c");
    EXPECT_EQ("c", read(*open(core_with(same, page)), kCode + 0x1000, 1));
    EXPECT_EQ("not known", read(*open(core_with(other, page)), kCode + 0x1000, 1));
    EXPECT_EQ(other +
                  " is another build than the process's; it is not used; --sysroot=DIR names a directory with the "
                  "process's files, --exec=FILE its program\n",
              warnings_);
    warnings_ = "";
    // A core may have nothing of the file; then only who names it can know.
    EXPECT_EQ("not known", read(*open(core_with(same, page, 0)), kCode + 0x1000, 1));
    EXPECT_EQ(
        same +
            " may have changed since: the core has nothing of it to compare it by; it is not used; "
            "--sysroot=DIR names a directory with the process's files, --exec=FILE its program; --sysroot=/ takes "
            "the files that are here\n",
        warnings_);
    RemainsOptions options;
    options.program = same;
    EXPECT_EQ("c", read(*open(core_with("/moved", page, 0), options), kCode + 0x1000, 1));
    RemainsOptions here;
    here.sysroot = "/";
    EXPECT_EQ("c", read(*open(core_with(same, page, 0), here), kCode + 0x1000, 1));
}

TEST_F(RemainsTest, FilesAreBelowTheSysroot) {
    const std::string page = program_of("abcd");
    const std::string path = write("root/usr/program", page + "below");
    write("outside", page + "outside");
    fs::create_symlink("/usr/program", directory_ + "/root/link");
    fs::create_symlink("../outside", directory_ + "/root/leads-out");
    RemainsOptions options;
    options.sysroot = directory_ + "/root";
    EXPECT_EQ("below", read(*open(core_with("/usr/program", page), options), kCode + 0x1000, 5));
    EXPECT_EQ("below", read(*open(core_with("/link", page), options), kCode + 0x1000, 5));
    EXPECT_EQ(path, *open(core_with("/link", page), options)->local_path(0));
    EXPECT_EQ("", warnings_);
    EXPECT_EQ("not known", read(*open(core_with("/leads-out", page), options), kCode + 0x1000, 5));
    EXPECT_EQ("not known", read(*open(core_with("/../outside", page), options), kCode + 0x1000, 5));
    EXPECT_EQ("not known", read(*open(core_with("relative", page), options), kCode + 0x1000, 5));
    EXPECT_EQ("not known", read(*open(core_with("relative", page)), kCode + 0x1000, 5));
}

// Neither is waited for nor opened what is no file.
TEST_F(RemainsTest, WhatIsNoFileIsNotOpened) {
    const std::string fifo = directory_ + "/root/fifo";
    fs::create_directories(directory_ + "/root");
    ASSERT_EQ(0, mkfifo(fifo.c_str(), 0600));
    RemainsOptions options;
    options.sysroot = directory_ + "/root";
    EXPECT_EQ("not known", read(*open(core_with("/fifo", program_of("abcd")), options), kCode + 0x1000, 1));
    EXPECT_NE(std::string::npos, warnings_.find("cannot be opened: it is not a regular file")) << warnings_;
    EXPECT_EQ("not known", read(*open(core_with(fifo, program_of("abcd"))), kCode + 0x1000, 1));
}

TEST_F(RemainsTest, Bias) {
    const std::string page = program_of("abcd"), path = write("program", page + std::string(4096, 'c'));
    const auto process = open(core_with(path, page));
    ASSERT_TRUE(process);
    // Linked at 0x10000, its code 0x1040 bytes into the file and as much behind that address.
    EXPECT_EQ(kCode - 0x10000, process->bias_of("61626364", "/anywhere", 0x1040, 0x10000));
    EXPECT_FALSE(process->bias_of("65666768", path, 0x1040, 0));
    EXPECT_EQ(kCode, process->bias_of("", path, 0x1040, 0));
    EXPECT_FALSE(process->bias_of("", "/anywhere", 0x1040, 0));
    EXPECT_FALSE(process->bias_of("61626364", path, 0x2040, 0));
}

TEST_F(RemainsTest, TablesOfWhatIsMapped) {
    const std::string self = fs::canonical("/proc/self/exe").string();
    std::string page;
    ASSERT_EQ(EFBIG, read_file(self.c_str(), 4096, page));
    const uint64_t size = fs::file_size(self);
    const auto process =
        open(core_of(thread_note(7, kCode) + files_note({{kCode, kCode + (size & ~uint64_t{4095}), 0, self}}),
                     {{0x10000, 4096, page, PF_R | PF_X},
                      {0x20000, 4096, page, PF_R | PF_W},
                      {kCode, size & ~uint64_t{4095}, page, PF_R | PF_X}}));
    ASSERT_TRUE(process);
    tapir_unwind_mapping mapping = {};
    uint8_t end = 0;
    ASSERT_TRUE(process->table_of(kCode + 0x1000, mapping, end)) << warnings_;
    EXPECT_EQ(kCode, mapping.start);
    EXPECT_EQ(0u, mapping.place);
    EXPECT_TRUE(tapir_unwind_rules(mapping.table));
    EXPECT_GT(mapping.table->nrows, 100u);
    // Code that is of no file, data, and what is not mapped.
    EXPECT_FALSE(process->table_of(0x10010, mapping, end));
    EXPECT_EQ(TAPIR_UNWIND_NO_OBJECT, end);
    EXPECT_FALSE(process->table_of(0x20010, mapping, end));
    EXPECT_EQ(TAPIR_UNWIND_NO_CODE, end);
    EXPECT_FALSE(process->table_of(0x1000, mapping, end));
    EXPECT_EQ(TAPIR_UNWIND_NO_CODE, end);
}

}  // namespace
}  // namespace tapir::core
