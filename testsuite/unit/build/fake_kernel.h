// SPDX-License-Identifier: GPL-2.0-or-later
// A kernel build tree and a runtime, both small enough to be built within a test: a Makefile that does what kbuild does
// for external modules, and saves its commands in the same form.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "build/module_builder.h"
#include "common/files.h"

namespace tapir::build {

class FakeKernelTest : public testing::Test {
  protected:
    void SetUp() override {
        top_ = std::filesystem::canonical(*make_directory(std::filesystem::temp_directory_path(), "tapir-build-"));
        kernel_.release = "1.2.3-fake";
        kernel_.arch = "x86_64";
        kernel_.build_dir = top_ + "/tree";
        kernel_.root = top_;
        options_.source_root = top_ + "/src";
        options_.cache_root = top_ + "/cache";
        options_.version = "test";
        options_.note = [this](int level, const std::string &text) {
            notes_ += std::to_string(level) + " " + text + "\n";
        };
        make_tree();
        make_runtime();
    }
    void TearDown() override { std::filesystem::remove_all(top_); }

    void write(const std::string &name, const std::string &text, unsigned mode = 0644) const {
        std::filesystem::create_directories(std::filesystem::path(top_ + "/" + name).parent_path());
        ASSERT_TRUE(write_file(top_ + "/" + name, text, mode));
    }

    // Makes kbuild do something else: `what` in its Makefile becomes `instead`.
    void change_makefile(const std::string &what, const std::string &instead) const {
        std::string text = *read_file(top_ + "/tree/Makefile");
        size_t at = text.find(what);
        ASSERT_NE(at, std::string::npos);
        text.replace(at, what.size(), instead);
        write("tree/Makefile", text);
    }

    std::string objtool_runs() const { return read_file(top_ + "/objtool.log").value_or(""); }
    std::string messages() const { return render_all(diagnostics_, true); }

    // A configuration with what Tapir needs, and the compiler the kernel says it was built with.
    static std::string config(const std::string &compiler) {
        return "CONFIG_CC_VERSION_TEXT=\"" + compiler +
               "\"\nCONFIG_MODULES=y\nCONFIG_MODULE_UNLOAD=y\nCONFIG_KALLSYMS=y\nCONFIG_KPROBES=y\nCONFIG_RELAY=y\n"
               "CONFIG_PROC_FS=y\n";
    }

    std::string top_, notes_;
    target::Kernel kernel_;
    ModuleOptions options_;
    Diagnostics diagnostics_;

    static constexpr std::string_view kScript =
        "#include <tapir/tapir.h>\nconst struct tapir_module tapir_module = { TAPIR_ABI, tapir_kind_begin };\n";

  private:
    void make_tree() const {
        write("tree/.config", config("gcc (Fake) 12.2.0") + "CONFIG_X86_64=y\n");
        write("tree/Module.symvers",
              "0x12345678\tkernel_one\tvmlinux\tEXPORT_SYMBOL\t\n0x9abcdef0\tkernel_two\tvmlinux\tEXPORT_SYMBOL\t\n");
        write("tree/include/linux/module.h",
              "#pragma once\nvoid kernel_one(void);\nvoid kernel_two(void);\nvoid kernel_hidden(void);\n");
        write("tree/tools/objtool/objtool",
              "#!/bin/sh\nfor last; do :; done\necho \"$SRCARCH ${last##*/}\" >> " + top_ + "/objtool.log\n", 0755);
        for (const char *tool : {"scripts/basic/fixdep", "scripts/mod/modpost"})
            write(std::string("tree/") + tool, "#!/bin/sh\nexit 0\n", 0755);
        write("tree/module.lds", "SECTIONS { }\n");
        write("tree/Makefile",
              "export SRCARCH := fake\n"
              "src := $(M)\nobj := $(M)\nCC := gcc\n"
              "c_flags = -nostdinc -Iinclude -O1 -ffreestanding -fno-pic -Werror=implicit-function-declaration "
              "$(ccflags-y)\n"
              "include $(M)/Makefile\n"
              "name := $(basename $(obj-m))\n"
              "objs := $(addprefix $(obj)/,$($(name)-y))\n"
              "modules: $(obj)/$(name).ko\n"
              "save = echo 'cmd_$@ := $(1)' > $(@D)/.$(@F).cmd\n"
              "compile = $(CC) -Wp,-MMD,$(@D)/.$(@F).d $(c_flags) -c -o $@ $< ; ./tools/objtool/objtool --module $@\n"
              "$(obj)/%.o: $(obj)/%.c\n\t$(compile)\n\t@$(call save,$(compile))\n"
              "link = ld -r -o $@ $(objs)\n"
              "$(obj)/$(name).o: $(objs)\n\t$(link)\n\t@$(call save,$(link))\n"
              "$(obj)/$(name).mod.c:\n"
              "\tprintf 'struct m { char pad[24]; char name[56]; };\\nconst struct m __this_module "
              "__attribute__((section("
              "\".gnu.linkonce.this_module\"))) = { \"\", \"$(name)\" };\\nconst char v[64] __attribute__((section("
              "\"__versions\"), used)) = \"one\";\\nint init_module(void);\\nint (*const start)(void) "
              "__attribute__((used)) = "
              "init_module;\\n' > $@\n"
              "finish = ld -r -T module.lds -o $@ $(obj)/$(name).o $(obj)/$(name).mod.o; true\n"
              "$(obj)/$(name).ko: $(obj)/$(name).o $(obj)/$(name).mod.o\n\t$(finish)\n\t@$(call save,$(finish))\n");
    }

    void make_runtime() const {
        write("src/kmod/Kbuild",
              "tapir-objs := kmod/main.o kmod/kind_begin.o kmod/kind_timer.o runtime/text.o\n"
              "ccflags-y += -DTAPIR_KMOD -I$(src) -I$(src)/runtime/include\n");
        write("src/kmod/compat/features.list",
              "TAPIR_HAVE_ONE\tlinux/module.h\tkernel_one();\nTAPIR_HAVE_NINE\tlinux/module.h\tkernel_nine();\n");
        write("src/runtime/include/tapir/tapir.h",
              "#pragma once\n#define TAPIR_ABI 7\nstruct tapir_module { int abi; void (*kind)(void); };\n"
              "extern const struct tapir_module tapir_module;\nvoid tapir_kind_begin(void);\nvoid "
              "tapir_kind_timer(void);\n");
        write(
            "src/kmod/main.c",
            "#include <linux/module.h>\n#include <tapir/tapir.h>\n#include <tapir_kernel_features.h>\n"
            "#if !TAPIR_HAVE_ONE || TAPIR_HAVE_NINE\n#error wrong answers\n#endif\nvoid tapir_text(void);\n"
            "int init_module(void);\nint init_module(void) { kernel_one(); tapir_text(); return tapir_module.abi; }\n");
        write("src/kmod/kind_begin.c", "void tapir_kind_begin(void) { }\n");
        write("src/kmod/kind_timer.c", "void tapir_kind_timer(void) { }\n");
        write("src/runtime/text.c", "void tapir_text(void);\nvoid tapir_text(void) { }\n");
    }
};

}  // namespace tapir::build
