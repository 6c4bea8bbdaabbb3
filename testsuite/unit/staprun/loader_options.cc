// SPDX-License-Identifier: GPL-2.0-or-later
#include "loader_options.h"

#include <gtest/gtest.h>

#include "../said.h"

namespace tapir::staprun {
namespace {

ParsedOptions parse(std::vector<std::string> words) {
    words.insert(words.begin(), "staprun");
    return parse_options(words);
}

std::string error_of(std::vector<std::string> words) {
    return said(parse(std::move(words)).outcome);
}

TEST(StaprunOptions, NotEvenAName) {
    EXPECT_EQ("nothing stands where the program's name should", said(parse_options({}).outcome));
}

TEST(StaprunOptions, ModuleFirstOrLast) {
    for (const auto &words : {std::vector<std::string>{"m.ko", "-o", "out", "a=1", "b=two words"},
                              std::vector<std::string>{"-o", "out", "m.ko", "a=1", "b=two words"}}) {
        ParsedOptions parsed = parse(words);
        EXPECT_EQ("", said(parsed.outcome));
        EXPECT_EQ("m.ko", parsed.options.module);
        EXPECT_EQ("out", parsed.options.output_file);
        ASSERT_EQ(2u, parsed.options.globals.size());
        EXPECT_EQ("a", parsed.options.globals[0].name);
        EXPECT_EQ("1", parsed.options.globals[0].value);
        EXPECT_EQ("two words", parsed.options.globals[1].value);
    }
}

TEST(StaprunOptions, ValueMayContainEquals) {
    ParsedOptions parsed = parse({"m.ko", "a=b=c", "-G", "d="});
    EXPECT_EQ("", said(parsed.outcome));
    ASSERT_EQ(2u, parsed.options.globals.size());
    EXPECT_EQ("d", parsed.options.globals[0].name);
    EXPECT_EQ("", parsed.options.globals[0].value);
    EXPECT_EQ("b=c", parsed.options.globals[1].value);
}

TEST(StaprunOptions, Numbers) {
    ParsedOptions parsed = parse({"--duration",
                                  "1.5",
                                  "-T",
                                  "200",
                                  "-S",
                                  "3,7",
                                  "-o",
                                  "f",
                                  "-x",
                                  "42",
                                  "-N",
                                  "43",
                                  "--cgroup=a/b",
                                  "--mangled",
                                  "-s",
                                  "16",
                                  "--limit",
                                  "MAXERRORS=0x10",
                                  "--limit=MAXACTION=5",
                                  "m"});
    EXPECT_EQ("", said(parsed.outcome));
    EXPECT_EQ(1500000000u, parsed.options.run_ns);
    EXPECT_EQ(200, parsed.options.read_ms);
    EXPECT_EQ(4u << 20, parse({"-b", "4", "m"}).options.limits[TAPIR_LIMIT_BUFFER_BYTES]);
    EXPECT_EQ(4u << 20, parse({"--stack-memory=4", "m"}).options.limits[TAPIR_LIMIT_STACK_BYTES]);
    for (const char *size : {"0", "1025", "x", "-1", ""})
        EXPECT_EQ("--stack-memory: '" + std::string(size) + "' is not a size in megabytes (1..1024)",
                  error_of({"--stack-memory", size, "m"}));
    EXPECT_EQ(50u, parse({"--budget=0.5%", "m"}).options.limits[TAPIR_LIMIT_BUDGET]);
    EXPECT_EQ("--budget: 'many' is not a percentage such as 5 or 0.5% (0.01 to 100)",
              error_of({"--budget", "many", "m"}));
    EXPECT_EQ(5000u, parse({"--on-overload=stop", "m"}).options.limits[TAPIR_LIMIT_OVERLOAD]);
    EXPECT_EQ(100u, parse({"--on-overload", "stop:1", "m"}).options.limits[TAPIR_LIMIT_OVERLOAD]);
    EXPECT_EQ(0u, parse({"--on-overload=warn", "m"}).options.limits[TAPIR_LIMIT_OVERLOAD]);
    for (const char *action : {"", "stop:", "stop:0", "stop:101", "stop:x", "stops", "kill"})
        EXPECT_EQ("--on-overload: '" + std::string(action) + "' is not one of warn, stop, stop:PERCENT (1..100)",
                  error_of({"--on-overload", action, "m"}));
    EXPECT_EQ(0u, parse({"m"}).options.globals.size());
    EXPECT_EQ("16", parse({"--times", "m"}).options.globals.at(0).value);
    EXPECT_EQ("3", parse({"--times=3", "m"}).options.globals.at(0).value);
    EXPECT_EQ("__trigger_most", parse({"--max-events=3", "m"}).options.globals.at(0).name);
    EXPECT_EQ("slow", parse({"--until", "slow", "m"}).options.globals.at(0).value);
    EXPECT_EQ("--max-events: '0' is not a number from 1 on", error_of({"--max-events=0", "m"}));
    EXPECT_EQ("--until: the name of the trigger is empty", error_of({"--until=", "m"}));
    // --from needs times, as many as are asked for.
    EXPECT_EQ("16", parse({"--from=2", "-o", "x.svg", "m"}).options.globals.at(0).value);
    EXPECT_EQ("3", parse({"--from=2", "--times=3", "-o", "x.svg", "m"}).options.globals.at(0).value);
    EXPECT_EQ(1u, parse({"--times=3", "--from=2", "-o", "x.svg", "m"}).options.globals.size());
    EXPECT_EQ((std::vector<std::string>{"--from=2.5", "--min-quality=99", "--accept-partial", "--own=lib*"}),
              parse({"--from=2.5", "--min-quality", "99", "--accept-partial", "--own", "lib*", "-o", "x.svg", "m"})
                  .options.picture_options);
    EXPECT_EQ("staprun -c 'sleep 1' -o x.svg m", parse({"-c", "sleep 1", "-o", "x.svg", "m"}).options.command_line);
    EXPECT_EQ("stap s.stp", parse({"--command-line=stap s.stp", "-o", "x.svg", "m"}).options.command_line);
    EXPECT_EQ(1500000000u, parse({"--delay=1.5", "m"}).options.delay_ns);
    EXPECT_TRUE(parse({"--command-status", "-c", "false", "m"}).options.command_status);
    EXPECT_FALSE(parse({"-c", "false", "m"}).options.command_status);
    EXPECT_EQ("--delay: '0' is not a positive number of seconds", error_of({"--delay=0", "m"}));
    EXPECT_EQ("--from: 'x' is not a positive number of seconds", error_of({"--from=x", "m"}));
    EXPECT_EQ("--min-quality: '101' is not a percentage (0 to 100)", error_of({"--min-quality=101", "m"}));
    EXPECT_EQ("--min-quality is for pictures (-o FILE.html, FILE.svg and the like); stap-report has it for captures",
              error_of({"--min-quality=9", "-o", "x.txt", "m"}));
    EXPECT_EQ("-L and --delay exclude each other: staprun leaves as soon as probes run",
              error_of({"-L", "--delay=1", "m"}));
    for (const char *size : {"0", "1025", "x"})
        EXPECT_EQ("--times: '" + std::string(size) + "' is not a size in megabytes (1..1024)",
                  error_of({("--times=" + std::string(size)).c_str(), "m"}));
    EXPECT_FALSE(parse({"-b", "4", "m"}).options.bulk);
    EXPECT_TRUE(parse({"--bulk", "m"}).options.bulk);
    EXPECT_EQ("", error_of({"-u", "m"}));
    EXPECT_EQ(3u << 20, parsed.options.rotate_bytes);
    EXPECT_EQ(7u, parsed.options.rotate_files);
    EXPECT_EQ(42, parsed.options.target);
    EXPECT_EQ(43, parsed.options.namespaces);
    EXPECT_EQ("a/b", parsed.options.cgroup);
    EXPECT_TRUE(parsed.options.mangled);
    EXPECT_EQ(16u << 20, parsed.options.limits[TAPIR_LIMIT_BUFFER_BYTES]);
    EXPECT_EQ(16u, parsed.options.limits[TAPIR_LIMIT_MAXERRORS]);
    EXPECT_EQ(5u, parsed.options.limits[TAPIR_LIMIT_MAXACTION]);
}

TEST(StaprunOptions, Actions) {
    EXPECT_EQ(Action::Help, parse({"-h"}).options.action);
    EXPECT_EQ(Action::Version, parse({"--version"}).options.action);
    ParsedOptions parsed = parse({"-d", "one", "two"});
    EXPECT_EQ(Action::Remove, parsed.options.action);
    EXPECT_EQ((std::vector<std::string>{"one", "two"}), parsed.options.modules);
    EXPECT_EQ(Action::Attach, parse({"-A", "one"}).options.action);
}

TEST(StaprunOptions, Doctor) {
    ParsedOptions parsed = parse({"--doctor", "--json"});
    EXPECT_EQ("", said(parsed.outcome));
    EXPECT_EQ(Action::Doctor, parsed.options.action);
    EXPECT_TRUE(parsed.options.json);
    EXPECT_EQ("--doctor takes no module", error_of({"--doctor", "m.ko"}));
    EXPECT_EQ("--json is for --doctor", error_of({"--json", "m.ko"}));
}

TEST(StaprunOptions, OneOfSeveralMachines) {
    ParsedOptions parsed = parse({"-r", "7:ssh://root@[fe80::1]:2222", "m.ko"});
    EXPECT_EQ("", said(parsed.outcome));
    EXPECT_EQ(7, parsed.options.remote_id);
    EXPECT_EQ("ssh://root@[fe80::1]:2222", parsed.options.remote_uri);
    EXPECT_EQ(-1, parse({"m.ko"}).options.remote_id);
    EXPECT_EQ("", error_of({"-r", "0:", "m.ko"}));
    EXPECT_EQ("", error_of({"-r", "0:" + std::string(TAPIR_REMOTE_MAX - 1, 'x'), "m.ko"}));
    EXPECT_EQ("-r: the name of the machine is longer than 255 bytes",
              error_of({"-r", "0:" + std::string(TAPIR_REMOTE_MAX, 'x'), "m.ko"}));
    for (const char *word : {"", "7", "x:y", "-1:y", ":y", "2147483648:y"})
        EXPECT_EQ(std::string("-r: '") + word + "' is not of the form N:URI, N being the number of this machine",
                  error_of({"-r", word, "m.ko"}));
    EXPECT_EQ("-A and -r exclude each other: the session has already started", error_of({"-A", "m", "-r", "1:x"}));
}

TEST(StaprunOptions, Misuse) {
    EXPECT_EQ("--min-quality is for pictures (-o FILE.html, FILE.svg and the like); stap-report has it for captures",
              error_of({"--min-quality=9", "--bulk", "-o", "x.html", "m"}));
    EXPECT_EQ("no module given", error_of({}));
    EXPECT_EQ("-d needs the name of a module", error_of({"-d"}));
    EXPECT_EQ("unknown option -q", error_of({"-q", "m"}));
    EXPECT_EQ("unknown option --frobnicate", error_of({"--frobnicate", "m"}));
    EXPECT_EQ("option -F is not supported", error_of({"-F", "m"}));
    EXPECT_EQ("-N: '0' is not a process id", error_of({"m", "-N", "0"}));
    EXPECT_EQ("--cgroup: the path is empty", error_of({"m", "--cgroup="}));
    EXPECT_EQ("option -o needs an argument", error_of({"m", "-o"}));
    EXPECT_EQ("option --limit needs an argument", error_of({"m", "--limit"}));
    EXPECT_EQ("-o: the file name is empty", error_of({"m", "-o", ""}));
    EXPECT_EQ("-c: the command is empty", error_of({"m", "-c", " "}));
    EXPECT_EQ("-x: 'abc' is not a process id", error_of({"m", "-x", "abc"}));
    EXPECT_EQ("-x: '0' is not a process id", error_of({"m", "-x", "0"}));
    EXPECT_EQ("-x: '-1' is not a process id", error_of({"m", "-x", "-1"}));
    EXPECT_EQ("-x: '4194305' is not a process id", error_of({"m", "-x", "4194305"}));
    EXPECT_EQ("-s: '0' is not a buffer size in megabytes (1..4095)", error_of({"m", "-s", "0"}));
    EXPECT_EQ("-s: '4096' is not a buffer size in megabytes (1..4095)", error_of({"m", "-s", "4096"}));
    EXPECT_EQ("-b: 'm.ko' is not a buffer size in megabytes (1..4095); --bulk writes a file for each CPU",
              error_of({"-b", "m.ko"}));
    for (const char *word : {"0", "1.", "1.x"})
        EXPECT_EQ("--duration: '" + std::string(word) + "' is not a positive number of seconds",
                  error_of({"m", "--duration", word}));
    for (const char *word : {"0", "0.5", "-1", "3600001", "x"})
        EXPECT_EQ("-T: '" + std::string(word) +
                      "' is not a number of milliseconds (1..3600000) that output may wait in the buffers; "
                      "--duration=SECONDS ends the session after a time",
                  error_of({"m", "-T", word}));
    EXPECT_EQ("-S: 'big' is not a size in megabytes", error_of({"m", "-S", "big"}));
    EXPECT_EQ("-S: 'many' is not a number of files", error_of({"m", "-S", "1,many"}));
    EXPECT_EQ("-S: '0' is not a number of files", error_of({"m", "-S", "1,0"}));
    EXPECT_EQ("-C: 'blue' is not one of never, auto, always", error_of({"m", "-C", "blue"}));
    EXPECT_EQ("'word' is not of the form name=value", error_of({"m", "word"}));
    EXPECT_EQ("'1a' in '1a=2' is not a variable name", error_of({"m", "1a=2"}));
    EXPECT_EQ("-G: 'x' is not of the form name=value", error_of({"m", "-G", "x"}));
    EXPECT_EQ("--limit MAXMAPENTRIES: '0' is not a positive number", error_of({"m", "--limit", "MAXMAPENTRIES=0"}));
    EXPECT_EQ("--limit MAXACTION: 'many' is not a number", error_of({"m", "--limit", "MAXACTION=many"}));
    EXPECT_EQ(
        "--limit: unknown limit 'FOO' (known: MAXACTION, MAXACTION_INTERRUPTIBLE, MAXERRORS, MAXSKIPPED, MAXNESTING, "
        "MAXMAPENTRIES, MINSTACKSPACE, BUFFER_BYTES, MAXTIME, STACK_BYTES, OVERLOAD, "
        "MAXRECALLTHREADS, BUDGET)",
        error_of({"m", "--limit", "FOO=1"}));
}

TEST(StaprunOptions, AnyLimitOfNothingIsALimit) {
    ParsedOptions parsed = parse({"m", "--limit", "MAXSKIPPED=0", "--limit", "MAXERRORS=0"});
    EXPECT_EQ("", said(parsed.outcome));
    EXPECT_EQ(0u, parsed.options.limits[TAPIR_LIMIT_MAXSKIPPED]);
    EXPECT_EQ(0u, parsed.options.limits[TAPIR_LIMIT_MAXERRORS]);
    EXPECT_FALSE(parsed.options.limits[TAPIR_LIMIT_MAXACTION]);
}

TEST(StaprunOptions, Conflicts) {
    EXPECT_EQ("-A and -c exclude each other: the session has already started", error_of({"-A", "m", "-c", "x"}));
    EXPECT_EQ("-A and -L exclude each other: the session has already started", error_of({"-A", "m", "-L"}));
    EXPECT_EQ("-A and name=value exclude each other: the session has already started", error_of({"-A", "m", "a=1"}));
    EXPECT_EQ("-A and limits exclude each other: the session has already started", error_of({"-A", "m", "-s", "1"}));
    const std::string only = "only the staprun that started the session can name the frames of its samples";
    EXPECT_EQ("-A and --record exclude each other: " + only, error_of({"-A", "m", "--record=f"}));
    EXPECT_EQ("-A and -o f.svg, a picture, exclude each other: " + only, error_of({"-A", "m", "-o", "f.svg"}));
    EXPECT_EQ("--record-as needs --record FILE", error_of({"--record-as=f", "m"}));
    EXPECT_EQ("", error_of({"--record=f", "--record-as=", "m"}));
    EXPECT_EQ("", error_of({"-A", "m", "-o", "f"}));
    EXPECT_EQ("", error_of({"-A", "m", "--bulk", "-o", "f.svg"}));
    EXPECT_EQ("-L and -o exclude each other: staprun leaves as soon as probes run", error_of({"-L", "m", "-o", "f"}));
    EXPECT_EQ("-c and -x exclude each other: both set the target process", error_of({"m", "-c", "x", "-x", "1"}));
    EXPECT_EQ("-S needs -o FILE", error_of({"m", "-S", "1"}));
    EXPECT_EQ("-D needs -o FILE", error_of({"m", "-D"}));
}

TEST(StaprunOptions, Format) {
    EXPECT_EQ(TAPIR_FORM_TEXT, parse({"m.ko"}).options.form);
    EXPECT_EQ(TAPIR_FORM_TEXT, parse({"--format=text", "m.ko"}).options.form);
    EXPECT_EQ(TAPIR_FORM_JSON, parse({"--format=json", "m.ko"}).options.form);
    EXPECT_EQ(TAPIR_FORM_CSV, parse({"--format", "csv", "m.ko"}).options.form);
    EXPECT_EQ("--format: 'xml' is not one of text, json, csv", error_of({"--format=xml", "m.ko"}));
    EXPECT_EQ("--format and --bulk exclude each other: records are in the order of all CPUs",
              error_of({"--format=json", "--bulk", "m.ko"}));
    EXPECT_EQ("--format=csv and -S exclude each other: the head of a table is in its first file alone",
              error_of({"--format=csv", "-S", "1", "-o", "x", "m.ko"}));
    EXPECT_EQ("", error_of({"--format=json", "-S", "1", "-o", "x", "m.ko"}));
    EXPECT_EQ("-L and --format exclude each other: staprun leaves as soon as probes run",
              error_of({"-L", "--format=json", "m.ko"}));
    EXPECT_EQ("", error_of({"-A", "--format=json", "m"}));
}

TEST(StaprunOptions, BudgetFile) {
    EXPECT_EQ("/run/b", parse({"--budget=1", "--budget-file=/run/b", "m"}).options.budget_file);
    EXPECT_EQ("--budget-file needs --budget: the share of each processor that this session may take",
              error_of({"--budget-file=/run/b", "m"}));
    EXPECT_EQ("--budget-file: the file name is empty", error_of({"--budget=1", "--budget-file=", "m"}));
}

}  // namespace
}  // namespace tapir::staprun
