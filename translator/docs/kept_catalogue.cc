// SPDX-License-Identifier: GPL-2.0-or-later
#include "docs/kept_catalogue.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/files.h"
#include "common/hash.h"

namespace tapir::docs {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr size_t kMostBytes = size_t{64} << 20;

json written(const Entry::Member &member);
json written(const Entry &entry);
json written(const Family &family);
void read(const json &from, Entry::Member &member);
void read(const json &from, Entry &entry);
void read(const json &from, Family &family);

json written(const Entry::Part &part) {
    return {part.name, part.type, part.text};
}

json written(const Paragraph &paragraph) {
    return {paragraph.text, paragraph.literal};
}

template <typename Item>
json written(const std::vector<Item> &items) {
    json list = json::array();
    for (const Item &item : items)
        list.push_back(written(item));
    return list;
}

json written(const Entry::Member &member) {
    return {member.name, written(member.parts)};
}

json written(const Entry &entry) {
    return {static_cast<int>(entry.kind),
            entry.name,
            entry.signature,
            entry.stands_for,
            entry.tags,
            entry.summary,
            written(entry.parts),
            written(entry.details),
            written(entry.members),
            entry.file,
            entry.line};
}

json written(const Family &family) {
    return {family.name, family.about, written(family.entries)};
}

// These throw what the JSON library throws if the value has another shape.
void read(const json &from, Entry::Part &part) {
    from.at(0).get_to(part.name);
    from.at(1).get_to(part.type);
    from.at(2).get_to(part.text);
}

void read(const json &from, Paragraph &paragraph) {
    from.at(0).get_to(paragraph.text);
    from.at(1).get_to(paragraph.literal);
}

template <typename Item>
void read(const json &from, std::vector<Item> &items) {
    items.resize(from.size());
    for (size_t i = 0; i < items.size(); i++)
        read(from.at(i), items[i]);
}

void read(const json &from, Entry::Member &member) {
    from.at(0).get_to(member.name);
    read(from.at(1), member.parts);
}

void read(const json &from, Entry &entry) {
    const int kind = from.at(0).get<int>();
    if (kind >= 0 && kind <= static_cast<int>(Kind::Global)) entry.kind = static_cast<Kind>(kind);
    from.at(1).get_to(entry.name);
    from.at(2).get_to(entry.signature);
    from.at(3).get_to(entry.stands_for);
    from.at(4).get_to(entry.tags);
    from.at(5).get_to(entry.summary);
    read(from.at(6), entry.parts);
    read(from.at(7), entry.details);
    read(from.at(8), entry.members);
    from.at(9).get_to(entry.file);
    from.at(10).get_to(entry.line);
}

void read(const json &from, Family &family) {
    from.at(0).get_to(family.name);
    from.at(1).get_to(family.about);
    read(from.at(2), family.entries);
}

std::string directories_key(const library::IndexOptions &options) {
    Hasher hasher;
    hasher.add(options.release).add(options.arch);
    for (const auto *list : {&options.directories, &options.other_directories})
        for (const std::string &directory : *list)
            hasher.add(std::filesystem::absolute(directory).string());
    constexpr size_t kDigits = 16;
    return hasher.hex().substr(0, kDigits);
}

// Changes with each file of the library, and with the program, whose reader may have changed.
std::string state_of(const library::IndexOptions &options) {
    Hasher hasher;
    hasher.add(file_identity("/proc/self/exe"));
    for (const library::IndexedFile &file : library::list_files(options))
        hasher.add(file.path).add(std::to_string(file.mtime_ns)).add(std::to_string(file.size));
    return hasher.hex();
}

std::optional<Catalogue> load(const std::string &path, const std::string &state) {
    std::string bytes;
    if (read_file(path.c_str(), kMostBytes, bytes) != 0) return std::nullopt;
    const json kept = json::from_msgpack(bytes, true, false);
    if (!kept.is_array() || kept.size() != 3 || kept[0] != kVersion || kept[1] != state) return std::nullopt;
    try {
        Catalogue catalogue;
        read(kept[2], catalogue.families);
        return catalogue;
    } catch (const json::exception &) {
        return std::nullopt;
    }
}

// A failure only costs time later.
void store(const std::string &path, const std::string &state, const Catalogue &catalogue) {
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    const std::vector<uint8_t> bytes = json::to_msgpack(json{kVersion, state, written(catalogue.families)});
    replace_file(path, {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
}

}  // namespace

Catalogue kept_catalogue(const library::IndexOptions &options, bool *parsed) {
    if (parsed) *parsed = false;
    std::string path, state;
    if (!options.cache_dir.empty()) {
        path = options.cache_dir + "/tapset-catalogue-" + directories_key(options);
        state = state_of(options);
        if (std::optional<Catalogue> kept = load(path, state)) return std::move(*kept);
    }
    Diagnostics ignored;
    Catalogue catalogue = read_library(options, nullptr, ignored);
    catalogue.problems.clear();
    if (parsed) *parsed = true;
    if (!path.empty()) store(path, state, catalogue);
    return catalogue;
}

}  // namespace tapir::docs
