// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/tapset_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "common/files.h"

namespace tapir::driver {

namespace {

constexpr const char *kOwnTapsets = "/systemtap/tapset";
constexpr const char *kOwnTools = "/tapir/tools";

// A variable of the environment that is there and not empty.
std::string environment(const char *name, const std::string &otherwise) {
    const char *value = std::getenv(name);
    return value && *value ? value : otherwise;
}

// "" if there is none. `name` is below the user's directory for data.
std::string own_directory(const char *name) {
    const std::string home = environment("HOME", "");
    const std::string data = environment("XDG_DATA_HOME", home.empty() ? "" : home + "/.local/share");
    const std::string directory = data + name;
    return data.starts_with('/') && is_directory(directory) ? directory : "";
}

// Tapsets may hold embedded C. Where someone else can write, as when root runs with a user's environment, nothing is
// taken from.
bool is_trusted(const std::string &directory) {
    struct stat info = {};
    if (stat(directory.c_str(), &info) != 0) return false;
    return (info.st_uid == geteuid() || info.st_uid == 0) && (info.st_mode & S_IWOTH) == 0;
}

}  // namespace

library::IndexOptions tapset_path(const std::vector<std::string> &include_dirs, const std::string &shipped) {
    library::IndexOptions options;
    options.directories = include_dirs;
    const std::string own = own_directory(kOwnTapsets);
    if (!own.empty() && is_trusted(own)) options.directories.push_back(own);
    options.directories.push_back(environment("SYSTEMTAP_TAPSET", shipped));
    std::istringstream list(environment("XDG_DATA_DIRS", "/usr/local/share:/usr/share"));
    for (std::string directory; std::getline(list, directory, ':');) {
        directory += "/systemtap/tapset";
        if (directory.starts_with('/') && is_directory(directory))
            options.other_directories.push_back(std::move(directory));
    }
    return options;
}

std::vector<std::string> tool_path(const std::string &shipped) {
    std::vector<std::string> directories;
    const std::string own = own_directory(kOwnTools);
    if (!own.empty() && is_trusted(own)) directories.push_back(own);
    directories.push_back(shipped);
    return directories;
}

void check_tapset_path(const std::vector<std::string> &include_dirs, Diagnostics &diagnostics) {
    for (const std::string &directory : include_dirs)
        if (!is_directory(directory))
            diagnostics.report(Tag::TapsetDirectory, "there is no tapset directory '" + directory + "' (-I)");
    const std::string own = own_directory(kOwnTapsets);
    if (!own.empty() && !is_trusted(own))
        diagnostics.report(Tag::TapsetDirectory,
                           "the tapsets in '" + own + "' are not used, since others than you and root can write there");
}

}  // namespace tapir::driver
