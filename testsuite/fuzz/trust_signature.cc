// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as a signature and as a manifest: both are taken apart within bounds, nothing is believed that nobody
// signed, and a manifest that is accepted is exactly what would be written for it.
#include <cstdlib>
#include <string>

#include "trust/verify.h"

using namespace tapir::trust;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const std::string_view input(reinterpret_cast<const char *>(data), size);
    Manifest manifest;
    if (parse(input, manifest).good() && print(manifest) != input) abort();
    static const Store *nobody = [] {
        auto *store = new Store;
        store->load("/nonexistent", {});
        return store;
    }();
    const Verdict verdict = verify(input, {"image", "name", "release", "build", "machine", 1}, *nobody, 1800000000);
    if (verdict.finding.good() || verdict.finding.text.empty()) abort();
    return 0;
}
