// SPDX-License-Identifier: GPL-2.0-or-later
// Sizes of packages, and where those with debug symbols are, as apt tells.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tapir::prep {

struct PackageSize {
    uint64_t bytes = 0;      // of the package's file
    uint64_t installed = 0;  // bytes that it takes
};

// The sizes of those packages that apt knows.
std::map<std::string, PackageSize> sizes_of(const std::vector<std::string> &packages);

struct Download {
    size_t packages = 0;  // with those that they need and that are not installed
    uint64_t bytes = 0;
};

// The download by which apt would install them; of no packages if it does not tell.
Download download_of(const std::vector<std::string> &packages);

// Lines for a file below /etc/apt/sources.list.d that makes apt know packages with debug symbols, made of `targets`,
// lines "SITE RELEASE" of the archives that apt knows. "" if there is one already, or if this is not Debian's form.
std::string debug_sources(const std::string &targets);
// The same for this machine.
std::string debug_sources();

}  // namespace tapir::prep
