// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/command_words.h"

#include <algorithm>
#include <array>

namespace tapir {

namespace {

constexpr std::string_view kBlank = " \t";
constexpr std::string_view kShellOnly = "|&;<>(){}$`*?[]~#!\n";

// POSIX.1-2024, Shell Command Language: the reserved words (2.4), the special built-in utilities (2.15), and the
// utilities that show or change the shell itself. Few systems have programs of these names.
constexpr std::array<std::string_view, 44> kShellWords = {
    ".",       ":",     "alias", "bg",   "break",  "case",  "cd",      "command",  "continue", "do",   "done",
    "elif",    "else",  "esac",  "eval", "exec",   "exit",  "export",  "fc",       "fg",       "fi",   "for",
    "getopts", "hash",  "if",    "in",   "jobs",   "local", "read",    "readonly", "return",   "set",  "shift",
    "then",    "times", "trap",  "type", "ulimit", "umask", "unalias", "unset",    "until",    "wait", "while"};

// "NAME=value cmd" sets a variable, which only a shell does.
bool is_assignment(const std::string &word) {
    size_t equals = word.find('=');
    return equals != std::string::npos && equals > 0 && word.find('/') > equals;
}

bool is_shell_word(std::string_view word) {
    return std::find(kShellWords.begin(), kShellWords.end(), word) != kShellWords.end();
}

}  // namespace

bool split_words(std::string_view command, std::vector<std::string> &words) {
    words.clear();
    std::string word;
    bool in_word = false;
    char quote = 0;
    for (size_t i = 0; i < command.size(); i++) {
        char c = command[i];
        if (quote == '\'') {
            if (c == '\'') {
                quote = 0;
            } else {
                word += c;
            }
        } else if (c == '\\' && i + 1 < command.size()) {
            char next = command[++i];
            // Within double quotes a backslash is only special before these.
            if (quote && next != '"' && next != '\\' && next != '$' && next != '`') word += c;
            word += next;
            in_word = true;
        } else if (quote) {
            if (c == '$' || c == '`') return false;
            if (c == quote) {
                quote = 0;
            } else {
                word += c;
            }
        } else if (c == '\'' || c == '"') {
            quote = c;
            in_word = true;
        } else if (kBlank.find(c) != std::string_view::npos) {
            if (in_word) words.push_back(word);
            word.clear();
            in_word = false;
        } else if (kShellOnly.find(c) != std::string_view::npos || c == '\\') {
            return false;
        } else {
            word += c;
            in_word = true;
        }
    }
    if (quote) return false;
    if (in_word) words.push_back(word);
    return !words.empty() && !is_assignment(words[0]) && !is_shell_word(words[0]);
}

}  // namespace tapir
