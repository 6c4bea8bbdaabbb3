// SPDX-License-Identifier: GPL-2.0-or-later
// The command line of staprun.
#pragma once

#include <tapir/wire.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/colors.h"
#include "common/outcome.h"

extern "C" {
#include "items/output_records.h"
}

namespace tapir::staprun {

enum class Action : uint8_t { Run, Attach, Remove, Doctor, Help, Version };
struct NamedValue {
    std::string name;
    std::string value;
};

struct Options {
    Action action = Action::Run;
    std::string module;                                        // Run: path or name; Attach: name
    std::vector<std::string> modules;                          // Remove: names, "*" = all that are not in use
    std::vector<NamedValue> globals;                           // name=value words and -G
    std::array<std::optional<uint64_t>, TAPIR_LIMITS> limits;  // unset: the module's own
    std::array<const char *, TAPIR_LIMITS> limited_by = {};    // the option that has set each

    std::string output_file;    // -o, before strftime; empty = stdout
    uint64_t rotate_bytes = 0;  // -S; 0 = one file
    uint64_t rotate_files = 0;  // -S size,N; 0 = keep all
    bool bulk = false;          // --bulk: one file per CPU

    tapir_form form = TAPIR_FORM_TEXT;  // --format
    uint64_t refresh_ns = 0;            // --refresh: records of the accounting, and of globals; 0: at the end alone
    int commands = -1;                  // --commands: a descriptor to read them from

    std::string command;  // -c
    bool has_command = false;
    bool command_status = false;  // --command-status
    int64_t target = 0;           // -x
    int64_t namespaces = 0;       // -N
    std::string cgroup;           // --cgroup; "": all tasks
    int32_t remote_id = -1;       // -r; -1: not given
    std::string remote_uri;       // -r
    uint64_t run_ns = 0;          // --duration; 0 = no limit
    uint64_t delay_ns = 0;        // --delay; the session begins so long after the command
    int read_ms = 0;              // -T: how long output may wait in the buffers; 0 = staprun's own choice

    bool rename = false;      // -R
    bool load_only = false;   // -L
    bool daemon = false;      // -D
    bool timing = false;      // -t
    bool mangled = false;     // --mangled
    bool compatible = false;  // --compatible
    bool suppress_errors = false;
    bool no_warnings = false;  // -w
    unsigned verbose = 0;
    Coloring color = Coloring::Auto;
    std::string budget_file;                   // "": the session shares its budget with no other
    std::string ledger_file;                   // --ledger
    std::string record_file;                   // --record
    std::string record_name;                   // --record-as: what messages call it instead; "": nothing is said
    bool record_named = false;                 // --record-as was given
    std::vector<std::string> picture_options;  // of stap-report: --min-quality, --accept-partial, --from, --own
    std::string command_line;                  // --command-line: what was typed; by default that of staprun
    bool json = false;                         // --json, of --doctor
};

struct ParsedOptions {
    Options options;
    Outcome<void> outcome;  // Misuse, with what was read before it in `options`
};

// argv[0] is the program's name; its absence is an error. Environment variables are not read here.
ParsedOptions parse_options(const std::vector<std::string> &argv);

std::string usage_text();
std::string version_text();

}  // namespace tapir::staprun
