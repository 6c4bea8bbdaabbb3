// SPDX-License-Identifier: GPL-2.0-or-later
// BTF as the only description of a kernel.
#include "target/btf_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "btf_writer.h"
#include "target/debug_info.h"

namespace tapir::target {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class BtfInfoTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = fs::temp_directory_path() / "tapir-btf-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        root_ = pattern;
        kernel_.sample();
    }
    void TearDown() override { fs::remove_all(root_); }

    std::string write(const std::string &name, const std::string &bytes) const {
        fs::create_directories((root_ / name).parent_path());
        std::ofstream(root_ / name, std::ios::binary) << bytes;
        return root_ / name;
    }

    DebugInfo debug(bool running = true) const {
        DebugSources sources;
        sources.release = "1.2.3";
        sources.root = root_;
        sources.arch = "x86_64";
        sources.running = running;
        return DebugInfo(std::move(sources));
    }

    fs::path root_;
    BtfWriter kernel_;
};

TEST_F(BtfInfoTest, TellsWhereArgumentsAre) {
    const std::string path = write("sys/kernel/btf/vmlinux", kernel_.blob());
    const DebugInfo info = debug();
    const auto scope = info.entry_scope("vfs_read");
    ASSERT_TRUE(scope);
    std::vector<std::string> texts;
    for (const Variable &variable : scope->variables())
        texts.push_back(ctypes::type_name(variable.type) + " " + variable.name + " " +
                        ctypes::term_text(*variable.place.term));
    EXPECT_THAT(texts,
                ElementsAre("struct file* file reg5", "char* buf reg4", "unsigned int count reg1", "loff_t* pos reg2"));
    EXPECT_EQ(ctypes::type_name(*scope->result()), "long int");
    EXPECT_EQ(scope->find("count")->name, "count");
    EXPECT_FALSE(scope->find("nothing"));
    EXPECT_EQ(scope->source(), "BTF of " + path);
    EXPECT_THAT(scope->missing(), HasSubstr("install the debug information of the distribution's kernel 1.2.3"));
    // A function that is not described still knows types.
    const auto other = info.entry_scope("no_such_function");
    EXPECT_TRUE(other->variables().empty());
    EXPECT_FALSE(other->result());
    EXPECT_TRUE(other->find_type("struct file"));
    EXPECT_EQ(info.whole_scope()->find_enumerator("SEEK_END"), 2);
}

TEST_F(BtfInfoTest, ReadsModulesOnTopOfTheKernel) {
    BtfWriter module(&kernel_);
    module.module_sample();
    write("sys/kernel/btf/vmlinux", kernel_.blob());
    write("sys/kernel/btf/some_module", module.blob());
    const DebugInfo info = debug();
    const auto scope = info.whole_scope("some-module");
    ASSERT_TRUE(scope);
    EXPECT_TRUE(scope->find_type("struct of_module"));
    EXPECT_TRUE(scope->find_type("struct file"));
    EXPECT_EQ(info.entry_scope("module_function", "some_module")->variables().size(), 2u);
    EXPECT_FALSE(info.whole_scope("other"));
    // Without tracefs the module stands for the system.
    ASSERT_EQ(info.tracepoints("some_module").size(), 1u);
    const Tracepoint &tracepoint = info.tracepoints("some_module").front();
    EXPECT_EQ(tracepoint.label(), "some_module:module_event");
    EXPECT_EQ(tracepoint.module, "some_module");
    const auto arguments = info.tracepoint_scope(tracepoint)->variables();
    ASSERT_EQ(arguments.size(), 1u);
    EXPECT_EQ(ctypes::type_name(arguments[0].type) + " " + arguments[0].name, "struct of_module* own");
    EXPECT_TRUE(info.tracepoints("other").empty());
}

// ELF notes: one that is not needed, and a build-id.
std::string notes(const std::string &build_id) {
    const auto note = [](uint32_t type, const std::string &name, const std::string &content) {
        const uint32_t header[] = {static_cast<uint32_t>(name.size() + 1), static_cast<uint32_t>(content.size()), type};
        std::string text(reinterpret_cast<const char *>(header), sizeof header);
        for (const std::string &part : {name + std::string(1, '\0'), content})
            text += part + std::string(-part.size() & 3, '\0');
        return text;
    };
    return note(0x101, "Linux", "x") + note(3, "GNU", build_id);
}

TEST_F(BtfInfoTest, TellsTheBuildOfWhatWasUsed) {
    BtfWriter module(&kernel_);
    module.module_sample();
    write("sys/kernel/btf/vmlinux", kernel_.blob());
    write("sys/kernel/btf/some_module", module.blob());
    write("sys/kernel/notes", notes("\x01\xab\xcd"));
    write("sys/module/some_module/notes/.note.gnu.build-id", notes("\x7f\x02"));
    const DebugInfo info = debug();
    const auto kernel = info.entry_scope("vfs_read"), scope = info.entry_scope("module_function", "some_module");
    EXPECT_FALSE(kernel->find_type("struct nobody_has_it"));
    EXPECT_TRUE(info.used().empty()) << "nothing was found";
    EXPECT_TRUE(scope->result());
    EXPECT_EQ(info.used(), (std::vector<BuiltObject>{{"some_module", "7f02"}}));
    EXPECT_TRUE(kernel->find("file"));
    EXPECT_EQ(info.used(), (std::vector<BuiltObject>{{"", "01abcd"}, {"some_module", "7f02"}}));
}

TEST_F(BtfInfoTest, DamagedNotesTellNoBuild) {
    write("sys/kernel/btf/vmlinux", kernel_.blob());
    const std::string whole = notes("\x01\xab\xcd\xef");
    for (size_t size = 0; size < whole.size(); ++size) {
        write("sys/kernel/notes", whole.substr(0, size));
        const DebugInfo info = debug();
        EXPECT_TRUE(info.entry_scope("vfs_read")->find("file"));
        EXPECT_TRUE(info.used().empty()) << size;
    }
}

TEST_F(BtfInfoTest, TellsTheBuildOfFiles) {
    BtfWriter module(&kernel_);
    module.module_sample();
    write("kernel.btf", kernel_.blob());
    write("module.btf", module.blob());
    write("notes", notes("\x12\x34"));
    write("empty.c", "");
    const std::string modules = root_ / "lib/modules/1.2.3/";
    fs::create_directories(modules + "kernel");
    fs::create_directories(root_ / "boot");
    const auto build = [&](const std::string &file, const std::string &sections) {
        return std::system(
                   ("cd " + root_.string() + " && gcc -c -o object empty.c && objcopy " + sections + " object " + file)
                       .c_str()) == 0;
    };
    ASSERT_TRUE(build("lib/modules/1.2.3/vmlinux", "--add-section .BTF=kernel.btf --add-section .notes=notes"));
    ASSERT_TRUE(build("lib/modules/1.2.3/kernel/some_module.ko",
                      "--add-section .BTF=module.btf --add-section .note.gnu.build-id=notes"));
    ASSERT_TRUE(
        build("lib/modules/1.2.3/kernel/apart.ko", "--add-section .BTF=module.btf --add-section .BTF.base=kernel.btf"));
    write("lib/modules/1.2.3/modules.dep", "kernel/some_module.ko:\nkernel/apart.ko:\n");
    const DebugInfo info = debug(false);
    EXPECT_TRUE(info.entry_scope("module_function", "some_module")->find_type("struct of_module"));
    EXPECT_EQ(info.used(), (std::vector<BuiltObject>{{"some_module", "1234"}}));
    EXPECT_TRUE(info.whole_scope()->find_type("struct file"));
    EXPECT_EQ(info.used(), (std::vector<BuiltObject>{{"", "1234"}, {"some_module", "1234"}}));
    // Its types refer to a base that was distilled from another kernel.
    EXPECT_FALSE(info.entry_scope("module_function", "apart"));
    EXPECT_EQ(info.missing("apart"),
              "no debug information for module 'apart' of kernel 1.2.3: install the debug information of the "
              "distribution's kernel 1.2.3 (no vmlinux is below " +
                  root_.string() + "/usr/lib/debug, " + root_.string() + "/lib/modules/1.2.3 or " + root_.string() +
                  "/boot); " + modules + "kernel/apart.ko: its BTF was made apart from this kernel's (.BTF.base)");
}

// The remedy comes first, and the small one where it is enough.
TEST_F(BtfInfoTest, SaysWhatToInstall) {
    const std::string places = " (no vmlinux is below " + root_.string() + "/usr/lib/debug, " + root_.string() +
                               "/lib/modules/1.2.3 or " + root_.string() + "/boot)";
    write("etc/os-release", "ID=debian\n");
    const std::string whole = "install the package linux-image-1.2.3-dbg (apt-get install linux-image-1.2.3-dbg)";
    const DebugInfo none = debug(false);
    EXPECT_FALSE(none.kernel());
    EXPECT_EQ(none.missing(),
              "no debug information for kernel 1.2.3: install the package linux-image-1.2.3 (apt-get install "
              "linux-image-1.2.3), which tells parameters, results and types by its BTF; for local variables, source "
              "lines and inlined functions " +
                  whole + places);
    // Facts that BTF has are known here.
    write("sys/kernel/btf/vmlinux", kernel_.blob());
    const DebugInfo some = debug(true);
    EXPECT_FALSE(some.kernel());
    EXPECT_EQ(some.missing(), "no debug information for kernel 1.2.3: " + whole + places);
}

TEST_F(BtfInfoTest, AsksTheRunningKernelOnlyForItself) {
    write("sys/kernel/btf/vmlinux", kernel_.blob());
    EXPECT_FALSE(debug(false).whole_scope());
}

TEST_F(BtfInfoTest, SkipsWhatIsDamaged) {
    const std::string path = write("sys/kernel/btf/vmlinux", "garbage, and more than a header of it");
    BtfSources sources;
    sources.release = "1.2.3";
    sources.root = root_;
    sources.debug_dirs = {root_ / "debug"};
    sources.running = true;
    const BtfInfo info(sources);
    EXPECT_FALSE(info.kernel());
    EXPECT_THAT(info.tried(), testing::Contains(path + ": its BTF is damaged: it does not begin as BTF does"));
    EXPECT_THAT(info.tried(), testing::Contains((root_ / "boot/vmlinuz-1.2.3").string()));
}

}  // namespace
}  // namespace tapir::target
