// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/roff.h"

namespace tapir {

std::string roff(std::string_view text, bool literal) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool begins = i == 0 || text[i - 1] == '\n';
        if (begins && c == '.') out += "\\&";
        if (c == '\\')
            out += "\\e";
        else if (c == '-' && (literal || begins || text[i - 1] == ' ' || text[i - 1] == '-'))
            out += "\\-";
        else if (c == '\'')
            out += "\\(aq";
        else if (c == '`')
            out += "\\(ga";
        else if (c == '^')
            out += "\\(ha";
        else if (c == '~')
            out += "\\(ti";
        else if (c == '\t')
            out += "    ";
        else
            out += c;
    }
    return out;
}

}  // namespace tapir
