// SPDX-License-Identifier: GPL-2.0-or-later
// Who a client is, and what it may do. docs/server.md has the formats of the files.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/build_request.h"
#include "trust/openssl.h"

namespace tapir::server {

struct Identity {
    enum class Kind : uint8_t { Nobody, Certificate, Token };
    Kind kind = Kind::Nobody;
    std::string name;         // subject of the certificate, or name of the token
    std::string fingerprint;  // of the certificate

    // For logs: "token:ci", "certificate:CN=anna", "nobody".
    std::string text() const;
};

struct Rights {
    bool compile = false;
    bool guru = false;     // -g, and tapsets of the client's own, which may hold embedded C
    bool admin = false;    // kernels
    bool replace = false;  // and put others in the place of those that are there
    bool all_sets = false;
    std::set<std::string> sets;  // directories of tapsets

    bool any() const { return compile || guru || admin; }
};

// Bearer tokens, of which only SHA-256 hashes are kept.
class Tokens {
  public:
    // Lines "NAME SHA256 [NOT-AFTER]", the last in seconds since 1970; '#' begins a comment. Else
    // BadConfiguration.
    Outcome<void> parse(std::string_view text);
    // Takes as long for any wrong token. "" when nobody has it, or no more at `now`.
    std::string name_of(std::string_view token, int64_t now) const;

  private:
    struct Entry {
        std::string name, hash;
        int64_t not_after;
    };
    std::vector<Entry> entries_;
};

class Policy {
  public:
    // Else BadConfiguration. A policy that was refused gives nobody any rights.
    Outcome<void> parse(std::string_view text);
    // The union of the rights of all its roles.
    Rights rights_of(const Identity &client) const;

  private:
    std::map<std::string, Rights> roles_;
    std::map<std::string, std::vector<std::string>> certificates_, fingerprints_, tokens_;  // -> roles
};

// What clients' certificates are checked against.
class Authorities {
  public:
    // PEM texts; without revocation lists nothing is known to be revoked. Else BadConfiguration.
    Outcome<void> load(const std::string &certificates, const std::string &lists);
    // Whether a certificate that a client has proven to own is good at `now` (0: the clock). Else Unauthenticated.
    Outcome<void> check(X509 *certificate, STACK_OF(X509) * chain, int64_t now = 0) const;
    bool loaded() const { return store_ != nullptr; }

  private:
    trust::CertificateStore store_;
};

}  // namespace tapir::server
