// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/format_files.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string_view>

#include "common/files.h"
#include "common/standard_output.h"
#include "driver/script_text.h"
#include "format/format_script.h"

namespace tapir::driver {
namespace {

struct Task {
    bool check = false;
    bool in_place = false;
    std::vector<std::string> files;
};

// Reports a word that cannot be.
Task read_task(const std::vector<std::string> &words, Diagnostics &diagnostics) {
    Task task;
    bool options = true;
    for (const std::string &word : words)
        if (!options || word == "-" || !word.starts_with('-'))
            task.files.push_back(word);
        else if (word == "--")
            options = false;
        else if (word == "--check")
            task.check = true;
        else if (word == "--in-place" || word == "-i")
            task.in_place = true;
        else
            diagnostics.report(Tag::UsageError, "Unknown option '" + word +
                                                    "' of --format (should be --check, --in-place or -i, then files).");
    if (task.check && task.in_place)
        diagnostics.report(Tag::UsageError, "The --check and --in-place options of --format exclude each other.");
    if (task.files.empty()) task.files = {"-"};
    if (task.in_place && std::ranges::find(task.files, "-") != task.files.end())
        diagnostics.report(Tag::UsageError, "The --in-place option of --format needs files.");
    return task;
}

// False if the file is as it should not be.
bool take_file(const std::string &path, const Task &task, std::vector<std::unique_ptr<SourceFile>> &sources,
               Diagnostics &diagnostics) {
    sources.push_back(read_script(path, diagnostics));
    const SourceFile *source = sources.back().get();
    if (!source) return false;
    const auto text = formatter::format_script(*source, {}, diagnostics);
    if (!text) return false;
    const bool same = *text == source->text();
    if (task.check) {
        if (!same) print_output(source->name() + "\n");
        return same;
    }
    if (!task.in_place) {
        print_output(*text);
        return true;
    }
    if (same) return true;
    const Outcome<void> written = write_file(path, *text);
    if (!written) diagnostics.report(Tag::UsageError, "Cannot write " + written.fault().message() + ".");
    return bool(written);
}

}  // namespace

bool asks_to_format(std::span<char *const> words) {
    if (words.empty() || std::string_view(words[0]) != "--format") return false;
    if (words.size() == 1) return true;
    const std::string_view next = words[1];
    return next != "text" && next != "json" && next != "csv";
}

int format_files(const std::vector<std::string> &words) {
    Diagnostics diagnostics;
    // Messages point into the texts.
    std::vector<std::unique_ptr<SourceFile>> sources;
    const Task task = read_task(words, diagnostics);
    bool good = !diagnostics.has_errors();
    for (const std::string &path : good ? task.files : std::vector<std::string>{})
        good = take_file(path, task, sources, diagnostics) && good;
    std::fputs(render_all(diagnostics, true).c_str(), stderr);
    return good ? 0 : 1;
}

}  // namespace tapir::driver
