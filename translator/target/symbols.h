// SPDX-License-Identifier: GPL-2.0-or-later
// Names of the functions of the kernel that a script is for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tapir::target {

// Where names may be found. Empty members are not tried.
struct SymbolSources {
    std::string release;    // "6.1.0-56-amd64"
    std::string build_dir;  // headers or build tree; a vmlinux in it is read
    std::string image;      // vmlinuz; else /boot/vmlinuz-<release> and <modules>/vmlinuz are tried
    std::string cache_dir;  // extracted lists are kept here; empty: not kept
    std::string root;       // prefix of /proc, /boot, /lib and /usr; "" for the machine itself
};

// The function names of one kernel, sorted. Sources are tried in the order kallsyms of the running kernel, System.map,
// vmlinux with a symbol table, BTF of a vmlinux or of the compressed image. When none is there, names are not known.
class Symbols {
  public:
    // Names not known.
    Symbols() = default;
    explicit Symbols(std::vector<std::string> names, std::string source = "a list");
    // Reads the first source that has names. Never fails: see known() and tried().
    static Symbols load(const SymbolSources &sources);

    bool known() const { return !names_.empty(); }
    // What the names came from ("/proc/kallsyms", a path); for -v.
    const std::string &source() const { return source_; }
    // The places that were looked at without success, in order; for the message of an unknown state.
    const std::vector<std::string> &tried() const { return tried_; }

    bool has(std::string_view name) const;
    // Names that a pattern with *, ?, [] and {} matches, sorted.
    std::vector<std::string> match(const std::string &pattern) const;
    // Up to `limit` names near a misspelt one, best first.
    std::vector<std::string> similar(std::string_view name, size_t limit = 5) const;
    const std::vector<std::string> &names() const { return names_; }

  private:
    std::vector<std::string> names_;
    std::string source_;
    std::vector<std::string> tried_;
};

}  // namespace tapir::target
