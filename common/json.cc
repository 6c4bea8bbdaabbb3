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

std::string bytes_of_latin1(std::string_view text) {
    std::string bytes;
    for (size_t i = 0; i < text.size(); ++i) {
        const auto first = static_cast<unsigned char>(text[i]);
        const bool is_pair = first >= 0xc0 && i + 1 < text.size();
        bytes += static_cast<char>(is_pair ? (first & 3) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3f) : first);
    }
    return bytes;
}

}  // namespace tapir
