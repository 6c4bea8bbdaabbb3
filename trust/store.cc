// SPDX-License-Identifier: GPL-2.0-or-later
#include "store.h"

#include <dirent.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/files.h"
#include "common/regular_file.h"

namespace tapir::trust {

namespace {

constexpr size_t kMaxFile = 1 << 20;
constexpr size_t kMaxFiles = 1000;

bool ends_with(const std::string &text, const char *end) {
    const size_t size = strlen(end);
    return text.size() > size && text.compare(text.size() - size, size, end) == 0;
}

bool is_digest(const std::string &text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Fault damaged(const std::string &file, const std::string &why) {
    return {FaultTag::StoreDamaged, "the trust store's file '" + file + "' " + why};
}

// Refuses: no user is there to enter a passphrase.
int no_passphrase(char *, int, int, void *) {
    return 0;
}

// All objects of a kind, up to the end of the text and at least one.
template <auto read, typename Object>
bool read_all(const std::string &text, std::vector<Object> &out) {
    const size_t before = out.size();
    Bio bio = reader(text);
    while (auto *object = read(bio.get(), nullptr, no_passphrase, nullptr))
        out.emplace_back(object);
    const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    ERR_clear_error();
    return at_end && out.size() > before;
}

}  // namespace

bool read_certificates(const std::string &text, std::vector<Certificate> &out) {
    return read_all<PEM_read_bio_X509>(text, out);
}

bool read_revocation_lists(const std::string &text, std::vector<RevocationList> &out) {
    return read_all<PEM_read_bio_X509_CRL>(text, out);
}

Outcome<void> Store::take_certificates(const std::string &file, const std::string &text) {
    std::vector<Certificate> found;
    if (!read_certificates(text, found)) return damaged(file, "has no certificates in PEM, or a damaged one");
    for (Certificate &certificate : found) {
        if (X509_STORE_add_cert(anchors_.get(), certificate.get()) != 1)
            return damaged(file, "has a certificate that cannot be used: " + last_error());
        entries_.push_back({file, std::move(certificate)});
    }
    return {};
}

bool Store::issued_here(X509_CRL *list) const {
    return std::any_of(entries_.begin(), entries_.end(), [list](const Entry &entry) {
        X509 *issuer = entry.certificate.get();
        const bool named = X509_NAME_cmp(X509_CRL_get_issuer(list), X509_get_subject_name(issuer)) == 0;
        const bool verified = named && X509_CRL_verify(list, X509_get0_pubkey(issuer)) == 1;
        ERR_clear_error();
        return verified;
    });
}

Outcome<void> Store::take_lists(const std::string &file, const std::string &text) {
    std::vector<RevocationList> found;
    if (!read_revocation_lists(text, found)) return damaged(file, "has no revocation lists in PEM, or a damaged one");
    for (RevocationList &list : found) {
        if (!issued_here(list.get()))
            return damaged(file, "has a revocation list that no authority of the store has signed");
        lists_.push_back(std::move(list));
    }
    return {};
}

Outcome<void> Store::take_revoked(const std::string &file, const std::string &text) {
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        at = end + 1;
        if (line.empty() || line[0] == '#') continue;
        const size_t space = line.find(' ');
        const std::string kind = line.substr(0, space);
        const std::string digest = space == std::string::npos ? "" : line.substr(space + 1);
        std::set<std::string> *set = kind == "module"        ? &modules_
                                     : kind == "key"         ? &keys_
                                     : kind == "certificate" ? &certificates_
                                                             : nullptr;
        if (!set || !is_digest(digest))
            return damaged(file, "has a line that is none of 'certificate SHA256', 'key SHA256' and 'module SHA256'");
        set->insert(digest);
    }
    return {};
}

Outcome<void> Store::load_certificates(const std::string &file) {
    anchors_.reset(X509_STORE_new());
    const std::optional<std::string> text = read_file(file);
    if (!text) return Fault{FaultTag::StoreDamaged, file + ": " + file_error(errno)};
    Outcome<void> taken = take_certificates(file, *text);
    if (!taken) return Fault{FaultTag::StoreDamaged, file + " has no certificates in PEM, or a damaged one"};
    return taken;
}

Outcome<void> Store::load(const std::string &path, const Protection &protection) {
    anchors_.reset(X509_STORE_new());
    const auto unusable = [](const std::string &why) {
        return Fault{FaultTag::StoreUnsafe, "the trust store cannot be used: " + why};
    };
    const Outcome<int> fd = open_protected(path, Kind::Directory, protection);
    if (!fd && fd.fault().tag == FaultTag::PathMissing)
        return Fault{FaultTag::StoreMissing, "there is no trust store '" + path + "'",
                     "the administrator makes one with 'stap-sign --trust=CERTIFICATE'"};
    if (!fd) return unusable(fd.fault().text);
    std::vector<std::string> names;
    DIR *directory = fdopendir(*fd);
    if (!directory) {
        const int error = errno;
        close(*fd);
        return unusable(strerror(error));
    }
    errno = 0;  // which tells the end from an error
    while (const dirent *entry = readdir(directory))
        names.emplace_back(entry->d_name);
    const int incomplete = errno;
    closedir(directory);
    if (incomplete) return damaged(path, std::string("cannot be listed: ") + strerror(incomplete));
    std::sort(names.begin(), names.end());
    if (names.size() > kMaxFiles) return damaged(path, "has more than " + std::to_string(kMaxFiles) + " files");

    // Lists are checked against certificates, so these come first.
    for (const bool lists : {false, true}) {
        for (const std::string &name : names) {
            const bool is_list = ends_with(name, ".crl"), is_revoked = name == "revoked";
            if (name[0] == '.' || (!is_list && !is_revoked && !ends_with(name, ".pem")) || is_list != lists) continue;
            const std::string file = path + "/" + name;
            std::string text;
            const Outcome<int> content = open_protected(file, Kind::File, protection);
            if (!content) return unusable(content.fault().text);
            const int error = read_descriptor(*content, kMaxFile, text);
            close(*content);
            if (error) return damaged(file, std::string("cannot be read: ") + strerror(error));
            const Outcome<void> taken = is_list      ? take_lists(file, text)
                                        : is_revoked ? take_revoked(file, text)
                                                     : take_certificates(file, text);
            if (!taken) return taken;
        }
    }
    // If a revoked certificate is in the store, its key counts as revoked, too.
    for (const Entry &entry : entries_)
        if (certificates_.count(fingerprint(entry.certificate.get())) != 0)
            keys_.insert(key_fingerprint(entry.certificate.get()));
    if (entries_.empty())
        return Fault{FaultTag::StoreEmpty, "the trust store '" + path + "' has no certificate",
                     "the administrator adds one with 'stap-sign --trust=CERTIFICATE'"};
    return {};
}

}  // namespace tapir::trust
