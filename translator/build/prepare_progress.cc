// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/prepare_progress.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "build/plan.h"
#include "build/template.h"
#include "common/files.h"

namespace fs = std::filesystem;

namespace tapir::build {
namespace {

// In bytes of C that take as long: measured with gcc 12 on two processors. One processor asks the kernel's headers for
// their features while the other waits.
constexpr uint64_t kFeatures = 120000, kPrecompiled = 30000, kLink = 30000;

// The files that a part of the module includes: "kmod/x.c", "runtime/y.c".
std::vector<std::string> included(const std::string &text) {
    static constexpr std::string_view kInclude = "#include \"";
    std::vector<std::string> files;
    for (size_t at = 0; (at = text.find(kInclude, at)) != std::string::npos;) {
        at += kInclude.size();
        const std::string name = text.substr(at, text.find('"', at) - at);
        if (name.ends_with(".c")) files.push_back(name);
    }
    return files;
}

}  // namespace

PrepareProgress::PrepareProgress(const std::string &source_root, const std::string &work) {
    const auto text = [&](const std::string &file) { return read_file(source_root + "/" + file).value_or(""); };
    std::map<std::string, uint64_t> costs;
    std::set<std::string> in_parts;
    for (const std::string &file : source_files(source_root)) {
        const std::string directory = fs::path(file).parent_path();
        const bool is_part = directory == "kmod/parts";
        if (!file.ends_with(".c") || (!is_part && directory != "kmod" && directory != "runtime")) continue;
        const std::string content = text(file);
        costs[file] = content.size();
        if (!is_part) continue;
        for (const std::string &name : included(content)) {
            costs[file] += text(name).size();
            in_parts.insert(name);
        }
    }
    steps_.push_back({work + "/tapir_kernel_features.h", kFeatures});
    // GCC leaves it there until all is done. Other compilers do not write it; then it counts with the next steps.
    steps_.push_back({work + "/kmod/precompiled.h.gch", kPrecompiled});
    for (const auto &[file, cost] : costs)
        if (!in_parts.contains(file)) steps_.push_back({work + "/" + file.substr(0, file.size() - 1) + "o", cost});
    steps_.push_back({work + "/" + std::string(kPlaceholder) + ".ko", kLink});
}

Extent PrepareProgress::extent() {
    Extent extent;
    for (const Step &step : steps_) {
        extent.whole += step.cost;
        if (is_file(step.made)) extent.done += step.cost;
    }
    extent.done = most_ = std::max(most_, extent.done);
    return extent;
}

}  // namespace tapir::build
