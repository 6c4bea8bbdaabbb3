// SPDX-License-Identifier: GPL-2.0-or-later
// The host's side of a guest's life, with a shell script in the place of QEMU.
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "../patience.h"
#include "test_directory.h"
#include "vm/vm.h"

namespace tapir::vm {
namespace {

namespace fs = std::filesystem;

// Functions of the stand-in: frames of the protocol on the control port, and the other ports' descriptors.
constexpr char machine[] = R"(
for word; do case $word in
socket,id=port0,*) control=${word##*=};; socket,id=port2,*) out=${word##*=};; socket,id=port3,*) err=${word##*=};;
file,id=console,*) console=${word##*path=};;
esac; done
u32() { local i; for i; do printf "\\x$(printf %02x $((i & 255)))\\x$(printf %02x $((i >> 8 & 255)))\\0\\0"; done; }
frame() { u32 $1 ${#2}; printf %s "$2"; }
hello() { { u32 32 4 1; frame 33 6.9; } >&$control; }
ended() { { u32 35 24 $1 0 $2 0 $3 0; } >&$control; }   # status, bytes of stdout, of stderr
exec 2>&1
)";

class GuestTest : public Sandbox {
  protected:
    GuestTest() {
        write("cache/kernels/6.9/boot/vmlinuz-6.9", "k");
        write("cache/kernels/6.9/lib/modules/6.9/kernel/x", "");
        write("cache/kernels/6.9/lib/modules/6.9/modules.builtin",
              "kernel/virtio_pci.ko\nkernel/virtio_console.ko\nkernel/9pnet_virtio.ko\nkernel/9p.ko\nkernel/"
              "overlay.ko\nkernel/virtio_net.ko\n");
        write("agent", "the agent");
        setenv("TAPIR_VM_AGENT", (dir_ / "agent").c_str(), 1);
        options_.release = "6.9";
        options_.acceleration = Acceleration::Tcg;
        options_.with_stdin = false;
    }
    void machine_does(const std::string &script) { play("qemu-system-x86_64", machine + script); }
    // Runs with the test's stdout and stderr collected.
    int run_command() {
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        int status = run(options_, {"command"}, diagnostics_);
        out_ = testing::internal::GetCapturedStdout();
        err_ = testing::internal::GetCapturedStderr();
        return status;
    }

    VmOptions options_;
    std::string out_, err_;
};

TEST_F(GuestTest, StreamsAndStatusArrive) {
    machine_does("hello; printf 'to out\\n' >&$out; printf err >&$err; ended $((7 << 8)) 7 3; sleep 9");
    EXPECT_EQ(run_command(), 7);
    EXPECT_EQ(out_, "to out\n");
    EXPECT_EQ(err_, "err");
    EXPECT_EQ(reported(), "");
}

TEST_F(GuestTest, OutputThatComesAfterTheEndIsWaitedFor) {
    machine_does("hello; ended 15 4 0; sleep 0.3; printf late >&$out; sleep 9");
    EXPECT_EQ(run_command(), 128 + 15);
    EXPECT_EQ(out_, "late");
}

TEST_F(GuestTest, VmQemuMissing) {
    EXPECT_EQ(run_command(), status_not_started);
    EXPECT_EQ(
        reported(),
        "ERROR: there is no qemu-system-x86_64 on this machine, which runs the guest; install QEMU (Debian, Ubuntu: "
        "apt-get install qemu-system-x86; Fedora: dnf install qemu-system-x86)\n");
}

TEST_F(GuestTest, VmQemuFailed) {
    play("qemu-system-x86_64", "echo 'qemu: cannot set up guest memory' >&2; exit 1");
    EXPECT_EQ(run_command(), status_not_started);
    EXPECT_EQ(reported(), "ERROR: QEMU cannot run the guest: qemu: cannot set up guest memory\n");
}

TEST_F(GuestTest, VmBootFailed) {
    machine_does("printf 'one\\r\\nKernel panic - not syncing\\r\\n' >$console");
    EXPECT_EQ(run_command(), status_not_started);
    machine_does("{ u32 32 4 1; frame 34 'mounting the overlay: No such device'; } >&$control; sleep 9");
    EXPECT_EQ(run_command(), status_not_started);
    EXPECT_EQ(reported(),
              "ERROR: the guest's kernel stopped before it was up; its console ends with\n"
              "    one\n"
              "    Kernel panic - not syncing\n"
              "ERROR: the guest cannot prepare its file system: mounting the overlay: No such device\n");
}

TEST_F(GuestTest, VmAgentMissing) {
    machine_does("exit 0");
    setenv("TAPIR_VM_AGENT", (dir_ / "nowhere").c_str(), 1);
    EXPECT_EQ(run_command(), status_not_started);
    EXPECT_EQ(reported(), "ERROR: cannot find stap-vm-agent next to this program, the guest's first process\n");
}

TEST_F(GuestTest, VmGuestDied) {
    machine_does("hello; printf 'last words' >&$out; echo 'BUG: bad' >$console; sleep 0.3; exit 0");
    EXPECT_EQ(run_command(), status_guest_died);
    EXPECT_EQ(out_, "last words");
    EXPECT_EQ(reported(), "ERROR: the guest died under the command; its console ends with\n    BUG: bad\n");
}

TEST_F(GuestTest, TheConsoleIsShownFromThePanicOn) {
    machine_does("hello; { echo before; echo 'Kernel panic - not syncing: x'; seq 50; } >$console; sleep 0.3; exit 0");
    EXPECT_EQ(run_command(), status_guest_died);
    std::string lines = "    Kernel panic - not syncing: x\n";
    for (int i = 1; i <= 50; ++i)
        lines += "    " + std::to_string(i) + "\n";
    EXPECT_EQ(reported(), "ERROR: the guest died under the command; its console ends with\n" + lines);
}

TEST_F(GuestTest, VmGuestHung) {
    machine_does("hello; sleep 30");
    options_.hang_s = 1;
    EXPECT_EQ(run_command(), status_guest_died);
    EXPECT_EQ(reported(), "ERROR: the guest hung: nothing in it ran for 1 seconds\n");
}

TEST_F(GuestTest, VmTimedOut) {
    machine_does("hello; sleep 30");
    options_.timeout_s = 1;
    EXPECT_EQ(run_command(), status_timed_out);
    machine_does("hello; head -c 24 <&$control >/dev/null; sleep 1.5; ended 0 0 0; sleep 30");
    EXPECT_EQ(run_command(), status_timed_out) << "ended within the grace";
    EXPECT_EQ(reported(),
              "ERROR: the command was still running after 1 seconds\n"
              "ERROR: the command was still running after 1 seconds\n");
}

TEST_F(GuestTest, VmKernelTrouble) {
    machine_does("hello; frame 37 '4,1,5,-;WARNING: CPU: 0 at x.c' >&$control; ended 0 0 0; sleep 9");
    EXPECT_EQ(run_command(), 0);
    EXPECT_EQ(reported(), "WARNING: the guest's kernel complained: WARNING: CPU: 0 at x.c\n");
}

TEST_F(GuestTest, LeavesNoProcessBehind) {
    machine_does("echo $$ >$D/pid; hello; ended 0 0 0; exec sleep 30");
    EXPECT_EQ(run_command(), 0);
    EXPECT_NE(kill(static_cast<pid_t>(std::stoi(read("pid"))), 0), 0);
}

TEST_F(GuestTest, SignalsReachTheCommand) {
    // Run (header and strings), then a Signal frame: the stand-in ends the command with the signal's number.
    machine_does(R"(hello
take() { head -c $1 <&$control | od -An -tu4 -v; }
while read kind length < <(take 8); do
    words=($(take $length))
    [ $kind = 2 ] && break
    touch $D/runs
done
ended $((${words[0]} << 8)) 0 0; sleep 9)");
    pid_t self = getpid();
    pid_t child = fork();
    if (child == 0) {
        tests::patiently(30, [&] { return std::filesystem::exists(dir_ / "runs"); });
        kill(self, SIGTERM);
        _exit(0);
    }
    EXPECT_EQ(run_command(), SIGTERM);
}

TEST_F(GuestTest, ASignalEndsABootWithoutAWord) {
    machine_does("touch $D/boots; sleep 30");
    const pid_t self = getpid();
    const pid_t child = fork();
    if (child == 0) {
        tests::patiently(30, [&] { return std::filesystem::exists(dir_ / "boots"); });
        kill(self, SIGINT);
        _exit(0);
    }
    int interrupted_by = 0;
    EXPECT_EQ(run(options_, {"command"}, diagnostics_, &interrupted_by), 128 + SIGINT);
    EXPECT_EQ(interrupted_by, SIGINT);
    EXPECT_EQ(reported(), "");
    waitpid(child, nullptr, 0);
}

TEST_F(GuestTest, TheInitramfsNamesWhatTheAgentNeeds) {
    GuestConfig config;
    config.kernel.release = "6.9";
    config.kernel.modules = dir_ / "cache/kernels/6.9/lib/modules/6.9";
    config.shares = {{"/host", "/guest"}};
    auto archive = make_initramfs(config, diagnostics_);
    ASSERT_TRUE(archive) << reported();
    EXPECT_NE(archive->find("root\troot\nmodules\t6.9\tpath\t" + config.kernel.modules + "\nshare\tshare0\t/guest\n"),
              std::string::npos);
    EXPECT_NE(archive->find("the agent"), std::string::npos);
    EXPECT_EQ(archive->find("network"), std::string::npos);
    config.forwards = {{"127.0.0.1", 2201, 22}};
    archive = make_initramfs(config, diagnostics_);
    ASSERT_TRUE(archive) << reported();
    EXPECT_NE(archive->find("\nshare\tshare0\t/guest\nnetwork\n"), std::string::npos);
}

TEST_F(GuestTest, QemuGetsOddPathsWhole) {
    GuestConfig config;
    config.kernel.modules = "/k";
    config.boot_image = "/b,oot";
    config.root = "/a,b";
    std::vector<std::string> arguments = qemu_arguments(config, {{10, 11, 12, 13}, 14, 15});
    auto has = [&](const std::string &word) {
        return std::find(arguments.begin(), arguments.end(), word) != arguments.end();
    };
    EXPECT_TRUE(has("local,path=/a,,b,mount_tag=root,security_model=none,multidevs=remap,readonly=on"));
    EXPECT_TRUE(has("/b,oot"));
    EXPECT_TRUE(has("socket,id=port0,fd=10"));
    EXPECT_TRUE(has("tcg,thread=single"));
    config.parallel = true;
    arguments = qemu_arguments(config, {{10, 11, 12, 13}, 14, 15});
    EXPECT_TRUE(has("tcg,thread=multi"));
    EXPECT_FALSE(has("-netdev"));
}

TEST_F(GuestTest, QemuForwardsPortsAndNothingElse) {
    GuestConfig config;
    config.forwards = {{"127.0.0.1", 2201, 22}, {"0.0.0.0", 80, 8080}};
    std::vector<std::string> arguments = qemu_arguments(config, {{10, 11, 12, 13}, 14, 15});
    auto network = std::find(arguments.begin(), arguments.end(), "-netdev");
    ASSERT_NE(network, arguments.end());
    EXPECT_EQ(network[1], "user,id=network,restrict=on,hostfwd=tcp:127.0.0.1:2201-:22,hostfwd=tcp:0.0.0.0:80-:8080");
}

}  // namespace
}  // namespace tapir::vm
