// SPDX-License-Identifier: GPL-2.0-or-later
// stap --cost: what the script would cost, from its intermediate representation.
#include <cstdlib>

#include "common/files.h"
#include "common/regular_file.h"
#include "common/standard_output.h"
#include "cost/cost_report.h"
#include "driver/program_run.h"
#include "options/tell.h"

namespace tapir::driver {

int ProgramRun::print_cost() {
    flush_messages();
    std::vector<cost::Rate> rates;
    if (!options().rates.empty()) {
        std::string text;
        Outcome<std::vector<cost::Rate>> read = std::vector<cost::Rate>();
        if (const int error = read_file(options().rates.c_str(), kMaxText, text))
            read = Fault{FaultTag::FileUnreadable, "Cannot read rates '" + options().rates + "': " + file_error(error)};
        else
            read = cost::read_rates(text, options().rates);
        if (!read) {
            tell(options(), Voice::Error, read.fault().message());
            return 1;
        }
        rates = std::move(*read);
    }
    cost::Subject subject{state_.module, {}};
    for (const NameValue &global : options().globals)
        subject.settings[global.name] = global.value;
    if (const double ticks = std::atof(std::string(state_.kernel->config_value("CONFIG_HZ")).c_str()); ticks > 0)
        subject.ticks = ticks;
    const cost::Report report = cost::make_report(subject, options().assumed, rates);
    const std::string script = options().tool          ? options().tool->head.name
                               : options().script_file ? *options().script_file
                                                       : "";
    print_output(options().format == "json" ? report.json(script) : report.text());
    return 0;
}

}  // namespace tapir::driver
