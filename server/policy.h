// SPDX-License-Identifier: GPL-2.0-or-later
// Clients' identities and rights. docs/server.md has the formats of the files.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/build_request.h"
#include "trust/openssl.h"
#include "trust/tokens.h"

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
    bool debug = false;    // debug files and programs by build-id
    bool all_sets = false;
    std::set<std::string> sets;  // directories of tapsets

    bool any() const { return compile || guru || admin || debug; }
};

class Policy {
  public:
    // Else BadConfiguration. A refused policy grants no rights.
    Outcome<void> parse(std::string_view text);
    // The union of the rights of all its roles.
    Rights rights_of(const Identity &client) const;

  private:
    std::map<std::string, Rights> roles_;
    std::map<std::string, std::vector<std::string>> certificates_, fingerprints_, tokens_;  // -> roles
};

// The authorities that clients' certificates are checked against.
class Authorities {
  public:
    // PEM texts; without revocation lists nothing is known to be revoked. Else BadConfiguration.
    Outcome<void> load(const std::string &certificates, const std::string &lists);
    // Checks that a certificate, whose key the client has proven to own, is good at `now` (0: the clock). Else
    // Unauthenticated.
    Outcome<void> check(X509 *certificate, STACK_OF(X509) * chain, int64_t now = 0) const;
    bool loaded() const { return store_ != nullptr; }

  private:
    trust::CertificateStore store_;
};

}  // namespace tapir::server
