// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/module_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "../patience.h"
#include "../trust/authority.h"
#include "arch/arch.h"
#include "build/build_command.h"
#include "build/elf_object.h"
#include "build/tools.h"
#include "fake_kernel.h"
#include "target/distribution.h"

namespace tapir::build {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class BuilderTest : public FakeKernelTest {
  protected:
    std::optional<Product> build(std::string_view text = kScript, bool kernel_headers = false) {
        ModuleBuilder builder(kernel_, options_, diagnostics_);
        return builder.build({text, kernel_headers, "", "", {}});
    }
    static std::string section(const std::string &elf, std::string_view name) {
        for (const ElfSection &one : elf_sections(elf))
            if (one.name == name) return elf.substr(one.offset, one.size);
        return "";
    }
};

TEST_F(BuilderTest, SignsForTheKernel) {
    const trust::Folder folder;
    const auto signer = [&folder](const char *name, const trust::Identity &identity) {
        const std::string key = folder.write(name, trust::pem_key(identity) + trust::pem(identity), 0600);
        return std::move(*trust::KernelSigner::load({key, "", ""}));
    };
    const trust::Identity one = trust::make_identity({.bits = 2048}), two = trust::make_identity({.bits = 2048});
    const auto plain = build();
    ASSERT_TRUE(plain) << messages();
    EXPECT_FALSE(trust::has_kernel_signature(*read_file(plain->path)));

    options_.signer = signer("one.pem", one);
    const auto module = build();
    ASSERT_TRUE(module) << messages();
    EXPECT_FALSE(module->cached);
    EXPECT_NE(module->name(), plain->name());
    EXPECT_TRUE(trust::has_kernel_signature(*read_file(module->path)));
    const Outcome<std::string> bare = trust::without_kernel_signature(*read_file(module->path));
    ASSERT_TRUE(bare);
    EXPECT_EQ(bare->size(), read_file(plain->path)->size());
    const auto again = build();
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->cached) << "the cache keeps what is signed";
    EXPECT_EQ(again->path, module->path);

    options_.signer = signer("two.pem", two);
    const auto other = build();
    ASSERT_TRUE(other);
    EXPECT_FALSE(other->cached) << "another key's signature is none for this kernel";
}

TEST_F(BuilderTest, ModuleUnsigned) {
    const trust::Folder folder;
    const trust::Identity one = trust::make_identity({.bits = 2048}), two = trust::make_identity({.bits = 2048});
    const std::string wrong = folder.write("wrong.pem", trust::pem_key(one) + trust::pem(two), 0600);
    options_.cache = CacheMode::Disabled;
    options_.signer = std::move(*trust::KernelSigner::load({wrong, "", ""}));
    EXPECT_FALSE(build());
    EXPECT_EQ(messages(), "ERROR: cannot sign the module for the kernel (--sign-key): the key '" + wrong +
                              "' is not that of the certificate '" + wrong + "'\n");
}

TEST_F(BuilderTest, BuildsNamesAndRemembers) {
    auto module = build();
    ASSERT_TRUE(module) << messages();
    EXPECT_FALSE(module->cached);
    EXPECT_THAT(module->name(), MatchesRegex("stap_[0-9a-f]{32}"));
    EXPECT_EQ(fs::path(module->path).filename(), module->name() + ".ko");
    EXPECT_EQ(notes_, "1 Preparing kernel 1.2.3-fake (once).\n");

    std::string elf = *read_file(module->path);
    EXPECT_EQ(section(elf, ".gnu.linkonce.this_module").substr(24, module->name().size() + 1), module->name() + '\0');
    ElfSymbols symbols = elf_symbols(elf);
    EXPECT_TRUE(symbols.defined.contains("tapir_module"));
    EXPECT_TRUE(symbols.defined.contains("tapir_kind_begin"));
    EXPECT_TRUE(symbols.defined.contains("tapir_text"));
    EXPECT_FALSE(symbols.defined.contains("tapir_kind_timer")) << "a kind the script does not name";

    auto again = build();
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->cached);
    EXPECT_EQ(again->path, module->path);
    auto other = build("#include <tapir/tapir.h>\nconst struct tapir_module tapir_module = { 1, tapir_kind_timer };\n");
    ASSERT_TRUE(other);
    EXPECT_FALSE(other->cached);
    EXPECT_NE(other->name(), module->name());
    EXPECT_EQ(notes_, "1 Preparing kernel 1.2.3-fake (once).\n");
    EXPECT_EQ(messages(), "");
}

TEST_F(BuilderTest, RunsObjtoolAsKbuildDid) {
    bool built = false;
    ModuleBuilder builder(kernel_, options_, diagnostics_);
    ASSERT_TRUE(builder.prepare(&built)) << messages();
    EXPECT_TRUE(built);
    ASSERT_TRUE(write_file(top_ + "/objtool.log", ""));
    ASSERT_TRUE(builder.build({kScript, false, "", "", {}})) << messages();
    EXPECT_EQ(objtool_runs(), "fake script.o\n");
}

TEST_F(BuilderTest, NamedModuleGoesWhereItIsTold) {
    ModuleBuilder builder(kernel_, options_, diagnostics_);
    auto module = builder.build({kScript, false, "mine", top_ + "/out.ko", {}});
    ASSERT_TRUE(module) << messages();
    EXPECT_EQ(module->path, top_ + "/out.ko");
    std::string elf = *read_file(module->path);
    EXPECT_EQ(section(elf, ".gnu.linkonce.this_module").substr(24, 5), std::string("mine") + '\0');
    EXPECT_FALSE(fs::exists(top_ + "/cache/modules")) << "a named module is not kept";
}

TEST_F(BuilderTest, AddsModuleInformation) {
    ModuleBuilder builder(kernel_, options_, diagnostics_);
    auto module = builder.build({kScript, false, "", "", {{"origin", "a \"b\" c\\d"}, {"x", ""}}});
    ASSERT_TRUE(module) << messages();
    std::string information = section(*read_file(module->path), ".modinfo");
    EXPECT_THAT(information, HasSubstr(std::string("origin=a \"b\" c\\d\0", 17)));
    EXPECT_THAT(information, HasSubstr(std::string("x=\0", 3)));
}

TEST_F(BuilderTest, EveryInputCounts) {
    auto key = [&] { return ModuleBuilder(kernel_, options_, diagnostics_).base_key(); };
    std::string before = key();
    EXPECT_EQ(key(), before);
    auto changes = [&](auto change) {
        change();
        std::string now = key();
        bool changed = now != before;
        before = now;
        return changed;
    };
    EXPECT_TRUE(changes([&] { write("src/runtime/text.c", "void tapir_text(void);\nvoid tapir_text(void) {}\n"); }));
    EXPECT_TRUE(changes([&] { write("src/kmod/extra.h", ""); }));
    EXPECT_TRUE(changes([&] { write("tree/.config", config("gcc (Fake) 12.2.0")); }));
    EXPECT_TRUE(changes([&] { options_.make_args = {"EXTRA=1"}; }));
    EXPECT_TRUE(changes([&] { options_.version = "2"; }));
    EXPECT_FALSE(changes([&] { write("src/runtime/text.o", "left by somebody"); }));
    EXPECT_FALSE(changes([&] { write("src/process/test/port.c", "not for the kernel"); }));
}

TEST_F(BuilderTest, SourcesThatHaveSettledAreReadOnce) {
    const std::string root = options_.source_root;
    const auto kept = [&] {
        for (const auto &entry : fs::recursive_directory_iterator(top_ + "/cache/results"))
            if (entry.path().filename() == "sources") return read_file(entry.path()).value_or("");
        return std::string("none");
    };
    const auto key = [&] { return ModuleBuilder(kernel_, options_, diagnostics_).base_key(); };
    EXPECT_EQ(sources_stamp(root), "") << "they were written just now";
    const std::string fresh = key();
    EXPECT_FALSE(fs::exists(top_ + "/cache/results"));
    ASSERT_TRUE(tests::patiently(10, [&] { return !sources_stamp(root).empty(); }));
    EXPECT_EQ(key(), fresh);
    EXPECT_EQ(kept(), sources_digest(root));
    EXPECT_EQ(key(), fresh);

    // A change that leaves the size as it was.
    const std::string text = *read_file(root + "/runtime/text.c");
    std::string other = text;
    other.back() = other.back() == ' ' ? '\n' : ' ';
    write("src/runtime/text.c", other);
    EXPECT_NE(key(), fresh);
    write("src/runtime/text.c", text);
    EXPECT_EQ(key(), fresh) << "contents count, not times";
}

TEST_F(BuilderTest, ResultsInFrontOfAllPasses) {
    ModuleBuilder builder(kernel_, options_, diagnostics_);
    auto module = builder.build({kScript, false, "", "", {}});
    ASSERT_TRUE(module);
    const std::string key(64, 'a');
    EXPECT_FALSE(builder.find_result(key));
    builder.store_result(key, *module);
    auto found = builder.find_result(key);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->path, module->path);
    EXPECT_EQ(found->name(), module->name());
    fs::remove(module->path);
    EXPECT_FALSE(builder.find_result(key));
}

TEST_F(BuilderTest, DisabledCacheLeavesNoModule) {
    options_.cache = CacheMode::Disabled;
    ModuleBuilder builder(kernel_, options_, diagnostics_);
    auto module = builder.build({kScript, false, "", "", {}});
    ASSERT_TRUE(module) << messages();
    EXPECT_TRUE(fs::exists(module->path));
    EXPECT_FALSE(fs::exists(top_ + "/cache/modules"));
}

TEST_F(BuilderTest, UnwritableCacheOnlyCostsTime) {
    write("cache", "a file where a directory should be");
    ModuleBuilder builder(kernel_, options_, diagnostics_);
    auto module = builder.build({kScript, false, "", "", {}});
    ASSERT_TRUE(module) << messages();
    EXPECT_TRUE(fs::exists(module->path));
    EXPECT_EQ(messages(), "");
    EXPECT_THAT(notes_, HasSubstr("1 The cache cannot be written (" + top_ +
                                  "/cache/templates: Not a directory); the kernel is prepared "
                                  "for this run only.\n"));
    EXPECT_THAT(notes_, HasSubstr("1 The module is not kept in the cache: " + top_ + "/cache/modules/"));
}

TEST_F(BuilderTest, DamagedTemplateIsMadeAnew) {
    ASSERT_TRUE(build());
    for (const auto &entry : fs::directory_iterator(top_ + "/cache/templates"))
        if (entry.is_directory()) {
            ASSERT_TRUE(write_file(entry.path().string() + "/objects.a", "!<arch>\n"));
        }
    fs::remove_all(top_ + "/cache/modules");
    ASSERT_TRUE(build()) << messages();
    EXPECT_EQ(notes_, "1 Preparing kernel 1.2.3-fake (once).\n1 Preparing kernel 1.2.3-fake (once).\n");
}

TEST_F(BuilderTest, TemplateIsFoundByAnotherNameOfItsPlace) {
    ASSERT_TRUE(build());
    fs::create_directory(top_ + "/linked");
    fs::create_symlink(top_ + "/cache/templates", top_ + "/linked/templates");
    options_.cache_root = top_ + "/linked";
    ASSERT_TRUE(build()) << messages();
    EXPECT_EQ(notes_, "1 Preparing kernel 1.2.3-fake (once).\n");
}

TEST_F(BuilderTest, ManyProcessesPrepareOnce) {
    constexpr int kProcesses = 6;
    for (int i = 0; i < kProcesses; i++) {
        if (fork() != 0) continue;
        auto module = build();
        EXPECT_TRUE(write_file(top_ + "/notes" + std::to_string(i), notes_));
        _exit(module && fs::exists(module->path) ? 0 : 1);
    }
    int prepared = 0;
    for (int i = 0; i < kProcesses; i++) {
        int status = 0;
        wait(&status);
        EXPECT_EQ(status, 0);
    }
    for (int i = 0; i < kProcesses; i++)
        prepared += *read_file(top_ + "/notes" + std::to_string(i)) != "";
    EXPECT_EQ(prepared, 1);
}

TEST_F(BuilderTest, OldTemplatesGo) {
    for (int i = 0; i < 6; i++) {
        options_.make_args = {"ROUND=" + std::to_string(i)};
        ModuleBuilder builder(kernel_, options_, diagnostics_);
        ASSERT_TRUE(builder.prepare()) << messages();
    }
    int templates = 0;
    for (const auto &entry : fs::directory_iterator(top_ + "/cache/templates"))
        templates += entry.is_directory();
    EXPECT_EQ(templates, 4);
}

TEST_F(BuilderTest, UnknownKbuildFallsBackToTheWholeRun) {
    change_makefile("; true", "; printf x | cat > /dev/null");
    auto module = build();
    ASSERT_TRUE(module) << messages();
    EXPECT_THAT(
        notes_,
        HasSubstr("1 The fast build does not work here (a saved command has an unknown form); running kbuild.\n"));
    std::string elf = *read_file(module->path);
    EXPECT_EQ(section(elf, ".gnu.linkonce.this_module").substr(24, module->name().size()), module->name());
    EXPECT_EQ(messages(), "");
}

// Tags: FastBuildUnfit.
TEST_F(BuilderTest, FailingLinkFallsBackToTheWholeRun) {
    ModuleBuilder builder(kernel_, options_, diagnostics_);
    ASSERT_TRUE(builder.prepare());
    write("tree/tools/objtool/objtool",
          "#!/bin/sh\ncase $2 in */tapir-*/script.o) case $2 in */kbuild-*) ;; *) echo cannot; exit 1;; esac;; esac\n",
          0755);
    ASSERT_TRUE(builder.build({kScript, false, "", "", {}})) << messages();
    EXPECT_THAT(notes_, HasSubstr("1 The fast build does not work here (objtool: cannot); running kbuild.\n"));
}

TEST_F(BuilderTest, EmbeddedCSeesTheKernel) {
    auto module = build(
        "#include <tapir/tapir.h>\n#include <linux/module.h>\nstatic void f(void) { kernel_one(); kernel_two(); "
        "}\nconst struct "
        "tapir_module tapir_module = { 1, f };\n",
        true);
    ASSERT_TRUE(module) << messages();
    std::string versions = section(*read_file(module->path), "__versions");
    ASSERT_EQ(versions.size(), 128u) << "the template's and one more";
    EXPECT_THAT(versions, HasSubstr("kernel_two"));
    EXPECT_THAT(versions, HasSubstr(std::string("\xf0\xde\xbc\x9a", 4)));
    EXPECT_FALSE(build("#include <linux/module.h>\n")) << "not without embedded C";
}

// The compiler may call memcpy and the like where the text does not.
TEST_F(BuilderTest, EveryImportGetsItsVersion) {
    auto module = build(
        "#include <tapir/tapir.h>\nvoid kernel_two(void);\nconst struct tapir_module tapir_module = { 1, kernel_two "
        "};\n");
    ASSERT_TRUE(module) << messages();
    EXPECT_THAT(section(*read_file(module->path), "__versions"), HasSubstr("kernel_two"));
    module = build();
    ASSERT_TRUE(module) << messages();
    EXPECT_THAT(section(*read_file(module->path), "__versions"), Not(HasSubstr("kernel_two")));
}

TEST_F(BuilderTest, SymbolNotExported) {
    EXPECT_FALSE(
        build("#include <tapir/tapir.h>\n#include <linux/module.h>\nconst struct tapir_module tapir_module = { 1, "
              "kernel_hidden };\n",
              true));
    EXPECT_EQ(messages(),
              "ERROR: the module needs 'kernel_hidden', which kernel 1.2.3-fake does not export to modules\n");
}

TEST_F(BuilderTest, CompileFailed) {
    EXPECT_FALSE(build("#include <tapir/tapir.h>\n#line 5 \"script.stp\"\nint x = nothing;\n"));
    EXPECT_EQ(messages(),
              "ERROR: the C compiler rejected the script:\n"
              "script.stp:5:9: error: 'nothing' undeclared here (not in a function)\n");
    EXPECT_EQ(notes_, "1 Preparing kernel 1.2.3-fake (once).\n") << "no second try through kbuild";
}

TEST_F(BuilderTest, PrepareFailed) {
    write("src/runtime/text.c", "#error this kernel is too old\n");
    ModuleBuilder builder(kernel_, options_, diagnostics_);
    EXPECT_FALSE(builder.prepare());
    EXPECT_FALSE(builder.prepare()) << "reported once";
    std::string text = messages();
    EXPECT_THAT(
        text,
        MatchesRegex(
            "ERROR: building for kernel 1.2.3-fake in " + top_ +
            "/tree failed:\n[^\n]*runtime/text.c:1:2: error: #error this kernel is too old\nmake: [^\n]* Error 1\n"));
    for (const auto &entry : fs::directory_iterator(top_ + "/cache/templates"))
        EXPECT_FALSE(entry.is_directory()) << entry.path() << " was left behind";
}

// The reason is not always a compiler's message.
TEST_F(BuilderTest, PrepareFailedByATool) {
    write("tree/tools/objtool/objtool",
          "#!/bin/sh\necho objtool: error while loading shared libraries: libx.so.1\nexit 127\n", 0755);
    EXPECT_FALSE(build());
    EXPECT_THAT(messages(), MatchesRegex("ERROR: building for kernel 1.2.3-fake in " + top_ +
                                         "/tree failed:\nobjtool: error while loading shared libraries: libx.so.1\n"
                                         "((objtool|make): [^\n]*\n)+"));
}

// make may be killed, for example when memory runs short.
TEST_F(BuilderTest, PrepareFailedAsMakeWasKilled) {
    write("tree/tools/objtool/objtool",
          "#!/bin/sh\nat=$PPID\nwhile set -- $(ps -o ppid=,comm= -p $at) && [ \"$2\" = make -o \"$2\" = sh ]; do\n"
          "[ $2 = sh ] || top=$at\nat=$1\ndone\nkill -9 $top\n",
          0755);
    EXPECT_FALSE(build());
    EXPECT_THAT(messages(), MatchesRegex("ERROR: building for kernel 1.2.3-fake in " + top_ +
                                         "/tree failed, since make ended with signal 9 \\(Killed\\):\n(.|\n)*"));
}

TEST_F(BuilderTest, PrepareFailedForLackOfAnOption) {
    std::string text = config("gcc (Fake) 12.2.0");
    text.replace(text.find("CONFIG_KPROBES=y"), 16, "# CONFIG_KPROBES is not set");
    write("tree/.config", text);
    EXPECT_FALSE(build());
    EXPECT_EQ(
        messages(),
        "ERROR: cannot prepare kernel 1.2.3-fake: it was built without CONFIG_KPROBES, so that no script can run on "
        "it\n");
    EXPECT_EQ(objtool_runs(), "");
}

TEST_F(BuilderTest, ToolsThatDoNotRunAreNamed) {
    const Compiler compiler = choose_compiler(kernel_, options_.cache_root);
    const auto problems = [&] {
        std::string text;
        for (const ToolProblem &problem : check_tools(kernel_, compiler))
            text += problem.tool + ": " + problem.text + "\n";
        return text;
    };
    EXPECT_EQ(problems(), "");
    const std::string again =
        "; " + target::install_headers("", "1.2.3-fake") + " again, of this machine's architecture and distribution\n";
    // A file of another architecture, as the kernel's loader sees it.
    write("tree/tools/objtool/objtool", std::string("\177ELF\2\1\1", 7) + std::string(60, '\0'), 0755);
    fs::remove(top_ + "/tree/scripts/mod/modpost");
    EXPECT_EQ(problems(), "modpost: " + top_ + "/tree/scripts/mod/modpost is not there" + again + "objtool: " + top_ +
                              "/tree/tools/objtool/objtool does not run here: cannot start '" + top_ +
                              "/tree/tools/objtool/objtool': Exec format error" + again);
    fs::remove(top_ + "/tree/tools/objtool/objtool");
    write("tree/scripts/mod/modpost", "#!/bin/sh\nexit 1\n", 0755);
    EXPECT_EQ(problems(), "") << "a kernel without objtool";
}

TEST_F(BuilderTest, CompilerDiffers) {
    write("tree/.config", config("gcc-99 (Fake) 99.1"));
    ASSERT_TRUE(build()) << messages();
    EXPECT_EQ(messages(), "WARNING: kernel 1.2.3-fake was built with gcc-99, which is not installed; using " +
                              *find_program("gcc") + "\n");
}

TEST_F(BuilderTest, CompilerMissing) {
    write("tree/.config", config("x86_64-linux-gnu-gcc-99 (Fake) 99.1"));
    std::string path = std::getenv("PATH");
    setenv("PATH", (top_ + "/empty").c_str(), 1);
    EXPECT_FALSE(build());
    setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(messages(),
              "ERROR: kernel 1.2.3-fake was built with x86_64-linux-gnu-gcc-99, and neither that nor another C "
              "compiler is installed; " +
                  target::install_program("", "gcc-99") + "\n");
}

TEST_F(BuilderTest, CompilerMissingForAnotherArchitecture) {
    const std::string host(arch::host().name);
    for (const arch::Arch *other : arch::all())
        if (other != &arch::host()) kernel_.arch = other->name;
    EXPECT_FALSE(build());
    EXPECT_EQ(messages(), "ERROR: kernel 1.2.3-fake is for " + kernel_.arch +
                              ", and this machine compiles modules for " + host +
                              " only; run stap or stap-server on a machine of that architecture\n");
}

TEST_F(BuilderTest, LinkFailed) {
    // A module whose struct module is elsewhere cannot be given a name.
    change_makefile(".gnu.linkonce.this_module", ".data");
    EXPECT_FALSE(build());
    EXPECT_THAT(
        messages(),
        MatchesRegex("ERROR: the linked module cannot be named stap_[0-9a-f]{32}: struct module does not hold the "
                     "placeholder name\n"));
}

TEST_F(BuilderTest, OutputUnwritable) {
    ModuleBuilder builder(kernel_, options_, diagnostics_);
    EXPECT_FALSE(builder.build({kScript, false, "mine", top_ + "/no/such/mine.ko", {}}));
    EXPECT_EQ(messages(), "ERROR: cannot write the module: " + top_ + "/no/such/mine.ko: No such file or directory\n");
}

}  // namespace
}  // namespace tapir::build
