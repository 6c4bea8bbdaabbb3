// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of an index: their content, how those of several readers join, and how they become a file.
#include "dwarf/index_tables.h"

#include <dwarf.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "dwarf/index_format.h"

namespace tapir::dwarf {

namespace {

template <typename Entry>
void append_section(std::string &out, IndexHeader &header, Section section, const std::vector<Entry> &entries) {
    out.resize((out.size() + 7) & ~size_t{7}, '\0');
    const auto *bytes = reinterpret_cast<const char *>(entries.data());
    header.sections[static_cast<uint32_t>(section)] = {out.size(), entries.size() * sizeof(Entry)};
    out.append(bytes, entries.size() * sizeof(Entry));
}

}  // namespace

const char *directory_of(Dwarf_Die *unit) {
    Dwarf_Attribute attribute;
    const char *directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    return directory ? directory : "";
}

std::string path_of(Dwarf_Files *files, size_t number, std::string_view directory) {
    const char *path = dwarf_filesrc(files, number, nullptr, nullptr);
    std::string full = path ? path : "";
    if (directory.empty()) return full;
    if (directory[0] == '/') {
        if (!full.empty() && full[0] != '/') full = std::string(directory) + "/" + full;
    } else if (full.size() > directory.size() && full.substr(0, directory.size()) == directory &&
               full[directory.size()] == '/') {
        full.erase(0, directory.size() + 1);  // libdw prefixes the directory to a relative path
    }
    return full;
}

uint32_t file_elsewhere(IndexTables &tables, const Attributes &a) {
    Dwarf_Die die;
    Dwarf_Files *files = nullptr;
    size_t count = 0;
    if (!a.file_unit || !dwarf_cu_die(a.file_unit, &die, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) ||
        dwarf_getsrcfiles(&die, &files, &count) != 0 || a.file >= count)
        return 0;
    return tables.add_file(tables.add_string(path_of(files, a.file, directory_of(&die))));
}

size_t IndexTables::add(const UnitEntry &unit) {
    units_.push_back(unit);
    return units_.size() - 1;
}

size_t IndexTables::add(const FunctionEntry &function) {
    functions_.push_back(function);
    return functions_.size() - 1;
}

size_t IndexTables::add(const VariableEntry &variable) {
    variables_.push_back(variable);
    return variables_.size() - 1;
}

void IndexTables::add_declared(const VariableEntry &variable) {
    if (kept_declared_.insert({variable.name, variable.scope}).second) declared_.push_back(variable);
}

void IndexTables::add(const TypeEntry &type, int size) {
    if (!kept_types_.insert({type.name, type.scope, type.tag, size}).second) return;
    types_.push_back(type);
    type_sizes_.push_back(size);
}

void IndexTables::add(const EnumeratorEntry &enumerator) {
    if (kept_enumerators_.insert({enumerator.name, enumerator.scope, enumerator.value}).second)
        enumerators_.push_back(enumerator);
}

uint32_t IndexTables::add_file(StringRef path) {
    if (path == 0) return 0;
    const auto [at, is_new] = file_numbers_.try_emplace(path, static_cast<uint32_t>(files_.size()));
    if (is_new) files_.push_back(path);
    return at->second;
}

FunctionEntry IndexTables::function_entry(uint64_t die, const Attributes &a, uint32_t unit, uint32_t file) {
    FunctionEntry entry = {};
    entry.die = die;
    entry.name = strings_.add_pooled(a.name);
    entry.linkage_name =
        a.linkage_name && std::strcmp(a.linkage_name, a.name) != 0 ? strings_.add_pooled(a.linkage_name) : 0;
    entry.unit = unit;
    entry.file = file;
    entry.line = static_cast<uint32_t>(a.line);
    entry.flags = a.external ? static_cast<uint32_t>(kExternal) : 0;
    return entry;
}

void IndexTables::narrow_root(std::string_view source) {
    if (!root_known_) {
        root_ = source.substr(0, source.rfind('/') + 1);
        root_known_ = true;
    }
    while (!root_.empty() && source.substr(0, root_.size()) != root_) {
        const size_t slash = root_.size() > 1 ? root_.rfind('/', root_.size() - 2) : std::string::npos;
        root_.resize(slash == std::string::npos ? 0 : slash + 1);
    }
}

void IndexTables::append(const IndexTables &later) {
    std::vector<StringRef> strings(later.strings_.bytes().size());
    for (size_t at = 0; at < strings.size(); at += later.strings_.text(static_cast<StringRef>(at)).size() + 1)
        strings[at] = strings_.add(later.strings_.text(static_cast<StringRef>(at)));
    std::vector<uint32_t> files;
    for (const StringRef path : later.files_)
        files.push_back(add_file(strings[path]));
    const auto first_unit = static_cast<uint32_t>(units_.size());
    for (UnitEntry unit : later.units_) {
        unit.name = strings[unit.name];
        unit.directory = strings[unit.directory];
        units_.push_back(unit);
    }
    std::vector<uint32_t> scopes = {0};
    for (size_t i = 1; i < later.scopes_.entries().size(); ++i) {
        const ScopeEntry &scope = later.scopes_.entries()[i];
        scopes.push_back(scopes_.add(scopes[scope.parent], strings[scope.name]));
        if (scope.inlined) scopes_.set_inlined(scopes.back());
    }
    for (Elsewhere entry : later.elsewhere_) {
        entry.position += entry.is_variable ? variables_.size() : functions_.size();
        elsewhere_.push_back(entry);
    }
    for (FunctionEntry function : later.functions_) {
        function.scope = scopes[function.scope];
        function.name = strings[function.name];
        function.linkage_name = strings[function.linkage_name];
        function.file = files[function.file];
        function.unit += first_unit;
        functions_.push_back(function);
    }
    const auto moved = [&](auto entry) {
        entry.name = strings[entry.name];
        entry.unit += first_unit;
        entry.scope = scopes[entry.scope];
        return entry;
    };
    for (InlineEntry instance : later.inlines_) {
        instance.unit += first_unit;
        inlines_.push_back(instance);
    }
    for (VariableEntry variable : later.variables_) {
        variable.home += first_unit;
        variables_.push_back(moved(variable));
    }
    for (VariableEntry variable : later.declared_) {
        variable.home += first_unit;
        add_declared(moved(variable));
    }
    for (size_t i = 0; i < later.types_.size(); ++i)
        add(moved(later.types_[i]), later.type_sizes_[i]);
    for (const EnumeratorEntry &enumerator : later.enumerators_)
        add(moved(enumerator));
    for (const DeclaringEntry &entry : later.declaring_)
        declaring_.push_back({strings[entry.name], entry.unit + first_unit});
    imports_.insert(later.imports_.begin(), later.imports_.end());
    if (later.root_known_) narrow_root(later.root_);
}

template <typename Entry>
void IndexTables::sort_by_name(std::vector<Entry> &entries) {
    std::sort(entries.begin(), entries.end(), [&](const Entry &a, const Entry &b) {
        const int order = a.name == b.name ? 0 : strings_.text(a.name).compare(strings_.text(b.name));
        return order ? order < 0 : a.die < b.die;
    });
}

// One name has many entries: texts are compared once for each name, numbers for each entry.
void IndexTables::sort_declaring() {
    std::vector<StringRef> names;
    std::unordered_map<StringRef, uint32_t> ranks;
    for (const DeclaringEntry &entry : declaring_)
        if (ranks.try_emplace(entry.name, 0).second) names.push_back(entry.name);
    std::sort(names.begin(), names.end(),
              [&](StringRef a, StringRef b) { return strings_.text(a) < strings_.text(b); });
    for (uint32_t i = 0; i < names.size(); ++i)
        ranks[names[i]] = i;
    for (DeclaringEntry &entry : declaring_)
        entry.name = ranks[entry.name];
    const auto order = [](const DeclaringEntry &entry) { return std::tie(entry.name, entry.unit); };
    std::sort(declaring_.begin(), declaring_.end(),
              [&](const DeclaringEntry &a, const DeclaringEntry &b) { return order(a) < order(b); });
    declaring_.erase(
        std::unique(declaring_.begin(), declaring_.end(),
                    [&](const DeclaringEntry &a, const DeclaringEntry &b) { return order(a) == order(b); }),
        declaring_.end());
    for (DeclaringEntry &entry : declaring_)
        entry.name = names[entry.name];
}

void IndexTables::sort() {
    sort_by_name(functions_);
    std::sort(inlines_.begin(), inlines_.end(), [](const InlineEntry &a, const InlineEntry &b) {
        return std::tie(a.origin, a.entry, a.die) < std::tie(b.origin, b.entry, b.die);
    });
    sort_by_name(types_);
    variables_.insert(variables_.end(), declared_.begin(), declared_.end());
    declared_.clear();
    sort_by_name(variables_);
    sort_by_name(enumerators_);
    sort_declaring();
    for (uint32_t i = 0; i < functions_.size(); ++i)
        if (functions_[i].flags & kOutOfLine) by_address_.push_back(i);
    std::stable_sort(by_address_.begin(), by_address_.end(),
                     [&](uint32_t a, uint32_t b) { return functions_[a].entry < functions_[b].entry; });
}

std::string IndexTables::write(std::string_view identity, const KernelLayout &layout, bool supplemented) {
    sort();
    IndexHeader header = {};
    std::memcpy(header.magic, kIndexMagic, sizeof(header.magic));
    header.version = kIndexVersion;
    header.root = strings_.add(root_);
    header.supplemented = supplemented ? 1 : 0;
    header.layout = layout;
    identity = identity.substr(0, sizeof(header.identity) - 1);
    std::memcpy(header.identity, identity.data(), identity.size());
    std::string out(sizeof(header), '\0');
    append_section(out, header, Section::Units, units_);
    append_section(out, header, Section::Scopes, scopes_.entries());
    append_section(out, header, Section::Functions, functions_);
    append_section(out, header, Section::Inlines, inlines_);
    append_section(out, header, Section::Types, types_);
    append_section(out, header, Section::Variables, variables_);
    append_section(out, header, Section::Enumerators, enumerators_);
    append_section(out, header, Section::Declaring, declaring_);
    append_section(out, header, Section::Files, files_);
    append_section(out, header, Section::ByAddress, by_address_);
    append_section(out, header, Section::Strings, strings_.bytes());
    header.length = out.size();
    std::memcpy(out.data(), &header, sizeof(header));
    return out;
}

}  // namespace tapir::dwarf
