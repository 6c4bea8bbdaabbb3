// SPDX-License-Identifier: GPL-2.0-or-later
// A running virtual machine and the commands run in it, one after the other.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "common/process.h"
#include "vm/kernels.h"
#include "vm/protocol.h"
#include "vm/vm_options.h"

namespace tapir::vm {

struct GuestConfig {
    KernelFiles kernel;
    std::string boot_image;  // what QEMU boots: kernel.image, or boot_image() of it
    std::string agent;       // the executable that becomes process 1; "" = find_agent()
    std::string root = "/";  // "" = none: the guest only says that it runs (a test of the acceleration)
    std::vector<SharedDir> shares;
    std::vector<ForwardedPort> forwards;
    unsigned cpus = 2, memory_mb = 1024;
    std::string append;
    bool kvm = false;
    bool parallel = false;  // emulated processors have a thread each, see Acceleration::TcgThreads
    std::string console;    // file, "" = kept in memory
    int boot_seconds = 180;
};

struct RunRequest {
    std::vector<std::string> argv, environment;
    std::string directory = "/";
    bool terminal = false;
    uint16_t rows = 24, columns = 80;
    int stdin_fd = -1;                                 // -1: /dev/null
    int stdout_fd = -1, stderr_fd = -1;                // -1: collected in the result
    int signal_fd = -1;                                // a signalfd whose signals are passed on; -1: none
    unsigned timeout_s = 0;                            // 0 = none
    unsigned hang_s = 60;                              // without a sign of the agent, which gives one every two seconds
    std::function<void(std::string_view)> kernel_log;  // one record of the guest's kernel log each
};

enum class RunEnd : uint8_t {
    Exited,       // status is the command's
    TimedOut,     // it did not end in time; the guest can be used on if it ended after SIGTERM
    Died,         // the guest has stopped
    Hung,         // its user space no longer runs; it has been stopped
    Interrupted,  // the user insisted (four signals, or the terminal's escape); it has been stopped
};

struct RunResult {
    RunEnd end = RunEnd::Exited;
    int status = 0;  // exit status, 128 + N for a signal
    std::string out, err;
};

class Guest {
  public:
    Guest() = default;
    ~Guest() { stop(); }
    Guest(const Guest &) = delete;
    Guest &operator=(const Guest &) = delete;

    // Starts it and waits until it can run commands. A signal at signal_fd (-1: none) ends the wait.
    // Reports why it failed; nothing is left running then.
    bool boot(const GuestConfig &config, int signal_fd, Diagnostics &diagnostics);
    RunResult run(const RunRequest &request);
    bool alive() const { return qemu_.started(); }
    // Stops it at once. Its writes to shares are safe.
    void stop();
    // The console's last lines, from the beginning of a panic if that is earlier, each with `indent` in front.
    std::string console_tail(size_t lines, const std::string &indent) const;
    // Signal that ended boot(), 0 if none did.
    int interrupted_by() const { return interrupted_by_; }

  private:
    friend class Conversation;
    using Clock = std::chrono::steady_clock;

    bool start_qemu(const GuestConfig &config, Diagnostics &diagnostics);
    bool await_ready(const GuestConfig &config, int signal_fd, Diagnostics &diagnostics);
    bool report_dead_start(Diagnostics &diagnostics);
    bool receive_control();
    bool next_frame(FrameType &type, std::string &payload);
    void send(FrameType type, const void *payload, size_t length);
    void send_run(const RunRequest &request);

    Process qemu_;
    // Host ends: control, stdin, stdout, stderr.
    std::array<int, 4> ports_{-1, -1, -1, -1};
    int console_fd_ = -1;
    int qemu_errors_ = -1;
    std::string control_buffer_;
    uint64_t stdin_bytes_ = 0, stdout_bytes_ = 0, stderr_bytes_ = 0;  // since boot
    int interrupted_by_ = 0;
};

// Next to this program or in ../libexec/tapir; "" if nowhere. TAPIR_VM_AGENT names another.
std::string find_agent();

// The archive the guest starts from. Reports modules it cannot find or read, and a missing agent.
std::optional<std::string> make_initramfs(const GuestConfig &config, Diagnostics &diagnostics);

// QEMU's arguments. `descriptors` are those of the four ports, console and initramfs in the new process.
struct QemuDescriptors {
    std::array<int, 4> ports;
    int initramfs;
    int console;
};
std::vector<std::string> qemu_arguments(const GuestConfig &config, const QemuDescriptors &descriptors);

}  // namespace tapir::vm
