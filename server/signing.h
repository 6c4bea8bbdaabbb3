// SPDX-License-Identifier: GPL-2.0-or-later
// Signatures for clients.
#pragma once

#include <cstdint>
#include <string>

#include "server/results.h"
#include "trust/sign.h"

namespace tapir::server {

// The manifest of a module. One that used guru mode is for developers, others are for `audience`.
trust::Manifest manifest_of(const Result &result, trust::Audience audience);

// Signs a manifest whose requester, times and id are still to be set. Each client gets a signature of its own, which
// says who asked for it. Else SigningFailed.
Outcome<std::string> sign_for(const std::string &requester, trust::Manifest manifest, const trust::Signer &signer,
                              int64_t days);

}  // namespace tapir::server
