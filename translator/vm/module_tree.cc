// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/module_tree.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "common/files.h"
#include "common/run_program.h"

namespace fs = std::filesystem;

namespace tapir::vm {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        size_t end = std::min(text.find(separator), text.size());
        if (end > 0) parts.push_back(text.substr(0, end));
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return parts;
}

}  // namespace

std::string module_name(std::string_view path) {
    path.remove_prefix(path.rfind('/') + 1);
    size_t end = path.find(".ko");
    if (end == std::string_view::npos) return "";
    std::string_view suffix = path.substr(end + 3);
    if (!suffix.empty() && suffix != ".xz" && suffix != ".zst" && suffix != ".gz") return "";
    std::string name(path.substr(0, end));
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

std::vector<std::string> module_needs(std::string_view object) {
    // Strings of .modinfo follow each other, zero-terminated; no other section has one that starts like this.
    constexpr std::string_view key("\0depends=", 9);
    size_t at = object.find(key);
    if (at == std::string_view::npos) return {};
    std::string_view value = object.substr(at + key.size());
    value = value.substr(0, value.find('\0'));
    std::vector<std::string> needs;
    for (std::string_view name : split(value, ',')) {
        needs.emplace_back(name);
        std::replace(needs.back().begin(), needs.back().end(), '-', '_');
    }
    return needs;
}

std::optional<std::string> read_module(const std::string &path, Diagnostics &diagnostics) {
    std::string tool;
    if (path.ends_with(".xz")) tool = "xz";
    if (path.ends_with(".zst")) tool = "zstd";
    if (path.ends_with(".gz")) tool = "gzip";
    if (tool.empty()) {
        auto bytes = read_file(path);
        if (!bytes) diagnostics.report(Tag::VmModuleUnreadable, "cannot read the kernel module " + path);
        return bytes;
    }
    Outcome<std::string> bytes = output_of({tool, "-dc", path});
    if (bytes) return std::move(*bytes);
    const Fault &fault = bytes.fault();
    diagnostics.report(Tag::VmModuleUnreadable,
                       "cannot decompress the kernel module " + path +
                           (fault.tag == FaultTag::ProgramMissing ? ": install " + tool : ": " + fault.message()));
    return std::nullopt;
}

ModuleTree::ModuleTree(std::string directory) : directory_(std::move(directory)) {
    auto index = read_file(directory_ + "/modules.dep");
    if (index && !index->empty())
        read_index(*index);
    else
        read_directory();
    auto built_in = read_file(directory_ + "/modules.builtin").value_or("");
    for (std::string_view path : split(built_in, '\n'))
        built_in_[module_name(path)] = true;
}

// "kernel/fs/9p/9p.ko: kernel/net/9p/9pnet.ko kernel/fs/netfs/netfs.ko"
void ModuleTree::read_index(std::string_view text) {
    for (std::string_view line : split(text, '\n')) {
        size_t colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        std::string_view path = line.substr(0, colon);
        Module module;
        module.path = path.starts_with('/') ? std::string(path) : directory_ + "/" + std::string(path);
        module.known_needs = true;
        for (std::string_view need : split(line.substr(colon + 1), ' '))
            module.needs.push_back(module_name(need));
        modules_.insert_or_assign(module_name(path), std::move(module));
    }
}

void ModuleTree::read_directory() {
    std::error_code error;
    fs::recursive_directory_iterator entries(directory_ + "/kernel", error), end;
    for (; !error && entries != end; entries.increment(error)) {
        std::string name = module_name(entries->path().string());
        if (!name.empty()) modules_[name].path = entries->path().string();
    }
}

bool ModuleTree::visit(const std::string &name, std::vector<std::string> &order, std::map<std::string, bool> &seen,
                       Diagnostics &diagnostics) {
    if (!seen.emplace(name, true).second) return true;
    auto found = modules_.find(name);
    if (found == modules_.end()) {
        if (built_in_.contains(name)) return true;
        diagnostics.report(Tag::VmModuleMissing, "the kernel in " + directory_ + " has no module " + name +
                                                     ", without which a guest cannot reach its root file system");
        return false;
    }
    Module &module = found->second;
    if (!module.known_needs) {
        auto object = read_module(module.path, diagnostics);
        if (!object) return false;
        module.needs = module_needs(*object);
        module.known_needs = true;
    }
    for (const std::string &need : module.needs)
        if (!visit(need, order, seen, diagnostics)) return false;
    order.push_back(module.path);
    return true;
}

std::optional<std::vector<std::string>> ModuleTree::resolve(const std::vector<std::string> &names,
                                                            Diagnostics &diagnostics) {
    std::vector<std::string> order;
    std::map<std::string, bool> seen;
    for (const std::string &name : names)
        if (!visit(name, order, seen, diagnostics)) return std::nullopt;
    return order;
}

}  // namespace tapir::vm
