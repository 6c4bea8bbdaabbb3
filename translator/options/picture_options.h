// SPDX-License-Identifier: GPL-2.0-or-later
// Options for pictures of samples (-o NAME.html, NAME.svg and the like), which staprun and stap-report carry out.
#pragma once

#include <string>
#include <vector>

#include "options/options.h"

namespace tapir::driver {

// Does the run make a capture or a picture, if the script has samples?
bool keeps_samples(const Options &options);

// Usage errors, each a sentence.
std::vector<std::string> picture_conflicts(const Options &options);

// Adds the options for stap-report, which gets them directly or from staprun.
void add_report_options(const Options &options, std::vector<std::string> &arguments);

// Adds the options for staprun.
void add_picture_options(const Options &options, std::vector<std::string> &arguments);

}  // namespace tapir::driver
