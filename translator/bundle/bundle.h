// SPDX-License-Identifier: GPL-2.0-or-later
// A module with all that a machine without anything else of Tapir needs to run it, in one file.
#pragma once

#include <string>
#include <vector>

namespace tapir::bundle {

struct Contents {
    std::string name;       // of the module, without ".ko": letters a-z, digits, "_"
    std::string module;     // bytes of NAME.ko
    std::string signature;  // bytes of NAME.ko.sig; "" when there is none
    std::string loader;     // bytes of staprun
    std::string script;     // the script's file, or what stands for it
    std::string script_sha256;
    std::string release;                    // `uname -r` of the kernel
    std::string build_id;                   // of the kernel, hexadecimal; "" when it is not known
    std::string arch;                       // `uname -m`
    std::string version;                    // Tapir's
    std::vector<std::string> options = {};  // staprun's words before the module
    std::vector<std::string> globals = {};  // and after it: NAME=VALUE
};

// Why these bytes cannot be the loader of a bundle ("it needs shared libraries"); "" when they can: a 64-bit ELF
// program that is linked statically.
std::string loader_problem(const std::string &bytes);

// Text of the bundle's program, in the language of POSIX sh.
std::string run_script(const Contents &contents);

// Text of metadata.json.
std::string metadata(const Contents &contents);

// The whole bundle, a tar file: the same bytes for the same contents. `problem` says why when it is "".
std::string archive(const Contents &contents, std::string &problem);

}  // namespace tapir::bundle
