// SPDX-License-Identifier: GPL-2.0-or-later
// Fleets with more hosts than run at a time, and hosts that lag.
#include "fleet_hosts.h"

namespace tapir::remote {
namespace {

// A host begins when another has ended: never more of them hold a connection than are allowed.
TEST_F(FleetTest, WidthBoundsTheHostsAtATime) {
    options_.width = 3;
    write("ssh", std::string(kSsh).insert(std::string(kSsh).find("touch \"$socket\""),
                                          "for other in \"${socket%/*}\"/*; do echo x; done | wc -l >>\"$D/held\"\n"));
    std::vector<std::string> names;
    for (int i = 0; i < 12; ++i)
        names.push_back("quick" + std::to_string(i) + "-6.1");
    for (const HostResult &host : run(names).hosts)
        EXPECT_EQ("", host.problem);
    const std::vector<std::string> held = sorted("held");
    ASSERT_EQ(12u, held.size());
    EXPECT_LE(std::stoi(held.back()), 2) << "sockets beside its own";
    expect_clean();
}

// The output of a host by its deadline is there.
TEST_F(FleetTest, ADeadlineEndsWhoLags) {
    options_.deadline_seconds = static_cast<unsigned>(tests::patience() * 4) + 1;
    options_.connect_seconds = options_.deadline_seconds * 2;  // else one that does not answer ends by that
    const std::string text = std::to_string(options_.deadline_seconds) + " seconds (--remote-deadline)";
    const FleetResult result = run({"go-6.1", "quick-6.1", "mute-6.1", "stubborn-6.1"});
    EXPECT_EQ("it took longer than " + text + "; what it had told by then counts", result.hosts[0].problem);
    EXPECT_EQ("", result.hosts[1].problem);
    EXPECT_EQ("it took longer than " + text + " before the script ran", result.hosts[2].problem);
    EXPECT_EQ("it took longer than " + text + " and does not end; the host ends it by itself", result.hosts[3].problem);
    EXPECT_NE(std::string::npos, read("out").find("go-6.1 stops\n"));
    expect_clean();
}

// An option of a host comes first: ssh takes the first.
TEST_F(FleetTest, OptionsOfOneHostAreForItAlone) {
    options_.ssh_options = {"User=all"};
    hosts_ = {{"quick1-6.1", "quick1-6.1", 0, {"User=one", "Port=7"}}, {"quick2-6.1", "quick2-6.1", 0}};
    options_.output = options_.errors = open("/dev/null", O_WRONLY | O_CLOEXEC);
    run_fleet(hosts_, options_);
    close(options_.output);
    const std::string log = read("log");
    EXPECT_NE(std::string::npos, log.find("-o User=one -o Port=7 -o User=all -o ControlPath=")) << log;
    EXPECT_EQ(log.find("User=one"), log.rfind("User=one")) << log;
}

// Both hosts are this machine, so one of them is left out.
TEST_F(FleetTest, AMachineWhoseRecordsAreTakenRunsOnce) {
    size_t lines = 0, launched = 0;
    options_.take = [&](size_t, std::string_view line, std::string &out) {
        if (line.starts_with("{")) ++lines;
        out += "seen\n";
        return std::string();
    };
    options_.launched = [&](size_t) { ++launched; };
    const FleetResult result = run({"recording1-6.1", "recording2-6.1"});
    const std::string notes = result.hosts[0].note + result.hosts[1].note;
    EXPECT_TRUE(notes == "it is the same machine as recording1-6.1, which counts" ||
                notes == "it is the same machine as recording2-6.1, which counts")
        << notes;
    EXPECT_EQ(200u, lines);
    EXPECT_EQ(1u, launched);
    for (const HostResult &host : result.hosts)
        EXPECT_EQ("", host.problem);
    EXPECT_TRUE(read("out").starts_with("seen\n"));
    EXPECT_NE(std::string::npos, render_result(hosts_, result).find("  left out: it is the same machine"));
    expect_clean();
}

// A host that sends garbage without an end is ended.
TEST_F(FleetTest, AHostIsGivenUpWhoseRecordsAreWrong) {
    options_.take = [&](size_t, std::string_view line, std::string &) {
        return std::string(line.starts_with("chatty-6.1 0123") ? "it tells no records" : "");
    };
    const FleetResult result = run({"chatty-6.1"});
    EXPECT_EQ("it tells no records", result.hosts[0].problem);
    EXPECT_EQ("", read("out"));
    expect_clean();
}

// A list of many hosts has only those that failed.
TEST(FleetResultTest, ManyHostsAreListedWhereTheyFailed) {
    std::vector<Host> hosts;
    FleetResult result;
    for (int i = 0; i < 21; ++i) {
        hosts.push_back({"web" + std::to_string(i), "", 0});
        result.hosts.push_back({"6.1", i == 7 ? "it is off" : "", ""});
    }
    EXPECT_EQ("21 hosts, 1 failed:\n  web7  6.1  failed: it is off\n", render_result(hosts, result));
    EXPECT_NE(std::string::npos, render_result(hosts, result, true).find("  web20  6.1  ok\n"));
}

// Few hosts have a line each.
TEST_F(FleetTest, EqualMessagesOfManyHostsAreOne) {
    std::vector<std::string> names;
    for (int i = 0; i < 24; ++i)
        names.push_back("agree" + std::to_string(i) + "-6.1");
    run(names);
    uint64_t hosts = 0;
    std::istringstream text(read("err"));
    std::string rest;
    for (std::string line; std::getline(text, line);) {
        if (line.starts_with("agree")) continue;
        const size_t number = std::stoul(line);
        if (line == std::to_string(number) + " hosts: a warning of all")
            hosts += number;
        else
            rest += line + "\n";
    }
    // Slow hosts end one by one, and are told with their names.
    for (size_t at = 0; (at = read("err").find("-6.1: a warning of all\n", at)) != std::string::npos; ++at)
        ++hosts;
    EXPECT_EQ(24u, hosts) << read("err");
    EXPECT_NE(std::string::npos, rest.find(" hosts:   and how to mend it\n")) << read("err");
    run({"agree1-6.1", "agree2-6.1"});
    EXPECT_NE(std::string::npos, read("err").find("agree2-6.1: a warning of all\n")) << read("err");
    expect_clean();
}

TEST_F(FleetTest, ManyAtOnce) {
    std::vector<std::string> names;
    for (int i = 0; i < 100; ++i)
        names.push_back((i % 10 == 3 ? "dead" : "quick") + std::to_string(i) + "-6." + std::to_string(i % 2));
    const FleetResult result = run(names);
    for (size_t i = 0; i < result.hosts.size(); ++i)
        EXPECT_EQ(i % 10 != 3, result.hosts[i].good()) << names[i] << ": " << result.hosts[i].problem;
    EXPECT_EQ(2u, sorted("builds").size());
    EXPECT_EQ(180u, sorted("out").size());
    expect_clean();
}

}  // namespace
}  // namespace tapir::remote
