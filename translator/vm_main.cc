// SPDX-License-Identifier: GPL-2.0-or-later
// stap-vm: runs a command in a throw-away virtual machine.
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "common/activity.h"
#include "common/screen.h"
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
    printf("release %s\nimage %s\nmodules %s\n", kernel->release.c_str(), kernel->image.c_str(),
           kernel->modules.c_str());
    if (line.with_debug) printf("debug %s\n", kernel->debug.c_str());
    if (line.options.with_headers) printf("build %s\n", kernel->build_dir.c_str());
    return 0;
}

int act(vm::CommandLine &line, Diagnostics &diagnostics) {
    line.options.progress = [](const std::string &text) { fprintf(stderr, "stap-vm: %s\n", text.c_str()); };
    switch (line.action) {
        case vm::CommandLineAction::Help:
            fputs(vm::help_text().c_str(), stdout);
            return 0;
        case vm::CommandLineAction::Version:
            printf("stap-vm (Tapir) %s\n", TAPIR_VERSION);
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
    return status;
}
