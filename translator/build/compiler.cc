// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/compiler.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "build/build_command.h"
#include "common/files.h"

namespace tapir::build {
namespace {

// In the order of their names.
std::vector<std::string> systems(const std::string &cache) {
    std::vector<std::string> found;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(cache + "/toolchains", error))
        found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
}

// "gcc-12 (Debian 12.2.0-14) 12.2.0". LLVM's says its version, not by what name it was called: "Debian clang version
// 14.0.6".
std::string name_of(std::string_view text, bool clang) {
    constexpr std::string_view kVersion = "clang version ";
    if (const size_t at = text.find(kVersion); clang && at != std::string_view::npos) {
        const std::string_view version = text.substr(at + kVersion.size());
        return "clang-" + std::string(version.substr(0, version.find_first_not_of("0123456789")));
    }
    const std::string_view program = text.substr(0, text.find(' '));
    return std::string(program.substr(program.rfind('/') + 1));
}

}  // namespace

Compiler choose_compiler(const target::Kernel &kernel, const std::string &cache) {
    Compiler compiler;
    const bool clang = kernel.config_value("CONFIG_CC_IS_CLANG") == "y";
    std::string wanted = name_of(kernel.config_value("CONFIG_CC_VERSION_TEXT"), clang);
    if (wanted.empty()) wanted = clang ? "clang" : "gcc";
    compiler.wanted = wanted;
    if (clang) compiler.make_args.push_back("LLVM=1");

    // "x86_64-linux-gnu-gcc-12" is also installed as "gcc-12", and "clang-14" may be there as "clang" only, which is
    // what kbuild calls it.
    std::vector<std::string> names{wanted};
    if (const size_t plain = wanted.rfind(clang ? "clang" : "gcc"); plain != std::string::npos && plain != 0)
        names.push_back(wanted.substr(plain));
    if (clang && wanted != "clang") names.push_back("clang");
    auto take = [&](const std::string &name, const std::string &system) {
        Outcome<std::string> found = find_tool(name, system);
        if (!found) return false;
        compiler.program = std::move(*found);
        compiler.system = system;
        if (name != (clang ? "clang" : wanted)) compiler.make_args.push_back("CC=" + name);
        return true;
    };
    auto found_in = [&](const std::string &system) {
        return std::any_of(names.begin(), names.end(), [&](const std::string &name) { return take(name, system); });
    };
    // The headers of a kernel that is installed here are not seen from there.
    std::vector<std::string> others;
    if (!hidden_by_system(kernel.build_dir)) others = systems(cache);
    if (!found_in("") && std::none_of(others.begin(), others.end(), found_in)) {
        take(clang ? "clang" : "gcc", "");
        compiler.substitute = true;
    }
    compiler.identity = compiler.program + " " + file_identity(compiler.program);
    return compiler;
}

}  // namespace tapir::build
