// SPDX-License-Identifier: GPL-2.0-or-later
// What is wrong with a signature, its signer or the trust store.
#pragma once

#include <cstdint>
#include <string>

namespace tapir::trust {

enum class Fault : uint8_t {
#define FAULT(name, tag) name,
#include "finding.def"
#undef FAULT
};

// Stable, for logs and programs: "signer-expired".
const char *tag(Fault fault);

struct Finding {
    Fault fault = Fault::None;
    std::string text;  // for people; "" when there is no fault

    bool good() const { return fault == Fault::None; }
};

}  // namespace tapir::trust
