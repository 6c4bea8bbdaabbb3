// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/options.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "../options/command_line.h"
#include "backend/backend.h"
#include "backend/launch.h"
#include "common/files.h"
#include "driver/served.h"
#include "options/color.h"
#include "options/option_table.h"

namespace tapir::driver {
namespace {

TEST(Options, ScriptFileAndArguments) {
    Options o = parsed({"-v", "count.stp", "one", "-g", "--", "-x", "two"});
    EXPECT_EQ(o.script_file, "count.stp");
    EXPECT_EQ(o.script_args, (Words{"one", "-x", "two"}));
    EXPECT_TRUE(o.guru);
    EXPECT_EQ(o.verbosity[1], 1);
}

TEST(Options, Doctor) {
    Options o = parsed({"--doctor", "--json", "-r", "1.2.3"});
    EXPECT_EQ(o.action, Action::Doctor);
    EXPECT_TRUE(o.json);
    EXPECT_FALSE(parsed({"--doctor", "--vm"}).json);
    EXPECT_EQ(refused({"--doctor", "x.stp"}), "Cannot specify a script with --doctor.\n");
    EXPECT_EQ(refused({"--json", "x.stp"}), "The --json option is for --doctor.\n");
    EXPECT_EQ(refused({"--doctor", "--json", "--vm"}),
              "The --json option is for this machine, not for a guest (--vm).\n");
}

TEST(Options, SigningKey) {
    Options o = parsed({"--sign-key=/k.key", "--sign-certificate=/k.der", "--sign-passphrase-file=/p", "x.stp"});
    EXPECT_EQ(o.sign.key, "/k.key");
    EXPECT_EQ(o.sign.certificate, "/k.der");
    EXPECT_EQ(o.sign.passphrase_file, "/p");
    EXPECT_EQ(parsed({"--sign-key=/k.key", "--sign-certificate=/c", "--sign-key=none", "x.stp"}).sign.key, "");
    EXPECT_EQ(refused({"--sign-key", "", "x.stp"}), "The path of the key is empty (--sign-key).\n");
    EXPECT_EQ(refused({"--sign-certificate=/c", "x.stp"}),
              "The options --sign-certificate and --sign-passphrase-file belong to a key (--sign-key).\n");
}

TEST(Options, Cost) {
    const Options o = parsed({"--cost", "--rates=r.json", "--assume", "frames=40,ips=3e9", "x.stp"});
    EXPECT_TRUE(o.cost);
    EXPECT_EQ(o.rates, "r.json");
    EXPECT_EQ(o.assumed.frames, 40);
    EXPECT_EQ(o.assumed.ips, 3e9);
    EXPECT_EQ(o.script_file, "x.stp");
    EXPECT_EQ(refused({"--rates=r", "x.stp"}), "The --rates option is for the cost of a script (--cost).\n");
    EXPECT_EQ(told({"--cost", "--assume=depth=3", "x.stp"}),
              "Invalid assumption 'depth=3' (--assume).\n"
              "help: write NAME=VALUE, with one of frames, kernel-frames, text, elements, turns, cpus, ips\n");
    EXPECT_EQ(refused({"--cost", "-p3", "x.stp"}),
              "The --cost and -p options exclude each other: the cost is known behind the first half of pass 3.\n");
    EXPECT_EQ(refused({"--cost", "--vm", "x.stp"}),
              "The --cost and --vm options exclude each other: nothing runs; -r names the kernel.\n");
    EXPECT_EQ(refused({"--cost", "-o", "f", "x.stp"}),
              "The --cost and -o options exclude each other: write 'stap --cost ... > FILE'.\n");
    EXPECT_EQ(refused({"--cost", "--format=csv", "x.stp"}),
              "The --cost and --format=csv options exclude each other: a report for programs is JSON.\n");
    EXPECT_EQ(refused({"--cost", "--doctor"}),
              "The --cost and other tasks' options exclude each other: it is a task of its own.\n");
}

TEST(Options, Units) {
    const Options o = parsed({"--units", "s.stp"});
    ASSERT_EQ(o.defines.size(), 1u);
    EXPECT_EQ(o.defines[0].name + "=" + o.defines[0].value, "HIST_UNITS=1");
}

TEST(Options, Bundle) {
    Options o = parsed({"-p4", "--bundle", "-G", "n=1", "-c", "ls", "s.stp"});
    EXPECT_TRUE(o.bundle);
    EXPECT_EQ(o.bundle_file, "");
    EXPECT_EQ(staprun_options(o), (Words{"-R", "-c", "ls"}));
    EXPECT_EQ(parsed({"-p4", "--bundle=a.tar", "s.stp"}).bundle_file, "a.tar");
    EXPECT_FALSE(parsed({"-p4", "s.stp"}).bundle);
    const char *wrong = "The --bundle option is for a script and -p4: the module is made, and run elsewhere.\n";
    EXPECT_EQ(refused({"--bundle", "s.stp"}), wrong);
    EXPECT_EQ(refused({"-p3", "--bundle", "s.stp"}), wrong);
    EXPECT_EQ(refused({"-p4", "--bundle", "-l", "begin"}), wrong);
    EXPECT_EQ(refused({"-p4", "--bundle", "--prepare"}), wrong);
    EXPECT_EQ(refused({"-p4", "--bundle", "-x", "1", "s.stp"}),
              "The -x option has no use in a bundle (--bundle): give it to the bundle's program, ./run -x PID.\n");
    EXPECT_EQ(refused({"-p4", "--bundle", "--target-namespaces=1", "s.stp"}),
              "The --target-namespaces option has no use in a bundle (--bundle): give it to the bundle's program, "
              "./run -N PID.\n");
    EXPECT_EQ(refused({"--bundle", "--remote=h", "s.stp"}), wrong);
}

TEST(Options, AServer) {
    Options o = parsed({"--use-server=build:9000", "--server-ca", "ca.pem", "--server-certificate=c", "--server-key=k",
                        "--server-token=t", "x.stp"});
    EXPECT_TRUE(o.use_server);
    EXPECT_EQ(o.server.url, "https://build:9000");
    EXPECT_EQ(o.server.authority, "ca.pem");
    EXPECT_EQ(o.server.certificate, "c");
    EXPECT_EQ(o.server.key, "k");
    EXPECT_EQ(o.server.token_file, "t");
    o = parsed({"--use-server", "x.stp"});
    EXPECT_TRUE(o.use_server);
    EXPECT_EQ(o.server.url, "");
    EXPECT_EQ(o.script_file, "x.stp");
    EXPECT_EQ(refused({"--use-server=http://x", "x.stp"}),
              "'http://x' is not the address of a build server: it begins with https:// or with the host's name "
              "(--use-server).\n");
    EXPECT_EQ(refused({"--server-ca=c", "x.stp"}), "The --server-... options are for --use-server.\n");
    EXPECT_EQ(refused({"--use-server=b", "-l", "begin"}),
              "Only scripts can be sent to a build server (--use-server); lists are of this machine.\n");
    EXPECT_EQ(refused({"--use-server=b", "-r", "/usr/src/linux", "x.stp"}),
              "A build server (--use-server) has its own kernels: -r takes a release, not a directory.\n");
    EXPECT_EQ(refused({"--use-server=b", "-k", "x.stp"}),
              "The options -B, --modinfo, -k and --dump-after cannot be used with --use-server.\n");
    EXPECT_EQ(refused({"--use-server=b", "--array-size-max=5", "x.stp"}),
              "The server bounds the sizes of arrays: --array-size-max has no use with --use-server.\n");
    EXPECT_EQ(parsed({"--array-size-max=5", "x.stp"}).array_size_max, 5);
    EXPECT_EQ(refused({"--array-size-max=0", "x.stp"}),
              "Invalid value '0' for --array-size-max (should be 1-2147483647).\n");
    EXPECT_EQ(refused({"--use-server=b", "--server-certificate=c", "x.stp"}),
              "A certificate (--server-certificate) needs its private key (--server-key).\n");
    EXPECT_EQ(refused({"--list-servers", "x.stp"}),
              "The option --list-servers is not supported: servers are not looked "
              "for; --use-server=URL names one.\n");
}

TEST(Options, WhatAServerIsTold) {
    EXPECT_EQ(server_options(parsed({"x.stp"}), 5), Words{});
    EXPECT_EQ(server_options(parsed({"-guwv", "--skip-badvars", "--compatible", "4.0", "-DMAXSTRINGLEN=256", "-G",
                                     "a=b", "-m", "mine", "-x", "7", "-o", "out", "x.stp"}),
                             4),
              (Words{"-g", "-u", "-w", "--skip-badvars", "-v", "--compatible=4.0", "-D", "MAXSTRINGLEN=256", "-G",
                     "a=b", "-m", "mine"}));
    EXPECT_EQ(server_options(parsed({"x.stp"}), 2), Words{"-p2"});
}

TEST(Options, WhereFunctionsAreProbed) {
    EXPECT_EQ(parsed({"x.stp"}).prologue, "auto");
    EXPECT_EQ(parsed({"-P", "x.stp"}).prologue, "always");
    EXPECT_EQ(parsed({"--prologue-searching", "x.stp"}).prologue, "always");
    EXPECT_EQ(parsed({"--prologue-searching", "x.stp"}).script_file, "x.stp");
    EXPECT_EQ(parsed({"--prologue-searching=never", "x.stp"}).prologue, "never");
    EXPECT_EQ(refused({"--prologue-searching=no", "x.stp"}),
              "Invalid argument 'no' for --prologue-searching (should be never, always or auto).\n");
    EXPECT_EQ(server_options(parsed({"-P", "x.stp"}), 5), Words{"--prologue-searching=always"});
}

TEST(Options, WithTextEveryWordIsAnArgument) {
    Options o = parsed({"-e", "probe begin { }", "one"});
    EXPECT_EQ(o.script_text, "probe begin { }");
    EXPECT_EQ(o.script_args, Words{"one"});
    EXPECT_FALSE(o.script_file);
}

TEST(Options, InterpreterLineIsSplit) {
    char path[] = "/tmp/tapir-options-XXXXXX";
    int fd = mkstemp(path);
    ASSERT_GE(fd, 0);
    std::string text = "#!/usr/bin/stap -g -DMAXACTION=5\nprobe begin { }\n";
    ASSERT_EQ(write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(fd);
    Options o = parsed({"-g -DMAXACTION=5", path, "one"});
    unlink(path);
    EXPECT_TRUE(o.guru);
    EXPECT_EQ(o.defines.at(0).value, "5");
    EXPECT_EQ(o.script_file, path);
    EXPECT_EQ(o.script_args, Words{"one"});
    EXPECT_EQ(parsed({"-eprobe begin { }", "x y"}).script_text, "probe begin { }") << "not an interpreter line";
}

TEST(Options, StandardInput) {
    EXPECT_EQ(parsed({"-"}).script_file, "-");
}

TEST(Options, StickyAndRepeated) {
    Options o = parsed({"-p4", "-vv", "-DMAXACTION=5", "-D", "X", "-Gn=1", "-E", "a", "-E", "b", "s.stp"});
    EXPECT_EQ(o.last_pass, 4);
    EXPECT_EQ(o.verbosity[3], 2);
    ASSERT_EQ(o.defines.size(), 2u);
    EXPECT_EQ(o.defines[0].value, "5");
    EXPECT_EQ(o.defines[1].value, "1");
    EXPECT_EQ(o.globals.at(0).name, "n");
    EXPECT_EQ(o.additional_text, (Words{"a", "b"}));
}

TEST(Options, VerbosityOfSinglePasses) {
    Options o = parsed({"--vp", "01002", "-v", "s.stp"});
    EXPECT_EQ(o.verbosity[1], 1);
    EXPECT_EQ(o.verbosity[2], 2);
    EXPECT_EQ(o.verbosity[5], 3);
    EXPECT_EQ(o.verbosity[0], 1);
}

TEST(Options, OptionalValuesNeedAnEqualSign) {
    Options o = parsed({"--vm", "s.stp"});
    EXPECT_TRUE(o.vm);
    EXPECT_EQ(o.vm_release, "");
    EXPECT_EQ(o.script_file, "s.stp");
    EXPECT_EQ(parsed({"--vm=6.1.0-1-amd64", "s.stp"}).vm_release, "6.1.0-1-amd64");
}

TEST(Options, WhoseHits) {
    EXPECT_EQ(staprun_options(
                  parsed({"-m", "m", "-x", "7", "--target-namespaces", "9", "--cgroup=a/b", "--mangled", "s.stp"})),
              (Words{"--mangled", "-x", "7", "-N", "9", "--cgroup", "a/b"}));
    EXPECT_EQ(refused({"--target-namespaces=0", "s"}), "Invalid process ID '0' (--target-namespaces).\n");
    EXPECT_EQ(refused({"--target-namespaces", "x", "s"}), "Invalid process ID 'x' (--target-namespaces).\n");
    EXPECT_EQ(refused({"--cgroup", "", "s"}), "The path of the control group is empty (--cgroup).\n");
}

TEST(Options, Triggers) {
    const Options o = parsed({"--max-events=3", "--until", "slow", "s.stp"});
    ASSERT_EQ(o.globals.size(), 2u);
    EXPECT_EQ(o.globals[0].name + "=" + o.globals[0].value, "__trigger_most=3");
    EXPECT_EQ(o.globals[1].name + "=" + o.globals[1].value, "__trigger_until=slow");
    EXPECT_EQ(refused({"--max-events=0", "s"}), "Invalid number '0' for --max-events (should be 1 or more).\n");
    EXPECT_EQ(refused({"--until", "", "s"}), "The name of the trigger is empty (--until).\n");
}

TEST(Options, Pictures) {
    EXPECT_EQ(staprun_options(parsed({"-m", "m", "-o", "x.html", "--delay=1.5", "--from", "2", "--min-quality=99.5",
                                      "--accept-partial", "--own=lib*", "s.stp"})),
              (Words{"-o", "x.html", "--delay", "1.5", "--from", "2", "--min-quality", "99.5", "--accept-partial",
                     "--own=lib*",
                     "--command-line=stap -m m -o x.html --delay=1.5 --from 2 --min-quality=99.5 --accept-partial "
                     "'--own=lib*' s.stp"}));
    // Long commands are cut before the kernel refuses them.
    EXPECT_EQ(staprun_options(parsed({"-m", "m", "--record", "f", "s.stp", std::string(1'000'000, 'x')})).back().size(),
              std::string("--command-line=").size() + 4096);
    EXPECT_EQ(
        refused({"-o", "x.png", "s"}),
        "The -o file 'x.png' is of a kind that is not made: pictures of samples are .folded, .svg, .html, "
        ".pb.gz, .speedscope.json, .chrome.json, .firefox.json, .shares.json, and a browser shows .html and .svg.\n");
    EXPECT_EQ(refused({"-o", "x.svg", "--min-quality=101", "s"}),
              "Invalid value '101' for --min-quality (should be 0-100, a percentage).\n");
    EXPECT_EQ(refused({"-o", "x.svg", "--from=-1", "s"}),
              "Invalid value '-1' for --from (should be a positive number of seconds).\n");
    EXPECT_EQ(refused({"--delay=soon", "s"}),
              "Invalid value 'soon' for --delay (should be a positive number of seconds).\n");
    EXPECT_EQ(refused({"-F", "--delay=1", "s"}),
              "The --delay option is for sessions that stap waits for: not for -F, --core and --snapshot.\n");
    EXPECT_EQ(refused({"--accept-partial", "s"}),
              "The --accept-partial option is for pictures (-o FILE.html, FILE.svg and the like); 'stap report' has it "
              "for captures.\n");
}

TEST(Options, ModuleNameLosesItsSuffix) {
    EXPECT_EQ(parsed({"-m", "count.ko", "s.stp"}).module_name, "count");
}

TEST(Options, ModuleNameMayHaveCapitals) {
    EXPECT_EQ(parsed({"-m", "PROCFS", "s.stp"}).module_name, "PROCFS");
}

TEST(Options, UsageError) {
    EXPECT_EQ(refused({}), "A script must be specified.\n");
    EXPECT_EQ(refused({"-p", "6", "s"}), "Invalid pass number (should be 1-5).\n");
    EXPECT_EQ(refused({"-p", "x", "s"}), "Invalid pass number (should be 1-5).\n");
    EXPECT_EQ(refused({"-D", "9X", "s"}), "Invalid macro definition '9X' (should be NAME or NAME=VALUE).\n");
    EXPECT_EQ(refused({"-D", "X=", "s"}), "Invalid macro definition 'X=' (should be NAME or NAME=VALUE).\n");
    EXPECT_EQ(refused({"-G", "x", "s"}), "Invalid -G argument 'x' (should be NAME=VALUE).\n");
    EXPECT_EQ(refused({"-m", "A-b", "s"}),
              "Invalid module name 'A-b' (should be 1-55 characters of a-z, A-Z, 0-9 and _).\n");
    EXPECT_EQ(refused({"-x", "-1", "s"}), "Invalid process ID '-1' (-x).\n");
    EXPECT_EQ(refused({"-T", "0", "s"}), "Invalid timeout '0' (should be a positive number of seconds).\n");
    EXPECT_EQ(refused({"-s", "4096", "s"}), "Invalid buffer size '4096' (should be 1-4095).\n");
    EXPECT_EQ(refused({"-S", "1,0", "-o", "f", "s"}), "Invalid file size argument '1,0' (should be MB or MB,N).\n");
    EXPECT_EQ(refused({"--vp", "123456", "s"}), "Invalid --vp argument '123456' (should be one to five digits).\n");
    EXPECT_EQ(refused({"--vm-cpus", "0", "s"}), "Invalid value '0' for --vm-cpus (should be 1-64).\n");
    EXPECT_EQ(refused({"--color=maybe", "s"}),
              "Invalid argument 'maybe' for --color (should be never, always or auto).\n");
    EXPECT_EQ(refused({"--dump-after", "lunch", "s"}), "Unknown step 'lunch' for --dump-after.\n");
    EXPECT_EQ(refused({"--no-such-option", "s"}), "Unknown option '--no-such-option'.\n");
    EXPECT_EQ(refused({"--dump-funtions"}), "Unknown option '--dump-funtions' (similar: --dump-functions).\n");
    EXPECT_EQ(refused({"-Z", "s"}), "Unknown option '-Z'.\n");
    EXPECT_EQ(refused({"--vp"}), "The required argument for option '--vp' is missing.\n");
    EXPECT_EQ(refused({"-e", "a", "-e", "b"}), "Only one -e script may be given; use -E for more.\n");
    EXPECT_EQ(refused({"--compatible=x", "s"}),
              "Invalid version 'x' for --compatible (should be numbers with dots).\n");
    EXPECT_EQ(refused({"--compatible=99.1", "s"}),
              "Cannot be compatible with version 99.1 (--compatible): this is version 5.6 of the language.\n");
    EXPECT_EQ(refused({"--rlimit-cpu=soon", "s"}), "Invalid value 'soon' for --rlimit-cpu (should be a number).\n");
    EXPECT_EQ(refused({"--download-debuginfo", "s"}),
              "The option --download-debuginfo is not supported: stap-vm --kernel=RELEASE --print-kernel --debug-info= "
              "fetches "
              "it.\n");
    EXPECT_EQ(refused({"--runtime=bpf", "s"}),
              "The runtime 'bpf' is not supported: scripts run in the kernel, or in a process (--core, --snapshot).\n");
}

TEST(Options, CoreFiles) {
    const Options o = parsed({"--core=core.7", "--sysroot", "/srv/root", "--exec=prog", "--runtime=process", "s.stp"});
    EXPECT_EQ(o.core, "core.7");
    EXPECT_EQ(o.sysroot, "/srv/root");
    EXPECT_EQ(o.program, "prog");
    EXPECT_EQ(refused({"--core", "", "s"}), "The path of the core file is empty (--core).\n");
    EXPECT_EQ(refused({"--sysroot=/", "s"}), "The --sysroot and --exec options are for core files (--core).\n");
    EXPECT_EQ(
        refused({"--runtime=process", "s"}),
        "The runtime 'process' needs a core file (--core) or a process (-x PID --snapshot), or -p4 -m NAME, which "
        "leaves a program.\n");
    EXPECT_EQ(parsed({"--runtime=process", "-p4", "-m", "tool", "s.stp"}).runtime, "process");
    EXPECT_EQ(refused({"--runtime=process", "-p4", "-m", "tool", "-x", "1", "s"}),
              "The options -c and -x have no use with -p4 and the runtime 'process': give -x to the program.\n");
    EXPECT_EQ(refused({"--core=c", "--runtime=kernel", "s"}),
              "A script on a core file (--core) does not run in the kernel (--runtime).\n");
    EXPECT_EQ(refused({"--core=c", "-x", "1", "s"}),
              "The options -c and -x name what runs; with a core file (--core) it is the core's process.\n");
    EXPECT_EQ(refused({"--core=c", "--vm", "s"}),
              "The options --remote, --vm, --bundle and --use-server cannot be used with a core file (--core).\n");
    EXPECT_EQ(
        refused({"--core=c", "-t", "s"}),
        "The options -b, -S, -F, -t, -s, --ledger, --cgroup, --budget, --on-overload and --target-namespaces are for "
        "scripts in the "
        "kernel; they have no use with a core file (--core).\n");
}

TEST(Options, CompressedAndMissing) {
    const Options o = parsed({"--core=-", "--max-core-size=7", "s.stp"});
    EXPECT_EQ(o.core, "-");
    EXPECT_EQ(o.max_core_gb, 7);
    EXPECT_EQ(parsed({"--core=c", "--missing"}).action, Action::Missing);
    EXPECT_EQ(refused({"--core=-", "-"}),
              "Only one of the core file (--core -) and the script (-) can come from standard input.\n");
    EXPECT_EQ(refused({"--core=c", "--missing", "-e", "s"}), "Cannot specify a script with --missing.\n");
    EXPECT_EQ(refused({"--missing"}), "The --missing and --max-core-size options are for core files (--core).\n");
    EXPECT_EQ(refused({"--core=c", "--max-core-size=0", "s"}),
              "Invalid size '0' for --max-core-size (should be 1-1048576).\n");
}

TEST(Options, Snapshots) {
    EXPECT_EQ(parsed({"-x", "7", "--snapshot", "s.stp"}).snapshot, "stop");
    const Options o = parsed({"-x", "7", "--snapshot=run", "--runtime=process", "s.stp"});
    EXPECT_EQ(o.snapshot, "run");
    EXPECT_EQ(o.target_pid, 7);
    EXPECT_EQ(refused({"-x", "7", "--snapshot=later", "s"}),
              "Invalid value 'later' for --snapshot (should be stop or run).\n");
    EXPECT_EQ(refused({"--snapshot", "s"}),
              "A snapshot is of a process that runs already: -x PID --snapshot, without -c.\n");
    EXPECT_EQ(refused({"-x", "7", "--snapshot", "--sysroot=/", "s"}),
              "The --sysroot and --exec options are for core files (--core).\n");
    EXPECT_EQ(refused({"--core=c", "--snapshot", "s"}),
              "A core file (--core) and a snapshot of a process (--snapshot) exclude each other.\n");
    EXPECT_EQ(refused({"-x", "7", "--snapshot", "--runtime=kernel", "s"}),
              "A script on a snapshot (--snapshot) does not run in the kernel (--runtime).\n");
    EXPECT_EQ(refused({"-x", "7", "--snapshot", "--vm", "s"}),
              "The options --remote, --vm, --bundle and --use-server cannot be used with a snapshot (--snapshot).\n");
}

TEST(Options, UsageErrorOfConflicts) {
    EXPECT_EQ(refused({"-c", "true", "-x", "1", "s"}), "You can't specify -c and -x options together.\n");
    EXPECT_EQ(refused({"-l", "begin", "-e", "s"}), "Cannot specify a script with -l or -L.\n");
    EXPECT_EQ(refused({"-l", "begin", "-L", "end"}), "Only one of -l and -L may be given, once.\n");
    EXPECT_EQ(refused({"-S", "1", "s"}), "The -S option needs an output file (-o).\n");
    // Without -o each processor has a file stpd_cpuN.
    EXPECT_TRUE(parsed({"-b", "-S", "1", "s"}).bulk);
    EXPECT_EQ(refused({"--vm", "-b", "-o", "f", "s"}),
              "The options -b, -S and -F have no use in a guest (--vm), which keeps nothing.\n");
    EXPECT_EQ(refused({"--suppress-time-limits", "s"}),
              "The --suppress-time-limits option is for guru mode: it needs -g.\n");
    EXPECT_EQ(refused({"--dump-functions", "s"}),
              "Cannot specify a script with --dump-functions, --dump-probe-aliases or --dump-probe-types.\n");
}

TEST(Options, Formats) {
    EXPECT_EQ(parsed({"s"}).format, "");
    EXPECT_EQ(parsed({"--format=text", "-b", "s"}).format, "text");
    EXPECT_EQ(parsed({"--format", "json", "s"}).format, "json");
    EXPECT_EQ(refused({"--format=xml", "s"}), "Invalid value 'xml' for --format (should be text, json or csv).\n");
    EXPECT_EQ(refused({"--format=json", "-b", "s"}),
              "The --format=json and -b options exclude each other: records are in the order of all CPUs.\n");
    EXPECT_EQ(refused({"--format=csv", "--remote=web", "s"}),
              "The --format=csv and --remote options exclude each other: its columns do not tell hosts apart; records "
              "do, with --format=json.\n");
    EXPECT_EQ(parsed({"--format=json", "--remote=web", "s"}).format, "json");
    EXPECT_EQ(refused({"--format=json", "--remote=web", "--remote-prefix", "s"}),
              "The --format=json and --remote-prefix options exclude each other: each record names its host.\n");
    EXPECT_EQ(refused({"--format=json", "-F", "s"}),
              "The --format=json and -F options exclude each other: nothing reads the records; 'staprun -A NAME "
              "--format=json' does.\n");
    EXPECT_EQ(refused({"--format=csv", "-S", "1", "-o", "x", "s"}),
              "The --format=csv and -S options exclude each other: the head of a table is in its first file alone.\n");
    EXPECT_TRUE(parsed({"--format=json", "-F", "-o", "x", "s"}).load_and_detach);
}

TEST(Options, UsageErrorOfWhatIsNotSupported) {
    EXPECT_EQ(refused({"--save-uprobes", "s"}),
              "The option --save-uprobes is not supported: the kernel's own uprobes are used.\n");
    EXPECT_EQ(refused({"--use-http-server=host", "s"}),
              "The option --use-http-server is not supported: --use-server=URL names the build server.\n");
    EXPECT_EQ(
        refused({"--privilege=stapusr", "s"}),
        "The option --privilege is not supported: a set-user-ID staprun decides by groups and signatures who runs a "
        "module.\n");
    EXPECT_EQ(refused({"--sign-module", "s"}),
              "The option --sign-module is not supported: stap-sign signs the module of -p4.\n");
    for (const RefusedOption &option : refused_options()) {
        std::string shown = (option.name.size() == 1 ? "-" : "--") + std::string(option.name);
        Words words = {shown, "s"};
        if (option.takes == Takes::Value) words.insert(words.begin() + 1, "x");
        EXPECT_EQ(refused(words), "The option " + shown + " is not supported: " + std::string(option.why) + ".\n");
        EXPECT_EQ(help_text().find(shown + " "), std::string::npos) << "--help offers " << shown;
    }
}

TEST(Options, OlderLanguageAndLimits) {
    Options o = parsed({"--compatible=2.0", "--rlimit-cpu=5", "--tmpdir=/var/tmp", "-g", "--suppress-time-limits",
                        "--skip-badvars", "--all-modules", "--check-version", "--semantic-keep-going",
                        "--runtime=kernel", "-d", "/bin/ls", "-d", "kernel", "--ldd", "s.stp"});
    EXPECT_EQ(o.script_file, "s.stp");
    EXPECT_EQ(o.compatible, "2.0");
    ASSERT_EQ(o.resource_limits.size(), 1u);
    EXPECT_EQ(o.resource_limits[0].first, RLIMIT_CPU);
    EXPECT_EQ(o.resource_limits[0].second, 5u);
    EXPECT_EQ(o.tmpdir, "/var/tmp");
    EXPECT_TRUE(o.suppress_time_limits && o.skip_badvars && o.check_version && o.semantic_keep_going);
}

TEST(Options, ListsNeedNoScript) {
    EXPECT_EQ(parsed({"--dump-functions"}).action, Action::DumpFunctions);
    EXPECT_EQ(parsed({"--dump-probe-aliases"}).action, Action::DumpAliases);
    EXPECT_EQ(parsed({"--dump-probe-types"}).action, Action::DumpProbeTypes);
}

TEST(Color, LabelsTokensPlacesAndCarets) {
    unsetenv("SYSTEMTAP_COLORS");
    const Colors usual(Coloring::Always, -1);
    EXPECT_EQ(
        colored("semantic error: x: string '\"a' at b\"' at f.stp:1:2\n   source: a^\n           ^\nWARNING: y", usual),
        "\033[01;31msemantic error:\033[0m x: string '\033[01m\"a' at b\"\033[0m' at \033[00;34mf.stp:1:2\033[0m\n"
        "   source: a^\n           \033[01m^\033[0m\n\033[00;33mWARNING:\033[0m y");
    EXPECT_EQ(colored("        saw: operator ')' at :1:9\n", usual),
              "        saw: operator '\033[01m)\033[0m' at \033[00;34m:1:9\033[0m\n");
    EXPECT_EQ(colored("ERROR: x\n  ^\n", Colors()), "ERROR: x\n  ^\n");
}

TEST(Options, HelpNamesEveryOption) {
    std::string help = help_text();
    for (const char *option : {"-p ", "-e ", "--vm ", "--prepare", "--ledger", "-T "})
        EXPECT_NE(help.find(option), std::string::npos) << option;
}

TEST(Options, VersionIsFoundByWrapperScripts) {
    std::string text = version_text();
    size_t at = text.find("version ");
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(text.substr(at + 8, 3), kLanguageVersion);
}

TEST(Launch, StaprunGetsWhatBelongsToPassFive) {
    Options o = parsed({"-v", "-w", "-o", "out", "-c", "ls -l", "-s", "8", "-D", "MAXACTION=7", "-D", "MAXSTRINGLEN=64",
                        "-T", "2.5", "-G", "n=3", "s.stp"});
    EXPECT_EQ(staprun_arguments(o, "m.ko"), (Words{"-v", "-w", "-R", "-o", "out", "-c", "ls -l", "--duration", "2.5",
                                                   "-s", "8", "--limit", "MAXACTION=7", "m.ko", "n=3"}));
}

TEST(Launch, HandlersThatAreNotInterruptibleHaveMaxaction) {
    EXPECT_EQ(staprun_arguments(parsed({"-m", "m", "-D", "MAXACTION=7", "-D", "INTERRUPTIBLE=0", "s.stp"}), "m.ko"),
              (Words{"--limit", "MAXACTION=7", "--limit", "MAXACTION_INTERRUPTIBLE=7", "m.ko"}));
    EXPECT_EQ(staprun_arguments(parsed({"-m", "m", "-DINTERRUPTIBLE", "s.stp"}), "m.ko"), Words{"m.ko"});
}

// As an option of its own, or by the macros of SystemTap, whose limit is so many cycles of an interval.
TEST(Launch, WhatIsDoneAboutOverload) {
    const auto passed_on = [](std::vector<std::string> words) {
        words.insert(words.begin(), {"-m", "m"});
        words.emplace_back("s.stp");
        return staprun_arguments(parsed(words), "m.ko");
    };
    EXPECT_EQ(passed_on({"--on-overload=stop"}), (Words{"--on-overload", "stop", "m.ko"}));
    EXPECT_EQ(passed_on({"--on-overload", "stop:30"}), (Words{"--on-overload", "stop:30", "m.ko"}));
    EXPECT_EQ(passed_on({"-D", "STP_OVERLOAD_THRESHOLD=250000000"}), (Words{"--on-overload", "stop:25", "m.ko"}));
    EXPECT_EQ(passed_on({"-D", "STP_OVERLOAD_INTERVAL=2000000000"}), (Words{"--on-overload", "stop:25", "m.ko"}));
    EXPECT_EQ(passed_on({"-D", "STP_OVERLOAD_THRESHOLD=1", "--on-overload=warn"}),
              (Words{"--on-overload", "warn", "m.ko"}));
    EXPECT_EQ(passed_on({"-D", "STP_OVERLOAD_THRESHOLD=1"}), (Words{"--on-overload", "stop:1", "m.ko"}));
    EXPECT_EQ(passed_on({"-D", "STP_OVERLOAD_THRESHOLD=1", "-D", "STP_NO_OVERLOAD"}), Words{"m.ko"});
    for (const char *wrong : {"stop:", "stop:0", "stop:101", "stop:x", "kill"})
        EXPECT_EQ(refused({std::string("--on-overload=") + wrong, "s"}),
                  "Invalid value '" + std::string(wrong) +
                      "' for --on-overload (should be warn, stop, or stop:1 to stop:100).\n");
}

TEST(Launch, ABudget) {
    EXPECT_EQ(staprun_arguments(parsed({"-m", "m", "--budget=0.5%", "s.stp"}), "m.ko"),
              (Words{"--budget", "0.5%", "m.ko"}));
    EXPECT_EQ(staprun_arguments(parsed({"-m", "m", "--budget=1", "--budget-file=/run/b", "s.stp"}), "m.ko"),
              (Words{"--budget", "1", "--budget-file", "/run/b", "m.ko"}));
    EXPECT_EQ(refused({"--budget-file=/run/b", "s"}),
              "--budget-file needs --budget: the share of each processor that this session may take.\n");
    EXPECT_EQ(refused({"--budget=1", "--budget-file", "", "s"}), "The path of the file is empty (--budget-file).\n");
    EXPECT_EQ(refused({"--budget=0", "s"}),
              "Invalid value '0' for --budget (should be a percentage such as 5 or 0.5%, 0.01 to 100).\n");
}

TEST(Launch, ANamedModuleIsNotRenamed) {
    EXPECT_EQ(staprun_arguments(parsed({"-m", "count", "s.stp"}), "count.ko"), Words{"count.ko"});
}

// staprun says why its status is 4, and stap adds nothing. SystemTap calls the run failed.
TEST(Launch, ACommandThatFailsIsNoFailedRun) {
    const TemporaryDirectory top(*make_directory(temporary_root(), "launch"));
    const std::string staprun = top.path() + "/staprun";
    std::ofstream(staprun) << "#!/bin/sh\necho \"$*\" >&2\ncase $* in *--command-status*) exit 4;; esac\nexit 1\n";
    ASSERT_EQ(chmod(staprun.c_str(), 0755), 0);
    ASSERT_EQ(setenv("SYSTEMTAP_STAPRUN", staprun.c_str(), 1), 0);
    const auto run = [](const Options &o, int expected) {
        testing::internal::CaptureStderr();
        Diagnostics diagnostics;
        EXPECT_EQ(choose_backend(o, diagnostics)->run("m.ko"), expected);
        return testing::internal::GetCapturedStderr();
    };
    const Options with = parsed({"-c", "false", "-m", "m", "s.stp"});
    EXPECT_EQ(run(with, 4), "--command-status -c false m.ko\n");
    EXPECT_TRUE(is_explained(with, 4));
    EXPECT_FALSE(is_explained(with, 1));
    const Options compatible = parsed({"--compatible", "4.8", "-c", "false", "-m", "m", "s.stp"});
    EXPECT_EQ(run(compatible, 1), "--compatible -c false m.ko\nWARNING: " + staprun + " exited with status: 1\n");
    EXPECT_FALSE(is_explained(compatible, 4));
    EXPECT_FALSE(is_explained(parsed({"-m", "m", "s.stp"}), 4)) << "there is no command";
    unsetenv("SYSTEMTAP_STAPRUN");
}

}  // namespace
}  // namespace tapir::driver
