// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/rename_module.h"

#include <gtest/gtest.h>

#include "../said.h"
#include "build/elf_object.h"
#include "build/plan.h"
#include "elf_fixture.h"
#include "module/module_name.h"

namespace tapir::build {
namespace {

const std::string kLong(kPlaceholder);

std::string section(const std::string &elf, std::string_view name) {
    for (const ElfSection &one : elf_sections(elf))
        if (one.name == name) return elf.substr(one.offset, one.size);
    return "none";
}

std::string padded(const std::string &text, size_t size) {
    return text + std::string(size - text.size(), '\0');
}

class RenameModuleTest : public testing::Test {
  protected:
    std::string elf_ = make_elf(
        {{".gnu.linkonce.this_module", SHT_PROGBITS, std::string(24, 'x') + padded(kLong, 56) + "after"},
         {".modinfo", SHT_PROGBITS, "license=GPL" + std::string(1, '\0') + "name=" + kLong + '\0' + "depends=" + '\0'},
         {".rodata", SHT_PROGBITS, kLong + ": loaded" + '\0' + "next" + '\0'},
         {".strtab", SHT_STRTAB, std::string(1, '\0') + kLong + ".mod.c" + '\0' + "kmod_" + kLong + '\0'}});
};

TEST_F(RenameModuleTest, PatchesEveryPlaceInItsOwnWay) {
    size_t size = elf_.size();
    ASSERT_TRUE(rename_module(elf_, kLong, "stap_x"));
    EXPECT_EQ(elf_.size(), size);
    EXPECT_EQ(section(elf_, ".gnu.linkonce.this_module"), std::string(24, 'x') + padded("stap_x", 56) + "after");
    EXPECT_EQ(section(elf_, ".modinfo"),
              "license=GPL" + std::string(1, '\0') + padded("name=stap_x", 5 + kLong.size() + 1) + "depends=" + '\0');
    EXPECT_EQ(section(elf_, ".rodata"), padded("stap_x: loaded", kLong.size() + 9) + "next" + '\0');
    // Other names may be tails of these: what follows stays where it is.
    EXPECT_EQ(section(elf_, ".strtab"), std::string(1, '\0') + padded("stap_x", kLong.size()) + ".mod.c" + '\0' +
                                            "kmod_" + padded("stap_x", kLong.size() + 1));
    EXPECT_EQ(elf_.find("placeholder"), std::string::npos);
}

TEST_F(RenameModuleTest, TakesTheLongestName) {
    std::string name(kMaxModuleName, 'n');
    ASSERT_TRUE(rename_module(elf_, kLong, name));
    EXPECT_EQ(section(elf_, ".gnu.linkonce.this_module"), std::string(24, 'x') + padded(name, 56) + "after");
    EXPECT_EQ(said(rename_module(elf_, name, name + "n")), "the name is too long");
}

TEST_F(RenameModuleTest, ModuleNotNamed) {
    std::string text = "hello " + kLong;
    EXPECT_EQ(tagged(rename_module(text, kLong, "a")), "module-not-named: not a 64-bit ELF file");
    std::string other = make_elf({{".modinfo", SHT_PROGBITS, "name=" + kLong + '\0'}});
    EXPECT_EQ(said(rename_module(other, kLong, "a")), "struct module does not hold the placeholder name");
    // Cut anywhere, a file is refused or renamed, never read past its end (run under ASan).
    for (size_t size = 0; size < elf_.size(); size += 7) {
        std::string cut = elf_.substr(0, size);
        EXPECT_FALSE(rename_module(cut, kLong, "a"));
    }
}

}  // namespace
}  // namespace tapir::build
