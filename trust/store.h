// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The trust store: a directory of
 *     *.pem    certificates of signers, or of authorities whose signers are trusted
 *     *.crl    revocation lists of these authorities, PEM
 *     revoked  lines "certificate SHA256", "key SHA256" and "module SHA256"
 * It is used as a whole or not at all: a file that cannot be read could be the one that revokes.
 */
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/outcome.h"
#include "openssl.h"
#include "protected_path.h"

namespace tapir::trust {

inline constexpr char kStorePath[] = "/etc/tapir/trust";

class Store {
  public:
    struct Entry {
        std::string file;
        Certificate certificate;
    };

    // On a fault it has the part that was read before, to be looked at, not to be trusted.
    Outcome<void> load(const std::string &path, const Protection &protection);
    // Takes one file of certificates, which any user may own: for decisions of a user's own, which concern no module.
    // Else StoreDamaged.
    Outcome<void> load_certificates(const std::string &file);

    X509_STORE *anchors() const { return anchors_.get(); }
    const std::vector<Entry> &entries() const { return entries_; }
    const std::vector<RevocationList> &revocation_lists() const { return lists_; }
    // True if the certificate or its key is revoked. A certificate's digest covers its signature, and the same content
    // can have another one (ECDSA takes s and n - s). So the owner of a revoked certificate can make another with
    // another digest, but only with the same key.
    bool revokes_certificate(const X509 *certificate) const {
        return certificates_.count(fingerprint(certificate)) != 0 || keys_.count(key_fingerprint(certificate)) != 0;
    }
    bool revokes_module(const std::string &sha256) const { return modules_.count(sha256) != 0; }

  private:
    Outcome<void> take_certificates(const std::string &file, const std::string &text);
    Outcome<void> take_lists(const std::string &file, const std::string &text);
    Outcome<void> take_revoked(const std::string &file, const std::string &text);
    bool issued_here(X509_CRL *list) const;

    CertificateStore anchors_;
    std::vector<Entry> entries_;
    std::vector<RevocationList> lists_;
    std::set<std::string> certificates_, keys_, modules_;
};

// Certificates of PEM text; false: it has something else, or none.
bool read_certificates(const std::string &text, std::vector<Certificate> &out);

// The same with revocation lists.
bool read_revocation_lists(const std::string &text, std::vector<RevocationList> &out);

}  // namespace tapir::trust
