// SPDX-License-Identifier: GPL-2.0-or-later
#include "backend/launch.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "base/limits.h"
#include "capture/picture_files.h"
#include "common/exit_status.h"
#include "common/find_program.h"
#include "common/process.h"
#include "options/picture_options.h"
#include "options/tell.h"

namespace tapir::driver {
namespace {

// Signals that end a session are staprun's to act on; this process waits for its report. Restores on destruction.
class SignalsLeftToChild {
  public:
    SignalsLeftToChild() {
        struct sigaction ignore = {};
        ignore.sa_handler = SIG_IGN;
        for (size_t i = 0; i < std::size(kSignals); ++i)
            sigaction(kSignals[i], &ignore, &saved_[i]);
    }
    ~SignalsLeftToChild() {
        for (size_t i = 0; i < std::size(kSignals); ++i)
            sigaction(kSignals[i], &saved_[i], nullptr);
    }
    SignalsLeftToChild(const SignalsLeftToChild &) = delete;
    SignalsLeftToChild &operator=(const SignalsLeftToChild &) = delete;

  private:
    static constexpr int kSignals[] = {SIGINT, SIGQUIT};
    struct sigaction saved_[std::size(kSignals)];
};

volatile sig_atomic_t child_pid;

// SIGTERM and SIGHUP reach only this process when it alone is signalled: pass them on.
void forward_signal(int signal) {
    if (child_pid > 0) kill(static_cast<pid_t>(child_pid), signal);
}

// SystemTap calls it a failed run when the command of -c fails.
bool tells_command(const Options &options) {
    return !options.command.empty() && options.compatible.empty();
}

// SystemTap's macros give cycles that may pass in handlers in so many cycles. Where both are given, the share counts.
std::string on_overload(const Options &options) {
    if (!options.on_overload.empty()) return options.on_overload;
    double threshold = 500000000, interval = 1000000000;
    bool stops = false;
    for (const NameValue &define : options.defines) {
        if (define.name == "STP_NO_OVERLOAD") return {};
        if (define.name != "STP_OVERLOAD_THRESHOLD" && define.name != "STP_OVERLOAD_INTERVAL") continue;
        (define.name == "STP_OVERLOAD_INTERVAL" ? interval : threshold) = std::strtod(define.value.c_str(), nullptr);
        stops = true;
    }
    if (!stops) return {};
    return "stop:" + std::to_string(std::lround(std::clamp(100 * threshold / interval, 1.0, 100.0)));
}

}  // namespace

std::vector<std::string> staprun_options(const Options &options) {
    std::vector<std::string> arguments;
    auto add = [&](const char *option, const std::string &value) {
        arguments.push_back(option);
        arguments.push_back(value);
    };
    const auto flag = [&](bool is_set, const char *option) {
        if (is_set) arguments.emplace_back(option);
    };
    for (int i = 0; i < options.verbosity[5]; ++i)
        flag(true, "-v");
    flag(options.suppress_warnings, "-w");
    flag(options.timing, "-t");
    flag(options.mangled, "--mangled");
    flag(!options.compatible.empty(), "--compatible");
    if (!options.color_when.empty()) add("--color", options.color_when);
    flag(options.bulk, "--bulk");
    flag(options.suppress_handler_errors, "--suppress-handler-errors");
    flag(options.load_and_detach, options.output.empty() ? "-L" : "-D");
    flag(options.module_name.empty(), "-R");
    if (!options.output.empty()) add("-o", options.output);
    if (!options.format.empty()) add("--format", options.format);
    if (options.live.on()) {
        char seconds[32];
        std::snprintf(seconds, sizeof seconds, "%.3f", static_cast<double>(options.live.refresh_ms) / 1000);
        add("--refresh", seconds);
    }
    if (options.live.commands >= 0) add("--commands", std::to_string(options.live.commands));
    if (!options.rotate.empty()) add("-S", options.rotate);
    if (!options.command.empty()) add("-c", options.command);
    if (!options.timeout.empty()) add("--duration", options.timeout);
    if (!options.ledger.empty()) add("--ledger", options.ledger);
    if (!options.record.empty()) add("--record", options.record);
    if (options.recorded_as) arguments.push_back("--record-as=" + *options.recorded_as);
    add_picture_options(options, arguments);
    if (options.target_pid) add("-x", std::to_string(options.target_pid));
    if (options.namespaces_pid) add("-N", std::to_string(options.namespaces_pid));
    if (!options.cgroup.empty()) add("--cgroup", options.cgroup);
    if (options.buffer_mb) add("-s", std::to_string(options.buffer_mb));
    if (options.stack_mb) add("--stack-memory", std::to_string(options.stack_mb));
    if (!options.budget.empty()) add("--budget", options.budget);
    if (!options.budget_file.empty()) add("--budget-file", options.budget_file);
    if (const std::string overload = on_overload(options); !overload.empty()) add("--on-overload", overload);
    std::string actions = "1000", interruptible = "1";
    for (const NameValue &define : options.defines) {
        if (const Limit *limit = find_limit(define.name); limit && limit->load_time)
            add("--limit", define.name + "=" + define.value);
        if (define.name == "MAXACTION") actions = define.value;
        if (define.name == "INTERRUPTIBLE") interruptible = define.value;
    }
    if (interruptible == "0") add("--limit", "MAXACTION_INTERRUPTIBLE=" + actions);
    return arguments;
}

std::vector<std::string> staprun_arguments(const Options &options, const std::string &module) {
    std::vector<std::string> arguments = staprun_options(options);
    arguments.push_back(module);
    for (const NameValue &global : options.globals)
        arguments.push_back(global.name + "=" + global.value);
    return arguments;
}

std::optional<std::string> output_file(const std::string &pattern, Diagnostics &diagnostics) {
    char path[4096];
    time_t now = std::time(nullptr);
    tm local = {};
    localtime_r(&now, &local);
    if (std::strftime(path, sizeof path, pattern.c_str(), &local)) return path;
    diagnostics.report(Tag::OutputUnwritable, "The name of the output file is too long (-o).");
    return std::nullopt;
}

bool redirect_output(const std::string &pattern, Diagnostics &diagnostics) {
    const std::optional<std::string> path = output_file(pattern, diagnostics);
    if (!path) return false;
    const int fd = open(path->c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0) {
        diagnostics.report(Tag::OutputUnwritable,
                           std::string("Cannot write the output file '") + *path + "': " + std::strerror(errno) + ".");
        return false;
    }
    close(fd);
    return true;
}

bool is_explained(const Options &options, int status) {
    return status == 0 || (status == capture::kPoorPicture && keeps_samples(options)) ||
           (status == kCommandFailed && tells_command(options));
}

std::vector<std::string> staprun_command(const Options &options, const std::string &module) {
    std::vector<std::string> command = {staprun_path()};
    if (tells_command(options)) command.emplace_back("--command-status");
    const std::vector<std::string> arguments = staprun_arguments(options, module);
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

namespace {

// Beside this program, else along $PATH.
std::string own_program(const char *name) {
    const std::string beside = program_beside(name);
    return beside.empty() ? name : beside;
}

}  // namespace

std::string staprun_path() {
    if (const char *path = std::getenv("SYSTEMTAP_STAPRUN"); path && *path) return path;
    return own_program("staprun");
}

int run_stap_report(const Options &options, std::vector<std::string> arguments, int input) {
    SignalsLeftToChild guard;
    arguments.insert(arguments.begin(), own_program("stap-report"));
    Program program{std::move(arguments)};
    program.input = input < 0 ? Stream::inherited() : Stream::descriptor(input);
    program.default_signals = {SIGINT, SIGQUIT};
    Process report;
    if (!report.start(program)) {
        tell(options, Voice::Error, "Cannot start " + program.argv[0] + ": " + std::strerror(errno));
        return 1;
    }
    report.wait();
    return report.ending().code();
}

int run_stap_watch(const Options &options, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), own_program("stap-watch"));
    Program program{std::move(arguments)};
    const std::optional<Ending> ending = wait_for(options, program);
    return ending ? ending->code() : 1;
}

std::optional<Ending> wait_for(const Options &options, Program &program) {
    SignalsLeftToChild guard;
    program.input = Stream::inherited();
    // The target command also inherits descriptors that the user opened for it.
    program.inherits_descriptors = true;
    program.default_signals = {SIGINT, SIGQUIT};
    Process started;
    if (!started.start(program)) {
        tell(options, Voice::Error, "Cannot start " + program.argv[0] + ": " + std::strerror(errno));
        return std::nullopt;
    }
    child_pid = started.id();
    struct sigaction forward = {};
    forward.sa_handler = forward_signal;
    struct sigaction saved_term, saved_hup;
    sigaction(SIGTERM, &forward, &saved_term);
    sigaction(SIGHUP, &forward, &saved_hup);
    started.wait();
    child_pid = 0;
    sigaction(SIGTERM, &saved_term, nullptr);
    sigaction(SIGHUP, &saved_hup, nullptr);
    return started.ending();
}

int run_to_end(const Options &options, Program &program) {
    const std::optional<Ending> ending = wait_for(options, program);
    if (!ending) return 1;
    if (ending->signal || !is_explained(options, ending->status))
        tell_ending(options, program.argv[0], ending->signal, ending->status);
    return ending->code();
}

}  // namespace tapir::driver
