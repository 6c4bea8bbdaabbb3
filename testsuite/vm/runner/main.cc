// SPDX-License-Identifier: GPL-2.0-or-later
// Runs guest tests: one boot for all, or for all that one of several guests takes; another after a crash. Reports in
// the Test Anything Protocol.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <mutex>
#include <regex>
#include <sstream>
#include <thread>

#include "case.h"
#include "common/files.h"
#include "prepare.h"
#include "run_report.h"
#include "testsuite/trees.h"
#include "vm/kernel_log.h"
#include "vm/vm.h"

namespace fs = std::filesystem;

namespace tapir::guest_tests {
namespace {

constexpr int status_skip = 77;     // a case that says it cannot run here; its last line says why
constexpr int status_unclean = 78;  // of lib.sh: modules were left loaded

struct Settings {
    vm::VmOptions vm;
    Places places;
    std::vector<std::string> filters;
    unsigned guests = 1, rounds = 0;  // rounds: how often each case runs; 0: once
    size_t part = 1, parts = 1;       // only every parts-th case, beginning with the part-th
    bool list = false, prepare = false;
    bool quick = false;         // without cases that take long
    bool second_chance = true;  // a case that fails is run again, alone
};

std::string last_line(std::string text) {
    while (text.ends_with('\n'))
        text.pop_back();
    return text.substr(text.rfind('\n') + 1);
}

std::string shown(const char *stream, const std::string &text) {
    if (text.empty()) return "";
    constexpr size_t most = 4000;
    std::string result = std::string(stream) + " was:\n" + text.substr(0, most);
    if (text.size() > most) result += "\n(" + std::to_string(text.size() - most) + " bytes more)";
    return result + (result.ends_with('\n') ? "" : "\n");
}

// Lines of the kernel's log that tell of harm and are not expected.
std::string log_complaints(const Case &test, const vm::KernelLog &log) {
    std::istringstream lines(log.text());
    for (std::string line; std::getline(lines, line);) {
        if (!vm::is_trouble(line)) continue;
        bool allowed = std::any_of(test.allowed_log.begin(), test.allowed_log.end(), [&](const std::string &pattern) {
            return std::regex_search(line, std::regex(pattern, std::regex::extended));
        });
        if (!allowed) return "the kernel complained: " + line + "\n" + shown("its log", log.text());
    }
    return "";
}

// How a run's guests are used.
struct Usage {
    unsigned guests = 1;
    bool fresh = false;      // every case has a guest of its own
    std::vector<Case> last;  // what each guest does when there is no case left; none or one for each
    unsigned patience = 1;   // all time limits are multiplied by this, or by what a guest's boot tells if that is more
    unsigned slowness = 1;   // of the kernel, beside that: 8 with KASAN
};

// One guest and the thread that gives it cases.
class Worker {
  public:
    // The signals that end it are read from `signals`, as from a signalfd.
    // `last` is what its guest does when there is no case left, or null.
    Worker(const vm::GuestConfig &config, const Places &places, const Usage &usage, int signals, const Case *last)
        : config_(config),
          places_(places),
          signals_(signals),
          last_(last),
          fresh_(usage.fresh),
          slowness_(usage.slowness),
          patience_(usage.patience * usage.slowness) {}

    void run(Run &run);

  private:
    Verdict run_one(const Prepared &prepared, Run &run);
    // Why it does not boot, or "". With the case's kernel parameters.
    std::string boot(const Case &test, Run &run);
    // False when the whole run is to end.
    bool run_and_print(const Prepared &prepared, Run &run);
    Verdict judge(const Prepared &prepared, const vm::RunResult &result, const vm::KernelLog &log);

    const vm::GuestConfig &config_;
    const Places &places_;
    int signals_;
    const Case *last_;
    bool fresh_;
    unsigned slowness_, patience_;
    vm::Guest guest_;
    std::string append_;  // what the guest was booted with
};

Verdict Worker::judge(const Prepared &prepared, const vm::RunResult &result, const vm::KernelLog &log) {
    const Case &test = prepared.test;
    std::string outputs = shown("stderr", result.err) + shown("stdout", result.out);
    bool gone = result.end == vm::RunEnd::Died || result.end == vm::RunEnd::Hung;
    if (gone && test.expect_crash) return {};
    if (gone)
        return {Verdict::Kind::Failed, (result.end == vm::RunEnd::Died ? "the guest died; its console ends with\n"
                                                                       : "the guest hung; its console ends with\n") +
                                           guest_.console_tail(60, "") + outputs};
    if (result.end == vm::RunEnd::TimedOut)
        return {Verdict::Kind::Failed, "still running after " + std::to_string(test.timeout_s * patience_) +
                                           " seconds\n" + outputs + log.text()};
    if (test.expect_crash) return {Verdict::Kind::Failed, "the guest was to crash, and did not\n" + outputs};
    if (result.status == status_skip && test.status != status_skip)
        return {Verdict::Kind::Skipped, last_line(result.out)};
    std::string complaints;
    if (result.status == status_unclean) complaints = "left loaded: " + last_line(result.err) + "\n";
    bool whole = true;
    if (complaints.empty() && places_.records) complaints = check_records(prepared, places_, whole);
    // A case that lacks a part of its text cannot judge it.
    const bool judges = whole || (test.is_script && test.check.empty());
    if (complaints.empty() && judges)
        complaints = compare_outputs(test, result.status, whole ? &result.out : nullptr, result.err);
    if (!complaints.empty()) complaints += outputs;
    complaints += log_complaints(test, log);
    if (complaints.empty()) return {};
    return {Verdict::Kind::Failed, complaints};
}

// A guest that takes long to boot takes long for everything.
std::string Worker::boot(const Case &test, Run &run) {
    constexpr double usual_seconds = 5;
    Diagnostics diagnostics;
    vm::GuestConfig config = config_;
    if (!test.append.empty()) config.append += " " + test.append;
    append_ = test.append;
    const auto started = std::chrono::steady_clock::now();
    if (guest_.boot(config, signals_, diagnostics)) {
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
        patience_ = std::max(patience_, slowness_ * static_cast<unsigned>(took.count() / slowness_ / usual_seconds));
        return "";
    }
    if (guest_.interrupted_by()) run.interrupt();
    std::string text = "the guest does not boot\n";
    for (const auto &diagnostic : diagnostics.all())
        text += diagnostic->message + "\n";
    return text;
}

Verdict Worker::run_one(const Prepared &prepared, Run &run) {
    if (!prepared.skip.empty()) return {Verdict::Kind::Skipped, prepared.skip};
    if (!prepared.failure.empty()) return {Verdict::Kind::Failed, prepared.failure};
    if (prepared.test.cpus > config_.cpus)
        return {Verdict::Kind::Skipped, "needs " + std::to_string(prepared.test.cpus) + " processors"};
    if (guest_.alive() && append_ != prepared.test.append) guest_.stop();
    if (!guest_.alive())
        if (std::string why = boot(prepared.test, run); !why.empty()) return {Verdict::Kind::Failed, why};
    vm::KernelLog log;
    vm::RunRequest request;
    request.argv = {"bash", prepared.command};
    const char *path = getenv("PATH");
    std::vector<std::string> environment = {"TERM=dumb", "LC_ALL=C", "PATIENCE=" + std::to_string(patience_),
                                            "PATH=" + source_dir() +
                                                "/testsuite/vm/stand-ins:" + (path ? std::string(path) + ":" : "") +
                                                "/usr/local/sbin:/usr/sbin:/sbin"};
    for (const char *effort : {"ROUNDS", "HITS", "SECONDS_OF_LOAD", "SEED", "MODULES"})
        if (const char *value = getenv(effort)) environment.push_back(std::string(effort) + "=" + value);
    request.environment = vm::guest_environment(environment);
    request.directory = prepared.directory;
    request.timeout_s = prepared.test.timeout_s * patience_;
    request.hang_s *= patience_;
    request.kernel_log = [&log](std::string_view record) { log.add(record); };
    vm::RunResult result = guest_.run(request);
    Verdict verdict = judge(prepared, result, log);
    // Later cases should not suffer from a kernel that is harmed, or warns only once, or from leftovers of one that
    // did not end has left.
    if (fresh_ || result.end != vm::RunEnd::Exited || !log_complaints(prepared.test, log).empty()) guest_.stop();
    return verdict;
}

bool Worker::run_and_print(const Prepared &prepared, Run &run) {
    auto started = std::chrono::steady_clock::now();
    Verdict verdict = run_one(prepared, run);
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started;
    signalfd_siginfo information;
    if (read(signals_, &information, sizeof information) > 0) run.interrupt();
    if (!run.interrupted()) run.print(prepared.test, verdict, elapsed.count());
    return !run.interrupted();
}

void Worker::run(Run &run) {
    // The next case is made ready while one runs.
    auto start = [&](const Case *test) {
        return test ? std::async(std::launch::async, prepare_case, *test, places_) : std::future<Prepared>();
    };
    for (std::future<Prepared> next = start(run.next()); next.valid();) {
        const Prepared prepared = next.get();
        next = start(run.next());
        if (!run_and_print(prepared, run)) return;
    }
    if (!last_) return;
    Prepared prepared = prepare_case(*last_, places_);
    if (!guest_.alive()) prepared.skip = "the guest had to be stopped";
    run_and_print(prepared, run);
}

// Whether the kernel was built with `option`, as "CONFIG_X=y".
bool is_configured(const vm::KernelFiles &kernel, const std::string &option) {
    std::string text = read_file(kernel.build_dir + "/.config").value_or("");
    return ("\n" + text).find("\n" + option + "\n") != std::string::npos;
}

// The cases at every guest's end: on kernels that search for memory without references, testsuite/vm/leaks.sh.
std::vector<Case> last_cases(const vm::KernelFiles &kernel, const Places &places, unsigned guests) {
    std::vector<Case> cases;
    for (unsigned i = 1; i <= guests && is_configured(kernel, "CONFIG_DEBUG_KMEMLEAK=y"); ++i) {
        Case test;
        std::string problem = read_case("guest", fs::path(places.library).replace_filename("leaks.sh"), test);
        if (!problem.empty()) throw std::runtime_error(problem);
        test.name += "-" + std::to_string(i);
        cases.push_back(test);
    }
    return cases;
}

// Each guest hears of every signal, through a pipe of its own.
void run_all(Run &run, const Usage &usage, const vm::GuestConfig &config, const Places &places, int signals) {
    const unsigned guests = usage.guests;
    std::vector<int> pipes;
    std::vector<std::thread> threads;
    std::atomic<unsigned> working = guests;
    int done[2];
    if (pipe2(done, O_CLOEXEC)) throw std::runtime_error("there are no pipes");
    for (unsigned i = 0; i < guests; ++i) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) throw std::runtime_error("there are no pipes");
        pipes.push_back(ends[0]);
        pipes.push_back(ends[1]);
        threads.emplace_back([&, i, end = ends[0]] {
            Worker(config, places, usage, end, usage.last.empty() ? nullptr : &usage.last[i]).run(run);
            if (--working == 0 && write(done[1], "", 1) != 1) std::abort();
        });
    }
    for (pollfd ready[] = {{signals, POLLIN, 0}, {done[0], POLLIN, 0}}; !(ready[1].revents & POLLIN);) {
        if (poll(ready, 2, -1) < 0) continue;
        signalfd_siginfo information;
        if (read(signals, &information, sizeof information) != sizeof information) continue;
        run.interrupt();
        for (size_t i = 1; i < pipes.size(); i += 2)
            if (write(pipes[i], &information, sizeof information) < 0) continue;
    }
    for (std::thread &thread : threads)
        thread.join();
    for (int fd : pipes)
        close(fd);
    close(done[0]);
    close(done[1]);
}

constexpr char usage_text[] =
    "Usage: run.sh [-k RELEASE] [--build DIR] [--cases DIR] [--cpus N] [--guests N] [--part I/N] "
    "[--memory MB] [--accel KIND] [--quick] [--records] [--no-retry] [--repeat N] [--list | --prepare] [FILTER]...\n"
    "Runs the guest tests whose AREA/NAME contains a FILTER (all without one); a whole AREA/NAME means that test "
    "alone. See testsuite/vm/README.md.\n";

// "2/3" is the second of three. False if TEXT is not one of as many, or of more than 1000.
bool parse_part(const std::string &text, Settings &settings) {
    char rest = 0;
    return sscanf(text.c_str(), "%zu/%zu%c", &settings.part, &settings.parts, &rest) == 2 && settings.part >= 1 &&
           settings.part <= settings.parts && settings.parts <= 1000;
}

// Options of its own come first; the rest is stap-vm's syntax, with the filters as its command.
bool parse(std::vector<std::string> arguments, Settings &settings, Diagnostics &diagnostics) {
    std::map<std::string, std::string *> own{{"--build", &settings.places.bin}, {"--cases", &settings.places.source}};
    // Unless what follows says otherwise. A kernel that has locked up says where, and makes way for the next case.
    std::vector<std::string> rest{"--cpus", "4",        "--memory",
                                  "2048",   "--append", "softlockup_panic=1 softlockup_all_cpu_backtrace=1"};
    for (size_t i = 0; i < arguments.size(); ++i) {
        auto found = own.find(arguments[i]);
        if (found != own.end() && i + 1 < arguments.size())
            *found->second = fs::weakly_canonical(arguments[++i]);
        else if (arguments[i] == "--guests" && i + 1 < arguments.size())
            settings.guests = static_cast<unsigned>(std::clamp(atoi(arguments[++i].c_str()), 1, 64));
        else if (arguments[i] == "--part" && i + 1 < arguments.size()) {
            if (parse_part(arguments[++i], settings)) continue;
            fprintf(stderr, "--part %s: what is wanted is I/N, the I-th of N parts, of 1000 at most\n",
                    arguments[i].c_str());
            return false;
        } else if (arguments[i] == "--repeat" && i + 1 < arguments.size())
            settings.rounds = static_cast<unsigned>(std::clamp(atoi(arguments[++i].c_str()), 1, 100000));
        else if (arguments[i] == "--quick")
            settings.quick = true;
        else if (arguments[i] == "--records")
            settings.places.records = true;
        else if (arguments[i] == "--no-retry")
            settings.second_chance = false;
        else if (arguments[i] == "--list")
            settings.list = true;
        else if (arguments[i] == "--prepare")
            settings.prepare = true;
        else
            rest.push_back(arguments[i]);
    }
    rest.push_back("");  // stap-vm wants a command
    vm::CommandLine line = vm::parse_command_line(rest, diagnostics);
    settings.vm = line.options;
    settings.vm.with_headers = true;
    settings.filters = line.command;
    if (!settings.filters.empty()) settings.filters.pop_back();
    if (line.action != vm::CommandLineAction::Run || diagnostics.has_errors()) return false;
    settings.places.work = settings.places.bin + (settings.places.records ? "/guest-records" : "/guest-tests");
    settings.places.bin += "/bin";
    settings.vm.progress = [](const std::string &text) { fprintf(stderr, "# %s\n", text.c_str()); };
    return true;
}

int fail(const Diagnostics &diagnostics) {
    for (const auto &diagnostic : diagnostics.all())
        fprintf(stderr, "%s\n", diagnostic->message.c_str());
    return 2;
}

// Makes the cases ready without running them: their folders are for others to use.
int prepare_all(const std::vector<Case> &cases, const Places &places) {
    for (const Case &test : cases) {
        const Prepared prepared = prepare_case(test, places);
        const std::string why = prepared.skip + prepared.failure;
        if (!why.empty()) fprintf(stderr, "%s is not ready: %s\n", test.id().c_str(), why.c_str());
    }
    return 0;
}

// The cases of this part, each as often as it is to run.
std::vector<Case> chosen(std::vector<Case> cases, const Settings &settings) {
    if (settings.quick) std::erase_if(cases, [](const Case &test) { return !test.takes_long.empty(); });
    if (settings.places.records) std::erase_if(cases, [](const Case &test) { return !test.runs_with_records(); });
    std::vector<Case> result;
    for (unsigned round = settings.rounds ? 1 : 0; round <= settings.rounds; ++round)
        for (size_t i = settings.part - 1; i < cases.size(); i += settings.parts) {
            result.push_back(cases[i]);
            result.back().round = round;
        }
    return result;
}

// The patience for this machine's slowness; TAPIR_PATIENCE, as testsuite/patience.sh measures it.
unsigned given_patience() {
    const char *given = getenv("TAPIR_PATIENCE");
    return given ? static_cast<unsigned>(std::clamp(atoi(given), 1, 1000)) : 2;
}

int run(const std::vector<std::string> &arguments) {
    Settings settings;
    settings.places.source = source_dir() + "/testsuite/vm";
    settings.places.library = source_dir() + "/testsuite/vm/lib.sh";
    settings.places.bin = build_dir();
    Diagnostics diagnostics;
    if (!parse(arguments, settings, diagnostics)) {
        fputs(usage_text, stderr);
        return fail(diagnostics);
    }
    std::vector<std::string> errors;
    std::vector<Case> cases = find_cases(settings.places.source, settings.filters, errors);
    for (const std::string &error : errors)
        fprintf(stderr, "%s\n", error.c_str());
    if (!errors.empty()) return 2;
    cases = chosen(cases, settings);
    if (cases.empty()) {
        fprintf(stderr, "no guest test matches\n");
        return 2;
    }
    if (settings.list) {
        for (const Case &test : cases)
            printf("%s\n", test.id().c_str());
        return 0;
    }
    sigset_t set;
    sigemptyset(&set);
    for (int signal : {SIGINT, SIGTERM, SIGHUP})
        sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    const int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    // Without a kernel or a way to boot it nothing can be said about any case.
    int interrupted_by = 0;
    auto config = vm::prepare(settings.vm, signals, diagnostics, interrupted_by);
    if (!config) return fail(diagnostics);
    Places places = settings.places;
    places.release = config->kernel.release;
    places.tree = config->kernel.build_dir;
    places.work += "/" + places.release;
    std::error_code error;
    fs::create_directories(places.work, error);
    if (settings.prepare) return prepare_all(cases, places);
    config->shares.push_back({places.work, places.work});
    Usage usage;
    usage.guests = std::min<unsigned>(settings.guests, static_cast<unsigned>(cases.size()));
    usage.patience = given_patience();
    config->boot_seconds *= static_cast<int>(usage.patience);
    if (is_configured(config->kernel, "CONFIG_KASAN=y")) {
        usage.slowness = 8;
        config->boot_seconds *= 8;
        // The most that the kernel allows: six times its time limit for lockups, and what RCU waits for a preempted
        // reader.
        config->append += " watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=300";
    }
    usage.last = last_cases(config->kernel, places, usage.guests);
    printf("TAP version 13\n1..%zu\n# kernel %s, %s, %u processors, %u guest%s\n", cases.size() + usage.last.size(),
           places.release.c_str(), config->kvm ? "KVM" : "emulated", config->cpus, usage.guests,
           usage.guests > 1 ? "s" : "");
    fflush(stdout);
    // A repeated case needs no second chance: its failures are to be counted.
    Run run(cases, settings.second_chance && !settings.rounds);
    run_all(run, usage, *config, places, signals);
    if (run.second_round()) {
        usage.guests = 1;
        usage.fresh = true;
        usage.last.clear();
        run_all(run, usage, *config, places, signals);
    }
    return run.report();
}

}  // namespace
}  // namespace tapir::guest_tests

int main(int argc, char **argv) {
    return tapir::guest_tests::run({argv + 1, argv + argc});
}
