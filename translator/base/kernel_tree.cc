// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/kernel_tree.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "common/files.h"

namespace tapir {
namespace {

// A variable of relocated makefiles: three directories up.
constexpr std::string_view kRoot = "$(tapir_root)";

}  // namespace

bool relocate_makefile(std::string &makefile) {
    size_t replaced = 0;
    for (std::string_view path : {"/usr/src/", "/usr/lib/linux-kbuild"})
        for (size_t at = makefile.find(path); at != std::string::npos; at = makefile.find(path, at + path.size())) {
            if (at > 0 && (isalnum(static_cast<unsigned char>(makefile[at - 1])) || makefile[at - 1] == ')')) continue;
            makefile.insert(at, kRoot);
            at += kRoot.size();
            ++replaced;
        }
    if (replaced == 0) return false;
    makefile.insert(0, "tapir_root := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))../../..)\n");
    return true;
}

std::string source_tree(const std::string &build_dir, const std::string &holds) {
    constexpr std::string_view kInclude = "include ", kMakefile = "/Makefile";
    const auto has = [&](const std::string &tree) { return access((tree + "/" + holds).c_str(), R_OK) == 0; };
    if (has(build_dir)) return build_dir;
    const std::string makefile = read_file(build_dir + "/Makefile").value_or("");
    for (size_t at = 0; at < makefile.size();) {
        const size_t end = std::min(makefile.find('\n', at), makefile.size());
        const std::string_view line = std::string_view(makefile).substr(at, end - at);
        at = end + 1;
        if (!line.starts_with(kInclude) || !line.ends_with(kMakefile)) continue;
        std::string tree(line.substr(kInclude.size(), line.size() - kInclude.size() - kMakefile.size()));
        if (tree.starts_with(kRoot)) tree = build_dir + "/../../.." + tree.substr(kRoot.size());
        if (!tree.starts_with('/')) tree = build_dir + "/" + tree;
        if (has(tree)) return tree;
    }
    return has(build_dir + "/source") ? build_dir + "/source" : "";
}

}  // namespace tapir
