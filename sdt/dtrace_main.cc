// SPDX-License-Identifier: GPL-2.0-or-later
// dtrace: makes headers and objects from the marks that files declare.
#include <cstdio>
#include <string>
#include <vector>

#include "common/standard_output.h"
#include "sdt/dtrace_command.h"

using namespace tapir;

namespace {

Outcome<bool> run_command(const std::vector<std::string> &words) {
    const auto options = sdt::read_options(words);
    if (!options) return options.fault();
    if (!options->help && !options->version) return sdt::run(*options);
    print_output(options->help ? sdt::kUsage : "dtrace of Tapir " TAPIR_VERSION "\n");
    return true;
}

int fail(const Fault &fault) {
    std::fprintf(stderr, "dtrace: %s\n", fault.message().c_str());
    return fault.tag == FaultTag::Misuse ? 2 : 1;
}

}  // namespace

int main(int argc, char **argv) {
    const auto done = run_command({argv + 1, argv + argc});
    if (!done) return fail(done.fault());
    if (const auto written = finish_output(); !written) return fail(written.fault());
    return *done ? 0 : 1;
}
