// SPDX-License-Identifier: GPL-2.0-or-later
// Checks whether a module's signature file vouches for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/outcome.h"
#include "manifest.h"
#include "store.h"

namespace tapir::trust {

constexpr size_t kMaxSignature = 64 * 1024;

// The module that the manifest must describe.
struct Subject {
    std::string_view image;  // the whole file
    std::string name;
    std::string release;  // of the running kernel
    std::string build;    // the same; compared when the manifest has one
    std::string architecture;
    unsigned abi = 0;
};

struct Verdict {
    Outcome<void> outcome;    // good: the signature vouches for the module
    Manifest manifest;        // when the signature itself is good
    std::string signer;       // subject and fingerprint, as soon as they are known
    std::string fingerprint;  // of the signer's certificate
};

// `now` in seconds since 1970.
Verdict verify(std::string_view signature, const Subject &subject, const Store &store, int64_t now);

}  // namespace tapir::trust
