// SPDX-License-Identifier: GPL-2.0-or-later
// Kernel packages of the distribution, fetched with its own tools and unpacked, never installed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace tapir::vm {

// Told what takes time while it happens; may be empty.
using Progress = std::function<void(const std::string &)>;

class Packages {
  public:
    Packages(Progress progress, Diagnostics &diagnostics) : progress_(std::move(progress)), diagnostics_(diagnostics) {}

    // Reports when this machine has no apt-get, apt-cache or dpkg-deb.
    bool usable();
    // The release of the distribution's kernel for this architecture: "6.1.0-56-amd64". Reports why there is none.
    std::optional<std::string> newest_release();
    // `package` and those of its dependencies whose names start with one of `prefixes`, recursively. Reports an unknown
    // package, with the names near it.
    std::optional<std::vector<std::string>> closure(const std::string &package,
                                                    const std::vector<std::string> &prefixes);
    // Downloads them to `directory` and unpacks them below `root`; both exist. With `members`, patterns as tar has
    // them, only the files that match are unpacked.
    bool fetch(const std::vector<std::string> &packages, const std::string &directory, const std::string &root,
               const std::vector<std::string> &members = {});

  private:
    bool update_indexes(const std::string &reason);
    std::vector<std::string> dependencies(const std::string &package);
    std::string names_near(const std::string &package);
    void tell(const std::string &text) const;

    Progress progress_;
    Diagnostics &diagnostics_;
    bool updated_ = false;
};

// The `count` of `names` that share the longest beginnings with `wanted`, best first.
std::vector<std::string> nearest_names(const std::string &wanted, std::vector<std::string> names, size_t count);

}  // namespace tapir::vm
