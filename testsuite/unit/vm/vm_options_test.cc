// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/vm_options.h"

#include "test_directory.h"

namespace tapir::vm {
namespace {

class CommandLineTest : public Sandbox {
  protected:
    CommandLine parse(const std::vector<std::string> &arguments) { return parse_command_line(arguments, diagnostics_); }
    std::string complaint(const std::vector<std::string> &arguments) {
        Diagnostics diagnostics;
        parse_command_line(arguments, diagnostics);
        return diagnostics.all().size() == 1 ? diagnostics.all()[0]->message : "not one complaint";
    }
};

TEST_F(CommandLineTest, OptionsEndAtTheCommand) {
    CommandLine line = parse(
        {"-k", "6.1.0-1-amd64", "--cpus=4", "--memory", "512", "--timeout", "9", "--hang=300", "ls", "-l", "--", "x"});
    EXPECT_EQ(reported(), "");
    EXPECT_EQ(line.options.release, "6.1.0-1-amd64");
    EXPECT_EQ(line.options.cpus, 4u);
    EXPECT_EQ(line.options.memory_mb, 512u);
    EXPECT_EQ(line.options.timeout_s, 9u);
    EXPECT_EQ(line.options.hang_s, 300u);
    EXPECT_EQ(line.command, (std::vector<std::string>{"ls", "-l", "--", "x"}));
}

TEST_F(CommandLineTest, TwoDashesEndThemToo) {
    CommandLine line = parse({"-n", "--append", "a=1", "--append", "b", "--", "-v"});
    EXPECT_EQ(line.command, std::vector<std::string>{"-v"});
    EXPECT_EQ(line.options.append, "a=1 b");
    EXPECT_FALSE(line.options.with_stdin);
    EXPECT_FALSE(line.options.verbose);
}

TEST_F(CommandLineTest, SharesAndRootAreResolved) {
    std::filesystem::create_directory(dir_ / "s");
    std::filesystem::create_directory_symlink(dir_ / "s", dir_ / "link");
    CommandLine line =
        parse({"--share", dir_ / "link", "--share", (dir_ / "s").string() + ":/mnt", "--root", dir_ / "link", "x"});
    ASSERT_EQ(reported(), "");
    EXPECT_EQ(line.options.shares[0].host_path, dir_ / "s");
    EXPECT_EQ(line.options.shares[0].guest_path, dir_ / "s");
    EXPECT_EQ(line.options.shares[1].guest_path, "/mnt");
    EXPECT_EQ(line.options.root, dir_ / "s");
}

TEST_F(CommandLineTest, PortsAreForwarded) {
    CommandLine line = parse({"--forward", "2201:22", "--forward=0.0.0.0:80:8080", "x"});
    ASSERT_EQ(reported(), "");
    ASSERT_EQ(line.options.forwards.size(), 2u);
    EXPECT_EQ(line.options.forwards[0].address, "127.0.0.1");
    EXPECT_EQ(line.options.forwards[0].host, 2201);
    EXPECT_EQ(line.options.forwards[0].guest, 22);
    EXPECT_EQ(line.options.forwards[1].address, "0.0.0.0");
    EXPECT_EQ(line.options.forwards[1].host, 80);
    EXPECT_EQ(line.options.forwards[1].guest, 8080);
    for (const char *wrong :
         {"22", ":22", "22:", "0:22", "22:65536", "22:1x", "a:22:22", "1.2.3:22:22", "1.2.3.4,x:22:22"})
        EXPECT_EQ(complaint({"--forward", wrong, "x"}),
                  "--forward wants [ADDRESS:]PORT:GUEST-PORT, with an IPv4 address and ports from 1 to 65535, not '" +
                      std::string(wrong) + "'");
}

TEST_F(CommandLineTest, ShellNeedsNoCommand) {
    CommandLine line = parse({"--shell"});
    EXPECT_EQ(reported(), "");
    EXPECT_TRUE(line.options.terminal);
    EXPECT_FALSE(line.command.empty());
}

TEST_F(CommandLineTest, EnvironmentIsTakenOrGiven) {
    setenv("TAPIR_TEST_VARIABLE", "here", 1);
    CommandLine line = parse({"--env", "TAPIR_TEST_VARIABLE", "--env=B=c=d", "x"});
    unsetenv("TAPIR_TEST_VARIABLE");
    EXPECT_EQ(line.options.environment, (std::vector<std::string>{"TAPIR_TEST_VARIABLE=here", "B=c=d"}));
}

TEST_F(CommandLineTest, ComplaintsSayWhatIsWanted) {
    EXPECT_EQ(complaint({}), "no command to run; see stap-vm --help");
    EXPECT_EQ(complaint({"--bogus", "x"}), "unknown option --bogus");
    EXPECT_EQ(complaint({"--cpus", "0", "x"}), "--cpus wants a number from 1 to 255, not '0'");
    EXPECT_EQ(complaint({"--cpus=2x", "x"}), "--cpus wants a number from 1 to 255, not '2x'");
    EXPECT_EQ(complaint({"--memory", "100", "x"}), "--memory wants a number from 256 to 1048576, not '100'");
    EXPECT_EQ(complaint({"--timeout"}), "--timeout wants a value (SECS)");
    EXPECT_EQ(complaint({"--tty=yes", "x"}), "--tty takes no value");
    EXPECT_EQ(complaint({"--accel", "fast", "x"}), "--accel wants auto, kvm, tcg or tcg-threads, not 'fast'");
    EXPECT_EQ(complaint({"--share", "/nonexistent", "x"}), "--share /nonexistent is not a directory");
    EXPECT_EQ(complaint({"--share", "/tmp:rel", "x"}),
              "--share /tmp:rel: the guest's path must be absolute, and not /");
    EXPECT_EQ(complaint({"--root", "/nonexistent", "x"}), "--root /nonexistent is not a directory");
    EXPECT_EQ(complaint({"--chdir", "rel", "x"}), "--chdir wants an absolute path, not 'rel'");
    EXPECT_EQ(complaint({"--env", "NO_SUCH_VARIABLE_HERE", "x"}),
              "--env NO_SUCH_VARIABLE_HERE: there is no such variable to pass on");
}

}  // namespace
}  // namespace tapir::vm
