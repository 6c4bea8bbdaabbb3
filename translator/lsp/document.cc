// SPDX-License-Identifier: GPL-2.0-or-later
#include "lsp/document.h"

#include <algorithm>
#include <cctype>

namespace tapir::lsp {

namespace {

using nlohmann::json;

// The bytes of the character at `at`; broken bytes are characters of their own.
size_t bytes_of(std::string_view text, size_t at) {
    const auto first = static_cast<unsigned char>(text[at]);
    size_t length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF8 ? 4 : 1;
    for (size_t i = 1; i < length; i++)
        if (at + i >= text.size() || (static_cast<unsigned char>(text[at + i]) & 0xC0) != 0x80) return 1;
    return length;
}

size_t units_of(size_t bytes, Encoding encoding) {
    if (encoding == Encoding::Utf8) return bytes;
    return encoding == Encoding::Utf16 && bytes == 4 ? 2 : 1;
}

}  // namespace

Document::Document(std::string uri, std::string text, int64_t version) : uri_(std::move(uri)), version_(version) {
    set_text(std::move(text));
}

void Document::set_text(std::string text) {
    text_ = std::move(text);
    lines_ = {0};
    for (size_t i = 0; i < text_.size(); i++)
        if (text_[i] == '\n') lines_.push_back(i + 1);
}

size_t Document::offset(const json &position, Encoding encoding) const {
    const auto number = [&](const char *name) -> size_t {
        const auto found = position.find(name);
        return found != position.end() && found->is_number_integer() && *found >= 0 ? found->get<size_t>() : 0;
    };
    if (!position.is_object()) return 0;
    const size_t line = number("line");
    if (line >= lines_.size()) return text_.size();
    size_t at = lines_[line], units = number("character");
    size_t end = line + 1 < lines_.size() ? lines_[line + 1] - 1 : text_.size();
    if (end > at && text_[end - 1] == '\r') end--;
    while (at < end && units > 0) {
        const size_t bytes = bytes_of(text_, at);
        const size_t wide = units_of(bytes, encoding);
        if (wide > units) break;
        units -= wide;
        at += bytes;
    }
    return std::min(at, end);
}

json Document::position(size_t offset, Encoding encoding) const {
    offset = std::min(offset, text_.size());
    const auto next = std::upper_bound(lines_.begin(), lines_.end(), offset);
    const size_t line = static_cast<size_t>(next - lines_.begin()) - 1;
    size_t units = 0;
    for (size_t at = lines_[line]; at < offset;) {
        const size_t bytes = bytes_of(text_, at);
        units += units_of(bytes, encoding);
        at += bytes;
    }
    return {{"line", line}, {"character", units}};
}

json Document::range(size_t begin, size_t end, Encoding encoding) const {
    return {{"start", position(begin, encoding)}, {"end", position(end, encoding)}};
}

size_t Document::offset_of(uint32_t line, uint32_t column) const {
    if (line == 0) return 0;
    if (line > lines_.size()) return text_.size();
    return std::min(lines_[line - 1] + (column ? column - 1 : 0), text_.size());
}

bool Document::change(const json &changes, int64_t version, Encoding encoding) {
    const std::string before = text_;
    const auto refuse = [&] {
        set_text(before);
        return false;
    };
    if (!changes.is_array()) return false;
    for (const json &change : changes) {
        if (!change.is_object() || !change.contains("text") || !change["text"].is_string()) return refuse();
        std::string text = change["text"];
        if (const auto range = change.find("range"); range != change.end()) {
            if (!range->is_object() || !range->contains("start") || !range->contains("end")) return refuse();
            const size_t begin = offset((*range)["start"], encoding), end = offset((*range)["end"], encoding);
            if (end < begin) return refuse();
            text = text_.substr(0, begin) + text + text_.substr(end);
        }
        set_text(std::move(text));
    }
    version_ = version;
    return true;
}

std::string path_of(const std::string &uri) {
    constexpr std::string_view kScheme = "file://";
    if (!uri.starts_with(kScheme)) return uri;
    std::string path;
    for (size_t i = kScheme.size(); i < uri.size(); i++) {
        if (uri[i] == '%' && i + 2 < uri.size() && std::isxdigit(static_cast<unsigned char>(uri[i + 1])) &&
            std::isxdigit(static_cast<unsigned char>(uri[i + 2]))) {
            path += static_cast<char>(std::stoi(uri.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else {
            path += uri[i];
        }
    }
    return path;
}

std::string uri_of(const std::string &path) {
    if (path.find("://") != path.npos) return path;
    constexpr const char *kDigits = "0123456789ABCDEF";
    std::string uri = "file://";
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) || std::string_view("/-._~").find(c) != std::string_view::npos) {
            uri += c;
        } else {
            uri += '%';
            uri += kDigits[byte >> 4];
            uri += kDigits[byte & 15];
        }
    }
    return uri;
}

}  // namespace tapir::lsp
