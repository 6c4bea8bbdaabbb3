// SPDX-License-Identifier: GPL-2.0-or-later
// The facts of a machine that the files of a folder imitate.
#include "machine/facts.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tapir::machine {
namespace {

namespace fs = std::filesystem;

class FactsTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = fs::temp_directory_path() / "tapir-machine-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        root_ = pattern;
    }
    void TearDown() override { fs::remove_all(root_); }
    void write(const std::string &name, const std::string &text) const {
        fs::create_directories(fs::path(root_ + "/" + name).parent_path());
        std::ofstream(root_ + "/" + name) << text;
    }
    Facts facts() const { return read_facts(root_); }

    std::string root_;
};

TEST_F(FactsTest, NothingIsKnownOfAnEmptyRoot) {
    const Facts found = facts();
    EXPECT_EQ(found.release, "");
    EXPECT_EQ(found.lockdown, "");
    EXPECT_TRUE(found.takes_modules);
    EXPECT_FALSE(found.modules_disabled);
    for (Answer answer : {found.signatures_enforced, found.secure_boot, found.is_root, found.may_load,
                          found.ftrace_enabled, found.kprobes_enabled})
        EXPECT_EQ(answer, Answer::Unknown);
}

TEST_F(FactsTest, Names) {
    write("proc/sys/kernel/osrelease", "1.2.3\n");
    write("proc/sys/kernel/version", "#1 SMP\n");
    EXPECT_EQ(facts().release, "1.2.3");
    EXPECT_EQ(facts().build, "#1 SMP");
}

TEST_F(FactsTest, Modules) {
    write("proc/self/status", "");
    EXPECT_FALSE(facts().takes_modules);
    write("proc/modules", "");
    EXPECT_TRUE(facts().takes_modules);
    write("proc/sys/kernel/modules_disabled", "1\n");
    EXPECT_TRUE(facts().modules_disabled);
    write("proc/sys/kernel/modules_disabled", "0\n");
    EXPECT_FALSE(facts().modules_disabled);
}

TEST_F(FactsTest, Lockdown) {
    write("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
    EXPECT_EQ(facts().lockdown, "integrity");
    write("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
    EXPECT_EQ(facts().lockdown, "");
    write("sys/kernel/security/lockdown", "]no[nsense");
    EXPECT_EQ(facts().lockdown, "");
}

TEST_F(FactsTest, SignaturesAndSecureBoot) {
    write("sys/module/module/parameters/sig_enforce", "Y\n");
    EXPECT_EQ(facts().signatures_enforced, Answer::Yes);
    write("sys/module/module/parameters/sig_enforce", "N\n");
    EXPECT_EQ(facts().signatures_enforced, Answer::No);
    const std::string variable = "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
    write(variable, std::string("\6\0\0\0\1", 5));
    EXPECT_EQ(facts().secure_boot, Answer::Yes);
    write(variable, std::string("\6\0\0\0\0", 5));
    EXPECT_EQ(facts().secure_boot, Answer::No);
    write(variable, "\6");
    EXPECT_EQ(facts().secure_boot, Answer::Unknown);
}

TEST_F(FactsTest, Rights) {
    write("proc/self/status", "Name:\tx\nUid:\t1000\t0\t0\t0\nCapInh:\t0\nCapEff:\t0000000000010000\n");
    EXPECT_EQ(facts().is_root, Answer::Yes) << "the effective one counts";
    EXPECT_EQ(facts().may_load, Answer::Yes);
    write("proc/self/uid_map", "         0          0 4294967295\n");
    EXPECT_EQ(facts().may_load, Answer::Yes);
    write("proc/self/uid_map", "         0       1000          1\n");
    EXPECT_EQ(facts().may_load, Answer::No);
    write("proc/self/uid_map", "         0          0 4294967295\n");
    write("proc/self/status", "Name:\tx\nUid:\t0\t1000\t0\t0\nCapEff:\t000001fffffeffff\n");
    EXPECT_EQ(facts().is_root, Answer::No);
    EXPECT_EQ(facts().may_load, Answer::No);
}

TEST_F(FactsTest, Switches) {
    write("proc/sys/kernel/ftrace_enabled", "0\n");
    write("sys/kernel/debug/kprobes/enabled", "1\n");
    EXPECT_EQ(facts().ftrace_enabled, Answer::No);
    EXPECT_EQ(facts().kprobes_enabled, Answer::Yes);
}

TEST_F(FactsTest, Details) {
    write("proc/sys/kernel/osrelease", "1.2.3\n");
    Details details = read_details(facts(), root_);
    EXPECT_EQ(details.symbols_readable, Answer::Unknown);
    EXPECT_EQ(details.config, "");
    EXPECT_FALSE(details.has_btf);
    write("proc/kallsyms", "0000000000000000 A percpu\n0000000000000000 T _stext\n");
    write("sys/kernel/btf/vmlinux", "x");
    write("boot/config-1.2.3", "CONFIG_KPROBES=y\n");
    details = read_details(facts(), root_);
    EXPECT_EQ(details.symbols_readable, Answer::No);
    EXPECT_EQ(details.config, "CONFIG_KPROBES=y\n");
    EXPECT_TRUE(details.has_btf);
    write("proc/kallsyms", "0000000000000000 A percpu\nffffffff81000000 T _stext\n");
    EXPECT_EQ(read_details(facts(), root_).symbols_readable, Answer::Yes);
}

}  // namespace
}  // namespace tapir::machine
