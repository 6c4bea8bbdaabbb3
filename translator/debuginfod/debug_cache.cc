// SPDX-License-Identifier: GPL-2.0-or-later
#include "debuginfod/debug_cache.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "common/descriptor.h"
#include "common/files.h"
#include "common/hash.h"

namespace fs = std::filesystem;

namespace tapir::debuginfod {

namespace {

// As elfutils has them: cache_miss_s, max_unused_age_s.
constexpr time_t kMissing = 600, kUnused = 7 * 86400;

bool is_older(const timespec &then, time_t seconds) {
    return time(nullptr) - then.tv_sec > seconds;
}

}  // namespace

std::string_view word_of(FileKind kind) {
    return kind == FileKind::DebugInfo ? "debuginfo" : "executable";
}

bool is_debug_id(std::string_view build_id) {
    return build_id.size() >= 8 && build_id.size() <= 128 && build_id.size() % 2 == 0 &&
           build_id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string debug_id_of(const std::string &path) {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    elf_version(EV_CURRENT);
    Elf *elf = file.get() < 0 ? nullptr : elf_begin(file.get(), ELF_C_READ, nullptr);
    const void *id = nullptr;
    const ssize_t bytes = elf ? dwelf_elf_gnu_build_id(elf, &id) : 0;
    std::string out;
    if (bytes > 0) out = to_hex(static_cast<const unsigned char *>(id), static_cast<size_t>(bytes));
    if (elf) elf_end(elf);
    return out;
}

std::string DebugCache::path_of(FileKind kind, const std::string &build_id) const {
    return directory_ + "/" + build_id + "/" + std::string(word_of(kind));
}

std::optional<std::string> DebugCache::find(FileKind kind, const std::string &build_id) const {
    std::string path = path_of(kind, build_id);
    struct stat about = {};
    if (stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0) return std::nullopt;
    if (debug_id_of(path) == build_id) return path;
    unlink(path.c_str());
    return std::nullopt;
}

bool DebugCache::is_known_missing(FileKind kind, const std::string &build_id) const {
    const std::string path = path_of(kind, build_id);
    struct stat about = {};
    if (stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_size != 0) return false;
    if (!is_older(about.st_mtim, kMissing)) return true;
    unlink(path.c_str());
    return false;
}

Outcome<std::string> DebugCache::keep(FileKind kind, const std::string &build_id, const std::string &file) const {
    std::string path = path_of(kind, build_id);
    std::error_code error;
    fs::create_directories(directory_ + "/" + build_id, error);
    if (chmod(file.c_str(), 0400) != 0 || rename(file.c_str(), path.c_str()) != 0)
        return Fault{FaultTag::FileUnwritable, path + ": " + std::strerror(errno)};
    return path;
}

void DebugCache::note_missing(FileKind kind, const std::string &build_id) const {
    std::error_code error;
    fs::create_directories(directory_ + "/" + build_id, error);
    const std::string path = path_of(kind, build_id);
    unlink(path.c_str());
    // No permissions at all, as elfutils has it.
    const Descriptor made(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0));
}

void DebugCache::sweep() const {
    std::error_code error;
    for (fs::directory_iterator at(directory_, error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename();
        if (!is_debug_id(name)) continue;
        bool unused = true;
        for (const FileKind kind : {FileKind::DebugInfo, FileKind::Executable}) {
            struct stat about = {};
            const std::string path = path_of(kind, name);
            if (stat(path.c_str(), &about) != 0) continue;
            // File systems that are mounted without access times have at least when the file was made.
            const timespec &last = about.st_atim.tv_sec > about.st_mtim.tv_sec ? about.st_atim : about.st_mtim;
            if (is_older(last, about.st_size ? kUnused : kMissing))
                unlink(path.c_str());
            else
                unused = false;
        }
        // Fails where elfutils keeps other files.
        if (unused) rmdir((directory_ + "/" + name).c_str());
    }
}

}  // namespace tapir::debuginfod
