// SPDX-License-Identifier: GPL-2.0-or-later
#include "tool/about.h"

#include <algorithm>
#include <cctype>

#include "base/roff.h"
#include "common/glyphs.h"
#include "common/json.h"
#include "common/quoting.h"
#include "tool/option_rows.h"

namespace tapir::tool {
namespace {

// "-m, --min=TIME"
std::string head_of(const Row &row) {
    std::string text = row.letter.empty() ? (row.name.starts_with('-') ? "    " : "") : row.letter + ", ";
    text += row.name;
    if (!row.metavar.empty()) text += row.may_lack ? "[=" + row.metavar + "]" : "=" + row.metavar;
    return text;
}

std::string title_line(const Head &head) {
    std::string text = head.name;
    if (!head.question.empty()) text += " - " + head.question;
    return text;
}

void add_row(std::string &out, const std::string &head, const std::string &help, size_t width) {
    constexpr size_t kHelpColumn = 26;
    std::string line = "  " + head;
    const size_t used = columns(line);
    if (used + 2 > kHelpColumn) {
        out += line + "\n";
        line.clear();
    }
    line.append(kHelpColumn - std::min(kHelpColumn, columns(line)), ' ');
    for (const std::string &text : wrapped(help, {.width = width, .begin = kHelpColumn, .hang = kHelpColumn})) {
        out += line + text + "\n";
        line.assign(kHelpColumn, ' ');
    }
}

const char *type_word(Type type) {
    switch (type) {
        case Type::Number:
            return "number";
        case Type::Text:
            return "text";
        case Type::Flag:
            return "flag";
        case Type::Duration:
            return "duration";
        case Type::Size:
            return "size";
        case Type::Percent:
            return "percent";
        case Type::Choice:
            return "choice";
        case Type::Pid:
            return "pid";
        case Type::Path:
            return "path";
        case Type::Regex:
            return "regex";
        case Type::Points:
            return "points";
    }
    return "";
}

std::string json_list(const std::vector<std::string> &texts) {
    std::string out = "[";
    for (const std::string &text : texts)
        out += (out.size() > 1 ? "," : "") + json_string(text);
    return out + "]";
}

const char *json_bool(bool value) {
    return value ? "true" : "false";
}

std::string describe_option(const Option &option) {
    std::string out = "{\"name\":" + json_string(option.long_name().substr(2)) +
                      ",\"global\":" + json_string(option.name) + ",\"type\":\"" + type_word(option.type) + "\"";
    if (option.letter) out += ",\"letter\":" + json_string(std::string(1, option.letter));
    if (!option.unit.empty()) out += ",\"unit\":" + json_string(option.unit);
    if (option.type == Type::Size) out += ",\"unit\":\"bytes\"";
    if (!option.choices.empty()) out += ",\"choices\":" + json_list(option.choices);
    if (option.least) out += ",\"least\":" + std::to_string(*option.least);
    if (option.most) out += ",\"most\":" + std::to_string(*option.most);
    const bool number = option.is_number() || (option.type == Type::Pid && !option.repeated);
    out += ",\"default\":" + (option.type == Type::Flag ? json_bool(option.initial == "1")
                              : number                  ? option.initial
                                                        : json_string(option.initial));
    if (!option.metavar.empty()) out += ",\"metavar\":" + json_string(option.metavar);
    out += std::string(",\"positional\":") + json_bool(option.positional) +
           ",\"repeated\":" + json_bool(option.repeated) + ",\"required\":" + json_bool(option.required) +
           ",\"rebuilds\":" + json_bool(option.rebuilds) + ",\"help\":" + json_string(option.help) + "}";
    return out;
}

// Each of the tables: its name, and what its columns are.
std::string describe_tables(const std::vector<Table> &tables) {
    std::string out = "[";
    for (const Table &table : tables) {
        out += (out.size() > 1 ? "," : "") + std::string("\n {\"name\":") + json_string(table.name) + ",\"columns\":[";
        for (const Table::Column &column : table.columns)
            out += (&column == &table.columns.front() ? "" : ",") + std::string("{\"name\":") +
                   json_string(column.name) + ",\"unit\":" + json_string(column.unit) +
                   ",\"subject\":" + json_string(column.subject) + "}";
        out += "]}";
    }
    return out + "]";
}

// An output is shown with a margin.
std::string indented(std::string_view text, std::string_view margin) {
    std::string out;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        if (end > 0) out.append(margin).append(text.substr(0, end));
        out += "\n";
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

}  // namespace

std::string help_text(const Head &head, size_t width) {
    std::string out;
    for (const std::string &line : wrapped(title_line(head), {.width = width, .hang = head.name.size() + 3}))
        out += (out.empty() ? "" : std::string(head.name.size() + 3, ' ')) + line + "\n";
    for (const std::string &paragraph : head.description) {
        out += "\n";
        for (const std::string &line : wrapped(paragraph, {.width = width}))
            out += line + "\n";
    }
    out += "\nUsage: " + synopsis(head) + "\n";
    for (const Section &section : sections(head)) {
        out += "\n" + section.title + ":\n";
        for (const Row &row : section.rows)
            add_row(out, head_of(row), row.help, width);
    }
    if (!head.examples.empty()) out += "\nExamples:\n";
    for (const std::string &example : head.examples)
        out += "  " + example + "\n";
    if (!head.output.empty()) out += "\nWhat it prints:\n" + indented(head.output, "  ");
    return out;
}

std::string man_text(const Head &head, std::string_view version) {
    std::string capitals = head.name;
    std::transform(capitals.begin(), capitals.end(), capitals.begin(), [](unsigned char c) { return std::toupper(c); });
    std::string out =
        ".TH \"" + roff(capitals, true) + "\" 1 \"\" \"Tapir " + roff(version) + "\" \"Tools of Tapir\"\n";
    out += ".SH NAME\n" + roff(head.name, true) + " \\- " + roff(head.question.empty() ? "a script" : head.question) +
           "\n";
    out += ".SH SYNOPSIS\n" + roff(synopsis(head), true) + "\n";
    if (!head.description.empty()) out += ".SH DESCRIPTION\n";
    for (const std::string &paragraph : head.description)
        out += (&paragraph == &head.description.front() ? "" : ".PP\n") + roff(paragraph) + "\n";
    out += ".SH OPTIONS\n";
    for (const Section &section : sections(head)) {
        out += ".SS \"" + roff(section.title) + "\"\n";
        for (const Row &row : section.rows) {
            out += ".TP\n";
            if (!row.letter.empty()) out += "\\fB" + roff(row.letter, true) + "\\fR, ";
            out += "\\fB" + roff(row.name, true) + "\\fR";
            if (!row.metavar.empty())
                out += std::string(row.may_lack ? "[" : "") + "=\\fI" + roff(row.metavar) + "\\fR" +
                       (row.may_lack ? "]" : "");
            out += "\n" + roff(row.help) + "\n";
        }
    }
    if (!head.examples.empty()) {
        out += ".SH EXAMPLES\n.nf\n";
        for (const std::string &example : head.examples)
            out += roff(example, true) + "\n";
        out += ".fi\n";
    }
    if (!head.output.empty()) {
        out += ".SH \"WHAT IT PRINTS\"\n.nf\n";
        std::string_view left = head.output;
        while (!left.empty()) {
            const size_t end = std::min(left.find('\n'), left.size());
            out += (end > 0 ? roff(left.substr(0, end), true) : ".sp") + "\n";
            left.remove_prefix(std::min(end + 1, left.size()));
        }
        out += ".fi\n";
    }
    return out + ".SH SEE ALSO\n.BR stap (1)\n";
}

std::string describe_text(const Head &head) {
    std::string out = "{\"v\":1,\"name\":" + json_string(head.name) + ",\"aliases\":" + json_list(head.aliases) +
                      ",\"group\":" + json_string(head.group) + ",\"question\":" + json_string(head.question) +
                      ",\"examples\":" + json_list(head.examples) + ",\"options\":[";
    bool first = true;
    for (const Option &option : head.options) {
        out += (first ? "\n " : ",\n ") + describe_option(option);
        first = false;
    }
    return out + "],\"description\":" + json_list(head.description) + ",\"tables\":" + describe_tables(head.tables) +
           "}\n";
}

}  // namespace tapir::tool
