// SPDX-License-Identifier: GPL-2.0-or-later
#include "sxx/line.h"

#include <algorithm>

namespace tapir::sxx {

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool Reader::take(std::string_view expected) {
    if (!text_.substr(at_).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
}

std::string_view Reader::word() {
    const size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_]))
        ++at_;
    return text_.substr(begin, at_ - begin);
}

void Reader::blanks() {
    while (at_ < text_.size() && is_blank(text_[at_]))
        ++at_;
}

std::optional<std::string_view> Reader::up_to(char end) {
    // The value of an argument may have brought ends of lines along.
    const size_t found = text_.find_first_of(std::string{end, '\n'}, at_);
    if (found == std::string_view::npos || text_[found] != end) return std::nullopt;
    const std::string_view taken = text_.substr(at_, found - at_);
    at_ = found + 1;
    return taken;
}

Line::Line(std::string_view text, size_t from) : text_(text) {
    bytes_.reserve(text.size());
    for (size_t i = 0; i < text.size(); ++i)
        bytes_.push_back({from + i, true});
}

void Line::replace_each(char first, const Match &match) {
    size_t at = text_.find(first);
    if (at == std::string::npos) return;
    std::string text = text_.substr(0, at);
    std::vector<Byte> bytes(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(at));
    while (at < text_.size()) {
        std::optional<Replacement> found;
        if (text_[at] == first) found = match(text_, at, bytes_[at].from);
        if (!found) {
            text += text_[at];
            bytes.push_back(bytes_[at++]);
            continue;
        }
        text += found->text;
        bytes.insert(bytes.end(), found->text.size(), {bytes_[at].from, false});
        at = found->end;
    }
    text_ = std::move(text);
    bytes_ = std::move(bytes);
}

void Line::replace_all(std::string text) {
    const size_t from = bytes_.empty() ? 0 : bytes_.front().from;
    text_ = std::move(text);
    bytes_.assign(text_.size(), {from, false});
}

void Line::append_to(std::string &text, std::vector<SourceRun> &runs) const {
    for (size_t i = 0; i < bytes_.size(); ++i) {
        const Byte &byte = bytes_[i];
        const size_t at = text.size() + i;
        const bool goes_on = !runs.empty() && runs.back().copied == byte.copied &&
                             byte.from == runs.back().from + (byte.copied ? at - runs.back().at : 0);
        if (!goes_on) runs.push_back({at, byte.from, byte.copied});
    }
    text += text_;
}

}  // namespace tapir::sxx
