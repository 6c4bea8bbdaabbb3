// SPDX-License-Identifier: GPL-2.0-or-later
// What packages are called, by the distribution that etc/os-release names.
#pragma once

#include <string>

namespace tapir::target {

// How to get a kernel's build tree: "install the package linux-headers-R (apt-get install linux-headers-R)".
std::string install_headers(const std::string &root, const std::string &release);
// Whether apt's index has the package. Runs apt-cache, for up to a second.
bool apt_knows(const std::string &package);
// Why `install_headers()` is of no use: the kernel does not come from the distribution, as its release or apt's index
// tell; "" if the package may exist. On a machine with apt this runs apt-cache when `root` is "/", for up to a second.
std::string no_headers_package(const std::string &root, const std::string &release);
// How to get a kernel's image, which is small, and has BTF.
std::string install_image(const std::string &root, const std::string &release);
// How to get a kernel's debug information.
std::string install_debug_information(const std::string &root, const std::string &release);
// Likewise a compiler ("gcc-12") or another program that is called as its package.
std::string install_program(const std::string &root, const std::string &name);

}  // namespace tapir::target
