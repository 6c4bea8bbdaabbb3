// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/running_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/name_patterns.h"
#include "common/build_id.h"
#include "common/descriptor.h"
#include "common/files.h"
#include "target/process_root.h"
#include "target/program_files.h"

namespace tapir::target {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMinBuildId = 16;  // hexadecimal digits
constexpr std::string_view kDeleted = " (deleted)";

std::string process_directory(int64_t pid) {
    return "/proc/" + std::to_string(pid);
}

std::string without_deleted(std::string path) {
    if (path.ends_with(kDeleted)) path.resize(path.size() - kDeleted.size());
    return path;
}

// A mapping with code of a file.
struct Mapping {
    std::string path;  // with " (deleted)" if the file is
    std::string link;  // /proc/PID/exe or /proc/PID/map_files/...
    uint64_t inode = 0;
};

std::vector<Mapping> code_of(int64_t pid) {
    const std::string exe = process_directory(pid) + "/exe";
    std::error_code error;
    const std::string program = fs::read_symlink(exe, error).string();
    std::istringstream lines(read_file(process_directory(pid) + "/maps").value_or(""));
    std::vector<Mapping> found;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream in(line);
        std::string range, permissions, offset, device;
        Mapping mapping;
        if (!(in >> range >> permissions >> offset >> device >> mapping.inode)) continue;
        std::getline(in >> std::ws, mapping.path);
        if (permissions.find('x') == std::string::npos || !mapping.path.starts_with('/')) continue;
        // A user with access to a process may follow this link, but not always those of its mappings.
        mapping.link = mapping.path == program ? exe : process_directory(pid) + "/map_files/" + range;
        found.push_back(std::move(mapping));
    }
    return found;
}

// The file by its name, if that still means it, else by the link.
std::string path_of(const Mapping &mapping, const std::string &root) {
    std::string path = canonical_file(root, mapping.path);
    struct stat named = {}, linked = {};
    if (!path.empty() && stat(path.c_str(), &named) == 0) {
        const bool known = stat(mapping.link.c_str(), &linked) == 0;
        // Without the right to follow the link, the inode's number has to do.
        if (known ? named.st_dev == linked.st_dev && named.st_ino == linked.st_ino : named.st_ino == mapping.inode)
            return path;
    }
    return mapping.link;
}

std::string build_id_below(const std::string &path) {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    return file.get() < 0 ? std::string() : build_id_of_file(file.get());
}

std::vector<std::string> linked_files(std::string_view id, const std::string &root) {
    std::vector<std::string> files;
    for (const std::string_view directory : {"/usr/lib/debug/.build-id/", "/usr/lib/.build-id/"}) {
        std::string file = canonical_file(
            root, std::string(directory) + std::string(id.substr(0, 2)) + "/" + std::string(id.substr(2)));
        if (!file.empty()) files.push_back(std::move(file));
    }
    return files;
}

std::vector<std::string> running_files(std::string_view id) {
    std::vector<std::string> files;
    std::set<std::string> seen;
    std::error_code error;
    for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        const int64_t pid = std::strtoll(name.c_str(), nullptr, 10);
        const std::string root = root_of_process(pid);
        for (const Mapping &mapping : code_of(pid)) {
            if (!seen.insert(root + mapping.path + "\n" + std::to_string(mapping.inode)).second) continue;
            std::string path = path_of(mapping, root);
            if (build_id_below(path) == id) files.push_back(std::move(path));
        }
    }
    return files;
}

std::vector<std::string> installed_files(std::string_view id, const std::string &root) {
    std::vector<std::string> files;
    for (const std::string &directory : installed_directories(root)) {
        std::error_code error;
        for (fs::directory_iterator at(root + directory, error), end; !error && at != end; at.increment(error))
            if (at->is_regular_file(error) && build_id_below(at->path().string()) == id)
                files.push_back(canonical_file(root, directory + "/" + at->path().filename().string()));
    }
    return files;
}

}  // namespace

std::string program_of_process(int64_t pid) {
    const std::string link = process_directory(pid) + "/exe";
    std::error_code error;
    const fs::path target = fs::read_symlink(link, error);
    if (error) return {};
    std::string path = canonical_file(root_of_process(pid), target.string());
    if (!path.empty() && is_same_file(path, link)) return path;
    return is_file(link) ? link : std::string();
}

std::vector<std::string> mapped_files(int64_t pid, std::string_view pattern) {
    const bool whole = pattern.find('/') != std::string_view::npos;
    const std::string root = root_of_process(pid);
    std::set<std::string> files;
    std::string wanted(pattern);
    // The kernel knows no symbolic links on the way to a file.
    std::error_code error;
    const fs::path directory = fs::canonical(fs::path(wanted).parent_path(), error);
    if (whole && root.empty() && !error) wanted = (directory / fs::path(wanted).filename()).string();
    for (const Mapping &mapping : code_of(pid)) {
        const std::string path = without_deleted(mapping.path);
        const std::string name = whole ? path : path.substr(path.rfind('/') + 1);
        if (name == wanted || glob_match(wanted, name)) files.insert(path_of(mapping, root));
    }
    return {files.begin(), files.end()};
}

bool is_build_id(std::string_view name) {
    return name.size() >= kMinBuildId && name.size() % 2 == 0 &&
           name.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::vector<std::string> files_of_build_id(std::string_view text, const std::string &root) {
    std::string id(text);
    std::transform(id.begin(), id.end(), id.begin(), [](char c) { return c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c; });
    std::vector<std::string> files = linked_files(id, root);
    if (files.empty()) files = running_files(id);
    if (files.empty()) files = installed_files(id, root);
    return files;
}

// Returns the PID in "/proc/12/exe" and "/proc/12/map_files/..."; 0 for other paths.
static int64_t process_of_link(std::string_view path) {
    constexpr std::string_view kProc = "/proc/";
    if (!path.starts_with(kProc)) return 0;
    const size_t end = path.find_first_not_of("0123456789", kProc.size());
    if (end == std::string_view::npos) return 0;
    const std::string_view rest = path.substr(end);
    if (rest != "/exe" && !rest.starts_with("/map_files/")) return 0;
    return std::strtoll(std::string(path.substr(kProc.size(), end - kProc.size())).c_str(), nullptr, 10);
}

std::string root_of_link(const std::string &path) {
    const int64_t pid = process_of_link(path);
    return pid ? root_of_process(pid) : std::string();
}

std::string former_path(const std::string &path) {
    if (!process_of_link(path)) return path;
    std::error_code error;
    const fs::path target = fs::read_symlink(path, error);
    return error ? path : without_deleted(target.string());
}

}  // namespace tapir::target
