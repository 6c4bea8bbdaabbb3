// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/script_text.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/help.h"
#include "base/name_patterns.h"
#include "common/files.h"
#include "common/regular_file.h"

namespace tapir::driver {
namespace {

std::optional<std::string> read_text(const std::string &path) {
    std::string text;
    errno = path == "-" ? read_descriptor(STDIN_FILENO, kMaxText, text) : read_file(path.c_str(), kMaxText, text);
    if (errno) return std::nullopt;
    return text;
}

// Scripts of the folder with nearly this name.
std::string near_files(const std::string &path) {
    const std::filesystem::path wanted(path), folder = wanted.has_parent_path() ? wanted.parent_path() : ".";
    std::vector<std::string> names;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().extension() == ".stp") names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    const std::vector<std::string> near = similar_names(wanted.filename().string(), names, 1);
    return near.empty() ? "" : "there is " + (wanted.parent_path() / near.front()).string();
}

}  // namespace

std::unique_ptr<SourceFile> read_script(const std::string &path, Diagnostics &diagnostics) {
    std::string name = path == "-" ? "<input>" : path;
    std::optional<std::string> text = read_text(path);
    if (!text && errno == ENOENT) {
        add_help(diagnostics.report(Tag::InputMissing, "Input file '" + path + "' is missing."),
                 path.find('{') == std::string::npos ? near_files(path)
                                                     : "the text of a script follows -e: stap -e '" + path + "'");
        return nullptr;
    }
    if (!text) {
        const int error = errno;
        Diagnostic &told = diagnostics.report(
            Tag::InputUnreadable, "Input file '" + name + "' can't be opened for reading: " + file_error(error) + ".");
        if (error == kNotRegular)
            add_help(told, "what comes from elsewhere goes through standard input: stap - <" + path);
        if (error == EFBIG) add_help(told, "a script has at most " + std::to_string(kMaxText >> 20) + " MB");
        return nullptr;
    }
    if (text->empty()) {
        diagnostics.report(Tag::InputEmpty, "Input file '" + name + "' is empty.");
        return nullptr;
    }
    return std::make_unique<SourceFile>(name, std::move(*text), Origin::UserScript);
}

std::vector<std::unique_ptr<SourceFile>> read_sources(const Options &options, Diagnostics &diagnostics) {
    std::vector<std::unique_ptr<SourceFile>> sources;
    auto add = [&](const std::string &text) {
        sources.push_back(std::make_unique<SourceFile>("<input>", text, Origin::CommandLine));
    };
    if (options.script_file && options.tool) {
        // Its head has been read: this is the text that the head is of.
        sources.push_back(std::make_unique<SourceFile>(options.tool->file->name(),
                                                       std::string(options.tool->file->text()), Origin::UserScript));
    } else if (options.script_file) {
        if (auto source = read_script(*options.script_file, diagnostics)) sources.push_back(std::move(source));
    }
    if (options.script_text && options.script_text->empty())
        diagnostics.report(Tag::InputEmpty, "Input file '<input>' is empty.");
    else if (options.script_text)
        add(*options.script_text);
    if (options.list_pattern) add("probe " + *options.list_pattern + " { }");
    for (const std::string &text : options.additional_text)
        add(text);
    return sources;
}

}  // namespace tapir::driver
