// SPDX-License-Identifier: GPL-2.0-or-later
// A tapset file's text and its doc comments, by what they stand before.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "docs/comment.h"

namespace tapir::docs {

// One file's text with its doc comments, and which of them found what they are about.
struct Text {
    std::string path;
    std::string text;
    std::vector<Comment> comments;
    std::vector<bool> used;
    std::vector<size_t> lines;  // offsets of their beginnings

    Text(std::string path, std::string text, bool macro_file);

    size_t offset(const SourceRef &at) const;
    // Indexes of the comments that stand before what begins at `offset`.
    std::vector<size_t> before(size_t offset) const;
};

// Where a token was written: of one that macros made, the macro's use.
const SourceRef &written_at(const SourceRef &at);
// The offset of `keyword` and perhaps "private" before the name at `offset`.
size_t item_start(const std::string &text, size_t offset, std::string_view keyword);

}  // namespace tapir::docs
