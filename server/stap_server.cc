// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/stap_server.h"

#include <grp.h>
#include <openssl/rand.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>
#include <thread>

#include "common/files.h"
#include "common/hash.h"
#include "common/screen.h"
#include "common/standard_output.h"
#include "server/debug_files.h"
#include "server/listener.h"
#include "server/lock.h"
#include "server/server_options.h"

namespace fs = std::filesystem;

namespace tapir::server {
namespace {

int fail(const Fault &fault) {
    const Screen screen = screen_of(STDERR_FILENO, Coloring::Auto);
    std::istringstream lines(fault.message());
    for (std::string line; std::getline(lines, line);)
        std::fputs(said(screen, Voice::Error, line).c_str(), stderr);
    return 1;
}

void say(const std::string &text) {
    std::fprintf(stderr, "%s\n", text.c_str());
}

Fault bad_setting(const std::string &why) {
    return {FaultTag::BadConfiguration, why};
}

Fault setting_failed(const std::string &what) {
    return bad_setting(what + ": " + std::strerror(errno));
}

// Returns the user that root becomes; nullptr: the caller is not root, and stays.
Outcome<const passwd *> chosen_user(const Options &options) {
    const passwd *user = nullptr;
    if (geteuid() != 0) return user;
    if (!options.user.empty()) {
        user = getpwnam(options.user.c_str());
        if (!user) return bad_setting("there is no user '" + options.user + "' (--user)");
        if (user->pw_uid == 0)
            return bad_setting("scripts of clients are not compiled as root; name another user (--user)");
        return user;
    }
    user = getpwnam("tapir-server");
    if (!user) user = getpwnam("nobody");
    if (!user) return bad_setting("there is no user tapir-server and no user nobody; name one (--user)");
    return user;
}

// The directories of the state, which belong to the one who serves.
Outcome<void> make_state(const Options &options, const passwd *user) {
    std::error_code error;
    fs::create_directories(fs::path(options.state).parent_path(), error);
    for (const char *part : {"", "/kernels", "/results", "/locks", "/uploads", "/debug"}) {
        const std::string path = options.state + part;
        if (mkdir(path.c_str(), 0700) != 0) {
            if (errno != EEXIST) return setting_failed(path);
            continue;
        }
        if (user && chown(path.c_str(), user->pw_uid, user->pw_gid) != 0) return setting_failed(path);
    }
    return {};
}

// For good, with all groups.
Outcome<void> become(const passwd *user) {
    if (!user) return {};
    if (setgroups(0, nullptr) != 0 || setresgid(user->pw_gid, user->pw_gid, user->pw_gid) != 0 ||
        setresuid(user->pw_uid, user->pw_uid, user->pw_uid) != 0)
        return setting_failed(std::string("cannot become ") + user->pw_name);
    return {};
}

Toolchain find_toolchain(const Options &options) {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    Toolchain toolchain;
    toolchain.stap =
        options.stap.empty() ? (self.parent_path() / "stap").string() : fs::absolute(options.stap).string();
    // As stap itself finds it.
    const fs::path installed = fs::path(toolchain.stap).parent_path().parent_path() / "share" / "tapir";
    toolchain.data = fs::is_directory(installed / "tapsets", error) ? installed.string() : TAPIR_SOURCE_DIR;
    return toolchain;
}

// The content of a file of the configuration; "" if none is named.
Outcome<std::string> text_of(const std::string &path) {
    if (path.empty()) return std::string();
    auto read = read_file(path);
    if (!read) return setting_failed(path);
    return std::move(*read);
}

// Loads the authorities of clients, or returns why it cannot.
Outcome<void> load_authorities(const Options &options, Access &access) {
    if (options.client_ca.empty()) return {};
    const Outcome<std::string> authorities = text_of(options.client_ca), lists = text_of(options.client_crl);
    if (!authorities) return authorities.fault();
    if (!lists) return lists.fault();
    const std::string place = options.client_ca + (options.client_crl.empty() ? "" : ", " + options.client_crl);
    if (const Outcome<void> loaded = access.authorities.load(*authorities, *lists); !loaded)
        return bad_setting(place + ": " + loaded.fault().text);
    if (!options.client_crl.empty() && lists->empty())
        return bad_setting(options.client_crl + ": no revocation lists in PEM");
    return {};
}

// A fault has a line for each file that is wrong.
Outcome<std::shared_ptr<Access>> load_access(const Options &options) {
    auto access = std::make_shared<Access>();
    std::string wrong;
    const auto look = [&wrong](const Outcome<void> &outcome) {
        if (!outcome) wrong += (wrong.empty() ? "" : "\n") + outcome.fault().text;
    };
    const auto take = [](const std::string &path, auto &into) -> Outcome<void> {
        if (path.empty()) return {};
        const Outcome<std::string> text = text_of(path);
        if (!text) return text.fault();
        const Outcome<void> parsed = into.parse(*text);
        return parsed ? parsed : Outcome<void>(bad_setting(path + ": " + parsed.fault().text));
    };
    look(take(options.policy, access->policy));
    look(take(options.tokens, access->tokens));
    look(load_authorities(options, *access));
    if (!wrong.empty()) return bad_setting(wrong);
    return access;
}

Outcome<std::shared_ptr<const trust::Signer>> load_signer_if_any(const trust::SignerFiles &files) {
    if (files.key.empty()) return std::shared_ptr<const trust::Signer>();
    Outcome<trust::Signer> signer = trust::load_signer(files);
    if (!signer) return signer.fault();
    return std::shared_ptr<const trust::Signer>(std::make_shared<trust::Signer>(std::move(*signer)));
}

int new_token(const std::string &name) {
    if (!is_plain_name(name)) return fail({FaultTag::Misuse, "'" + name + "' is not a plain name (--new-token)"});
    unsigned char bytes[32];
    if (RAND_bytes(bytes, sizeof bytes) != 1) return fail(bad_setting("no random numbers: " + trust::last_error()));
    const std::string token = "tapir_" + to_hex(bytes, sizeof bytes);
    print_output(token + "\n" + name + " " + sha256(token) + "\n");
    return 0;
}

int list_kernels(const Options &options) {
    for (const KernelEntry &kernel : Kernels(options.state, find_toolchain(options)).list())
        print_output(kernel.release + "  " + kernel.architecture + "  " +
                     (kernel.build_id.empty() ? "-" : kernel.build_id) + "  " + kernel.build + "\n");
    return 0;
}

int add_kernels(const Options &options) {
    if (const Outcome<void> works = try_sandbox(); !works) return fail(works.fault());
    Kernels kernels(options.state, find_toolchain(options));
    std::vector<std::string> packages;
    for (const std::string &what : options.kernels) {
        if (what.ends_with(".deb")) {
            packages.push_back(what);
            continue;
        }
        const bool release = what.find('/') == std::string::npos;
        const Outcome<void> added = release ? kernels.add_installed(what, options.build_id, say)
                                            : kernels.add_directory(what, options.build_id, say);
        if (!added) return fail(added.fault());
    }
    if (!packages.empty())
        if (const Outcome<void> added = kernels.add_packages(packages, say); !added) return fail(added.fault());
    return 0;
}

int add_debug_files(const Options &options) {
    if (const Outcome<void> works = try_sandbox(); !works) return fail(works.fault());
    const Outcome<size_t> added = DebugFiles(options.state + "/debug", UINT64_MAX).add(options.debug_files, say);
    if (!added) return fail(added.fault());
    say("added " + std::to_string(*added) + (*added == 1 ? " file" : " files"));
    return 0;
}

// Keys, which root reads before it becomes another user.
struct Keys {
    std::shared_ptr<const trust::Signer> signer, kernel_signer;
};

CompileSettings compile_settings(const Options &options, const Keys &keys) {
    CompileSettings settings;
    settings.limits = options.limits;
    settings.tapset_sets = options.tapset_sets;
    settings.locks = options.state + "/locks";
    settings.kernel_signer = keys.kernel_signer;
    settings.kernel_digest = options.kernel_digest;
    return settings;
}

ServiceSettings service_settings(const Options &options, const Keys &keys, std::shared_ptr<const AuditLog> audit_log) {
    ServiceSettings settings;
    settings.body_bytes = static_cast<uint64_t>(options.body_mb) << 20;
    settings.upload_bytes = static_cast<uint64_t>(options.upload_mb) << 20;
    settings.debug_directory = options.state + "/debug";
    settings.debug_file_bytes = static_cast<uint64_t>(options.debug_file_mb) << 20;
    settings.debug_minute_bytes = static_cast<uint64_t>(options.debug_minute_mb) << 20;
    settings.debug_minute_requests = options.debug_minute_requests;
    settings.signer = keys.signer;
    settings.audience = options.audience;
    settings.signature_days = options.sign_days;
    settings.audit_log = std::move(audit_log);
    return settings;
}

ListenerSettings listener_settings(const Options &options) {
    ListenerSettings settings;
    settings.address = options.address;
    settings.port = options.port;
    settings.certificate = options.certificate;
    settings.key = options.key;
    settings.ask_for_certificates = !options.client_ca.empty();
    settings.header_s = options.header_s;
    settings.body_s = options.body_s;
    settings.grace_s = options.grace_s;
    settings.connections = options.connections;
    settings.connections_per_address = options.connections_per_address;
    settings.balancers = options.balancers;
    settings.uploads = options.state + "/uploads";
    settings.drafts_gate = options.state + "/locks/drafts";
    return settings;
}

int serve(const Options &options, const passwd *user, const Keys &keys) {
    // While this process is one thread, and may be root.
    MemoryGroups groups;
    if (const Outcome<void> opened = groups.open(user ? user->pw_uid : geteuid(), user ? user->pw_gid : getegid());
        opened)
        say("memory of compilations is limited by control groups in " + groups.path());
    else
        say("WARNING: there is no limit for the memory of all processes of a compilation together, only for each of "
            "them: " +
            opened.fault().text);
    std::atomic<bool> abandoned = false;
    Kernels kernels(options.state, find_toolchain(options), &groups, [&abandoned] { return abandoned.load(); });
    kernels.limit_archives(static_cast<uint64_t>(options.unpacked_mb) << 20);
    Results results(options.state + "/results", static_cast<uint64_t>(options.cache_mb) << 20);
    Compiler compiler(compile_settings(options, keys), kernels, results);
    Jobs jobs(options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency()), options.queue,
              options.queue_per_client ? options.queue_per_client : (options.queue + 1) / 2);
    // A worker of their own prepares kernels: that takes minutes each, and scripts do not wait.
    Jobs preparations(1, 8, 4);
    const auto audit_log = std::make_shared<AuditLog>();
    Service service(service_settings(options, keys, audit_log), kernels, compiler, results, jobs, preparations);
    const ListenerSettings network = listener_settings(options);
    Listener listener(network, service);
    // Reports all faults at once.
    int failures = 0;
    const auto look = [&failures](const Outcome<void> &outcome) {
        if (!outcome) failures += fail(outcome.fault());
    };
    // The port, the keys and the log may be root's.
    look(listener.open());
    if (!options.audit_log.empty())
        if (const Outcome<void> opened = audit_log->open(options.audit_log); !opened)
            look(bad_setting(opened.fault().text + " (--audit-log)"));
    if (const Outcome<void> became = become(user); !became) return fail(became.fault());
    look(try_sandbox());
    const auto load = [&options, &service]() -> Outcome<void> {
        Outcome<std::shared_ptr<Access>> access = load_access(options);
        if (!access) return access.fault();
        service.set_access(std::move(*access));
        return {};
    };
    look(load());
    if (failures) return 1;
    kernels.sweep();
    sweep_drafts(network.drafts_gate, network.uploads, kUpload);
    // The first one: the queue is empty.
    static_cast<void>(preparations.start({"refresh"}, [&kernels](Job &) {
        kernels.refresh(say);
        return Ending{Result()};
    }));
    print_output("listening on port " + std::to_string(listener.port()) + "\n");
    flush_output();
    listener.run([&load, &audit_log] {
        if (const Outcome<void> reopened = audit_log->reopen(); !reopened)
            say("WARNING: the audit log stays the file that is open: " + reopened.fault().text);
        // The previous settings stay in use.
        if (const Outcome<void> loaded = load(); !loaded) say("WARNING: not read again: " + loaded.fault().message());
    });
    // Before what the jobs use goes.
    service.abandon();
    abandoned = true;
    jobs.join();
    preparations.join();
    return 0;
}

int act(int argc, char **argv) {
    Options options;
    if (const Outcome<void> parsed = parse_options({argv + 1, argv + argc}, options); !parsed) {
        fail(parsed.fault());
        const Screen screen = screen_of(STDERR_FILENO, Coloring::Auto);
        std::fputs(said(screen, Voice::Help, "stap-server --help, man stap-server").c_str(), stderr);
        return 1;
    }
    switch (options.action) {
        case Options::Action::Help:
            print_output(help_text());
            return 0;
        case Options::Action::Version:
            print_output("Tapir stap-server version " TAPIR_VERSION "\n");
            return 0;
        case Options::Action::NewToken:
            return new_token(options.token_name);
        default:
            break;
    }
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    umask(077);
    openlog("stap-server", LOG_PID, LOG_AUTHPRIV);
    // A descriptor for each connection, and some for compilations.
    rlimit files = {};
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    const Outcome<const passwd *> user = chosen_user(options);
    if (!user) return fail(user.fault());
    if (const Outcome<void> made = make_state(options, *user); !made) return fail(made.fault());
    if (options.action != Options::Action::Serve) {
        if (const Outcome<void> became = become(*user); !became) return fail(became.fault());
        return options.action == Options::Action::ListKernels ? list_kernels(options)
               : options.action == Options::Action::AddDebug  ? add_debug_files(options)
                                                              : add_kernels(options);
    }
    Outcome<std::shared_ptr<const trust::Signer>> signer = load_signer_if_any(options.signer);
    if (!signer) return fail(signer.fault());
    Outcome<std::shared_ptr<const trust::Signer>> kernel_signer = load_signer_if_any(options.kernel_signer);
    if (!kernel_signer) return fail(kernel_signer.fault());
    return serve(options, *user, {*signer, *kernel_signer});
}

}  // namespace

int run(int argc, char **argv) {
    const int status = act(argc, argv);
    const Outcome<void> printed = finish_output();
    return printed ? status : fail(printed.fault());
}

}  // namespace tapir::server
