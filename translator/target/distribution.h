// SPDX-License-Identifier: GPL-2.0-or-later
// Names of packages, by the distribution in etc/os-release.
#pragma once

#include <string>

namespace tapir::target {

// How to get a kernel's build tree: "install the package linux-headers-R (apt-get install linux-headers-R)".
std::string install_headers(const std::string &root, const std::string &release);
// True if apt's index has the package. Runs apt-cache, for up to a second.
bool apt_knows(const std::string &package);
// Returns why `install_headers()` is of no use: the kernel does not come from the distribution, by its release or apt's
// index; "" if the package may exist. On a machine with apt this runs apt-cache if `root` is "/", for up to a second.
std::string no_headers_package(const std::string &root, const std::string &release);
// How to get a kernel's image, which is small, and has BTF.
std::string install_image(const std::string &root, const std::string &release);
// How to get a kernel's debug information.
std::string install_debug_information(const std::string &root, const std::string &release);
// Likewise a compiler ("gcc-12") or another program that is called as its package.
std::string install_program(const std::string &root, const std::string &name);

}  // namespace tapir::target
