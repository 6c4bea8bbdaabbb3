// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/sxx_options.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cctype>
#include <charconv>

#include "common/quoting.h"
#include "options/option_mistakes.h"
#include "options/option_table.h"

namespace tapir::driver {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kEnding = ".sxx";
constexpr std::string_view kArgument = "--sxx-argument=";

// The handlers of these scripts keep whole stacks and print them from within probes. The other limits that stap++
// raises are higher here without.
constexpr const char *kActions = "100000";

bool is_name(const std::string &text) {
    return !text.empty() && std::all_of(text.begin(), text.end(),
                                        [](unsigned char c) { return c < 0x80 && (std::isalnum(c) || c == '_'); });
}

Outcome<void> take_argument(SxxOptions &options, const std::string &value) {
    const size_t equal = value.find('=');
    if (equal == std::string::npos || !is_name(value.substr(0, equal)))
        return Fault{FaultTag::Misuse, "Invalid --arg argument '" + value + "' (should be NAME=VALUE)."};
    options.arguments.push_back({value.substr(0, equal), value.substr(equal + 1), "--arg " + value});
    return {};
}

// The text behind "--" of an option that stap does not have.
Outcome<void> take_option(SxxOptions &options, const std::string &value) {
    const size_t equal = value.find('=');
    std::string name = value.substr(0, equal);
    std::replace(name.begin(), name.end(), '-', '_');
    if (equal == std::string::npos)
        return Fault{FaultTag::Misuse, "The option --" + value + " has no value" + similar_options("--" + value) + ".",
                     "an argument of the script has one: --" + value + "=VALUE, or --arg " + name + "=VALUE"};
    options.arguments.push_back({name, value.substr(equal + 1), "--" + value});
    return {};
}

Outcome<void> take_process(int64_t &field, const char *option, const std::string &value) {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), field);
    if (error == std::errc() && end == value.data() + value.size() && field >= 1) return {};
    return Fault{FaultTag::Misuse, "Invalid process ID '" + value + "' (" + option + ").",
                 advice_for_process(option, value)};
}

bool is_script(const std::string &word) {
    return word.ends_with(kEnding) && !word.starts_with('-');
}

// "limit" of "--limit=5"; "" of words that are no long options.
std::string option_name(const std::string &word) {
    if (!word.starts_with("--")) return {};
    return word.substr(2, std::min(word.find('='), word.size()) - 2);
}

}  // namespace

po::options_description sxx_options() {
    const auto text = [](const char *name) { return po::value<std::string>()->value_name(name); };
    po::options_description options("Scripts of stap++ (.sxx)");
    options.add_options()("sxx", "the script is one, with any name of its file, or as a text");
    options.add_options()("arg", text("NAME=VALUE"), "the value of $^arg_NAME, also as --NAME=VALUE; repeatable");
    options.add_options()("args", "list the arguments that the script takes, and stop");
    options.add_options()("master", text("PID"), "$^pid_ok is true for the children of PID, as nginx has them");
    options.add_options()("sample-pid", text("PID"), "$^libNAME_path is looked for among the files of PID, too");
    options.add_options()("dump-src", "print the script in the plain language, and stop");
    return options;
}

OptionHandlers sxx_handlers(SxxOptions &options, std::function<void(const Fault &)> refuse) {
    const auto flag = [](bool &field) { return [&field](const std::string &) { field = true; }; };
    const auto taking = [&refuse](auto take) {
        return [take, refuse](const std::string &value) {
            if (const Outcome<void> taken = take(value); !taken) refuse(taken.fault());
        };
    };
    return {{"sxx", flag(options.on)},
            {"args", flag(options.list_arguments)},
            {"dump-src", flag(options.dump)},
            {"arg", taking([&options](const std::string &v) { return take_argument(options, v); })},
            {"sxx-argument", taking([&options](const std::string &v) { return take_option(options, v); })},
            {"master",
             taking([&options](const std::string &v) { return take_process(options.master_pid, "--master", v); })},
            {"sample-pid",
             taking([&options](const std::string &v) { return take_process(options.sample_pid, "--sample-pid", v); })}};
}

std::vector<std::string> with_sxx_arguments(const std::vector<std::string> &words) {
    const auto end = std::find(words.begin(), words.end(), "--");
    const bool all = std::find(words.begin(), end, "--sxx") != end;
    auto word = all ? words.begin() : std::find_if(words.begin(), end, is_script);
    if (word == end) return words;
    std::vector<std::string> taken(words.begin(), word);
    for (; word != end; ++word) {
        const std::string name = option_name(*word);
        if (!is_name(name.substr(0, name.find('-'))) || accepted_options().find_nothrow(name, false)) {
            taken.push_back(*word);
            continue;
        }
        taken.push_back(std::string(kArgument) + word->substr(2));
        // The value may be the next word.
        const auto next = word + 1;
        if (word->find('=') == std::string::npos && next != end && !next->starts_with('-') && !is_script(*next))
            taken.back().append("=").append(*++word);
    }
    taken.insert(taken.end(), end, words.end());
    return taken;
}

void settle_sxx(Options &options) {
    // A program that is called stap++ has other uses, too.
    options.sxx.on = options.action == Action::Script &&
                     (options.sxx.on || (options.script_file && options.script_file->ends_with(kEnding)));
    const auto is_set = [](const NameValue &define) { return define.name == "MAXACTION"; };
    if (options.sxx.on && std::none_of(options.defines.begin(), options.defines.end(), is_set))
        options.defines.push_back({"MAXACTION", kActions});
}

std::vector<std::string> sxx_conflicts(const Options &o) {
    const SxxOptions &sxx = o.sxx;
    std::vector<std::string> found;
    if (!sxx.on) {
        if (!sxx.arguments.empty() || sxx.list_arguments || sxx.dump || sxx.master_pid || sxx.sample_pid)
            found.push_back(
                "The options --arg, --args, --dump-src, --master and --sample-pid are for scripts of stap++: "
                "files *.sxx, or others with --sxx.");
        return found;
    }
    if (o.target_pid && sxx.master_pid) found.push_back("The -x and --master options exclude each other.");
    if (sxx.list_arguments && sxx.dump) found.push_back("The --args and --dump-src options exclude each other.");
    if (sxx.list_arguments && !sxx.arguments.empty())
        found.push_back("The --args option only lists the script's arguments: they take no values with it.");
    if ((o.vm || !o.remote.empty()) && (o.target_pid || sxx.master_pid || sxx.sample_pid))
        found.push_back(
            "The options -x, --master and --sample-pid name processes of this machine, which guests (--vm) "
            "and other hosts (--remote) do not have: name the program, --exec=PATH.");
    if (!o.remote.empty() && (sxx.list_arguments || sxx.dump))
        found.push_back("The options --args and --dump-src have no use with --remote.");
    return found;
}

bool is_stapxx(const std::string &name) {
    return name.substr(name.rfind('/') + 1) == "stap++";
}

std::vector<std::string> with_sxx(const std::vector<std::string> &args) {
    std::vector<std::string> words = with_split_interpreter_line(args);
    words.insert(words.begin(), "--sxx");
    return words;
}

}  // namespace tapir::driver
