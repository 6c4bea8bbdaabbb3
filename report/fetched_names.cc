// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/fetched_names.h"

#include <fcntl.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "common/build_id.h"
#include "debuginfod/debug_fetcher.h"

namespace tapir::report {

namespace {

constexpr size_t kMostFiles = 32;

Descriptor open_file(const std::string &path) {
    return Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

// Calls take(key, object) for each frame in a file of a known build.
template <typename Take>
void each_place(const capture::Capture &capture, const Take &take) {
    for (const capture::Stack &stack : capture.stacks)
        for (const capture::Frame &frame : stack.frames) {
            if (frame.kind != capture::FrameKind::File) continue;
            const auto object = capture.objects.find(frame.object);
            if (object != capture.objects.end() && debuginfod::is_debug_id(object->second.build_id))
                take(capture::key_of(frame), object->second);
        }
}

}  // namespace

std::string wanted_builds(const capture::Capture &capture, bool all) {
    std::map<std::string, size_t> places;
    each_place(capture, [&](const capture::FrameKey &key, const capture::Object &object) {
        if (all || !capture.names.contains(key)) places[object.build_id]++;
    });
    std::vector<std::pair<size_t, std::string>> sorted;
    for (const auto &[id, count] : places)
        sorted.emplace_back(count, id);
    std::sort(sorted.rbegin(), sorted.rend());
    sorted.resize(std::min(sorted.size(), kMostFiles));
    std::string out;
    for (const auto &[count, id] : sorted)
        out += id + "\n";
    return out;
}

std::vector<Descriptor> fetch_builds(std::string_view lines, const debuginfod::DebugServers &servers,
                                     std::vector<std::string> &notices) {
    using debuginfod::FileKind;
    std::vector<Descriptor> files;
    debuginfod::DebugFetcher fetcher(servers, [&notices](const std::string &line) { notices.push_back(line); });
    std::istringstream ids{std::string(lines)};
    std::set<std::string> seen;
    for (std::string id; std::getline(ids, id) && seen.size() < kMostFiles;) {
        if (!debuginfod::is_debug_id(id) || !seen.insert(id).second) continue;
        Descriptor file = open_file(debug_file_of_build(id));
        for (const FileKind kind : {FileKind::DebugInfo, FileKind::Executable}) {
            if (file.get() >= 0) break;
            // Programs that are not stripped have no file beside them.
            if (const Outcome<std::string> found = fetcher.find(kind, id)) file = open_file(*found);
        }
        if (file.get() >= 0) files.push_back(std::move(file));
    }
    if (fetcher.failure()) notices.push_back("not all names were fetched: " + fetcher.failure()->message());
    return files;
}

FetchedFiles take_files(int first, size_t count) {
    FetchedFiles files;
    for (size_t i = 0; i < std::min(count, kMostFiles); i++) {
        const Descriptor file(first + static_cast<int>(i));
        auto information = std::make_unique<DebugInformation>();
        if (information->open(file)) files[information->build_id()].push_back(std::move(information));
    }
    return files;
}

void add_fetched_names(capture::Capture &capture, const FetchedFiles &files) {
    each_place(capture, [&](const capture::FrameKey &key, const capture::Object &object) {
        const auto known = files.find(object.build_id);
        if (known == files.end() || capture.names.contains(key)) return;
        const uint64_t address = key.place + object.bias - (key.called ? 1 : 0);
        for (const std::unique_ptr<DebugInformation> &file : known->second)
            if (std::string name = file->symbol(address); !name.empty()) {
                capture.names.insert_or_assign(key, std::vector<capture::Function>{{std::move(name), "", 0, 0}});
                return;
            }
    });
}

}  // namespace tapir::report
