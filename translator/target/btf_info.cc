// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/btf_info.h"

#include <filesystem>
#include <functional>
#include <sstream>

#include "common/build_id.h"
#include "common/files.h"
#include "target/symbol_readers.h"

namespace tapir::target {

std::vector<BtfInfo::Place> BtfInfo::kernel_places() const {
    const std::string &root = sources_.root, &release = sources_.release;
    std::vector<Place> places;
    if (sources_.running) places.push_back({root + "/sys/kernel/btf/vmlinux", true, root + "/sys/kernel/notes"});
    if (!sources_.build_dir.empty()) places.push_back({sources_.build_dir + "/vmlinux"});
    if (!release.empty()) {
        for (const std::string &debug : sources_.debug_dirs) {
            places.push_back({debug + "/boot/vmlinux-" + release});
            places.push_back({debug + "/lib/modules/" + release + "/vmlinux"});
        }
        places.push_back({root + "/lib/modules/" + release + "/vmlinux"});
    }
    if (!sources_.image.empty()) places.push_back({sources_.image});
    if (!release.empty()) {
        places.push_back({root + "/boot/vmlinuz-" + release});
        places.push_back({root + "/lib/modules/" + release + "/vmlinuz"});
    }
    return places;
}

// Returns the path of the cached BTF that was unpacked from a file. The name identifies the file's version.
static std::string kept_file(const BtfSources &sources, const std::string &path) {
    const std::string identity = file_identity(path);
    if (sources.cache_dir.empty() || identity.empty()) return {};
    std::ostringstream name;
    name << sources.cache_dir << "/index/btf-" << sources.release << '-' << std::hex
         << std::hash<std::string>{}(identity);
    return name.str();
}

// Failure only costs time later.
static void keep(const std::string &kept, const std::string &blob) {
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(kept).parent_path(), error);
    replace_file(kept, blob);
}

const BtfObject *BtfInfo::open(const std::string &name, const std::vector<Place> &places, const BtfTypes *base) const {
    const auto [at, is_new] = open_.try_emplace(name);
    Opened &object = at->second;
    if (!is_new) return object.types ? &object : nullptr;
    for (const Place &place : places) {
        if (!is_file(place.path)) {
            tried_.push_back(place.path);
            continue;
        }
        const std::string kept = place.blob ? "" : kept_file(sources_, place.path);
        for (const bool from_cache : {true, false}) {
            if (from_cache && kept.empty()) continue;
            bool unpacked = false;
            // A module built apart from its kernel refers to a base of its own.
            if (base && !place.blob && !read_section(place.path, ".BTF.base", unpacked).empty()) {
                object.problem = place.path + ": its BTF was made apart from this kernel's (.BTF.base)";
                continue;
            }
            std::string blob = from_cache || place.blob ? read_file(from_cache ? kept : place.path).value_or("")
                                                        : read_section(place.path, ".BTF", unpacked);
            if (blob.empty()) continue;
            if (unpacked && !kept.empty()) keep(kept, blob);
            std::string error;
            object.types = BtfTypes::read(std::move(blob), error, base);
            if (!object.types) {
                object.problem = place.path + ": its BTF is damaged: " + error;
                if (!from_cache) tried_.push_back(object.problem);
                continue;
            }
            object.path = place.path;
            object.place = place;
            return &object;
        }
        if (tried_.empty() || !tried_.back().starts_with(place.path)) tried_.push_back(place.path);
    }
    return nullptr;
}

std::string BtfInfo::build_id(const Place &place) const {
    if (place.blob) return build_id_of_notes(read_file(place.notes).value_or(""));
    const std::string kept = kept_file(sources_, place.path);
    if (!kept.empty())
        if (const auto known = read_file(kept + ".id")) return *known;
    bool unpacked = false;
    std::string id = build_id_of_notes(read_section(place.path, ".notes", unpacked));
    if (id.empty()) id = build_id_of_notes(read_section(place.path, ".note.gnu.build-id", unpacked));
    if (unpacked && !kept.empty()) keep(kept + ".id", id);
    return id;
}

std::string BtfInfo::problem(const std::string &name) const {
    const auto known = open_.find(name);
    return known == open_.end() ? "" : known->second.problem;
}

std::vector<BuiltObject> BtfInfo::used() const {
    std::vector<BuiltObject> objects;
    for (const auto &[name, object] : open_) {
        if (!object.types || !object.used) continue;
        const std::string id = build_id(object.place);
        if (!id.empty()) objects.push_back({name, id});
    }
    return objects;
}

std::vector<std::string> BtfInfo::opened() const {
    std::vector<std::string> paths;
    for (const auto &[name, object] : open_)
        if (object.types) paths.push_back(object.path);
    return paths;
}

std::string BtfInfo::kernel_build_id() const {
    for (const Place &place : kernel_places())
        if (std::string id = build_id(place); !id.empty()) return id;
    return {};
}

const BtfObject *BtfInfo::kernel() const {
    return open("", kernel_places(), nullptr);
}

const BtfObject *BtfInfo::module(const std::string &name, const std::string &file) const {
    const BtfObject *base = kernel();
    if (!base) return nullptr;
    std::vector<Place> places;
    if (sources_.running) {
        const std::string notes = sources_.root + "/sys/module/" + name + "/notes/.note.gnu.build-id";
        places.push_back({sources_.root + "/sys/kernel/btf/" + name, true, notes});
    }
    if (!file.empty()) places.push_back({file});
    return open(name, places, base->types.get());
}

}  // namespace tapir::target
