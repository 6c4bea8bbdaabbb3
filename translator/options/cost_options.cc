// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/cost_options.h"

namespace tapir::driver {

std::vector<std::string> cost_conflicts(const Options &o) {
    if (!o.cost) {
        if (!o.rates.empty()) return {"The --rates option is for the cost of a script (--cost)."};
        return {};
    }
    std::vector<std::string> found;
    const auto refuse = [&](bool given, const std::string &what, const std::string &why) {
        if (given) found.push_back("The --cost and " + what + " options exclude each other: " + why);
    };
    refuse(o.action != Action::Script, "other tasks'", "it is a task of its own.");
    refuse(o.last_pass != 5, "-p", "the cost is known behind the first half of pass 3.");
    refuse(!o.dump_after.empty(), "--dump-after", "each prints its own.");
    refuse(o.looks_at_still(), "--core, --snapshot and --runtime=process",
           "such a script is hit once for each thing it looks at.");
    refuse(o.vm, "--vm", "nothing runs; -r names the kernel.");
    refuse(!o.remote.empty(), "--remote", "nothing runs; -r names the kernel.");
    refuse(o.use_server, "--use-server", "nothing is built.");
    refuse(!o.output.empty(), "-o", "write 'stap --cost ... > FILE'.");
    refuse(o.format == "csv", "--format=csv", "a report for programs is JSON.");
    return found;
}

}  // namespace tapir::driver
