// SPDX-License-Identifier: GPL-2.0-or-later
// The words of the reference: kinds, first sentences, capitals.
#include <cctype>

#include "docs/catalogue.h"

namespace tapir::docs {

const char *kind_word(Kind kind) {
    switch (kind) {
        case Kind::Function:
            return "function";
        case Kind::Probe:
            return "probe";
        case Kind::Macro:
            return "macro";
        case Kind::Global:
            return "global";
    }
    return "";
}

std::string first_sentence(const std::string &text) {
    for (size_t at = text.find(". "); at != std::string::npos; at = text.find(". ", at + 1)) {
        // "e.g. this" is no end.
        if (at + 2 < text.size() && !std::islower(static_cast<unsigned char>(text[at + 2])))
            return text.substr(0, at + 1);
    }
    return text;
}

std::string capitalised(std::string text) {
    size_t word = 0;
    while (word < text.size() && std::islower(static_cast<unsigned char>(text[word])))
        ++word;
    const bool plain =
        word > 0 && (word == text.size() || std::string_view(" ,;:").find(text[word]) != std::string::npos);
    if (plain) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

}  // namespace tapir::docs
