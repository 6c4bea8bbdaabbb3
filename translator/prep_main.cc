// SPDX-License-Identifier: GPL-2.0-or-later
// stap-prep: what is missing to build scripts.
#include <unistd.h>

#include <cstdio>

#include "common/activity.h"
#include "common/interruption.h"
#include "common/screen.h"
#include "common/standard_output.h"
#include "prep/prep.h"

namespace {

using namespace tapir;

int fail(const Fault &fault) {
    std::fputs(told(screen_of(STDERR_FILENO, Coloring::Auto), Voice::Error, fault.message()).c_str(), stderr);
    return 1;
}

}  // namespace

int main(int argc, char **argv) {
    const CleanInterruption interruption;
    if (isatty(STDERR_FILENO)) Activity::show_on(STDERR_FILENO);
    const Outcome<prep::PrepOptions> options = prep::parse_options({argv + 1, argv + argc});
    if (!options) return fail(options.fault());
    int status = 0;
    if (options->help || options->version)
        print_output(options->help ? prep::help_text() : "stap-prep (Tapir) " TAPIR_VERSION "\n");
    else
        status = prep::run(*options);
    const Outcome<void> printed = finish_output();
    return printed ? status : fail(printed.fault());
}
