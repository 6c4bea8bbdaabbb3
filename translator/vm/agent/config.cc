// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/agent/config.h"

#include <cstdio>

namespace tapir::vm::agent {
namespace {

std::vector<std::string> words_of(const char *line) {
    std::vector<std::string> words(1);
    for (; *line && *line != '\n'; ++line) {
        if (*line == '\t')
            words.emplace_back();
        else
            words.back() += *line;
    }
    return words;
}

bool apply_setting(const std::vector<std::string> &words, Config &config) {
    const std::string &verb = words[0];
    if (verb == "module" && words.size() == 2)
        config.modules.push_back(words[1]);
    else if (verb == "root" && words.size() == 2)
        config.root_tag = words[1];
    else if (verb == "modules" && words.size() == 4 && (words[2] == "tag" || words[2] == "path"))
        config.modules_release = words[1], (words[2] == "tag" ? config.modules_tag : config.modules_path) = words[3];
    else if (verb == "share" && words.size() == 3)
        config.shares.push_back({words[1], words[2]});
    else if (verb == "network" && words.size() == 1)
        config.network = true;
    else if (verb == "probe" && words.size() == 1)
        config.probe = true;
    else
        return false;
    return true;
}

}  // namespace

bool read_config(const char *path, Config &config) {
    FILE *file = fopen(path, "re");
    if (!file) return false;
    char line[8192];
    bool good = true;
    while (good && fgets(line, sizeof line, file))
        good = apply_setting(words_of(line), config);
    fclose(file);
    return good;
}

}  // namespace tapir::vm::agent
