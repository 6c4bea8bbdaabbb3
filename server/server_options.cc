// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/server_options.h"

#include <boost/program_options.hpp>
#include <cerrno>
#include <sstream>

#include "base/option_error.h"
#include "common/files.h"
#include "common/regular_file.h"

namespace po = boost::program_options;

namespace tapir::server {
namespace {

constexpr char kConfig[] = "/etc/tapir/server.conf";

struct Words {
    std::vector<std::string> tapsets;
    std::string audience, config;
    unsigned memory_mb = 4096, time_s = 60, processes = 64;
};

po::options_description actions(Options &o) {
    po::options_description out("Instead of serving");
    out.add_options()("help,h", "print this summary");
    out.add_options()("version,V", "print the version");
    out.add_options()("add-kernel", po::value(&o.kernels)->value_name("WHAT"),
                      "prepare a kernel: an installed release, the directory of a build tree, or a .deb file "
                      "(repeatable: all that belong to the kernel)");
    out.add_options()("build-id", po::value(&o.build_id)->value_name("HEX"),
                      "of the kernel that is added, if its vmlinux is not there");
    out.add_options()("add-debug", po::value(&o.debug_files)->value_name("WHAT"),
                      "serve debug files and programs by build-id: those of a .deb file, a directory, or one file "
                      "(repeatable)");
    out.add_options()("list-kernels", "list the kernels that modules can be compiled for");
    out.add_options()("new-token", po::value(&o.token_name)->value_name("NAME"),
                      "make a token, and print it and its line for --tokens");
    return out;
}

po::options_description settings(Options &o, Words &w) {
    const auto text = [](std::string &field, const char *name) { return po::value(&field)->value_name(name); };
    po::options_description out("Settings, also in the configuration file as NAME=VALUE");
    out.add_options()("state", text(o.state, "DIR"), "kernels and results (default /var/lib/tapir-server)");
    out.add_options()("user", text(o.user, "NAME"),
                      "whom to become when started by root (default tapir-server, else the user nobody)");
    out.add_options()("stap", text(o.stap, "FILE"), "the translator (default: beside this program)");
    out.add_options()("address", text(o.address, "ADDRESS"), "where to listen (default ::, everywhere)");
    out.add_options()("port", po::value(&o.port)->value_name("N"), "the port (default 8443; 0: any, which is printed)");
    out.add_options()("certificate", text(o.certificate, "FILE"), "the server's certificate and chain, PEM");
    out.add_options()("key", text(o.key, "FILE"), "its key, PEM");
    out.add_options()("client-ca", text(o.client_ca, "FILE"), "authorities of clients' certificates, PEM");
    out.add_options()("client-crl", text(o.client_crl, "FILE"), "their revocation lists, PEM");
    out.add_options()("tokens", text(o.tokens, "FILE"), "tokens: lines NAME SHA256 [NOT-AFTER]");
    out.add_options()("policy", text(o.policy, "FILE"), "roles and who has them, JSON");
    out.add_options()("tapsets", po::value(&w.tapsets)->value_name("NAME=DIR"),
                      "tapsets that requests may name; repeatable");
    out.add_options()("sign-key", text(o.signer.key, "KEY"), "sign modules for staprun: a PEM file or a PKCS#11 URI");
    out.add_options()("sign-certificate", text(o.signer.certificate, "FILE"), "its certificate");
    out.add_options()("sign-passphrase-file", text(o.signer.passphrase_file, "FILE"), "its passphrase");
    out.add_options()("sign-for", text(w.audience, "GROUP"),
                      "who may run modules: stapusr, stapsys (default) or stapdev");
    out.add_options()("sign-days", po::value(&o.sign_days)->value_name("N"),
                      "how long signatures are valid (default 30)");
    out.add_options()("kernel-sign-key", text(o.kernel_signer.key, "KEY"), "sign modules for the kernel, too");
    out.add_options()("kernel-sign-certificate", text(o.kernel_signer.certificate, "FILE"), "its certificate");
    out.add_options()("kernel-sign-digest", text(o.kernel_digest, "NAME"), "sha256 (default), sha384 or sha512");
    out.add_options()("audit-log", text(o.audit_log, "FILE"), "write the audit log to FILE, too");
    out.add_options()("jobs", po::value(&o.jobs)->value_name("N"), "compilations at once (default: processors)");
    out.add_options()("queue", po::value(&o.queue)->value_name("N"), "compilations that wait (default 64)");
    out.add_options()("queue-per-client", po::value(&o.queue_per_client)->value_name("N"),
                      "of these, of one client (default: half of them)");
    out.add_options()("cache-mb", po::value(&o.cache_mb)->value_name("N"), "size of kept results (default 1024)");
    out.add_options()("body-mb", po::value(&o.body_mb)->value_name("N"), "largest request (default 4)");
    out.add_options()("upload-mb", po::value(&o.upload_mb)->value_name("N"),
                      "largest upload of a kernel (default 1024)");
    out.add_options()("unpacked-mb", po::value(&o.unpacked_mb)->value_name("N"),
                      "what an upload may unpack to (default 2048)");
    out.add_options()("debug-file-mb", po::value(&o.debug_file_mb)->value_name("N"),
                      "largest debug file that is sent (default 4096)");
    out.add_options()("debug-mb-per-minute", po::value(&o.debug_minute_mb)->value_name("N"),
                      "of debug files, to one client (default 8192)");
    out.add_options()("debug-files-per-minute", po::value(&o.debug_minute_requests)->value_name("N"),
                      "to one client, also those that are not there (default 600)");
    out.add_options()("header-timeout", po::value(&o.header_s)->value_name("S"),
                      "for the header of a request (default 10)");
    out.add_options()("body-timeout", po::value(&o.body_s)->value_name("S"), "for its body (default 60)");
    out.add_options()("grace", po::value(&o.grace_s)->value_name("S"),
                      "for requests under way when the server ends (default 30)");
    out.add_options()("connections", po::value(&o.connections)->value_name("N"), "at once (default 8192)");
    out.add_options()("connections-per-address", po::value(&o.connections_per_address)->value_name("N"),
                      "(default 64)");
    out.add_options()("balancer", po::value(&o.balancers)->value_name("ADDRESS"),
                      "a load balancer in front of the server, which names the client in the PROXY protocol; "
                      "repeatable");
    out.add_options()("time-limit", po::value(&w.time_s)->value_name("S"), "of a compilation (default 60)");
    out.add_options()(
        "memory-mb", po::value(&w.memory_mb)->value_name("N"),
        "memory of a compilation, where control groups can be used; address space of each of its processes "
        "(default 4096)");
    out.add_options()("processes", po::value(&w.processes)->value_name("N"), "of a compilation at once (default 64)");
    return out;
}

Fault misuse(const std::string &text) {
    return {FaultTag::Misuse, text};
}

Outcome<void> finish(const po::variables_map &given, const Words &words, Options &out) {
    if (given.count("help")) out.action = Options::Action::Help;
    if (given.count("version")) out.action = Options::Action::Version;
    if (given.count("add-kernel")) out.action = Options::Action::AddKernel;
    if (given.count("add-debug")) out.action = Options::Action::AddDebug;
    if (given.count("list-kernels")) out.action = Options::Action::ListKernels;
    if (given.count("new-token")) out.action = Options::Action::NewToken;
    for (const std::string &set : words.tapsets) {
        const size_t equals = set.find('=');
        const std::string name = set.substr(0, equals);
        if (equals == std::string::npos || !is_plain_name(name) || set[equals + 1] != '/')
            return misuse("--tapsets takes NAME=DIR, a plain name and an absolute path");
        out.tapset_sets[name] = set.substr(equals + 1);
    }
    if (!words.audience.empty() && !trust::parse_audience(words.audience, out.audience))
        return misuse("--sign-for takes stapusr, stapsys or stapdev");
    if (out.state.empty() || out.state[0] != '/') return misuse("--state takes an absolute path");
    for (const auto &[signer, option] : {std::pair{&out.signer, "--sign"}, {&out.kernel_signer, "--kernel-sign"}})
        if (signer->key.empty() != signer->certificate.empty())
            return misuse(std::string(option) + "-key and " + option + "-certificate need each other");
    out.kernel_signer.passphrase_file = out.signer.passphrase_file;
    if (words.time_s == 0 || words.memory_mb == 0 || words.processes == 0 || out.queue == 0 || out.sign_days == 0)
        return misuse("a limit of 0 lets nothing through");
    out.limits.wall_s = words.time_s;
    // Later, so that the message names the right limit.
    out.limits.cpu_s = out.limits.wall_s + 1;
    out.limits.memory_bytes = out.limits.address_bytes = static_cast<uint64_t>(words.memory_mb) << 20;
    out.limits.processes = words.processes;
    if (out.action != Options::Action::Serve) return {};
    // All at once: who sets up a server has to hear of each.
    std::string needed;
    const auto need = [&needed](bool missing, const char *text) {
        if (missing) needed += (needed.empty() ? "" : "\n") + std::string(text);
    };
    need(out.certificate.empty() || out.key.empty(),
         "--certificate and --key are needed: there is no serving without TLS");
    need(out.policy.empty(), "--policy is needed: without it the server refuses all clients");
    need(out.client_ca.empty() && out.tokens.empty(),
         "--client-ca or --tokens is needed: how else would clients be known?");
    if (!needed.empty()) return misuse(needed);
    if (!out.client_crl.empty() && out.client_ca.empty()) return misuse("--client-crl is nothing without --client-ca");
    return {};
}

}  // namespace

Outcome<void> parse_options(const std::vector<std::string> &args, Options &out) {
    out = {};
    Words words;
    po::options_description file = settings(out, words), all;
    all.add(actions(out)).add(file);
    all.add_options()("config", po::value(&words.config)->value_name("FILE"), "the configuration file");
    po::variables_map given;
    try {
        po::store(po::command_line_parser(args).options(all).positional({}).run(), given);
        const bool named = given.count("config") != 0;
        const std::string path = named ? given["config"].as<std::string>() : kConfig;
        std::string text;
        const int error = read_file(path.c_str(), kMaxText, text);
        if (error && (named || error != ENOENT)) return misuse(path + ": it cannot be read: " + file_error(error));
        std::istringstream config(text);
        if (!error) po::store(po::parse_config_file(config, file), given);
        po::notify(given);
    } catch (const po::error &error) {
        return misuse(option_error_text(error));
    }
    return finish(given, words, out);
}

std::string help_text() {
    Options options;
    Words words;
    std::ostringstream out;
    out << "usage: stap-server [option]...\n\nCompiles scripts for hosts that have no compiler.\n\n"
        << actions(options) << "\n"
        << settings(options, words) << "\n  --config FILE  the configuration file (default " << kConfig
        << ", if it is there)\n";
    return out.str();
}

}  // namespace tapir::server
