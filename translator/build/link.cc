// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/link.h"

#include <algorithm>

#include "build/build_command.h"
#include "build/elf_object.h"
#include "build/versions.h"
#include "common/activity.h"

namespace tapir::build {
namespace {

Fault unfit(const std::string &why) {
    return {FaultTag::FastBuildUnfit, why};
}

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

    // Runs objtool, on the object for which this kernel needs it, and the links.
    Outcome<void> link(bool with_versions) const {
        Words finish = plan_.finish;
        if (with_versions) finish.push_back(file("versions.o"));
        Outcome<void> done;
        if (!plan_.objtool_on_composite) done = take_step("objtool", plan_.objtool);
        if (done) done = take_step("ld", plan_.combine);
        if (done && plan_.objtool_on_composite) done = take_step("objtool", plan_.objtool);
        return done ? take_step("ld", finish) : done;
    }

    // Returns the imports of the script's object that the runtime neither defines nor imports itself.
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
    // One of the link, if there is such a command.
    Outcome<void> take_step(const std::string &tool, const Words &command) const {
        if (command.empty()) return {};
        const Outcome<Result> result = run_step(command);
        if (!result) return unfit(result.fault().message());
        return result->ok() ? Outcome<void>() : unfit(tool + ": " + result->text());
    }

    const Plan &plan_;
    const std::string &system_;
    const LinkInput &input_;
};

}  // namespace

// Makes versions.o for the script's own imports. False after reporting a symbol the kernel does not export.
static Outcome<bool> add_versions(const Linker &linker, const Template &kernel_template, const target::Kernel &kernel,
                                  const std::set<std::string, std::less<>> &imports, Diagnostics &diagnostics) {
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
    if (!written) return unfit(written.fault().message());
    const Activity activity("compiling the script");
    const Outcome<Result> compiled = linker.run_step(plan.compile, "versions");
    if (!compiled) return unfit(compiled.fault().message());
    if (!compiled->ok()) return unfit(compiled->text());
    return true;
}

Outcome<std::optional<std::string>> link_script(const Template &kernel_template, const target::Kernel &kernel,
                                                const LinkInput &input, Diagnostics &diagnostics) {
    const std::optional<std::string> reported;
    const Plan &plan = kernel_template.plan();
    if (!plan.unsupported.empty()) return unfit(plan.unsupported);
    Linker linker(kernel_template, input);
    const Outcome<void> written = write_file(linker.file("script.c"), input.c_text);
    if (!written) return unfit(written.fault().message());

    const Outcome<Result> compiled = linker.run_step(input.kernel_headers ? plan.compile_kernel : plan.compile);
    if (!compiled) return unfit(compiled.fault().message());
    // 127 comes from a shell, or from a compiler that lacks a part of itself.
    if (compiled->ending.status == 127) return unfit(compiled->text());
    if (!compiled->ok()) {
        diagnostics.report(Tag::CompileFailed, "the C compiler rejected the script:\n" + compiled->text());
        return reported;
    }
    std::set<std::string, std::less<>> imports =
        linker.own_imports(read_file(kernel_template.directory() + "/symbols").value_or(""));
    if (!imports.empty()) {
        const Outcome<bool> added = add_versions(linker, kernel_template, kernel, imports, diagnostics);
        if (!added) return added.fault();
        if (!*added) return reported;
    }
    if (const Outcome<void> linked = linker.link(!imports.empty()); !linked) return linked.fault();
    std::optional<std::string> module = read_file(linker.file("module.ko"));
    if (!module) return unfit("the linker wrote nothing");
    return module;
}

std::optional<std::string> link_script_with_kbuild(const target::Kernel &kernel, const TemplateOptions &options,
                                                   const LinkInput &input, Diagnostics &diagnostics) {
    const Activity activity("compiling the script with kbuild");
    if (!run_kbuild(kernel, choose_compiler(kernel, options.cache), options, input.work, input.c_text,
                    Tag::CompileFailed, diagnostics))
        return std::nullopt;
    auto module = read_file(input.work + "/" + std::string(kPlaceholder) + ".ko");
    if (!module) diagnostics.report(Tag::CompileFailed, input.work + ": the module disappeared while it was built");
    return module;
}

}  // namespace tapir::build
