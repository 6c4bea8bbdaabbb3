// SPDX-License-Identifier: GPL-2.0-or-later
// stap-vm: runs a command in a throw-away virtual machine.
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "common/activity.h"
#include "common/screen.h"
#include "common/standard_output.h"
#include "vm/vm.h"

namespace {

using namespace tapir;

void tell(Voice voice, const std::string &text) {
    const Screen screen = screen_of(STDERR_FILENO, Coloring::Auto);
    if (screen.for_people)
        fputs(said(screen, voice, text).c_str(), stderr);
    else
        fprintf(stderr, "stap-vm: %s%s\n", voice == Voice::Notice ? "notice: " : "", text.c_str());
}

void print(const Diagnostics &diagnostics) {
    for (const auto &diagnostic : diagnostics.all())
        tell(diagnostic->severity == Severity::Warning ? Voice::Notice : Voice::Error, diagnostic->message);
}

int print_kernel(const vm::CommandLine &line, Diagnostics &diagnostics) {
    vm::KernelRequest request;
    request.release = line.options.release;
    request.want_headers = line.options.with_headers;
    request.want_debug = line.with_debug;
    request.debug_modules = line.debug_modules;
    request.roots = {line.options.root};
    request.progress = line.options.progress;
    auto kernel = vm::ensure_kernel(request, diagnostics);
    if (!kernel) return vm::status_not_started;
    for (const std::string &why : kernel->undescribed)
        tell(Voice::Notice, why);
    print_output("release " + kernel->release + "\nimage " + kernel->image + "\nmodules " + kernel->modules + "\n");
    if (line.with_debug) print_output("debug " + kernel->debug + "\n");
    if (line.options.with_headers) print_output("build " + kernel->build_dir + "\n");
    return 0;
}

int act(vm::CommandLine &line, Diagnostics &diagnostics) {
    line.options.progress = [](const std::string &text) { fprintf(stderr, "stap-vm: %s\n", text.c_str()); };
    switch (line.action) {
        case vm::CommandLineAction::Help:
            print_output(vm::help_text());
            return 0;
        case vm::CommandLineAction::Version:
            print_output("stap-vm (Tapir) " TAPIR_VERSION "\n");
            return 0;
        case vm::CommandLineAction::PrintKernel:
            return print_kernel(line, diagnostics);
        case vm::CommandLineAction::Run:
            return vm::run(line.options, line.command, diagnostics);
    }
    return vm::status_not_started;
}

}  // namespace

int main(int argc, char **argv) {
    if (isatty(STDERR_FILENO)) Activity::show_on(STDERR_FILENO);
    Diagnostics diagnostics;
    vm::CommandLine line = vm::parse_command_line({argv + 1, argv + argc}, diagnostics);
    int status = diagnostics.has_errors() ? vm::status_not_started : act(line, diagnostics);
    print(diagnostics);
    const Outcome<void> printed = finish_output();
    if (printed) return status;
    tell(Voice::Error, printed.fault().message());
    return vm::status_not_started;
}
