// SPDX-License-Identifier: GPL-2.0-or-later
#include "module/module_file.h"

#include <gtest/gtest.h>

#include "../said.h"
#include "module/module_name.h"
#include "testsuite/unit/module/fake_module.h"

namespace tapir {
namespace {

std::string parse_error(const std::string &image) {
    return said(ModuleFile().parse(image));
}

TEST(StaprunModuleFile, ReadsNameAndVersion) {
    ModuleFile file;
    ASSERT_EQ("", said(file.parse(Builder().build())));
    EXPECT_EQ("stap_x", file.name());
    EXPECT_EQ("6.1.0-56-amd64 SMP preempt mod_unload ", file.vermagic());
    EXPECT_EQ("6.1.0-56-amd64", file.release());
    EXPECT_FALSE(file.is_signed());
    EXPECT_EQ("", file.kernel_build());
    EXPECT_FALSE(file.imports("printk"));
    EXPECT_FALSE(file.has_samples());
    Builder builder;
    builder.modinfo += std::string("tapir_samples=1\0", 16);
    ASSERT_EQ("", said(file.parse(builder.build())));
    EXPECT_TRUE(file.has_samples());
}

TEST(StaprunModuleFile, ReadsWhatItNeedsOfTheKernel) {
    Builder builder;
    builder.modinfo += std::string("tapir_kernel=#1 SMP x\0", 22);
    builder.imports = {"printk", "register_kprobe"};
    ModuleFile file;
    ASSERT_EQ("", said(file.parse(builder.build())));
    EXPECT_EQ("#1 SMP x", file.kernel_build());
    EXPECT_TRUE(file.imports("register_kprobe"));
    EXPECT_FALSE(file.imports("register_kprobes"));
    EXPECT_FALSE(file.imports("init_module")) << "its own";
}

TEST(StaprunModuleFile, Renames) {
    ModuleFile file;
    ASSERT_EQ("", said(file.parse(Builder().build())));
    ASSERT_TRUE(file.rename("y"));
    EXPECT_TRUE(file.renamed());
    ModuleFile again;
    ASSERT_EQ("", said(again.parse(file.image())));
    EXPECT_EQ("y", again.name());
    EXPECT_EQ(Builder().build().size(), file.image().size());
    EXPECT_FALSE(file.rename(""));
    EXPECT_FALSE(file.rename(std::string(kMaxModuleName + 1, 'a')));
    EXPECT_TRUE(file.rename(std::string(kMaxModuleName, 'a')));
    ASSERT_EQ("", said(again.parse(file.image())));
    EXPECT_EQ(std::string(kMaxModuleName, 'a'), again.name());
}

TEST(StaprunModuleFile, SignedModulesKeepTheirName) {
    Builder builder;
    builder.signature = true;
    ModuleFile file;
    ASSERT_EQ("", said(file.parse(builder.build())));
    EXPECT_TRUE(file.is_signed());
    EXPECT_FALSE(file.rename("y"));
    EXPECT_EQ(builder.build(), file.image());
}

TEST(StaprunModuleFile, UniqueNamesFit) {
    EXPECT_EQ("stap_ab_0_1234", unique_module_name("stap_ab_0", 1234));
    std::string cut = unique_module_name(std::string(55, 'n'), 4194304);
    EXPECT_EQ(kMaxModuleName, cut.size());
    EXPECT_EQ("nn_4194304", cut.substr(cut.size() - 10));
}

TEST(StaprunModuleFile, PathsAndNames) {
    EXPECT_EQ("/lib/modules/9.9/tapir/watch.ko", find_module_path("watch", "9.9"));
    EXPECT_EQ("watch.ko", find_module_path("watch.ko", "9.9"));
    EXPECT_EQ("./watch", find_module_path("./watch", "9.9"));
}

TEST(StaprunModuleFile, NotAModule) {
    EXPECT_EQ("the file is empty", parse_error(""));
    EXPECT_EQ("not an ELF file", parse_error("#!/bin/sh\n"));
    EXPECT_EQ("the file is compressed; uncompress it first", parse_error("\x1f\x8b..."));
    EXPECT_EQ("the ELF header is cut short", parse_error(Builder().build().substr(0, 40)));
    std::string wrong = Builder().build();
    wrong[EI_CLASS] = ELFCLASS32;
    EXPECT_EQ("not a 64-bit little-endian ELF file", parse_error(wrong));
    wrong = Builder().build();
    wrong[offsetof(Elf64_Ehdr, e_type)] = ET_EXEC;
    EXPECT_EQ("not a kernel module: ELF type is not relocatable", parse_error(wrong));
    Builder other;
    other.machine = EM_S390;
    EXPECT_EQ(std::string("built for another architecture (s390x), this machine is ") + kThisMachine +
                  "; translate the script for a kernel of this machine",
              parse_error(other.build()));
    Builder foreign;
    foreign.modinfo = std::string("license=GPL\0tapir_abix=1\0", 25);
    EXPECT_EQ("not a module made by Tapir (no tapir_abi in .modinfo)", parse_error(foreign.build()));
    Builder old;
    old.modinfo = std::string("tapir_abi=99\0", 13);
    EXPECT_EQ("made by another version of Tapir (module ABI 99, this staprun has " + std::to_string(TAPIR_ABI) +
                  "); translate the script again",
              parse_error(old.build()));
    old.modinfo = "tapir_abi=x";
    EXPECT_EQ("damaged: tapir_abi is not a number", parse_error(old.build()));
    Builder small;
    small.this_module.resize(60);
    EXPECT_EQ("damaged: the module structure is too small", parse_error(small.build()));
    Builder nameless;
    nameless.this_module = std::string(300, '\0');
    EXPECT_EQ("damaged: no usable name in the module structure", parse_error(nameless.build()));
    Builder path;
    path.this_module.replace(24, 6, "../etc");
    EXPECT_EQ("damaged: no usable name in the module structure", parse_error(path.build()));
    Builder none;
    none.this_module.clear();
    EXPECT_EQ("not a kernel module (no .modinfo or no module structure)", parse_error(none.build()));
}

// The parser stays inside of the image, after any cut or change.
TEST(StaprunModuleFile, SurvivesEveryCutAndByte) {
    std::string whole = Builder().build();
    for (size_t length = 0; length < whole.size(); length++)
        EXPECT_NE("", parse_error(whole.substr(0, length))) << length;
    for (size_t at = 0; at < whole.size(); at++) {
        for (char value : {'\0', '\x7f', '\xff'}) {
            std::string changed = whole;
            changed[at] = value;
            ModuleFile file;
            if (said(file.parse(changed)).empty()) {
                file.rename("z");
                EXPECT_EQ(whole.size(), file.image().size());
            }
        }
    }
}

}  // namespace
}  // namespace tapir
