// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/interpreter_file.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <string_view>
#include <utility>

#include "unwind/bytes.h"

namespace tapir::unwind {

namespace {

// Keyed by name: the interpreter and its variable, both numbered from 0.
using Wanted = std::multimap<std::string_view, std::pair<size_t, size_t>>;
// Indexed by interpreter: the addresses of its variables.
using Addresses = std::vector<std::array<u64, TAPIR_INTERPRETER_VARIABLES>>;

void look(const ElfFile &file, const Section &table, const Wanted &wanted, Addresses &found) {
    if (table.link >= file.sections().size()) return;
    const std::string_view names = file.content(file.sections()[table.link]);
    Bytes in(file.content(table));
    while (in.size() - in.at() >= sizeof(Elf64_Sym)) {
        const Elf64_Sym symbol = in.fixed<Elf64_Sym>();
        if (symbol.st_shndx == SHN_UNDEF || !symbol.st_value || ELF64_ST_TYPE(symbol.st_info) == STT_TLS) continue;
        const auto [first, last] = wanted.equal_range(symbol_name(names, symbol.st_name));
        for (auto it = first; it != last; ++it)
            found[it->second.first][it->second.second] = symbol.st_value;
    }
}

// True for the rest of a file's name after an interpreter's: "" or a version, with the kind of build, and the end
// of a library's name. "3.11-dbg", "3.7m.so.1.0", "-5.1.so.2", but not "ic" or "-config".
bool is_version(const std::string &text) {
    static const std::regex version(
        "(-?[0-9][0-9.]*[dmtu]{0,2})?(-(dbg|debug|c|c\\+\\+|(beta|rc)[0-9]+))?"
        "(-[a-z0-9_]+-linux-[a-z0-9]+)?(\\.so(\\.[0-9]+)*)?");
    return text.size() < 80 && std::regex_match(text, version);
}

bool matches(const std::string &name, const std::string &interpreters) {
    for (size_t at = 0; at < interpreters.size();) {
        const size_t end = std::min(interpreters.find(' ', at), interpreters.size()), length = end - at;
        if (length && name.compare(0, length, interpreters, at, length) == 0 && is_version(name.substr(length)))
            return true;
        at = end + 1;
    }
    return false;
}

std::string file_name(const std::string &path) {
    return path.substr(path.rfind('/') + 1);
}

// Returns the libraries of DT_NEEDED.
std::vector<std::string> needed(const ElfFile &file) {
    std::vector<std::string> libraries;
    const Section *dynamic = file.section(".dynamic");
    if (!dynamic || dynamic->link >= file.sections().size()) return libraries;
    const std::string_view names = file.content(file.sections()[dynamic->link]);
    Bytes in(file.content(*dynamic));
    while (in.size() - in.at() >= sizeof(Elf64_Dyn)) {
        const Elf64_Dyn entry = in.fixed<Elf64_Dyn>();
        if (entry.d_tag == DT_NEEDED && entry.d_un.d_val < names.size())
            libraries.emplace_back(symbol_name(names, static_cast<uint32_t>(entry.d_un.d_val)));
    }
    return libraries;
}

}  // namespace

tapir_file_interpreter interpreter_of(Image &image, const std::vector<Interpreter> &interpreters) {
    tapir_file_interpreter out = {};
    ElfFile file;
    if (interpreters.empty() || !file.parse(image).empty()) return out;
    Wanted wanted;
    for (size_t i = 0; i < interpreters.size(); ++i)
        for (size_t k = 0; k < interpreters[i].variables.size() && k < TAPIR_INTERPRETER_VARIABLES; ++k)
            wanted.emplace(interpreters[i].variables[k], std::pair(i, k));
    Addresses found(interpreters.size());
    for (const char *name : {".dynsym", ".symtab"})
        if (const Section *section = file.section(name)) look(file, *section, wanted, found);
    const auto one = std::find_if(found.begin(), found.end(), [](const auto &addresses) { return addresses[0] != 0; });
    if (one == found.end()) return out;
    out.number = static_cast<u32>(one - found.begin()) + 1;
    for (size_t i = 0; i < one->size(); ++i) {
        out.variables[i] = (*one)[i];
        Bytes content(file.content_at((*one)[i]));
        if ((*one)[i]) out.contents[i] = content.u64();
    }
    for (const Segment &segment : file.segments()) {
        if (segment.place == 0) out.lead = segment.address;
        if (segment.executable) out.bias = segment.address - segment.place;
    }
    return out;
}

Alike interpreter_alike(Image &image, const std::string &path, const std::vector<Interpreter> &interpreters) {
    const auto one = std::find_if(interpreters.begin(), interpreters.end(),
                                  [name = file_name(path)](const auto &it) { return matches(name, it.files); });
    ElfFile file;
    if (one == interpreters.end() || !file.parse(image).empty()) return {};
    const std::vector<std::string> libraries = needed(file);
    return {static_cast<uint32_t>(one - interpreters.begin()) + 1,
            std::any_of(libraries.begin(), libraries.end(),
                        [&](const std::string &library) { return matches(file_name(library), one->files); })};
}

}  // namespace tapir::unwind
