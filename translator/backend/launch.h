// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 5: the command lines of staprun and of stap-report, and how programs are run to their ends.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/process.h"
#include "options/options.h"

namespace tapir::driver {

// The part of staprun's arguments that comes before the module.
std::vector<std::string> staprun_options(const Options &options);

// staprun's arguments after its own name: the options that belong to pass 5, the module, NAME=VALUE words.
std::vector<std::string> staprun_arguments(const Options &options, const std::string &module);

// The whole command that runs the module on this machine or in a guest.
std::vector<std::string> staprun_command(const Options &options, const std::string &module);

// Is a status of that command one of a run that did well? Then staprun or stap-report has said what it means: the
// picture misleads, or the command of -c failed.
bool is_explained(const Options &options, int status);

// FILE of -o with its strftime conversions replaced; nothing after reporting that it is too long.
std::optional<std::string> output_file(const std::string &pattern, Diagnostics &diagnostics);

// Makes FILE of -o (with strftime conversions) this process's standard output; for runs elsewhere, where a file would
// be thrown away. False after reporting why not.
bool redirect_output(const std::string &pattern, Diagnostics &diagnostics);

// Path of staprun: $SYSTEMTAP_STAPRUN, else beside this program, else "staprun" for a search in $PATH.
std::string staprun_path();

// Runs stap-report with the terminal's streams, or with a file as its standard input, read from the beginning. Returns
// its exit status, or 128 + signal.
int run_stap_report(const Options &options, std::vector<std::string> arguments, int input = -1);
// The same for stap-watch. SIGTERM and SIGHUP of this process are passed on.
int run_stap_watch(const Options &options, std::vector<std::string> arguments);

// Runs a program to its end, with the terminal's streams; SIGINT, SIGTERM and SIGHUP are left to it. Nothing after
// reporting that it cannot be started.
std::optional<Ending> wait_for(const Options &options, Program &program);

// The same. Returns its exit status, or 128 + signal, and says what happened unless that is explained.
int run_to_end(const Options &options, Program &program);

}  // namespace tapir::driver
