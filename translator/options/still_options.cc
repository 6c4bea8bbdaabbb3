// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/still_options.h"

namespace tapir::driver {

std::vector<std::string> still_conflicts(const Options &o) {
    std::vector<std::string> found;
    const auto usage = [&](const std::string &text) { found.push_back(text); };
    // In scripts of stap++, it is the program that they are about.
    const bool program = !o.program.empty() && !o.sxx.on;
    if (!o.looks_at_still()) {
        if (!o.sysroot.empty() || program) usage("The --sysroot and --exec options are for core files (--core).");
        if (o.action == Action::Missing || o.max_core_gb)
            usage("The --missing and --max-core-size options are for core files (--core).");
        return found;
    }
    const bool any = o.core.empty() && o.snapshot.empty();
    if (any && (o.last_pass == 5 || (o.last_pass == 4 && o.module_name.empty())))
        usage(
            "The runtime 'process' needs a core file (--core) or a process (-x PID --snapshot), or -p4 -m NAME, which "
            "leaves a program.");
    if (any && (!o.sysroot.empty() || program || o.max_core_gb || o.action == Action::Missing))
        usage("The --sysroot, --exec, --missing and --max-core-size options are for core files (--core).");
    if (!o.core.empty() && !o.snapshot.empty())
        usage("A core file (--core) and a snapshot of a process (--snapshot) exclude each other.");
    const std::string what = any              ? "the runtime 'process'"
                             : o.core.empty() ? "a snapshot (--snapshot)"
                                              : "a core file (--core)";
    // Nothing of the script is in the kernel.
    if (o.runtime == "kernel") usage("A script on " + what + " does not run in the kernel (--runtime).");
    if (any) {
        if (!o.command.empty() || o.target_pid)
            usage("The options -c and -x have no use with -p4 and the runtime 'process': give -x to the program.");
    } else if (o.core.empty()) {
        if (!o.target_pid || !o.command.empty())
            usage("A snapshot is of a process that runs already: -x PID --snapshot, without -c.");
        if (!o.sysroot.empty() || program) usage("The --sysroot and --exec options are for core files (--core).");
    } else if (!o.command.empty() || o.target_pid) {
        usage("The options -c and -x name what runs; with a core file (--core) it is the core's process.");
    }
    if (o.core == "-" && o.script_file == "-")
        usage("Only one of the core file (--core -) and the script (-) can come from standard input.");
    if (o.action == Action::Missing && (o.script_text || o.script_file || !o.script_args.empty()))
        usage("Cannot specify a script with --missing.");
    if (!o.remote.empty() || o.vm || o.bundle || o.use_server)
        usage("The options --remote, --vm, --bundle and --use-server cannot be used with " + what + ".");
    if (o.bulk || !o.rotate.empty() || o.load_and_detach || !o.ledger.empty() || o.timing || !o.cgroup.empty() ||
        o.buffer_mb || o.namespaces_pid || !o.on_overload.empty() || !o.budget.empty())
        usage(
            "The options -b, -S, -F, -t, -s, --ledger, --cgroup, --budget, --on-overload and --target-namespaces are "
            "for scripts "
            "in the "
            "kernel; they have no use with " +
            what + ".");
    return found;
}

}  // namespace tapir::driver
