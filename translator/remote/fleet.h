// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One script on many hosts. Every host goes its own way through the same stages, and one thread looks after all of
 * them:
 *
 *   waiting     until not too many connections are being made at once, and fewer hosts than allowed have yet to end
 *   connecting  an ssh that only holds the connection; what follows shares it
 *   asking      the keeper (keeper.h) says what the host is, and makes a private directory
 *   building    until the module for its kernel is there, which hosts with the same kernel share
 *   copying     the module, and staprun unless the same one is installed
 *   running     the keeper has started staprun; output comes, signals go
 *   leaving     told to end before it ran; the keeper removes the directory
 *   ended
 *
 * The end of the connection ends the keeper's standard input, and with it staprun and the directory: a host cleans
 * up after itself even when no program can ask for it. A network that was cut ends nothing; there the host hears
 * no longer that it is wanted, and notices.
 */
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "remote/host_name.h"
#include "remote/keeper.h"

namespace tapir::remote {

struct FleetOptions {
    std::string ssh = "ssh";               // the program, looked up in PATH
    std::vector<std::string> ssh_options;  // for its -o
    bool prefix = false;                   // lines of standard output begin with the host's name
    bool records = false;                  // standard output is records, which get the host's name as "remote"
    bool color = false;                    // hosts color what they write to standard error
    std::vector<std::string> environment;  // NAME=VALUE for staprun there
    bool interactive = false;              // ssh may ask for passwords
    int verbosity = 0;
    int output = 1, errors = 2;  // descriptors

    std::string staprun;          // path of the static one
    std::string staprun_version;  // what it answers to --version: a host that has the same uses its own

    // The program that makes the module for such a kernel, the path of which is the last line of what it prints.
    std::function<std::vector<std::string>(const Facts &)> build;
    int build_input = -1;         // descriptor of a file for its standard input, read from the beginning; -1 = empty
    unsigned builds_at_once = 2;  // at least 1
    bool no_module = false;       // `build` only prints something to be shown (--doctor)

    // staprun's arguments on a host; `module` is the module's path there, "" without one.
    std::function<std::vector<std::string>(size_t number, const Host &, const std::string &module)> arguments;

    // Lines of standard output, which are to be records, go there in place of the output, "" where one was too long. It
    // may add to `out` what is to appear. The result is why nothing more is to be taken from the host, which ends it;
    // "" usually. Each machine runs once then.
    std::function<std::string(size_t number, std::string_view line, std::string &out)> take;
    std::function<void(size_t number)> launched;  // the script of the host is started now

    unsigned connections_at_once = 16;  // begun within two seconds; hosts that do not answer delay others no longer
    unsigned connections_most = 128;    // being made, not held
    unsigned width = 100;               // hosts at a time: others begin when these have ended
    unsigned deadline_seconds = 0;      // for all that a host does; its script is told to end then. 0: none
    unsigned connect_seconds = 20;      // to connect; each step on the host has three times as long
    unsigned alive_seconds = 5;         // how often hosts are told that they are still wanted (keeper.h)
    unsigned end_seconds = 20;          // for the hosts to end when the output cannot be written
};

struct HostResult {
    std::string kernel;   // release; "" = never known
    std::string problem;  // one line: why it did not run, or how the run ended badly; "" = all went well
    std::string note;     // one line: why it did not run, although that is well
    bool good() const { return problem.empty(); }
};

struct FleetResult {
    std::vector<HostResult> hosts;  // as in `hosts`
    int output_error = 0;           // errno of a write to the output that failed
    int interrupted = 0;            // number of the first signal that asked for the end, 0 = none
};

// Runs all to the end. SIGINT, SIGTERM and SIGHUP reach the hosts as SIGINT or SIGTERM: the first lets end probes run,
// the second gives them up, the third leaves at once. Signals' masks and dispositions are put back afterwards. Not to
// be called in a process with other threads or children.
FleetResult run_fleet(const std::vector<Host> &hosts, const FleetOptions &options);

// The table of how it went, a line for each host. Of more than 20 hosts only those that failed have one, unless `all`.
std::string render_result(const std::vector<Host> &hosts, const FleetResult &result, bool all = false);

}  // namespace tapir::remote
