// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <vector>

#include "common/files.h"
#include "common/hash.h"

namespace fs = std::filesystem;

namespace tapir::build {
namespace {

constexpr uint64_t kMegabyte = 1 << 20;
// The file beside each stored one: its SHA-256, a space and its name. Its time stamp is when the entry was last used.
constexpr const char *kSeal = "seal";

std::optional<uint64_t> number(const std::string &text) {
    uint64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end == text.data()) return std::nullopt;
    return value;
}

// Reads a file of an entry. Does not follow links: a user who could put one here would have other files served as
// entries.
std::optional<std::string> read_entry_file(const std::string &entry, const std::string &name) {
    const int directory = open(entry.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0) return std::nullopt;
    const int fd = openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    close(directory);
    if (fd < 0) return std::nullopt;
    struct stat info = {};
    std::string text;
    const bool good = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && read_descriptor(fd, SIZE_MAX, text) == 0;
    close(fd);
    return good ? std::optional(std::move(text)) : std::nullopt;
}

struct Used {
    fs::file_time_type when;
    uint64_t bytes;
    fs::path path;
};

// An entry's disk space; small files cost a block too.
uint64_t bytes_of(const fs::path &directory) {
    uint64_t bytes = 0;
    std::error_code ec;
    for (const fs::directory_entry &file : fs::directory_iterator(directory, ec)) {
        uintmax_t size = file.file_size(ec);
        if (!ec) bytes += (size + 4095) / 4096 * 4096;
    }
    return bytes;
}

// Removes an entry in one step, so that no reader finds half of it.
void remove_entry(const fs::path &path) {
    std::error_code ec;
    fs::path grave = path.parent_path() / (".old-" + path.filename().string() + "-" + std::to_string(getpid()));
    fs::rename(path, grave, ec);
    fs::remove_all(ec ? path : grave, ec);
}

// All entries; removes what killed processes left behind.
std::vector<Used> all_entries(const fs::path &directory) {
    std::vector<Used> entries;
    std::error_code ec;
    auto stale = fs::file_time_type::clock::now() - std::chrono::hours(1);
    for (const fs::directory_entry &shelf : fs::directory_iterator(directory, ec)) {
        std::error_code inner;
        if (!shelf.is_directory(inner)) continue;
        for (const fs::directory_entry &entry : fs::directory_iterator(shelf.path(), inner)) {
            std::error_code each;
            if (entry.path().filename().string().starts_with(".")) {
                if (fs::last_write_time(entry.path(), each) < stale) fs::remove_all(entry.path(), each);
                continue;
            }
            auto when = fs::last_write_time(entry.path() / kSeal, each);
            if (each) when = fs::file_time_type::min();
            entries.push_back({when, bytes_of(entry.path()), entry.path()});
        }
    }
    return entries;
}

}  // namespace

uint64_t configured_cache_limit(const std::string &root) {
    if (const char *text = std::getenv("TAPIR_CACHE_MB"))
        if (auto value = number(text)) return *value * kMegabyte;
    if (auto text = read_file(root + "/limit_mb"))
        if (auto value = number(*text)) return *value * kMegabyte;
    return 256 * kMegabyte;
}

Cache::Cache(std::string directory, CacheMode mode, uint64_t limit_bytes)
    : directory_(std::move(directory)), mode_(mode), limit_(limit_bytes) {}

std::string Cache::entry(const std::string &key) const {
    return directory_ + "/" + key.substr(0, 2) + "/" + key;
}

std::optional<Cache::Checked> Cache::checked(const std::string &key) {
    if (mode_ != CacheMode::Use) return std::nullopt;
    std::string path = entry(key);
    auto seal = read_entry_file(path, kSeal);
    if (!seal) return std::nullopt;
    size_t space = seal->find(' ');
    if (space != std::string::npos && space + 1 < seal->size() && seal->find('/') == std::string::npos) {
        std::string file = path + "/" + seal->substr(space + 1);
        auto bytes = read_entry_file(path, seal->substr(space + 1));
        if (bytes && sha256(*bytes) == seal->substr(0, space)) {
            utimensat(AT_FDCWD, (path + "/" + kSeal).c_str(), nullptr, 0);
            return Checked{file, std::move(*bytes)};
        }
    }
    remove_entry(path);
    return std::nullopt;
}

std::optional<std::string> Cache::find(const std::string &key) {
    auto found = checked(key);
    return found ? std::optional(std::move(found->path)) : std::nullopt;
}

std::optional<std::string> Cache::find_text(const std::string &key) {
    auto found = checked(key);
    return found ? std::optional(std::move(found->bytes)) : std::nullopt;
}

Outcome<std::string> Cache::store(const std::string &key, const std::string &name, std::string_view bytes) {
    const auto failed = [](const std::string &why) { return Fault{FaultTag::NotCached, why}; };
    if (mode_ == CacheMode::Disabled) return failed("the cache is disabled");
    std::string path = entry(key);
    std::string shelf = path.substr(0, path.rfind('/'));
    const Outcome<std::string> made = make_directory(shelf, ".new-");
    if (!made) return failed(made.fault().message());
    const std::string &work = *made;
    TemporaryDirectory temporary(work);
    Outcome<void> written = write_file(work + "/" + name, bytes);
    if (written) written = write_file(work + "/" + kSeal, sha256(bytes) + " " + name);
    if (!written) return failed(written.fault().message());
    chmod(work.c_str(), 0755);

    if (mode_ == CacheMode::Poison) remove_entry(path);
    std::error_code ec;
    fs::rename(work, path, ec);
    if (ec) {
        // Somebody else was first, or a damaged entry is in the way.
        Cache reader(directory_, CacheMode::Use, limit_);
        if (auto theirs = reader.find(key)) return *theirs;
        fs::rename(work, path, ec);
    }
    if (ec) return failed(path + ": " + ec.message());
    temporary.release();
    account(bytes_of(path), path);
    return path + "/" + name;
}

// Adds to the total on record and, over the limit, counts again and evicts down to 3/4 of the limit.
void Cache::account(uint64_t added, const std::string &keep) {
    FileLock lock(directory_ + "/lock");
    std::string record = directory_ + "/total";
    auto text = read_file(record);
    auto total = text ? number(*text) : std::nullopt;
    if (total) total = *total + added;
    if (!total || *total > limit_) {
        std::vector<Used> entries = all_entries(directory_);
        std::sort(entries.begin(), entries.end(), [](const Used &a, const Used &b) { return a.when < b.when; });
        total = 0;
        for (const Used &one : entries)
            *total += one.bytes;
        if (*total > limit_)
            for (const Used &one : entries) {
                if (*total <= limit_ / 4 * 3) break;
                if (one.path == keep) continue;
                remove_entry(one.path);
                *total -= one.bytes;
            }
    }
    // A total that is not on record is counted next time.
    static_cast<void>(write_file(record, std::to_string(*total)));
}

namespace {

// Downloads that were killed; one that runs holds its release's lock.
Outcome<void> remove_broken_downloads(const std::string &kernels) {
    constexpr std::string_view kBeginning = ".fetch-";
    std::error_code ec;
    for (const fs::directory_entry &entry : fs::directory_iterator(kernels, ec)) {
        const std::string name = entry.path().filename();
        if (!name.starts_with(kBeginning)) continue;
        const std::string release = name.substr(kBeginning.size(), name.rfind('.') - kBeginning.size());
        const FileLock lock(kernels + "/.lock-" + release, false);
        std::error_code failed;
        if (lock.held()) fs::remove_all(entry.path(), failed);
        if (failed) return Fault{FaultTag::FileUnwritable, entry.path().string() + ": " + failed.message()};
    }
    return {};
}

}  // namespace

Outcome<void> clean_cache(const std::string &root) {
    // Removes entries by name only: an environment variable names the root, which may hold other files.
    constexpr std::string_view kBeginnings[] = {
        "modules", "modules-served", "programs", "results",       "templates",
        "index",   "boot",           "symbols-", "tapset-index-", "tapset-catalogue-"};
    std::error_code ec;
    for (const fs::directory_entry &entry : fs::directory_iterator(root, ec)) {
        std::string name = entry.path().filename();
        bool ours = std::any_of(std::begin(kBeginnings), std::end(kBeginnings), [&](std::string_view one) {
            return one.ends_with('-') ? name.starts_with(one) : name == one;
        });
        std::error_code failed;
        if (ours) fs::remove_all(entry.path(), failed);
        if (failed) return Fault{FaultTag::FileUnwritable, entry.path().string() + ": " + failed.message()};
    }
    return remove_broken_downloads(root + "/kernels");
}

}  // namespace tapir::build
