// SPDX-License-Identifier: GPL-2.0-or-later
// Options for scripts of stap++ (.sxx), and what may not go with them.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/outcome.h"
#include "options/options.h"

namespace tapir::driver {

// Rows of --help.
boost::program_options::options_description sxx_options();

// Handlers of these options by the options' names, which take the values. The text of a fault is a usage error.
using OptionHandlers = std::map<std::string, std::function<void(const std::string &)>>;
OptionHandlers sxx_handlers(SxxOptions &options, std::function<void(const Fault &)> refuse);

// The words of a command line, where options that stap does not have are arguments of a .sxx script before them:
// --limit=5, or --limit 5. With --sxx, those before the script are such, too.
std::vector<std::string> with_sxx_arguments(const std::vector<std::string> &words);

// Decides whether the script is one of stap++, and sets what stap++ sets. Call it when all words are known.
void settle_sxx(Options &options);

// Usage errors, each a sentence.
std::vector<std::string> sxx_conflicts(const Options &options);

// Does the name that a program was called by say that all scripts are those of stap++?
bool is_stapxx(const std::string &name);
// The words of its command line, with --sxx.
std::vector<std::string> with_sxx(const std::vector<std::string> &args);

}  // namespace tapir::driver
