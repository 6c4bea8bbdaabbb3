// SPDX-License-Identifier: GPL-2.0-or-later
// The whole kbuild run behind a template, and its preparation.
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <thread>

#include "arch/arch.h"
#include "build/build_command.h"
#include "build/features.h"
#include "build/template.h"
#include "build/tools.h"
#include "common/hash.h"

namespace fs = std::filesystem;

namespace tapir::build {
namespace {

// kmod/Kbuild lists the parts of a module and how they are compiled. This adds the script, the answers of the headers,
// and a precompiled header for the files of kmod/, which are mostly the kernel's headers otherwise. GCC takes a
// precompiled header only if all macros on the command line are the same: so the files share KBUILD_BASENAME. It must
// also come first: NOSTDINC_FLAGS does that. GCC compiles the header as text if the precompiled one does not fit.
std::string makefile() {
    const std::string name(kPlaceholder);
    return "include $(src)/kmod/Kbuild\n"
           "precompiled := $(obj)/kmod/precompiled.h\n"
           "in-kmod := $(addprefix $(obj)/,$(tapir-kernel-objs))\n"
           "ifdef CONFIG_CC_IS_GCC\n"
           "$(in-kmod): private NOSTDINC_FLAGS := -Winvalid-pch -include $(precompiled) $(NOSTDINC_FLAGS)\n"
           "$(in-kmod) $(precompiled).gch: private basename_flags := -DKBUILD_BASENAME='\"tapir\"'\n"
           "$(precompiled).gch: private __modname := " +
           name +
           "\n"
           "$(precompiled).gch: private part-of-module := y\n"
           "$(in-kmod): $(precompiled).gch\n"
           "$(precompiled).gch: $(precompiled)\n"
           "\t$(CC) $(c_flags) -x c-header -o $@ $< || rm -f $@\n"
           "endif\n"
           "ccflags-y += -fmacro-prefix-map=$(src)/=\n"
           "obj-m := " +
           name + ".o\n" + name +
           "-y := script.o $(tapir-objs)\n"
           "$(obj)/tapir_kernel_features.h: $(src)/features.c\n"
           "\tenv > $(obj)/environment\n"
           "\t$(CC) $(c_flags) " +
           std::string(kFeatureFlags) + " $(if $(CONFIG_CC_IS_CLANG)," + std::string(kFeatureFlagsOfClang) + "," +
           std::string(kFeatureFlagsOfGcc) +
           ") $< 2> $(obj)/features.log || true\n"
           "\tawk -v log_file=$(obj)/features.log -f $(src)/features.awk $(src)/features.tsv $(obj)/features.log > "
           "$(obj)/features.tmp\n"
           "\tmv $(obj)/features.tmp $@\n"
           "$(addprefix $(obj)/,$(" +
           name + "-y)): $(obj)/tapir_kernel_features.h\n";
}

// Copies the source files of runtime/ (without its host port) and kmod/, and writes the run's other files. Else
// FileUnwritable.
Outcome<void> fill_directory(const target::Kernel &kernel, const std::string &source_root, const std::string &work,
                             std::string_view script) {
    for (const std::string &file : source_files(source_root)) {
        std::error_code ec;
        fs::create_directories(fs::path(work + "/" + file).parent_path(), ec);
        if (!ec) fs::copy_file(source_root + "/" + file, work + "/" + file, ec);
        if (ec) return Fault{FaultTag::FileUnwritable, source_root + "/" + file + ": " + ec.message()};
    }
    std::vector<FeatureTest> tests = parse_feature_list(read_file(work + "/kmod/compat/features.list").value_or(""));
    for (const auto &[name, text] :
         {std::pair<std::string, std::string>{"Makefile", makefile()},
          {"features.c", feature_source(tests, read_file(kernel.build_dir + "/Module.symvers").value_or(""))},
          {"features.tsv", feature_table(tests)},
          {"features.awk", std::string(kFeatureAwk)},
          {"script.c", std::string(script)}})
        if (Outcome<void> written = write_file(work + "/" + name, text); !written) return written;
    return {};
}

// The part of make's output that says what went wrong: without the commands that V=1 shows. All of it when nothing
// looks like a message.
std::string complaints(const std::string &output) {
    std::string text;
    for (size_t at = 0, end; at < output.size(); at = end + 1) {
        end = std::min(output.find('\n', at), output.size() - 1);
        std::string_view line(output.data() + at, end + 1 - at);
        auto has = [&](std::string_view what) { return line.find(what) != std::string_view::npos; };
        bool command = has(" -c ") || has(" -Werror=") || line.starts_with(" ") || line.starts_with("echo ") ||
                       line.starts_with("make -") || has("| awk ");
        if (!command && (has("rror") || has("ERROR") || has("undefined ") || has("not found"))) text += line;
    }
    return text.empty() ? output : text;
}

}  // namespace

std::vector<std::string> source_files(const std::string &source_root) {
    std::vector<std::string> files;
    for (const char *part : {"arch/c", "kmod", "runtime"}) {
        std::error_code ec;
        for (fs::recursive_directory_iterator at(source_root + "/" + part, ec), end; !ec && at != end;
             at.increment(ec)) {
            const fs::path &path = at->path();
            if (path.extension() == ".c" || path.extension() == ".h" || path.filename() == "Kbuild" ||
                path.extension() == ".def" || path.extension() == ".list")
                files.push_back(path.string().substr(source_root.size() + 1));
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string sources_digest(const std::string &source_root) {
    Hasher hasher;
    for (const std::string &file : source_files(source_root))
        hasher.add(file).add(read_file(source_root + "/" + file).value_or(""));
    return hasher.hex();
}

std::string sources_stamp(const std::string &source_root) {
    constexpr time_t kSettled = 2;  // seconds
    const time_t now = time(nullptr);
    Hasher hasher;
    hasher.add(source_root);
    for (const std::string &file : source_files(source_root)) {
        struct stat about {};
        if (stat((source_root + "/" + file).c_str(), &about) != 0 || about.st_ctim.tv_sec > now - kSettled) return "";
        hasher.add(file);
        for (const int64_t value :
             {static_cast<int64_t>(about.st_dev), static_cast<int64_t>(about.st_ino), about.st_size,
              about.st_mtim.tv_sec, about.st_mtim.tv_nsec, about.st_ctim.tv_sec, about.st_ctim.tv_nsec})
            hasher.add(std::to_string(value));
    }
    return hasher.hex();
}

bool run_kbuild(const target::Kernel &kernel, const Compiler &compiler, const TemplateOptions &options,
                const std::string &work, std::string_view script, Tag failure, Diagnostics &diagnostics) {
    if (const arch::Arch *arch = arch::find(kernel.arch); arch && arch != &arch::host()) {
        diagnostics.report(Tag::CompilerMissing,
                           "kernel " + kernel.release + " is for " + kernel.arch +
                               ", and this machine compiles modules for " + std::string(arch::host().name) +
                               " only; run stap or stap-server on a machine of that architecture");
        return false;
    }
    if (compiler.program.empty()) {
        diagnostics.report(Tag::CompilerMissing, "kernel " + kernel.release + " was built with " + compiler.wanted +
                                                     ", and neither that nor another C compiler is installed; " +
                                                     compiler_advice(compiler));
        return false;
    }
    if (const Outcome<void> filled = fill_directory(kernel, options.source_root, work, script); !filled) {
        diagnostics.report(failure, "cannot prepare kernel " + kernel.release + ": " + filled.fault().message());
        return false;
    }
    Command make;
    make.argv = {"make", "-C", kernel.build_dir, "M=" + work,
                 "-j" + std::to_string(std::max(1u, std::thread::hardware_concurrency())), "V=1",
                 "CONFIG_DEBUG_INFO_BTF_MODULES=",
                 // Steps of kbuild after each file that are for modules that export symbols.
                 "cmd_check_local_export=", "cmd_gen_symversions_c=", "KCFLAGS=-g0 -Wno-error"};
    make.argv.insert(make.argv.end(), compiler.make_args.begin(), compiler.make_args.end());
    make.argv.insert(make.argv.end(), options.make_args.begin(), options.make_args.end());
    make.argv.emplace_back("modules");
    make.system = compiler.system;
    const Outcome<Result> result = run(make);
    std::string text = "building for kernel " + kernel.release + " in " + kernel.build_dir + " failed";
    if (!result) {
        text += ": " + result.fault().message();
    } else {
        static_cast<void>(write_file(work + "/build.log", result->output));  // for users who look for a fault
        if (result->ok() && fs::exists(work + "/" + std::string(kPlaceholder) + ".ko")) return true;
        if (result->ending.signal) text += ", since make ended " + result->ending.words();
        if (compiler.substitute)
            text += " (the kernel was built with " + compiler.wanted + ", which is not installed; " + compiler.program +
                    " was tried: " + compiler_advice(compiler) + ")";
        text += ":\n" + complaints(result->output);
        while (text.ends_with('\n'))
            text.pop_back();
        for (const ToolProblem &problem : check_tools(kernel, compiler))
            text += "\n" + problem.tool + ": " + problem.text;
    }
    diagnostics.report(failure, text);
    return false;
}

}  // namespace tapir::build
