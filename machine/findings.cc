// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/findings.h"

namespace tapir::machine {

namespace {

const char *word(State state) {
    static const char *const kWords[] = {"ok", "note", "off", "missing"};
    return kWords[static_cast<size_t>(state)];
}

std::string json_text(const std::string &text) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += "\\u00";
            out += kDigits[c >> 4];
            out += kDigits[c & 15];
        } else {
            out += c;
        }
    }
    return out + '"';
}

}  // namespace

std::string render(const std::vector<Group> &groups, const std::string &conclusion) {
    constexpr size_t kColumn = 10;
    std::string out;
    for (const Group &group : groups) {
        out += group.title + "\n";
        for (const Finding &finding : group.findings) {
            std::string line = "  ";
            line += word(finding.state);
            line.resize(kColumn, ' ');
            line += finding.subject + ": ";
            // Further lines, as of a compiler's messages, keep the column.
            for (const char c : finding.text) {
                line += c;
                if (c == '\n') line.append(kColumn, ' ');
            }
            out += line + "\n";
        }
        out += "\n";
    }
    return out + conclusion + "\n";
}

std::string render_json(const std::vector<Group> &groups, const std::string &conclusion) {
    std::string out = "{\n  \"groups\": [";
    for (size_t i = 0; i < groups.size(); ++i) {
        out += (i ? ",\n    " : "\n    ");
        out += "{\"title\": " + json_text(groups[i].title) + ", \"findings\": [";
        for (size_t j = 0; j < groups[i].findings.size(); ++j) {
            const Finding &finding = groups[i].findings[j];
            out += (j ? ",\n      " : "\n      ");
            out += "{\"state\": \"" + std::string(word(finding.state)) +
                   "\", \"subject\": " + json_text(finding.subject) +
                   ", \"essential\": " + (finding.essential ? "true" : "false") +
                   ", \"text\": " + json_text(finding.text) + "}";
        }
        out += "\n    ]}";
    }
    return out + "\n  ],\n  \"usable\": " + (failures(groups).empty() ? "true" : "false") +
           ",\n  \"conclusion\": " + json_text(conclusion) + "\n}\n";
}

std::string failures(const std::vector<Group> &groups) {
    std::string names;
    for (const Group &group : groups)
        for (const Finding &finding : group.findings)
            if (finding.essential && (finding.state == State::Off || finding.state == State::Missing))
                names += (names.empty() ? "" : ", ") + finding.subject;
    return names;
}

}  // namespace tapir::machine
