// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/kernel_symbols.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>

#include "base/name_patterns.h"
#include "target/symbol_readers.h"

namespace tapir::target {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kHeader = "tapir kernel functions 2";

// Entry points the compiler splits off or adds beside a function are not functions to users.
bool is_function_name(std::string_view name) {
    return !name.empty() && name.find(".cold") == std::string_view::npos && !name.starts_with("__pfx_") &&
           !name.starts_with("__cfi_");
}

std::string join_sorted(std::vector<std::string> names) {
    std::erase_if(names, [](const std::string &name) { return !is_function_name(name); });
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::string text;
    for (const std::string &name : names)
        text.append(name).append("\n");
    return text;
}

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    for (size_t start = 0; start < text.size();) {
        size_t end = std::min(text.find('\n', start), text.size());
        lines.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return lines;
}

// Names a kept list by its sources; empty if the file is not there.
std::string cache_file(const SymbolSources &sources, const std::string &path, bool btf) {
    struct stat info {};
    if (sources.cache_dir.empty() || stat(path.c_str(), &info) != 0) return "";
    std::ostringstream key;
    key << path << (btf ? " BTF " : " ") << info.st_size << ' ' << info.st_mtim.tv_sec << '.' << info.st_mtim.tv_nsec;
    std::ostringstream name;
    name << sources.cache_dir << "/symbols-" << sources.release << '-' << std::hex
         << std::hash<std::string>{}(key.str());
    return name.str();
}

std::string read_kept(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    std::string header;
    if (path.empty() || !std::getline(in, header) || header != kHeader) return "";
    return {std::istreambuf_iterator<char>(in), {}};
}

// Beside and renamed, so that no reader sees half of it. Failure only costs time later.
void keep_names(const std::string &path, const std::string &text) {
    if (path.empty()) return;
    std::error_code error;
    fs::create_directories(fs::path(path).parent_path(), error);
    const std::string part = path + "." + std::to_string(getpid());
    std::ofstream out(part, std::ios::binary);
    out << kHeader << "\n" << text;
    out.close();
    if (out) fs::rename(part, path, error);
    if (!out || error) fs::remove(part, error);
}

using NameReader = std::vector<std::string> (*)(const std::string &);
struct Source {
    std::string path;
    NameReader read;
    bool cached;
};

std::vector<Source> places(const SymbolSources &s) {
    std::vector<Source> list;
    auto add = [&](const std::string &path, NameReader read, bool cached = true) {
        if (!path.empty()) list.push_back({path, read, cached});
    };
    if (s.running) add(s.root + "/proc/kallsyms", read_symbol_lines, false);
    if (!s.build_dir.empty()) add(s.build_dir + "/System.map", read_symbol_lines);
    if (!s.release.empty()) {
        add(s.root + "/boot/System.map-" + s.release, read_symbol_lines);
        add(s.root + "/usr/lib/debug/boot/System.map-" + s.release, read_symbol_lines);
    }
    if (!s.build_dir.empty()) add(s.build_dir + "/vmlinux", read_kernel_file);
    if (!s.release.empty()) {
        add(s.root + "/usr/lib/debug/boot/vmlinux-" + s.release, read_kernel_file);
        add(s.root + "/usr/lib/debug/lib/modules/" + s.release + "/vmlinux", read_kernel_file);
    }
    add(s.image, read_kernel_file);
    if (!s.release.empty()) {
        add(s.root + "/boot/vmlinuz-" + s.release, read_kernel_file);
        add(s.root + "/lib/modules/" + s.release + "/vmlinuz", read_kernel_file);
    }
    // Headers may come with a vmlinux that has no symbols of functions.
    if (!s.build_dir.empty()) add(s.build_dir + "/vmlinux", read_btf_functions);
    add(s.image, read_btf_functions);
    if (!s.release.empty()) add(s.root + "/boot/vmlinuz-" + s.release, read_btf_functions);
    return list;
}

}  // namespace

Symbols::Symbols() : state_(std::make_shared<State>()) {
    state_->loaded = true;
}

Symbols::Symbols(SymbolSources sources) : state_(std::make_shared<State>()) {
    state_->sources = std::move(sources);
}

Symbols Symbols::of(const std::vector<std::string> &names) {
    Symbols symbols;
    symbols.state_->text = join_sorted(names);
    symbols.state_->names = split_lines(symbols.state_->text);
    symbols.state_->source = "a list";
    return symbols;
}

const Symbols::State &Symbols::state() const {
    State &state = *state_;
    if (state.loaded) return state;
    state.loaded = true;
    for (const Source &place : places(state.sources)) {
        const std::string kept =
            place.cached ? cache_file(state.sources, place.path, place.read == read_btf_functions) : "";
        state.text = read_kept(kept);
        if (state.text.empty()) {
            state.text = join_sorted(place.read(place.path));
            if (!state.text.empty()) keep_names(kept, state.text);
        }
        if (!state.text.empty()) {
            state.source = place.path;
            break;
        }
        if (std::find(state.tried.begin(), state.tried.end(), place.path) == state.tried.end())
            state.tried.push_back(place.path);
    }
    state.names = split_lines(state.text);
    return state;
}

bool Symbols::known() const {
    return !state().names.empty();
}
const std::string &Symbols::source() const {
    return state().source;
}
const std::vector<std::string> &Symbols::tried() const {
    return state().tried;
}
const std::vector<std::string_view> &Symbols::names() const {
    return state().names;
}

bool Symbols::has(std::string_view name) const {
    return std::binary_search(names().begin(), names().end(), name);
}

std::vector<std::string> Symbols::match(std::string_view pattern) const {
    // Only names that begin with the pattern's literal start can match.
    std::string_view prefix = pattern.substr(0, std::min(pattern.find_first_of("*?[\\"), pattern.size()));
    std::vector<std::string> found;
    for (auto it = std::lower_bound(names().begin(), names().end(), prefix); it != names().end(); ++it) {
        if (!it->starts_with(prefix)) break;
        if (glob_match(pattern, *it)) found.emplace_back(*it);
    }
    return found;
}

std::vector<std::string> Symbols::similar(std::string_view name, size_t limit) const {
    return similar_views(name, names(), limit);
}

}  // namespace tapir::target
