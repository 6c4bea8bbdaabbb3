// SPDX-License-Identifier: GPL-2.0-or-later
// Completion of a tool's options. bash: man bash, "Programmable Completion"; zsh: man zshcompsys, _arguments; fish: its
// command "complete".
#include <algorithm>

#include "common/quoting.h"
#include "tool/about.h"
#include "tool/completed.h"
#include "tool/driver_options.h"
#include "tool/option_rows.h"

namespace tapir::tool {

Values values_of(const Option &option) {
    switch (option.type) {
        case Type::Flag:
            return Values::None;
        case Type::Choice:
            return Values::Choices;
        case Type::Path:
            return Values::Files;
        case Type::Pid:
            return Values::Pids;
        default:
            return Values::Any;
    }
}

namespace {

std::vector<std::string> choices_of(const DriverOption &option) {
    if (option.name == "completion") return {"bash", "zsh", "fish"};
    if (option.name == "format") return {"text", "json", "csv"};
    return {};
}

Values values_of(const DriverOption &option) {
    if (option.metavar.empty()) return Values::None;
    if (!choices_of(option).empty()) return Values::Choices;
    if (option.name == "pid") return Values::Pids;
    return option.metavar == "PATH" || option.metavar == "FILE" ? Values::Files : Values::Any;
}

}  // namespace

std::vector<Completed> completed(const Head &head) {
    std::vector<Completed> all;
    for (const Option &option : head.options) {
        if (option.positional) continue;
        const std::string letter = option.letter ? std::string(1, option.letter) : "";
        const std::string name = option.long_name().substr(2);
        all.push_back({letter, name, values_of(option), false, option.choices, option.help});
        if (option.type == Type::Flag)
            all.push_back({"", "no-" + name, Values::None, false, {}, "not: " + option.help});
    }
    for (const DriverOption &option : driver_options())
        all.push_back({option.letter ? std::string(1, option.letter) : "", std::string(option.name), values_of(option),
                       option.metavar.starts_with('['), choices_of(option), std::string(option.help),
                       std::string(option.metavar)});
    return all;
}

namespace {

std::string joined(const std::vector<std::string> &words) {
    std::string text;
    for (const std::string &word : words)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

// A name for functions of shells.
std::string function_name(const Head &head) {
    std::string name = "_stap_tool_" + head.name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

// Both `stap-NAME` and NAME; a link may have either name.
std::vector<std::string> commands(const Head &head) {
    std::vector<std::string> names = {head.name, "stap-" + head.name};
    for (const std::string &alias : head.aliases)
        names.insert(names.end(), {alias, "stap-" + alias});
    return names;
}

std::string bash(const Head &head) {
    std::string words, cases;
    for (const Completed &option : completed(head)) {
        const std::string long_name = "--" + option.name;
        const bool value = option.values != Values::None && !option.may_lack;
        if (!option.letter.empty()) words += " -" + option.letter;
        words += " " + long_name + (value ? "=" : "");
        if (!value) continue;
        std::string action;
        if (option.values == Values::Files) action = "COMPREPLY=($(compgen -f -- \"$value\"))";
        if (option.values == Values::Pids)
            action = "COMPREPLY=($(compgen -W \"$(cd /proc && echo [0-9]*)\" -- \"$value\"))";
        if (option.values == Values::Choices)
            action = "COMPREPLY=($(compgen -W " + shell_quoted(joined(option.choices)) + " -- \"$value\"))";
        cases += "    " + (option.letter.empty() ? "" : "-" + option.letter + "|") + long_name + ") " +
                 (action.empty() ? "" : action + "; ") + "return ;;\n";
    }
    const std::string name = function_name(head);
    // Bash splits "--min=5" at the "=".
    return "# bash completion of " + head.name + "\n" + name +
           "() {\n"
           "    local value=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    COMPREPLY=()\n"
           "    [ \"$value\" != = ] || value=\n"
           "    [ \"$option\" != = ] || option=${COMP_WORDS[COMP_CWORD-2]}\n"
           "    case $option in\n" +
           cases +
           "    esac\n"
           "    COMPREPLY=($(compgen -W " +
           shell_quoted(words.substr(1)) +
           " -- \"$value\"))\n"
           "    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace\n"
           "}\ncomplete -F " +
           name + " " + joined(commands(head)) + "\n";
}

// Text inside [ ] and : : of _arguments.
std::string zsh_text(const std::string &text) {
    std::string out;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string zsh(const Head &head) {
    std::string out = "#compdef " + joined(commands(head)) + "\n_arguments -s";
    for (const Completed &option : completed(head)) {
        std::string tail = "[" + zsh_text(option.help) + "]";
        if (option.values != Values::None) {
            tail += std::string(option.may_lack ? "::" : ":") + "value:";
            if (option.values == Values::Files) tail += "_files";
            if (option.values == Values::Pids) tail += "_pids";
            if (option.values == Values::Choices) tail += "(" + joined(option.choices) + ")";
        }
        const std::string sign = option.values == Values::None ? "" : option.may_lack ? "=-" : "=";
        out += " \\\n    " + shell_quoted("--" + option.name + sign + tail);
        if (!option.letter.empty())
            out += " \\\n    " + shell_quoted("-" + option.letter + (sign.empty() ? "" : "+") + tail);
    }
    return out + " \\\n    '*:word:'\n";
}

std::string fish(const Head &head) {
    std::string out = "# fish completion of " + head.name + "\n";
    for (const std::string &command : commands(head))
        for (const Completed &option : completed(head)) {
            out +=
                "complete -c " + command + (option.letter.empty() ? "" : " -s " + option.letter) + " -l " + option.name;
            if (option.values == Values::Files)
                out += " -r -F";
            else if (option.values == Values::Pids)
                out += " -x -a '(__fish_complete_pids)'";
            else if (option.values == Values::Choices)
                out += " -x -a " + shell_quoted(joined(option.choices));
            else if (option.values == Values::Any && !option.may_lack)
                out += " -x";
            out += " -d " + shell_quoted(option.help) + "\n";
        }
    return out;
}

}  // namespace

std::string completion_text(const Head &head, std::string_view shell) {
    return shell == "bash" ? bash(head) : shell == "zsh" ? zsh(head) : fish(head);
}

}  // namespace tapir::tool
