// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/audit_field.h"

#include "common/plain_text.h"

namespace tapir {
namespace {

constexpr size_t kMaxField = 256;

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char c : text.substr(0, kMaxField)) {
        if (c < ' ' || c > '~' || c == '"' || c == '\\') {
            append(out, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
            out += c;
        }
    }
    return out + "\"";
}

}  // namespace

void add_audit_field(std::string &line, const char *name, std::string_view value) {
    if (!value.empty()) line += std::string(" ") + name + "=" + quoted(value);
}

}  // namespace tapir
