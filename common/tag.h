// SPDX-License-Identifier: GPL-2.0-or-later
// Names for kinds of failures: one tag per kind of message, from one list per part of Tapir. The texts of messages may
// change, tags do not. Logs, programs and tests rely on them. Diagnostics of the translator's passes have tags of the
// same kind, in base/diagnostic_tags.def.
#pragma once

#include <cstdint>
#include <string_view>

namespace tapir {

enum class FaultTag : uint16_t {
#define TAPIR_TAG(name, ...) name,
#include "common/tags/build.def"
#include "common/tags/client.def"
#include "common/tags/common.def"
#include "common/tags/core.def"
#include "common/tags/remote.def"
#include "common/tags/report.def"
#include "common/tags/server.def"
#include "common/tags/staprun.def"
#include "common/tags/trust.def"
#include "common/tags/vm.def"
#undef TAPIR_TAG
};

// As logs and programs know them.
inline constexpr std::string_view kTagWords[] = {
#define TAPIR_TAG(name, word, ...) word,
#include "common/tags/build.def"
#include "common/tags/client.def"
#include "common/tags/common.def"
#include "common/tags/core.def"
#include "common/tags/remote.def"
#include "common/tags/report.def"
#include "common/tags/server.def"
#include "common/tags/staprun.def"
#include "common/tags/trust.def"
#include "common/tags/vm.def"
#undef TAPIR_TAG
};

// "signer-expired"
constexpr std::string_view tag_word(FaultTag tag) {
    return kTagWords[static_cast<size_t>(tag)];
}

}  // namespace tapir
