// SPDX-License-Identifier: GPL-2.0-or-later
#include "module_file.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <tapir/wire.h>

#include <cstring>

#include "loader.h"

namespace tapir::staprun {
namespace {

// A relocatable file with just the sections that matter.
struct Builder {
    std::string modinfo = std::string("license=GPL\0tapir_abi=", 22) + std::to_string(TAPIR_ABI) +
                          std::string("\0name=stap_x\0vermagic=6.1.0-56-amd64 SMP preempt mod_unload \0", 62);
    std::string this_module = std::string(24, '\0') + "stap_x" + std::string(200, '\0');
    bool signature = false;
    Elf64_Half machine =
#if defined(__x86_64__)
        EM_X86_64;
#else
        EM_AARCH64;
#endif

    std::string build() const {
        const std::string names("\0.modinfo\0.gnu.linkonce.this_module\0.shstrtab\0", 46);
        Elf64_Ehdr header = {};
        memcpy(header.e_ident, ELFMAG, SELFMAG);
        header.e_ident[EI_CLASS] = ELFCLASS64;
        header.e_ident[EI_DATA] = ELFDATA2LSB;
        header.e_type = ET_REL;
        header.e_machine = machine;
        header.e_shentsize = sizeof(Elf64_Shdr);
        header.e_shnum = 4;
        header.e_shstrndx = 3;
        std::string body(sizeof header, '\0');
        Elf64_Shdr sections[4] = {};
        auto add = [&](int i, unsigned name, const std::string &content) {
            sections[i].sh_name = name;
            sections[i].sh_type = SHT_PROGBITS;
            sections[i].sh_offset = body.size();
            sections[i].sh_size = content.size();
            body += content;
        };
        add(1, 1, modinfo);
        add(2, 10, this_module);
        add(3, 36, names);
        header.e_shoff = body.size();
        memcpy(body.data(), &header, sizeof header);
        body.append(reinterpret_cast<const char *>(sections), sizeof sections);
        if (signature) body += "signature bytes~Module signature appended~\n";
        return body;
    }
};

std::string parse_error(const std::string &image) {
    return ModuleFile().parse(image);
}

TEST(StaprunModuleFile, ReadsNameAndVersion) {
    ModuleFile file;
    ASSERT_EQ("", file.parse(Builder().build()));
    EXPECT_EQ("stap_x", file.name());
    EXPECT_EQ("6.1.0-56-amd64 SMP preempt mod_unload ", file.vermagic());
    EXPECT_EQ("6.1.0-56-amd64", file.release());
    EXPECT_FALSE(file.is_signed());
}

TEST(StaprunModuleFile, Renames) {
    ModuleFile file;
    ASSERT_EQ("", file.parse(Builder().build()));
    ASSERT_TRUE(file.rename("y"));
    EXPECT_TRUE(file.renamed());
    ModuleFile again;
    ASSERT_EQ("", again.parse(file.image()));
    EXPECT_EQ("y", again.name());
    EXPECT_EQ(Builder().build().size(), file.image().size());
    EXPECT_FALSE(file.rename(""));
    EXPECT_FALSE(file.rename(std::string(kModuleNameMax + 1, 'a')));
    EXPECT_TRUE(file.rename(std::string(kModuleNameMax, 'a')));
    ASSERT_EQ("", again.parse(file.image()));
    EXPECT_EQ(std::string(kModuleNameMax, 'a'), again.name());
}

TEST(StaprunModuleFile, SignedModulesKeepTheirName) {
    Builder builder;
    builder.signature = true;
    ModuleFile file;
    ASSERT_EQ("", file.parse(builder.build()));
    EXPECT_TRUE(file.is_signed());
    EXPECT_FALSE(file.rename("y"));
    EXPECT_EQ(builder.build(), file.image());
}

TEST(StaprunModuleFile, UniqueNamesFit) {
    EXPECT_EQ("stap_ab_0_1234", unique_module_name("stap_ab_0", 1234));
    std::string cut = unique_module_name(std::string(55, 'n'), 4194304);
    EXPECT_EQ(kModuleNameMax, cut.size());
    EXPECT_EQ("nn_4194304", cut.substr(cut.size() - 10));
}

TEST(StaprunModuleFile, PathsAndNames) {
    EXPECT_EQ("/lib/modules/9.9/tapir/watch.ko", find_module_path("watch", "9.9"));
    EXPECT_EQ("watch.ko", find_module_path("watch.ko", "9.9"));
    EXPECT_EQ("./watch", find_module_path("./watch", "9.9"));
}

TEST(StaprunModuleFile, RefusesWithReason) {
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
    EXPECT_EQ(0u, parse_error(other.build()).find("built for another architecture (ELF machine 22, this machine is "));
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

// Whatever is cut off or overwritten, the parser stays inside the image.
TEST(StaprunModuleFile, SurvivesEveryCutAndByte) {
    std::string whole = Builder().build();
    for (size_t length = 0; length < whole.size(); length++)
        EXPECT_NE("", parse_error(whole.substr(0, length))) << length;
    for (size_t at = 0; at < whole.size(); at++) {
        for (char value : {'\0', '\x7f', '\xff'}) {
            std::string changed = whole;
            changed[at] = value;
            ModuleFile file;
            if (file.parse(changed).empty()) {
                file.rename("z");
                EXPECT_EQ(whole.size(), file.image().size());
            }
        }
    }
}

struct Refusal : testing::Test {
    ModuleFile file;
    KernelFacts facts;
    void SetUp() override {
        ASSERT_EQ("", file.parse(Builder().build()));
        facts.release = "6.1.0-56-amd64";
    }
    std::string text(int error) { return explain_insert_error(error, "x.ko", file, facts, {}); }
};

TEST_F(Refusal, Version) {
    facts.release = "6.1.0-55-amd64";
    EXPECT_EQ(
        "Couldn't insert module 'x.ko': it was built for kernel 6.1.0-56-amd64 (6.1.0-56-amd64 SMP preempt mod_unload "
        "), this "
        "kernel is 6.1.0-55-amd64; translate the script again with -r 6.1.0-55-amd64",
        text(ENOEXEC));
    facts.release = "6.1.0-56-amd64";
    EXPECT_EQ(
        "Couldn't insert module 'x.ko': the kernel says it does not fit (module built for '6.1.0-56-amd64 SMP preempt "
        "mod_unload ', kernel 6.1.0-56-amd64); translate the script again",
        text(ENOEXEC));
}

TEST_F(Refusal, Lockdown) {
    facts.lockdown = "integrity";
    EXPECT_EQ(
        "Couldn't insert module 'x.ko': the kernel is locked down (integrity, usually because of Secure Boot) and "
        "takes only "
        "modules signed with a key it trusts; this module is not signed",
        text(EPERM));
    facts.lockdown.clear();
    EXPECT_EQ(
        "Couldn't insert module 'x.ko': the kernel is locked down (see the kernel log, usually because of Secure Boot) "
        "and takes only "
        "modules signed with a key it trusts; this module is not signed\n"
        "kernel log: Lockdown: staprun: unsigned module loading is restricted",
        explain_insert_error(EPERM, "x.ko", file, facts, {"Lockdown: staprun: unsigned module loading is restricted"}));
    facts.modules_disabled = true;
    EXPECT_EQ(
        "Couldn't insert module 'x.ko': this kernel loads no modules until it is booted again (kernel.modules_disabled "
        "is 1)",
        text(EPERM));
}

TEST_F(Refusal, Others) {
    EXPECT_EQ(
        "Couldn't insert module 'x.ko': the kernel takes only signed modules; this one is not signed with a key it "
        "trusts",
        text(ENOKEY));
    EXPECT_EQ("Couldn't insert module 'x.ko': the kernel rejected the module's signature", text(EKEYREJECTED));
    EXPECT_EQ(
        "Couldn't insert module 'x.ko': a module of that name is already loaded; 'staprun -A stap_x' attaches to it, "
        "'staprun "
        "-d stap_x' removes it, -R loads under a unique name",
        text(EEXIST));
    EXPECT_EQ("Couldn't insert module 'x.ko': the kernel has not enough memory for it", text(ENOMEM));
    EXPECT_EQ(
        "Couldn't insert module 'x.ko': it needs a symbol that this kernel does not have\nkernel log: stap_x: Unknown "
        "symbol foo",
        explain_insert_error(ENOENT, "x.ko", file, facts, {"stap_x: Unknown symbol foo"}));
}

}  // namespace
}  // namespace tapir::staprun
