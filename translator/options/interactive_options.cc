// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/interactive_options.h"

namespace tapir::driver {

std::map<std::string, std::function<void(const std::string &)>> interactive_handlers(Options &o) {
    // A run has all options of the session, and --typed in front of them.
    return {{"interactive",
             [&o](const std::string &) {
                 if (!o.typed && o.action == Action::Script) o.action = Action::Interactive;
             }},
            {"typed", [&o](const std::string &) {
                 o.typed = true;
                 if (o.action == Action::Interactive) o.action = Action::Script;
             }}};
}

std::vector<std::string> interactive_conflicts(const Options &o) {
    std::vector<std::string> found;
    if (o.action != Action::Interactive) return found;
    const auto refuse = [&](bool given, const std::string &what) {
        if (given) found.push_back("The -i option cannot be used " + what);
    };
    refuse(o.script_text || !o.script_args.empty() || o.tool, "with a script: 'load FILE' adds its definitions.");
    refuse(o.last_pass != 5, "with -p: what is typed runs.");
    refuse(o.live.on(), "with --refresh, --top and --monitor: they take the terminal.");
    refuse(!o.remote.empty(), "with --remote: start stap -i on that host.");
    refuse(o.load_and_detach || o.bulk || o.bundle, "with -F, -b and --bundle.");
    return found;
}

}  // namespace tapir::driver
