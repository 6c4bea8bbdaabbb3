// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/tracepoint_systems.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/kernel_tree.h"
#include "common/files.h"

namespace tapir::target {

namespace {

namespace fs = std::filesystem;

bool is_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string_view word_at(std::string_view text, size_t at) {
    size_t end = at;
    while (end < text.size() && is_word(text[end]))
        ++end;
    return text.substr(at, end - at);
}

size_t skip_space(std::string_view text, size_t at) {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\\'))
        ++at;
    return at;
}

bool is_known(const std::vector<std::string> &names, const std::string &name) {
    return std::binary_search(names.begin(), names.end(), name);
}

// Directories with headers like include/trace/events, of the sources that the kernel was built from.
std::vector<std::string> header_directories(const TracepointSources &sources) {
    const std::string holds = "include/trace/events";
    std::vector<std::string> trees;
    if (!sources.build_dir.empty()) trees.push_back(source_tree(sources.build_dir, holds));
    if (!sources.release.empty()) trees.push_back(sources.root + "/lib/modules/" + sources.release + "/source");
    std::vector<std::string> directories;
    std::error_code error;
    for (const std::string &tree : trees) {
        if (tree.empty() || !is_directory(tree + "/" + holds)) continue;
        directories.push_back(tree + "/" + holds);
        for (fs::directory_iterator arch(tree + "/arch", error), end; !error && arch != end; arch.increment(error))
            if (is_directory(arch->path() / "include/asm/trace"))
                directories.push_back(arch->path() / "include/asm/trace");
        break;
    }
    return directories;
}

std::vector<Tracepoint> read_headers(const TracepointSources &sources, const std::vector<std::string> &names) {
    std::vector<Tracepoint> found;
    std::error_code error;
    for (const std::string &directory : header_directories(sources))
        for (fs::directory_iterator file(directory, error), end; !error && file != end; file.increment(error))
            read_trace_header(read_file(file->path()).value_or(""), names, found);
    return found;
}

// <tracefs>/events/SYSTEM/EVENT/
std::vector<Tracepoint> read_tracefs(const TracepointSources &sources, const std::vector<std::string> &names) {
    std::vector<Tracepoint> found;
    for (const char *mount : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
        std::error_code error;
        for (fs::directory_iterator system(sources.root + mount + "/events", error), end; !error && system != end;
             system.increment(error)) {
            std::error_code inner;
            for (fs::directory_iterator event(system->path(), inner); !inner && event != end; event.increment(inner))
                if (const std::string name = event->path().filename(); is_known(names, name))
                    found.push_back({system->path().filename(), name});
        }
        if (!found.empty()) break;
    }
    return found;
}

}  // namespace

void read_trace_header(std::string_view text, const std::vector<std::string> &names, std::vector<Tracepoint> &found) {
    constexpr std::string_view kSystem = "#define TRACE_SYSTEM ", kEvent = "EVENT";
    std::string system;
    for (size_t line = 0; line < text.size(); line = std::min(text.find('\n', line), text.size() - 1) + 1) {
        if (text.substr(line).starts_with(kSystem)) {
            system = word_at(text, line + kSystem.size());
            continue;
        }
        // "TRACE_EVENT(name,", "DEFINE_EVENT(class, name,", or a macro of the header's own that ends in one of them.
        const size_t start = skip_space(text, line);
        const std::string_view macro = word_at(text, start);
        size_t at = start + macro.size();
        if (system.empty() || macro.find(kEvent) == std::string_view::npos || at >= text.size() || text[at] != '(')
            continue;
        for (int argument = 0; argument < 2; ++argument) {
            at = skip_space(text, at + 1);
            const std::string word(word_at(text, at));
            // Some macros make two of one.
            for (const char *suffix : {"", "_entry", "_exit"})
                if (!word.empty() && is_known(names, word + suffix)) found.push_back({system, word + suffix});
            at = skip_space(text, at + word.size());
            if (at >= text.size() || text[at] != ',') break;
        }
    }
}

std::vector<Tracepoint> find_systems(std::vector<std::string> names, const TracepointSources &sources) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::vector<Tracepoint> found;
    if (sources.running) found = read_tracefs(sources, names);
    if (found.empty()) found = read_headers(sources, names);
    std::map<std::string, std::string> systems;
    for (const Tracepoint &tracepoint : found)
        systems.emplace(tracepoint.name, tracepoint.system);
    std::vector<Tracepoint> all;
    for (const std::string &name : names) {
        const auto system = systems.find(name);
        all.push_back({system == systems.end() ? "" : system->second, name});
    }
    return all;
}

}  // namespace tapir::target
