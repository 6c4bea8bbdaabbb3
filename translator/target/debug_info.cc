// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/debug_info.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/name_patterns.h"
#include "common/files.h"
#include "target/debug_list.h"
#include "target/distribution.h"
#include "target/exports.h"
#include "target/running_machine.h"
#include "target/symbol_readers.h"

namespace tapir::target {

namespace {

constexpr std::string_view kFrames = "frames";  // a lookup

// As the kernel names modules.
std::string module_name(std::string_view file) {
    std::string name(file);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

// "kernel/fs/ext4/ext4.ko.xz" -> "ext4"
std::string module_of_path(std::string_view path) {
    path.remove_prefix(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
    return module_name(path.substr(0, path.find(".ko")));
}

}  // namespace

static std::string stamp_of(const std::string &path, const struct stat &status) {
    return path + " " + std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
           std::to_string(status.st_mtim.tv_nsec) + "\n";
}

std::optional<Anchor> DebugObject::anchor(uint64_t linked_address) const {
    used = true;
    if (program) return Anchor{module, "", static_cast<int64_t>(linked_address)};
    if (index && index->kernel_text() != 0)
        return Anchor{"", "_stext", static_cast<int64_t>(linked_address - index->kernel_text())};
    const auto found = object->symbols().anchor_of(linked_address);
    if (!found) return std::nullopt;
    return Anchor{module, found->symbol, static_cast<int64_t>(found->offset)};
}

// The directories below which there are files by their absolute names.
static std::vector<std::string> absolute_roots(const DebugSources &from) {
    std::vector<std::string> roots;
    for (const std::string &places : from.debug_roots())
        for (std::string &directory : debug_directories(places))
            roots.push_back(std::move(directory));
    return roots;
}

static BtfSources btf_sources(const DebugSources &from) {
    return {from.release, from.build_dir, from.image, from.root, absolute_roots(from), from.cache_dir, from.running};
}

DebugInfo::DebugInfo(DebugSources sources) : sources_(std::move(sources)), btf_(btf_sources(sources_)) {}

std::string DebugInfo::module_directory() const {
    return (sources_.modules.empty() ? sources_.root + "/lib/modules/" + sources_.release : sources_.modules) + "/";
}

std::unique_ptr<DebugObject> DebugInfo::open_object(const std::string &path, std::string &error) const {
    auto opened = std::make_unique<DebugObject>();
    std::string places;
    for (const std::string &debug : sources_.debug_roots())
        places += (!places.empty() ? ":" : is_debug_list(debug) ? "" : ":.debug:") + debug;
    opened->object = dwarf::Object::open(path, error, places, sources_.find_build);
    if (!opened->object) return nullptr;
    opened->index =
        dwarf::Index::open(*opened->object, sources_.cache_dir.empty() ? "" : sources_.cache_dir + "/index");
    if (opened->index) opened->types = std::make_unique<dwarf::Types>(*opened->object, *opened->index);
    return opened;
}

const DebugObject *DebugInfo::open(const std::string &module, const std::string &path) const {
    auto [at, is_new] = open_.try_emplace(module, nullptr);
    if (!is_new || path.empty()) return at->second.get();
    std::string error;
    auto opened = open_object(path, error);
    if (!opened) {
        errors_[module] = error;
        return nullptr;
    }
    opened->module = module;
    if (!opened->index) {
        const std::string &problem = opened->object->debug_problem(), &build_id = opened->object->build_id();
        errors_[module] = !problem.empty() ? problem
                                           : path + " has no debug information" +
                                                 (build_id.empty() ? "" : " (build-id " + build_id + ")");
        return nullptr;
    }
    at->second = std::move(opened);
    return at->second.get();
}

const DebugObject *DebugInfo::program(const std::string &path, std::string &error) const {
    auto [at, is_new] = programs_.try_emplace(path, nullptr);
    if (!is_new && at->second) return at->second.get();
    auto opened = open_object(path, error);
    if (!opened) return nullptr;
    opened->module = path;
    opened->debug = this;
    opened->program = ProgramLayout::read(*opened->object, error);
    if (!opened->program) return nullptr;
    at->second = std::move(opened);
    return at->second.get();
}

std::string DebugInfo::kernel_file() const {
    if (sources_.release.empty()) return {};
    const std::string &root = sources_.root, &release = sources_.release;
    std::vector<std::string> places;
    for (const std::string &debug : absolute_roots(sources_))
        for (const char *form : {"/boot/vmlinux-%", "/lib/modules/%/vmlinux", "/lib/modules/%/vmlinux.debug",
                                 "/usr/lib/modules/%/vmlinux.debug"})
            places.push_back(debug + std::string(form).replace(std::string_view(form).find('%'), 1, release));
    places.push_back(root + "/lib/modules/" + release + "/vmlinux");
    places.push_back(root + "/boot/vmlinux-" + release);
    if (!sources_.build_dir.empty()) places.push_back(sources_.build_dir + "/vmlinux");
    tried_.clear();
    for (const std::string &place : places) {
        if (is_file(place)) return place;
        tried_.push_back(place);
    }
    return {};
}

const DebugObject *DebugInfo::kernel() const {
    const auto known = open_.find("");
    if (known != open_.end()) return known->second.get();
    const std::string file = kernel_file();
    return open("", file.empty() && sources_.find_build && !btf_.kernel() ? fetched_kernel_file() : file);
}

const DebugObject *DebugInfo::described_kernel() const {
    if (const DebugObject *there = kernel()) return there;
    const std::string file = kernel_asked_ ? "" : fetched_kernel_file();
    if (file.empty()) return nullptr;
    open_.erase("");
    return open("", file);
}

std::string DebugInfo::fetched_kernel_file() const {
    kernel_asked_ = true;
    const std::string id = sources_.find_build && subject().has_kernel() ? btf_.kernel_build_id() : "";
    return id.empty() ? "" : sources_.find_build(id);
}

const std::map<std::string, std::string> &DebugInfo::module_paths() const {
    if (listed_) return module_paths_;
    listed_ = true;
    // "kernel/fs/ext4/ext4.ko: kernel/lib/crc16.ko ..."
    const std::string text = read_file(module_directory() + "modules.dep").value_or("");
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        const std::string path = text.substr(at, std::min(text.find(':', at), end) - at);
        if (!path.empty()) module_paths_.emplace(module_of_path(path), path);
        at = end + 1;
    }
    if (!module_paths_.empty()) return module_paths_;
    // The modules' package is not here; their debug information may be.
    for (const std::string &root : absolute_roots(sources_)) {
        const std::filesystem::path debug = root + "/lib/modules/" + sources_.release;
        std::error_code error;
        for (std::filesystem::recursive_directory_iterator at(debug, error), end; !error && at != end;
             at.increment(error)) {
            const std::string path = at->path().lexically_relative(debug);
            if (path.find(".ko") != std::string::npos) module_paths_.emplace(module_of_path(path), path);
        }
    }
    return module_paths_;
}

std::string DebugInfo::module_file(const std::string &name) const {
    const auto &paths = module_paths();
    const auto found = paths.find(name);
    if (found == paths.end()) return {};
    const std::string below = "/lib/modules/" + sources_.release + "/" + found->second;
    const std::string bare = below.substr(0, below.find(".ko") + 3);
    for (const std::string &debug : absolute_roots(sources_))
        for (const std::string &place : {debug + bare, debug + bare + ".debug", debug + "/usr" + bare + ".debug"})
            if (is_file(place)) return place;
    return module_directory() + found->second;
}

// True for names of headers: "kernel<linux/tcp.h>" for the kernel, "<stdio.h>" for programs.
static bool names_headers(std::string_view name) {
    return name.starts_with("kernel<") || name.starts_with('<');
}

const DebugObject *DebugInfo::header_types(const std::string &name) const {
    const auto known = open_.find(name);
    if (known != open_.end()) return known->second.get();
    std::string why = "there is no compiler for it";
    const std::string path = sources_.compile_headers ? sources_.compile_headers(name, why) : std::string();
    const DebugObject *object = open(name, path);
    if (path.empty()) errors_[name] = why;
    return object;
}

const DebugObject *DebugInfo::module(std::string_view file_name) const {
    if (names_headers(file_name)) return header_types(std::string(file_name));
    const bool is_path = file_name.find('/') != std::string_view::npos;
    const std::string name = is_path ? module_of_path(std::string(file_name)) : module_name(file_name);
    if (is_path) lookups_.insert("module " + std::string(file_name));
    const auto known = open_.find(name);
    if (known != open_.end()) return known->second.get();
    return open(name, is_path ? std::string(file_name) : module_file(name));
}

std::vector<std::string> DebugInfo::modules(std::string_view pattern) const {
    std::vector<std::string> names;
    for (const auto &[name, path] : module_paths())
        if (glob_match(module_name(pattern), name)) names.push_back(name);
    return names;
}

std::string DebugInfo::module_exporting(const std::string &symbol) const {
    if (sources_.build_dir.empty()) return "";
    const auto exports = find_exports(read_file(sources_.build_dir + "/Module.symvers").value_or(""), {symbol});
    if (exports.empty() || exports.front().module == "vmlinux") return "";
    return module_name(exports.front().module.substr(exports.front().module.rfind('/') + 1));
}

const std::vector<std::string> &DebugInfo::module_functions(std::string_view file_name) const {
    const std::string name = module_name(file_name);
    const auto known = module_functions_.find(name);
    if (known != module_functions_.end()) return known->second;
    std::vector<std::string> &names = module_functions_[name];
    const auto path = module_paths().find(name);
    if (path != module_paths().end()) names = read_kernel_file(module_directory() + path->second);
    if (names.empty() && sources_.running) names = read_module_symbol_lines(sources_.root + "/proc/kallsyms", name);
    std::erase_if(names, [](const std::string &symbol) { return symbol.find(".cold") != std::string::npos; });
    std::sort(names.begin(), names.end());
    return names;
}

const BtfObject *DebugInfo::btf(std::string_view file_name) const {
    if (file_name.empty()) return btf_.kernel();
    const std::string name = module_name(file_name);
    const auto path = module_paths().find(name);
    return btf_.module(name, path == module_paths().end() ? "" : module_directory() + path->second);
}

const DebugObject *DebugInfo::named_program(std::string_view name) const {
    if (name.empty() || names_headers(name)) return nullptr;
    const bool is_path = name.find('/') != std::string_view::npos;
    if (const auto known = programs_.find(std::string(name)); known != programs_.end() && known->second)
        return known->second->index ? known->second.get() : nullptr;
    if (is_path ? name.find(".ko") != std::string_view::npos : module_paths().count(module_name(name)) != 0)
        return nullptr;
    std::string error;
    for (const std::string &path : find_programs(std::string(name)))
        if (const DebugObject *object = program(path, error); object && object->index) return object;
    return nullptr;
}

// The first program of the name.
const DebugObject *DebugInfo::program_of_symbols(std::string_view name) const {
    if (name.empty() || names_headers(name) || name.find(".ko") != std::string_view::npos) return nullptr;
    std::string error;
    for (const std::string &path : find_programs(std::string(name)))
        if (const DebugObject *object = program(path, error)) return object;
    return nullptr;
}

std::unique_ptr<Scope> DebugInfo::whole_scope(std::string_view file_name) const {
    const bool of_process = !subject().has_kernel();
    if (file_name.empty() && of_process) {
        std::string error;
        const std::string &path = target().program;
        const DebugObject *object = path.empty() ? nullptr : program(path, error);
        if (!object) return nullptr;
        return object->index ? make_scope(*object) : make_program_scope(*object);
    }
    if (file_name == "kernel") {
        if (of_process) return nullptr;
        file_name = "";
    }
    if (const DebugObject *object = named_program(file_name)) return make_scope(*object);
    // A file that a process lacks is not a module of the kernel.
    if (!of_process || names_headers(file_name)) {
        if (const DebugObject *object = file_name.empty() ? kernel() : module(file_name)) return make_scope(*object);
        if (const BtfObject *object = btf(file_name)) return make_scope(*this, *object, std::string(file_name));
    }
    const DebugObject *object = program_of_symbols(file_name);
    return object ? make_program_scope(*object) : nullptr;
}

std::unique_ptr<Scope> DebugInfo::entry_scope(const std::string &function, std::string_view file_name) const {
    const BtfObject *object = btf(file_name);
    return object ? make_scope(*this, *object, std::string(file_name), function) : nullptr;
}

std::vector<std::string> DebugInfo::opened() const {
    std::vector<std::string> sources;
    for (const auto &[module, object] : open_)
        if (object) sources.push_back(make_scope(*object)->source());
    for (const auto &[path, object] : programs_)
        if (object) sources.push_back(object->index ? make_scope(*object)->source() : "symbols of " + path);
    for (const std::string &path : btf_.opened())
        sources.push_back("BTF of " + path);
    return sources;
}

std::vector<BuiltObject> DebugInfo::used() const {
    std::vector<BuiltObject> objects;
    for (const auto &[name, object] : open_)
        if (object && object->used && !object->object->build_id().empty())
            objects.push_back({name, object->object->build_id()});
    for (const BuiltObject &object : btf_.used())
        if (std::none_of(objects.begin(), objects.end(),
                         [&](const BuiltObject &known) { return known.module == object.module; }))
            objects.push_back(object);
    std::stable_sort(objects.begin(), objects.end(),
                     [](const BuiltObject &a, const BuiltObject &b) { return a.module < b.module; });
    return objects;
}

std::vector<BuiltProgram> DebugInfo::used_programs() const {
    std::vector<BuiltProgram> programs;
    for (const auto &[path, object] : programs_)
        if (object && object->used)
            programs.push_back(object->program->built());
        else if (object && object->named)
            programs.push_back({path, "", 0, 0, 0});
    return programs;
}

const Subject &DebugInfo::subject() const {
    static const RunningMachine kHere;
    return sources_.subject ? *sources_.subject : kHere;
}

const ProgramTarget &DebugInfo::target() const {
    lookups_.insert("target");
    return find_target();
}

const ProgramTarget &DebugInfo::find_target() const {
    if (!target_) target_ = subject().target();
    return *target_;
}

std::vector<std::string> DebugInfo::find_programs(const std::string &name) const {
    lookups_.insert("program " + name);
    return look_up("program " + name);
}

std::string DebugInfo::program_of_process(int64_t pid) const {
    lookups_.insert("process " + std::to_string(pid));
    return look_up("process " + std::to_string(pid)).front();
}

std::vector<std::string> DebugInfo::find_libraries(const std::string &name, const DebugObject &program) const {
    if (subject().stands_still()) return find_programs(name);
    lookups_.insert("library " + program.module + '\0' + name);
    return target::find_libraries(name, *program.object);
}

std::vector<std::string> DebugInfo::find_mapped_libraries(const std::string &name, int64_t pid) const {
    lookups_.insert("mapped " + std::to_string(pid) + " " + name);
    return target::find_mapped_libraries(name, pid);
}

std::shared_ptr<const dwarf::FramePlaces> DebugInfo::frames(const DebugObject &object) const {
    lookups_.insert(std::string(kFrames));
    auto places = std::make_shared<dwarf::FramePlaces>();
    if (!object.program) return places;
    for (const auto &[code, callers] : subject().frames(object.module, object.object->build_id())) {
        const auto linked = object.program->code_address(code);
        if (!linked) continue;
        std::set<uint64_t> &returns = (*places)[*linked];
        for (const uint64_t caller : callers)
            // The last call of a function need not return.
            if (const auto call = object.program->code_address(caller - 1)) returns.insert(*call + 1);
    }
    return places;
}

std::string DebugInfo::lookups() const {
    std::string text;
    for (const std::string &lookup : lookups_)
        text += lookup + "\n";
    return text;
}

std::vector<std::string> DebugInfo::look_up(const std::string &lookup) const {
    const size_t space = lookup.find(' ');
    const std::string kind = lookup.substr(0, space), what = space == std::string::npos ? "" : lookup.substr(space + 1);
    if (kind == "target") return {find_target().program};
    if (kind == "module") return {what};
    if (kind == kFrames) return {};
    if (kind == "program") return subject().find(what);
    if (kind == "process") return {subject().program_of(std::strtoll(what.c_str(), nullptr, 10))};
    if (kind == "mapped") {
        const size_t end = std::min(what.find(' '), what.size() - 1);
        return target::find_mapped_libraries(what.substr(end + 1), std::strtoll(what.c_str(), nullptr, 10));
    }
    const size_t end = what.find('\0');
    std::string error;
    const auto program = dwarf::Object::open(what.substr(0, end), error);
    return program && end != std::string::npos ? target::find_libraries(what.substr(end + 1), *program)
                                               : std::vector<std::string>{};
}

std::string DebugInfo::lookup_stamp(const std::string &lookups) const {
    std::string text;
    for (size_t at = 0; at < lookups.size();) {
        const size_t end = std::min(lookups.find('\n', at), lookups.size());
        if (lookups.compare(at, end - at, kFrames) == 0) text += subject().frames_stamp();
        for (const std::string &path : look_up(lookups.substr(at, end - at))) {
            struct stat status = {};
            if (stat(path.c_str(), &status) == 0) text += stamp_of(path, status);
        }
        text += "\n";
        at = end + 1;
    }
    return text;
}

std::string DebugInfo::stamp() const {
    if (sources_.release.empty()) return {};
    std::string text;
    std::vector<std::string> paths = {kernel_file(), module_directory() + "modules.dep"};
    for (const std::string &debug : absolute_roots(sources_))
        paths.push_back(debug + "/lib/modules/" + sources_.release);
    for (const std::string &path : paths) {
        struct stat status = {};
        if (path.empty() || stat(path.c_str(), &status) != 0) continue;
        text += stamp_of(path, status);
    }
    return text;
}

std::string DebugInfo::missing(std::string_view file_name) const {
    if (names_headers(file_name)) {
        const auto error = errors_.find(std::string(file_name));
        return "no types of " + std::string(file_name.substr(file_name.find('<'))) +
               (error == errors_.end() ? "" : ": " + error->second);
    }
    if (!file_name.empty() && !subject().has_kernel() && find_programs(std::string(file_name)).empty())
        return subject().why_none(std::string(file_name)).why;
    if (file_name.find('/') != std::string_view::npos && file_name.find(".ko") == std::string_view::npos) {
        std::string error;
        for (const std::string &path : find_programs(std::string(file_name)))
            if (const DebugObject *object = program(path, error))
                return object->index ? path + " has no such thing" : missing_debug_information(*object);
        if (!error.empty()) return error;
        std::error_code ignored;
        const bool there = std::filesystem::exists(std::string(file_name), ignored);
        const std::string name = "'" + std::string(file_name) + "'";
        return there ? name + " is not a regular file" : "there is no file " + name;
    }
    if (sources_.release.empty()) return "there is no debug information";
    const std::string module = module_name(file_name);
    if (!module.empty() && !module_paths().count(module)) {
        std::vector<std::string> names;
        for (const auto &[name, path] : module_paths())
            names.push_back(name);
        return "kernel " + sources_.release + " has no module '" + module + "'" +
               similar_text(similar_names(module, names));
    }
    std::string text = "no debug information for " + (module.empty() ? "" : "module '" + module + "' of ") + "kernel " +
                       sources_.release + ": ";
    const std::string problem = btf_.problem(module),
                      whole = install_debug_information(sources_.root, sources_.release);
    // A running kernel has its BTF; another one's is in its image.
    if (module.empty() && !sources_.running && !btf() && problem.empty())
        text += install_image(sources_.root, sources_.release) +
                ", which tells parameters, results and types by its BTF; for local variables, source lines and inlined "
                "functions " +
                whole;
    else
        text += whole;
    if (const auto error = errors_.find(module); error != errors_.end()) return text + " (" + error->second + ")";
    if (!tried_.empty()) {
        text += " (no vmlinux is below ";
        for (const std::string &debug : sources_.debug_roots())
            text += debug + ", ";
        text += sources_.root + "/lib/modules/" + sources_.release + " or " + sources_.root + "/boot)";
    }
    return problem.empty() ? text : text + "; " + problem;
}

}  // namespace tapir::target
