// SPDX-License-Identifier: GPL-2.0-or-later
// stap-exporter: metrics of scripts for monitoring systems.
#include <getopt.h>
#include <malloc.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "common/files.h"
#include "common/find_program.h"
#include "common/plain_text.h"
#include "exporter/http_listener.h"
#include "exporter/metrics_service.h"
#include "exporter/script_settings.h"
#include "trust/protected_path.h"

namespace tapir::exporter {

namespace {

constexpr char kUsage[] =
    "Usage: stap-exporter [OPTION]...\n"
    "Run the scripts of a folder, and tell their metrics (@metric) to monitoring systems: GET /metrics.\n"
    "\n"
    "  --folder DIR         a FILE.conf for each script (default: /etc/tapir/exporter.d)\n"
    "  --listen WHERE       ADDRESS:PORT, or unix:PATH (default: 127.0.0.1:9779)\n"
    "  --certificate FILE   speak HTTPS: the certificate and its chain, PEM\n"
    "  --key FILE           its key, PEM\n"
    "  --tokens FILE        only who has a token is answered: lines NAME SHA256 [NOT-AFTER]\n"
    "  --deadline SECONDS   how long an answer may wait for scripts (default: 5)\n"
    "  --stap FILE          the translator (default: beside this program)\n"
    "  --check              read the folder, say what is wrong, and end\n"
    "  -V, --version        version\n"
    "  -h, --help           this text\n";

enum { kFolder = 256, kListen, kCertificate, kKey, kTokens, kDeadline, kStap, kCheck };

const option kOptions[] = {
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {"folder", required_argument, nullptr, kFolder},
    {"listen", required_argument, nullptr, kListen},
    {"certificate", required_argument, nullptr, kCertificate},
    {"key", required_argument, nullptr, kKey},
    {"tokens", required_argument, nullptr, kTokens},
    {"deadline", required_argument, nullptr, kDeadline},
    {"stap", required_argument, nullptr, kStap},
    {"check", no_argument, nullptr, kCheck},
    {nullptr, 0, nullptr, 0},
};

constexpr int kMisuse = 2, kWrongSettings = 78;

struct Options {
    ListenerSettings listener;
    std::string folder = "/etc/tapir/exporter.d", tokens, stap;
    std::chrono::milliseconds deadline{5000};
    bool only_checks = false;
};

// Lines of the journal, or of a terminal.
void log_line(const std::string &line) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    std::fprintf(stderr, "%s\n", line.c_str());
}

int misuse(const std::string &text) {
    std::fprintf(stderr, "stap-exporter: %s\nTry 'stap-exporter --help'.\n", text.c_str());
    return kMisuse;
}

// "127.0.0.1:9779", "[::1]:9779", "unix:/run/metrics"
std::string take_place(const std::string &text, ListenerSettings &out) {
    constexpr std::string_view kUnix = "unix:";
    if (text.starts_with(kUnix)) {
        out.socket = text.substr(kUnix.size());
        return out.socket.starts_with("/") ? "" : "--listen: the socket takes an absolute path";
    }
    const size_t colon = text.rfind(':');
    uint64_t port = 0;
    if (colon == std::string::npos || !parse_unsigned(text.substr(colon + 1), port) || port > 65535)
        return "--listen: '" + text + "' is neither ADDRESS:PORT nor unix:PATH";
    out.address = text.substr(0, colon);
    if (out.address.starts_with("[") && out.address.ends_with("]"))
        out.address = out.address.substr(1, out.address.size() - 2);
    out.port = static_cast<uint16_t>(port);
    return "";
}

bool is_loopback(const ListenerSettings &listener) {
    return !listener.socket.empty() || listener.address == "::1" || listener.address == "localhost" ||
           listener.address.starts_with("127.");
}

// Returns what is wrong, or "".
std::string take_option(int option, Options &out) {
    switch (option) {
        case kFolder:
            out.folder = optarg;
            return "";
        case kListen:
            return take_place(optarg, out.listener);
        case kCertificate:
            out.listener.certificate = optarg;
            return "";
        case kKey:
            out.listener.key = optarg;
            return "";
        case kTokens:
            out.tokens = optarg;
            return "";
        case kStap:
            out.stap = optarg;
            return "";
        case kCheck:
            out.only_checks = true;
            return "";
        case kDeadline: {
            const double seconds = std::strtod(optarg, nullptr);
            if (!(seconds >= 0.1 && seconds <= 600))
                return "--deadline: '" + std::string(optarg) + "' is not a number of seconds (0.1 to 600)";
            out.deadline = std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
            return "";
        }
        default:
            return "?";
    }
}

std::string conflict(const Options &o) {
    if (o.listener.certificate.empty() != o.listener.key.empty()) return "--certificate and --key need each other";
    if (!is_loopback(o.listener) && (o.listener.certificate.empty() || o.tokens.empty()))
        return "other hosts can reach " + o.listener.address + ": that needs --certificate, --key and --tokens";
    return "";
}

Outcome<trust::Tokens> read_tokens(const std::string &path) {
    const std::optional<std::string> text = read_file(path);
    if (!text) return Fault{FaultTag::BadConfiguration, "cannot read '" + path + "': " + std::strerror(errno)};
    trust::Tokens tokens;
    if (Outcome<void> parsed = tokens.parse(*text); !parsed)
        return Fault{FaultTag::BadConfiguration, path + ": " + parsed.fault().text};
    return tokens;
}

// Scripts run with the exporter's rights: others must not be able to write them. One that is missing is none.
Outcome<void> check_owner(const std::string &path, trust::Kind kind) {
    if (geteuid() != 0) return {};
    const Outcome<int> opened = trust::open_protected(path, kind, {});
    if (opened) close(*opened);
    if (opened || opened.fault().tag == FaultTag::PathMissing) return {};
    return Fault{FaultTag::BadConfiguration, opened.fault().message()};
}

// Adds those that may run.
size_t add_scripts(const Options &options, std::vector<ScriptSettings> &scripts, Service &service) {
    size_t count = 0;
    for (ScriptSettings &script : scripts) {
        const Outcome<void> safe =
            script.script.empty() ? Outcome<void>() : check_owner(script.script, trust::Kind::File);
        if (!safe) {
            log_line("ERROR: " + script.name + ".conf: " + safe.fault().message());
            continue;
        }
        service.add(std::make_unique<ScriptSession>(std::move(script), options.stap, log_line));
        count++;
    }
    return count;
}

int serve(const Options &options) {
    bool complained = false;
    if (const Outcome<void> safe = check_owner(options.folder, trust::Kind::Directory); !safe) {
        log_line("ERROR: " + safe.fault().message());
        return kWrongSettings;
    }
    Outcome<std::vector<ScriptSettings>> scripts = read_folder(options.folder, [&](const std::string &text) {
        log_line("ERROR: " + text);
        complained = true;
    });
    if (!scripts) {
        log_line("ERROR: " + scripts.fault().message());
        return kWrongSettings;
    }
    if (options.only_checks) return complained ? kWrongSettings : 0;
    // Signals are for this thread alone: sessions end their scripts themselves.
    sigset_t stops;
    sigemptyset(&stops);
    for (int signal : {SIGINT, SIGTERM})
        sigaddset(&stops, signal);
    pthread_sigmask(SIG_BLOCK, &stops, nullptr);
    Service service(options.deadline);
    if (!options.tokens.empty()) {
        Outcome<trust::Tokens> tokens = read_tokens(options.tokens);
        if (!tokens) {
            log_line("ERROR: " + tokens.fault().message());
            return kWrongSettings;
        }
        service.require(*std::move(tokens));
    }
    HttpListener listener(options.listener, service);
    if (const Outcome<void> opened = listener.open(); !opened) {
        log_line("ERROR: " + opened.fault().message());
        return 1;
    }
    const size_t count = add_scripts(options, *scripts, service);
    const std::string where = !options.listener.socket.empty()
                                  ? "unix:" + options.listener.socket
                                  : options.listener.address + ":" + std::to_string(listener.port());
    log_line("serves " + std::to_string(count) + " scripts on " + where);
    std::thread server([&listener] { listener.run(); });
    int signal = 0;
    sigwait(&stops, &signal);
    listener.stop();
    server.join();
    return 0;
}

int run(int argc, char **argv) {
    // Else each thread that ever made an answer would keep memory for the largest one.
    constexpr int kHeaps = 2;
    mallopt(M_ARENA_MAX, kHeaps);
    Options options;
    for (int option; (option = getopt_long(argc, argv, "+:hV", kOptions, nullptr)) != -1;) {
        if (option == 'h') {
            std::fputs(kUsage, stdout);
            return 0;
        }
        if (option == 'V') {
            std::printf("Tapir stap-exporter version %s\n", TAPIR_VERSION);
            return 0;
        }
        if (option == ':' || option == '?')
            return misuse(std::string(option == ':' ? "there is no argument to " : "unknown option ") +
                          argv[optind - 1]);
        if (const std::string wrong = take_option(option, options); !wrong.empty()) return misuse(wrong);
    }
    if (optind < argc) return misuse("it takes no words; scripts are in the folder (--folder)");
    if (const std::string wrong = conflict(options); !wrong.empty()) return misuse(wrong);
    if (options.stap.empty()) options.stap = program_beside("stap");
    if (options.stap.empty()) options.stap = "stap";
    return serve(options);
}

}  // namespace

}  // namespace tapir::exporter

int main(int argc, char **argv) {
    return tapir::exporter::run(argc, argv);
}
