// SPDX-License-Identifier: GPL-2.0-or-later
#include "syscalls/metadata.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>

#include "arch/arch.h"
#include "base/kernel_tree.h"
#include "common/files.h"
#include "common/quoting.h"

namespace tapir::syscalls {

namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::optional<uint32_t> number_in(std::string_view text) {
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

// Calls `each` with every line, without its end.
template <typename Each>
void lines(std::string_view text, Each each) {
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        each(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

// Without comments and lines of the preprocessor.
std::string plain_text(std::string_view text) {
    std::string out;
    bool line_start = true;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text.substr(i, 2) == "/*") {
            i = std::min(text.find("*/", i + 2), text.size() - 2) + 1;
            out += ' ';
        } else if (text.substr(i, 2) == "//" || (line_start && text[i] == '#')) {
            while (i + 1 < text.size() && (text[i + 1] != '\n' || text[i] == '\\'))
                ++i;
        } else {
            out += text[i];
            if (text[i] == '\n' || !std::isspace(static_cast<unsigned char>(text[i]))) line_start = text[i] == '\n';
        }
    }
    return out;
}

// One blank where there are some, none before "*".
std::string type_text(std::string_view text) {
    std::string out;
    for (char c : trim(text)) {
        if (std::isspace(static_cast<unsigned char>(c))) c = ' ';
        if (c == ' ' && (out.empty() || out.back() == ' ' || out.back() == '*')) continue;
        out += c;
    }
    return out;
}

// Does the last word belong to the type, because the parameter has no name?
bool is_type_word(std::string_view before, std::string_view last) {
    static const std::set<std::string_view> words = {"int",    "long",  "short",  "char", "unsigned",
                                                     "signed", "const", "__user", "void", "restrict"};
    const std::string_view rest = trim(before);
    return rest.empty() || words.count(last) || rest == "struct" || rest == "union" || rest == "enum" ||
           rest == "const struct" || rest == "const";
}

Parameter parameter(std::string_view text) {
    text = trim(text);
    size_t start = text.size();
    while (start > 0 && is_word(text[start - 1]))
        --start;
    const std::string_view last = text.substr(start), before = text.substr(0, start);
    if (last.empty() || is_type_word(before, last)) return {type_text(text), ""};
    return {type_text(before), std::string(last)};
}

std::vector<Parameter> parameters(std::string_view text) {
    std::vector<Parameter> list;
    if (trim(text).empty() || trim(text) == "void") return list;
    int depth = 0;
    size_t start = 0;
    for (size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && text[i] == '(') ++depth;
        if (i < text.size() && text[i] == ')') --depth;
        if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
        list.push_back(parameter(text.substr(start, i - start)));
        start = i + 1;
    }
    return list;
}

}  // namespace

std::map<uint32_t, std::string> read_numbers(std::string_view header) {
    constexpr std::string_view kDefine = "#define __NR_";
    std::map<uint32_t, std::string> names;
    lines(header, [&](std::string_view line) {
        if (!line.starts_with(kDefine)) return;
        line.remove_prefix(kDefine.size());
        const size_t end = line.find_first_of(" \t");
        if (end == std::string_view::npos) return;
        if (const auto number = number_in(trim(line.substr(end)))) names[*number] = line.substr(0, end);
    });
    return names;
}

std::map<uint32_t, std::string> read_entries(std::string_view header, bool narrow) {
    std::map<uint32_t, std::string> entries;
    lines(header, [&](std::string_view line) {
        line = trim(line);
        const size_t open = line.find('('), close = line.rfind(')');
        if (!line.starts_with("__SYSCALL") || open == std::string_view::npos || close == std::string_view::npos) return;
        if (line.substr(0, open).find("X32") != std::string_view::npos) return;
        std::vector<std::string_view> fields;
        for (std::string_view rest = line.substr(open + 1, close - open - 1);;) {
            const size_t comma = rest.find(',');
            fields.push_back(trim(rest.substr(0, comma)));
            if (comma == std::string_view::npos) break;
            rest.remove_prefix(comma + 1);
        }
        if (fields.size() < 2) return;
        const auto number = number_in(fields[0]);
        std::string_view entry = narrow ? fields.back() : fields[1];
        if (entry.empty()) entry = fields[1];
        for (const arch::Arch *arch : arch::all())
            for (std::string_view prefix : arch->syscalls.entry_prefixes)
                if (entry.starts_with(prefix)) entry.remove_prefix(prefix.size());
        if (number) entries[*number] = entry;
    });
    return entries;
}

std::map<std::string, std::vector<Parameter>> read_prototypes(std::string_view header) {
    constexpr std::string_view kStart = "asmlinkage long ";
    std::map<std::string, std::vector<Parameter>> prototypes;
    const std::string text = plain_text(header);
    for (size_t at = text.find(kStart); at != std::string::npos; at = text.find(kStart, at)) {
        at += kStart.size();
        const size_t open = text.find('(', at), end = text.find(';', at);
        if (open == std::string::npos || end == std::string::npos || open > end) continue;
        const size_t close = text.rfind(')', end);
        const std::string_view name = trim(std::string_view(text).substr(at, open - at));
        if (close < open || !std::all_of(name.begin(), name.end(), is_word)) continue;
        prototypes[std::string(name)] = parameters(std::string_view(text).substr(open + 1, close - open - 1));
    }
    return prototypes;
}

namespace {

void add_prototypes(std::map<std::string, std::vector<Parameter>> &all, const std::string &path) {
    for (auto &[name, list] : read_prototypes(read_file(path).value_or("")))
        all[name] = std::move(list);
}

void add_calls(KernelCalls &calls, const std::string &generated, bool narrow,
               const std::map<std::string, std::vector<Parameter>> &prototypes) {
    const char *const abi = narrow ? "32.h" : "64.h";
    const auto numbers = read_numbers(read_file(generated + "/uapi/asm/unistd_" + abi).value_or(""));
    const auto entries = read_entries(read_file(generated + "/asm/syscalls_" + abi).value_or(""), narrow);
    for (const auto &[number, name] : numbers) {
        KernelCall call;
        call.name = name;
        call.number = number;
        call.narrow = narrow;
        const auto entry = entries.find(number);
        call.entry = entry == entries.end() ? "sys_ni_syscall" : entry->second;
        const auto prototype = prototypes.find(call.entry);
        call.has_prototype = prototype != prototypes.end();
        if (call.has_prototype) call.parameters = prototype->second;
        calls.list.push_back(std::move(call));
    }
}

}  // namespace

KernelCalls read_kernel_calls(const std::string &build_dir, const std::string &arch) {
    KernelCalls calls;
    if (build_dir.empty()) {
        calls.missing = "they are known by the kernel's headers, which are not installed";
        return calls;
    }
    const arch::Arch *known = arch::find(arch);
    if (!known || !known->syscalls.tables) {
        calls.missing = "their tables are not read on " + (arch.empty() ? "this architecture" : arch);
        return calls;
    }
    const std::string source = source_tree(build_dir, "include/linux/syscalls.h"),
                      generated = build_dir + "/arch/" + std::string(known->source_name) + "/include/generated";
    std::map<std::string, std::vector<Parameter>> prototypes;
    for (const char *header :
         {"/include/asm-generic/syscalls.h", "/include/linux/compat.h", "/include/linux/syscalls.h"})
        add_prototypes(prototypes, source + header);
    add_calls(calls, generated, false, prototypes);
    add_calls(calls, generated, true, prototypes);
    if (calls.list.empty()) calls.missing = "there is no list of them in " + generated;
    return calls;
}

}  // namespace tapir::syscalls
