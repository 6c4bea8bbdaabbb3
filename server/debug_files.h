// SPDX-License-Identifier: GPL-2.0-or-later
// Debug files and programs by build-id, as debuginfod serves them: from the state, where administrators put them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "common/descriptor.h"
#include "common/outcome.h"
#include "debuginfod/debug_cache.h"

namespace tapir::server {

// "/buildid/ID/debuginfo", "/buildid/ID/executable", "/buildid/ID/section/NAME"
struct DebugRequest {
    std::string build_id;
    debuginfod::FileKind kind = debuginfod::FileKind::DebugInfo;
    std::string section;  // "" = the whole file
};

// True for every target that begins so, well formed or not.
bool is_debug_target(std::string_view target);
// Else BadRequest.
Outcome<DebugRequest> parse_debug_target(std::string_view target);

struct DebugFile {
    std::shared_ptr<const Descriptor> file;  // of the whole file
    uint64_t bytes = 0;
    std::string section;  // the bytes of a section, if one was asked for
    std::string sha256;   // of the whole file, as it was when it was added
};

class DebugFiles {
  public:
    // Files with more bytes are refused.
    DebugFiles(std::string directory, uint64_t most_bytes) : directory_(std::move(directory)), most_(most_bytes) {}

    // Else NotFound or TooLarge. A section is that of the debug file, or of the program where the debug file has only
    // its header.
    Outcome<DebugFile> find(const DebugRequest &request) const;
    // Adds copies of all ELF files with a build-id in these files, directories and .deb packages, and returns their
    // number. Else BadConfiguration or StateUnwritable.
    Outcome<size_t> add(const std::vector<std::string> &what,
                        const std::function<void(const std::string &)> &progress) const;

  private:
    std::string path_of(const std::string &build_id, debuginfod::FileKind kind) const;
    Outcome<size_t> add_tree(const std::string &tree) const;
    Outcome<size_t> add_file(const std::string &path) const;
    Outcome<size_t> add_package(const std::string &path) const;
    Outcome<void> keep(const std::string &path, const std::string &build_id, debuginfod::FileKind kind) const;

    std::string directory_;
    uint64_t most_;
};

// Counts files and bytes of each client within the current minute. Safe from any thread.
class DebugRate {
  public:
    DebugRate(uint64_t requests, uint64_t bytes) : requests_(requests), bytes_(bytes) {}

    // Counts a request; false if it is one too many at `now`, in seconds of any clock.
    bool take(const std::string &client, uint64_t bytes, int64_t now);

  private:
    struct Taken {
        uint64_t requests = 0, bytes = 0;
    };
    const uint64_t requests_, bytes_;
    std::mutex mutex_;
    int64_t minute_ = -1;
    std::map<std::string, Taken> taken_;
};

}  // namespace tapir::server
