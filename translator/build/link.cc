// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/link.h"

#include <algorithm>

#include "build/build_command.h"
#include "build/elf_object.h"
#include "build/versions.h"

namespace tapir::build {
namespace {

class Linker {
  public:
    Linker(const Template &kernel_template, const LinkInput &input)
        : plan_(kernel_template.plan()), system_(kernel_template.system()), input_(input) {}

    std::string file(const char *name) const { return input_.work + "/" + name; }

    // `what` is "script", or "versions" for the object that adds symbol versions.
    Outcome<Result> run_step(const Words &command, const char *what = "script") const {
        Command step;
        step.argv = fill(command, {{Plan::kSource, input_.work + "/" + what + ".c"},
                                   {Plan::kObject, input_.work + "/" + what + ".o"},
                                   {Plan::kComposite, file("composite.o")},
                                   {Plan::kModule, file("module.ko")}});
        step.cwd = plan_.cwd;
        step.environment = plan_.environment;
        step.system = system_;
        return run(step);
    }

    // Objtool, on whichever object this kernel wants it, and the links. "" or what failed.
    std::string link(bool with_versions) const {
        Words finish = plan_.finish;
        if (with_versions) finish.push_back(file("versions.o"));
        std::string why;
        if (!plan_.objtool_on_composite) why = failure("objtool", plan_.objtool);
        if (why.empty()) why = failure("ld", plan_.combine);
        if (why.empty() && plan_.objtool_on_composite) why = failure("objtool", plan_.objtool);
        return why.empty() ? failure("ld", finish) : why;
    }

    // What the script's object imports that the runtime neither has nor imports itself.
    std::set<std::string, std::less<>> own_imports(const std::string &known_symbols) const {
        std::set<std::string, std::less<>> imports = elf_symbols(read_file(file("script.o")).value_or("")).undefined;
        std::string_view rest = known_symbols;
        while (!rest.empty()) {
            std::string_view name = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(rest.size(), name.size() + 1));
            if (auto found = imports.find(name); found != imports.end()) imports.erase(found);
        }
        return imports;
    }

  private:
    // Why a step of the link cannot be done; "" if it was, or there is none.
    std::string failure(const std::string &tool, const Words &command) const {
        if (command.empty()) return "";
        const Outcome<Result> result = run_step(command);
        if (!result) return result.fault().message();
        return result->ok() ? "" : tool + ": " + result->text();
    }

    const Plan &plan_;
    const std::string &system_;
    const LinkInput &input_;
};

}  // namespace

// Makes versions.o for the script's own imports. False after reporting a symbol the kernel does not export; `unfit` as
// in link_script.
static bool add_versions(const Linker &linker, const Template &kernel_template, const target::Kernel &kernel,
                         const std::set<std::string, std::less<>> &imports, std::string &unfit,
                         Diagnostics &diagnostics) {
    std::vector<target::Export> exports =
        target::find_exports(read_file(kernel.build_dir + "/Module.symvers").value_or(""), imports);
    for (const std::string &name : imports) {
        if (std::any_of(exports.begin(), exports.end(), [&](const target::Export &one) { return one.name == name; }))
            continue;
        diagnostics.report(Tag::SymbolNotExported, "the module needs '" + name + "', which kernel " + kernel.release +
                                                       " does not export to modules");
        return false;
    }
    const Plan &plan = kernel_template.plan();
    const Outcome<void> written = write_file(linker.file("versions.c"), version_source(exports, plan.symbol_versions));
    if (!written) unfit = written.fault().message();
    if (!written) return true;
    const Outcome<Result> compiled = linker.run_step(plan.compile, "versions");
    if (!compiled) unfit = compiled.fault().message();
    if (compiled && !compiled->ok()) unfit = compiled->text();
    return true;
}

std::optional<std::string> link_script(const Template &kernel_template, const target::Kernel &kernel,
                                       const LinkInput &input, std::string &unfit, Diagnostics &diagnostics) {
    const Plan &plan = kernel_template.plan();
    unfit = plan.unsupported;
    if (!unfit.empty()) return std::nullopt;
    Linker linker(kernel_template, input);
    const Outcome<void> written = write_file(linker.file("script.c"), input.c_text);
    if (!written) unfit = written.fault().message();
    if (!written) return std::nullopt;

    const Outcome<Result> compiled = linker.run_step(input.kernel_headers ? plan.compile_kernel : plan.compile);
    if (!compiled) unfit = compiled.fault().message();
    if (compiled && compiled->ending.status == 127) unfit = compiled->text();
    if (!unfit.empty()) return std::nullopt;
    if (!compiled->ok()) {
        diagnostics.report(Tag::CompileFailed, "the C compiler rejected the script:\n" + compiled->text());
        return std::nullopt;
    }
    std::set<std::string, std::less<>> imports =
        linker.own_imports(read_file(kernel_template.directory() + "/symbols").value_or(""));
    if (!imports.empty() && !add_versions(linker, kernel_template, kernel, imports, unfit, diagnostics))
        return std::nullopt;
    if (unfit.empty()) unfit = linker.link(!imports.empty());
    if (!unfit.empty()) return std::nullopt;
    auto module = read_file(linker.file("module.ko"));
    if (!module) unfit = "the linker wrote nothing";
    return module;
}

std::optional<std::string> link_script_with_kbuild(const target::Kernel &kernel, const TemplateOptions &options,
                                                   const LinkInput &input, Diagnostics &diagnostics) {
    if (!run_kbuild(kernel, choose_compiler(kernel, options.cache), options, input.work, input.c_text,
                    Tag::CompileFailed, diagnostics))
        return std::nullopt;
    auto module = read_file(input.work + "/" + std::string(kPlaceholder) + ".ko");
    if (!module) diagnostics.report(Tag::CompileFailed, input.work + ": the module disappeared while it was built");
    return module;
}

}  // namespace tapir::build
