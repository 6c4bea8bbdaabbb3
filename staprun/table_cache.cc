// SPDX-License-Identifier: GPL-2.0-or-later
#include "table_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <tapir/unwind.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "common/build_id.h"
#include "common/files.h"
#include "common/plain_text.h"

namespace tapir::staprun {

namespace {

using ull = unsigned long long;

constexpr size_t kMostOfOne = 256u << 20;
constexpr char kMagic[] = "tapir unwind table 1\n";

std::string name_of(const struct stat &status) {
    return format("%llx-%llx", ull{status.st_dev}, ull{status.st_ino});
}

// Debug files give names, too. One that comes, changes or goes makes another table.
std::string debug_identity(std::string_view build_id) {
    if (build_id.size() < 4) return "-";
    const std::string found = file_identity(debug_file_of_build(build_id));
    return found.empty() ? "-" : found;
}

// A block's own build-id; "" if it does not look like a table.
std::string_view build_id_of(std::string_view block) {
    const auto *table = reinterpret_cast<const tapir_unwind_table *>(block.data());
    if (block.size() < sizeof *table || table->magic != TAPIR_UNWIND_MAGIC || !table->nstrings ||
        table->nstrings > block.size() || table->build_id >= table->nstrings)
        return {};
    const std::string_view names = block.substr(block.size() - table->nstrings);
    const std::string_view id = names.substr(table->build_id);
    return id.substr(0, id.find('\0'));
}

// Changes with what unwind/ finds in the same file.
constexpr unsigned kFindings = 8;

std::string head_of(const struct stat &status, const std::string &path, const std::string &flavour,
                    std::string_view block) {
    const unsigned long sum = crc32(0, reinterpret_cast<const Bytef *>(block.data()), static_cast<uInt>(block.size()));
    const std::string text =
        format("%x.%u %s %lld %lld.%09ld %s %08lx %zu", TAPIR_UNWIND_MAGIC, kFindings, flavour.c_str(),
               static_cast<long long>(status.st_size), static_cast<long long>(status.st_ctim.tv_sec),
               status.st_ctim.tv_nsec, debug_identity(build_id_of(block)).c_str(), sum, block.size());
    // A multiple of 8: the table behind it is read as words.
    std::string head = kMagic + text + "\n" + path + "\n";
    head.resize((head.size() + 8) & ~size_t{7}, '\0');
    return head;
}

}  // namespace

bool TableCache::load(int descriptor, const std::string &path, std::string &block) const {
    struct stat status = {};
    if (directory_.empty() || fstat(descriptor, &status) != 0) return false;
    const std::string name = directory_ + "/" + name_of(status);
    std::string content;
    if (read_file(name.c_str(), kMostOfOne, content)) return false;
    const size_t path_at = content.find('\n', sizeof kMagic - 1) + 1;
    const size_t end = path_at ? content.find('\n', path_at) : std::string::npos;
    if (end == std::string::npos) return false;
    const size_t head = std::min((end + 1 + 8) & ~size_t{7}, content.size());
    const std::string_view table = std::string_view(content).substr(head);
    if (build_id_of(table).data() == nullptr) return false;
    if (std::string_view(content).substr(0, head) != head_of(status, path, flavour_, table)) return false;
    block = content.substr(head);
    // The most recently used ones stay longest.
    utimensat(AT_FDCWD, name.c_str(), nullptr, 0);
    return true;
}

// Only this user may put tables there.
bool TableCache::prepare() {
    if (prepared_ || directory_.empty()) return prepared_;
    for (size_t at = 1; at != std::string::npos;) {
        at = directory_.find('/', at + 1);
        const std::string part = directory_.substr(0, at);
        if (mkdir(part.c_str(), at == std::string::npos ? 0700 : 0755) != 0 && errno != EEXIST) break;
    }
    struct stat status = {};
    if (lstat(directory_.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
        (status.st_mode & 077)) {
        directory_.clear();
        return false;
    }
    make_room();
    return prepared_ = true;
}

void TableCache::make_room() const {
    struct Entry {
        int64_t used;
        std::string name;
        uint64_t bytes;
    };
    std::vector<Entry> entries;
    uint64_t all = 0;
    DIR *directory = opendir(directory_.c_str());
    while (const dirent *entry = directory ? readdir(directory) : nullptr) {
        struct stat status = {};
        const std::string name = directory_ + "/" + entry->d_name;
        if (lstat(name.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
        entries.push_back({status.st_mtime, name, static_cast<uint64_t>(status.st_size)});
        all += entries.back().bytes;
    }
    if (directory) closedir(directory);
    if (all <= kMost) return;
    std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) { return a.used < b.used; });
    for (const Entry &entry : entries) {
        if (all <= kMost / 2) break;
        if (unlink(entry.name.c_str()) == 0) all -= entry.bytes;
    }
}

void TableCache::store(int descriptor, const std::string &path, std::string_view block) {
    struct stat status = {};
    if (block.size() > kMostOfOne / 2 || fstat(descriptor, &status) != 0 || !prepare()) return;
    if (path.find('\n') != std::string::npos) return;
    std::string content = head_of(status, path, flavour_, block);
    content.append(block);
    replace_file(directory_ + "/" + name_of(status), content);
}

}  // namespace tapir::staprun
