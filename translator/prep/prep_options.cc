// SPDX-License-Identifier: GPL-2.0-or-later
#include "prep/prep_options.h"

#include <boost/program_options.hpp>
#include <cctype>
#include <sstream>

#include "base/option_error.h"
#include "common/quoting.h"

namespace po = boost::program_options;

namespace tapir::prep {

namespace {

po::options_description described(PrepOptions &o) {
    po::options_description out("Options");
    out.add_options()("help,h", "print this summary");
    out.add_options()("version,V", "print the version");
    out.add_options()("yes,y", po::bool_switch(&o.yes), "install what is missing, without a question");
    out.add_options()("dry-run,n", po::bool_switch(&o.only_say), "only say what is missing, and how large it is");
    out.add_options()("release,r", po::value(&o.release)->value_name("RELEASE"),
                      "for this kernel, as uname -r prints it (default: the running one)");
    out.add_options()("kernel-debug", po::bool_switch(&o.kernel_debug),
                      "with the kernel's debug information, also if no script needs it");
    out.add_options()("user", po::bool_switch(&o.to_cache),
                      "fetch to this user's cache, where stap and stap-report look, and install nothing");
    out.add_options()("use-server", po::value<std::string>()->value_name("[=URL]")->implicit_value(""),
                      "ask this build server for debug files that no package has; without URL that of client.conf");
    return out;
}

Fault misuse(const std::string &text) {
    return {FaultTag::Misuse, text, "'stap-prep --help' lists the options"};
}

}  // namespace

Outcome<PrepOptions> parse_options(const std::vector<std::string> &arguments) {
    PrepOptions out;
    const po::options_description known = described(out);
    po::options_description all;
    std::vector<std::string> names;
    all.add(known).add_options()("name", po::value(&names));
    po::positional_options_description positional;
    positional.add("name", -1);
    po::variables_map given;
    try {
        po::store(po::command_line_parser(arguments).options(all).positional(positional).run(), given);
        po::notify(given);
    } catch (const po::error &error) {
        return misuse(option_error_text(error));
    }
    out.help = given.count("help") != 0;
    if (given.count("use-server")) out.server = given["use-server"].as<std::string>();
    out.version = given.count("version") != 0;
    if (out.yes && out.only_say) return misuse("-y and -n exclude each other");
    for (const std::string &name : names) {
        if (name.empty()) return misuse("a name is empty");
        const bool is_release =
            std::isdigit(static_cast<unsigned char>(name[0])) && name.find('/') == std::string::npos;
        if (name.ends_with(".stp"))
            out.scripts.push_back(name);
        else if (!is_release)
            out.programs.push_back(name);
        else if (!out.release.empty() && out.release != name)
            return misuse("one kernel at a time: " + printable(out.release) + " or " + printable(name) + "?");
        else
            out.release = name;
    }
    return out;
}

std::string help_text() {
    PrepOptions options;
    std::ostringstream out;
    out << "Usage: stap-prep [OPTION...] [RELEASE] [SCRIPT.stp...] [PROGRAM...]\n"
           "Says what is missing on this machine to build scripts: the kernel's headers, its debug information, and "
           "the\n"
           "debug symbols of programs. Names and sizes come first; then it asks whether to install the packages.\n\n"
        << described(options)
        << "\nThe exit status is 0 if nothing is missing (any more), and 1 if something is, or after an error.\n";
    return out.str();
}

}  // namespace tapir::prep
