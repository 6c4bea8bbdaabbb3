// SPDX-License-Identifier: GPL-2.0-or-later
// Files by build-id that were fetched, and what no server had. The directory has the form that elfutils' library gives
// it, CACHE/BUILDID/debuginfo, and may be the same: gdb and others then find what was fetched here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/outcome.h"

namespace tapir::debuginfod {

enum class FileKind : uint8_t { DebugInfo, Executable };

// "debuginfo", "executable": as the protocol has it.
std::string_view word_of(FileKind kind);

// 8 to 128 lower-case hexadecimal digits, an even number: names of files are made of it.
bool is_debug_id(std::string_view build_id);

// The build-id of an ELF file of any kind, by its notes in segments or sections; "" if it has none or is no ELF file.
std::string debug_id_of(const std::string &path);

class DebugCache {
  public:
    explicit DebugCache(std::string directory) : directory_(std::move(directory)) {}

    // The file; nothing if it is not there, or is of another build.
    std::optional<std::string> find(FileKind kind, const std::string &build_id) const;
    // True if servers were asked for it within the last ten minutes, and had none.
    bool is_known_missing(FileKind kind, const std::string &build_id) const;
    // Moves a file, which is in the same file system, to its place, and returns that. Else FileUnwritable.
    Outcome<std::string> keep(FileKind kind, const std::string &build_id, const std::string &file) const;
    // Notes that no server has it. A cache that cannot be written does no harm.
    void note_missing(FileKind kind, const std::string &build_id) const;
    // Removes files that nothing has read for a week.
    void sweep() const;
    const std::string &directory() const { return directory_; }

  private:
    std::string path_of(FileKind kind, const std::string &build_id) const;

    std::string directory_;
};

}  // namespace tapir::debuginfod
