// SPDX-License-Identifier: GPL-2.0-or-later
// Options that a user wants in every command: the file "rc" in $SYSTEMTAP_DIR, else in $HOME/.systemtap, in the form of
// SystemTap. Each line has words as a shell splits them: quotes, $VARIABLES, ~ and patterns of file names, no commands.
// A word that begins with # begins a comment.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/source.h"

namespace tapir::driver {

struct RcFile {
    struct Line {
        uint32_t number = 0;  // from 1
        std::vector<std::string> words;
    };

    std::shared_ptr<const SourceFile> source;  // null: there is none
    std::vector<Line> lines;                   // that have words

    // Where a word of a line stands; the line's beginning if the word is not written there as it is.
    SourceRef place(const Line &line, const std::string &word) const;
};

// "": there is no home directory.
std::string rc_path();

// Reports UsageError with the place of what cannot be split. A file that does not exist is empty. One of another user,
// who is not root, is left out with a warning.
RcFile read_rc_file(const std::string &path, Diagnostics &diagnostics);

}  // namespace tapir::driver
