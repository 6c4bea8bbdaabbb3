// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/option_table.h"

#include <boost/program_options.hpp>

namespace tapir::driver {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kNoNamespaces = "functions like pid() tell the numbers of the initial namespace";
constexpr std::string_view kNoMarkBenchmark = "-t measures the handlers of marks as of all probes";
constexpr std::string_view kOtherServer = "--use-server=URL names the build server";
constexpr std::string_view kNoPrologue =
    "debug information is taken by its word: it says where variables are at the entry, too";
constexpr std::string_view kNoPrivilege = "a set-user-ID staprun decides by groups and signatures who runs a module";
constexpr std::string_view kNoRuntime = "scripts run in the kernel only";
constexpr std::string_view kNoSysroot = "name the kernel build directory with -r instead";

constexpr RefusedOption kRefused[] = {
    {"P", Takes::Nothing, kNoPrologue},
    {"prologue-searching", Takes::OptionalValue, kNoPrologue},
    {"download-debuginfo", Takes::OptionalValue, "stap-vm --kernel=RELEASE --print-kernel --debug-info= fetches it"},
    {"target-namespaces", Takes::Value, kNoNamespaces},
    {"save-uprobes", Takes::Nothing, "the kernel's own uprobes are used"},
    {"benchmark-sdt", Takes::Nothing, kNoMarkBenchmark},
    {"benchmark-sdt-loops", Takes::Value, kNoMarkBenchmark},
    {"benchmark-sdt-threads", Takes::Value, kNoMarkBenchmark},
    {"j", Takes::Value, "Java methods cannot be probed"},
    {"J", Takes::Value, "Java methods cannot be probed"},
    {"i", Takes::Nothing, "there is no interactive mode"},
    {"interactive", Takes::Nothing, "there is no interactive mode"},
    {"monitor", Takes::OptionalValue, "there is no monitor; -t and --ledger report what happened"},
    {"language-server", Takes::Nothing, "there is no language server"},
    {"example", Takes::Nothing, "name the example's file"},
    {"q", Takes::Nothing, "there is no coverage database"},
    {"a", Takes::Value, "modules are built for the architecture of the kernel (-r)"},
    {"R", Takes::Value, "the runtime is part of the installation"},
    {"debug", Takes::Nothing, "use -k to keep the files of pass 4"},
    {"sysroot", Takes::Value, kNoSysroot},
    {"sysenv", Takes::Value, kNoSysroot},
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
} kOptionalValues[] = {{"--color", "auto"},       {"--colour", "auto"},        {"--vm", "default"},
                       {"--vm-shell", "default"}, {"--use-server", "default"}, {"--bundle", "default"}};

}  // namespace

po::options_description described_options() {
    auto text = [](const char *name) { return po::value<std::string>()->value_name(name); };
    po::options_description general("Passes and messages");
    general.add_options()("help,h", "print this summary");
    general.add_options()("version,V", "print the version");
    general.add_options()(",p", text("NUM"), "stop after pass NUM: 1 parse, 2 elaborate, 3 translate, 4 build, 5 run");
    general.add_options()(",v", "say more, in all passes; repeatable");
    general.add_options()("vp", text("ABCDE"), "say more in pass 1, 2, ... by so much each");
    general.add_options()(",k", "keep the temporary build directory");
    general.add_options()(",w", "suppress warnings");
    general.add_options()(",W", "treat warnings as errors");
    general.add_options()("color", text("[WHEN]"), "colour messages: never, always or auto");
    general.add_options()("colour", text("[WHEN]"), "the same");
    general.add_options()("runtime", text("MODE"), "where the script runs: kernel");
    general.add_options()("dump-after", text("STEP"),
                          "print what parse, elaborate, infer, optimize, lower or emit made");

    po::options_description script("The script");
    script.add_options()(",e", text("SCRIPT"), "run this script text");
    script.add_options()(",E", text("SCRIPT"), "and this text too; repeatable");
    script.add_options()(",l", text("PROBE"), "list matching probe points");
    script.add_options()(",L", text("PROBE"), "list matching probe points and their variables");
    script.add_options()(",g", "guru mode: allow embedded C and other unsafe constructs");
    script.add_options()(",u", "do not optimize: keep unused variables, functions and expressions");
    script.add_options()(",I", text("DIR"), "search DIR for tapsets, before the installed ones; repeatable");
    script.add_options()(",D", text("NAME[=VALUE]"), "set a limit (MAXACTION, MAXSTRINGLEN, ...); repeatable");
    script.add_options()(",G", text("NAME=VALUE"), "set a global variable at start; repeatable");
    script.add_options()("compatible", text("VERSION"), "the language as of an older version");
    script.add_options()("check-version", "warn where the meaning of the script depends on the language version");
    script.add_options()("skip-badvars", "read context variables that cannot be resolved as 0");
    script.add_options()("semantic-keep-going", "after errors in pass 2, list them in a form for programs");
    script.add_options()("suppress-time-limits", "with -g: handlers may execute any number of statements");
    script.add_options()("suppress-handler-errors", "run-time errors are counted, not reported, and stop nothing");
    script.add_options()(",d", text("OBJECT"), "accepted: user stacks and symbols need no list of objects");
    script.add_options()("ldd", "accepted, likewise");
    script.add_options()("all-modules", "accepted: symbols of all modules of the kernel are known anyway");
    script.add_options()("no-global-var-display", "do not print written but never read globals at the end");

    po::options_description dumps("Lists");
    dumps.add_options()("dump-probe-types", "list the forms of probe points, and stop");
    dumps.add_options()("dump-probe-aliases", "list the aliases of the tapset library, and stop");
    dumps.add_options()("dump-functions", "list the functions of the tapset library, and stop");

    po::options_description build("Building");
    build.add_options()(",r", text("RELEASE|DIR"), "build for this kernel release or build directory");
    build.add_options()(",m", text("NAME"), "name of the module; it is left in the working directory");
    build.add_options()(",B", text("NAME=VALUE"), "extra argument for the kernel's build system; repeatable");
    build.add_options()("modinfo", text("NAME=VALUE"), "add a module information entry; repeatable");
    build.add_options()("bundle", text("[FILE]"), "with -p4: a file to run the script where nothing else of Tapir is");
    build.add_options()("prepare", "build what scripts share for the kernel (-r), and stop");
    build.add_options()("clean-cache", "remove what the cache holds, and stop");
    build.add_options()("tmpdir", text("DIR"), "directory for temporary files");
    build.add_options()("disable-cache", "neither read nor write the cache");
    build.add_options()("poison-cache", "write the cache but do not read it");

    po::options_description server("At a build server");
    server.add_options()("use-server", text("[URL]"),
                         "have it build the module; it is run here (default: client.conf's)");
    server.add_options()("server-ca", text("FILE"), "certificates that the server's is checked against");
    server.add_options()("server-certificate", text("FILE"), "who we are: a certificate ...");
    server.add_options()("server-key", text("FILE"), "... and its private key");
    server.add_options()("server-token", text("FILE"), "who we are: a file with a token");

    po::options_description doctor("What works here");
    doctor.add_options()("doctor", "say whether scripts can be built (-r) and run (--vm), and if not what to do");
    doctor.add_options()("json", "say it for programs");

    po::options_description limits("Limits of the translator and what it starts");
    limits.add_options()("rlimit-as", text("BYTES"), "address space");
    limits.add_options()("rlimit-cpu", text("SECONDS"), "processor time");
    limits.add_options()("rlimit-nproc", text("N"), "processes of this user");
    limits.add_options()("rlimit-stack", text("BYTES"), "stack");
    limits.add_options()("rlimit-fsize", text("BYTES"), "size of written files");

    po::options_description run("Running");
    run.add_options()(",o", text("FILE"), "write the script's output to FILE (strftime conversions)");
    run.add_options()(",c", text("CMD"), "start CMD, end with it; target() is its process ID");
    run.add_options()(",x", text("PID"), "target() is PID");
    run.add_options()(",T", text("SECONDS"), "end after so long (a fraction is allowed)");
    run.add_options()(",t", "measure handlers; print a report at the end");
    run.add_options()(",b", "bulk mode: one output file per CPU");
    run.add_options()(",s", text("MB"), "output buffer per CPU, 1 to 4095 MB");
    run.add_options()(",S", text("MB[,N]"), "rotate the -o file at so much, keep N");
    run.add_options()(",F", "load, start, and leave it running (staprun -A attaches)");
    run.add_options()("ledger", text("FILE"), "write hits, skips, drops and deliveries to FILE as JSON");

    po::options_description remote("On other hosts");
    remote.add_options()("remote", text("HOST|@FILE"),
                         "run on [user@]host[:port], or on those that a file lists; repeatable");
    remote.add_options()("remote-prefix", "begin each line of output with its host's name");
    remote.add_options()("remote-ssh-option", text("NAME=VALUE"), "for ssh (its -o); repeatable");
    remote.add_options()("remote-ssh", text("PROGRAM"), "instead of ssh");

    po::options_description vm("In a throw-away guest");
    vm.add_options()("vm", text("[RELEASE]"), "run in a QEMU guest with this kernel (default: the distribution's)");
    vm.add_options()("vm-shell", text("[RELEASE]"), "a shell in such a guest");
    vm.add_options()("vm-cpus", text("N"), "processors of the guest (default 2)");
    vm.add_options()("vm-memory", text("MB"), "memory of the guest (default 1024)");
    vm.add_options()("vm-timeout", text("SECONDS"), "give the guest up after so long (default: never)");
    po::options_description all;
    all.add(general).add(script).add(dumps).add(build).add(server).add(doctor).add(limits).add(run).add(remote).add(vm);
    return all;
}

std::span<const RefusedOption> refused_options() {
    return kRefused;
}

void add_unlisted(po::options_description &described) {
    for (const RefusedOption &refused : kRefused) {
        std::string name = (refused.name.size() == 1 ? "," : "") + std::string(refused.name);
        if (refused.takes == Takes::Nothing)
            described.add_options()(name.c_str(), "");
        else
            described.add_options()(name.c_str(), po::value<std::string>());
    }
    // How stap calls itself for the kernels of hosts: a build-id, or "unknown".
    described.add_options()("remote-build", po::value<std::string>());
    described.add_options()("word", po::value<std::vector<std::string>>());
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
