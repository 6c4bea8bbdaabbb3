// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/tell.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/terminal_messages.h"
#include "options/color.h"

namespace tapir::driver {

namespace {

const char *documented_failure(int pass) {
    static const char *const texts[] = {"",
                                        "Pass 1: parse failed.  [man error::pass1]",
                                        "Pass 2: analysis failed.  [man error::pass2]",
                                        "Pass 3: translation failed.  [man error::pass3]",
                                        "Pass 4: compilation failed.  [man error::pass4]",
                                        "Pass 5: run failed.  [man error::pass5]"};
    return texts[pass];
}

}  // namespace

Coloring coloring(const Options &options) {
    if (options.color_when == "always") return Coloring::Always;
    return options.color_when == "never" ? Coloring::Never : Coloring::Auto;
}

Screen choose_screen(const Options &options) {
    Screen screen = screen_of(STDERR_FILENO, coloring(options));
    if (!options.compatible.empty() && !std::getenv("TAPIR_MESSAGES")) screen.for_people = false;
    return screen;
}

void tell(const Options &options, Voice voice, const std::string &text) {
    std::fputs(told(options.screen, voice, text).c_str(), stderr);
}

void tell_ending(const Options &options, const std::string &program, int signal, int status) {
    if (signal)
        tell(options, Voice::Notice,
             program + " exited with signal: " + std::to_string(signal) + " (" + strsignal(signal) + ")");
    // Status 1 says no more than the last line will, and the program has said why.
    else if (status > 1 || (status && !options.screen.for_people))
        tell(options, Voice::Notice, program + " exited with status: " + std::to_string(status));
}

std::string shown_text(const Options &options, const Diagnostics &diagnostics, bool verbose) {
    if (options.screen.for_people) return render_for_terminal(diagnostics, verbose, options.screen);
    return colored(render_all(diagnostics, verbose), options.screen.colors);
}

std::string failure_line(const Options &options, int pass, const Diagnostics &diagnostics) {
    const Screen &screen = options.screen;
    if (!screen.for_people) return std::string(documented_failure(pass)) + "\n";
    const std::string reading = "man error::pass" + std::to_string(pass);
    if (pass == 5) return result_line(screen, "error", "The run failed.", reading);
    const size_t errors = error_problems(diagnostics);
    const std::string count = std::to_string(errors) + (errors == 1 ? " error. " : " errors. ");
    return result_line(screen, "error", (errors ? count : "") + "Nothing ran.", reading);
}

}  // namespace tapir::driver
