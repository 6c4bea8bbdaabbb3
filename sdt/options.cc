// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>

#include <algorithm>

#include "sdt/dtrace_command.h"

namespace tapir::sdt {
namespace {

enum LongOnly { kTypes = 256, kHelp, kVersion };

constexpr option kLongOptions[] = {
    {"types", no_argument, nullptr, kTypes},
    {"help", no_argument, nullptr, kHelp},
    {"version", no_argument, nullptr, kVersion},
    {nullptr, 0, nullptr, 0},
};

Fault misuse(const std::string &text) {
    return {FaultTag::Misuse, text, "dtrace --help lists the options"};
}

// Words that are taken for several letters by getopt(3); DTrace and compilers have them.
bool take_width(const std::string &word, Options &options) {
    if (word == "-32" || word == "-m32") options.m32 = true;
    return word == "-32" || word == "-m32" || word == "-64" || word == "-m64";
}

Outcome<void> choose(Options &options, Options::Make make) {
    if (options.make != Options::Make::Nothing && options.make != make)
        return misuse("-h and -G cannot be given together");
    options.make = make;
    return {};
}

}  // namespace

const char *const kUsage =
    "Usage: dtrace -h [OPTIONS] -s FILE.d    make a header with a macro for each mark\n"
    "   or: dtrace -G [OPTIONS] -s FILE.d    make an object with their semaphores\n"
    "\n"
    "  -s FILE      the file that declares providers and probes; repeatable; - is standard input\n"
    "  -o FILE      where to write (FILE.h or FILE.o in the working directory)\n"
    "  -C           have the C preprocessor read the file first\n"
    "  -I DIR, -D NAME[=VALUE], -U NAME\n"
    "               for the C preprocessor\n"
    "  -k           keep temporary files: OUTPUT.c with -G, OUTPUT.i with -C\n"
    "  --types      with -h: a type for each argument, PROVIDER_PROBE_argN\n"
    "  -32          with -G: an object for 32 bits (-64 is accepted)\n"
    "  -x NAME[=VALUE], -v, -q, -w, -Z, and objects after the options\n"
    "               accepted for DTrace's sake, without effect\n"
    "  --help       print this summary\n"
    "  --version    print the version\n"
    "\n"
    "CC, CFLAGS and CPP name the compiler, its options and the preprocessor.\n";

std::string Options::output_path() const {
    if (!output.empty()) return output;
    std::string name = sources.front().substr(sources.front().rfind('/') + 1);
    if (const size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0) name.resize(dot);
    return name + (make == Make::Header ? ".h" : ".o");
}

Outcome<Options> read_options(const std::vector<std::string> &words) {
    Options options;
    std::vector<char *> argv = {const_cast<char *>("dtrace")};
    for (const std::string &word : words)
        if (!take_width(word, options)) argv.push_back(const_cast<char *>(word.c_str()));
    const int argc = static_cast<int>(argv.size());
    argv.push_back(nullptr);
    optind = 0;  // getopt(3) begins anew
    opterr = 0;
    for (int letter = 0;
         (letter = getopt_long(argc, argv.data(), ":hGs:o:CI:D:U:kx:vqwZV", kLongOptions, nullptr)) != -1;) {
        const std::string value = optarg ? optarg : "";
        Outcome<void> chosen;
        switch (letter) {
            case 'h':
                chosen = choose(options, Options::Make::Header);
                break;
            case 'G':
                chosen = choose(options, Options::Make::Object);
                break;
            case 's':
                options.sources.push_back(value);
                break;
            case 'o':
                options.output = value;
                break;
            case 'C':
                options.preprocess = true;
                break;
            case 'I':
            case 'D':
            case 'U':
                options.for_preprocessor.push_back("-" + std::string(1, static_cast<char>(letter)) + value);
                break;
            case 'k':
                options.keep = true;
                break;
            case 'x':
            case 'v':
            case 'q':
            case 'w':
            case 'Z':
                break;
            case kTypes:
                options.types = true;
                break;
            case kHelp:
                options.help = true;
                break;
            case 'V':
            case kVersion:
                options.version = true;
                break;
            case ':':
                return misuse("the option '" + std::string(argv[static_cast<size_t>(optind) - 1]) + "' needs a value");
            default:
                return misuse("there is no option '" +
                              (optopt && optopt < 256 ? "-" + std::string(1, static_cast<char>(optopt))
                                                      : std::string(argv[static_cast<size_t>(optind) - 1])) +
                              "'");
        }
        if (!chosen) return chosen.fault();
    }
    if (options.help || options.version) return options;
    if (options.make == Options::Make::Nothing) return misuse("neither -h nor -G says what to make");
    if (options.sources.empty()) return misuse("-s has to name the file with the providers");
    if (options.output.empty() && options.sources.front() == "-") return misuse("-o has to name the output of -s -");
    return options;
}

}  // namespace tapir::sdt
