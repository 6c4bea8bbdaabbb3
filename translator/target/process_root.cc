// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/process_root.h"

#include <sys/stat.h>

#include <filesystem>
#include <vector>

#include "common/files.h"

namespace tapir::target {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;  // as the kernel has it

// The components of a path are put on a stack, the first one on top.
void push(std::vector<std::string> &todo, const fs::path &path) {
    std::vector<std::string> parts;
    for (const fs::path &part : path.relative_path())
        parts.push_back(part.string());
    todo.insert(todo.end(), parts.rbegin(), parts.rend());
}

// Without symbolic links, below the root; "" when there are too many.
std::string resolve_below(const std::string &root, const std::string &path) {
    std::vector<std::string> todo;
    push(todo, path);
    fs::path done = "/";
    for (int links = 0; !todo.empty();) {
        const std::string part = todo.back();
        todo.pop_back();
        if (part.empty() || part == ".") continue;
        if (part == "..") {
            done = done.parent_path();
            continue;
        }
        std::error_code none;
        const fs::path link = fs::read_symlink(root + (done / part).string(), none);
        if (none) {
            done /= part;
            continue;
        }
        if (++links > kMaxLinks) return {};
        if (link.is_absolute()) done = "/";
        push(todo, link);
    }
    return done.string();
}

}  // namespace

bool is_same_file(const std::string &a, const std::string &b) {
    struct stat one = {}, other = {};
    return stat(a.c_str(), &one) == 0 && stat(b.c_str(), &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

std::string root_of_process(int64_t pid) {
    const std::string process = "/proc/" + std::to_string(pid);
    std::error_code error;
    const fs::path its = fs::read_symlink(process + "/ns/mnt", error);
    if (error || (its == fs::read_symlink("/proc/self/ns/mnt", error) && is_same_file(process + "/root", "/")))
        return {};
    return process + "/root";
}

std::string root_of_path(std::string_view path) {
    constexpr std::string_view kProc = "/proc/", kRoot = "/root/";
    if (!path.starts_with(kProc)) return {};
    const size_t digits = path.find_first_not_of("0123456789", kProc.size());
    if (digits == std::string_view::npos || digits == kProc.size() || !path.substr(digits).starts_with(kRoot))
        return {};
    return std::string(path.substr(0, digits + kRoot.size() - 1));
}

std::string canonical_file(const std::string &root, const std::string &path) {
    if (root.empty()) {
        std::error_code error;
        const std::string whole = fs::canonical(path, error).string();
        if (!error && is_same_file(whole, path)) return is_file(whole) ? whole : std::string();
        return path.starts_with("/proc/") && is_file(path) ? path : std::string();
    }
    const std::string below = resolve_below(root, path);
    if (below.empty() || !is_file(root + below)) return {};
    return is_same_file(root + below, below) ? below : root + below;
}

}  // namespace tapir::target
