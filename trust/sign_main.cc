// SPDX-License-Identifier: GPL-2.0-or-later
// stap-sign: signs modules, and keeps the trust store of a machine.
#include <fcntl.h>
#include <getopt.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <tapir/wire.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/module_file.h"
#include "common/plain_text.h"
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

int fail(const std::string &text) {
    fprintf(stderr, "ERROR: %s\n", text.c_str());
    return 1;
}

std::string read_module(const std::string &path, std::string &image, ModuleFile &file) {
    if (int error = read_file(path.c_str(), kMaxModuleBytes, image))
        return format("Couldn't read module '%s': %s", path.c_str(), strerror(error));
    const std::string why = file.parse(image);
    return why.empty() ? why : format("'%s': %s", path.c_str(), why.c_str());
}

// Appears whole or not at all.
std::string replace_file(const std::string &path, const std::string &content, mode_t mode) {
    std::string temporary = path + ".XXXXXX";
    const int fd = mkostemp(temporary.data(), O_CLOEXEC);
    const auto failed = [&path](const char *what) {
        return format("Couldn't write '%s': %s: %s", path.c_str(), what, strerror(errno));
    };
    if (fd < 0) return failed("temporary file");
    std::string why;
    size_t done = 0;
    while (done < content.size() && why.empty()) {
        const ssize_t wrote = write(fd, content.data() + done, content.size() - done);
        if (wrote > 0) {
            done += static_cast<size_t>(wrote);
        } else if (wrote == 0 || errno != EINTR) {
            why = failed("write");
        }
    }
    if (why.empty() && (fchmod(fd, mode) != 0 || fsync(fd) != 0)) why = failed("write");
    close(fd);
    if (why.empty() && rename(temporary.c_str(), path.c_str()) != 0) why = failed("rename");
    if (!why.empty()) unlink(temporary.c_str());
    return why;
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

std::string sign_module(const std::string &path, const Options &options, const Signer *own, const Signer *kernel) {
    std::string image;
    ModuleFile file;
    std::string why = read_module(path, image, file);
    if (!why.empty()) return why;
    if (kernel) {
        std::string signed_image;
        why = sign_for_kernel(image, *kernel, options.kernel_digest, signed_image);
        if (!why.empty()) return format("'%s': %s", path.c_str(), why.c_str());
        struct stat info = {};
        if (stat(path.c_str(), &info) != 0)
            return format("Couldn't read module '%s': %s", path.c_str(), strerror(errno));
        why = replace_file(path, signed_image, info.st_mode & 07777);
        if (!why.empty()) return why;
        image = signed_image;
    }
    if (!own) return {};
    const int64_t now = time(nullptr);
    Manifest manifest;
    manifest.sha256 = sha256(image);
    manifest.name = file.name();
    manifest.release = file.release();
    manifest.build = file.kernel_build();
    manifest.architecture = this_architecture();
    manifest.abi = TAPIR_ABI;
    manifest.audience = options.audience;
    manifest.uses = options.uses;
    manifest.requester = options.requester;
    manifest.not_before = now - 300;  // clocks differ
    manifest.not_after = now + options.days * kDay;
    manifest.id = random_id();
    std::string signature;
    why = sign(manifest, *own, signature);
    return why.empty() ? replace_file(path + ".sig", signature, 0644) : why;
}

int sign_modules(const Options &options) {
    Signer own, kernel;
    const bool for_staprun = !options.signer.key.empty(), for_kernel = !options.kernel_signer.key.empty();
    std::string why = for_staprun ? load_signer(options.signer, own) : "";
    if (why.empty() && for_kernel) why = load_signer(options.kernel_signer, kernel);
    if (!why.empty()) return fail(why);
    for (const std::string &path : options.modules) {
        why = sign_module(path, options, for_staprun ? &own : nullptr, for_kernel ? &kernel : nullptr);
        if (!why.empty()) return fail(why);
    }
    return 0;
}

int verify_modules(const Options &options) {
    Store store;
    const Finding finding = store.load(options.store, {});
    if (!finding.good()) return fail(finding.text);
    utsname kernel = {};
    uname(&kernel);
    int status = 0;
    for (const std::string &path : options.modules) {
        std::string image, signature;
        ModuleFile file;
        const std::string why = read_module(path, image, file);
        if (!why.empty()) return fail(why);
        if (int error = read_file((path + ".sig").c_str(), kMaxSignature, signature))
            return fail(format("Couldn't read '%s.sig': %s", path.c_str(), strerror(error)));
        const Verdict verdict =
            verify(signature, {image, file.name(), kernel.release, kernel.version, kernel.machine, TAPIR_ABI}, store,
                   time(nullptr));
        const Manifest &manifest = verdict.manifest;
        if (!verdict.finding.good()) {
            printf("%s: %s: %s\n", path.c_str(), tag(verdict.finding.fault), verdict.finding.text.c_str());
            status = 1;
            continue;
        }
        printf("%s: ok: signed by '%s' for %s until %s, for members of %s, asked for by '%s'\n", path.c_str(),
               verdict.signer.c_str(), manifest.release.c_str(), print_time(manifest.not_after).c_str(),
               group_of(manifest.audience), manifest.requester.c_str());
    }
    return status;
}

std::string time_of(const ASN1_TIME *time) {
    tm fields = {};
    return time && ASN1_TIME_to_tm(time, &fields) == 1 ? print_time(timegm(&fields)) : "?";
}

int list_store(const Options &options) {
    Store store;
    const Finding finding = store.load(options.store, {});
    for (const Store::Entry &entry : store.entries()) {
        const std::string digest = fingerprint(entry.certificate.get());
        printf("%s  %s  until %s%s  %s\n", digest.c_str(), subject(entry.certificate.get()).c_str(),
               time_of(X509_get0_notAfter(entry.certificate.get())).c_str(),
               store.revokes_certificate(entry.certificate.get()) ? "  REVOKED" : "", entry.file.c_str());
    }
    return finding.good() ? 0 : fail(finding.text);
}

bool ends_with(const std::string &text, const char *end) {
    return text.size() > strlen(end) && text.compare(text.size() - strlen(end), std::string::npos, end) == 0;
}

// Each component that is missing, for everybody to read.
std::string make_store(const std::string &path) {
    for (size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
        const std::string part = path.substr(0, at);
        if (mkdir(part.c_str(), 0755) != 0 && errno != EEXIST)
            return format("Couldn't make '%s': %s", part.c_str(), strerror(errno));
        if (at == std::string::npos) return {};
    }
}

int trust_file(const Options &options) {
    std::string text;
    if (int error = read_file(options.trust.c_str(), 1 << 20, text))
        return fail(format("Couldn't read '%s': %s", options.trust.c_str(), strerror(error)));
    std::string name;
    if (ends_with(options.trust, ".crl")) {
        std::vector<RevocationList> lists;
        if (!read_revocation_lists(text, lists) || lists.size() != 1)
            return fail(format("'%s' is not one revocation list in PEM", options.trust.c_str()));
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
            return fail(format("'%s' is not one certificate in PEM", options.trust.c_str()));
        X509 *certificate = certificates[0].get();
        const bool signs_code = (X509_get_extension_flags(certificate) & EXFLAG_XKUSAGE) != 0 &&
                                (X509_get_extended_key_usage(certificate) & XKU_CODE_SIGN) != 0;
        if (X509_check_ca(certificate) == 0 && !signs_code)
            return fail(format("'%s' is neither an authority nor meant for signing code (extendedKeyUsage codeSigning)",
                               options.trust.c_str()));
        name = fingerprint(certificate).substr(0, 16) + ".pem";
    }
    std::string why = make_store(options.store);
    if (why.empty()) why = replace_file(options.store + "/" + name, text, 0644);
    if (!why.empty()) return fail(why);
    Store store;
    const Finding finding = store.load(options.store, {});
    return finding.good() ? 0 : fail(finding.text);
}

int revoke_file(const Options &options) {
    std::string text;
    if (int error = read_file(options.revoke.c_str(), kMaxModuleBytes, text))
        return fail(format("Couldn't read '%s': %s", options.revoke.c_str(), strerror(error)));
    std::string lines;
    if (ends_with(options.revoke, ".ko")) {
        lines = "module " + sha256(text) + "\n";
    } else {
        std::vector<Certificate> certificates;
        if (!read_certificates(text, certificates))
            return fail(format("'%s' is neither a module (.ko) nor certificates in PEM", options.revoke.c_str()));
        for (const Certificate &certificate : certificates)
            lines +=
                "certificate " + fingerprint(certificate.get()) + "\nkey " + key_fingerprint(certificate.get()) + "\n";
    }
    std::string why = make_store(options.store);
    if (!why.empty()) return fail(why);
    const std::string path = options.store + "/revoked";
    std::string before;
    const int error = read_file(path.c_str(), 1 << 20, before);
    if (error && error != ENOENT) return fail(format("Couldn't read '%s': %s", path.c_str(), strerror(error)));
    why = replace_file(path, before + lines, 0644);
    return why.empty() ? 0 : fail(why);
}

std::string take_option(int option, const std::string &word, Options &options) {
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
            return format("--for: '%s' is not one of stapusr, stapsys, stapdev", word.c_str());
        case kDays:
            if (parse_long(word, options.days) && options.days > 0 && options.days <= kMaxDays) return {};
            return format("--days: '%s' is not a number from 1 to %lld", word.c_str(),
                          static_cast<long long>(kMaxDays));
        case kRequester:
            options.requester = word;
            return {};
        case kUses:
            options.uses = word;
            return {};
        case kStore:
            options.store = word;
            return word.substr(0, 1) == "/" ? "" : "--store: the path has to begin with '/'";
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
            return "unexpected option";
    }
}

std::string find_conflict(const Options &options) {
    const bool signs = !options.signer.key.empty() || !options.kernel_signer.key.empty();
    const int actions = signs + options.verify + options.list + !options.trust.empty() + !options.revoke.empty();
    if (actions > 1) return "signing, --verify, --trust, --list and --revoke exclude each other";
    if (options.signer.key.empty() != options.signer.certificate.empty())
        return "--key and --certificate need each other";
    if (options.kernel_signer.key.empty() != options.kernel_signer.certificate.empty())
        return "--kernel-key and --kernel-certificate need each other";
    if (actions == 0) return "nothing to do: no key to sign with, and none of --verify, --trust, --list, --revoke";
    const bool takes_modules = signs || options.verify;
    if (takes_modules && options.modules.empty()) return "no module given";
    if (!takes_modules && !options.modules.empty())
        return format("unexpected argument '%s'", options.modules[0].c_str());
    return {};
}

}  // namespace

int main(int argc, char **argv) {
    Options options;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":hV", kLongOptions, nullptr)) != -1;) {
        if (option == 'h') return fputs(kUsage, stdout) < 0;
        if (option == 'V') return printf("Tapir stap-sign version %s, module ABI %u\n", TAPIR_VERSION, TAPIR_ABI) < 0;
        const char *word = argv[optind - 1];
        const std::string why = option == '?'   ? format("unknown option %s", word)
                                : option == ':' ? format("option %s needs an argument", word)
                                                : take_option(option, optarg ? optarg : "", options);
        if (!why.empty()) return fail(why);
    }
    for (int i = optind; i < argc; i++)
        options.modules.emplace_back(argv[i]);
    if (options.requester.empty()) options.requester = default_requester();
    const std::string why = find_conflict(options);
    if (!why.empty()) {
        fputs(kUsage, stderr);
        return fail(why);
    }
    if (options.verify) return verify_modules(options);
    if (options.list) return list_store(options);
    if (!options.trust.empty()) return trust_file(options);
    if (!options.revoke.empty()) return revoke_file(options);
    return sign_modules(options);
}
