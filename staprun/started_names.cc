// SPDX-License-Identifier: GPL-2.0-or-later
#include "started_names.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "common/command_words.h"
#include "common/descriptor.h"
#include "common/files.h"
#include "common/find_program.h"
#include "target_command.h"

namespace tapir::staprun {

namespace {

constexpr size_t kMostCommandLine = 4096;

std::string real_path(const std::string &path) {
    char room[PATH_MAX];
    return realpath(path.c_str(), room) ? room : "";
}

void add(const std::string &word, StartedNames &names) {
    const std::string link = typed_path(word), file = link.empty() ? "" : real_path(link);
    if (file.empty() || file.substr(file.rfind('/')) == link.substr(link.rfind('/'))) return;
    const auto [at, fresh] = names.try_emplace(file, link);
    // "" tells that there are several.
    if (!fresh && at->second != link) at->second.clear();
}

// The first word of a process's command line: programs that show their state there put it behind their name.
std::string first_word(const std::string &directory) {
    std::string line;
    const Descriptor file(open((directory + "/cmdline").c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) return "";
    // One that is longer has a first word all the same.
    [[maybe_unused]] const int error = read_descriptor(file.get(), kMostCommandLine, line);
    return line.substr(0, line.find_first_of(std::string_view("\0 :", 3)));
}

}  // namespace

StartedNames find_started_names(const std::string &command, const std::string &proc) {
    StartedNames names;
    std::vector<std::string> words;
    if (split_words(command, words))
        for (const std::string &word : words)
            add(word, names);
    const std::unique_ptr<DIR, int (*)(DIR *)> directory(opendir(proc.c_str()), closedir);
    while (const dirent *entry = directory ? readdir(directory.get()) : nullptr) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        if (const std::string word = first_word(proc + "/" + entry->d_name); !word.empty()) add(word, names);
    }
    std::erase_if(names, [](const auto &name) { return name.second.empty(); });
    return names;
}

std::string typed_path(const std::string &word) {
    const Outcome<std::string> found = find_program(word);
    const size_t slash = found ? found->rfind('/') : std::string::npos;
    if (slash == std::string::npos) return "";
    const std::string directory = real_path(found->substr(0, slash + 1));
    return directory.empty() ? "" : (directory == "/" ? "" : directory) + found->substr(slash);
}

std::string started_name_of(const std::string &process, const std::string &file) {
    StartedNames names;
    if (const std::string word = first_word(process); !word.empty()) add(word, names);
    return started_name(names, file);
}

std::string started_name(const StartedNames &names, const std::string &path) {
    const auto found = names.find(path);
    return found == names.end() ? "" : found->second;
}

}  // namespace tapir::staprun
