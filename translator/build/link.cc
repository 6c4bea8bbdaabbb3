// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/link.h"

#include "build/process.h"

namespace tapir::build {
namespace {

// What the compiler said, without the last newline.
std::string trimmed(std::string text) {
    while (text.ends_with('\n'))
        text.pop_back();
    return text;
}

class Linker {
  public:
    Linker(const Template &kernel_template, const LinkInput &input) : plan_(kernel_template.plan()), input_(input) {}

    std::string file(const char *name) const { return input_.work + "/" + name; }

    Result run_step(const Words &command) const {
        Command step;
        step.argv = fill(command, {{Plan::kSource, file("script.c")},
                                   {Plan::kObject, file("script.o")},
                                   {Plan::kComposite, file("composite.o")},
                                   {Plan::kModule, file("module.ko")}});
        step.cwd = plan_.cwd;
        step.environment = plan_.environment;
        return run(step);
    }

    // Objtool, on whichever object this kernel wants it, and the links. "" or what failed.
    std::string link() const {
        if (!plan_.objtool.empty() && !plan_.objtool_on_composite)
            if (Result result = run_step(plan_.objtool); !result.ok()) return "objtool: " + trimmed(result.output);
        if (!plan_.combine.empty())
            if (Result result = run_step(plan_.combine); !result.ok()) return "ld: " + trimmed(result.output);
        if (!plan_.objtool.empty() && plan_.objtool_on_composite)
            if (Result result = run_step(plan_.objtool); !result.ok()) return "objtool: " + trimmed(result.output);
        if (Result result = run_step(plan_.finish); !result.ok()) return "ld: " + trimmed(result.output);
        return "";
    }

  private:
    const Plan &plan_;
    const LinkInput &input_;
};

}  // namespace

std::optional<std::string> link_script(const Template &kernel_template, const LinkInput &input, std::string &unfit,
                                       Diagnostics &diagnostics) {
    const Plan &plan = kernel_template.plan();
    unfit = plan.unsupported;
    if (!unfit.empty()) return std::nullopt;
    Linker linker(kernel_template, input);
    unfit = write_file(linker.file("script.c"), input.c_text);
    if (!unfit.empty()) return std::nullopt;

    Result compiled = linker.run_step(input.kernel_headers ? plan.compile_kernel : plan.compile);
    if (compiled.status == 127) {
        unfit = trimmed(compiled.output);
        return std::nullopt;
    }
    if (!compiled.ok()) {
        diagnostics.report(Tag::CompileFailed, "the C compiler rejected the script:\n" + trimmed(compiled.output));
        return std::nullopt;
    }
    unfit = linker.link();
    if (!unfit.empty()) return std::nullopt;
    auto module = read_file(linker.file("module.ko"));
    if (!module) unfit = "the linker wrote nothing";
    return module;
}

std::optional<std::string> link_script_with_kbuild(const target::Kernel &kernel, const TemplateOptions &options,
                                                   const LinkInput &input, Diagnostics &diagnostics) {
    if (!run_kbuild(kernel, choose_compiler(kernel), options, input.work, input.c_text, Tag::CompileFailed,
                    diagnostics))
        return std::nullopt;
    auto module = read_file(input.work + "/" + std::string(kPlaceholder) + ".ko");
    if (!module) diagnostics.report(Tag::CompileFailed, input.work + ": the module disappeared while it was built");
    return module;
}

}  // namespace tapir::build
