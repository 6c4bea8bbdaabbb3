// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel that a script is translated for, and this machine's files to build for it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"

namespace tapir::target {

// NAME -> value of a kernel's .config, names with their CONFIG_ prefix: "y", "m", a number, or a string without its
// quotes. Options that are not set are absent.
using KernelConfig = std::map<std::string, std::string, std::less<>>;

KernelConfig parse_config(std::string_view text);

struct Kernel {
    std::string release;    // as `uname -r` prints it: "6.1.0-56-amd64"
    std::string arch;       // as `uname -m` prints it: "x86_64"
    std::string build_dir;  // absolute: Makefile, .config, Module.symvers; "" if not there (and not required)
    std::string image;      // bootable vmlinuz; "" if not found
    std::string modules;    // lib/modules/RELEASE; "" if not found
    std::string root;       // where its packages are: "/" or <cache>/kernels/RELEASE
    bool is_running = false;

    // "6.1.0" of "6.1.0-56-amd64": what %( kernel_v %) compares.
    std::string version() const;
    // Read from build_dir/.config, else from boot/config-RELEASE or modules/config, on first use; empty when there is
    // neither. Not thread-safe; copies share it.
    const KernelConfig &config() const;
    // The text they are read from; "" if it is missing.
    std::string config_text() const;
    // Value of one option ("CONFIG_MODVERSIONS"), "" when not set.
    std::string_view config_value(std::string_view name) const;

  private:
    mutable std::shared_ptr<const KernelConfig> config_;
};

struct FindOptions {
    bool require_build_tree = true;  // false: a kernel without headers is fine too (passes 1 to 3, --vm)
    // For tests and for other roots; the defaults are this machine's.
    std::string root = "/";
    std::string cache;            // "" = cache_dir()
    std::string running_release;  // "" = uname -r
    std::string machine;          // "" = uname -m
};

// Finds a kernel. `which` is a release, an absolute path of a build tree, or "" for the running kernel. Searches for a
// release in lib/modules/RELEASE/build, usr/src/linux-headers-RELEASE and usr/src/kernels/RELEASE of the root, then of
// <cache>/kernels/RELEASE. A tree of packages unpacked there is made usable in its place on first sight. Without a
// usable tree where one is required, reports the reason and the package to install, and returns nothing.
std::optional<Kernel> find_kernel(std::string_view which, const FindOptions &options, Diagnostics &diagnostics);

}  // namespace tapir::target
