// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/signing.h"

#include <tapir/wire.h>

#include <ctime>

namespace tapir::server {

trust::Manifest manifest_of(const Result &result, trust::Audience audience) {
    trust::Manifest manifest;
    manifest.sha256 = result.sha256;
    manifest.name = result.name;
    manifest.release = result.release;
    manifest.build = result.build;
    manifest.architecture = result.architecture;
    manifest.abi = TAPIR_ABI;
    manifest.audience = result.guru ? trust::Audience::Developers : audience;
    manifest.uses = result.guru ? "guru" : "";
    return manifest;
}

Outcome<std::string> sign_for(const std::string &requester, trust::Manifest manifest, const trust::Signer &signer,
                              int64_t days) {
    constexpr int64_t kDay = 86400;
    const int64_t now = time(nullptr);
    manifest.requester = trust::printable(requester);
    manifest.not_before = now - 300;  // clocks differ
    manifest.not_after = now + days * kDay;
    manifest.id = trust::random_id();
    return trust::sign(manifest, signer);
}

}  // namespace tapir::server
