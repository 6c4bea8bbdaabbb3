// SPDX-License-Identifier: GPL-2.0-or-later
#include "remote/host_name.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "../said.h"

namespace tapir::remote {
namespace {

std::string taken(const std::string &text) {
    const Outcome<Host> host = parse_host(text);
    if (!host) return said(host);
    EXPECT_EQ(text, host->uri);
    return host->destination + " " + std::to_string(host->port);
}

TEST(RemoteHost, Forms) {
    EXPECT_EQ("web 0", taken("web"));
    EXPECT_EQ("root@web.example 0", taken("root@web.example"));
    EXPECT_EQ("root@web 2222", taken("root@web:2222"));
    EXPECT_EQ("root@web 2222", taken("ssh://root@web:2222"));
    EXPECT_EQ("10.0.0.7 22", taken("10.0.0.7:22"));
    EXPECT_EQ("fe80::1%eth0 0", taken("fe80::1%eth0"));
    EXPECT_EQ("root@fe80::1 22", taken("ssh://root@[fe80::1]:22"));
    EXPECT_EQ("::1 0", taken("[::1]"));
}

TEST(RemoteHost, HostNameWrong) {
    EXPECT_EQ("host-name-wrong", tag_of(parse_host("")));
    const std::string forms = "it should be [user@]host[:port] or ssh://[user@]host[:port]";
    EXPECT_EQ("'' is not a host: " + forms, taken(""));
    EXPECT_EQ("'-oProxyCommand=x' is not a host: " + forms, taken("-oProxyCommand=x"));
    EXPECT_EQ("'root@-x' is not a host: " + forms, taken("root@-x"));
    EXPECT_EQ("'a b' is not a host: " + forms, taken("a b"));
    EXPECT_EQ("'$(x)' is not a host: " + forms, taken("$(x)"));
    EXPECT_EQ("'a/b' is not a host: " + forms, taken("a/b"));
    EXPECT_EQ("'@web' is not a host: the user's name is empty or has odd characters", taken("@web"));
    EXPECT_EQ("'-l@web' is not a host: the user's name is empty or has odd characters", taken("-l@web"));
    for (const char *port : {"0", "65536", "x", "", "22x", "-1"})
        EXPECT_EQ("'web:" + std::string(port) + "' is not a host: the port should be 1 to 65535",
                  taken("web:" + std::string(port)));
    EXPECT_EQ("'libvirt://x' is not a host: hosts are reached by ssh:// only", taken("libvirt://x"));
    EXPECT_EQ("'" + std::string(40, 'x') + "' is not a host: its name is longer than 255 bytes",
              taken(std::string(256, 'x')));
}

class HostList : public testing::Test {
  protected:
    HostList() {
        char pattern[] = "/tmp/tapir-hosts.XXXXXX";
        path_ = std::string(mkdtemp(pattern)) + "/list";
    }
    ~HostList() override { std::filesystem::remove_all(std::filesystem::path(path_).parent_path()); }

    std::string add(const std::string &text) {
        std::ofstream(path_) << text;
        return tagged(add_hosts("@" + path_, hosts_));
    }

    std::string path_;
    std::vector<Host> hosts_;
};

TEST_F(HostList, OneHostOnEachLine) {
    EXPECT_EQ("ok", tagged(add_hosts("first", hosts_)));
    EXPECT_EQ("ok", add("# the web servers\n\n  web1  # old\nroot@web2:2222\r\n\tweb3"));
    ASSERT_EQ(4u, hosts_.size());
    EXPECT_EQ("first", hosts_[0].uri);
    EXPECT_EQ("web1", hosts_[1].uri);
    EXPECT_EQ("root@web2", hosts_[2].destination);
    EXPECT_EQ(2222, hosts_[2].port);
    EXPECT_EQ("web3", hosts_[3].uri);
}

// The options of one host stand behind it.
TEST_F(HostList, OptionsOfAHost) {
    EXPECT_EQ("ok", add("web1 IdentityFile=/k/web1  ProxyJump=gate # behind the gate\nweb2\tUser='of web' \nweb3\n"));
    ASSERT_EQ(3u, hosts_.size());
    EXPECT_EQ((std::vector<std::string>{"IdentityFile=/k/web1", "ProxyJump=gate"}), hosts_[0].ssh_options);
    EXPECT_EQ("web1", hosts_[0].destination);
    EXPECT_EQ((std::vector<std::string>{"User=of web"}), hosts_[1].ssh_options);
    EXPECT_TRUE(hosts_[2].ssh_options.empty());
    EXPECT_EQ("host-name-wrong: " + path_ +
                  ":1: 'web1 User='me' is not a host: its options have a quote without an end, or what only a shell "
                  "understands",
              add("web1 User='me\n"));
    EXPECT_EQ("host-name-wrong: " + path_ +
                  ":1: 'web1 -A=1' is not a host: behind it stands NAME=VALUE for ssh's -o, not '-A=1'",
              add("web1 -A=1\n"));
}

TEST_F(HostList, HostListUnusable) {
    EXPECT_EQ("host-name-wrong: " + path_ +
                  ":3: 'two words' is not a host: behind it stands NAME=VALUE for ssh's -o, not 'words'",
              add("web1\n\ntwo words\n"));
    EXPECT_EQ("host-list-unusable: The list of hosts '" + path_ + "' names none", add("# nobody\n"));
    EXPECT_EQ("host-list-unusable: Cannot read the list of hosts '/nowhere/list': No such file or directory",
              tagged(add_hosts("@/nowhere/list", hosts_)));
}

}  // namespace
}  // namespace tapir::remote
