// SPDX-License-Identifier: GPL-2.0-or-later
// The separate file with the stripped parts of an object: by build-id, or by .gnu_debuglink.
#pragma once

#include <string>

#include "unwind/elf_file.h"

namespace tapir::unwind {

class DebugFile {
  public:
    // `path` of the object; `directory` where such files are. `file` must outlive this.
    DebugFile(const ElfFile &file, std::string path, std::string_view directory)
        : file_(file), path_(std::move(path)), directory_(directory) {}

    // Opens the file at the first call. Null if it is missing or of another build.
    const ElfFile *get();

  private:
    bool open();

    const ElfFile &file_;
    std::string path_, directory_;
    FileImage image_;
    ElfFile debug_;
    bool tried_ = false, there_ = false;
};

}  // namespace tapir::unwind
