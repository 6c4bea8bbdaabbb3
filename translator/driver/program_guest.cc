// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/program_run.h"

#include <unistd.h>
#include <cstdio>

#include "backend/launch.h"
#include "common/files.h"
#include "driver/guest_capture.h"
#include "module/module_file.h"
#include "options/picture_options.h"
#include "options/tell.h"
#include "vm/kernels.h"

namespace tapir::driver {

namespace {

// Does the script of a module sample stacks?
bool takes_samples(const std::string &path) {
    ModuleFile file;
    std::optional<std::string> image = read_file(path);
    return image && file.parse(std::move(*image)) && file.has_samples();
}

}  // namespace

bool ProgramRun::fetch_guest_kernel() {
    vm::KernelRequest request;
    request.release = options().vm_release;
    request.want_headers = compiles();
    request.progress = [](const std::string &text) { std::fprintf(stderr, "%s\n", text.c_str()); };
    std::optional<vm::KernelFiles> files = vm::ensure_kernel(request, diagnostics());
    if (!files) return false;
    target::FindOptions find;
    find.require_build_tree = request.want_headers;
    state_.kernel = target::find_kernel(files->release, find, diagnostics());
    if (!state_.kernel) return false;
    if (state_.kernel->image.empty()) state_.kernel->image = files->image;
    return true;
}

vm::VmOptions ProgramRun::guest_settings(const std::string &release) const {
    vm::VmOptions settings;
    settings.release = release;
    settings.cpus = options().vm_cpus;
    settings.memory_mb = options().vm_memory_mb;
    settings.timeout_s = options().vm_timeout_s;
    settings.verbose = options().verbosity[5] > 1;
    // The guest's programs write to a pipe, so they cannot see the terminal.
    if (options().screen.for_people)
        settings.environment = {"TAPIR_MESSAGES=terminal", "COLUMNS=" + std::to_string(screen_width(STDERR_FILENO))};
    if (isatty(STDOUT_FILENO)) settings.environment.push_back("TAPIR_OUTPUT=terminal");
    settings.progress = [](const std::string &text) { std::fprintf(stderr, "%s\n", text.c_str()); };
    return settings;
}

int ProgramRun::run_in_guest() {
    Options inside = options();
    if (inside.screen.colors) inside.color_when = "always";
    vm::VmOptions settings = guest_settings(state_.kernel->release);
    GuestCapture capture(options(), keeps_samples(options()) && takes_samples(state_.module_path));
    if (!capture.prepare(inside, settings, diagnostics())) return 1;
    // The guest throws away what it writes: the -o file is written here, from the guest's standard output.
    if (!inside.output.empty() && !redirect_output(inside.output, diagnostics())) return 1;
    inside.output.clear();
    const std::vector<std::string> command = staprun_command(inside, state_.module_path);
    const int status = vm::run(settings, command, diagnostics(), &interrupted_by_);
    if (!is_explained(inside, status) && !interrupted_by_ && !diagnostics().has_errors())
        tell_ending(options(), command.front(), 0, status);
    return capture.finish(status);
}

int ProgramRun::run_shell() {
    vm::VmOptions settings = guest_settings(options().vm_release);
    settings.terminal = isatty(STDIN_FILENO);
    int status = vm::run(settings, {"/bin/bash"}, diagnostics());
    flush_messages();
    return status;
}

}  // namespace tapir::driver
