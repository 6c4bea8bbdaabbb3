// SPDX-License-Identifier: GPL-2.0-or-later
// Tools on stap's command line: where their words begin, and what these become.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "options/named_targets.h"
#include "options/options.h"
#include "options/script_words.h"

namespace tapir::driver {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using List = std::vector<std::string>;

constexpr const char *kWaits =
    "@tool(\"waits (offcputime)\", \"Waiting: where?\", \"\")\n"
    "@option(min, 0, \"-m: duration in us -- ignore shorter waits\")\n"
    "@option(time, 0, \"number -- x\")\n"
    "@option(f, \"vfs_read\", \"text -- the function\")\n"
    "probe kernel.function(f) { println(min, time) }\n";

class ToolOptions : public ::testing::Test {
  protected:
    void SetUp() override {
        char pattern[] = "/tmp/tapir-tools-XXXXXX";
        directory_ = mkdtemp(pattern);
        std::ofstream(directory_ / "waits.stp") << kWaits;
        std::ofstream(directory_ / "plain.stp") << "probe begin { println(@1) }\n";
    }
    void TearDown() override { fs::remove_all(directory_); }

    Options parsed(const List &words) {
        Diagnostics diagnostics;
        Options options = parse_options(words, diagnostics, {}, {directory_.string()});
        messages_ = render_all(diagnostics, true);
        return options;
    }
    std::string file(const char *name) const { return directory_ / name; }

    // "name=value" of each, in their order.
    static List pairs(const std::vector<NameValue> &values) {
        List list;
        for (const NameValue &value : values)
            list.push_back(value.name + "=" + value.value);
        return list;
    }

    fs::path directory_;
    std::string messages_;
};

TEST_F(ToolOptions, LimitsOfTheFirstLineComeFirst) {
    std::ofstream(directory_ / "deep.stp") << "#!/usr/bin/env -S stap -g -DMAXSTRINGLEN=4096 -DMAXACTION=9\n"
                                              "@tool(\"deep\", \"Waiting: how deep?\", \"\")\nprobe begin { }\n";
    const List limits = {"MAXSTRINGLEN=4096", "MAXACTION=9"};
    for (const List &words : {List{"run", "deep"}, {file("deep.stp")}}) {
        const Options o = parsed(words);
        EXPECT_EQ(messages_, "");
        EXPECT_EQ(pairs(o.defines), limits);
        EXPECT_FALSE(o.guru);
    }
    // The last one of a name counts.
    EXPECT_THAT(pairs(parsed({"-DMAXACTION=5", "run", "deep"}).defines),
                ElementsAre("MAXSTRINGLEN=4096", "MAXACTION=9", "MAXACTION=5"));
}

TEST_F(ToolOptions, WordsBehindAToolAreTheTools) {
    const Options o =
        parsed({"-v", "-DMAXACTION=5", file("waits.stp"), "--time=5", "-m", "3ms", "-T", "90s", "-o", "x.html"});
    EXPECT_EQ(messages_, "");
    EXPECT_EQ(o.script_file, file("waits.stp"));
    EXPECT_EQ(o.verbosity[1], 1);
    EXPECT_THAT(pairs(o.globals), ElementsAre("min=3000", "time=5"));
    EXPECT_EQ(o.timeout, "90.000");
    EXPECT_EQ(o.output, "x.html");
    EXPECT_EQ(parsed({file("waits.stp"), "--format=json"}).format, "json");
    EXPECT_EQ(messages_, "");
    EXPECT_EQ(o.last_pass, 5);
}

// Options of scripts without a head are stap's, also behind the script.
TEST_F(ToolOptions, WordsBehindAPlainScriptAreStaps) {
    const Options o = parsed({file("plain.stp"), "-g", "word", "-p2"});
    EXPECT_EQ(messages_, "");
    EXPECT_TRUE(o.guru);
    EXPECT_EQ(o.last_pass, 2);
    EXPECT_THAT(o.script_args, ElementsAre("word"));
    EXPECT_FALSE(o.tool);
}

TEST_F(ToolOptions, RunFindsByNameAndOtherName) {
    for (const List &words : {List{"run", "waits", "-m1"}, {"-v", "run", "-g", "offcputime", "-m", "1"}}) {
        const Options o = parsed(words);
        EXPECT_EQ(messages_, "");
        EXPECT_EQ(o.script_file, file("waits.stp"));
        EXPECT_THAT(pairs(o.globals), ElementsAre("min=1"));
    }
    EXPECT_EQ(parsed({"run", "plain", "a"}).script_args, List{"a"});
    // A value is no name, and a word behind another script is an argument.
    EXPECT_EQ(parsed({"-x", "1", file("plain.stp"), "run"}).script_args, List{"run"});
    parsed({"run", "wait"});
    EXPECT_THAT(messages_, HasSubstr("There is no tool 'wait' (similar: waits)."));
}

TEST_F(ToolOptions, AScriptThatIsHereIsRunByItsPath) {
    const fs::path before = fs::current_path();
    std::ofstream(directory_ / "draft.stp") << "@tool(\"sketch\", \"why?\", \"\")\n";
    fs::create_directory(directory_ / "a");
    fs::create_directory(directory_ / "a/b");
    fs::rename(directory_ / "draft.stp", directory_ / "a/b/draft.stp");
    fs::current_path(directory_ / "a/b");
    parsed({"run", "draft"});
    fs::current_path(before);
    EXPECT_THAT(messages_, HasSubstr("There is no tool 'draft'."));
    EXPECT_THAT(messages_, HasSubstr("the script here is run by its path: stap draft.stp, or stap run ./draft.stp"));
}

// Wherever --vm stands, no program of this machine is meant.
TEST_F(ToolOptions, NoProgramIsLookedUpForAGuest) {
    for (const List &words :
         {List{"--vm", file("waits.stp"), "--exe", "/bin/sh"}, {file("waits.stp"), "--exe", "/bin/sh", "--vm"}}) {
        parsed(words);
        EXPECT_THAT(messages_, HasSubstr("The --exe option is for this machine, not for a guest (--vm)"));
    }
    EXPECT_EQ(parsed({"--vm", file("waits.stp"), "-p", "4194303"}).target_pid, 4194303);
    EXPECT_EQ(messages_, "");
}

// A name that is no file names a tool.
TEST_F(ToolOptions, CostOfATool) {
    for (const List &words : {List{"--cost", "waits", "-m1"},
                              {"run", "waits", "-m1", "--cost"},
                              {"--cost", file("waits.stp"), "-m1"},
                              {"--cost", "run", "offcputime", "-m", "1"}}) {
        const Options o = parsed(words);
        EXPECT_EQ(messages_, "");
        EXPECT_TRUE(o.cost);
        EXPECT_EQ(o.script_file, file("waits.stp"));
        EXPECT_THAT(pairs(o.globals), ElementsAre("min=1"));
    }
    const Options o = parsed({"run", "waits", "--cost", "--rates=r", "--assume=frames=3", "--format=json"});
    EXPECT_EQ(o.rates, "r");
    EXPECT_EQ(o.assumed.frames, 3);
    EXPECT_EQ(parsed({"--cost", file("plain.stp"), "a"}).script_args, List{"a"});
    parsed({"--cost", "wait"});
    EXPECT_THAT(messages_, HasSubstr("There is no tool 'wait' (similar: waits)."));
}

TEST_F(ToolOptions, RunListsAndSearches) {
    EXPECT_THAT(parsed({"run"}).about, ::testing::StartsWith("Waiting\n  waits  where? (offcputime)\n"));
    EXPECT_EQ(parsed({"run", "--search", "WHERE"}).about, "Waiting\n  waits  where? (offcputime)\n");
    EXPECT_THAT(parsed({"run", "--list-for", "offcputime"}).about, ::testing::StartsWith("waits - where?\n"));
    parsed({"run", "--search=zebra"});
    EXPECT_THAT(messages_, HasSubstr("No tool has 'zebra' in its name or question (--search)."));
    parsed({"run", "--list-for=zebra"});
    EXPECT_THAT(messages_, HasSubstr("No tool takes the place of 'zebra' (--list-for)."));
    EXPECT_EQ(parsed({"run", "--check-all", "-r", "6.1"}).action, Action::CheckTools);
    parsed({"run", "--check-all", "waits"});
    EXPECT_THAT(messages_, HasSubstr("The --check-all option is for all tools: stap run --check-all."));
    parsed({"--search=x", file("plain.stp")});
    EXPECT_THAT(messages_, HasSubstr("are for the list of tools: stap run --search WORD."));
}

// Messages are made when the options are known.
TEST_F(ToolOptions, FaultsOfAHeadShowItsLine) {
    const std::string text =
        "@tool(\"x\", \"Y: z?\", \"\")\n@option(n, 0, \"-x: flag -- " + std::string(90, 'a') + "\")\n";
    const std::string said = "every tool has an option -x already";
    parsed({"-e", text + "probe begin { println(n) }"});
    EXPECT_THAT(messages_, AllOf(HasSubstr(said), HasSubstr("<input>:2:15"), HasSubstr(std::string(90, 'a'))));
    std::ofstream(directory_ / "wrong.stp") << text;
    for (const List &words : {List{file("wrong.stp")}, {"run", "wrong"}, {"run", "--list-for=wrong"}}) {
        parsed(words);
        EXPECT_THAT(messages_, AllOf(HasSubstr(said), HasSubstr("wrong.stp:2:15"), HasSubstr(std::string(90, 'a'))));
    }
}

TEST_F(ToolOptions, TextsOfTheCommandLineAreTools) {
    const std::string text = "@option(n, 1, \"-n: number -- x\") probe begin { println(n) }";
    for (const List &words : {List{"-e", text, "-n", "4"}, {"-v", "-e" + text, "--n=4"}}) {
        const Options o = parsed(words);
        EXPECT_EQ(messages_, "");
        EXPECT_EQ(o.script_text, text);
        EXPECT_THAT(pairs(o.globals), ElementsAre("n=4"));
    }
    // Not what an option happens to have as its value.
    EXPECT_EQ(parsed({"-c", "echo -e", file("plain.stp")}).command, "echo -e");
}

TEST_F(ToolOptions, OptionOfStap) {
    const Options o = parsed({"--option", "min=2ms", "--option=f=vfs_write", file("waits.stp"), "-m", "1ms"});
    EXPECT_EQ(messages_, "");
    // The words behind the script win. The loader does not set literals.
    EXPECT_THAT(pairs(o.globals), ElementsAre("min=1000"));
    EXPECT_THAT(pairs(o.option_values), ElementsAre("f=vfs_write", "min=1000"));
    parsed({"--option", "mim=2", file("waits.stp")});
    EXPECT_THAT(messages_, HasSubstr("waits has no option 'mim' (similar: min) (--option)."));
    parsed({"--option", "min=x", file("waits.stp")});
    EXPECT_THAT(messages_, HasSubstr("Invalid value 'x' for --min: it should be a time"));
    parsed({"--option", "min=1", file("plain.stp")});
    EXPECT_THAT(messages_, HasSubstr("The --option option is for scripts that declare options, with @option."));
    parsed({"--option", "min", file("waits.stp")});
    EXPECT_THAT(messages_, HasSubstr("Invalid --option argument 'min' (should be NAME=VALUE)."));
}

// A build server puts a stranger's script and words there.
TEST_F(ToolOptions, NothingBehindTwoDashesIsAnOption) {
    const Options o = parsed({"-p4", "--", file("waits.stp"), "--remote=host"});
    EXPECT_THAT(messages_, HasSubstr("waits has no use for the word '--remote=host'."));
    EXPECT_TRUE(o.remote.empty());
    parsed({"--", file("waits.stp"), "-o", "x"});
    EXPECT_THAT(messages_, HasSubstr("waits has no use for the word '-o'."));
}

TEST_F(ToolOptions, AboutComesFirst) {
    const Options o = parsed({file("waits.stp"), "--help", "--min=1"});
    EXPECT_EQ(o.action, Action::About);
    EXPECT_THAT(o.about, HasSubstr("-m, --min=TIME"));
    EXPECT_THAT(parsed({"run", "waits", "--describe"}).about, ::testing::StartsWith("{\"v\":1,\"name\":\"waits\""));
}

TEST_F(ToolOptions, SeveralProcesses) {
    const std::string self = std::to_string(getpid()), parent = std::to_string(getppid());
    const Options o = parsed({file("waits.stp"), "-p", self + "," + parent, "-x", self});
    EXPECT_EQ(messages_, "");
    EXPECT_EQ(o.target_pid, getpid());
    EXPECT_THAT(pairs(o.globals), ElementsAre("__more_targets=" + parent));
    parsed({file("waits.stp"), "-p", "99999999"});
    EXPECT_THAT(messages_, HasSubstr("There is no process 99999999 (--pid)."));
    // A guest has processes of its own.
    parsed({file("waits.stp"), "-p", "99999999", "--vm"});
    EXPECT_EQ(messages_, "");
    parsed({file("waits.stp"), "--exe", "/bin/sh", "--vm"});
    EXPECT_THAT(messages_, HasSubstr("The --exe option is for this machine"));
}

TEST_F(ToolOptions, CoresAndSnapshots) {
    EXPECT_EQ(parsed({file("waits.stp"), "--core", "core.1"}).core, "core.1");
    EXPECT_EQ(messages_, "");
    const std::string self = std::to_string(getpid());
    const std::pair<const char *, const char *> cases[] = {
        {"--snapshot", "stop"}, {"--snapshot=stop", "stop"}, {"--snapshot=run", "run"}};
    for (const auto &[word, how] : cases) {
        const Options o = parsed({file("waits.stp"), "-p", self, word});
        EXPECT_EQ(messages_, "");
        EXPECT_EQ(o.snapshot, how);
        EXPECT_EQ(o.target_pid, getpid());
    }
    parsed({file("waits.stp"), "-p", self, "--snapshot=walk"});
    EXPECT_THAT(messages_, HasSubstr("Invalid value 'walk' for --snapshot (should be stop or run)."));
    parsed({file("waits.stp"), "-p", self, "--core=core.1"});
    EXPECT_THAT(messages_, HasSubstr("with a core file (--core) it is the core's process."));
}

TEST_F(ToolOptions, DurationsAndWrongOnes) {
    EXPECT_EQ(parsed({file("waits.stp"), "-T", "1.5"}).timeout, "1.500");
    EXPECT_EQ(parsed({file("waits.stp"), "--duration=2m"}).timeout, "120.000");
    for (const char *time : {"0", "x", "-1", "5d"}) {
        parsed({file("waits.stp"), std::string("--duration=") + time});
        EXPECT_THAT(messages_, HasSubstr("for --duration: it should be a time such as 5, 90s or 10m.")) << time;
    }
}

// Against the kernel's own files: processes that this test starts.
TEST(Targets, GroupsAndPrograms) {
    const pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        execl("/bin/sleep", "sleep", "60", nullptr);
        _exit(1);
    }
    setpgid(child, child);
    while (fs::read_symlink("/proc/" + std::to_string(child) + "/exe").filename() != "sleep")
        usleep(1000);
    const auto group = processes_of("-" + std::to_string(child), true);
    ASSERT_TRUE(group);
    EXPECT_THAT(*group, ElementsAre(child));
    const auto running = processes_running("/bin/sleep");
    ASSERT_TRUE(running);
    EXPECT_THAT(*running, ::testing::Contains(child));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_FALSE(processes_of("-" + std::to_string(child), true));
    EXPECT_FALSE(processes_of("-0", true));
    EXPECT_FALSE(processes_of("1,,2", false));
    EXPECT_FALSE(processes_running("/nowhere/program"));
    EXPECT_FALSE(cgroup_of_unit("tapir-no-such-unit"));
    EXPECT_FALSE(cgroup_of_container("tapir-no-such-container"));
}

}  // namespace
}  // namespace tapir::driver
