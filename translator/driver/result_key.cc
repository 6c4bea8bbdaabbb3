// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/result_key.h"

#include <algorithm>
#include <filesystem>

#include "build/hash.h"

namespace tapir::driver {
namespace {

namespace fs = std::filesystem;

void add_tapset_files(build::Hasher &hash, const std::string &directory) {
    std::vector<std::string> lines;
    std::error_code error;
    for (fs::recursive_directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
        if (!at->is_regular_file(error)) continue;
        auto time = at->last_write_time(error).time_since_epoch().count();
        lines.push_back(at->path().string() + " " + std::to_string(at->file_size(error)) + " " + std::to_string(time));
    }
    std::sort(lines.begin(), lines.end());
    for (const std::string &line : lines)
        hash.add(line);
}

}  // namespace

std::string result_key(const State &state, const std::string &base_key) {
    const Options &o = state.options;
    build::Hasher hash;
    hash.add(base_key);
    hash.add(kLanguageVersion);
    for (const auto &source : state.sources)
        hash.add(source->name()).add(source->text());
    for (const std::string &argument : o.script_args)
        hash.add("argument").add(argument);
    for (const NameValue &define : o.defines)
        hash.add("-D").add(define.name).add(define.value);
    for (const NameValue &global : o.globals)
        hash.add("-G").add(global.name);
    for (bool flag : {o.guru, o.unoptimized, o.autoprint, o.suppress_handler_errors, o.warnings_as_errors})
        hash.add(flag ? "1" : "0");
    hash.add(o.compatible);
    for (const std::string &argument : o.kbuild)
        hash.add("-B").add(argument);
    for (const NameValue &entry : o.modinfo)
        hash.add("modinfo").add(entry.name).add(entry.value);
    for (const std::string &directory : tapset_directories(o)) {
        hash.add(directory);
        add_tapset_files(hash, directory);
    }
    return hash.hex();
}

}  // namespace tapir::driver
