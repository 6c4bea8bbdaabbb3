// SPDX-License-Identifier: GPL-2.0-or-later
// The examples of docs/language.md. A fenced block with a script is one example; what it prints follows it:
//
//     ```stap -g -DMAXACTION=5 -- arg1      options as in a native case
//     ```output                             standard output
//     ```errors                             standard error, whole: status 1, or 0 if there are only warnings
//     ```tapset NAME.stp                    before the script: a library file it is run with
//     ```stap check                         translated only: probes that a process cannot have
//     ```text, ```sh                        not run
//
// A script without output or errors prints nothing.
#pragma once

#include <string>
#include <vector>

namespace tapir::language {

struct Example {
    std::string heading;  // with "_" for all that is not a letter or digit
    int number = 0;       // from 1 within its heading
    int line = 0;         // of the fence in the page
    bool check_only = false;
    std::string options;
    std::vector<std::pair<std::string, std::string>> tapsets;  // name, text
    std::string script, out, err;
    // Errors are expected: anything but warnings in `err`.
    bool fails() const;
    std::string name() const { return heading + "_" + std::to_string(number); }
};

struct Page {
    std::vector<std::string> headings;
    std::vector<Example> examples;
    std::vector<std::string> mistakes;  // fences that are not understood, with their lines
};

Page read_page(const std::string &markdown);

}  // namespace tapir::language
