// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/option_mistakes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "base/name_patterns.h"
#include "common/command_text.h"
#include "options/option_table.h"

namespace tapir::driver {
namespace {

struct Meant {
    std::string_view option;
    std::string_view advice;
};

// Options of other tools.
constexpr Meant kMeant[] = {
    {"--flamegraph", "a flame graph is an output file: -o x.html, of a script with @sample"},
    {"--flame", "a flame graph is an output file: -o x.html, of a script with @sample"},
    {"--svg", "a picture is an output file: -o x.svg, of a script with @sample"},
    {"--html", "a picture is an output file: -o x.html, of a script with @sample"},
    {"--duration", "-T SECONDS ends the session after so long"},
    {"--timeout", "-T SECONDS ends the session after so long"},
    {"--time", "-T SECONDS ends the session after so long"},
    {"--pid", "-x PID makes target() that process"},
    {"--process", "-x PID makes target() that process"},
    {"--output", "-o FILE takes the output"},
    {"--out", "-o FILE takes the output"},
    {"--command", "-c 'COMMAND' starts it, and ends with it"},
    {"--cmd", "-c 'COMMAND' starts it, and ends with it"},
    {"--verbose", "-v says more; repeatable"},
    {"--quiet", "-w suppresses warnings"},
    {"--execute", "-e 'SCRIPT' runs this text"},
    {"--eval", "-e 'SCRIPT' runs this text"},
    {"--list", "-l 'PROBE' lists points, -L 'PROBE' their variables, too"},
    {"--guru", "-g is guru mode"},
    {"--unsafe", "-g is guru mode"},
    {"--include", "-I DIR adds a directory of tapsets"},
    {"--kernel", "-r RELEASE names the kernel to build for"},
    {"--check", "-p2 checks a script without building it; --doctor checks the machine"},
    {"--dry-run", "-p2 checks a script without building it, -p4 builds and does not run it"},
    {"--syntax", "-p1 reads a script, -p2 checks it, too"},
};

constexpr Meant kOnce[] = {
    {"-x", "one process is the target; in handlers, (pid() == 1 || pid() == 2) is true for two"},
    {"-c", "one command is started; 'A & B; wait' is one that starts two"},
    {"-o", "there is one output file"},
    {"-T", "the session ends once"},
    {"-m", "the module has one name"},
    {"-s", "the buffer has one size"},
    {"-S", "the output file is rotated in one way"},
    {"core", "a script looks at one core file"},
    {"cgroup", "handlers run for one control group, and for those below it"},
    {"target-namespaces", "there is one process whose namespaces count"},
};

template <size_t count>
const Meant *look_up(const Meant (&list)[count], std::string_view option) {
    const Meant *found =
        std::find_if(std::begin(list), std::end(list), [&](const Meant &m) { return m.option == option; });
    return found == std::end(list) ? nullptr : found;
}

}  // namespace

std::string similar_options(const std::string &token) {
    const std::vector<std::string> names = long_option_names();
    constexpr size_t kMost = 3, kLongEnough = 5;
    std::vector<std::string> found;
    if (token.size() >= kLongEnough)
        std::copy_if(names.begin(), names.end(), std::back_inserter(found),
                     [&](const std::string &name) { return name.starts_with(token); });
    for (std::string &name : similar_names(token, names, kMost))
        if (std::find(found.begin(), found.end(), name) == found.end()) found.push_back(std::move(name));
    if (found.size() > kMost) found.resize(kMost);
    return similar_text(found);
}

std::string advice_for_option(std::string_view token, const std::string &argument, const std::string &script) {
    const Meant *meant = look_up(kMeant, token);
    std::string advice(meant ? meant->advice : "");
    if (script.empty()) return advice;
    if (!advice.empty()) advice += "; ";
    return advice + "an argument of the script goes behind --: stap " + script + " -- " + shell_word(argument);
}

std::string advice_for_process(std::string_view option, const std::string &value) {
    const std::string name(option);
    if (value.find_first_not_of(" \t\n") == std::string::npos)
        return "there is no number; if pgrep was to find it, no such process runs";
    if (value.find_first_not_of("0123456789 \t\n,") == std::string::npos && value.find_first_of(" \t\n,") != value.npos)
        return "give one process: " + name + " " + value.substr(0, value.find_first_of(" \t\n,"));
    if (value.find_first_not_of("-0123456789") == std::string::npos) return {};
    return "a process is named by its number: " + name + " $(pgrep -o -x " + shell_word(value) +
           "); process(\"PATH\") in a script is every process of a program";
}

std::string advice_for_seconds(const std::string &value) {
    constexpr struct {
        std::string_view unit;
        double seconds;
    } kUnits[] = {{"s", 1},    {"sec", 1},     {"second", 1},   {"seconds", 1}, {"ms", 0.001},
                  {"m", 60},   {"min", 60},    {"mins", 60},    {"minute", 60}, {"minutes", 60},
                  {"h", 3600}, {"hour", 3600}, {"hours", 3600}, {"d", 86400}};
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || !(number > 0) || number > 1e9) return {};
    std::string_view unit(end, static_cast<size_t>(value.data() + value.size() - end));
    while (unit.starts_with(' '))
        unit.remove_prefix(1);
    for (const auto &known : kUnits) {
        if (unit != known.unit) continue;
        char text[32];
        std::snprintf(text, sizeof text, "%.10g", number * known.seconds);
        return "the number has no unit: -T " + std::string(text);
    }
    return {};
}

std::optional<std::string> why_not_twice(std::string_view option) {
    const Meant *once = look_up(kOnce, option);
    return once ? std::optional<std::string>(once->advice) : std::nullopt;
}

}  // namespace tapir::driver
