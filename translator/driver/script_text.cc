// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/script_text.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "common/files.h"

namespace tapir::driver {
namespace {

std::optional<std::string> read_standard_input() {
    std::string text;
    errno = read_descriptor(STDIN_FILENO, SIZE_MAX, text);
    if (errno) return std::nullopt;
    return text;
}

std::unique_ptr<SourceFile> read_script(const std::string &path, Diagnostics &diagnostics) {
    std::string name = path == "-" ? "<input>" : path;
    std::optional<std::string> text = path == "-" ? read_standard_input() : read_file(path);
    if (!text && errno == ENOENT) {
        diagnostics.report(Tag::InputMissing, "Input file '" + path + "' is missing.");
        return nullptr;
    }
    if (!text) {
        diagnostics.report(Tag::InputUnreadable,
                           "Input file '" + path + "' can't be opened for reading: " + std::strerror(errno) + ".");
        return nullptr;
    }
    if (text->empty()) {
        diagnostics.report(Tag::InputEmpty, "Input file '" + name + "' is empty.");
        return nullptr;
    }
    return std::make_unique<SourceFile>(name, std::move(*text), Origin::UserScript);
}

}  // namespace

std::vector<std::unique_ptr<SourceFile>> read_sources(const Options &options, Diagnostics &diagnostics) {
    std::vector<std::unique_ptr<SourceFile>> sources;
    auto add = [&](const std::string &text) {
        sources.push_back(std::make_unique<SourceFile>("<input>", text, Origin::CommandLine));
    };
    if (options.script_file) {
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
