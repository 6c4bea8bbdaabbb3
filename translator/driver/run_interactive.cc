// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/run_interactive.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "backend/backend.h"
#include "common/find_program.h"
#include "interactive/interactive.h"
#include "options/tell.h"

namespace tapir::driver {

namespace {

// A file in the user's state folder, which it makes; "" if there is none.
std::string history_file() {
    const char *state = std::getenv("XDG_STATE_HOME"), *home = std::getenv("HOME");
    std::string folder = state && *state == '/' ? state : "";
    if (folder.empty() && home && *home == '/') folder = std::string(home) + "/.local/state";
    if (folder.empty()) return "";
    folder += "/tapir";
    std::error_code error;
    const bool made = std::filesystem::create_directories(folder, error);
    if (error) return "";
    // Others must not read what was typed.
    if (made) std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
    return folder + "/history";
}

// The release of -r if it is another kernel than the running one; "" if scripts run here.
std::string guest_release(const Options &options) {
    utsname running{};
    uname(&running);
    const bool here = options.vm || options.looks_at_still() || options.release.empty();
    return here || options.release == running.release ? "" : options.release;
}

}  // namespace

int run_interactive(const Options &options) {
    interactive::Settings settings;
    const std::string own = program_beside("stap");
    settings.launch.program = {own.empty() ? "stap" : own, "--typed"};
    settings.launch.options = options.raw;
    if (options.screen.for_people)
        settings.launch.environment = {"TAPIR_MESSAGES=terminal",
                                       "COLUMNS=" + std::to_string(screen_width(STDERR_FILENO))};
    if (isatty(STDOUT_FILENO)) settings.launch.environment.push_back("TAPIR_OUTPUT=terminal");
    if (options.screen.colors) settings.launch.program.push_back("--color=always");
    settings.history = history_file();
    settings.guru = options.guru;
    settings.shown = [&options](const Diagnostics &diagnostics) { return shown_text(options, diagnostics, false); };
    const std::string guest = guest_release(options);
    Diagnostics diagnostics;
    if (guest.find('/') != std::string::npos)
        settings.cannot_run = "The kernel of -r " + guest + " is not the one that runs.\n";
    else if (!guest.empty())
        settings.launch.program.push_back("--vm=" + guest);
    else if (!options.vm && !choose_backend(options, diagnostics)->may_run())
        settings.cannot_run = shown_text(options, diagnostics, false) + "\n";
    if (!guest.empty() && settings.cannot_run.empty())
        tell(options, Voice::Notice, "Kernel " + guest + " is not the running one: scripts run in a guest (--vm).");
    return interactive::interact(settings);
}

}  // namespace tapir::driver
