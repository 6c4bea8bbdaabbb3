// SPDX-License-Identifier: GPL-2.0-or-later
// stap-sign: signs modules, and keeps the trust store of a machine.
#include <fcntl.h>
#include <getopt.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <tapir/wire.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "common/descriptor.h"
#include "common/files.h"
#include "common/plain_text.h"
#include "common/regular_file.h"
#include "common/screen.h"
#include "common/standard_output.h"
#include "module/module_file.h"
#include "trust/sign.h"
#include "trust/verify.h"

using namespace tapir;
using namespace tapir::trust;

namespace {

constexpr size_t kMaxModuleBytes = 256u << 20;
constexpr int64_t kDay = 86400;
constexpr int64_t kMaxDays = 3650;

struct Options {
    SignerFiles signer;         // --key, --certificate, --passphrase-file
    SignerFiles kernel_signer;  // --kernel-key, --kernel-certificate
    std::string kernel_digest = "sha256";
    Audience audience = Audience::System;
    int64_t days = 30;
    std::string requester, uses;
    std::string store = kStorePath;
    std::string trust, revoke;
    bool verify = false, list = false;
    std::vector<std::string> modules;
};

enum LongOnly {
    kKey = 256,
    kCertificate,
    kPassphrase,
    kKernelKey,
    kKernelCertificate,
    kKernelDigest,
    kFor,
    kDays,
    kRequester,
    kUses,
    kStore,
    kTrust,
    kRevoke,
    kVerify,
    kList
};

const option kLongOptions[] = {{"key", required_argument, nullptr, kKey},
                               {"certificate", required_argument, nullptr, kCertificate},
                               {"passphrase-file", required_argument, nullptr, kPassphrase},
                               {"kernel-key", required_argument, nullptr, kKernelKey},
                               {"kernel-certificate", required_argument, nullptr, kKernelCertificate},
                               {"kernel-digest", required_argument, nullptr, kKernelDigest},
                               {"for", required_argument, nullptr, kFor},
                               {"days", required_argument, nullptr, kDays},
                               {"requester", required_argument, nullptr, kRequester},
                               {"uses", required_argument, nullptr, kUses},
                               {"store", required_argument, nullptr, kStore},
                               {"trust", required_argument, nullptr, kTrust},
                               {"revoke", required_argument, nullptr, kRevoke},
                               {"verify", no_argument, nullptr, kVerify},
                               {"list", no_argument, nullptr, kList},
                               {"help", no_argument, nullptr, 'h'},
                               {"version", no_argument, nullptr, 'V'},
                               {nullptr, 0, nullptr, 0}};

const char kUsage[] =
    "Usage: stap-sign --key=KEY --certificate=CERTIFICATE [OPTION]... MODULE.ko...\n"
    "       stap-sign --kernel-key=KEY --kernel-certificate=CERTIFICATE [OPTION]... MODULE.ko...\n"
    "       stap-sign --verify MODULE.ko...\n"
    "       stap-sign --trust=FILE | --list | --revoke=FILE\n"
    "Sign modules made by stap -p4, so that a set-user-ID staprun or a kernel with Secure Boot takes them; keep the "
    "trust store.\n"
    "\n"
    "  --key=KEY                 private key: a PEM file, or a PKCS#11 URI\n"
    "  --certificate=FILE        its certificate in PEM; authorities that hosts may need may follow in the file\n"
    "  --passphrase-file=FILE    has the passphrase of these keys in its first line\n"
    "  --for=GROUP               who may run it: stapusr, stapsys (default) or stapdev\n"
    "  --days=N                  how long the signature is valid (default 30)\n"
    "  --requester=TEXT          who asked for the signature (default: this user)\n"
    "  --uses=TEXT               what the script uses that readers of logs should know, such as guru\n"
    "  --kernel-key=KEY, --kernel-certificate=FILE   first append the kernel's own signature to the module\n"
    "  --kernel-digest=NAME      of that: sha256 (default), sha384, sha512\n"
    "  --verify                  say whether staprun would take the module's signature on this machine\n"
    "  --trust=FILE              add a certificate (.pem) or a revocation list (.crl) to the trust store\n"
    "  --list                    show the trust store\n"
    "  --revoke=FILE             distrust a certificate (.pem) or a module (.ko) from now on\n"
    "  --store=DIRECTORY         the trust store (default /etc/tapir/trust)\n"
    "  -V, --version             version\n"
    "  -h, --help                this text\n";

Fault unreadable(const std::string &path, int error) {
    return {FaultTag::FileUnreadable, format("Couldn't read '%s': %s", path.c_str(), file_error(error).c_str())};
}

Fault unreadable_module(const std::string &path, int error) {
    return {FaultTag::ModuleUnreadable,
            format("Couldn't read module '%s': %s", path.c_str(), file_error(error).c_str())};
}

Outcome<ModuleFile> read_module(const std::string &path) {
    std::string image;
    if (int error = read_file(path.c_str(), kMaxModuleBytes, image)) return unreadable_module(path, error);
    ModuleFile file;
    const Outcome<void> parsed = file.parse(std::move(image));
    if (!parsed) return Fault{parsed.fault().tag, format("'%s': %s", path.c_str(), parsed.fault().message().c_str())};
    return file;
}

// Appears whole or not at all.
Outcome<void> replace_file(const std::string &path, const std::string &content, mode_t mode) {
    std::string temporary = path + ".XXXXXX";
    const int fd = mkostemp(temporary.data(), O_CLOEXEC);
    const auto failed = [&path](const char *what) {
        return Fault{FaultTag::FileUnwritable,
                     format("Couldn't write '%s': %s: %s", path.c_str(), what, strerror(errno))};
    };
    if (fd < 0) return failed("temporary file");
    Outcome<void> outcome;
    if (!write_all(fd, content) || fchmod(fd, mode) != 0 || fsync(fd) != 0) outcome = failed("write");
    close(fd);
    if (outcome && rename(temporary.c_str(), path.c_str()) != 0) outcome = failed("rename");
    if (!outcome) unlink(temporary.c_str());
    return outcome;
}

std::string default_requester() {
    const passwd *user = getpwuid(getuid());
    utsname names = {};
    uname(&names);
    return std::string(user ? user->pw_name : std::to_string(getuid())) + "@" + names.nodename;
}

std::string this_architecture() {
    utsname names = {};
    uname(&names);
    return names.machine;  // parse() takes modules of this machine's only
}

Outcome<void> sign_module(const std::string &path, const Options &options, const Signer *own, const Signer *kernel) {
    const Outcome<ModuleFile> file = read_module(path);
    if (!file) return file.fault();
    std::string image = file->image();
    if (kernel) {
        const Outcome<std::string> made = sign_for_kernel(image, *kernel, options.kernel_digest);
        if (!made) return Fault{made.fault().tag, format("'%s': %s", path.c_str(), made.fault().message().c_str())};
        struct stat info = {};
        if (stat(path.c_str(), &info) != 0) return unreadable_module(path, errno);
        if (Outcome<void> written = replace_file(path, *made, info.st_mode & 07777); !written) return written;
        image = *made;
    }
    if (!own) return {};
    const int64_t now = time(nullptr);
    Manifest manifest;
    manifest.sha256 = sha256(image);
    manifest.name = file->name();
    manifest.release = file->release();
    manifest.build = file->kernel_build();
    manifest.architecture = this_architecture();
    manifest.abi = TAPIR_ABI;
    manifest.audience = options.audience;
    manifest.uses = options.uses;
    manifest.requester = options.requester;
    manifest.not_before = now - 300;  // clocks differ
    manifest.not_after = now + options.days * kDay;
    manifest.id = random_id();
    const Outcome<std::string> signature = sign(manifest, *own);
    return signature ? replace_file(path + ".sig", *signature, 0644) : signature.fault();
}

Outcome<int> sign_modules(const Options &options) {
    const bool for_staprun = !options.signer.key.empty(), for_kernel = !options.kernel_signer.key.empty();
    const Outcome<Signer> own = for_staprun ? load_signer(options.signer) : Signer();
    if (!own) return own.fault();
    const Outcome<Signer> kernel = for_kernel ? load_signer(options.kernel_signer) : Signer();
    if (!kernel) return kernel.fault();
    for (const std::string &path : options.modules) {
        const Outcome<void> made =
            sign_module(path, options, for_staprun ? &*own : nullptr, for_kernel ? &*kernel : nullptr);
        if (!made) return made.fault();
    }
    return 0;
}

Outcome<int> verify_modules(const Options &options) {
    Store store;
    if (const Outcome<void> loaded = store.load(options.store, {}); !loaded) return loaded.fault();
    utsname kernel = {};
    uname(&kernel);
    int status = 0;
    for (const std::string &path : options.modules) {
        std::string signature;
        const Outcome<ModuleFile> file = read_module(path);
        if (!file) return file.fault();
        if (int error = read_file((path + ".sig").c_str(), kMaxSignature, signature))
            return unreadable(path + ".sig", error);
        const Subject about = {file->image(), file->name(), kernel.release, kernel.version, kernel.machine, TAPIR_ABI};
        const Verdict verdict = verify(signature, about, store, time(nullptr));
        const Manifest &manifest = verdict.manifest;
        if (!verdict.outcome) {
            const Fault &fault = verdict.outcome.fault();
            print_output(path + ": " + std::string(tag_word(fault.tag)) + ": " + fault.message() + "\n");
            status = 1;
            continue;
        }
        print_output(format("%s: ok: signed by '%s' for %s until %s, for members of %s, asked for by '%s'\n",
                            path.c_str(), verdict.signer.c_str(), manifest.release.c_str(),
                            print_time(manifest.not_after).c_str(), group_of(manifest.audience),
                            manifest.requester.c_str()));
    }
    return status;
}

std::string time_of(const ASN1_TIME *time) {
    tm fields = {};
    return time && ASN1_TIME_to_tm(time, &fields) == 1 ? print_time(timegm(&fields)) : "?";
}

Outcome<int> list_store(const Options &options) {
    Store store;
    const Outcome<void> loaded = store.load(options.store, {});
    for (const Store::Entry &entry : store.entries()) {
        const std::string digest = fingerprint(entry.certificate.get());
        print_output(format("%s  %s  until %s%s  %s\n", digest.c_str(), subject(entry.certificate.get()).c_str(),
                            time_of(X509_get0_notAfter(entry.certificate.get())).c_str(),
                            store.revokes_certificate(entry.certificate.get()) ? "  REVOKED" : "", entry.file.c_str()));
    }
    if (!loaded) return loaded.fault();
    return 0;
}

bool ends_with(const std::string &text, const char *end) {
    return text.size() > strlen(end) && text.compare(text.size() - strlen(end), std::string::npos, end) == 0;
}

// Each component that is missing, for everybody to read.
Outcome<void> make_store(const std::string &path) {
    for (size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
        const std::string part = path.substr(0, at);
        if (mkdir(part.c_str(), 0755) != 0 && errno != EEXIST)
            return Fault{FaultTag::FileUnwritable, format("Couldn't make '%s': %s", part.c_str(), strerror(errno))};
        if (at == std::string::npos) return {};
    }
}

// Replaces a file of the store by what `change` makes of its content ("" if it is missing), one change at a time.
// Undoes a change that damages the store: with a damaged store no module at all would be trusted.
Outcome<void> change_store(const std::string &store, const std::string &name,
                           const std::function<std::string(const std::string &)> &change) {
    if (Outcome<void> made = make_store(store); !made) return made;
    const Descriptor lock(open(store.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (lock.get() < 0 || flock(lock.get(), LOCK_EX) != 0) return unreadable(store, errno);
    const std::string path = store + "/" + name;
    std::string before;
    const int error = read_file(path.c_str(), 1 << 20, before);
    if (error && error != ENOENT) return unreadable(path, error);
    const Protection protection = {geteuid(), store.substr(0, std::max<size_t>(1, store.rfind('/')))};
    const auto damage = [&]() -> Outcome<void> {
        Outcome<void> loaded = Store().load(store, protection);
        return loaded || loaded.fault().tag != FaultTag::StoreDamaged ? Outcome<void>() : loaded;
    };
    const Outcome<void> sound = damage();
    if (Outcome<void> written = replace_file(path, change(before), 0644); !written) return written;
    const Outcome<void> still_sound = damage();
    if (still_sound || !sound) return still_sound;
    const bool restored =
        error == ENOENT ? unlink(path.c_str()) == 0 : replace_file(path, before, 0644).operator bool();
    const Fault &fault = still_sound.fault();
    return Fault{fault.tag, fault.text + (restored ? "; the store is as it was before" : "")};
}

Outcome<int> trust_file(const Options &options) {
    const auto unfit = [&options](const char *why) {
        return Fault{FaultTag::SignerUnusable, format("'%s' %s", options.trust.c_str(), why)};
    };
    std::string text;
    if (int error = read_file(options.trust.c_str(), 1 << 20, text)) return unreadable(options.trust, error);
    std::string name;
    if (ends_with(options.trust, ".crl")) {
        std::vector<RevocationList> lists;
        if (!read_revocation_lists(text, lists) || lists.size() != 1) return unfit("is not one revocation list in PEM");
        const std::string issuer = [&lists] {
            unsigned char digest[EVP_MAX_MD_SIZE];
            unsigned size = 0;
            X509_NAME_digest(X509_CRL_get_issuer(lists[0].get()), EVP_sha256(), digest, &size);
            return hex(digest, size);
        }();
        name = issuer.substr(0, 16) + ".crl";  // the next list of the same authority takes its place
    } else {
        std::vector<Certificate> certificates;
        if (!read_certificates(text, certificates) || certificates.size() != 1)
            return unfit("is not one certificate in PEM");
        X509 *certificate = certificates[0].get();
        const bool signs_code = (X509_get_extension_flags(certificate) & EXFLAG_XKUSAGE) != 0 &&
                                (X509_get_extended_key_usage(certificate) & XKU_CODE_SIGN) != 0;
        if (X509_check_ca(certificate) == 0 && !signs_code)
            return unfit("is neither an authority nor meant for signing code (extendedKeyUsage codeSigning)");
        name = fingerprint(certificate).substr(0, 16) + ".pem";
    }
    const Outcome<void> changed = change_store(options.store, name, [&text](const std::string &) { return text; });
    if (!changed) return changed.fault();
    Store store;
    if (const Outcome<void> loaded = store.load(options.store, {}); !loaded) return loaded.fault();
    return 0;
}

Outcome<int> revoke_file(const Options &options) {
    std::string text;
    if (int error = read_file(options.revoke.c_str(), kMaxModuleBytes, text)) return unreadable(options.revoke, error);
    std::string lines;
    if (ends_with(options.revoke, ".ko")) {
        lines = "module " + sha256(text) + "\n";
    } else {
        std::vector<Certificate> certificates;
        if (!read_certificates(text, certificates))
            return Fault{FaultTag::SignerUnusable,
                         format("'%s' is neither a module (.ko) nor certificates in PEM", options.revoke.c_str())};
        for (const Certificate &certificate : certificates)
            lines +=
                "certificate " + fingerprint(certificate.get()) + "\nkey " + key_fingerprint(certificate.get()) + "\n";
    }
    const Outcome<void> changed = change_store(options.store, "revoked", [&lines](const std::string &before) {
        return before + (before.empty() || before.ends_with('\n') ? "" : "\n") + lines;
    });
    if (!changed) return changed.fault();
    return 0;
}

Fault misuse(const std::string &text) {
    return {FaultTag::Misuse, text};
}

Outcome<void> take_option(int option, const std::string &word, Options &options) {
    switch (option) {
        case kKey:
            options.signer.key = word;
            return {};
        case kCertificate:
            options.signer.certificate = word;
            return {};
        case kPassphrase:
            options.signer.passphrase_file = options.kernel_signer.passphrase_file = word;
            return {};
        case kKernelKey:
            options.kernel_signer.key = word;
            return {};
        case kKernelCertificate:
            options.kernel_signer.certificate = word;
            return {};
        case kKernelDigest:
            options.kernel_digest = word;
            return {};
        case kFor:
            if (parse_audience(word, options.audience)) return {};
            return misuse(format("--for: '%s' is not one of stapusr, stapsys, stapdev", word.c_str()));
        case kDays:
            if (parse_long(word, options.days) && options.days > 0 && options.days <= kMaxDays) return {};
            return misuse(
                format("--days: '%s' is not a number from 1 to %lld", word.c_str(), static_cast<long long>(kMaxDays)));
        case kRequester:
            options.requester = word;
            return {};
        case kUses:
            options.uses = word;
            return {};
        case kStore:
            options.store = word;
            return word.substr(0, 1) == "/" ? Outcome<void>()
                                            : Outcome<void>(misuse("--store: the path has to begin with '/'"));
        case kTrust:
            options.trust = word;
            return {};
        case kRevoke:
            options.revoke = word;
            return {};
        case kVerify:
            options.verify = true;
            return {};
        case kList:
            options.list = true;
            return {};
        default:
            return misuse("unexpected option");
    }
}

Outcome<void> find_conflict(const Options &options) {
    const bool signs = !options.signer.key.empty() || !options.kernel_signer.key.empty();
    const int actions = signs + options.verify + options.list + !options.trust.empty() + !options.revoke.empty();
    if (actions > 1) return misuse("signing, --verify, --trust, --list and --revoke exclude each other");
    if (options.signer.key.empty() != options.signer.certificate.empty())
        return misuse("--key and --certificate need each other");
    if (options.kernel_signer.key.empty() != options.kernel_signer.certificate.empty())
        return misuse("--kernel-key and --kernel-certificate need each other");
    if (actions == 0)
        return misuse("nothing to do: no key to sign with, and none of --verify, --trust, --list, --revoke");
    const bool takes_modules = signs || options.verify;
    if (takes_modules && options.modules.empty()) return misuse("no module given");
    if (!takes_modules && !options.modules.empty())
        return misuse(format("unexpected argument '%s'", options.modules[0].c_str()));
    return {};
}

// Runs the action of the options. Returns the exit status.
Outcome<int> run(const Options &options) {
    if (options.verify) return verify_modules(options);
    if (options.list) return list_store(options);
    if (!options.trust.empty()) return trust_file(options);
    if (!options.revoke.empty()) return revoke_file(options);
    return sign_modules(options);
}

int fail(const Fault &fault) {
    fputs(said(screen_of(STDERR_FILENO, Coloring::Auto), Voice::Error, fault.message()).c_str(), stderr);
    return 1;
}

int act(int argc, char **argv) {
    Options options;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":hV", kLongOptions, nullptr)) != -1;) {
        if (option == 'h' || option == 'V') {
            print_output(option == 'h'
                             ? kUsage
                             : format("Tapir stap-sign version %s, module ABI %u\n", TAPIR_VERSION, TAPIR_ABI));
            return 0;
        }
        const char *word = argv[optind - 1];
        const Outcome<void> taken = option == '?'   ? misuse(format("unknown option %s", word))
                                    : option == ':' ? misuse(format("option %s needs an argument", word))
                                                    : take_option(option, optarg ? optarg : "", options);
        if (!taken) return fail(taken.fault());
    }
    for (int i = optind; i < argc; i++)
        options.modules.emplace_back(argv[i]);
    if (options.requester.empty()) options.requester = default_requester();
    if (const Outcome<void> checked = find_conflict(options); !checked) {
        const Screen screen = screen_of(STDERR_FILENO, Coloring::Auto);
        if (!screen.for_people) fputs(kUsage, stderr);
        fail(checked.fault());
        if (screen.for_people) fputs(said(screen, Voice::Help, "stap-sign --help, man stap-sign").c_str(), stderr);
        return 1;
    }
    const Outcome<int> status = run(options);
    return status ? *status : fail(status.fault());
}

}  // namespace

int main(int argc, char **argv) {
    const int status = act(argc, argv);
    const Outcome<void> printed = finish_output();
    return printed ? status : fail(printed.fault());
}
