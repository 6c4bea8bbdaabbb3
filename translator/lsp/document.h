// SPDX-License-Identifier: GPL-2.0-or-later
// A text that a client edits, and its positions.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::lsp {

// The units in which a position counts within its line.
enum class Encoding : uint8_t { Utf8, Utf16, Utf32 };

class Document {
  public:
    Document(std::string uri, std::string text, int64_t version);

    const std::string &uri() const { return uri_; }
    const std::string &text() const { return text_; }
    int64_t version() const { return version_; }

    // Applies the changes of didChange, with or without ranges. False: one is malformed, and the text is as before it.
    bool change(const nlohmann::json &changes, int64_t version, Encoding encoding);
    // Positions behind a line's end, or behind the text, mean that end.
    size_t offset(const nlohmann::json &position, Encoding encoding) const;
    nlohmann::json position(size_t offset, Encoding encoding) const;
    nlohmann::json range(size_t begin, size_t end, Encoding encoding) const;
    // The same for a line and column that count from 1, the column in bytes.
    size_t offset_of(uint32_t line, uint32_t column) const;

  private:
    void set_text(std::string text);

    std::string uri_, text_;
    int64_t version_;
    std::vector<size_t> lines_;  // where each begins
};

// "/tmp/a b.stp" of "file:///tmp/a%20b.stp"; the URI itself if it is of no file.
std::string path_of(const std::string &uri);
std::string uri_of(const std::string &path);

}  // namespace tapir::lsp
