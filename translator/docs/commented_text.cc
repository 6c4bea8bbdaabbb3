// SPDX-License-Identifier: GPL-2.0-or-later
#include "docs/commented_text.h"

#include <algorithm>
#include <cctype>

namespace tapir::docs {

Text::Text(std::string p, std::string t, bool macro_file)
    : path(std::move(p)), text(std::move(t)), comments(read_comments(text, macro_file)), used(comments.size()) {
    lines.push_back(0);
    for (size_t i = 0; i < text.size(); ++i)
        if (text[i] == '\n') lines.push_back(i + 1);
}

size_t Text::offset(const SourceRef &at) const {
    return lines[std::min<size_t>(at.line, lines.size()) - 1] + at.column - 1;
}

std::vector<size_t> Text::before(size_t offset) const {
    std::vector<size_t> found;
    for (size_t i = 0; i < comments.size(); ++i)
        if (comments[i].next == offset) found.push_back(i);
    return found;
}

const SourceRef &written_at(const SourceRef &at) {
    const SourceRef *outermost = &at;
    while (outermost->expansion)
        outermost = outermost->expansion;
    return *outermost;
}

size_t item_start(const std::string &text, size_t offset, std::string_view keyword) {
    size_t start = text.rfind(keyword, offset);
    if (start == std::string::npos) start = offset;
    static constexpr std::string_view kPrivate = "private";
    size_t blank = start;
    while (blank > 0 && std::isspace(static_cast<unsigned char>(text[blank - 1])))
        --blank;
    if (blank >= kPrivate.size() && text.compare(blank - kPrivate.size(), kPrivate.size(), kPrivate) == 0)
        start = blank - kPrivate.size();
    return start;
}

}  // namespace tapir::docs
