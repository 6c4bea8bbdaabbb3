// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/vm.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "common/activity.h"
#include "target/cache_dir.h"
#include "vm/accel.h"
#include "vm/boot_image.h"
#include "vm/kernel_log.h"

extern char **environ;

namespace fs = std::filesystem;

namespace tapir::vm {
namespace {

// Turns the signals a guest's user may send into descriptor events for as long as it lives.
class SignalScope {
  public:
    SignalScope() {
        sigset_t set;
        sigemptyset(&set);
        for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH})
            sigaddset(&set, signal);
        sigprocmask(SIG_BLOCK, &set, &old_mask_);
        fd_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
        struct sigaction ignore {};
        ignore.sa_handler = SIG_IGN;
        sigaction(SIGPIPE, &ignore, &old_pipe_);
    }
    ~SignalScope() {
        close(fd_);
        sigaction(SIGPIPE, &old_pipe_, nullptr);
        sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
    }
    SignalScope(const SignalScope &) = delete;
    SignalScope &operator=(const SignalScope &) = delete;
    int fd() const { return fd_; }

  private:
    int fd_;
    sigset_t old_mask_;
    struct sigaction old_pipe_;
};

// The host's terminal in raw mode for as long as it lives, if standard input is one.
class RawTerminal {
  public:
    explicit RawTerminal(bool wanted) : active_(wanted && tcgetattr(STDIN_FILENO, &old_) == 0) {
        if (!active_) return;
        termios raw = old_;
        cfmakeraw(&raw);
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
    }
    ~RawTerminal() {
        if (active_) tcsetattr(STDIN_FILENO, TCSADRAIN, &old_);
    }
    RawTerminal(const RawTerminal &) = delete;
    RawTerminal &operator=(const RawTerminal &) = delete;

  private:
    termios old_;
    bool active_;
};

std::string after_colon(const std::string &text) {
    return text.empty() ? "" : "; its console ends with\n" + text.substr(0, text.size() - 1);
}

int status_of(const RunResult &result, const VmOptions &options, const Guest &guest, Diagnostics &diagnostics) {
    switch (result.end) {
        case RunEnd::Exited:
            return result.status;
        case RunEnd::TimedOut:
            diagnostics.report(Tag::VmTimedOut,
                               "the command was still running after " + std::to_string(options.timeout_s) + " seconds");
            return status_timed_out;
        case RunEnd::Died:
            diagnostics.report(Tag::VmGuestDied,
                               "the guest died under the command" + after_colon(guest.console_tail(40, "    ")));
            return status_guest_died;
        case RunEnd::Hung:
            diagnostics.report(Tag::VmGuestHung, "the guest hung: nothing in it ran for " +
                                                     std::to_string(options.hang_s) + " seconds" +
                                                     after_colon(guest.console_tail(40, "    ")));
            return status_guest_died;
        case RunEnd::Interrupted:
            return 128 + SIGINT;
    }
    return status_not_started;
}

RunRequest request_for(const VmOptions &options, const std::vector<std::string> &argv, int signal_fd) {
    RunRequest request;
    request.argv = argv;
    request.environment = guest_environment(options.environment);
    std::error_code error;
    request.directory = options.directory;
    if (request.directory.empty()) request.directory = options.root == "/" ? fs::current_path(error).string() : "/";
    request.terminal = options.terminal;
    winsize size{};
    if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0) {
        request.rows = size.ws_row;
        request.columns = size.ws_col;
    }
    request.stdin_fd = options.with_stdin ? STDIN_FILENO : -1;
    request.stdout_fd = STDOUT_FILENO;
    request.stderr_fd = STDERR_FILENO;
    request.signal_fd = signal_fd;
    request.timeout_s = options.timeout_s;
    request.hang_s = options.hang_s;
    return request;
}

}  // namespace

std::vector<std::string> guest_environment(const std::vector<std::string> &extra) {
    static constexpr const char *passed[] = {"PATH", "HOME", "USER", "LOGNAME", "SHELL",
                                             "TERM", "LANG", "TZ",   "COLUMNS", "LINES"};
    std::vector<std::string> result;
    bool has_path = false;
    for (char **entry = environ; entry && *entry; ++entry) {
        std::string variable = *entry;
        std::string name = variable.substr(0, variable.find('='));
        bool wanted = name.starts_with("LC_") || name.starts_with("TAPIR_") || name.starts_with("SYSTEMTAP_");
        for (const char *known : passed)
            wanted = wanted || name == known;
        if (!wanted) continue;
        has_path = has_path || name == "PATH";
        // The loader and kernel tools live where an ordinary user's PATH does not look.
        if (name == "PATH") variable += ":/usr/local/sbin:/usr/sbin:/sbin";
        result.push_back(variable);
    }
    if (!has_path) result.push_back("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    for (const std::string &variable : extra) {
        std::string name = variable.substr(0, variable.find('=') + 1);
        std::erase_if(result, [&](const std::string &old) { return old.starts_with(name); });
        result.push_back(variable);
    }
    return result;
}

std::optional<GuestConfig> prepare(const VmOptions &options, int signal_fd, Diagnostics &diagnostics,
                                   int &interrupted_by) {
    KernelRequest request;
    request.release = options.release;
    if (options.root != "/") request.roots.insert(request.roots.begin(), options.root);
    request.want_headers = options.with_headers;
    request.cache = target::cache_dir();
    request.progress = options.progress;
    auto kernel = ensure_kernel(request, diagnostics);
    if (!kernel) return std::nullopt;
    GuestConfig config;
    config.kernel = *kernel;
    config.boot_image = options.full_boot ? kernel->image : boot_image(kernel->image, kernel->release, request.cache);
    config.root = options.root;
    config.shares = options.shares;
    config.forwards = options.forwards;
    config.cpus = options.cpus;
    config.memory_mb = options.memory_mb;
    config.append = options.append;
    config.console = options.console;
    config.parallel = options.acceleration == Acceleration::TcgThreads;
    config.kvm = options.acceleration == Acceleration::Kvm ||
                 (options.acceleration == Acceleration::Auto &&
                  kvm_works(config, request.cache, signal_fd, options.progress, interrupted_by));
    if (interrupted_by) return std::nullopt;
    return config;
}

int run(const VmOptions &options, const std::vector<std::string> &argv, Diagnostics &diagnostics, int *interrupted_by) {
    using Clock = std::chrono::steady_clock;
    int by_signal = 0;
    const auto interrupted = [&](int signal) {
        if (interrupted_by) *interrupted_by = signal;
        return 128 + signal;
    };
    SignalScope signals;
    auto started = Clock::now();
    auto tell = [&](const std::string &what) {
        auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started).count();
        if (options.verbose && options.progress) options.progress(what + " at " + std::to_string(ms) + " ms");
    };
    auto config = prepare(options, signals.fd(), diagnostics, by_signal);
    if (by_signal) return interrupted(by_signal);
    if (!config) return status_not_started;
    tell("starting " + config->kernel.release + (config->kvm ? " on KVM" : " emulated"));
    std::optional<Activity> booting("booting kernel " + config->kernel.release + " in a virtual machine");
    Guest guest;
    if (!guest.boot(*config, signals.fd(), diagnostics))
        return guest.interrupted_by() ? interrupted(guest.interrupted_by()) : status_not_started;
    booting.reset();
    tell("guest up");

    KernelLog log;
    RunRequest request = request_for(options, argv, signals.fd());
    request.kernel_log = [&log](std::string_view record) { log.add(record); };
    RunResult result;
    {
        RawTerminal raw(options.terminal && options.with_stdin);
        result = guest.run(request);
    }
    tell("command ended");
    guest.stop();
    if (result.end == RunEnd::Exited && !log.trouble().empty())
        diagnostics.report(Tag::VmKernelTrouble, "the guest's kernel complained: " + log.trouble());
    if (result.end == RunEnd::Interrupted) return interrupted(SIGINT);
    return status_of(result, options, guest, diagnostics);
}

}  // namespace tapir::vm
