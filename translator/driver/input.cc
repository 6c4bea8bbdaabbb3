// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tapir::driver {
namespace {

bool read_descriptor(int fd, std::string &text) {
    char buffer[65536];
    for (;;) {
        ssize_t got = read(fd, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return false;
        if (got == 0) return true;
        text.append(buffer, static_cast<size_t>(got));
    }
}

std::unique_ptr<SourceFile> read_script(const std::string &path, Diagnostics &diagnostics) {
    std::string text;
    std::string name = path == "-" ? "<input>" : path;
    bool read = path == "-" ? read_descriptor(STDIN_FILENO, text) : read_file(path, text);
    if (!read && errno == ENOENT) {
        diagnostics.report(Tag::InputMissing, "Input file '" + path + "' is missing.");
        return nullptr;
    }
    if (!read) {
        diagnostics.report(Tag::InputUnreadable,
                           "Input file '" + path + "' can't be opened for reading: " + std::strerror(errno) + ".");
        return nullptr;
    }
    if (text.empty()) {
        diagnostics.report(Tag::InputEmpty, "Input file '" + name + "' is empty.");
        return nullptr;
    }
    return std::make_unique<SourceFile>(name, std::move(text), Origin::UserScript);
}

}  // namespace

bool read_file(const std::string &path, std::string &text) {
    int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool read = read_descriptor(fd, text);
    int saved = errno;
    close(fd);
    errno = saved;
    return read;
}

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
