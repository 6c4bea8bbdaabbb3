// SPDX-License-Identifier: GPL-2.0-or-later
// Names of the functions of the kernel that a script is for.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::target {

// Where names may be found. Empty members are not tried.
struct SymbolSources {
    std::string release;    // "6.1.0-56-amd64"
    std::string build_dir;  // headers or build tree: System.map and vmlinux in it
    std::string image;      // vmlinuz; else <root>/boot/vmlinuz-<release>
    std::string cache_dir;  // extracted lists are kept here; empty: not kept
    std::string root;       // prefix of /proc, /boot, /lib and /usr; "" is the machine itself
    bool running = false;   // this kernel runs here: ask /proc/kallsyms first
};

// The function names of one kernel, sorted. The first use reads the first source that has names: kallsyms of the
// running kernel, System.map, a vmlinux with a symbol table, the boot image's symbols, the BTF of a vmlinux or of the
// boot image. Without any source, names are unknown.
class Symbols {
  public:
    // Names not known.
    Symbols();
    explicit Symbols(SymbolSources sources);
    // A given list, for tests.
    static Symbols of(const std::vector<std::string> &names);

    bool known() const;
    // The source of the names ("/proc/kallsyms", a path); for -v.
    const std::string &source() const;
    // The places that were looked at without success, in order; for the message of an unknown state.
    const std::vector<std::string> &tried() const;

    bool has(std::string_view name) const;
    // Names that a pattern with *, ? and [] matches, sorted.
    std::vector<std::string> match(std::string_view pattern) const;
    // Up to `limit` names near a misspelt one, best first.
    std::vector<std::string> similar(std::string_view name, size_t limit = 5) const;
    const std::vector<std::string_view> &names() const;

  private:
    struct State {
        SymbolSources sources;
        bool loaded = false;
        std::string text;  // what `names` points into: one name per line
        std::vector<std::string_view> names;
        std::string source;
        std::vector<std::string> tried;
    };
    const State &state() const;

    std::shared_ptr<State> state_;  // shared by copies
};

}  // namespace tapir::target
