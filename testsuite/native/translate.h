// SPDX-License-Identifier: GPL-2.0-or-later
// Script text to IR and C, with the tapset library of the source tree.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tapir::native {

struct Settings {
    std::map<std::string, std::string> defines;  // -D
    std::vector<std::string> args;               // script arguments
    std::map<std::string, std::string> tapsets;  // further library files: name, text
    std::string compatible;                      // --compatible; "": the newest
    bool guru = false;
    bool unoptimized = false;
    bool suppress_time_limits = false;
    bool autoprint = true;
    bool refresh = false;  // --refresh
    bool monitor = false;  // --monitor
};

struct Translation {
    std::string diagnostics;  // rendered
    bool ok = false;
    std::string ir, c;
    std::string invalid;  // what the IR's verifier says
};

Translation translate(const std::string &script, const Settings &settings);

// Reads a whole file; aborts the test program when it is not there.
std::string read_file(const std::string &path);

}  // namespace tapir::native
