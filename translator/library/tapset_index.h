// SPDX-License-Identifier: GPL-2.0-or-later
// Index of tapset directories: names found by a scan that is much cheaper than parsing, kept on disk between runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/source.h"

namespace tapir::library {

// The definitions of one file at top level. Conditionals are not evaluated: names of all branches are there.
struct Names {
    std::vector<std::string> functions, globals, aliases, macros;  // aliases: dotted component names
};

// Cheap scan of a .stp or .stpm text. Never fails; broken text gives the names that were recognised.
Names scan(std::string_view text);

struct IndexedFile {
    std::string path;
    int64_t mtime_ns = 0;
    uint64_t size = 0;
    bool macros_only = false;                          // .stpm
    size_t level = 0;                                  // the directory it is in, by precedence from 0
    bool fills_gaps = false;                           // of IndexOptions::other_directories
    std::string program;                               // below PATH/: what "process" stands for in it, "/usr/bin/cat"
    bool table = false;                                // .table: what system calls mean, for others to read
    std::shared_ptr<const SourceFile> text = nullptr;  // its text, where that is not the one below the path
    Names names = {};
};

struct IndexOptions {
    // Searched recursively. A subdirectory whose name is a kernel version or an architecture is entered only if it is
    // the target's; a file in a more specific directory replaces one of the same name in a less specific one.
    // Files below a directory PATH are about programs: PATH/usr/bin/cat.stp about /usr/bin/cat.
    std::vector<std::string> directories;
    // Searched after them, for names that none of them defines: tapsets that were written for other implementations.
    std::vector<std::string> other_directories;
    std::string release;    // of the target: "6.1.0-56-amd64"
    std::string arch;       // "x86_64"
    std::string cache_dir;  // empty: nothing is kept
};

// The files that apply to the target, in order of precedence: paths, sizes and times; names are left empty.
std::vector<IndexedFile> list_files(const IndexOptions &options);
// Adds texts, which count more than all files.
void add_texts(const std::vector<std::shared_ptr<const SourceFile>> &texts, std::vector<IndexedFile> &files);

class Index {
  public:
    Index() = default;
    // Reads only those of the listed files that changed since the kept index.
    static Index build(const IndexOptions &options, std::vector<IndexedFile> files);
    static Index build(const IndexOptions &options) { return build(options, list_files(options)); }

    const std::vector<IndexedFile> &files() const { return files_; }
    // Positions in files().
    std::vector<size_t> function(std::string_view name) const { return find(functions_, name); }
    std::vector<size_t> global(std::string_view name) const { return find(globals_, name); }
    std::vector<size_t> macro(std::string_view name) const { return find(macros_, name); }
    struct Alias {
        std::string name;  // dotted
        size_t file;
    };
    const std::vector<Alias> &aliases() const { return aliases_; }
    // All function names, for "similar:" lists.
    std::vector<std::string> function_names() const { return names_of(functions_); }
    std::vector<std::string> macro_names() const { return names_of(macros_); }
    // Files that had to be read by build().
    size_t scanned() const { return scanned_; }

  private:
    using Map = std::unordered_multimap<std::string, size_t>;
    static std::vector<std::string> names_of(const Map &map);
    static std::vector<size_t> find(const Map &map, std::string_view name);
    bool is_taken(const Map &map, const std::string &name) const;
    void reserve(const std::vector<IndexedFile> &files);
    void add(IndexedFile file);

    std::vector<IndexedFile> files_;
    Map functions_, globals_, macros_;
    std::vector<Alias> aliases_;
    std::optional<std::unordered_set<std::string>>
        taken_aliases_;  // those that gap fillers may not have, once there are any
    size_t scanned_ = 0;
};

}  // namespace tapir::library
