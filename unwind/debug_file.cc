// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/debug_file.h"

#include "common/build_id.h"

namespace tapir::unwind {

bool DebugFile::open() {
    const std::string &id = file_.build_id();
    if (id.size() > 2 && image_.open(debug_file_of_build(id, directory_)) == 0) return true;
    const std::string link(file_.debug_link());
    const size_t slash = path_.rfind('/');
    if (link.empty() || slash == std::string::npos) return false;
    const std::string beside = path_.substr(0, slash + 1);
    return image_.open(beside + ".debug/" + link) == 0 || image_.open(directory_ + beside + link) == 0;
}

const ElfFile *DebugFile::get() {
    if (!tried_) {
        tried_ = true;
        there_ = open() && debug_.parse(image_).empty() && debug_.build_id() == file_.build_id();
    }
    return there_ ? &debug_ : nullptr;
}

}  // namespace tapir::unwind
