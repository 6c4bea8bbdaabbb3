// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/remote.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "backend/launch.h"
#include "capture/picture_files.h"
#include "common/descriptor.h"
#include "common/files.h"
#include "common/find_program.h"
#include "common/run_program.h"
#include "driver/program_run.h"
#include "driver/remote_merge.h"
#include "driver/script_text.h"
#include "options/tell.h"
#include "remote/fleet.h"

namespace tapir::driver {
namespace {

// Standard input as a file that each build can read from the beginning; -1 with errno.
int keep_standard_input() {
    std::string text;
    errno = read_descriptor(STDIN_FILENO, SIZE_MAX, text);
    if (errno) return -1;
    return memory_file("script", text).release();
}

// Finds the loader to send to hosts, and its answer when asked for its version; reports an error.
bool find_staprun(const Options &options, remote::FleetOptions &fleet) {
    const std::string path = staprun_path();
    const Outcome<std::string> file = find_program(path);
    const Outcome<std::string> version = file ? output_of({*file, "--version"}) : file.fault();
    if (!version) {
        tell(options, Voice::Error, "Cannot send " + path + " to the hosts: " + version.fault().message());
        return false;
    }
    fleet.staprun = *file;
    fleet.staprun_version = *version;
    return true;
}

void tell_output_error(const Options &options, int error) {
    if (error == EPIPE)
        tell(options, Voice::Notice, "The reader of the output has gone; the script was ended on all hosts.");
    else
        tell(options, Voice::Error,
             std::string("Cannot write the output: ") + std::strerror(error) + "; the script was ended on all hosts.");
}

}  // namespace

std::vector<std::string> remote_build_command(const Options &options, const std::string &release,
                                              const std::string &build_id) {
    std::vector<std::string> command = {"/proc/self/exe", "--remote-build=" + (build_id.empty() ? "unknown" : build_id),
                                        "-r", release};
    command.insert(command.end(), options.raw.begin(), options.raw.end());
    return command;
}

std::vector<std::string> remote_arguments(const Options &options, size_t number, const remote::Host &host,
                                          const std::string &module) {
    if (options.action == Action::Doctor && options.verbosity[0] > 0) return {"--doctor", "-v"};
    if (options.action == Action::Doctor) return {"--doctor"};
    Options there = options;
    there.output.clear();
    if (options.merge) {
        there.format = "json";
        there.record.clear();
        there.from.clear();
        there.min_quality.clear();
        there.accept_partial = false;
        there.own.clear();
    }
    // The host knows nothing of this terminal.
    if (options.screen.colors)
        there.color_when = "always";
    else if (!options.color_when.empty())
        there.color_when = "never";
    std::vector<std::string> arguments = {"-r", std::to_string(number) + ":" + host.uri};
    for (std::string &argument : staprun_arguments(there, module))
        arguments.push_back(std::move(argument));
    return arguments;
}

int run_remote(const Options &options, Diagnostics &diagnostics) {
    remote::FleetOptions fleet;
    fleet.ssh = options.remote_ssh;
    fleet.ssh_options = options.remote_ssh_options;
    fleet.width = options.remote_width;
    fleet.deadline_seconds = options.remote_deadline;
    fleet.prefix = options.remote_prefix;
    fleet.records = options.format == "json" && !options.merge && options.action == Action::Script;
    fleet.color = static_cast<bool>(options.screen.colors);
    fleet.interactive = options.remote.size() == 1 && isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
    fleet.verbosity = options.verbosity[5];
    fleet.no_module = options.action == Action::Doctor;
    if (options.screen.for_people) {
        // The builds here and the hosts write to pipes; what they tell is shown on this terminal, behind a name.
        size_t prefix = 0;
        for (const remote::Host &host : options.remote)
            prefix = std::max(prefix, host.uri.size() + 2);
        const std::string width = std::to_string(options.screen.width - std::min(prefix, options.screen.width / 2));
        setenv("TAPIR_MESSAGES", "terminal", 1);
        setenv("COLUMNS", width.c_str(), 1);
        fleet.environment = {"TAPIR_MESSAGES=terminal", "COLUMNS=" + width};
        if (isatty(STDOUT_FILENO)) fleet.environment.push_back("TAPIR_OUTPUT=terminal");
    }
    // A module with a name of its own is left in the working directory, under that name for every kernel.
    fleet.builds_at_once = options.module_name.empty() ? std::max(1u, std::thread::hardware_concurrency()) : 1;
    if (options.script_file != "-") {
        // Hosts are not asked for anything before a script is there. Each build reads it by itself.
        read_sources(options, diagnostics);
        if (diagnostics.has_errors()) {
            std::fputs((shown_text(options, diagnostics, true) + failure_line(options, 1, diagnostics)).c_str(),
                       stderr);
            return 1;
        }
    }
    if (!find_staprun(options, fleet)) return 1;
    if (options.script_file == "-") {
        fleet.build_input = keep_standard_input();
        if (fleet.build_input < 0) {
            tell(options, Voice::Error,
                 std::string("Cannot read the script from standard input: ") + std::strerror(errno));
            return 1;
        }
    }
    const bool draws = options.merge && capture::names_picture(options.output);
    if (!options.output.empty() && !draws && !redirect_output(options.output, diagnostics)) {
        std::fputs(shown_text(options, diagnostics, true).c_str(), stderr);
        return 1;
    }
    fleet.build = [&options](const remote::Facts &facts) {
        return remote_build_command(options, facts.release, facts.build_id);
    };
    fleet.arguments = [&options](size_t number, const remote::Host &host, const std::string &module) {
        return remote_arguments(options, number, host, module);
    };
    RemoteMerge merge(options);
    if (options.merge) merge.attach(fleet);
    if (options.remote.size() > fleet.width)
        tell(options, Voice::Notice,
             std::to_string(options.remote.size()) + " hosts, " + std::to_string(fleet.width) +
                 " at a time (--remote-width): others begin when these have ended.");
    const remote::FleetResult result = remote::run_fleet(options.remote, fleet);
    if (result.output_error) tell_output_error(options, result.output_error);
    const int merged = options.merge ? merge.finish(result) : 0;
    const bool good =
        std::all_of(result.hosts.begin(), result.hosts.end(), [](const auto &host) { return host.good(); });
    const bool all = options.verbosity[5] > 0;
    if (all || (!good && !options.merge))
        std::fputs(remote::render_result(options.remote, result, all).c_str(), stderr);
    if (good && !result.output_error) return merged;
    if (options.action == Action::Script) std::fputs(failure_line(options, 5, diagnostics).c_str(), stderr);
    return 1;
}

}  // namespace tapir::driver
