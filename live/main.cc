// SPDX-License-Identifier: GPL-2.0-or-later
// stap-live: shows the tables of a session while it runs.
#include <getopt.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/find_program.h"
#include "common/plain_text.h"
#include "live/viewer.h"

namespace tapir::live {

namespace {

constexpr char kUsage[] =
    "Usage: stap-live [OPTION]... [FILE]\n"
    "       stap-live [OPTION]... -A MODULE\n"
    "       stap-live [OPTION]... -- COMMAND [ARGUMENT]...\n"
    "Show the tables of a session while it runs, from its records (stap --format=json --refresh). Keys: ?\n"
    "\n"
    "  FILE               records that were written to a file; '-': standard input\n"
    "  -A MODULE          a session that was left running (stap -F)\n"
    "  -- COMMAND         a command that writes records; stap --refresh runs itself so\n"
    "  --refresh SECONDS  of -A: how often tables are shown anew (default: 1)\n"
    "  --top N            the N largest rows of each table\n"
    "  --title TEXT       what the head says; by default the command\n"
    "  --plain            blocks of text, on a terminal, too\n"
    "  -V, --version      version\n"
    "  -h, --help         this text\n";

enum { kRefresh = 256, kTop, kTitle, kPlain };

const option kOptions[] = {
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {"refresh", required_argument, nullptr, kRefresh},
    {"top", required_argument, nullptr, kTop},
    {"title", required_argument, nullptr, kTitle},
    {"plain", no_argument, nullptr, kPlain},
    {nullptr, 0, nullptr, 0},
};

int misuse(const std::string &text) {
    fprintf(stderr, "stap-live: %s\nTry 'stap-live --help'.\n", text.c_str());
    return 2;
}

std::vector<std::string> attaching(const std::string &module, uint64_t interval_ms) {
    const std::string beside = program_beside("staprun");
    return {beside.empty() ? "staprun" : beside,
            "-A",
            "--format=json",
            format("--refresh=%llu.%03llu", static_cast<unsigned long long>(interval_ms / 1000),
                   static_cast<unsigned long long>(interval_ms % 1000)),
            "--commands=3",
            module};
}

int run(int argc, char **argv) {
    ViewerSettings settings;
    std::string module;
    uint64_t number = 0;
    for (int option; (option = getopt_long(argc, argv, "+:hVA:", kOptions, nullptr)) != -1;) {
        switch (option) {
            case 'h':
                fputs(kUsage, stdout);
                return 0;
            case 'V':
                printf("Tapir stap-live version %s\n", TAPIR_VERSION);
                return 0;
            case 'A':
                module = optarg;
                break;
            case kRefresh: {
                const double seconds = strtod(optarg, nullptr);
                if (!(seconds >= 0.1 && seconds <= 3600))
                    return misuse(format("--refresh: '%s' is not a number of seconds (0.1 to 3600)", optarg));
                settings.display.interval_ms = static_cast<uint64_t>(seconds * 1000 + 0.5);
                break;
            }
            case kTop:
                if (!parse_unsigned(optarg, number) || number == 0)
                    return misuse(format("--top: '%s' is not a number of rows", optarg));
                settings.display.top = number;
                break;
            case kTitle:
                settings.display.title = optarg;
                break;
            case kPlain:
                settings.plain = true;
                break;
            default:
                return misuse(
                    format(option == ':' ? "option %s needs an argument" : "unknown option %s", argv[optind - 1]));
        }
    }
    const bool has_command = optind > 1 && optind < argc && strcmp(argv[optind - 1], "--") == 0;
    if (!module.empty()) {
        if (optind < argc) return misuse("-A takes one module and nothing else");
        if (!settings.display.interval_ms) settings.display.interval_ms = 1000;
        if (settings.display.title.empty()) settings.display.title = module;
        settings.command = attaching(module, settings.display.interval_ms);
    } else if (has_command) {
        settings.command.assign(argv + optind, argv + argc);
    } else if (optind + 1 == argc) {
        settings.file = argv[optind];
    } else {
        return misuse("it shows records of one FILE, of -A MODULE, or of -- COMMAND");
    }
    return view(settings);
}

}  // namespace

}  // namespace tapir::live

int main(int argc, char **argv) {
    setlocale(LC_ALL, "");
    // The terminal knows its size; these are of when this program began.
    unsetenv("LINES");
    unsetenv("COLUMNS");
    return tapir::live::run(argc, argv);
}
