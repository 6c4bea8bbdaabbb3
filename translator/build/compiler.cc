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

}  // namespace

Compiler choose_compiler(const target::Kernel &kernel, const std::string &cache) {
    Compiler compiler;
    std::string_view text = kernel.config_value("CONFIG_CC_VERSION_TEXT");  // "gcc-12 (Debian 12.2.0-14) 12.2.0"
    std::string wanted(text.substr(0, text.find(' ')));
    wanted = wanted.substr(wanted.rfind('/') + 1);
    bool clang = kernel.config_value("CONFIG_CC_IS_CLANG") == "y";
    if (wanted.empty()) wanted = clang ? "clang" : "gcc";
    compiler.wanted = wanted;
    if (clang) compiler.make_args.push_back("LLVM=1");

    // "x86_64-linux-gnu-gcc-12" is also installed as "gcc-12".
    std::vector<std::string> names{wanted};
    if (const size_t plain = wanted.rfind(clang ? "clang" : "gcc"); plain != std::string::npos && plain != 0)
        names.push_back(wanted.substr(plain));
    auto take = [&](const std::string &name, const std::string &system) {
        Outcome<std::string> found = find_tool(name, system);
        if (!found) return false;
        compiler.program = std::move(*found);
        compiler.system = system;
        if (name != wanted) compiler.make_args.push_back("CC=" + name);
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
