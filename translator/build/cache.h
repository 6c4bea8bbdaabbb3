// SPDX-License-Identifier: GPL-2.0-or-later
// Results kept on disk under a key of everything they were made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/outcome.h"

namespace tapir::build {

enum class CacheMode : uint8_t {
    Use,
    Poison,    // --poison-cache: existing entries are ignored and replaced
    Disabled,  // --disable-cache: neither read nor written
};

// Bytes a cache may hold unless configured: $TAPIR_CACHE_MB, else the number in the file ROOT/limit_mb, else 256 MB.
uint64_t configured_cache_limit(const std::string &root);

// A directory of entries, one file each, named by the caller. Safe under concurrent use by any number of processes:
// entries appear whole or not at all, are checked against their checksum when found (a damaged one is removed and
// counts as not found), and the least recently used ones go when the limit is exceeded. Nothing here fails a run: a
// directory that cannot be written only means that nothing is stored.
class Cache {
  public:
    Cache(std::string directory, CacheMode mode, uint64_t limit_bytes);

    // Path of the file stored under `key` (hex digits, at least 8), if there is one. Marks it as used.
    std::optional<std::string> find(const std::string &key);
    // The contents instead, for small things.
    std::optional<std::string> find_text(const std::string &key);

    // Stores `bytes` as file `name` under the key and returns its path. If another process stored the same key
    // meanwhile, that entry stays and its path is returned. Else NotCached.
    Outcome<std::string> store(const std::string &key, const std::string &name, std::string_view bytes);

    const std::string &directory() const { return directory_; }

  private:
    struct Checked {
        std::string path, bytes;
    };
    std::optional<Checked> checked(const std::string &key);
    std::string entry(const std::string &key) const;
    void account(uint64_t added, const std::string &keep);

    std::string directory_;
    CacheMode mode_;
    uint64_t limit_;
};

// --clean-cache: removes the parts of the cache's root that can be made again (modules, results, templates, indexes,
// boot images) and downloads that were broken off. Keeps downloaded kernels and settings. FileUnwritable for the first
// file that could not be removed.
Outcome<void> clean_cache(const std::string &root);

}  // namespace tapir::build
