// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/json.h"

#include "common/plain_text.h"
#include "common/quoting.h"

namespace tapir {

std::string json_string(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        const size_t length = printable_length(text);
        const char first = text[0];
        if (length == 0 || first == '\t')
            append(out, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(first)));
        else if (first == '"' || first == '\\')
            out.append({'\\', first});
        else
            out += text.substr(0, length);
        text.remove_prefix(length ? length : 1);
    }
    return out + '"';
}

}  // namespace tapir
