// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/command_text.h"

#include "common/quoting.h"

namespace tapir {

std::string shell_word(const std::string &word) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    return !word.empty() && word.find_first_not_of(plain) == std::string::npos ? word : shell_quoted(word);
}

std::string command_text(std::string_view program, const std::vector<std::string> &arguments) {
    std::string out(program.substr(program.rfind('/') + 1));
    for (const std::string &argument : arguments)
        out += " " + shell_word(argument);
    return out;
}

}  // namespace tapir
