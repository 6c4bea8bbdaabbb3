// SPDX-License-Identifier: GPL-2.0-or-later
#include "lsp/channel.h"

#include <strings.h>
#include <algorithm>
#include <charconv>
#include <cstring>

namespace tapir::lsp {

void Framing::add(std::string_view bytes) {
    const size_t skipped = std::min(skip_, bytes.size());
    skip_ -= skipped;
    buffer_ += bytes.substr(skipped);
}

// Reads lines up to an empty one. Lines that are no header are passed over: what follows garbage is found again.
bool Framing::take_header() {
    constexpr std::string_view kName = "content-length:";
    constexpr size_t kLongestLine = 4096;
    while (true) {
        const size_t end = buffer_.find('\n');
        if (end == buffer_.npos) {
            // A line without an end is garbage; its last bytes may begin a header.
            if (buffer_.size() > kLongestLine) buffer_.erase(0, buffer_.size() - kName.size());
            return false;
        }
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        while (!line.empty() && (line.back() == '\r' || line.back() == ' '))
            line.pop_back();
        if (line.empty() && length_ > 0) return true;
        const auto found = std::search(line.begin(), line.end(), kName.begin(), kName.end(),
                                       [](char a, char b) { return (a | 0x20) == (b | 0x20); });
        if (found == line.end()) continue;
        const char *at = line.data() + (found - line.begin()) + kName.size();
        while (*at == ' ')
            at++;
        size_t length = 0;
        if (std::from_chars(at, line.data() + line.size(), length).ec == std::errc()) length_ = length;
    }
}

bool Framing::take(std::string &text) {
    if (too_long_ && skip_ == 0) {
        too_long_ = false;
        text.clear();
        return true;
    }
    if (skip_ > 0) return false;
    if (!in_body_) in_body_ = take_header();
    if (!in_body_) return false;
    if (length_ > kMaxMessage) {
        skip_ = length_ - std::min(length_, buffer_.size());
        buffer_.erase(0, length_ - skip_);
        in_body_ = false;
        length_ = 0;
        too_long_ = true;
        return take(text);
    }
    if (buffer_.size() < length_) return false;
    text = buffer_.substr(0, length_);
    buffer_.erase(0, length_);
    in_body_ = false;
    length_ = 0;
    return true;
}

std::string framed(const nlohmann::json &message) {
    // Bytes that are no UTF-8 are replaced: a script may have any.
    const std::string text = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
}

}  // namespace tapir::lsp
