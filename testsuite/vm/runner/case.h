// SPDX-License-Identifier: GPL-2.0-or-later
// One guest test: a file NAME.stp or NAME.sh in an area's folder, and what it says about itself. The format is
// described in testsuite/vm/README.md.
#pragma once

#include <string>
#include <vector>

namespace tapir::guest_tests {

// A demand on an output.
struct Match {
    enum class Kind { Contains, Lacks } kind;  // a regular expression that must, or must not, match some line
    std::string pattern;
};

struct Case {
    std::string area, name;
    std::string path;        // absolute
    bool is_script = false;  // .stp; else .sh

    std::string stap_options, script_arguments, staprun_arguments;
    std::vector<std::string> scripts;  // more scripts to translate, relative to the area's folder
    std::vector<std::string> host, setup, workload, check;
    std::vector<std::string> requirements;   // of the guest
    bool needs_debug_info = false;           // of the kernel,
    std::vector<std::string> debug_modules;  // and of these modules
    std::vector<std::string> points;         // probe points that have to resolve
    std::vector<std::string> allowed_log;    // regular expressions of kernel log lines that are no failure here
    std::vector<Match> out, err;
    int status = 0;
    unsigned timeout_s = 60, cpus = 1;
    std::string append;  // kernel parameters; only for guests with these the case is
    bool expect_crash = false;
    std::string takes_long;  // why it is no part of a quick run; "" if it is
    unsigned round = 0;      // of a case that is run several times; 0: once
    // Whether it runs with --records.
    enum class Records { Usual, No, Also } records = Records::Usual;

    std::string id() const { return area + "/" + name + (round ? "." + std::to_string(round) : ""); }

    // Cases of shell that take long do not run with --records unless they ask for it.
    bool runs_with_records() const {
        const bool usual = is_script || takes_long.empty();
        return !expect_crash && (records == Records::Also || (records == Records::Usual && usual));
    }
};

// Reads the case in `path`. Returns "" or what is wrong with it.
std::string read_case(const std::string &area, const std::string &path, Case &result);

// All cases below `root` (testsuite/vm), sorted; those whose id contains one of `filters` if there are any.
// A filter that is the id of a case means that case alone.
// Folders without cases (runner) are no areas. Adds complaints about malformed cases to `errors`.
std::vector<Case> find_cases(const std::string &root, const std::vector<std::string> &filters,
                             std::vector<std::string> &errors);

// The part of a NAME.out or NAME.err file, or "" with `present` false.
std::string expected_text(const Case &test, const char *extension, bool &present);

// Returns the differences of the outputs, one complaint per line; "" if there are none. A null `out` is not compared.
std::string compare_outputs(const Case &test, int status, const std::string *out, const std::string &err);

}  // namespace tapir::guest_tests
