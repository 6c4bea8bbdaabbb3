// SPDX-License-Identifier: GPL-2.0-or-later
#include "loader_options.h"

#include <fcntl.h>
#include <getopt.h>
#include <tapir/limit_names.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <cstring>

#include "capture/picture_files.h"
#include "common/command_text.h"
#include "common/percentage.h"
#include "common/plain_text.h"

namespace tapir::staprun {

namespace {

constexpr uint64_t kMegabyte = 1024 * 1024;
constexpr uint64_t kMaxBufferMegabytes = 4095;
constexpr uint64_t kMaxStackMegabytes = 1024;
constexpr uint64_t kDefaultTimesMegabytes = 16;
constexpr uint64_t kMaxReadMs = 3600 * 1000;
constexpr uint64_t kMaxPid = 4194304;  // PID_MAX_LIMIT

enum LongOnly {
    kLimit = 256,
    kLedger,
    kSuppress,
    kColor,
    kDoctor,
    kJson,
    kBulk,
    kDuration,
    kCgroup,
    kMangled,
    kStackMemory,
    kTimes,
    kMaxEvents,
    kUntil,
    kRecord,
    kRecordAs,
    kDelay,
    kFrom,
    kMinQuality,
    kAcceptPartial,
    kOwn,
    kCommandLine,
    kCompatible,
    kCommandStatus,
    kFormat,
    kOnOverload,
    kRefresh,
    kCommands,
    kBudget,
    kBudgetFile,
};

const option kLongOptions[] = {
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {"limit", required_argument, nullptr, kLimit},
    {"ledger", required_argument, nullptr, kLedger},
    {"record", required_argument, nullptr, kRecord},
    {"record-as", required_argument, nullptr, kRecordAs},
    {"suppress-handler-errors", no_argument, nullptr, kSuppress},
    {"color", required_argument, nullptr, kColor},
    {"colour", required_argument, nullptr, kColor},
    {"doctor", no_argument, nullptr, kDoctor},
    {"json", no_argument, nullptr, kJson},
    {"mangled", no_argument, nullptr, kMangled},
    {"cgroup", required_argument, nullptr, kCgroup},
    {"target-namespaces", required_argument, nullptr, 'N'},
    {"bulk", no_argument, nullptr, kBulk},
    {"duration", required_argument, nullptr, kDuration},
    {"stack-memory", required_argument, nullptr, kStackMemory},
    {"times", optional_argument, nullptr, kTimes},
    {"max-events", required_argument, nullptr, kMaxEvents},
    {"until", required_argument, nullptr, kUntil},
    {"delay", required_argument, nullptr, kDelay},
    {"from", required_argument, nullptr, kFrom},
    {"min-quality", required_argument, nullptr, kMinQuality},
    {"accept-partial", no_argument, nullptr, kAcceptPartial},
    {"own", required_argument, nullptr, kOwn},
    {"command-line", required_argument, nullptr, kCommandLine},
    {"compatible", no_argument, nullptr, kCompatible},
    {"command-status", no_argument, nullptr, kCommandStatus},
    {"format", required_argument, nullptr, kFormat},
    {"on-overload", required_argument, nullptr, kOnOverload},
    {"refresh", required_argument, nullptr, kRefresh},
    {"commands", required_argument, nullptr, kCommands},
    {"budget", required_argument, nullptr, kBudget},
    {"budget-file", required_argument, nullptr, kBudgetFile},
    {nullptr, 0, nullptr, 0},
};

Fault misuse(const std::string &text) {
    return {FaultTag::Misuse, text};
}

Outcome<void> split_assignment(const std::string &word, NamedValue &out) {
    size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
        return misuse(format("'%s' is not of the form name=value", word.c_str()));
    out.name = word.substr(0, equals);
    out.value = word.substr(equals + 1);
    for (size_t i = 0; i < out.name.size(); i++) {
        char c = out.name[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9'))
            return misuse(format("'%s' in '%s' is not a variable name", out.name.c_str(), word.c_str()));
    }
    if (out.name.size() >= TAPIR_NAME_MAX) return misuse(format("variable name '%s' is too long", out.name.c_str()));
    return {};
}

void set_limit(Options &options, unsigned limit, uint64_t value, const char *option) {
    options.limits[limit] = value;
    options.limited_by[limit] = option;
}

Outcome<void> take_limit(const std::string &word, Options &options) {
    NamedValue pair;
    if (Outcome<void> split = split_assignment(word, pair); !split) return misuse("--limit: " + split.fault().text);
    for (unsigned i = 0; i < TAPIR_LIMITS; i++) {
        if (pair.name != tapir_limit_names[i]) continue;
        uint64_t value = 0;
        bool positive = i == TAPIR_LIMIT_MAXNESTING || i == TAPIR_LIMIT_MAXMAPENTRIES || i == TAPIR_LIMIT_MAXTIME ||
                        i == TAPIR_LIMIT_MAXRECALLTHREADS;
        if (!parse_unsigned(pair.value, value) || (positive && value == 0))
            return misuse(format("--limit %s: '%s' is not a %s", tapir_limit_names[i], pair.value.c_str(),
                                 positive ? "positive number" : "number"));
        set_limit(options, i, value, "--limit");
        return {};
    }
    std::string names;
    for (const char *name : tapir_limit_names)
        names += std::string(names.empty() ? "" : ", ") + name;
    return misuse(format("--limit: unknown limit '%s' (known: %s)", pair.name.c_str(), names.c_str()));
}

Outcome<void> take_rotation(const std::string &word, Options &options) {
    size_t comma = word.find(',');
    uint64_t megabytes = 0;
    if (!parse_unsigned(word.substr(0, comma), megabytes) || megabytes == 0 || megabytes > UINT64_MAX / kMegabyte)
        return misuse(format("-S: '%s' is not a size in megabytes", word.substr(0, comma).c_str()));
    options.rotate_bytes = megabytes * kMegabyte;
    if (comma == std::string::npos) return {};
    if (!parse_unsigned(word.substr(comma + 1), options.rotate_files) || options.rotate_files == 0)
        return misuse(format("-S: '%s' is not a number of files", word.substr(comma + 1).c_str()));
    return {};
}

// Seconds with an optional fraction.
Outcome<void> take_seconds(const char *option, const std::string &word, uint64_t &out) {
    size_t dot = word.find('.');
    uint64_t seconds = 0;
    std::string fraction = dot == std::string::npos ? "" : word.substr(dot + 1);
    bool good = parse_unsigned(word.substr(0, dot), seconds) && seconds <= 1000000000 && fraction.size() <= 9 &&
                fraction.find_first_not_of("0123456789") == std::string::npos;
    if (dot != std::string::npos && fraction.empty()) good = false;
    uint64_t nanoseconds = 0;
    for (size_t i = 0; i < 9; i++)
        nanoseconds = nanoseconds * 10 + (i < fraction.size() ? static_cast<uint64_t>(fraction[i] - '0') : 0);
    out = good ? seconds * 1000000000 + nanoseconds : 0;
    if (!out) return misuse(format("%s: '%s' is not a positive number of seconds", option, word.c_str()));
    return {};
}

// Milliseconds, as other loaders of this language take them.
Outcome<void> take_reader_timeout(const std::string &word, Options &options) {
    uint64_t ms = 0;
    if (!parse_unsigned(word, ms) || ms == 0 || ms > kMaxReadMs)
        return misuse(
            format("-T: '%s' is not a number of milliseconds (1..3600000) that output may wait in the buffers; "
                   "--duration=SECONDS ends the session after a time",
                   word.c_str()));
    options.read_ms = static_cast<int>(ms);
    return {};
}

// Takes the number of this machine among several, and the URI that named it: N:URI.
Outcome<void> take_remote(const std::string &word, Options &options) {
    const size_t colon = word.find(':');
    uint64_t number = 0;
    if (colon == std::string::npos || !parse_unsigned(word.substr(0, colon), number) || number > INT32_MAX)
        return misuse(format("-r: '%s' is not of the form N:URI, N being the number of this machine", word.c_str()));
    options.remote_id = static_cast<int32_t>(number);
    options.remote_uri = word.substr(colon + 1);
    if (options.remote_uri.size() < TAPIR_REMOTE_MAX) return {};
    return misuse(format("-r: the name of the machine is longer than %d bytes", TAPIR_REMOTE_MAX - 1));
}

Outcome<void> take_color(const std::string &word, Options &options) {
    if (word == "never") {
        options.color = Coloring::Never;
    } else if (word == "auto") {
        options.color = Coloring::Auto;
    } else if (word == "always") {
        options.color = Coloring::Always;
    } else {
        return misuse(format("-C: '%s' is not one of never, auto, always", word.c_str()));
    }
    return {};
}

// Options without a value that set a member.
struct Flag {
    int option;
    bool Options::*member;
};
constexpr Flag kFlags[] = {
    {kJson, &Options::json},
    {'w', &Options::no_warnings},
    {'R', &Options::rename},
    {'L', &Options::load_only},
    {'D', &Options::daemon},
    {'t', &Options::timing},
    {kBulk, &Options::bulk},
    {kMangled, &Options::mangled},
    {kSuppress, &Options::suppress_errors},
    {kCompatible, &Options::compatible},
    {kCommandStatus, &Options::command_status},
};

// Options without a value that say what to do instead of running a module.
struct Doing {
    int option;
    Action action;
};
constexpr Doing kDoings[] = {
    {'h', Action::Help},   {'V', Action::Version},    {'A', Action::Attach},
    {'d', Action::Remove}, {kDoctor, Action::Doctor},
};

Outcome<void> take_process(char option, const std::string &word, int64_t &field) {
    uint64_t pid = 0;
    if (!parse_unsigned(word, pid) || pid == 0 || pid > kMaxPid)
        return misuse(format("-%c: '%s' is not a process id", option, word.c_str()));
    field = static_cast<int64_t>(pid);
    return {};
}

Outcome<void> take_cgroup(const std::string &word, Options &options) {
    options.cgroup = word;
    return word.empty() ? Outcome<void>(misuse("--cgroup: the path is empty")) : Outcome<void>();
}

Outcome<void> take_buffer(char option, const std::string &word, Options &options) {
    uint64_t megabytes = 0;
    if (!parse_unsigned(word, megabytes) || megabytes == 0 || megabytes > kMaxBufferMegabytes)
        return misuse(format("-%c: '%s' is not a buffer size in megabytes (1..4095)%s", option, word.c_str(),
                             option == 'b' ? "; --bulk writes a file for each CPU" : ""));
    set_limit(options, TAPIR_LIMIT_BUFFER_BYTES, megabytes * kMegabyte, option == 'b' ? "-b" : "-s");
    return {};
}

// Moves standard input, so that neither the script nor a program of -c reads it. -1: it cannot.
int moved_standard_input() {
    const int moved = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (moved < 0 || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0) return -1;
    close(nothing);
    return moved;
}

Outcome<void> take_commands(const std::string &word, Options &options) {
    uint64_t number = 0;
    const bool is_number = parse_unsigned(word, number) && number <= INT_MAX;
    int descriptor = is_number ? static_cast<int>(number) : -1;
    if (descriptor == STDIN_FILENO) descriptor = moved_standard_input();
    if (descriptor <= STDERR_FILENO || fcntl(descriptor, F_GETFD) < 0)
        return misuse(format("--commands: '%s' is not an open descriptor, 0 or above 2", word.c_str()));
    options.commands = descriptor;
    return {};
}

Outcome<void> take_stack_memory(const std::string &word, Options &options) {
    uint64_t megabytes = 0;
    if (!parse_unsigned(word, megabytes) || megabytes == 0 || megabytes > kMaxStackMegabytes)
        return misuse(format("--stack-memory: '%s' is not a size in megabytes (1..1024)", word.c_str()));
    set_limit(options, TAPIR_LIMIT_STACK_BYTES, megabytes * kMegabyte, "--stack-memory");
    return {};
}

// "warn", "stop", or "stop:PERCENT" of a processor's time.
Outcome<void> take_on_overload(const std::string &word, Options &options) {
    constexpr uint64_t kUsual = 50, kPercent = TAPIR_SHARE_ALL / 100;
    uint64_t percent = kUsual;
    const bool stops = word == "stop" || word.starts_with("stop:");
    const bool valid = word.size() <= 5 || (parse_unsigned(word.substr(5), percent) && percent && percent <= 100);
    if (word != "warn" && (!stops || !valid || word == "stop:"))
        return misuse(format("--on-overload: '%s' is not one of warn, stop, stop:PERCENT (1..100)", word.c_str()));
    set_limit(options, TAPIR_LIMIT_OVERLOAD, stops ? percent * kPercent : 0, "--on-overload");
    return {};
}

Outcome<void> take_budget(const std::string &word, Options &options) {
    const std::optional<uint32_t> share = hundredths_of_percent(word);
    if (!share)
        return misuse(format("--budget: '%s' is not a percentage such as 5 or 0.5%% (0.01 to 100)", word.c_str()));
    set_limit(options, TAPIR_LIMIT_BUDGET, *share, "--budget");
    return {};
}

Outcome<void> take_times(const std::string &word, Options &options) {
    uint64_t megabytes = kDefaultTimesMegabytes;
    if (!word.empty() && (!parse_unsigned(word, megabytes) || megabytes == 0 || megabytes > kMaxStackMegabytes))
        return misuse(format("--times: '%s' is not a size in megabytes (1..1024)", word.c_str()));
    // This global is in tapsets/flame.stp. --from asks for it, too.
    std::erase_if(options.globals, [](const NamedValue &global) { return global.name == "__sample_times"; });
    options.globals.push_back({"__sample_times", std::to_string(megabytes)});
    return {};
}

// This global and that of --until are in tapsets/trigger.stp.
Outcome<void> take_max_events(const std::string &word, Options &options) {
    uint64_t events = 0;
    if (!parse_unsigned(word, events) || events == 0 || events > UINT32_MAX)
        return misuse(format("--max-events: '%s' is not a number from 1 on", word.c_str()));
    options.globals.push_back({"__trigger_most", std::to_string(events)});
    return {};
}

// The capture includes earlier samples that the picture leaves out, so samples need times.
Outcome<void> take_from(const std::string &word, Options &options) {
    uint64_t from = 0;
    if (Outcome<void> good = take_seconds("--from", word, from); !good) return good;
    options.picture_options.push_back("--from=" + word);
    for (const NamedValue &global : options.globals)
        if (global.name == "__sample_times") return {};
    return take_times("", options);
}

Outcome<void> take_min_quality(const std::string &word, Options &options) {
    char *end = nullptr;
    const double percent = strtod(word.c_str(), &end);
    if (word.empty() || *end || !(percent >= 0 && percent <= 100))
        return misuse(format("--min-quality: '%s' is not a percentage (0 to 100)", word.c_str()));
    options.picture_options.push_back("--min-quality=" + word);
    return {};
}

Outcome<void> take_global(const std::string &word, Options &options) {
    NamedValue pair;
    if (Outcome<void> split = split_assignment(word, pair); !split) return misuse("-G: " + split.fault().text);
    options.globals.push_back(pair);
    return {};
}

// Options that nothing can be wrong with. False: it is none of them.
bool take_plain(int option, const std::string &word, Options &options) {
    for (const Flag &flag : kFlags)
        if (flag.option == option) {
            options.*flag.member = true;
            return true;
        }
    for (const Doing &doing : kDoings)
        if (doing.option == option) {
            options.action = doing.action;
            return true;
        }
    switch (option) {
        case 'v':
            options.verbose++;
            return true;
        case kAcceptPartial:
            options.picture_options.emplace_back("--accept-partial");
            return true;
        case kOwn:
            options.picture_options.push_back("--own=" + word);
            return true;
        case kCommandLine:
            options.command_line = word;
            return true;
        case kRecordAs:
            options.record_name = word;
            options.record_named = true;
            return true;
        case 'u':  // there is no module for probes of programs
            return true;
        default:
            return false;
    }
}

Outcome<void> take_option(int option, const std::string &word, Options &options) {
    if (take_plain(option, word, options)) return {};
    switch (option) {
        case kLimit:
            return take_limit(word, options);
        case 'C':
        case kColor:
            return take_color(word, options);
        case 'r':
            return take_remote(word, options);
        case kFormat:
            if (tapir_form_of(word.c_str(), &options.form)) return {};
            return misuse(format("--format: '%s' is not one of text, json, csv", word.c_str()));
        case kRefresh:
            return take_seconds("--refresh", word, options.refresh_ns);
        case kCommands:
            return take_commands(word, options);
        case kDuration:
            return take_seconds("--duration", word, options.run_ns);
        case kDelay:
            return take_seconds("--delay", word, options.delay_ns);
        case kFrom:
            return take_from(word, options);
        case kMinQuality:
            return take_min_quality(word, options);
        case 'T':
            return take_reader_timeout(word, options);
        case 'S':
            return take_rotation(word, options);
        case 'o':
            options.output_file = word;
            return word.empty() ? Outcome<void>(misuse("-o: the file name is empty")) : Outcome<void>();
        case kLedger:
            options.ledger_file = word;
            return word.empty() ? Outcome<void>(misuse("--ledger: the file name is empty")) : Outcome<void>();
        case kRecord:
            options.record_file = word;
            return word.empty() ? Outcome<void>(misuse("--record: the file name is empty")) : Outcome<void>();
        case 'c':
            options.command = word;
            options.has_command = true;
            return word.find_first_not_of(" \t\n") == std::string::npos
                       ? Outcome<void>(misuse("-c: the command is empty"))
                       : Outcome<void>();
        case 'x':
            return take_process('x', word, options.target);
        case 'N':
            return take_process('N', word, options.namespaces);
        case kCgroup:
            return take_cgroup(word, options);
        case 's':
        case 'b':
            return take_buffer(static_cast<char>(option), word, options);
        case kStackMemory:
            return take_stack_memory(word, options);
        case kOnOverload:
            return take_on_overload(word, options);
        case kBudget:
            return take_budget(word, options);
        case kBudgetFile:
            options.budget_file = word;
            return word.empty() ? Outcome<void>(misuse("--budget-file: the file name is empty")) : Outcome<void>();
        case kTimes:
            return take_times(word, options);
        case kMaxEvents:
            return take_max_events(word, options);
        case kUntil:
            if (word.empty()) return misuse("--until: the name of the trigger is empty");
            options.globals.push_back({"__trigger_until", word});
            return {};
        case 'G':
            return take_global(word, options);
        default:
            return misuse("unexpected option");
    }
}

Outcome<void> take_words(const std::vector<std::string> &words, Options &options) {
    if (options.action == Action::Remove) {
        options.modules = words;
        return words.empty() ? Outcome<void>(misuse("-d needs the name of a module")) : Outcome<void>();
    }
    if (options.action == Action::Doctor)
        return words.empty() ? Outcome<void>() : Outcome<void>(misuse("--doctor takes no module"));
    if (words.empty()) return misuse("no module given");
    options.module = words[0];
    for (size_t i = 1; i < words.size(); i++) {
        NamedValue pair;
        if (Outcome<void> split = split_assignment(words[i], pair); !split) return split;
        options.globals.push_back(pair);
    }
    return {};
}

Outcome<void> find_conflict(const Options &o) {
    const bool picture = !o.bulk && capture::names_picture(o.output_file);
    struct Use {
        bool given;
        const char *name;
    };
    const Use starting[] = {{o.has_command, "-c"},
                            {o.target != 0, "-x"},
                            {o.namespaces != 0, "-N"},
                            {!o.cgroup.empty(), "--cgroup"},
                            {!o.budget_file.empty(), "--budget-file"},
                            {o.load_only, "-L"},
                            {o.rename, "-R"},
                            {!o.globals.empty(), "name=value"},
                            {o.remote_id >= 0, "-r"},
                            {o.delay_ns != 0, "--delay"},
                            {o.timing, "-t"},
                            {o.suppress_errors, "--suppress-handler-errors"}};
    if (o.action == Action::Attach) {
        for (const Use &use : starting)
            if (use.given)
                return misuse(format("-A and %s exclude each other: the session has already started", use.name));
        for (const std::optional<uint64_t> &limit : o.limits)
            if (limit) return misuse("-A and limits exclude each other: the session has already started");
        // A module hands out each object once, to the staprun that has loaded it.
        if (picture || !o.record_file.empty())
            return misuse(
                format("-A and %s exclude each other: only the staprun that started the session can name "
                       "the frames of its samples",
                       picture ? ("-o " + o.output_file + ", a picture,").c_str() : "--record"));
    }
    if (!o.budget_file.empty() && !o.limits[TAPIR_LIMIT_BUDGET].value_or(0))
        return misuse("--budget-file needs --budget: the share of each processor that this session may take");
    if (o.form != TAPIR_FORM_TEXT && o.bulk)
        return misuse("--format and --bulk exclude each other: records are in the order of all CPUs");
    if (o.refresh_ns && o.form != TAPIR_FORM_JSON)
        return misuse("--refresh needs --format=json; stap-live draws tables of the records");
    if (o.form == TAPIR_FORM_CSV && o.rotate_bytes)
        return misuse("--format=csv and -S exclude each other: the head of a table is in its first file alone");
    if (o.json && o.action != Action::Doctor) return misuse("--json is for --doctor");
    const Use reading[] = {{!o.output_file.empty(), "-o"},
                           {o.has_command, "-c"},
                           {o.run_ns != 0, "--duration"},
                           {o.read_ms != 0, "-T"},
                           {o.bulk, "--bulk"},
                           {o.form != TAPIR_FORM_TEXT, "--format"},
                           {o.daemon, "-D"},
                           {!o.ledger_file.empty(), "--ledger"},
                           {!o.record_file.empty(), "--record"},
                           {o.delay_ns != 0, "--delay"}};
    if (o.load_only) {
        for (const Use &use : reading)
            if (use.given)
                return misuse(format("-L and %s exclude each other: staprun leaves as soon as probes run", use.name));
    }
    if (o.has_command && o.target != 0) return misuse("-c and -x exclude each other: both set the target process");
    if (o.record_named && o.record_file.empty()) return misuse("--record-as needs --record FILE");
    if (!o.picture_options.empty() && !picture)
        return misuse(
            format("%s is for pictures (-o FILE.html, FILE.svg and the like); stap-report has it for captures",
                   o.picture_options[0].substr(0, o.picture_options[0].find('=')).c_str()));
    if (o.rotate_bytes && o.output_file.empty() && !o.bulk) return misuse("-S needs -o FILE");
    if (o.daemon && o.output_file.empty() && !o.bulk) return misuse("-D needs -o FILE");
    return {};
}

std::string unknown_option(const char *word, int option) {
    // Options of other loaders of this language, whose meaning must not be guessed.
    if (option && strchr("FiM", option)) return format("option -%c is not supported", option);
    if (option > 0 && option < 256) return format("unknown option -%c", option);
    return format("unknown option %s", word);
}

}  // namespace

ParsedOptions parse_options(const std::vector<std::string> &argv) {
    ParsedOptions parsed;
    Options &options = parsed.options;
    if (argv.empty()) {
        parsed.outcome = misuse("nothing stands where the program's name should");
        return parsed;
    }
    options.command_line = command_text("staprun", {argv.begin() + 1, argv.end()});
    std::vector<std::string> copies = argv;  // getopt moves words about
    std::vector<char *> pointers;
    for (std::string &word : copies)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    int argc = static_cast<int>(argv.size());

    optind = 0;  // also resets getopt's own state
    opterr = 0;
    for (;;) {
        int option = getopt_long(argc, pointers.data(), ":hVAdvwuRLDtb:C:T:S:o:c:x:N:s:G:r:", kLongOptions, nullptr);
        if (option == -1) break;
        const char *word = optind > 0 && optind <= argc ? pointers[static_cast<size_t>(optind) - 1] : "";
        if (option == '?') {
            parsed.outcome = misuse(unknown_option(word, optopt));
        } else if (option == ':') {
            parsed.outcome = misuse(format("option %s needs an argument", word));
        } else {
            parsed.outcome = take_option(option, optarg ? optarg : "", options);
        }
        if (!parsed.outcome) return parsed;
        if (options.action == Action::Help || options.action == Action::Version) return parsed;
    }
    std::vector<std::string> words;
    for (int i = optind; i < argc; i++)
        words.emplace_back(pointers[static_cast<size_t>(i)]);
    parsed.outcome = take_words(words, options);
    if (parsed.outcome) parsed.outcome = find_conflict(options);
    return parsed;
}

}  // namespace tapir::staprun
