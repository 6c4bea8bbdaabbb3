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

constexpr size_t kStates = 9;  // columns of "missing" and what separates it

// `text` behind `before`, its lines below each other.
std::string in_column(const std::string &text, const std::string &before, size_t width, std::string_view gap) {
    std::string out;
    for (const std::string &line : wrapped(text, {width, before.size(), before.size(), LongWord::Shorten, gap}))
        out += (out.empty() ? before : std::string(before.size(), ' ')) + line + "\n";
    return out;
}

// `text` from `column` on, behind what has `used` columns, or below that.
std::string beside(const std::string &before, size_t used, const std::string &text, size_t column,
                   const Screen &screen) {
    std::string out = before;
    const bool fits = used + 2 <= column;
    out += fits ? std::string(column - used, ' ') : "\n" + std::string(column, ' ');
    bool first = true;
    for (const std::string &line : wrapped(text, {screen.width, column, column, LongWord::Shorten, screen.gap()})) {
        out += (first ? "" : std::string(column, ' ')) + line + "\n";
        first = false;
    }
    return out;
}

std::string head(const Verdict &verdict, const Screen &screen) {
    std::string out;
    for (const std::string &line : wrapped(verdict.text, {screen.width, 0, 2, LongWord::Shorten, screen.gap()}))
        out += (out.empty() ? "" : "  ") + screen.colors.paint(verdict.good ? "done" : "error", line) + "\n";
    size_t commands = 0;
    for (const auto &[command, use] : verdict.steps)
        commands = std::max(commands, command.size());
    for (const auto &[command, use] : verdict.steps)
        out += beside("  " + screen.colors.paint("answer", command), 2 + command.size(), use,
                      std::min(commands + 6, screen.width / 2), screen);
    return out;
}

std::string reason_of(const Finding &finding) {
    const size_t colon = finding.text.find(": ");
    return colon == std::string::npos ? "" : finding.text.substr(colon + 2);
}

// Returns the findings that are not well, essential ones first, possible improvements last. Probe kinds that lack the
// same make one row.
std::vector<Finding> rows_of(const std::vector<Group> &groups) {
    std::vector<Finding> rows;
    for (const Group &group : groups) {
        std::vector<Finding> left;
        for (const Finding &finding : group.findings)
            if (finding.state != State::Ok) left.push_back(finding);
        while (!left.empty()) {
            Finding row = left.front();
            const std::string reason = reason_of(row);
            const auto same = [&](const Finding &other) {
                return !row.essential && !other.essential && other.state == row.state && !reason.empty() &&
                       reason_of(other) == reason;
            };
            std::string names = row.subject;
            size_t count = 1;
            for (size_t i = 1; i < left.size(); ++i)
                if (same(left[i])) {
                    names += ", " + left[i].subject;
                    ++count;
                }
            if (count > 1) {
                std::erase_if(left, same);
                row.subject = std::to_string(count) + " kinds";
                row.text = reason + ": " + names;
            } else {
                left.erase(left.begin());
            }
            rows.push_back(std::move(row));
        }
    }
    const auto rank = [](const Finding &row) {
        if (row.state == State::Note) return 3;
        return !row.essential ? 2 : row.subject == "modules" ? 0 : 1;
    };
    std::stable_sort(rows.begin(), rows.end(), [&](const Finding &a, const Finding &b) { return rank(a) < rank(b); });
    return rows;
}

// As many of the names as have room, and where all are.
std::string some_of(const std::vector<std::string> &names, size_t room, const std::string &all) {
    std::string out;
    std::vector<std::string> seen;
    for (const std::string &name : names) {
        if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
        seen.push_back(name);
        if (out.size() + 2 + name.size() + 4 > room) {
            out += " ...";
            break;
        }
        out += (out.empty() ? "" : ", ") + name;
    }
    return all.empty() ? out : out + "\nall: " + all;
}

}  // namespace

std::string list_findings(const std::vector<Group> &groups, const Screen &screen) {
    constexpr size_t kColumn = 10, kUnbroken = SIZE_MAX;
    std::string out;
    for (const Group &group : lacking_first(groups)) {
        out += group.title + "\n";
        for (const Finding &finding : group.findings) {
            std::string line = "  ";
            line += word(finding.state);
            line.resize(kColumn, ' ');
            // Further lines, as of a compiler's messages, keep the column.
            const size_t width = screen.for_people ? screen.width : kUnbroken;
            out += in_column(finding.subject + ": " + finding.text, line, width, screen.gap());
        }
        out += "\n";
    }
    return out;
}

std::string summarize(const std::vector<Group> &groups, const Verdict &verdict, const Screen &screen) {
    const std::vector<Finding> rows = rows_of(groups);
    std::vector<std::string> well;
    for (const Group &group : groups)
        for (const Finding &finding : group.findings)
            if (finding.state == State::Ok) well.push_back(finding.subject);
    const std::string more = std::to_string(well.size()) + (rows.empty() ? "" : " more");
    size_t subjects = more.size();
    for (const Finding &row : rows)
        subjects = std::max(subjects, tapir::columns(row.subject));
    // On a narrow screen the text is below the subject.
    constexpr size_t kNarrow = 60;
    const size_t column = screen.width < kNarrow ? kStates : std::min(kStates + subjects + 2, screen.width / 2);
    const auto row = [&](const char *color, std::string_view state, const std::string &subject) {
        const std::string painted = screen.colors.paint(color, state);
        return painted + std::string(kStates - state.size(), ' ') + subject;
    };
    std::string out = head(verdict, screen) + "\n";
    for (const Finding &finding : rows) {
        const bool lacks = is_lacking(finding);
        const std::string state = finding.state == State::Note ? "notice" : word(finding.state);
        out += beside(row(lacks ? "error" : "warning", state, finding.subject),
                      kStates + tapir::columns(finding.subject), finding.text, column, screen);
    }
    if (!well.empty())
        out += beside(row("done", "ok", more), kStates + more.size(), some_of(well, screen.width - column, verdict.all),
                      column, screen);
    return out;
}

std::string render(const std::vector<Group> &groups, const Verdict &verdict, const Screen &screen) {
    return head(verdict, screen) + "\n" + list_findings(groups, screen);
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
