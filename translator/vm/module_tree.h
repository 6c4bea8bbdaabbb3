// SPDX-License-Identifier: GPL-2.0-or-later
// The modules of a kernel: which ones a name needs, in which order, and what is in their files.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace tapir::vm {

class ModuleTree {
  public:
    // `directory` is lib/modules/RELEASE. Reads modules.dep; where depmod has not been run (a package that was only
    // unpacked), looks at the files and at what they say about themselves.
    explicit ModuleTree(std::string directory);

    // Absolute paths of `names` and all they need, each once, a module after what it needs. Names that are built into
    // the kernel need nothing. Reports names that are neither.
    std::optional<std::vector<std::string>> resolve(const std::vector<std::string> &names, Diagnostics &diagnostics);

  private:
    struct Module {
        std::string path;                // absolute
        std::vector<std::string> needs;  // module names
        bool known_needs = false;
    };

    void read_index(std::string_view text);
    void read_directory();
    bool visit(const std::string &name, std::vector<std::string> &order, std::map<std::string, bool> &seen,
               Diagnostics &diagnostics);

    std::string directory_;
    std::map<std::string, Module, std::less<>> modules_;
    std::map<std::string, bool, std::less<>> built_in_;
};

// "nf_tables" of "kernel/net/netfilter/nf-tables.ko.xz"; "" if that is no module's file name.
std::string module_name(std::string_view path);

// The object in a module's file, decompressed (.ko, .ko.xz, .ko.zst, .ko.gz). Reports and returns nothing on failure.
std::optional<std::string> read_module(const std::string &path, Diagnostics &diagnostics);

// The names after "depends=" in a module object's .modinfo.
std::vector<std::string> module_needs(std::string_view object);

}  // namespace tapir::vm
