// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet_hosts.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace tapir::remote {
namespace {

TEST_F(FleetTest, RecordsNameTheirHosts) {
    options_.records = true;
    const FleetResult result = run({"recording1-6.1", "recording2-6.1"});
    for (const HostResult &host : result.hosts)
        EXPECT_EQ("", host.problem);
    std::istringstream lines(read("out"));
    std::map<std::string, int> records;
    for (std::string line; std::getline(lines, line);) {
        const std::string host = line.substr(0, line.find(','));
        EXPECT_EQ(host + ",\"v\":1,\"n\":" + std::to_string(++records[host]) + "}", line);
    }
    EXPECT_EQ(
        (std::map<std::string, int>{{"{\"remote\":\"recording1-6.1\"", 200}, {"{\"remote\":\"recording2-6.1\"", 200}}),
        records);
}

TEST_F(FleetTest, RunsOnEachHostWithTheModuleOfItsKernel) {
    options_.prefix = true;
    options_.verbosity = 1;
    const FleetResult result = run({"quick1-6.1", "quick2-6.12", "quick3-6.1"});
    for (const HostResult &host : result.hosts)
        EXPECT_EQ("", host.problem);
    EXPECT_EQ((std::vector<std::string>{"6.1", "6.12"}), sorted("builds"));
    const std::vector<std::string> lines = sorted("out");
    ASSERT_EQ(6u, lines.size());
    EXPECT_EQ("quick1-6.1: module of 6.1", lines[0]);
    EXPECT_TRUE(lines[1].starts_with("quick1-6.1: quick1-6.1: -r 0:quick1-6.1 /")) << lines[1];
    EXPECT_TRUE(lines[1].ends_with("/m_6.1.ko")) << lines[1];
    EXPECT_EQ("quick2-6.12: module of 6.12", lines[2]);
    EXPECT_TRUE(lines[5].starts_with("quick3-6.1: quick3-6.1: -r 2:quick3-6.1 ")) << lines[5];
    EXPECT_EQ((std::vector<std::string>{"quick1-6.1: running on kernel 6.1", "quick1-6.1: warning of quick1-6.1",
                                        "quick2-6.12: running on kernel 6.12", "quick2-6.12: warning of quick2-6.12",
                                        "quick3-6.1: running on kernel 6.1", "quick3-6.1: warning of quick3-6.1"}),
              sorted("err"));
    EXPECT_EQ(
        "3 hosts, all well:\n"
        "  quick1-6.1   6.1   ok\n"
        "  quick2-6.12  6.12  ok\n"
        "  quick3-6.1   6.1   ok\n",
        render_result(hosts_, result));
    expect_clean();
}

TEST_F(FleetTest, GivesOptionsToTheConnection) {
    options_.ssh_options = {"StrictHostKeyChecking=no", "User=me"};
    run({"quick-6.1"});
    const std::string log = read("log");
    const std::string first = log.substr(0, log.find('\n'));
    EXPECT_TRUE(first.starts_with("-o StrictHostKeyChecking=no -o User=me -o ControlPath=/")) << first;
    EXPECT_NE(std::string::npos, first.find(" -o BatchMode=yes -o ConnectTimeout=20 ")) << first;
    EXPECT_TRUE(first.ends_with(" -N quick-6.1")) << first;
    // Users of the shared connection must not make one of their own.
    EXPECT_NE(std::string::npos, log.find("\n-o ProxyCommand=false -o ControlPath=/")) << log;
}

// ssh takes blanks, "%" and "${" in a path for something else.
TEST_F(FleetTest, PutsItsSocketsWhereSshFindsThem) {
    const char *old = getenv("TMPDIR");
    const std::string before = old ? old : "";
    for (const char *name : {"plain", "a b", "${HOME}", "%h"}) {
        fs::remove(dir_ / "log");
        fs::create_directories(dir_ / name);
        setenv("TMPDIR", (dir_ / name).c_str(), 1);
        EXPECT_EQ("", run({"quick-6.1"}).hosts[0].problem);
        const std::string root = std::string_view(name) == "plain" ? (dir_ / name).string() : "/tmp";
        EXPECT_NE(std::string::npos, read("log").find("ControlPath=" + root + "/tapir-ssh")) << read("log");
    }
    old ? setenv("TMPDIR", before.c_str(), 1) : unsetenv("TMPDIR");
}

TEST_F(FleetTest, UsesTheStaprunThatIsThere) {
    write("bin/staprun", "#!/bin/sh\n[ \"$1\" = --version ] && { echo stand-in; exit; }\necho installed \"$1\"\n");
    setenv("TAPIR_TEST_UID", "1000", 1);
    FleetResult result = run({"quick-6.1"});
    EXPECT_EQ("", result.hosts[0].problem);
    EXPECT_EQ("installed -r\n", read("out"));
    options_.staprun_version = "another\n";
    result = run({"quick-6.1"});
    EXPECT_EQ(
        "only root can load modules there, and there is no staprun of this version that is installed for other "
        "users (docs/security.md); log in as root",
        result.hosts[0].problem);
    expect_clean();
}

TEST_F(FleetTest, LoginScriptsMayPrint) {
    const FleetResult result = run({"quick-greeting-6.1"});
    EXPECT_EQ("", result.hosts[0].problem);
    EXPECT_EQ("6.1", result.hosts[0].kernel);
    const std::string text = read("out");
    EXPECT_TRUE(text.starts_with("quick-greeting-6.1: -r ")) << text;
    EXPECT_EQ(std::string::npos, text.find("users"));
    expect_clean();
}

TEST_F(FleetTest, ASignatureGoesWithItsModule) {
    write("bin/staprun", "#!/bin/sh\n[ \"$1\" = --version ] && { echo stand-in; exit; }\ncat \"$3\" \"$3.sig\"\n");
    setenv("TAPIR_TEST_UID", "1000", 1);
    write("m_6.1.ko.sig", "signature of 6.1\n");
    const FleetResult result = run({"quick-6.1"});
    EXPECT_EQ("", result.hosts[0].problem);
    EXPECT_EQ("module of 6.1\nsignature of 6.1\n", read("out"));
    expect_clean();
}

TEST_F(FleetTest, OneBadHostDoesNotStopOthers) {
    options_.connect_seconds = 5;
    const FleetResult result = run({"dead-6.1", "mute-6.1", "broken-6.1", "quick-6.1", "failing-6.1", "quick-none"});
    EXPECT_EQ("cannot connect: ssh: connect to host dead-6.1 port 22: Connection refused", result.hosts[0].problem);
    EXPECT_EQ("cannot connect within 5 seconds", result.hosts[1].problem);
    EXPECT_EQ("cannot copy staprun to the host", result.hosts[2].problem);
    EXPECT_EQ("", result.hosts[3].problem);
    EXPECT_EQ("staprun exited with status 3", result.hosts[4].problem);
    EXPECT_EQ("there is no module for its kernel none (see above)", result.hosts[5].problem);
    EXPECT_NE(std::string::npos, read("err").find("For none:\nno headers\n"));
    EXPECT_NE(std::string::npos,
              render_result(hosts_, result).find("6 hosts, 5 failed:\n  dead-6.1     -     failed: "));
    expect_clean();
}

TEST_F(FleetTest, MuteHostsDoNotHoldUpOthers) {
    std::vector<std::string> names;
    for (int i = 0; i < 20; ++i)
        names.push_back("mute" + std::to_string(i) + "-6.1");
    names.push_back("quick-6.1");
    signal_when("out", {"module of 6.1"}, {SIGINT});
    const FleetResult result = run(names);
    EXPECT_EQ("", result.hosts.back().problem);
    EXPECT_EQ("interrupted before the script ran", result.hosts[0].problem);
    expect_clean();
}

TEST_F(FleetTest, AHostThatDoesNotAnswerIsGivenUp) {
    options_.connect_seconds = 1;
    const FleetResult result = run({"silent-6.1"});
    EXPECT_EQ("the host does not answer within 3 seconds", result.hosts[0].problem);
}

TEST_F(FleetTest, ALostConnectionIsSaid) {
    const FleetResult result = run({"lost-6.1", "quick-6.1"});
    EXPECT_TRUE(result.hosts[0].problem.starts_with("the connection was lost; the host ends the script by itself"))
        << result.hosts[0].problem;
    EXPECT_EQ("", result.hosts[1].problem);
    expect_clean();
}

// Without anything that is closed, as when a network is cut: while the script runs, and before that.
// The part before the cut has to arrive within the time, also on a slow machine.
TEST_F(FleetTest, AHostThatHearsNothingEndsByItself) {
    options_.alive_seconds = std::max(1, static_cast<int>(tests::patience() / 2));
    const bool busybox = std::system("command -v busybox >/dev/null") == 0;
    const FleetResult result = run({"cut-late", "cut-6.1", "cut-bash-6.1", busybox ? "cut-busybox-6.1" : "cut2-6.1"});
    EXPECT_EQ("the connection was lost before the script ran", result.hosts[0].problem);
    for (size_t i = 1; i < result.hosts.size(); ++i) {
        EXPECT_EQ("the connection was lost; the host ends the script by itself", result.hosts[i].problem);
        EXPECT_NE(std::string::npos, read("out").find(hosts_[i].uri + ": -r"));
    }
    expect_clean();
    EXPECT_EQ(std::string::npos, read("err").find("Killed")) << read("err");
}

TEST_F(FleetTest, NeitherSlowBuildsNorSlowReadersAreSilence) {
    options_.alive_seconds = 1;
    const std::string pipe = (dir_ / "pipe").string();
    ASSERT_EQ(0, mkfifo(pipe.c_str(), 0600));
    const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const pid_t parent = getpid();
    helper_ = fork();
    if (helper_ == 0) {
        fcntl(reader, F_SETFL, 0);
        while (read("err").find("late") == std::string::npos)
            usleep(50000);
        sleep(9);
        kill(parent, SIGINT);
        for (char bytes[4096]; ::read(reader, bytes, sizeof bytes) > 0;) {
        }
        _exit(0);
    }
    const FleetResult result = run({"chatty-6.1", "go-late"}, pipe.c_str());
    close(reader);
    EXPECT_EQ("", result.hosts[0].problem);
    EXPECT_EQ("", result.hosts[1].problem);
    EXPECT_GT(seconds_, 17);
    expect_clean();
}

// Each time that there is room it is the next one's turn.
TEST_F(FleetTest, NoisyHostsTakeTurnsWhenTheReaderIsSlow) {
    const std::string pipe = (dir_ / "pipe").string();
    ASSERT_EQ(0, mkfifo(pipe.c_str(), 0600));
    const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const pid_t parent = getpid();
    helper_ = fork();
    if (helper_ == 0) {
        fcntl(reader, F_SETFL, 0);
        for (const char *name : {"of chatty1", "of chatty2", "of chatty3"})
            while (read("err").find(name) == std::string::npos)
                usleep(50000);
        std::string text;
        char bytes[65536];
        ssize_t got;
        while (text.size() < 6u << 20 && (got = ::read(reader, bytes, sizeof bytes)) > 0) {
            text.append(bytes, static_cast<size_t>(got));
            usleep(10000);
        }
        write("slow", text);
        kill(parent, SIGINT);
        while (::read(reader, bytes, sizeof bytes) > 0) {
        }
        _exit(0);
    }
    run({"chatty1-6.1", "chatty2-6.1", "chatty3-6.1"}, pipe.c_str());
    close(reader);
    const std::string text = read("slow");
    size_t lines[3] = {}, all = 0;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line); ++all)
        for (size_t i = 0; i < 3; ++i)
            if (line.starts_with("chatty" + std::to_string(i + 1))) ++lines[i];
    // On a busy machine, hosts write at different speeds.
    for (const size_t count : lines)
        EXPECT_GT(count, all / 20) << lines[0] << " " << lines[1] << " " << lines[2];
    expect_clean();
}

TEST_F(FleetTest, TheFirstSignalAsksForTheEnd) {
    signal_when("out", {"go1-6.1: -r", "go2-6.1: -r"}, {SIGINT});
    const FleetResult result = run({"go1-6.1", "go2-6.1"});
    EXPECT_EQ(SIGINT, result.interrupted);
    EXPECT_EQ("", result.hosts[0].problem);
    EXPECT_EQ("", result.hosts[1].problem);
    const std::vector<std::string> lines = sorted("out");
    EXPECT_EQ(1, std::count(lines.begin(), lines.end(), "go1-6.1 ends"));
    EXPECT_EQ(1, std::count(lines.begin(), lines.end(), "go2-6.1 ends"));
    expect_clean();
}

TEST_F(FleetTest, SigtermEndsToo) {
    signal_when("out", {"go-6.1: -r"}, {SIGTERM});
    const FleetResult result = run({"go-6.1"});
    EXPECT_EQ(SIGTERM, result.interrupted);
    EXPECT_EQ("", result.hosts[0].problem);
    EXPECT_NE(std::string::npos, read("out").find("go-6.1 stops\n"));
    expect_clean();
}

TEST_F(FleetTest, TheThirdSignalLeavesAtOnce) {
    signal_when("out", {"stubborn-6.1: -r"}, {SIGTERM, SIGTERM, SIGTERM});
    const FleetResult result = run({"stubborn-6.1"});
    EXPECT_EQ("left while it had yet to end; the host ends it by itself", result.hosts[0].problem);
    expect_clean();
    // It ended by a signal.
    EXPECT_EQ("stubborn-6.1 removes m_6.1.ko\n", read("removed"));
}

TEST_F(FleetTest, TheThirdSignalDoesNotWaitForAReader) {
    const std::string pipe = (dir_ / "pipe").string();
    ASSERT_EQ(0, mkfifo(pipe.c_str(), 0600));
    const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const pid_t parent = getpid();
    helper_ = fork();
    if (helper_ == 0) {
        for (int waiting = 0; waiting < 60000; usleep(50000))
            ioctl(reader, FIONREAD, &waiting);
        for (int i = 0; i < 3; ++i) {
            usleep(500000);
            kill(parent, SIGINT);
        }
        _exit(0);
    }
    run({"chatty-6.1"}, pipe.c_str());
    close(reader);
    expect_clean();
}

TEST_F(FleetTest, ASignalEndsWhatHasNotBegun) {
    signal_when("builds", {"slow"}, {SIGINT});
    const FleetResult result = run({"go-slow", "mute-6.1"});
    EXPECT_EQ("interrupted before the script ran", result.hosts[0].problem);
    EXPECT_EQ("interrupted before the script ran", result.hosts[1].problem);
    expect_clean();
}

TEST_F(FleetTest, WhoeverKillsItLeavesNoConnection) {
    kill_when("mute-6.1", "masters", "\n");
    kill_when("go-slow", "builds", "slow");
    kill_when("stuck-6.1", "copies", "begun");
    kill_when("go-6.1", "out", "go-6.1: -r");
    expect_clean();
}

TEST_F(FleetTest, OutputThatCannotBeWrittenEndsAll) {
    const FleetResult result = run({"chatty1-6.1", "chatty2-6.1", "go-6.1", "mute-6.1"}, "/dev/full");
    EXPECT_EQ(ENOSPC, result.output_error);
    EXPECT_EQ(0, result.interrupted);
    expect_clean();
}

TEST_F(FleetTest, StubbornHostsDoNotHoldUpTheEndWhenOutputFails) {
    const FleetResult result = run({"stubborn-6.1"}, "/dev/full");
    EXPECT_EQ(ENOSPC, result.output_error);
    EXPECT_EQ("left while it had yet to end; the host ends it by itself", result.hosts[0].problem);
    expect_clean();
}

TEST_F(FleetTest, WithoutModuleOnlyStaprunIsCopied) {
    options_.no_module = true;
    options_.arguments = [](size_t, const Host &, const std::string &module) {
        EXPECT_EQ("", module);
        return std::vector<std::string>{"--doctor"};
    };
    const FleetResult result = run({"go1-6.1", "go2-none"});
    EXPECT_EQ("", result.hosts[0].problem);
    const std::string text = read("out");
    EXPECT_NE(std::string::npos, text.find("examined go1-6.1\n"));
    EXPECT_NE(std::string::npos, text.find("examined go2-none\n"));
    expect_clean();
}

TEST_F(FleetTest, HostsSpeakAsTheTerminalHereDoes) {
    options_.no_module = true;
    options_.environment = {"TAPIR_MESSAGES=terminal", "COLUMNS=72"};
    options_.arguments = [](size_t, const Host &, const std::string &) { return std::vector<std::string>{"--doctor"}; };
    const FleetResult result = run({"go1-none"});
    EXPECT_EQ("", result.hosts[0].problem);
    EXPECT_NE(std::string::npos, read("out").find("examined go1-none for a terminal\n"));
    expect_clean();
}

}  // namespace
}  // namespace tapir::remote
