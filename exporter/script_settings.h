// SPDX-License-Identifier: GPL-2.0-or-later
// The settings of a script in a file of the exporter's folder: lines NAME=VALUE (stap-exporter(8)).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/outcome.h"

namespace tapir::exporter {

constexpr size_t kUsualSeries = 1000, kMostSeries = 100000;

struct ScriptSettings {
    std::string name;                // of the file, without ".conf"
    std::vector<std::string> words;  // for stap: the options, the script or "run TOOL", its arguments
    std::string script;              // its path; "": it is a tool
    bool at_start = false;           // started with the exporter, not with the first question
    size_t series = kUsualSeries;    // the most elements of all its metrics together
};

// Else BadConfiguration, with the line's number.
Outcome<ScriptSettings> parse_settings(const std::string &name, std::string_view text);

// Reads each FILE.conf of a folder, in the order of their names. A file that is wrong is left out, and `complain` gets
// the reason. BadConfiguration if the folder cannot be read.
Outcome<std::vector<ScriptSettings>> read_folder(const std::string &folder,
                                                 const std::function<void(const std::string &)> &complain);

}  // namespace tapir::exporter
