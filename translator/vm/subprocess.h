// SPDX-License-Identifier: GPL-2.0-or-later
// Running the host's tools.
#pragma once

#include <string>
#include <vector>

namespace tapir::vm {

struct ToolResult {
    int status = -1;     // exit status, 128 + N for a signal, 127 when the tool is not there
    std::string output;  // its stdout
    std::string errors;  // its stderr

    bool ok() const { return status == 0; }
    // The last non-empty line of what it complained about.
    std::string complaint() const;
};

struct ToolOptions {
    std::string directory;    // working directory, "" = this one
    std::string stdout_path;  // write stdout there instead of collecting it
    int timeout_seconds = 0;  // 0 = none; the tool is killed and the status is 124
};

// Runs argv[0] (looked up in PATH) with stdin from /dev/null and the C locale, and waits for it.
ToolResult run_tool(const std::vector<std::string> &argv, const ToolOptions &options = {});

// Where a program is: PATH, then the sbin directories users often lack in theirs; "" if nowhere.
std::string find_program(const std::string &name);

}  // namespace tapir::vm
