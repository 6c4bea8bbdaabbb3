// SPDX-License-Identifier: GPL-2.0-or-later
#include "command_files.h"

#include <elf.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "common/command_words.h"
#include "common/files.h"
#include "common/find_program.h"
#include "common/plain_text.h"
#include "target_command.h"
#include "unwind/bytes.h"
#include "unwind/elf_file.h"

namespace tapir::staprun {

namespace {

constexpr size_t kMaxFiles = 512, kMaxConfiguration = 1 << 16;

using Strings = std::vector<std::string>;

Strings split(const std::string &text, char separator) {
    Strings parts;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find(separator, at), text.size());
        if (end > at) parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

// Returns the directories of /etc/ld.so.conf and its included files, then the default ones.
Strings library_directories() {
    Strings directories, files = {"/etc/ld.so.conf"};
    for (size_t i = 0; i < files.size() && i < kMaxFiles; i++) {
        std::string text;
        if (read_file(files[i].c_str(), kMaxConfiguration, text)) continue;
        for (const std::string &line : split(text, '\n')) {
            if (line[0] == '/') directories.push_back(line);
            if (line.compare(0, 8, "include ") != 0) continue;
            glob_t found = {};
            if (glob(line.c_str() + 8, 0, nullptr, &found) == 0)
                files.insert(files.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
            globfree(&found);
        }
    }
    for (const char *directory : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"})
        directories.emplace_back(directory);
    return directories;
}

std::string find_in(const Strings &directories, const std::string &name) {
    if (name.find('/') != std::string::npos) return name;
    for (const std::string &directory : directories)
        if (access((directory + "/" + name).c_str(), R_OK) == 0) return directory + "/" + name;
    return {};
}

// The facts of the dynamic section.
struct Needs {
    Strings libraries, directories;
};

std::string replaced(std::string text, const std::string &origin) {
    for (const char *name : {"$ORIGIN", "${ORIGIN}"}) {
        const size_t at = text.find(name);
        if (at != std::string::npos) text.replace(at, std::string(name).size(), origin);
    }
    return text;
}

Needs needs_of(const unwind::ElfFile &file, const std::string &path) {
    Needs needs;
    const unwind::Section *dynamic = file.section(".dynamic");
    if (!dynamic || dynamic->link >= file.sections().size()) return needs;
    const std::string_view names = file.content(file.sections()[dynamic->link]);
    unwind::Bytes in(file.content(*dynamic));
    const std::string origin = path.substr(0, path.rfind('/'));
    while (in.size() - in.at() >= sizeof(Elf64_Dyn)) {
        const Elf64_Dyn entry = in.fixed<Elf64_Dyn>();
        if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_RUNPATH && entry.d_tag != DT_RPATH) continue;
        unwind::Bytes text(names);
        text.seek(entry.d_un.d_val);
        const std::string value(text.string());
        if (entry.d_tag == DT_NEEDED) {
            needs.libraries.push_back(value);
        } else {
            for (const std::string &directory : split(value, ':'))
                needs.directories.push_back(replaced(directory, origin));
        }
    }
    return needs;
}

// "#! /bin/sh -e"
Strings interpreter_of(const std::string &path) {
    std::string text;
    // A file that is longer is an error, too, but its beginning is there.
    read_file(path.c_str(), kMaxConfiguration, text);
    if (text.compare(0, 2, "#!") != 0) return {};
    const size_t start = text.find_first_not_of(" \t", 2);
    const size_t end = std::min(text.find_first_of(" \t\n", start), text.size());
    return start < end ? Strings{text.substr(start, end - start)} : Strings();
}

// The files a file names: of a script its interpreter.
Strings named_by(const std::string &path, const Strings &directories) {
    unwind::FileImage image;
    unwind::ElfFile file;
    if (image.open(path)) return {};
    if (!file.parse(image).empty()) {
        return interpreter_of(path);
    }
    Strings named;
    if (const unwind::Section *interpreter = file.section(".interp"))
        named.push_back(std::string(unwind::Bytes(file.content(*interpreter)).string()));
    Needs needs = needs_of(file, path);
    const char *more = getenv("LD_LIBRARY_PATH");
    for (const std::string &directory : split(more ? more : "", ':'))
        needs.directories.push_back(directory);
    needs.directories.insert(needs.directories.end(), directories.begin(), directories.end());
    for (const std::string &library : needs.libraries)
        named.push_back(find_in(needs.directories, library));
    return named;
}

constexpr size_t kMaxWords = 512, kMaxPrograms = 32;

// Returns the programs that a text for a shell names, as far as its words show: "while :; do ./work; done".
Strings programs_in(const std::string &text) {
    Strings programs, seen;
    const std::string path = search_path();
    for (size_t at = 0; at < text.size() && seen.size() < kMaxWords && programs.size() < kMaxPrograms;) {
        const size_t end = std::min(text.find_first_of(" \t\n;|&()<>\"'`=$", at), text.size());
        const std::string word = text.substr(at, end - at);
        at = end + 1;
        if (word.empty() || std::find(seen.begin(), seen.end(), word) != seen.end()) continue;
        seen.push_back(word);
        const bool is_path = word.find('/') != std::string::npos;
        Outcome<std::string> found = is_path ? word : find_program(word, {path});
        unwind::FileImage image;
        unwind::ElfFile file;
        if (found && is_file(*found) && access(found->c_str(), X_OK) == 0 && image.open(*found) == 0 &&
            file.parse(image).empty())
            programs.push_back(std::move(*found));
    }
    return programs;
}

// Returns programs that a shell will start: those in the command's own text, and in the script that it names.
Strings programs_of(const std::string &command, const std::string &program) {
    Strings programs = programs_in(command);
    if (is_file(program) && !interpreter_of(program).empty()) {
        std::string text;
        read_file(program.c_str(), kMaxConfiguration, text);
        for (std::string &one : programs_in(text))
            programs.push_back(std::move(one));
    }
    return programs;
}

}  // namespace

std::vector<std::string> files_of_command(const std::string &command) {
    Strings words;
    if (!split_words(command, words)) words = {"/bin/sh"};
    // A path is read whether or not it may be executed.
    const bool is_path = words[0].find('/') != std::string::npos;
    Outcome<std::string> program = is_path ? words[0] : find_program(words[0], {search_path()});
    if (!program) return {};
    Strings found = {std::move(*program)};
    const Strings directories = library_directories();
    // Short programs are gone before their tables could be made.
    for (std::string &one : programs_of(command, found[0]))
        if (std::find(found.begin(), found.end(), one) == found.end()) found.push_back(std::move(one));
    for (size_t i = 0; i < found.size() && found.size() < kMaxFiles; i++) {
        for (const std::string &name : named_by(std::string(found[i]), directories))
            if (!name.empty() && std::find(found.begin(), found.end(), name) == found.end()) found.push_back(name);
    }
    return found;
}

}  // namespace tapir::staprun
