// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/option_table.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <iterator>
#include <sstream>

#include "common/descriptor.h"
#include "common/files.h"
#include "common/regular_file.h"
#include "options/options.h"
#include "options/sxx_options.h"

namespace tapir::driver {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kNoMarkBenchmark = "-t measures the handlers of marks as of all probes";
constexpr std::string_view kOtherServer = "--use-server=URL names the build server";
constexpr std::string_view kNoPrivilege = "a set-user-ID staprun decides by groups and signatures who runs a module";
constexpr std::string_view kNoRuntime =
    "scripts run in the kernel, and on core files and snapshots (--core, --snapshot)";

constexpr RefusedOption kRefused[] = {
    {"download-debuginfo", Takes::OptionalValue, "stap-vm --kernel=RELEASE --print-kernel --debug-info= fetches it"},
    {"save-uprobes", Takes::Nothing, "the kernel's own uprobes are used"},
    {"benchmark-sdt", Takes::Nothing, kNoMarkBenchmark},
    {"benchmark-sdt-loops", Takes::Value, kNoMarkBenchmark},
    {"benchmark-sdt-threads", Takes::Value, kNoMarkBenchmark},
    {"j", Takes::Value, "Java methods cannot be probed"},
    {"J", Takes::Value, "Java methods cannot be probed"},
    {"example", Takes::Nothing, "name the example's file"},
    {"q", Takes::Nothing, "there is no coverage database"},
    {"a", Takes::Value, "modules are built for the architecture of the kernel (-r)"},
    {"R", Takes::Value, "the runtime is part of the installation"},
    {"debug", Takes::Nothing, "use -k to keep the files of pass 4"},
    {"sysenv", Takes::Value, "name the kernel build directory with -r instead"},
    {"dyninst", Takes::Nothing, kNoRuntime},
    {"bpf", Takes::Nothing, kNoRuntime},
    {"privilege", Takes::Value, kNoPrivilege},
    {"unprivileged", Takes::Nothing, kNoPrivilege},
    {"build-as", Takes::OptionalValue, "start stap as that user with -p4 instead"},
    {"use-server-on-error", Takes::OptionalValue, kOtherServer},
    {"use-http-server", Takes::Value, kOtherServer},
    {"list-servers", Takes::OptionalValue, "servers are not looked for; --use-server=URL names one"},
    {"trust-servers", Takes::OptionalValue, "a server is trusted by its certificate (--server-ca)"},
    {"client-options", Takes::Nothing, kOtherServer},
    {"sign-module", Takes::OptionalValue, "stap-sign signs the module of -p4"},
};

// Options of ours whose value may be left out, and what it is then.
constexpr struct {
    std::string_view option;
    std::string_view value;
} kOptionalValues[] = {
    {"--prologue-searching", "always"}, {"--color", "always"},       {"--colour", "always"},   {"--vm", "default"},
    {"--vm-shell", "default"},          {"--use-server", "default"}, {"--bundle", "default"},  {"--snapshot", "stop"},
    {"--refresh", "default"},           {"--top", "default"},        {"--monitor", "default"}, {"--times", "16"}};

po::typed_value<std::string> *text(const char *name) {
    return po::value<std::string>()->value_name(name);
}

po::options_description general_options() {
    po::options_description options("Passes and messages");
    options.add_options()("help,h", "print this summary");
    options.add_options()("version,V", "print the version");
    options.add_options()(",p", text("NUM"), "stop after pass NUM: 1 parse, 2 elaborate, 3 translate, 4 build, 5 run");
    options.add_options()(",v", "say more, in all passes; repeatable");
    options.add_options()("vp", text("ABCDE"), "say more in pass 1, 2, ... by so much each");
    options.add_options()(",k", "keep the temporary build directory");
    options.add_options()(",w", "suppress warnings");
    options.add_options()(",W", "treat warnings as errors");
    options.add_options()("color", text("[WHEN]"), "color messages: never, always or auto (by default)");
    options.add_options()("colour", text("[WHEN]"), "the same");
    options.add_options()("language-server",
                          "talk with an editor, by the language server protocol, on standard input and output");
    options.add_options()("runtime", text("MODE"),
                          "where the script runs: kernel, or process (with --core or --snapshot)");
    options.add_options()("dump-after", text("STEP"),
                          "print what parse, elaborate, infer, optimize, lower or emit made");
    return options;
}

po::options_description script_options() {
    po::options_description options("The script");
    options.add_options()("interactive,i", "type definitions and statements; probes run meanwhile");
    options.add_options()(",e", text("SCRIPT"), "run this script text");
    options.add_options()(",E", text("SCRIPT"), "and this text too; repeatable");
    options.add_options()(",l", text("PROBE"), "list matching probe points");
    options.add_options()(",L", text("PROBE"), "list matching probe points and their variables");
    options.add_options()(",g", "guru mode: allow embedded C and other unsafe constructs");
    options.add_options()(",u", "do not optimize: keep unused variables, functions and expressions");
    options.add_options()(",I", text("DIR"), "search DIR for tapsets, before the installed ones; repeatable");
    options.add_options()(",D", text("NAME[=VALUE]"), "set a limit (MAXACTION, MAXSTRINGLEN, ...); repeatable");
    options.add_options()("array-size-max", text("N"), "without -g: no array of the script may say a larger size");
    options.add_options()(",G", text("NAME=VALUE"), "set a global variable at start; repeatable");
    options.add_options()("compatible", text("VERSION"), "the language as of an older version");
    options.add_options()("check-version", "warn where the meaning of the script depends on the language version");
    options.add_options()("skip-badvars", "read context variables that cannot be resolved as 0");
    options.add_options()("semantic-keep-going", "after errors in pass 2, list them in a form for programs");
    options.add_options()("suppress-time-limits", "with -g: handlers may execute any number of statements");
    options.add_options()("suppress-handler-errors", "run-time errors are counted, not reported, and stop nothing");
    options.add_options()(",P", "probe functions behind their prologues: as --prologue-searching=always");
    options.add_options()("prologue-searching", text("[WHEN]"),
                          "do so never, always, or auto: where something is not known at the entry (default)");
    options.add_options()(",d", text("OBJECT"), "accepted: user stacks and symbols need no list of objects");
    options.add_options()("ldd", "accepted, likewise");
    options.add_options()("all-modules", "accepted: symbols of all modules of the kernel are known anyway");
    options.add_options()("units", "histograms: rows say their range, large numbers have units");
    options.add_options()("no-global-var-display", "do not print written but never read globals at the end");
    return options;
}

po::options_description tool_options() {
    po::options_description options("Tools (stap run)");
    options.add_options()("search", text("WORD"), "list the tools that have it in a name or question");
    options.add_options()("list-for", text("NAME"), "say which tool does what a tool of that name does elsewhere");
    options.add_options()("check-all", "say of each tool whether its probe points are there on the kernel (-r)");
    options.add_options()("option", text("NAME=VALUE"), "set an option of the script, as --NAME=VALUE behind it does");
    return options;
}

po::options_description cost_options() {
    po::options_description options("Cost, before anything is loaded");
    options.add_options()("cost", "say how many instructions a hit of each probe of a script or tool takes, and stop");
    options.add_options()("rates", text("FILE"), "and a second: hits a second of each point, or the --ledger of a run");
    options.add_options()("assume", text("NAME=VALUE,..."),
                          "frames, kernel-frames, text, elements, turns, cpus or ips, for what the script leaves open");
    return options;
}

po::options_description dumps_options() {
    po::options_description options("Lists");
    options.add_options()("dump-probe-types", "list the forms of probe points, and stop");
    options.add_options()("dump-probe-aliases", "list the aliases of the tapset library, and stop");
    options.add_options()("dump-functions", "list the functions of the tapset library, and stop");
    return options;
}

po::options_description build_options() {
    po::options_description options("Building");
    options.add_options()(",r", text("RELEASE|DIR"), "build for this kernel release or build directory");
    options.add_options()(",m", text("NAME"), "name of the module; it is left in the working directory");
    options.add_options()(",B", text("NAME=VALUE"), "extra argument for the kernel's build system; repeatable");
    options.add_options()("modinfo", text("NAME=VALUE"), "add a module information entry; repeatable");
    options.add_options()("bundle", text("[FILE]"),
                          "with -p4: a file to run the script where nothing else of Tapir is");
    options.add_options()("sign-key", text("KEY"),
                          "sign modules with it for kernels that accept only signed ones; none: do not");
    options.add_options()("sign-certificate", text("FILE"), "its certificate, if it does not lie beside the key");
    options.add_options()("sign-passphrase-file", text("FILE"), "has the key's passphrase in its first line");
    options.add_options()("prepare", "build what scripts share for the kernel (-r), and stop");
    options.add_options()("clean-cache", "remove what the cache holds, and stop");
    options.add_options()("tmpdir", text("DIR"), "directory for temporary files");
    options.add_options()("disable-cache", "neither read nor write the cache");
    options.add_options()("poison-cache", "write the cache but do not read it");
    return options;
}

po::options_description server_options() {
    po::options_description options("At a build server");
    options.add_options()("use-server", text("[URL]"),
                          "have it build the module; it is run here (default: client.conf's)");
    options.add_options()("server-ca", text("FILE"), "certificates that the server's is checked against");
    options.add_options()("server-certificate", text("FILE"), "who we are: a certificate ...");
    options.add_options()("server-key", text("FILE"), "... and its private key");
    options.add_options()("server-token", text("FILE"), "who we are: a file with a token");
    return options;
}

po::options_description doctor_options() {
    po::options_description options("What works here");
    options.add_options()("doctor", "say whether scripts can be built (-r) and run (--vm), and if not what to do");
    options.add_options()("json", "say it for programs");
    return options;
}

po::options_description limits_options() {
    po::options_description options("Limits of the translator and what it starts");
    options.add_options()("rlimit-as", text("BYTES"), "address space");
    options.add_options()("rlimit-cpu", text("SECONDS"), "processor time");
    options.add_options()("rlimit-nproc", text("N"), "processes of this user");
    options.add_options()("rlimit-stack", text("BYTES"), "stack");
    options.add_options()("rlimit-fsize", text("BYTES"), "size of written files");
    return options;
}

po::options_description run_options() {
    po::options_description options("Running");
    options.add_options()(",o", text("FILE"), "write the script's output to FILE (strftime conversions)");
    options.add_options()("format", text("FORMAT"), "of the output: text, json (an object a line), or csv (tables)");
    options.add_options()("refresh", text("[SECONDS]"), "show tables while the script runs, anew so often (1)");
    options.add_options()("top", text("[N]"), "the same, with the N largest rows of each table (20)");
    options.add_options()("metrics", "tell the metrics of the script (@metric) when a program asks, and at the end");
    options.add_options()("push", text("URL"), "push metrics or a profile of the script to a collector (stap-push)");
    options.add_options()("monitor", text("[SECONDS]"),
                          "show probes and globals while the script runs; keys switch probes and reset globals");
    options.add_options()(",c", text("CMD"), "start CMD, end with it; target() is its process ID");
    options.add_options()(",x", text("PID"), "target() is PID");
    options.add_options()("target-namespaces", text("PID"),
                          "functions like ns_pid() tell IDs of the namespaces of PID");
    options.add_options()("cgroup", text("PATH"),
                          "run handlers only for tasks of this control group, and of those below it");
    options.add_options()(",T", text("SECONDS"), "end after so long (a fraction is allowed)");
    options.add_options()("max-events", text("N"), "end when so many triggers have fired (@trigger)");
    options.add_options()("until", text("TRIGGER"), "end when this trigger has fired; \"trigger\": any");
    options.add_options()(",t", "measure handlers; print a report at the end");
    options.add_options()("budget", text("PERCENT"),
                          "handle only as many hits as that share of each processor's time allows");
    options.add_options()("budget-file", text("FILE"),
                          "share the budget with the other sessions that name this file, as in /run");
    options.add_options()("on-overload", text("ACTION"),
                          "when probes take much of a processor's time: warn (default), stop or stop:PERCENT (50)");
    options.add_options()("mangled", "show symbols of C++ and Rust in user stacks as their files have them");
    options.add_options()(",b", "bulk mode: one output file per CPU, FILE_0 ... of -o FILE, else stpd_cpu0 ...");
    options.add_options()(",s", text("MB"), "output buffer per CPU, 1 to 4095 MB");
    options.add_options()("stack-memory", text("MB"),
                          "room for stacks that the script stores, 1 to 1024 MB (default: 64)");
    options.add_options()("times", text("MB"),
                          "keep the time and the thread of each sample, in up to so much of half that room (16)");
    options.add_options()(",S", text("MB[,N]"), "rotate the -o file at so much, keep N");
    options.add_options()(",F", "load, start, and leave it running (staprun -A attaches)");
    options.add_options()("ledger", text("FILE"), "write hits, skips, drops and deliveries to FILE as JSON");
    options.add_options()("record", text("FILE"),
                          "write samples of stacks with their names, a capture for stap-report");
    options.add_options()("delay", text("SECONDS"), "begin so long after the command of -c, or after the start");
    options.add_options()("from", text("SECOND"), "of -o PICTURE: without samples before that second of the session");
    options.add_options()("min-quality", text("PERCENT"),
                          "of -o PICTURE: exit status 3 if fewer of the samples are complete (default 95)");
    options.add_options()("accept-partial", "of -o PICTURE: exit status 0 despite losses");
    options.add_options()("own", text("PATTERN"), "of -o PICTURE: these files are the program's own code, too");
    return options;
}

po::options_description core_options() {
    po::options_description options("On what is left of a process");
    options.add_options()("core", text("FILE"),
                          "look at the process of this core file (- = standard input); no module is made");
    options.add_options()("snapshot", text("[stop|run]"),
                          "look at the process of -x from outside; it stands still meanwhile, or runs on");
    options.add_options()("missing", "list build-ids and files that are needed and not here, and stop");
    options.add_options()("max-core-size", text("GB"), "what a compressed core may unpack to (256)");
    options.add_options()("exec", text("FILE"),
                          "the file of its program, if it is not where the core says; of a .sxx script: $^exec_path");
    options.add_options()("sysroot", text("DIR"), "the process's files are below this directory");
    return options;
}

po::options_description remote_options() {
    po::options_description options("On other hosts");
    options.add_options()("remote", text("HOST|@FILE"),
                          "run on [user@]host[:port], or on those that a file lists; repeatable");
    options.add_options()("remote-prefix", "begin each line of output with its host's name");
    options.add_options()("remote-ssh-option", text("NAME=VALUE"), "for ssh (its -o); repeatable");
    options.add_options()("remote-ssh", text("PROGRAM"), "instead of ssh");
    options.add_options()("merge", "one report of all hosts: sums, and hosts that are far from the others");
    options.add_options()("remote-width", text("N"), "so many hosts at a time (100)");
    options.add_options()("remote-deadline", text("SECONDS"), "for each host, after which its script is ended");
    return options;
}

po::options_description vm_options() {
    po::options_description options("In a throw-away guest");
    options.add_options()("vm", text("[RELEASE]"),
                          "run in a QEMU guest with this kernel (default: the distribution's)");
    options.add_options()("vm-shell", text("[RELEASE]"), "a shell in such a guest");
    options.add_options()("vm-cpus", text("N"), "processors of the guest (default 2)");
    options.add_options()("vm-memory", text("MB"), "memory of the guest (default 1024)");
    options.add_options()("vm-timeout", text("SECONDS"), "give the guest up after so long (default: never)");
    return options;
}

}  // namespace

po::options_description described_options() {
    po::options_description all;
    for (const auto group :
         {general_options, script_options, tool_options, cost_options, dumps_options, build_options, server_options,
          doctor_options, limits_options, run_options, sxx_options, core_options, remote_options, vm_options})
        all.add(group());
    return all;
}

std::string help_text() {
    std::ostringstream out;
    out << "Usage: stap [options] FILE [ARGUMENTS]       run the script in FILE (- is standard input)\n"
           "   or: stap [options] -e SCRIPT [ARGUMENTS]  run the script text\n"
           "   or: stap run [NAME [OPTIONS]]             run a tool; without a name, list all\n"
           "   or: stap [options] -l PROBE               list matching probe points\n"
           "   or: stap --format [--check|-i] FILE...    print scripts formatted, check them, or write them back\n\n"
        << described_options();
    return out.str();
}

std::span<const RefusedOption> refused_options() {
    return kRefused;
}

const po::options_description &accepted_options() {
    static const po::options_description accepted = [] {
        po::options_description all = described_options();
        for (const RefusedOption &refused : kRefused) {
            std::string name = (refused.name.size() == 1 ? "," : "") + std::string(refused.name);
            if (refused.takes == Takes::Nothing)
                all.add_options()(name.c_str(), "");
            else
                all.add_options()(name.c_str(), po::value<std::string>());
        }
        // How stap calls itself for the kernels of hosts: a build-id, or "unknown". What with_sxx_arguments() makes.
        // How stap -i calls itself for what was typed.
        all.add_options()("typed", "");
        all.add_options()("remote-build", po::value<std::string>());
        // How the language server calls stap for one script.
        all.add_options()("language-check", "");
        all.add_options()("sxx-argument", po::value<std::string>());
        all.add_options()("word", po::value<std::vector<std::string>>());
        return all;
    }();
    return accepted;
}

std::vector<std::string> with_optional_values(std::vector<std::string> args) {
    for (std::string &arg : args) {
        if (arg == "--") break;
        for (const auto &optional : kOptionalValues)
            if (arg == optional.option) arg.append("=").append(optional.value);
        for (const RefusedOption &refused : kRefused)
            if (refused.takes == Takes::OptionalValue && arg == "--" + std::string(refused.name)) arg += "=default";
    }
    return args;
}

std::vector<std::string> with_split_interpreter_line(const std::vector<std::string> &args) {
    if (args.size() < 2 || !args[0].starts_with('-') || args[0].find(' ') == std::string::npos) return args;
    const Descriptor script(open_regular(args[1].c_str()));
    constexpr size_t kLongest = 4096;  // of what the kernel reads of such a line
    std::string line;
    if (script.get() >= 0) read_descriptor(script.get(), kLongest, line);
    line.resize(std::min(line.find('\n'), line.size()));
    if (!line.starts_with("#!") || !line.ends_with(args[0])) return args;
    std::istringstream words(args[0]);
    std::vector<std::string> split{std::istream_iterator<std::string>(words), {}};
    split.insert(split.end(), args.begin() + 1, args.end());
    return split;
}

po::parsed_options read_words(const std::vector<std::string> &words, const WordHook &hook) {
    po::positional_options_description positional;
    positional.add("word", -1);
    po::command_line_parser parser(with_optional_values(words));
    parser.options(accepted_options()).positional(positional);
    if (hook) parser.extra_style_parser(hook);
    return parser.style(po::command_line_style::unix_style & ~po::command_line_style::allow_guessing).run();
}

po::parsed_options parse_words(const std::vector<std::string> &words) {
    return read_words(words, {});
}

std::span<const std::pair<const char *, Action>> action_options() {
    static constexpr std::pair<const char *, Action> options[] = {
        {"help", Action::Help},
        {"version", Action::Version},
        {"dump-functions", Action::DumpFunctions},
        {"dump-probe-aliases", Action::DumpAliases},
        {"dump-probe-types", Action::DumpProbeTypes},
        {"prepare", Action::Prepare},
        {"doctor", Action::Doctor},
        {"missing", Action::Missing},
        {"clean-cache", Action::CleanCache},
        {"language-server", Action::LanguageServer},
        {"language-check", Action::LanguageCheck},
    };
    return options;
}

std::vector<std::string> long_option_names() {
    std::vector<std::string> names;
    const po::options_description described = described_options();
    for (const auto &option : described.options()) {
        const std::string &name = option->long_name();
        if (name.size() > 1 && name[0] != '-') names.push_back("--" + name);
    }
    return names;
}

}  // namespace tapir::driver
