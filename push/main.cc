// SPDX-License-Identifier: GPL-2.0-or-later
// stap-push: sends metrics and profiles of scripts to a collector.
#include <getopt.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "common/files.h"
#include "common/quoting.h"
#include "push/destination.h"
#include "push/outbox.h"
#include "push/profiles.h"
#include "push/push_session.h"
#include "push/push_settings.h"

namespace tapir::push {

namespace {

constexpr char kUsage[] =
    "Usage: stap-push --to URL [OPTION]... -- COMMAND [ARGUMENT]...\n"
    "       stap-push --to URL [OPTION]... CAPTURE...\n"
    "Run a command that writes records (stap --push runs itself so), and push its metrics or its profile to a "
    "collector.\n"
    "Or push profiles of captures.\n"
    "\n"
    "  --to URL           http://HOST:4318: metrics, by OTLP over HTTP; profiles in the format of pprof:\n"
    "                     pyroscope+http://HOST:4040, parca+http://HOST:7070, pprof+http://HOST/PATH\n"
    "  --name NAME        of the script, in names of metrics and profiles\n"
    "  --settings FILE    how to push (default: /etc/tapir/push.conf, which may be missing)\n"
    "  --capture FILE     the command writes this capture: push its profile\n"
    "  --records          write all records on to standard output, not only what the script prints\n"
    "  -V, --version      version\n"
    "  -h, --help         this text\n";

enum { kTo = 256, kName, kSettings, kCapture, kRecords };

const option kOptions[] = {
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {"to", required_argument, nullptr, kTo},
    {"name", required_argument, nullptr, kName},
    {"settings", required_argument, nullptr, kSettings},
    {"capture", required_argument, nullptr, kCapture},
    {"records", no_argument, nullptr, kRecords},
    {nullptr, 0, nullptr, 0},
};

constexpr int kMisuse = 2, kWrongSettings = 78;

void tell(const std::string &line) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    std::fprintf(stderr, "stap-push: %s\n", printable(line).c_str());
}

int misuse(const std::string &text) {
    std::fprintf(stderr, "stap-push: %s\nTry 'stap-push --help'.\n", printable(text).c_str());
    return kMisuse;
}

struct Given {
    std::string url, settings;
    SessionSettings session;
    std::vector<std::string> captures;
};

// Captures that are there already. 1 if not all of them arrive.
int push_captures(const Given &given, Outbox &outbox) {
    bool complete = true;
    for (const std::string &capture : given.captures)
        if (const Outcome<void> put = push_capture(outbox, capture, given.session.script); !put) {
            tell(capture + ": " + put.fault().message());
            complete = false;
        }
    const bool arrived = outbox.finish([] {
        sigset_t pending;
        sigpending(&pending);
        return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) || sigismember(&pending, SIGHUP);
    });
    return arrived && complete ? 0 : 1;
}

int push(Given given) {
    const Outcome<Destination> destination = read_destination(given.url);
    if (!destination) return misuse(destination.fault().message());
    if (!given.captures.empty() && !destination->takes_profiles())
        return misuse("'" + given.url + "' takes metrics, not captures");
    const Outcome<PushSettings> settings = read_settings(given.settings);
    if (!settings) {
        tell(settings.fault().message());
        return kWrongSettings;
    }
    // Signals are for this thread alone, which reads them; the sender's must not get them.
    sigset_t stops;
    sigemptyset(&stops);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        sigaddset(&stops, signal);
    pthread_sigmask(SIG_BLOCK, &stops, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    // A file that is too large is told like a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
    Outcome<std::unique_ptr<Outbox>> outbox = Outbox::open(given.url, *destination, *settings, tell);
    if (!outbox) {
        tell(outbox.fault().message());
        return 1;
    }
    if (!given.captures.empty()) return push_captures(given, **outbox);
    if (given.session.script.empty()) given.session.script = "script";
    return PushSession(std::move(given.session), *settings, **outbox, tell).run();
}

int run(int argc, char **argv) {
    Given given;
    given.session.version = TAPIR_VERSION;
    for (int option; (option = getopt_long(argc, argv, "+:hV", kOptions, nullptr)) != -1;) {
        switch (option) {
            case 'h':
                std::fputs(kUsage, stdout);
                return 0;
            case 'V':
                std::printf("Tapir stap-push version %s\n", TAPIR_VERSION);
                return 0;
            case kTo:
                given.url = optarg;
                break;
            case kName:
                given.session.script = optarg;
                break;
            case kSettings:
                given.settings = optarg;
                break;
            case kCapture:
                given.session.capture = optarg;
                break;
            case kRecords:
                given.session.passes_records = true;
                break;
            default:
                return misuse(std::string(option == ':' ? "there is no argument to " : "unknown option ") +
                              argv[optind - 1]);
        }
    }
    if (given.url.empty()) return misuse("--to says where to push");
    if (optind >= argc) return misuse("what is to be pushed? -- COMMAND, or captures");
    (std::strcmp(argv[optind - 1], "--") == 0 ? given.session.command : given.captures)
        .assign(argv + optind, argv + argc);
    return push(std::move(given));
}

}  // namespace

}  // namespace tapir::push

int main(int argc, char **argv) {
    return tapir::push::run(argc, argv);
}
