// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/output_format.h"

namespace tapir::driver {

std::vector<std::string> format_conflicts(const Options &o) {
    std::vector<std::string> found;
    if (o.format.empty() || o.format == "text") return found;
    if (o.format != "json" && o.format != "csv")
        return {"Invalid value '" + o.format + "' for --format (should be text, json or csv)."};
    const auto refuse = [&](bool given, const std::string &what, const std::string &why) {
        if (given) found.push_back("The --format=" + o.format + " and " + what + " options exclude each other: " + why);
    };
    refuse(o.bulk, "-b", "records are in the order of all CPUs.");
    refuse(!o.remote.empty() && o.format == "csv", "--remote",
           "its columns do not tell hosts apart; records do, with --format=json.");
    refuse(o.remote_prefix && o.format == "json", "--remote-prefix", "each record names its host.");
    refuse(o.load_and_detach && o.output.empty(), "-F",
           "nothing reads the records; 'staprun -A NAME --format=" + o.format + "' does.");
    refuse(o.format == "csv" && !o.rotate.empty(), "-S", "the head of a table is in its first file alone.");
    return found;
}

}  // namespace tapir::driver
