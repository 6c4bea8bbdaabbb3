// SPDX-License-Identifier: GPL-2.0-or-later
#include "watch/watch_options.h"

#include <getopt.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "common/command_words.h"
#include "common/percentage.h"
#include "common/plain_text.h"

namespace tapir::watch {

namespace {

constexpr char kUsage[] =
    "Usage: stap-watch TOOL... [OPTION]...\n"
    "       stap-watch --status|--stop [--folder=DIR]\n"
    "Have tools watch this machine for weeks: sessions that follow each other, with a capture each.\n"
    "\n"
    "  TOOL               a tool of stap; with its options as one word: 'oncpu -p 4711'\n"
    "  --folder=DIR       where captures go, in a folder for each tool (default: /var/lib/tapir/watch)\n"
    "  --every=TIME       the length of a session (default: 10m)\n"
    "  --keep=N           captures of a tool that stay (default: 144; 0: any number)\n"
    "  --keep-size=MB     megabytes of them (default: 256; 0: any number)\n"
    "  --keep-age=TIME    how long one stays (default: any time)\n"
    "  --hz=N             samples a second on each processor, of tools that sample (default: 19)\n"
    "  --budget=PERCENT   the share of each processor that probes may take (default: 0.2%; none: no limit)\n"
    "  --on=PRESSURE      a session begins when tasks wait so much: 'cpu some 15%', 'io full 5% 4s'; repeatable\n"
    "  --status           what is watched, and how it goes\n"
    "  --stop             end all sessions, and the program that watches\n"
    "  -V, --version      version\n"
    "  -h, --help         this text\n";

enum { kFolder = 256, kEvery, kKeep, kKeepSize, kKeepAge, kHz, kBudget, kOn, kStatus, kStop };

const option kOptions[] = {
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {"folder", required_argument, nullptr, kFolder},
    {"every", required_argument, nullptr, kEvery},
    {"keep", required_argument, nullptr, kKeep},
    {"keep-size", required_argument, nullptr, kKeepSize},
    {"keep-age", required_argument, nullptr, kKeepAge},
    {"hz", required_argument, nullptr, kHz},
    {"budget", required_argument, nullptr, kBudget},
    {"on", required_argument, nullptr, kOn},
    {"status", no_argument, nullptr, kStatus},
    {"stop", no_argument, nullptr, kStop},
    {nullptr, 0, nullptr, 0},
};

constexpr uint64_t kLeastSession = 1000, kMostSession = 86'400'000;  // ms

Fault misuse(const std::string &text) {
    return {FaultTag::Misuse, text, "stap-watch --help lists the options"};
}

// Letters, digits and single dashes.
std::string name_of(const std::vector<std::string> &words) {
    std::string out;
    for (const std::string &word : words) {
        if (!out.empty()) out += '-';
        for (const char c : word.substr(&word == &words.front() ? word.rfind('/') + 1 : 0)) {
            const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
            if (plain || (!out.empty() && out.back() != '-')) out += plain ? c : '-';
        }
    }
    constexpr size_t kLongest = 60;
    out.resize(std::min(out.size(), kLongest));
    while (!out.empty() && out.back() == '-')
        out.pop_back();
    if (out.empty() || out.front() == '.') out.insert(0, "tool");
    return out;
}

Outcome<void> add_tool(const std::string &text, Options &out) {
    Wanted tool;
    if (!split_words(text, tool.words) || tool.words.empty())
        return misuse("'" + text + "' is no tool with options: quotes, blanks and words are all that it may have");
    tool.name = name_of(tool.words);
    // Its sessions work elsewhere.
    std::error_code error;
    for (std::string &word : tool.words)
        if (word.find('/') != std::string::npos && std::filesystem::exists(word, error))
            word = std::filesystem::absolute(word);
    const auto same = [&](const std::string &name) {
        return std::any_of(out.tools.begin(), out.tools.end(), [&](const Wanted &t) { return t.name == name; });
    };
    for (int more = 2; same(tool.name); more++)
        tool.name = name_of(tool.words) + "-" + std::to_string(more);
    out.tools.push_back(std::move(tool));
    return {};
}

Outcome<uint64_t> number(const char *option, const std::string &text, uint64_t least, uint64_t most) {
    uint64_t value = 0;
    if (parse_unsigned(text, value) && value >= least && value <= most) return value;
    return misuse(std::string(option) + "=" + text + ": it takes a number from " + std::to_string(least) + " to " +
                  std::to_string(most));
}

Outcome<uint64_t> duration(const char *option, const std::string &text, uint64_t least, uint64_t most) {
    const std::optional<uint64_t> ms = read_duration(text);
    if (ms && *ms >= least && *ms <= most) return *ms;
    return misuse(std::string(option) + "=" + text + ": it takes a time such as 90s, 10m or 2h, from " +
                  std::to_string(least / 1000) + "s to " + std::to_string(most / 1000) + "s");
}

template <typename T>
Outcome<void> keep(const Outcome<T> &value, T &to) {
    if (!value) return value.fault();
    to = *value;
    return {};
}

Outcome<void> take_limit(int option, const std::string &text, Options &out) {
    constexpr uint64_t kMany = 1'000'000, kMegabyte = uint64_t{1} << 20, kYears = uint64_t{3650} * 86'400'000;
    switch (option) {
        case kEvery:
            return keep(duration("--every", text, kLeastSession, kMostSession), out.every_ms);
        case kKeep:
            return keep(number("--keep", text, 0, kMany), out.keeping.captures);
        case kKeepSize: {
            const Outcome<void> kept = keep(number("--keep-size", text, 0, kMany), out.keeping.bytes);
            out.keeping.bytes *= kept ? kMegabyte : 1;
            return kept;
        }
        case kKeepAge: {
            const Outcome<void> kept = keep(duration("--keep-age", text, 1000, kYears), out.keeping.seconds);
            out.keeping.seconds /= kept ? 1000 : 1;
            return kept;
        }
        default:
            return keep(number("--hz", text, 1, 10000), out.hz);
    }
}

Outcome<void> take(int option, const std::string &text, Options &out) {
    switch (option) {
        case 'h':
            out.action = Options::Action::Help;
            return {};
        case 'V':
            out.action = Options::Action::Version;
            return {};
        case kStatus:
            out.action = Options::Action::Status;
            return {};
        case kStop:
            out.action = Options::Action::Stop;
            return {};
        case kFolder:
            if (text.empty()) return misuse("--folder takes the name of a folder");
            out.folder = text;
            return {};
        case kBudget:
            if (text != "none" && !hundredths_of_percent(text))
                return misuse("--budget=" + text + ": it takes 0.01 to 100 percent, or none");
            out.budget = text == "none" ? "" : text;
            return {};
        case kOn: {
            const Outcome<Pressure> pressure = read_pressure(text);
            if (!pressure) return pressure.fault();
            out.on.push_back(*pressure);
            return {};
        }
        default:
            return take_limit(option, text, out);
    }
}

}  // namespace

std::optional<uint64_t> read_duration(const std::string &text) {
    char *end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    constexpr std::pair<const char *, double> kUnits[] = {
        {"ms", 1}, {"s", 1000}, {"", 1000}, {"m", 60'000}, {"min", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
    if (end == text.c_str() || !std::isdigit(static_cast<unsigned char>(text[0])) || !(value < 1e9))
        return std::nullopt;
    for (const auto &[unit, ms] : kUnits)
        if (unit == std::string_view(end)) return static_cast<uint64_t>(value * ms + 0.5);
    return std::nullopt;
}

std::string help_text() {
    return kUsage;
}

// Sessions do not share by a file (--budget-file): they then know what others took in the last moments, in which tools
// that are hit seldom took nothing, so that each of these would take the whole.
std::string Options::budget_of_one() const {
    if (budget.empty()) return "";
    const auto all = hundredths_of_percent(budget).value_or(1);
    const auto count = static_cast<uint32_t>(std::max<size_t>(tools.size(), 1));
    return format("%g%%", std::max(all / count, 1u) / 100.0);
}

Outcome<Options> parse_options(const std::vector<std::string> &arguments) {
    Options out;
    std::string program = "stap-watch";
    std::vector<char *> argv = {program.data()};
    std::vector<std::string> words = arguments;
    for (std::string &word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    optind = 0;
    opterr = 0;
    const auto argc = static_cast<int>(argv.size() - 1);
    for (int option; (option = getopt_long(argc, argv.data(), "-:hV", kOptions, nullptr)) != -1;) {
        const std::string last = argv[optind - 1];
        if (option == '?') return misuse("there is no option '" + last + "'");
        if (option == ':') return misuse("'" + last + "' lacks its value");
        if (option == 1) {
            if (const Outcome<void> added = add_tool(optarg, out); !added) return added.fault();
            continue;
        }
        if (const Outcome<void> good = take(option, optarg ? optarg : "", out); !good) return good.fault();
    }
    for (; optind < argc; optind++)
        if (const Outcome<void> added = add_tool(argv[optind], out); !added) return added.fault();
    // Sessions work in folders of their own.
    out.folder = std::filesystem::absolute(out.folder.empty() ? "/var/lib/tapir/watch" : out.folder);
    if (out.action == Options::Action::Watch && out.tools.empty()) return misuse("which tool is to watch?");
    if ((out.action == Options::Action::Status || out.action == Options::Action::Stop) && !out.tools.empty())
        return misuse("--status and --stop are about all tools of the folder");
    if (!out.budget.empty() && *hundredths_of_percent(out.budget) < out.tools.size())
        return misuse("--budget=" + out.budget + ": each of the " + std::to_string(out.tools.size()) +
                      " tools takes 0.01 percent at least");
    return out;
}

}  // namespace tapir::watch
