// SPDX-License-Identifier: GPL-2.0-or-later
// The command line of stap.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "client/settings.h"
#include "common/screen.h"
#include "cost/assumptions.h"
#include "options/rc_file.h"
#include "remote/host_name.h"
#include "tool/script.h"
#include "trust/kernel_signer.h"

namespace tapir::driver {

enum class Action : uint8_t {
    Script,
    List,
    ListVariables,
    DumpFunctions,
    DumpAliases,
    DumpProbeTypes,
    Help,
    Version,
    CleanCache,
    Prepare,
    Doctor,
    Missing,
    VmShell,
    CheckTools,
    LanguageServer,
    LanguageCheck,
    About,
    Interactive
};
enum class CacheMode : uint8_t { Use, Disable, Poison };

struct NameValue {
    std::string name;
    std::string value;
};

// An argument of a .sxx script.
struct SxxArgument {
    std::string name;
    std::string value;
    std::string given_as;  // the option: "--arg limit=5", or "--limit=5"
};

// Options for scripts of stap++.
struct SxxOptions {
    bool on = false;  // the script is one
    std::vector<SxxArgument> arguments;
    bool list_arguments = false;  // --args
    bool dump = false;            // --dump-src
    int64_t master_pid = 0;       // --master
    int64_t sample_pid = 0;       // --sample-pid
};

// Tables that are shown while the session runs.
struct LiveOptions {
    uint64_t refresh_ms = 0;  // --refresh, --top, --monitor: tables are read so often; 0: at the end alone
    uint32_t top = 0;         // --top: so many rows of each table; 0: all
    bool monitor = false;     // --monitor: probes and globals are shown, too, and can be changed
    bool metrics = false;     // --metrics: those of the script are told when they are asked for
    std::string push;         // --push: a URL that metrics are pushed to
    int commands = -1;        // a descriptor with what is asked of the session, of the program that reads its records

    bool on() const { return refresh_ms > 0; }
    bool takes_commands() const { return on() || metrics; }
};

struct Options {
    Action action = Action::Script;

    // The script: a file or -e text, and any -E texts.
    std::optional<std::string> script_file;  // path, or "-" for standard input
    std::optional<std::string> script_text;
    std::vector<std::string> additional_text;
    std::optional<std::string> list_pattern;  // -l, -L
    std::vector<std::string> script_args;

    // A script that is a tool (tool/head.h):
    std::shared_ptr<const tool::Script> tool;  // null: it is none
    std::vector<NameValue> option_values;      // of its options that are given, checked; the names are the globals'
    std::string about;                         // Action::About: what it says of itself, or the list of all
    std::string tool_search;                   // --search
    bool check_tools = false;                  // --check-all
    std::string tool_for;                      // --list-for

    // --cost: says what the script would cost, and does not run it.
    bool cost = false;
    std::string rates;          // --rates, a file; "": none
    cost::Assumptions assumed;  // --assume

    int last_pass = 5;
    int verbosity[6] = {};  // by pass, 1..5; [0] is the least of them
    std::vector<std::string> dump_after;
    bool keep_temporary = false;
    Screen screen;           // of messages
    std::string color_when;  // as given, "": not

    bool guru = false;
    bool unoptimized = false;
    bool suppress_warnings = false;
    bool warnings_as_errors = false;
    bool autoprint = true;
    bool suppress_handler_errors = false;
    bool suppress_time_limits = false;
    std::optional<int64_t> array_size_max;
    bool check_version = false;
    bool skip_badvars = false;
    std::string prologue = "auto";  // never, always or auto
    bool semantic_keep_going = false;
    std::string compatible;  // language version, "" = newest
    std::vector<std::string> include_dirs;
    std::vector<NameValue> defines;   // -D
    std::vector<NameValue> globals;   // -G
    std::vector<std::string> kbuild;  // -B
    std::vector<NameValue> modinfo;

    bool json = false;        // --json, of --doctor
    std::string release;      // -r: release or build directory; "" = running kernel
    std::string module_name;  // -m
    bool bundle = false;      // --bundle
    std::string bundle_file;  // its value; "" = NAME.tar in the working directory
    CacheMode cache = CacheMode::Use;
    trust::KernelSignerFiles sign;                          // --sign-...; no key: modules are not signed
    std::string tmpdir;                                     // "": $TMPDIR
    std::vector<std::pair<int, uint64_t>> resource_limits;  // RLIMIT_..., soft limit

    std::string runtime;      // --runtime as given; "" = not
    std::string core;         // --core: the core file that the script looks at, "-" = standard input; "" = what runs
    int64_t max_core_gb = 0;  // --max-core-size, what a compressed core may unpack to; 0 = the default
    std::string snapshot;     // --snapshot of the process of -x: "stop" or "run"; "" = the script runs in the kernel
    std::string sysroot;      // --sysroot, its process's files are below it; "" = here
    std::string program;      // --exec, the file of the process's program; "" = the one that the core names
    SxxOptions sxx;           // for which --exec is the program that $^exec_path means

    // Is the script a program of this machine, which looks at what stands still?
    bool looks_at_still() const { return !core.empty() || !snapshot.empty() || runtime == "process"; }

    LiveOptions live;

    // Pass 5.
    bool bulk = false;
    std::string budget;       // percentage of each processor's time; "": none
    std::string budget_file;  // of a budget that sessions share; "": none
    std::string on_overload;  // "warn", "stop" or "stop:PERCENT"; "": not given
    bool timing = false;
    bool load_and_detach = false;            // -F
    bool mangled = false;                    // --mangled
    uint32_t buffer_mb = 0;                  // 0 = default
    std::string record;                      // a capture for stap-report
    std::optional<std::string> recorded_as;  // what messages call it; "": they are silent
    uint32_t stack_mb = 0;                   // 0 = default
    std::string output;                      // -o
    std::string until;                       // the trigger that ends the session; "": none
    std::string format;                      // --format; "": text
    std::string rotate;                      // -S
    std::string command;                     // -c
    int64_t target_pid = 0;                  // -x
    int64_t namespaces_pid = 0;              // --target-namespaces
    std::string cgroup;                      // --cgroup; "": all tasks
    std::string timeout;                     // -T, seconds
    std::string ledger;                      // --ledger
    std::string delay;                       // --delay, seconds
    std::string from;                        // --from, seconds
    std::string min_quality;                 // --min-quality, percent
    bool accept_partial = false;             // --accept-partial
    std::vector<std::string> own;            // --own, patterns of files

    bool use_server = false;  // passes 1 to 4 are done by a build server
    client::Settings server;
    std::vector<remote::Host> remote;             // --remote; empty = here
    bool remote_prefix = false;                   // lines of output begin with the host's name
    std::vector<std::string> remote_ssh_options;  // for ssh's -o
    std::string remote_ssh = "ssh";               // the program
    bool merge = false;                           // one report of all hosts
    uint32_t remote_width = 100;                  // hosts at a time
    uint32_t remote_deadline = 0;                 // seconds for each host; 0 = none
    bool remote_build = false;                    // only the module for a host, whose release is `release`
    std::string remote_build_id;                  // of that host's kernel, hexadecimal; "" = not known

    bool vm = false;
    std::string vm_release;
    uint32_t vm_cpus = 2;
    uint32_t vm_memory_mb = 1024;
    uint32_t vm_timeout_s = 0;  // 0 = none

    std::vector<std::string> raw;  // argv after the program's name, the words of a "#!" line split
    bool typed = false;            // this is a run of stap -i
};

// Parses the options of `rc`, then argv[1..]. Tools are looked for in the directories of -I, then in `tools`. Reports
// usage errors; the result is meaningful only if there were none.
Options parse_options(const std::vector<std::string> &args, Diagnostics &diagnostics, const RcFile &rc = {},
                      const std::vector<std::string> &tools = {});

// The global of the tapsets that has the processes besides target(), by commas.
inline constexpr std::string_view kMoreTargets = "__more_targets";

// The option summary printed by --help.
std::string help_text();

// The output of -V. Wrapper scripts look for "version N.M" and want the language level there.
std::string version_text();

// The language level this translator implements: what systemtap_v compares against.
inline constexpr const char *kLanguageVersion = "5.6";

}  // namespace tapir::driver
