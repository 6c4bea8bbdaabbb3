// SPDX-License-Identifier: GPL-2.0-or-later
// The debug information of a kernel and its modules: where it is, opened when it is asked for.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dwarf/functions.h"
#include "dwarf/index.h"
#include "dwarf/object.h"
#include "dwarf/types.h"
#include "target/scope.h"

namespace tapir::target {

// One object with debug information: the kernel itself, or a module.
struct DebugObject {
    std::string module;  // as the kernel names it, "" for the kernel itself
    std::unique_ptr<dwarf::Object> object;
    std::unique_ptr<dwarf::Index> index;
    std::unique_ptr<dwarf::Types> types;

    std::optional<Anchor> anchor(uint64_t linked_address) const;
};

struct DebugSources {
    std::string release;    // "6.1.0-56-amd64"
    std::string build_dir;  // a build tree may have a vmlinux
    std::string root;       // prefix of /usr, /lib and /boot; "" is the machine itself
    std::string cache_dir;  // indexes are kept in its index/; empty: not kept
};

class DebugInfo {
  public:
    // None: for tests and scripts that need no kernel.
    DebugInfo() = default;
    explicit DebugInfo(DebugSources sources) : sources_(std::move(sources)) {}

    // Null when there is none; missing() says why. The result lives as long as this.
    const DebugObject *kernel() const;
    // By the kernel's name or the file's ("snd-pcm" is "snd_pcm").
    const DebugObject *module(std::string_view name) const;
    // Names of the modules of this kernel that match a pattern, sorted; '-' and '_' are the same.
    std::vector<std::string> modules(std::string_view pattern) const;
    // What to install or where it was looked for: "no debug information for kernel R: install package ... (looked at
    // ...)".
    std::string missing(std::string_view module = "") const;

  private:
    std::string kernel_file() const;
    std::string module_file(const std::string &name) const;
    const std::map<std::string, std::string> &module_paths() const;
    const DebugObject *open(const std::string &module, const std::string &path) const;

    DebugSources sources_;
    mutable std::map<std::string, std::unique_ptr<DebugObject>> open_;  // null: tried without success
    mutable std::map<std::string, std::string> errors_;
    mutable std::vector<std::string> tried_;
    mutable bool listed_ = false;
    mutable std::map<std::string, std::string> module_paths_;  // name as the kernel has it -> path below lib/modules/R
};

// What is visible at a place that the debug information of `object` describes; `object` must outlive it.
std::unique_ptr<Scope> make_scope(const DebugObject &object, const dwarf::CodeSite &site);
// Of no place in particular: global variables and types of the whole object, for @var and @cast.
std::unique_ptr<Scope> make_scope(const DebugObject &object);

}  // namespace tapir::target
