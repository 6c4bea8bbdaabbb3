// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/inline_names.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "common/build_id.h"
#include "report/debug_information.h"
#include "report/profile.h"

namespace tapir::report {

namespace {

using Files = std::vector<DebugInformation *>;

// The files of an object that are on this machine, those with lines first.
std::vector<std::unique_ptr<DebugInformation>> open_all(const capture::Object &object) {
    std::vector<std::unique_ptr<DebugInformation>> out;
    const std::string &id = object.build_id;
    // Names of files are made of it.
    if (id.size() < 8 || id.find_first_not_of("0123456789abcdef") != std::string::npos) return out;
    for (const std::string &path : {debug_file_of_build(id), object.path}) {
        auto file = std::make_unique<DebugInformation>();
        if (file->open(path, id)) out.push_back(std::move(file));
    }
    return out;
}

// Better names for a place than `known`; none if there are none.
std::vector<capture::Function> better_names(const Files &files, uint64_t address,
                                            const std::vector<capture::Function> &known) {
    for (DebugInformation *file : files) {
        std::vector<capture::Function> functions = file->functions(address);
        if (functions.empty()) continue;
        // The symbols' name of the outermost function stays: pictures without inlined functions have the same one.
        if (!known.empty() && !known.back().name.empty()) functions.back().name = known.back().name;
        return functions;
    }
    if (!known.empty()) return {};
    for (DebugInformation *file : files)
        if (std::string name = file->symbol(address); !name.empty()) return {{std::move(name), "", 0, 0}};
    return {};
}

}  // namespace

std::vector<std::string> add_inline_names(capture::Capture &capture, const FetchedFiles &fetched) {
    // Nothing is fetched from a network.
    unsetenv("DEBUGINFOD_URLS");
    std::map<uint32_t, std::vector<capture::FrameKey>> places;
    for (const capture::Stack &stack : capture.stacks)
        for (const capture::Frame &frame : stack.frames)
            if (frame.kind == capture::FrameKind::File) places[frame.object].push_back(capture::key_of(frame));
    std::vector<std::string> missing;
    for (auto &[id, keys] : places) {
        const auto object = capture.objects.find(id);
        if (object == capture.objects.end()) continue;
        const std::vector<std::unique_ptr<DebugInformation>> here = open_all(object->second);
        Files files;
        for (const std::unique_ptr<DebugInformation> &file : here)
            files.push_back(file.get());
        if (const auto there = fetched.find(object->second.build_id); there != fetched.end())
            for (const std::unique_ptr<DebugInformation> &file : there->second)
                files.push_back(file.get());
        if (std::none_of(files.begin(), files.end(), [](const DebugInformation *file) { return file->has_lines(); }))
            missing.push_back("no debug information of this build of " + clean(object->second.path));
        std::sort(keys.begin(), keys.end());
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        for (const capture::FrameKey &key : keys) {
            const uint64_t address = key.place + object->second.bias - (key.called ? 1 : 0);
            const auto known = capture.names.find(key);
            std::vector<capture::Function> better = better_names(
                files, address, known == capture.names.end() ? std::vector<capture::Function>() : known->second);
            if (!better.empty()) capture.names.insert_or_assign(key, std::move(better));
        }
    }
    return missing;
}

}  // namespace tapir::report
