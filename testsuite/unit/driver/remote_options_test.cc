// SPDX-License-Identifier: GPL-2.0-or-later
// The options of --remote and --merge.
#include <gtest/gtest.h>

#include "../options/command_line.h"
#include "driver/remote.h"
#include "driver/served.h"
#include "options/options.h"

namespace tapir::driver {
namespace {

TEST(RemoteOptions, OtherHosts) {
    const Options o =
        parsed({"--remote", "root@web1", "--remote=ssh://web2:2222", "--remote-prefix", "--remote-ssh-option=User=me",
                "--remote-ssh-option", "Port=7", "--color=always", "-x", "7", "-o", "out", "s.stp", "word"});
    ASSERT_EQ(o.remote.size(), 2u);
    EXPECT_EQ(o.remote[1].port, 2222);
    EXPECT_TRUE(o.remote_prefix);
    EXPECT_EQ(o.remote_ssh_options, (Words{"User=me", "Port=7"}));
    EXPECT_EQ(o.remote_width, 100u);
    const Options many = parsed({"--remote=web", "--remote-width=7", "--remote-deadline=90", "s"});
    EXPECT_EQ(many.remote_width, 7u);
    EXPECT_EQ(many.remote_deadline, 90u);
    EXPECT_EQ(remote_arguments(o, 1, o.remote[1], "/tmp/d/m.ko"),
              (Words{"-r", "1:ssh://web2:2222", "--color", "always", "-R", "-x", "7", "/tmp/d/m.ko"}));
    // The command with which stap calls itself for a host's kernel.
    Words command = remote_build_command(o, "6.1", "1ead0f");
    EXPECT_EQ(command.front(), "/proc/self/exe");
    command.erase(command.begin());
    const Options build = parsed(command);
    EXPECT_EQ(build.release, "6.1");
    // The host's kernel counts, even if this machine's is called the same.
    EXPECT_EQ(kernel_build_id(build, true), "1ead0f");
    command = remote_build_command(o, "6.1", "");
    command.erase(command.begin());
    EXPECT_TRUE(parsed(command).remote_build);
    EXPECT_EQ(kernel_build_id(parsed(command), true), "");
    EXPECT_EQ(kernel_build_id(o, true), running_build_id());
    EXPECT_EQ(build.last_pass, 4);
    EXPECT_EQ(build.target_pid, 0);
    EXPECT_TRUE(build.remote.empty());
    EXPECT_EQ(build.script_file, "s.stp");
    EXPECT_EQ(build.script_args, Words{"word"});
    EXPECT_EQ(remote_arguments(parsed({"--doctor", "--remote=web"}), 0, {}, ""), Words{"--doctor"});
}

TEST(RemoteOptions, UsageErrorOfOtherHosts) {
    EXPECT_EQ(refused({"--remote=-x", "s"}),
              "'-x' is not a host: it should be [user@]host[:port] or ssh://[user@]host[:port] (--remote).\n");
    EXPECT_EQ(refused({"--remote=@/nowhere", "s"}),
              "Cannot read the list of hosts '/nowhere': No such file or directory (--remote).\n");
    EXPECT_EQ(refused({"--remote-prefix", "s"}), "The --remote-... options are for --remote.\n");
    EXPECT_EQ(refused({"--merge", "s"}), "The --merge option is for --remote: it adds up what several hosts tell.\n");
    EXPECT_EQ(refused({"--remote=web", "--merge", "--remote-prefix", "s"}),
              "The --merge option is for scripts, and not for --remote-prefix: the report is of all hosts.\n");
    EXPECT_TRUE(parsed({"--remote=web", "--merge", "-o", "a.html", "s"}).merge);
    EXPECT_EQ(refused({"--remote-width=7", "s"}), "The --remote-... options are for --remote.\n");
    EXPECT_EQ(refused({"--remote-deadline=7", "s"}), "The --remote-... options are for --remote.\n");
    EXPECT_EQ(refused({"--remote=web", "--remote-width=0", "s"}),
              "Invalid value '0' for --remote-width (should be 1-1000).\n");
    EXPECT_EQ(refused({"--remote=web", "--remote-deadline=soon", "s"}),
              "Invalid value 'soon' for --remote-deadline (should be 1-1073741824).\n");
    EXPECT_EQ(refused({"--remote=web", "-l", "begin"}),
              "Only scripts and --doctor can be sent to other hosts (--remote).\n");
    EXPECT_EQ(refused({"--remote=web", "--vm", "s"}), "The --remote and --vm options exclude each other.\n");
    EXPECT_EQ(refused({"--remote=web", "-r", "6.1", "s"}),
              "The -r option has no use with --remote: each host has its kernel.\n");
    EXPECT_EQ(refused({"--remote=web", "-p4", "s"}),
              "The -p option has no use with --remote; name a kernel with -r instead.\n");
    EXPECT_EQ(refused({"--remote=web", "-F", "s"}),
              "The options -b, -S, -F and --ledger cannot be used with --remote: nothing stays on the hosts.\n");
    const std::string captures =
        "Captures and pictures of samples (--record, -o FILE.html, FILE.svg and the like) cannot be used with "
        "--remote: run stap on the host, or add up all hosts with --merge.\n";
    EXPECT_EQ(refused({"--remote=web", "-o", "x.html", "s"}), captures);
    EXPECT_EQ(refused({"--remote=web", "--record", "x", "s"}), captures);
    EXPECT_EQ(refused({"--remote=web", "--doctor", "--json"}),
              "The --json option is for this machine, not for other hosts (--remote).\n");
    EXPECT_EQ(refused({"--remote=web", "--dump-after", "parse", "s"}),
              "The --dump-after option cannot be used with --remote.\n");
    EXPECT_EQ(refused({"--remote=web", "--remote-ssh", "", "s"}), "The name of the program is empty (--remote-ssh).\n");
}

}  // namespace
}  // namespace tapir::driver
