// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/findings.h"

#include <algorithm>

#include "common/json.h"

namespace tapir::machine {

namespace {

const char *word(State state) {
    static const char *const kWords[] = {"ok", "note", "off", "missing"};
    return kWords[static_cast<size_t>(state)];
}

bool is_lacking(const Finding &finding) {
    return finding.state == State::Off || finding.state == State::Missing;
}

// Puts lacking findings first, and the groups that have them, so that they are easy to see.
std::vector<Group> lacking_first(std::vector<Group> groups) {
    for (Group &group : groups)
        std::stable_partition(group.findings.begin(), group.findings.end(), is_lacking);
    std::stable_partition(groups.begin(), groups.end(), [](const Group &group) {
        return std::any_of(group.findings.begin(), group.findings.end(), is_lacking);
    });
    return groups;
}

}  // namespace

std::string render(const std::vector<Group> &groups, const std::string &conclusion) {
    constexpr size_t kColumn = 10;
    std::string out;
    for (const Group &group : lacking_first(groups)) {
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
        out += "{\"title\": " + json_string(groups[i].title) + ", \"findings\": [";
        for (size_t j = 0; j < groups[i].findings.size(); ++j) {
            const Finding &finding = groups[i].findings[j];
            out += (j ? ",\n      " : "\n      ");
            out += "{\"state\": \"" + std::string(word(finding.state)) +
                   "\", \"subject\": " + json_string(finding.subject) +
                   ", \"essential\": " + (finding.essential ? "true" : "false") +
                   ", \"text\": " + json_string(finding.text) + "}";
        }
        out += "\n    ]}";
    }
    return out + "\n  ],\n  \"usable\": " + (failures(groups).empty() ? "true" : "false") +
           ",\n  \"conclusion\": " + json_string(conclusion) + "\n}\n";
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
