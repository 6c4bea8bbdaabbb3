// SPDX-License-Identifier: GPL-2.0-or-later
#include "types/type_advice.h"

#include <algorithm>
#include <cctype>

namespace tapir::types {

using ast::Type;

namespace {

// Returns "$name->member[0]" as written in the script; "" for other expressions.
std::string written_target(const SourceRef &at) {
    if (!at.file || !at.text.starts_with('$') || at.text.starts_with("$$")) return {};
    std::string_view line = at.file->line(at.line);
    if (at.column == 0 || at.column > line.size() || line[at.column - 1] != '$') return {};
    line.remove_prefix(at.column - 1);
    const auto word = [&](size_t from) {
        const auto is_part = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
        return static_cast<size_t>(
            std::find_if_not(line.begin() + static_cast<std::ptrdiff_t>(from), line.end(), is_part) - line.begin());
    };
    size_t end = word(1);
    while (true) {
        if (line.substr(end).starts_with("->") && word(end + 2) > end + 2)
            end = word(end + 2);
        else if (line.substr(end).starts_with("[") && word(end + 1) > end + 1 &&
                 line.substr(word(end + 1)).starts_with("]"))
            end = word(end + 1) + 1;
        else
            return std::string(line.substr(0, end));
    }
}

// Advice for text that is known only by its address.
std::string target_advice(const ast::Expr &e) {
    const std::string target = written_target(e.at);
    if (target.empty()) return {};
    const std::string type = e.target_type ? e.target_type->name : "";
    const bool pointer = type.ends_with("*");
    if (pointer && type.find("char") == std::string::npos && type.find("void") == std::string::npos)
        return target + " is the address of a " + type.substr(0, type.find_last_not_of(" *") + 1) + ": " + target +
               "$ is text of its members, " + target + "->MEMBER one of them";
    const bool of_program = e.target_type && e.target_type->module.find('/') != std::string::npos;
    if (of_program) return target + " is an address or a number: user_string(" + target + ") is the text there";
    return target + " is an address or a number: user_string(" + target +
           ") is the text there if a program has it, kernel_string(" + target + ") if the kernel has it";
}

}  // namespace

std::string conversion_advice(const ast::Expr &e, Type has, Type wanted, const char *otherwise) {
    if (wanted == Type::String && has == Type::Long && otherwise != kMemberAdvice) {
        const std::string advice = target_advice(e);
        if (!advice.empty()) return advice;
    }
    if (otherwise) return otherwise;
    if (wanted == Type::Long && has == Type::String) return "strtol(s, 10) makes a number of a string";
    if (wanted == Type::String && has == Type::Long) return "sprint(n) makes a string of a number";
    if (wanted == Type::Stat)
        return "a variable gets values with = or samples with <<<, never both; @count and the like read samples";
    return "";
}

}  // namespace tapir::types
