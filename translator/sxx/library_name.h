// SPDX-License-Identifier: GPL-2.0-or-later
// The shared library that $^libNAME_path means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tapir::sxx {

// A file that a process has mapped, or that a program needs.
struct Mapped {
    std::string path;   // how a probe point names it
    std::string known;  // its path as the process sees it, by which it is looked for
};

struct FoundLibrary {
    std::string path;                 // "": none
    std::vector<std::string> others;  // that the name might mean as well
};

// Finds a library by its name, which begins with "lib". libNAME with a version or without is an exact match. Else the
// first file counts whose name begins with NAME or libNAME, in the order of their paths.
FoundLibrary find_library(std::string_view name, std::vector<Mapped> files);

// Names that are exact matches, each once, sorted: "libpcre" of "/lib/libpcre2-8.so.0".
std::vector<std::string> library_names(const std::vector<Mapped> &files);

}  // namespace tapir::sxx
